"""A small real-world competition: three methods with telling names and texts, two datasets, three runs each."""

import numpy as np
import pandas as pd

from srlib.competition import Competition, Resources
from srlib.rules import load_rules

RULES = load_rules("judging-2022")
METHODS = {
    "Gplearn-XL": "gplearn_div(bmi, 0.50001234) + gplearn_log(s5)",
    "PyOperonNet": "aq(3.14159265*bmi, bp) + square(s5)",
    "deap&<b>": "2.0*bmi",
}
DATA = "data: {generator: sklearn, arguments: {name: diabetes}}"
PROBLEMS = f"""
schema: 1
name: two
defaults: {{track: real-world, target: target, data_seeds: [1, 2, 3]}}
problems:
  - {{dataset: first, features: [age, sex, bmi, bp, s1, s2, s3, s4, s5, s6], {DATA}}}
  - {{dataset: "second & <i>", features: [age, sex, bmi, bp, s1, s2, s3, s4, s5, s6], task: "Guess <b>it</b>.", {DATA}}}
  - {{dataset: other, track: synthetic, features: [a]}}
"""


def competition(folder, texts=METHODS, pictures=True, datasets=("first", "second & <i>")):
    """The competition, with the text of each method; without pictures it has no data, and reported R2 count."""
    runs = [
        {"method": method, "dataset": dataset, "repetition": repetition, "model": text,
         "method_version": f"{method} 9.8.7", "r2_test": repetition / 10}
        for dataset in datasets
        for method, text in texts.items()
        for repetition in (1, 2, 3)
    ]  # fmt: skip
    problems = PROBLEMS if pictures else PROBLEMS.replace(DATA, "scored: true")
    (folder / "two.yaml").write_text(problems)
    frame, path = pd.DataFrame(runs), folder / "two.yaml"
    return Competition.read(frame, path, RULES, resources=Resources(jobs=1))


def filled(ballot, expert, seed):
    """Fill a ballot as an expert would: a rank a sheet, no two alike, and a trust."""
    random = np.random.default_rng(seed)
    ranks = ballot.groupby("dataset")["code"].transform(
        lambda codes: random.permutation(len(codes)) + 1
    )
    trust, comment = random.integers(1, 6, len(ballot)), 'so, "so"\nand so'
    return ballot.assign(expert=expert, rank=ranks.astype("int64"), trust=trust, comment=comment)
