"""Every dialect round-trips: a random tree as a tool prints it, read back, has the values that Python gives.

The values come from Python's own evaluation of a text that this file writes, never from our parser or evaluator.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.expressions import evaluate, parse, to_text

NAMES = ("a", "b", "c")
POINTS = {name: np.array([0.3, 1.7, -2.4, 5.5]) + k for k, name in enumerate(NAMES)}
UNARY = ("sin", "cos", "exp", "tanh", "abs")
BINARY = ("add", "sub", "mul", "div")
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
Tree = tuple


def leaves():
    numbers = st.integers(1, 40).map(lambda n: n / 8)
    return st.one_of(st.sampled_from(NAMES), numbers).map(lambda leaf: (leaf,))


def grow(children):
    unary = st.tuples(st.sampled_from(UNARY), children)
    return st.one_of(unary, st.tuples(st.sampled_from(BINARY), children, children))


def conditional(children):
    ite = st.tuples(st.just("ite"), children, children, children, children)  # a > b: c, else d
    return st.one_of(grow(children), ite)


TREES = st.recursive(leaves(), grow, max_leaves=12)
WITH_CONDITIONS = st.recursive(leaves(), conditional, max_leaves=12)


def positioned(name: str, style: str) -> str:
    return style.format(NAMES.index(name))


def written(tree: Tree, how: "Dialect") -> str:
    head, *rest = tree
    if not rest:
        return how.name(head) if isinstance(head, str) else how.number(head)
    return how.node(head, [written(part, how) for part in rest])


@dataclass
class Dialect:
    """How a tool writes names, numbers and operations."""

    node: Callable[[str, list[str]], str]
    name: Callable[[str], str] = str
    number: Callable[[float], str] = repr
    whole: Callable[[str], str] = str


def infix(name: str, parts: list[str]) -> str:
    if name in SIGNS:
        return f"({parts[0]} {SIGNS[name]} {parts[1]})"
    if name == "ite":
        return f"Piecewise(({parts[2]}, {parts[0]} > {parts[1]}), ({parts[3]}, True))"
    return f"{name}({parts[0]})"


def python(name: str, parts: list[str]) -> str:
    if name == "ite":
        return f"({parts[2]} if {parts[0]} > {parts[1]} else {parts[3]})"
    return infix(name, parts) if name in SIGNS or name == "abs" else f"math.{name}({parts[0]})"


def words(name: str, parts: list[str]) -> str:
    return f"({parts[0]} {name} {parts[1]})" if name in SIGNS else f"{name}({parts[0]})"


def brush(name: str, parts: list[str]) -> str:
    if name == "ite":
        return f"If({parts[0]}>{parts[1]},{parts[2]},{parts[3]})"
    calls = {"add": "Sum({},{})", "sub": "Sub({},{})", "mul": "Prod({},{})", "div": "({}/{})"}
    return calls[name].format(*parts) if name in calls else f"{name.title()}({parts[0]})"


def julia(name: str, parts: list[str]) -> str:
    if name == "ite":
        return f"ifelse({parts[0]} > {parts[1]}, {parts[2]}, {parts[3]})"
    return infix(name, parts)


def numpy(name: str, parts: list[str]) -> str:
    if name == "ite":
        return f"np.where({parts[0]} > {parts[1]}, {parts[2]}, {parts[3]})"
    return infix(name, parts) if name in SIGNS else f"np.{name}({parts[0]})"


def sympy_ite(name: str, parts: list[str]) -> str:
    return (
        f"ITE({parts[0]} > {parts[1]}, {parts[2]}, {parts[3]})"
        if name == "ite"
        else infix(name, parts)
    )


def function(body: str) -> str:
    return f"def law(a, b, c):\n    '''A law.'''\n    import math\n    value = {body}\n    return value\n"


def indexed(style: str) -> Callable[[str], str]:
    return lambda name: positioned(name, style)


DIALECTS = {
    "infix words": Dialect(words, indexed("x_{}")),
    "sympy": Dialect(infix),
    "ITE": Dialect(sympy_ite),
    "Python function": Dialect(python, whole=function),
    "Python expression": Dialect(python, whole=lambda text: text.replace("math.", "")),
    "numpy": Dialect(numpy),
    "Julia": Dialect(julia),
    "Brush": Dialect(brush, indexed("x_{}")),
}


def by_python(tree: Tree) -> list[float]:
    """Values at the points by Python's arithmetic, NaN where it refuses."""
    code = compile(written(tree, Dialect(python)), "<tree>", "eval")
    values = []
    for k in range(4):
        place = {name: float(POINTS[name][k]) for name in NAMES}
        try:
            values.append(float(eval(code, {"math": math, "abs": abs}, place)))  # our own text
        except (ArithmeticError, ValueError):
            values.append(math.nan)
    return values


def goes_round(tree: Tree, dialect: Dialect) -> None:
    text = dialect.whole(written(tree, dialect))
    model = parse(text, NAMES)
    assert parse(to_text(model), NAMES).tape == model.tape
    wanted = np.array(by_python(tree))
    got = evaluate(model, POINTS, 4)
    sure = np.isfinite(wanted) & (np.abs(wanted) < 1e100)
    np.testing.assert_allclose(got[sure], wanted[sure], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_dialect_goes_round(name, data):
    goes_round(data.draw(TREES if name == "infix words" else WITH_CONDITIONS), DIALECTS[name])
