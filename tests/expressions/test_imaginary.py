"""The imaginary unit: a name like any other where a feature has it, else undefined unless it cancels in sympy."""

import numpy as np
import pytest

from srlib.errors import ModelTextError
from srlib.expressions import compare, evaluate, parse, simplify, to_text


@pytest.mark.parametrize("text", ["I*x", "I**2*x", "sqrt(-x)*sqrt(-x)"])
def test_what_is_complex_on_the_way_is_undefined(text):
    model = parse(text, ["x"])
    assert np.isnan(evaluate(model, {"x": np.array([1.0, 4.0])}, 2)).all()
    assert compare(parse("x", ["x"]), model, {"x": (1, 5)}).kind == "different"


def test_a_feature_of_that_name_is_the_feature():
    assert parse("I*x", ["I", "x"]).features == {"I", "x"}


def test_there_and_back():
    model = parse("2*I*x", ["x"])
    assert parse(to_text(model), ["x"]) == model
    assert simplify(parse("I*I*x", ["x"])).text == "-x"
    with pytest.raises(ModelTextError, match="I"):
        simplify(parse("I*x", ["x"]))
