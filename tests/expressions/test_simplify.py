"""The bridge to sympy, simplification and rounding."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.assessing.measure import count_tree, measure_size
from srlib.errors import ModelTextError, SrlibError
from srlib.expressions import (
    evaluate,
    from_sympy,
    parse,
    simplify,
    to_sympy,
    to_text,
)
from srlib.expressions.simplify import round_constant
from tests.expressions.strategies import trees


@pytest.mark.parametrize(
    ("text", "simple", "nodes"),
    [
        ("x3/x3 + 0.99999*x1*x1/x1", "x1 + 1", 3),
        ("div(x, 0.0001)", "1", 1),
        ("add(div(x, y), 0)", "gplearn_div(x, y)", 3),
        ("add(sqrt(x), log(2.5))", "sqrt(abs(x)) + 0.916290731874155", 6),
        ("mul(inv(0.0), x)", "0", 1),
        ("`cell size`*`cell size`", "`cell size`**2", 3),
        ("sqrt(x**2)", "abs(x)", 2),
        ("sqrt(abs(x**3))", "abs(x)**(3/2)", 4),
        ("sqrt(abs(x))*sqrt(abs(x*sqrt(abs(y))))", "abs(x)*abs(y)**(1/4)", 7),
        ("sin(abs(x)**(1/4)*abs(x)/x)", "sin(abs(x)**(5/4)/x)", 9),
        ("lambda + E - lambda", "E", 1),
        ("a - b", "a - b", 5),
        ("Piecewise((exp(-0.36*x), 0.36*x < 0), (1, True))", "Piecewise((exp(-0.36*x), x < 0), (1, True))",
         12),
        ("0.5*x p/ y", "gomea_div(0.5*x, y)", 5),
    ],
)  # fmt: skip
def test_by_hand(text, simple, nodes):
    result = simplify(parse(text))
    assert (result.text, result.complexity) == (simple, nodes)
    assert parse(result.text) == result.expression


def test_the_features_are_those_of_the_simplified_model():
    assert simplify(parse("b + x/x - a*0 + `cell size`")).features_used == ("b", "cell size")
    assert simplify(parse("2 + 3")).features_used == ()


@pytest.mark.parametrize(
    ("value", "options", "result"),
    [
        (1.23456, {}, 1.235),
        (0.0004, {}, 0.0004),
        (0.0004, {"zero_below": 1e-3}, 0),
        (0.0006, {"zero_below": 1e-3}, 0),
        (2.9996, {}, 3),
        (7, {}, 7),
        (0.156, {"decimals": 1}, 0.2),
    ],
)
def test_rounding_of_a_constant(value, options, result):
    assert round_constant(value, **options) == result


def test_calls_of_sympy_are_carried_out_only_when_the_rules_say():
    tree = parse("factor_terms(2*x + 2*y)")
    assert to_sympy(tree) == to_sympy(parse("2*x + 2*y"))
    assert str(to_sympy(tree, apply_calls=("factor_terms",))) == "2*(x + y)"


@pytest.mark.parametrize("text", ["1/(x - x)", "sqrt(-1)*x", "log(0) + x"])
def test_what_is_no_real_finite_model_is_an_error(text):
    with pytest.raises(ModelTextError) as caught:
        simplify(parse(text))
    assert caught.value.kind == "nonfinite"


@pytest.mark.parametrize("text", ["9**9**9**9", "x*2**99999999", "(1/3)**(10**9)"])
def test_numbers_too_large_for_sympy_are_a_clear_error(text):
    with pytest.raises(SrlibError, match="too large"):
        simplify(parse(text))


def test_a_model_too_deep_for_sympy_is_a_clear_error():
    with pytest.raises(SrlibError, match="too deeply"):
        simplify(parse("sin(" * 5000 + "x" + ")" * 5000))


_LEAVES = st.one_of(
    st.sampled_from(["x", "y", "cell size"]), st.integers(-4, 4), st.sampled_from([0.5, -1.25, 3.1])
)
_TEMPLATES = ["a+b", "a-b", "a*b", "a/b", "-a", "sin(a)", "exp(a)", "a**2", "div(a,b)", "abs(a)"]


def _grow(children):
    def build(template):
        root = template.tape[-1]
        if root.name == "pow":
            return children.map(lambda c: (*c, template.tape[1], root))
        return st.tuples(*[children] * root.arity).map(lambda c: (*sum(c, ()), root))

    return st.sampled_from([parse(text) for text in _TEMPLATES]).flatmap(build)


@settings(max_examples=150)
@given(trees(_LEAVES, _grow, 10))
def test_the_bridge_keeps_the_values(tree):
    try:
        back = from_sympy(to_sympy(tree))
    except ModelTextError:
        return
    columns = {
        "x": np.array([0.3, 1.7, -2.2]),
        "y": np.array([1.1, -0.4, 2.6]),
        "cell size": np.array([2.0, 3.0, 0.7]),
    }
    wanted, got = evaluate(tree, columns, 3), evaluate(back, columns, 3)
    ok = np.isfinite(wanted) & (np.abs(wanted) < 1e6)
    np.testing.assert_allclose(got[ok], wanted[ok], rtol=1e-6, atol=1e-6)
    assert parse(to_text(back)) == back


@pytest.mark.parametrize("text", ["mod(x1, 0)", "mod(mod(x1, x1 - x1), 2)"])
def test_what_sympy_stumbles_over_is_a_sentence(text):
    for measure in (measure_size, partial(count_tree, apply_calls=(), work=None)):
        with pytest.raises(SrlibError, match="sympy fails at it .*Modulo by zero"):
            measure(parse(text))


def test_a_constant_that_is_too_large_for_a_float_is_none_of_the_result():
    """exp(1656), split off a root, would be inf, and the model would have no value anywhere."""
    root = "sqrt(exp((58 - 5.8*x)*(28.6 + 27.4*x)))"
    with pytest.raises(SrlibError, match="beyond a float's range"):
        simplify(parse(f"{root} + 3e-17*{root} - 1"), round_constants="never", work=10_000)


def test_the_imaginary_unit_may_cancel():
    assert simplify(parse("I*I*x", ["x"])).text == "-x"
    with pytest.raises(ModelTextError, match="I"):
        simplify(parse("I*x", ["x"]))
