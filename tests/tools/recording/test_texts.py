"""Model texts reproduce the predictions of the estimators that they come from, or are refused by a step's name."""

import re

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Lasso, LinearRegression, OrthogonalMatchingPursuit, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PolynomialFeatures,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeRegressor

from srlib.expressions import evaluate, parse
from srlib.tools.recording import load_methods
from srlib.tools.recording.methods import build_estimator
from srlib.tools.recording.texts import check_steps, model_text, write_text

FEATURES = ("mass", "x2", "k_3")
DEMO = {method.name: method for method in load_methods("demo")}
SMALL = {
    **dict.fromkeys(("gplearn", "deap"), {"population_size": 50, "generations": 3}),
    "pyoperon": {"max_evaluations": 2000},
    "ffx": {"alphas": 50},
}
target = TransformedTargetRegressor
genetic = pytest.importorskip("gplearn.genetic")
learner = genetic.SymbolicRegressor(population_size=50, generations=3, function_set=("add", "mul"))
PIPELINES = {
    "scaler without mean": [PolynomialFeatures(2), StandardScaler(with_mean=False), Ridge()],
    "scaler without scale": [StandardScaler(with_std=False), PolynomialFeatures(3), Ridge()],
    "bias and all": [PolynomialFeatures(2), StandardScaler(), LinearRegression()],
    "scaled, then expanded": [StandardScaler(), PolynomialFeatures(3), LinearRegression()],
    "no expansion": [StandardScaler(), Lasso(0.01)],
    "expanded twice": [PolynomialFeatures(2), StandardScaler(), PolynomialFeatures(2), Ridge()],
    "chosen columns": [
        PolynomialFeatures(2), SelectKBest(f_regression, k=4), OrthogonalMatchingPursuit(),
    ],
    "chosen, then expanded": [
        PolynomialFeatures(2), SelectKBest(f_regression, k=4), PolynomialFeatures(2), Ridge(),
    ],
    "other scalers": [MinMaxScaler((-1, 3)), RobustScaler(with_scaling=False), MaxAbsScaler(), Ridge()],
    "nothing": ["passthrough", RobustScaler(with_centering=False), Ridge()],
    "target scaled": [StandardScaler(), target(Ridge(), transformer=MinMaxScaler())],
    "target of a function": [target(Ridge(), func=np.arcsinh, inverse_func=np.sinh)],
    "target as it is": [target(None)],
    "gplearn": [StandardScaler(), SelectKBest(f_regression, k=2), learner],
    "gplearn of a scaled target": [MaxAbsScaler(), target(learner, transformer=StandardScaler())],
}  # fmt: skip


def assert_equal(text, estimator, X, tolerance):
    """The text gives what the estimator predicts."""
    columns = dict(zip(FEATURES, X.T, strict=True))
    values = evaluate(parse(text, FEATURES, names="features"), columns, len(X))
    predictions = np.asarray(estimator.predict(X.copy()), float)
    np.testing.assert_allclose(values, predictions, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", DEMO)
def test_text_of_a_demo_method_gives_its_predictions(name, generator):
    method = DEMO[name]
    pytest.importorskip(method.package or re.split("[:.]", method.estimator)[0])
    method = method.model_copy(update={"parameters": method.parameters | SMALL.get(name, {})})
    X = generator.uniform(1, 3, (200, 3))
    y = 1.5 * X[:, 0] * X[:, 1] - X[:, 2] ** 2 / X[:, 0]
    estimator = build_estimator(method, FEATURES, seed=1).fit(X.copy(), y.copy())
    tolerance = 1e-4 if name == "pyoperon" else 1e-12  # it computes in single precision
    assert_equal(model_text(estimator, method, FEATURES), estimator, X, tolerance * np.ptp(y))


@pytest.mark.parametrize("name", PIPELINES)
def test_text_of_a_pipeline_gives_its_predictions(name, generator):
    X = generator.uniform(-2, 5, (80, 3)) * [1, 10, 0.1]
    y = X[:, 0] ** 2 - X[:, 1] * X[:, 2] + 3 + generator.normal(0, 0.1, 80)
    estimator = make_pipeline(*PIPELINES[name])
    check_steps(estimator)
    estimator.fit(X, y)
    assert_equal(write_text(estimator, FEATURES), estimator, X, 1e-9 * np.ptp(y))


REFUSED = {
    "step pca: PCA cannot be written": [PCA(2), LinearRegression()],
    "step minmaxscaler: MinMaxScaler cannot be written": [MinMaxScaler(clip=True), Ridge()],
    "step transformer: QuantileTransformer": [target(Ridge(), transformer=QuantileTransformer())],
    "inverse_func cannot": [target(Ridge(), func=np.log, inverse_func=lambda y: y)],
    "the last step is DecisionTreeRegressor": [StandardScaler(), DecisionTreeRegressor()],
}


@pytest.mark.parametrize("message", REFUSED)
def test_pipeline_without_a_text_is_refused_by_the_name_of_its_step(message):
    with pytest.raises(ValueError, match=message):
        check_steps(make_pipeline(*REFUSED[message]))
