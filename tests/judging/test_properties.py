"""Scores of dataset properties on models that a reader can count by hand."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.expressions import parse, simplify
from srlib.judging.properties import SCORERS, absence, frequency, precision, surrogate_absence
from srlib.problems import Problem

FEATURES = ("x1", "x2", "x3", "x4")
PROBLEM = Problem(dataset="d", features=FEATURES, truth="x1 + x2", relevant=("x1", "x2"), surrogates=("x4",))


def runs(*used: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"features_used": pd.Series([json.dumps(sorted(names)) for names in used], dtype="str")})


@pytest.mark.parametrize(
    ("model", "s1", "s2"),
    [
        ("x1 + x2", 1, 1),
        ("x1", 1, 1),
        ("x1 + x3", 0.5, 0.5),
        ("x3*x4", 0, 0),
        ("x1 + x2 + x3 + x4", 0, 0.5),
        ("x1 + x3 - x3", 1, 1),
        ("x1 + 0*x3", 1, 1),
        ("x1*x3/x3", 1, 1),
        ("2.5", 1, np.nan),
        ("x3/x3", 1, np.nan),
        ("sin(x4) + x2*x2", 0.5, 0.5),
    ],
)
def test_relevant_features_by_hand(model: str, s1: float, s2: float) -> None:
    """r = {x1, x2}, i = {x3, x4}; features are those that the simplified model depends on."""
    used = list(simplify(parse(model, FEATURES)).features_used)
    np.testing.assert_equal(absence(runs(used), PROBLEM), [s1])
    np.testing.assert_equal(precision(runs(used), PROBLEM), [s2])


def test_surrogates_are_the_irrelevant_ones_of_local_optima() -> None:
    assert surrogate_absence(runs(["x1", "x3"], ["x4"]), PROBLEM).tolist() == [1, 0]


def test_without_irrelevant_features_there_is_no_score() -> None:
    problem = Problem(dataset="d", features=("x1",), relevant=("x1",))
    assert np.isnan(absence(runs(["x1"]), problem)).all()


def test_an_undecided_solution_counts_as_not_solved() -> None:
    table = pd.DataFrame({"solution": pd.array([True, False, None], dtype="boolean")})
    assert frequency(table, PROBLEM).tolist() == [1, 0, 0]


def test_direction_stands_beside_each_score() -> None:
    lower = {key for key, (_, direction) in SCORERS.items() if direction == "lower"}
    assert lower == {("noise_sensitivity", "ratio")}


@given(st.lists(st.sampled_from(FEATURES), unique=True))
def test_s1_is_a_share_and_ignores_order(used: list[str]) -> None:
    score = absence(runs(used), PROBLEM)[0]
    assert 0 <= score <= 1
    assert score == absence(runs(used[::-1]), PROBLEM)[0]
    assert (score == 1) == (not set(used) & {"x3", "x4"})
