"""Which features the names of a text mean: a small competition with numbered and with worded features."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.judging.assessments import complete_assessments
from srlib.problems import load_problems
from srlib.readers import RunTable
from srlib.rules import load_rules

RULES = load_rules("judging-2022")
PROBLEMS = """
schema: 1
name: names
defaults: {target: y, data_seeds: [1]}
problems:
  - {dataset: three, features: [x1, x2, x3], property: solution, truth: x1}
  - {dataset: house, features: [area, rooms, age], property: solution, truth: area}
  - {dataset: measured, features: [a, b, c], property: solution, truth: a + 10*b}
"""


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "names.yaml"
    path.write_text(PROBLEMS)
    return load_problems(path)


def assess_texts(rows, problems, **columns):
    """Assess (method, dataset, model); only what needs no process: how the names were read."""
    runs = pd.DataFrame(rows, columns=["method", "dataset", "model"])
    runs["repetition"] = runs.groupby(["method", "dataset"]).cumcount() + 1
    runs = runs.assign(status="ok", r2_test=0.5).assign(**columns)
    return assess(runs, problems, RULES.measure, cache=Cache(None), jobs=1, only=frozenset())


ZERO, ONE = ("M", "measured", "X0"), ("M", "house", "X3")
LAWS = [("M", "house", "def f(x0, x1):\n  return x0"), ("M", "house", "X1 * 3"),
        ("N", "house", "def f(area, rooms, age):\n  return area + x3")]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "readings"),
    [
        # a text that tells needs no other
        ([("M", "house", "x0 + x1")], ["auto text"]),
        ([("M", "house", "X1 + X3")], ["auto-x1 text"]),
        ([("M", "house", "x_2 + x_3")], ["auto-x1 text"]),
        ([("M", "house", "x[0]")], ["auto text"]),
        (LAWS, ["auto text", "auto others", "auto-x1 text"]),
        # other texts of the method tell, on all datasets, unless they disagree
        ([("M", "house", "X1"), ZERO], ["auto others", "auto text"]),
        ([("M", "house", "X1"), ONE], ["auto-x1 others", "auto-x1 text"]),
        ([("M", "house", "X1"), ZERO, ONE], ["auto default", "auto text", "auto-x1 text"]),
        ([("N", "house", "X1"), ZERO], ["auto default", "auto text"]),
    ],
)
def test_a_text_is_read_by_evidence(rows, readings, problems):
    table = assess_texts(rows, problems)
    assert (table["names_read"] + " " + table["names_evidence"]).tolist() == readings


def test_rows_that_are_assessed_again_see_all_texts_of_their_method(problems):
    """Half of a table is fresh: the other half is read as in the whole, and an old table is read anew."""
    rows = [("M", "house", "X1"), ("M", "house", "X3")]
    runs = pd.DataFrame(rows, columns=["method", "dataset", "model"])
    runs = runs.assign(repetition=[1, 2], status="ok", r2_test=0.5, r2_train=np.nan)
    table = assess(runs, problems, RULES.measure, cache=Cache(None), jobs=1)
    stale = table.assign(problem_digest=["old", table["problem_digest"].iloc[1]])
    old = table.drop(columns=["names_read", "names_evidence", "names_note"])
    for part in (stale, old):
        runs = RunTable(part, "tidy", Path(), ())
        again = complete_assessments(runs, problems, RULES.measure, cache=Cache(None), jobs=1)
        assert sorted(again["names_evidence"]) == ["others", "text"]
