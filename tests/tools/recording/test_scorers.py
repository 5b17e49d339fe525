"""The scorers as scikit-learn and loops over trials call them."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Lasso, LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeRegressor

import srlib
from tests.builders import each

X = np.random.default_rng(0).uniform(1, 4, (30, 2))
Y = X[:, 0] * X[:, 1]


class Memory(RegressorMixin, BaseEstimator):
    """Learns nothing and returns the text that it was told."""

    def __init__(self, text="x0"):
        self.text = text

    def fit(self, X, y):
        self.model_ = self.text
        return self

    def predict(self, X):
        return srlib.parse(self.model_, ["x0", "x1"]).predict(X)


def test_scorers_serve_cross_validation_and_a_search():
    solves = partial(srlib.solution_rate, truth="x0*x1")
    simple = cross_val_score(Memory("x0 + x0"), X, Y, cv=2, scoring=srlib.complexity_score)
    assert simple.tolist() == [srlib.complexity_score("2*x0")] * 2
    search = GridSearchCV(Memory(), {"text": ["x0", "x1*x0"]}, scoring=solves, cv=2).fit(X, Y)
    assert search.best_params_ == {"text": "x1*x0"}
    assert solves(search, X, Y) == 1


PRODUCTS = PolynomialFeatures(2, interaction_only=True)
RATES = {LinearRegression(): 1, make_pipeline(PRODUCTS, LinearRegression()): 1, Lasso(1e-3): 0}


@pytest.mark.parametrize("estimator", RATES, ids=["linear", "pipeline", "lasso"])
def test_estimator_of_scikit_learn_is_scored_by_its_formula(estimator):
    table = pd.DataFrame(X, columns=["k", "d"])
    estimator.fit(table, 2 * table["k"] + 1)
    assert srlib.solution_rate(estimator, table, truth="2*k") == RATES[estimator]


UNSCORED = {
    "text of its model": lambda: srlib.complexity_score(DecisionTreeRegressor().fit(X, Y), X),
    "needs X, too": lambda: srlib.complexity_score(Memory().fit(X, Y)),
    "position": lambda: srlib.solution_rate("x0*(", X, truth="x0"),
    r"position 4: 'x0\*\('": lambda: srlib.solution_rate("x0", X, truth="x0*("),
    "got none": lambda: srlib.solution_rate([], X, truth="x0"),
}


@pytest.mark.parametrize("sentence", UNSCORED)
def test_what_cannot_be_scored_is_named_in_one_sentence(sentence):
    with pytest.raises(srlib.SrlibError, match=sentence):
        UNSCORED[sentence]()


@pytest.mark.parametrize("form", [srlib.parse, np.array, pd.Index, iter])
def test_models_come_in_many_forms(form):
    model = form("2*a" if form is srlib.parse else ["2*a"])
    assert srlib.solution_rate(model, truth="2*a", domain={"a": (0, 1), "other": (0, 1)}) == 1


@each("model truth rate", "abs(x) | -x | 1\nabs(x) | x | 1\nabs(x) + x | x | 0")
def test_gaps_in_the_data_do_not_widen_the_domain(model, truth, rate):
    """|x| is -x on -3..-2, and also where a value is missing; x is that up to a scale."""
    table = pd.DataFrame({"x": [-3.0, np.nan, -2.0, np.inf], "unused": [1, 2, 3, 4]})
    assert srlib.solution_rate(model, table, truth=truth) == int(rate)
