"""The bridge to sympy, simplification and rounding."""

import sys
from contextlib import suppress
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.assessing.measure import Question, measure_model
from srlib.errors import ModelTextError, SrlibError
from srlib.expressions import evaluate, from_sympy, parse, simplify, to_sympy, to_text
from tests.builders import examples
from tests.expressions.cases import cells, each_row, trees

FEATURES = ["x", "y", "x1", "x3", "a", "b", "lambda", "E", "cell size"]
SIMPLIFIED = """
    x3/x3 + 0.99999*x1*x1/x1                  x1 + 1                               3
    div(x, 0.0001)                            1                                    1
    add(div(x, y), 0)                         gplearn_div(x, y)                    5
    add(sqrt(x), log(2.5))                    sqrt(abs(x)) + 0.916290731874155     6
    mul(inv(0.0), x)                          0                                    1
    `cell size`*`cell size`                   `cell size`**2                       3
    sqrt(x**2)                                abs(x)                               2
    sqrt(abs(x**3))                           abs(x)**(3/2)                        4
    sqrt(abs(x))*sqrt(abs(x*sqrt(abs(y))))    abs(x)*abs(y)**(1/4)                 7
    sin(abs(x)**(1/4)*abs(x)/x)               sin(abs(x)**(5/4)/x)                 9
    lambda + E - lambda                       E                                    1
    b + x/x - a*0                             b + 1                                3
    a - b                                     a - b                                5
    where(0.36*x < 0, exp(-0.36*x), 1)        Piecewise((exp(-0.36*x), x < 0), (1, True))  12
    0.5*x p/ y                                gomea_div(0.5*x, y)                  6
    factor_terms(2*x + 2*y)                   2*x + 2*y                            7
    I*I*x                                     -x                                   3
"""


@each_row("text simple nodes", SIMPLIFIED)
def test_simplified_text_has_the_form_counted_by_hand(text, simple, nodes):
    result, again = simplify(parse(text, FEATURES)), parse(simple, FEATURES)
    assert (result.text, result.expression, result.complexity) == (simple, again, int(nodes))
    assert set(result.features_used) == again.features


ROOT = "sqrt(exp((58 - 5.8*x)*(28.6 + 27.4*x)))"  # exp(1656), split off, would be inf
FAILURES = f"""
    1/(x - x)                   zoo, which is no real finite expression
    sqrt(-1)*x                  no real finite expression
    I*x                         no real finite expression
    9**9**9**9                  too large for exact arithmetic
    x*2**99999999               too large
    (1/3)**(10**9)              too large
    {ROOT} + 3e-17*{ROOT} - 1   beyond a float's range
    {"sin(" * 5000}x{")" * 5000}   nested too deeply for sympy
    (x**3000*y**3000 + x)/(x**2999*y**2999 + y*x**7)   or meets too large a polynomial
    mod(mod(x1, x1 - x1), 2)    sympy cannot compute the model .*Modulo by zero
"""


@pytest.mark.parametrize(("text", "sentence"), cells(FAILURES), ids=lambda text: text[:20])
def test_model_that_sympy_cannot_simplify_gets_a_sentence(text, sentence):
    with pytest.raises(SrlibError, match=sentence) as caught:
        simplify(parse(text, FEATURES), round_constants="never", work=10_000)
    assert isinstance(caught.value, ModelTextError) == ("real" in sentence)


@examples(100)
@given(trees(st.sampled_from(["x", "y", 1, 2, 0.5]), ["add", "mul", "div", "square"]))
def test_limit_of_polynomials_changes_nothing_where_it_ends_nothing(tree):
    with patch.object(sys.modules[simplify.__module__], "DENSE_LIMIT", 20), suppress(SrlibError):
        assert simplify(tree, work=10**6) == simplify(tree)


def test_error_of_sympy_is_a_sentence_in_all_counts():
    parts = {"size": {}, "count": {"apply_calls": (), "work": None}}
    for part, values in parts.items():
        with pytest.raises(SrlibError, match="sympy cannot compute the model .*Modulo by zero"):
            measure_model(Question(part, parse("mod(x1, 0)"), values))


@examples(150)
@given(trees(
    st.sampled_from(["x", "y", "cell size", -3, 1, 2, 4, 0.5, -1.25, 3.1]),
    ["add", "sub", "mul", "div", "neg", "sin", "exp", "square", "gplearn_div", "abs"],
))  # fmt: skip
def test_model_keeps_its_values_through_sympy(tree):
    try:
        back = from_sympy(to_sympy(tree))
    except ModelTextError:
        return
    points = np.array([[0.3, 1.7, -2.2], [1.1, -0.4, 2.6], [2.0, 3.0, 0.7]])
    columns = dict(zip(["x", "y", "cell size"], points, strict=True))
    before, after = evaluate(tree, columns, 3), evaluate(back, columns, 3)
    usable = np.isfinite(before) & (np.abs(before) < 1e6)
    np.testing.assert_allclose(after[usable], before[usable], rtol=1e-6, atol=1e-6)
    assert parse(to_text(back)) == back
