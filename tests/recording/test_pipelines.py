"""Pipelines of scalers, polynomial features and linear models are written exactly, or refused by the step's name."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Lasso, LinearRegression, OrthogonalMatchingPursuit, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from srlib.expressions import evaluate, parse
from srlib.recording.texts import check_steps, write_linear

FEATURES = ("mass", "x2", "k_3")
PIPELINES = {
    "scaler without mean": [PolynomialFeatures(2), StandardScaler(with_mean=False), Ridge()],
    "scaler without scale": [StandardScaler(with_std=False), PolynomialFeatures(3), Ridge()],
    "bias and all": [PolynomialFeatures(2), StandardScaler(), LinearRegression()],
    "scaled, then expanded": [StandardScaler(), PolynomialFeatures(3), LinearRegression()],
    "no expansion": [StandardScaler(), Lasso(0.01)],
    "expanded twice": [PolynomialFeatures(2), StandardScaler(), PolynomialFeatures(2), Ridge()],
    "interactions": [PolynomialFeatures(3, interaction_only=True), StandardScaler(), Ridge()],
    "chosen columns": [
        PolynomialFeatures(2), SelectKBest(f_regression, k=4), OrthogonalMatchingPursuit(),
    ],
    "a model alone": [LinearRegression()],
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
def test_the_text_predicts_what_the_pipeline_predicts(name, generator):
    X = generator.uniform(-2, 5, (80, 3)) * [1, 10, 0.1]
    y = X[:, 0] ** 2 - X[:, 1] * X[:, 2] + 3 + generator.normal(0, 0.1, 80)
    steps = PIPELINES[name]
    estimator = make_pipeline(*steps) if len(steps) > 1 else steps[0]
    check_steps(estimator)
    estimator.fit(X, y)
    text = write_linear(estimator, FEATURES)
    values = evaluate(
        parse(text, FEATURES, names="features"), dict(zip(FEATURES, X.T, strict=True)), len(X)
    )
    np.testing.assert_allclose(values, estimator.predict(X), rtol=0, atol=1e-9 * np.ptp(y))


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([PCA(2), LinearRegression()], "step pca: PCA cannot be written"),
        ([MinMaxScaler(), Ridge()], "step minmaxscaler: MinMaxScaler cannot be written"),
        ([StandardScaler(), DecisionTreeRegressor()], "the last step is DecisionTreeRegressor"),
    ],
)
def test_what_cannot_be_written_is_refused_before_fitting(steps, said):
    with pytest.raises(ValueError, match=said):
        check_steps(make_pipeline(*steps))
