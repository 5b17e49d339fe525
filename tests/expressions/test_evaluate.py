"""Values of models on data, and R2."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import r2_score as sklearn_r2

from srlib.errors import InputError
from srlib.expressions import evaluate, parse, r2_score
from srlib.expressions.evaluate import MOST_CELLS
from tests.expressions.cases import cells

VALUES = """
    x**2 - 1                                  3     -1    0
    3                                         3     3     3
    pi - pi                                   0     0     0
    1/x                                       -0.5  inf   1
    -1/x                                      0.5   -inf  -1
    log(x)                                    nan   -inf  0
    x**0.5                                    nan   0     1
    exp(1000*x)                               0     1     inf
    asin(2*x)                                 nan   0     nan
    max(x, 0) - min(x, 0)                     2     0     1
    Piecewise((1, x < 0), (2, x > 0))         1     nan   2
    (x > 0) + (x >= 0) + (x == 0)             0     2     2
    cond(x, 5)                                0     0     5
    abs(x) + sign(x) + floor(x/2)             0     0     2
    I*x                                       nan   nan   nan
    I**2*x                                    nan   nan   nan
    sqrt(-x - 2)*sqrt(-x - 2)                 0     nan   nan
"""


@pytest.mark.parametrize(("text", "values"), [(row[0], row[1:]) for row in cells(VALUES)])
def test_text_has_the_values_counted_by_hand(text, values):
    result = evaluate(parse(text, ["x"]), {"x": np.array([-2.0, 0.0, 1.0])}, 3)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, np.array(values, dtype=float))


def test_feature_without_a_column_is_named():
    with pytest.raises(InputError, match="'z'"):
        evaluate(parse("x + z"), {"x": np.zeros(2)}, 2)


def test_deep_model_is_evaluated_in_bounded_memory():
    deep, x = parse("x+(" * 5000 + "x" + ")" * 5000), np.ones(2**13)
    tracemalloc.start()
    values = evaluate(deep, {"x": x}, len(x))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert set(values) == {5001.0}
    assert peak < 1.5 * 8 * MOST_CELLS < 5001 * x.nbytes


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=40))
def test_r2_equals_scikit_learn_and_is_nan_without_finite_predictions(pairs):
    y, prediction = np.array(pairs).T
    assert r2_score(y, prediction) == pytest.approx(sklearn_r2(y, prediction), rel=1e-12, abs=1e-12)
    for value in (np.inf, np.nan):
        prediction[1] = value
        assert np.isnan(r2_score(y, prediction))
