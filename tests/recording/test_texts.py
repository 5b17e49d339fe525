"""Model texts reproduce the predictions of the estimators that they come from."""

import re

import numpy as np
import pytest

from srlib.expressions import evaluate, parse
from srlib.recording import load_methods
from srlib.recording.methods import build
from srlib.recording.texts import model_text

FEATURES = ("x1", "beta", "x10")
SMALL = {
    "gplearn": {"population_size": 50, "generations": 3},
    "pyoperon": {"max_evaluations": 2000},
    "ffx": {"alphas": 50},
    "deap": {"population_size": 50, "generations": 3},
}


@pytest.mark.parametrize("name", [method.name for method in load_methods("demo")])
def test_the_text_gives_the_predictions(name, generator):
    method = next(m for m in load_methods("demo") if m.name == name)
    pytest.importorskip(method.package or re.split("[:.]", method.estimator)[0])
    method = method.model_copy(update={"parameters": method.parameters | SMALL.get(name, {})})
    X = generator.uniform(1, 3, (200, 3))
    y = 1.5 * X[:, 0] * X[:, 1] - X[:, 2] ** 2 / X[:, 0]
    estimator = build(method, FEATURES, seed=1).fit(X.copy(), y.copy())
    prediction = np.asarray(estimator.predict(X.copy()), dtype=float)
    expression = parse(model_text(estimator, method, FEATURES), FEATURES, names="features")
    text = evaluate(expression, dict(zip(FEATURES, X.T, strict=True)), len(X))
    single = name == "pyoperon"  # it computes in single precision
    np.testing.assert_allclose(
        text, prediction, rtol=0, atol=(1e-4 if single else 1e-12) * np.ptp(y)
    )
