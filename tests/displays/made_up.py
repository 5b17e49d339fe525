"""A judgement written down by hand: 2 methods, 2 datasets, 2 repetitions, ranks that a reader can redo."""

from io import StringIO
from types import SimpleNamespace
from typing import Any

import pandas as pd

from srlib.judging import Judgement
from srlib.ledger import entry, to_frame
from srlib.rules import load_rules

METHODS = ("alpha", "<script>alert(1)</script> $beta$ & =cmd()")
RUNS = """
    method dataset repetition r2_test complexity model
    alpha  d1      1          0.96    5          "0.5*x1 + x2"
    alpha  d1      2          0.94    5          "0.5*x1 + x2"
    alpha  d2      1          0.91    9          "0.5*x1 + x2"
    alpha  d2      2          0.89    9          "0.5*x1 + x2"
    beta   d1      1          0.96    25         "=x1^2 - 1.5"
    beta   d1      2          0.94    25         "=x1^2 - 1.5"
    beta   d2      1          -0.24   25         "=x1^2 - 1.5"
    beta   d2      2          -0.26   25         "=x1^2 - 1.5"
    beta   d2      3          null    25         null
"""
ASPECTS = """
    method dataset aspect     value aspect_rank
    alpha  d1      accuracy   0.95  2
    alpha  d1      simplicity -1.0  2
    alpha  d1      property   1.0   2
    alpha  d2      accuracy   0.90  2
    alpha  d2      simplicity -1.4  2
    alpha  d2      property   0.5   2
    beta   d1      accuracy   0.95  2
    beta   d1      simplicity -2.0  1
    beta   d1      property   0.0   1
    beta   d2      accuracy   -0.25 1
    beta   d2      simplicity -2.0  1
    beta   d2      property   0.0   1
"""
# harmonic means of the ranks: 3/(1/2+1/1+1/1) = 1.2
SCORES = """
    method dataset score
    alpha  d1      2.0
    alpha  d2      2.0
    beta   d1      1.2
    beta   d2      1.0
"""


def read_table(text: str) -> pd.DataFrame:
    """Read a table whose columns are separated by blanks; `beta` stands for the second method."""
    table = pd.read_csv(StringIO(text), sep=r"\s+")
    return table.replace({"method": {"beta": METHODS[1]}})


def made_up_judgement(**changes: Any) -> Judgement:
    """What `srlib.judging.judge` would return for the numbers above; `changes` are other fields."""
    runs, aspects, datasets = map(read_table, (RUNS, ASPECTS, SCORES))
    key = {"method": METHODS[1], "dataset": "d2", "repetition": 3}
    failed_run = entry("judge", "failed_run", "excluded", "no model", **key)
    truth = "0.5*x1 + x2"
    problems = (
        SimpleNamespace(dataset="d1", difficulty="easy", truth=truth, known_truth=truth),
        SimpleNamespace(dataset="d2", difficulty=None, truth=None, known_truth=None),
    )
    judgement = object.__new__(Judgement)
    fields = {
        "ranking": pd.DataFrame({"method": METHODS, "score": [2.0, 1.1], "rank": [1, 2]}),
        "aspects": aspects.assign(n_runs=2, value_rounded=aspects["value"], direction="higher"),
        "datasets": datasets.assign(property="solution", n_runs=2),
        "assessments": runs.assign(simplified_model=runs["model"], solution_kind=None),
        "ledger": to_frame([failed_run]),
        "counts": {"read": 9, "scored": 8, "excluded": 1},
        "rules": load_rules("judging-2022"),
        "notices": (),
        "ranking_of_all": None,
        "problems": SimpleNamespace(name="made-up", problems=problems),
        "screened": SimpleNamespace(barred=(), idle=()),
    }
    vars(judgement).update(fields | changes)
    return judgement
