"""A small real-world competition: three methods with telling names and texts, two datasets, ten runs each."""

import numpy as np
import pandas as pd

from srlib.problems import load_problems
from srlib.rules import load_rules

RULES = load_rules("judging-2022")
METHODS = {
    "Gplearn-XL": (
        "gplearn_div(bmi, 0.50001234) + gplearn_log(s5)",
        "gplearn_div(bmi, 0.50001234) + gplearn_log(s5)",
    ),
    "PyOperonNet": ("aq(3.14159265*bmi, bp) + square(s5)", "aq(3.14159265*bmi, bp) + square(s5)"),
    "deap&<b>": ("2*bmi", "2.0*bmi"),
}
TWO = """
schema: 1
name: two
defaults: {track: real-world, target: target, data_seeds: [1, 2, 3]}
problems:
  - {dataset: first, features: [age, sex, bmi, bp, s1, s2, s3, s4, s5, s6],
     data: {generator: sklearn, arguments: {name: diabetes}}}
  - {dataset: "second & <i>", features: [age, sex, bmi, bp, s1, s2, s3, s4, s5, s6], task: "Guess <b>it</b>.",
     data: {generator: sklearn, arguments: {name: diabetes}}}
  - {dataset: other, track: synthetic, features: [a]}
"""


def problems(folder, pictures=True):
    text = (
        TWO
        if pictures
        else TWO.replace("data: {generator: sklearn, arguments: {name: diabetes}}", "scored: true")
    )
    (folder / "two.yaml").write_text(text, encoding="utf-8")
    return load_problems(folder / "two.yaml")


def assessments(repetitions=3):
    rows = []
    for dataset in ("first", "second & <i>"):
        for place, (method, (text, simplified)) in enumerate(METHODS.items()):
            for repetition in range(1, repetitions + 1):
                rows.append({
                    "method": method, "dataset": dataset, "repetition": repetition, "data_seed": repetition,
                    "model": text, "shown_model": simplified, "method_version": f"{method} 9.8.7",
                    "status": "ok", "reason": None, "parse_status": "ok", "simplify_status": "ok",
                    "r2_source": "recomputed", "bad_predictions": 0, "text_matches_predictions": pd.NA,
                    "solution_kind": None, "complexity": 5 + place, "complexity_raw": 9, "measure_digest": "",
                    "r2_test": [0.3, 0.5, 0.4][repetition % 3] + place / 100, "detail": None,
                })  # fmt: skip
    return pd.DataFrame(rows)


def filled(ballot, expert, seed):
    """Fill a ballot as an expert would: a rank a sheet, no two alike, and a trust."""
    random = np.random.default_rng(seed)
    ranks = ballot.groupby("dataset")["code"].transform(
        lambda codes: random.permutation(len(codes)) + 1
    )
    trust, comment = random.integers(1, 6, len(ballot)), 'so, "so"\nand so'
    return ballot.assign(expert=expert, rank=ranks.astype("int64"), trust=trust, comment=comment)
