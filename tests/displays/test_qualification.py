"""The qualification's tables and figures on a table that can be redone by hand."""

import pandas as pd

from srlib import displays
from srlib.judging.qualification import qualify
from srlib.problems import load_problems
from srlib.rules import load_rules

VALUES = {
    "LinearRegression": (0.5, 0.5),
    "good": (0.9, 0.7),
    "mixed": (0.6, 0.1),
    "awful": (0.1, -40.0),
}


def judged(tmp_path, values, **columns):
    (tmp_path / "p.yaml").write_text(
        "{schema: 1, name: small, defaults: {track: qualification, features: [x, y]}, "
        "problems: [{dataset: a}, {dataset: b}]}"
    )
    rows = [
        {"method": method, "dataset": dataset, "repetition": r, "model": None, "status": "ok", "r2_test": value,
         "training_time_s": 2.0, "method_version": "package 1", "budget": "{}", **columns}
        for method, pair in values.items() for dataset, value in zip("ab", pair, strict=True) for r in (1, 2)
    ]  # fmt: skip
    return qualify(
        pd.DataFrame(rows), load_problems(tmp_path / "p.yaml"), load_rules("judging-2022")
    )


def test_the_sentence_names_who_qualifies_and_what_is_disputed(tmp_path):
    said = displays.qualification_sentence(judged(tmp_path, VALUES))
    assert said == (
        "Qualified against LinearRegression on 2 datasets (small): good; not qualified: "
        "mixed and awful. R² is taken from the runs; it was not computed again."
    )
    none = displays.qualification_sentence(
        judged(tmp_path, {"LinearRegression": (0.5, 0.5), "m": (0.4, 0.9)})
    )
    assert ": nobody; not qualified: m." in none
    assert "The readings disagree on m." in none
