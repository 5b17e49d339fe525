"""Which features the names of a text mean: a small competition with numbered and with worded features."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.assessing.completing import complete_assessments
from srlib.cache import Cache
from srlib.problems import load_problems
from srlib.readers import RunTable
from srlib.rules import load_rules
from tests.expressions.cases import cells

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


def make_runs(rows):
    """Runs of one repetition after the other, from method, dataset and model, with an R2 as reported."""
    runs = pd.DataFrame(rows, columns=["method", "dataset", "model"])
    runs["repetition"] = runs.groupby(["method", "dataset"]).cumcount() + 1
    return runs.assign(status="ok", r2_test=0.5, r2_train=np.nan)


# A text that tells needs no other; other texts of the method tell, on all datasets, unless they disagree.
READINGS = """
    M house x0 + x1                               auto text
    M house X1 + X3                               auto-x1 text
    M house x_2 + x_3                             auto-x1 text
    M house x[0]                                  auto text
    M house X1; M measured X0                     auto others; auto text
    M house X1; M house X3                        auto-x1 others; auto-x1 text
    M house X1; M measured X0; M house X3         auto default; auto text; auto-x1 text
    N house X1; M measured X0                     auto default; auto text
    M house def f(x0, x1): return x0; M house X1  auto text; auto others
    N house def f(area, rooms, age): return area + x3  auto-x1 text
"""


@pytest.mark.parametrize(("runs", "readings"), cells(READINGS))
def test_a_text_is_read_by_evidence(runs, readings, problems):
    """Only what needs no process is assessed."""
    runs = make_runs([run.split(" ", 2) for run in runs.split("; ")])
    table = assess(runs, problems, RULES.measure, cache=Cache(None), jobs=1, only=frozenset())
    assert "; ".join(table["names_read"] + " " + table["names_evidence"]) == readings


def test_rows_that_are_assessed_again_see_all_texts_of_their_method(problems):
    """Half of a table is fresh: the other half is read as in the whole, and an old table is read anew."""
    runs = make_runs([("M", "house", "X1"), ("M", "house", "X3")])
    table = assess(runs, problems, RULES.measure, cache=Cache(None), jobs=1)
    stale = table.assign(problem_digest=["old", table["problem_digest"].iloc[1]])
    old = table.drop(columns=["names_read", "names_evidence", "names_note"])
    for part in (stale, old):
        runs = RunTable(part, "tidy", Path(), "", "assessments")
        again = complete_assessments(runs, problems, RULES.measure, cache=Cache(None), jobs=1)
        assert sorted(again["names_evidence"]) == ["others", "text"]
