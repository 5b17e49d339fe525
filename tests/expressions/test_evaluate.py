"""Values of models on data, and R2."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import r2_score as sklearn_r2

from srlib.errors import InputError
from srlib.expressions import evaluate, parse, r2_score
from srlib.expressions.evaluate import CELLS


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x**2 - 1", [3.0, -1.0, 0.0]),
        ("3", [3.0, 3.0, 3.0]),
        ("pi - pi", [0.0, 0.0, 0.0]),
        ("1/x", [-0.5, np.inf, 1.0]),
        ("-1/x", [0.5, -np.inf, -1.0]),
        ("log(x)", [np.nan, -np.inf, 0.0]),
        ("x**0.5", [np.nan, 0.0, 1.0]),
        ("exp(1000*x)", [0.0, 1.0, np.inf]),
        ("asin(2*x)", [np.nan, 0.0, np.nan]),
        ("max(x, 0) - min(x, 0)", [2.0, 0.0, 1.0]),
        ("Piecewise((1, x < 0), (2, x > 0))", [1.0, np.nan, 2.0]),
        ("(x > 0) + (x >= 0) + (x == 0)", [0.0, 2.0, 2.0]),
        ("cond(x, 5)", [0.0, 0.0, 5.0]),
        ("abs(x) + sign(x) + floor(x/2) + ceil(x/3)", [0.0, 0.0, 3.0]),
    ],
)
def test_values_by_hand(text, values):
    result = evaluate(
        parse(text), {"x": np.array([-2.0 if "asin" not in text else -1.0, 0.0, 1.0])}, 3
    )
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, values)


def test_a_missing_column_is_named():
    with pytest.raises(InputError, match="'z'"):
        evaluate(parse("x + z"), {"x": np.zeros(2)}, 2)


def test_memory_is_bounded_however_deep_the_model():
    deep, rows = parse("x+(" * 5000 + "x" + ")" * 5000), 2**15
    assert len(deep.tape) > 10_000
    x = np.ones(rows)
    tracemalloc.start()
    try:
        values = evaluate(deep, {"x": x}, rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(values, np.full(rows, 5001.0))
    assert peak < 1.5 * 8 * CELLS < 5001 * x.nbytes


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=40))
def test_r2_is_scikit_learn_s(pairs):
    y, prediction = (np.array(column) for column in zip(*pairs, strict=True))
    assert r2_score(y, prediction) == pytest.approx(sklearn_r2(y, prediction), rel=1e-12, abs=1e-12)


def test_r2_of_a_prediction_that_is_not_finite_is_nan():
    assert np.isnan(r2_score(np.arange(3.0), np.array([0.0, np.inf, 2.0])))
    assert np.isnan(r2_score(np.arange(3.0), np.array([0.0, np.nan, 2.0])))
