"""Dialects round-trip: a random tree as a tool prints it, read back, has the values that Python gives.

The values come from Python's own evaluation of a text that this file writes, never from our parser or evaluator.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.expressions import evaluate, parse, to_text

NAMES = ("a", "b", "c")
POINTS = {name: np.array([0.3, 1.7, -2.4, 5.5]) + k for k, name in enumerate(NAMES)}
UNARY = ("sin", "cos", "exp", "tanh", "abs")
INFIX = {"add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})", "div": "({} / {})"}
PYTHON = INFIX | {name: f"math.{name}({{}})" for name in UNARY[:4]} | {"abs": "abs({})"}
PYTHON["ite"] = "({2} if {0} > {1} else {3})"
CALLS = {name: f"{name}({{}})" for name in UNARY}
# templates by operation, of features' names, and of the whole
DIALECTS = {
    "infix words": ({n: f"({{}} {n} {{}})" for n in INFIX} | CALLS | {"ite": "ite({} > {}, {}, {})"}, "x_{}", "{}"),
    "sympy": (INFIX | CALLS | {"ite": "Piecewise(({2}, {0} > {1}), ({3}, True))"}, "", "{}"),
    "ITE": (INFIX | CALLS | {"ite": "ITE({} > {}, {}, {})"}, "x{}", "{}"),
    "Python function": (PYTHON, "", "def law(a, b, c):\n    '''A law.'''\n    v = {}\n    return v\n"),
    "numpy": (INFIX | {n: f"np.{n}({{}})" for n in UNARY} | {"ite": "np.where({} > {}, {}, {})"}, "x[:, {}]", "{}"),
    "Julia": (INFIX | CALLS | {"ite": "ifelse({} > {}, {}, {})"}, "", "{}"),
    "Brush": ({"add": "Sum({},{})", "sub": "Sub({},{})", "mul": "Prod({},{})", "div": "({}/{})"}
              | {n: f"{n.title()}({{}})" for n in UNARY} | {"ite": "If({}>{},{},{})"}, "x_{}", "{}"),
    "GPTIPS": ({"add": "plus({},{})", "sub": "minus({},{})", "mul": "times({},{})", "div": "rdivide({},{})"}
               | CALLS | {"ite": "where({}>{},{},{})"}, "x{}", "{}"),
    "srepr": ({"add": "Add({}, {})", "sub": "Add({}, Mul(Integer(-1), {}))", "mul": "Mul({}, {})",
               "div": "Mul({}, Pow({}, Integer(-1)))"} | CALLS
              | {"ite": "Piecewise(ExprCondPair({2}, StrictGreaterThan({0}, {1})), ExprCondPair({3}, true))"},
              "Symbol('x{}')", "{}"),
}  # fmt: skip


def grow(parts):
    return st.one_of(
        st.tuples(st.sampled_from(UNARY), parts),
        st.tuples(st.sampled_from(sorted(INFIX)), parts, parts),
        st.tuples(st.just("ite"), parts, parts, parts, parts),  # a > b: c, else d
    )


LEAVES = st.one_of(st.sampled_from(NAMES), st.integers(1, 40).map(lambda n: n / 8))
TREES = st.recursive(LEAVES.map(lambda leaf: (leaf,)), grow, max_leaves=12)


def written(tree, templates, name=""):
    head, *rest = tree
    if rest:
        return templates[head].format(*(written(part, templates, name) for part in rest))
    return name.format(NAMES.index(head)) if name and isinstance(head, str) else str(head)


def by_python(tree):
    """Values at the points by Python's arithmetic, NaN where it refuses."""
    code = compile(written(tree, PYTHON), "<tree>", "eval")
    values = []
    for k in range(4):
        place = {name: float(POINTS[name][k]) for name in NAMES}
        try:
            values.append(float(eval(code, {"math": math, "abs": abs}, place)))  # our own text
        except (ArithmeticError, ValueError):
            values.append(math.nan)
    return np.array(values)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=40, deadline=None)
@given(tree=TREES)
def test_a_dialect_goes_round(dialect, tree):
    templates, name, whole = DIALECTS[dialect]
    model = parse(whole.format(written(tree, templates, name)), NAMES)
    assert parse(to_text(model), NAMES).tape == model.tape
    wanted, got = by_python(tree), evaluate(model, POINTS, 4)
    sure = np.isfinite(wanted) & (np.abs(wanted) < 1e100)
    np.testing.assert_allclose(got[sure], wanted[sure], rtol=1e-9, atol=1e-12)
