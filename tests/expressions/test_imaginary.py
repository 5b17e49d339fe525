"""The imaginary unit, and roots of negatives: real after all, or undefined."""

import numpy as np
import pytest

from srlib.errors import ModelTextError
from srlib.expressions import compare, evaluate, parse, simplify, to_text

COLUMNS = {"x": np.array([1.0, 4.0]), "y": np.array([4.0, 9.0])}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("I**2*x", [-1, -4]),
        ("-I*sqrt(-x)", [1, 2]),
        ("sqrt(-x)*sqrt(-y)", [-2, -6]),
        ("exp(I*pi)*x", [-1, -4]),
        ("log(-x) - log(-y)", [-np.log(4), -np.log(9 / 4)]),
        ("abs(3 + 4*I)*x", [5, 20]),
        # complex
        ("I*x", [np.nan, np.nan]),
        ("sqrt(-x) + y", [np.nan, np.nan]),
        # a row with a value on the way: real numbers alone, as the method itself would compute
        ("sqrt(x - 2)**2", [np.nan, 2]),
        # a comparison has no complex reading
        ("max(I*I, x)*sqrt(-x)", [np.nan, np.nan]),
    ],
)
def test_values(text, values):
    np.testing.assert_allclose(evaluate(parse(text, ["x", "y"]), COLUMNS, 2), values, rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "kind"),
    [("-I*sqrt(-x)*sqrt(x)", "identical"), ("I*x", "different"), ("I*I*x", "scale")],
)
def test_verdicts(model, kind):
    assert compare(parse("x", ["x"]), parse(model, ["x"]), {"x": (1, 5)}).kind == kind


def test_a_feature_of_that_name_is_the_feature():
    assert parse("I*x", ["I", "x"]).features == {"I", "x"}


def test_there_and_back():
    model = parse("2*I*x", ["x"])
    assert parse(to_text(model), ["x"]) == model
    assert simplify(parse("I*I*x", ["x"])).text == "-x"
    with pytest.raises(ModelTextError, match="I"):
        simplify(parse("I*x", ["x"]))
