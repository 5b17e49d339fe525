"""The scorers as scikit-learn and loops over trials call them."""

from functools import partial
from typing import Any

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


class Memory(RegressorMixin, BaseEstimator):
    """Learns nothing and returns the text that it was told."""

    def __init__(self, text: str = "x0") -> None:
        self.text = text

    def fit(self, X: Any, y: Any) -> "Memory":
        self.model_ = self.text
        return self

    def predict(self, X: Any) -> Any:
        return srlib.parse(self.model_, [f"x{i}" for i in range(X.shape[1])]).predict(X)


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).uniform(1, 4, (30, 2))
    return X, X[:, 0] * X[:, 1]


def test_cross_validation_and_a_search(data) -> None:
    solves = partial(srlib.solution_rate, truth="x0*x1")
    assert cross_val_score(Memory("x0*x1 + 2"), *data, cv=3, scoring=solves).tolist() == [1, 1, 1]
    simple = cross_val_score(Memory("x0 + x0"), *data, cv=2, scoring=srlib.complexity_score)
    assert simple.tolist() == [srlib.complexity_score("2*x0")] * 2
    search = GridSearchCV(Memory(), {"text": ["x0", "x1*x0"]}, scoring=solves, cv=2).fit(*data)
    assert search.best_params_ == {"text": "x1*x0"}
    assert solves(search, *data) == 1


@pytest.mark.parametrize(
    "estimator",
    [
        LinearRegression(),
        make_pipeline(PolynomialFeatures(2, interaction_only=True), LinearRegression()),
        Lasso(alpha=1e-3),
    ],
    ids=["linear", "pipeline", "lasso"],
)
def test_estimators_of_scikit_learn(estimator, data) -> None:
    X = pd.DataFrame(data[0], columns=["k", "d"])
    fitted = estimator.fit(X, 2 * X["k"] + 1)
    rate = srlib.solution_rate(fitted, X, truth="2*k")
    assert rate == float(not isinstance(estimator, Lasso))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda X, y: srlib.complexity_score(DecisionTreeRegressor().fit(X, y), X),
            "text of its model",
        ),
        (lambda X, y: srlib.complexity_score(Memory().fit(X, y)), "needs X, too"),
        (lambda X, y: srlib.solution_rate("x0*(", X, truth="x0"), "position"),
        (lambda X, y: srlib.solution_rate("x0", X, truth="x0*("), r"position 4: 'x0\*\('"),
        (lambda X, y: srlib.solution_rate([], X, truth="x0"), "got none"),
    ],
)
def test_what_cannot_be_scored_is_one_sentence(call, said, data) -> None:
    with pytest.raises(srlib.SrlibError, match=said):
        call(*data)
