"""Scores of dataset properties on models that a reader can count by hand."""

import numpy as np
import pandas as pd
import pytest

from srlib.expressions import parse, simplify
from srlib.judging.properties import (
    PROPERTY_SCORES,
    score_extrapolation,
    score_irrelevant_features,
    score_precision,
    score_solution,
)
from srlib.problems import Problem
from srlib.problems.problem import Data

FEATURES = ("x1", "x2", "x3", "x4")
PROBLEM = Problem(dataset="d", features=FEATURES, truth="x1 + x2", relevant=("x1", "x2"))
# model, S1 and S2 where r = {x1, x2}, i = {x3, x4}; a constant model has no S2
MODELS = """
x1 + x2; 1; 1
x1; 1; 1
x1 + x3; 0.5; 0.5
x3*x4; 0; 0
x1 + x2 + x3 + x4; 0; 0.5
x1 + x3 - x3; 1; 1
x1 + 0*x3; 1; 1
x1*x3/x3; 1; 1
2.5; 1; nan
x3/x3; 1; nan
sin(x4) + x2*x2; 0.5; 0.5
x3; 0.5; 0
(x1 + x4)**2 - x1**2 - 2*x1*x4 - x4**2; 1; nan
log(exp(x3)) + x1*x2; 0.5; 0.6666666666666666
"""


def test_every_score_of_a_property_is_worked_out_here():
    """Nearness is tested in tests/judging/test_rule_files.py; accuracy a second time is the column as it stands."""
    measures = {score.measure.__name__ for score in PROPERTY_SCORES.values() if score.measure}
    assert measures - globals().keys() == {"score_nearness", "score_test_accuracy"}


def using(features):
    return pd.DataFrame({"features_used": pd.Series([features], dtype=object)})


@pytest.mark.parametrize("line", MODELS.strip().splitlines())
def test_relevant_features_by_hand(line):
    """Features are those that the simplified model depends on."""
    model, s1, s2 = line.split("; ")
    features = simplify(parse(model, FEATURES)).features_used
    runs = using(features)
    np.testing.assert_equal(score_irrelevant_features(runs, PROBLEM), [float(s1)])
    np.testing.assert_equal(score_precision(runs, PROBLEM), [float(s2)])


def test_without_irrelevant_features_or_a_simplified_model_there_is_no_score():
    """A model that could not be simplified must not look as if it used no irrelevant feature."""
    all_relevant = Problem(dataset="d", features=("x1",), relevant=("x1",))
    assert np.isnan(score_irrelevant_features(using(("x1",)), all_relevant)).all()
    unknown = using(None)
    assert np.isnan(
        [score_irrelevant_features(unknown, PROBLEM), score_precision(unknown, PROBLEM)]
    ).all()


def test_an_undecided_solution_counts_as_not_solved():
    table = pd.DataFrame({"solution": pd.array([True, False, None], dtype="boolean")})
    assert score_solution(table, PROBLEM).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (Data(test="t.csv", extrapolation="e.csv"), -3.0),
        (Data(test="t.csv"), 0.9),
        (Data(generator="formula", arguments={"extrapolation": {"x1": ["uniform", 3, 4]}}), -3.0),
        (None, 0.9),
    ],
)
def test_extrapolation_is_the_r2_on_its_own_rows_and_on_test_rows_without_them(data, expected):
    table = pd.DataFrame({"r2_test": [0.9], "r2_extrapolation": [-3.0]})
    problem = PROBLEM.model_copy(update={"property": "extrapolation", "data": data})
    assert score_extrapolation(table, problem).tolist() == [expected]
