"""Every older dialect round-trips, too, and none is left out: random trees as each tool prints them, read back.

The values come from `VALUES` and `Dialect.means`, Python's arithmetic on the tree itself; no parser takes part.
"""

import ast
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.expressions import evaluate, parse, to_text
from srlib.expressions.operators import OPERATORS
from srlib.expressions.reading import rewriting
from tests.expressions import test_dialects, test_more_dialects, test_round_trips

NAMES = ("a", "b", "c")
POINTS = {name: np.array([0.3, 1.7, -2.4, 5.5]) + k for k, name in enumerate(NAMES)}
NEAR = 0.001


def divided(a: float, b: float) -> float:
    """gplearn, functions.py, _protected_division; cuML, node.cuh."""
    return a / b if abs(b) > NEAR else 1.0


VALUES: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "abs": abs, "sin": math.sin, "cos": math.cos, "exp": math.exp, "tanh": math.tanh,
    "log": math.log, "sqrt": math.sqrt, "square": lambda a: a * a, "cube": lambda a: a * a * a, "inv": lambda a: 1 / a,
    "max": max, "min": min, "sqrtabs": lambda a: math.sqrt(abs(a)), "logabs": lambda a: math.log(abs(a)),
    "aq": lambda a, b: a / math.sqrt(1 + b * b), "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sigmoid": lambda a: 1 / (1 + math.exp(-a)), "gauss": lambda a: math.exp(-a * a),
    "positive": lambda a: max(a, 0.0), "step": lambda a: float(a > 0), "cond": lambda a, b: b if a > 0 else 0.0,
    "if": lambda a, b, c, d: c if a > b else d, "fdim": lambda a, b: max(a - b, 0.0), "euler": math.exp,
}  # fmt: skip
BINARY = frozenset({"add", "sub", "mul", "div", "max", "min", "aq", "cond", "fdim"})
GPLEARN = {
    "div": divided,
    "sqrt": lambda a: math.sqrt(abs(a)),
    "log": lambda a: math.log(abs(a)) if abs(a) > NEAR else 0.0,
    "inv": lambda a: 1 / a if abs(a) > NEAR else 0.0,
}
# GP-GOMEA, Operator folder: the divisor is moved off 0, log of the magnitude
GOMEA = {
    "div": lambda a, b: (-1.0 if b < 0 else 1.0) * (a / abs(b + 1e-3)),
    "log": lambda a: math.log(abs(a)) if a else 0.0,
    "sqrt": lambda a: math.sqrt(abs(a)),
}
INFIX = {"add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})", "div": "({} / {})"}
PREFIX = {"add": "add({}, {})", "sub": "sub({}, {})", "mul": "mul({}, {})", "div": "div({}, {})"}


def calls(*names: str, style: Callable[[str], str] = str) -> dict[str, str]:
    """Templates of calls of functions of one argument."""
    return {name: style(name) + "({})" for name in names}


@dataclass
class Dialect:
    """How a tool writes: a template by operation, names by position, numbers; and what it means by them."""

    templates: Mapping[str, str]
    name: str = "{}"  # of the feature: its name, or {i} from 0, {j} from 1
    number: Callable[[float], str] = repr
    whole: str = "{}"
    after: Callable[[float], float] = lambda value: value
    means: Mapping[str, Callable[..., float]] = field(default_factory=dict)
    names: str = "auto"


SYMPY = (
    INFIX
    | calls("sin", "cos", "exp", "log", "sqrt", "tanh")
    | {"abs": "Abs({})", "square": "({})**2"}
)
OLDER = {
    "Operon": Dialect(
        INFIX | calls("sin", "exp", "tanh") | {"square": "({} ^ 2)", "neg": "(-({}))"},
        "X{j}",
        names="x1",
    ),
    "gplearn": Dialect(
        PREFIX
        | calls("sqrt", "log", "inv", "neg", "abs", "sin", "cos")
        | {"max": "max({}, {})", "min": "min({}, {})"},
        "X{i}",
        lambda v: f"{v:.3f}",
        "add({}, 0.000)",
        means=GPLEARN,
    ),
    "DEAP": Dialect(
        {
            "add": "add({}, {})",
            "sub": "sub({}, {})",
            "mul": "mul({}, {})",
            "div": "protectedDiv({}, {})",
        }
        | calls("neg", "sin", "cos"),
        means={"div": lambda a, b: a / b if b else 1.0},
    ),
    "PySR": Dialect(
        INFIX
        | calls("square", "cube", "inv", "neg", "sin", "exp", "abs")
        | {
            "max": "max({}, {})",
            "min": "min({}, {})",
            "cond": "cond({}, {})",
            "positive": "relu({})",
        },
        "x{i}",
    ),
    "FFX": Dialect(INFIX | {"max": "max({},{})"}),
    "ITEA": Dialect(
        INFIX
        | calls("sin", "cos", "exp", "log", "tanh", style=str.title)
        | {"sqrtabs": "sqrtAbs({})"},
        "x{i}",
    ),
    "RILS-ROLS": Dialect(SYMPY, "x{i}"),
    "HROCH": Dialect(
        {"add": "({}+{})", "sub": "({}-({}))", "mul": "({}*{})", "div": "({}/({}))"}, "x{i}"
    ),
    "QLattice": Dialect(SYMPY),
    "uDSR": Dialect(SYMPY, "x{j}", names="x1"),
    "eql": Dialect(SYMPY),
    "E2ET": Dialect(
        {"add": "add({}, {})", "mul": "mul({}, {})"} | calls("inv", "abs", "sin", "sqrt", "log"),
        "x_{i}",
        whole="add({}, pow(x_0, 0))",
        after=lambda v: v + 1,
    ),
    "gpzgd": Dialect(
        INFIX | calls("sin", "cos", "exp", "tanh", style="np.{}".format),
        "X{i}",
        lambda v: f"{v:.21e}",
    ),
    "PS-Tree": Dialect(
        {
            "add": "Add({}, {})",
            "mul": "Mul({}, {})",
            "square": "Pow({}, Integer(2))",
            "sub": "Add({}, Mul(Integer(-1), {}))",
            "div": "Mul({}, Pow({}, Integer(-1)))",
            "abs": "Abs({})",
            "if": "Piecewise(ExprCondPair({2}, StrictGreaterThan({0}, {1})), ExprCondPair({3}, true))",
        }
        | calls("sin", "cos", "exp"),
        "Symbol('X{i}')",
        lambda v: f"Float('{v}', precision=53)",
    ),
    "GP-GOMEA": Dialect(
        {
            "add": "({}+{})",
            "sub": "({}-{})",
            "mul": "({}*{})",
            "div": "({} p/ {})",
            "log": "plog({})",
            "aq": "aq({},{})",
        }
        | calls("sin", "exp", "sqrt"),
        "x{i}",
        whole="({} + plog(1))",
        means=GOMEA,
    ),
    "AFP": Dialect(
        INFIX | calls("sin", "exp") | {"sqrtabs": "sqrt(|{}|)", "logabs": "log(|{}|)"}, "x_{i}"
    ),
    "EPLEX": Dialect(
        {n: t.replace(" ", "\r\n\t") for n, t in INFIX.items()} | {"sqrtabs": "sqrt(|{}|)"}, "x_{i}"
    ),
    "MRGP": Dialect(
        PREFIX | {"log": "mylog({})"} | calls("sin", "exp"),
        "X{i}",
        whole="0.5*add({}, mylog(1))",
        after=lambda v: 0.5 * v,
        means={"div": divided, "log": GOMEA["log"]},
    ),
    "BSR": Dialect(
        INFIX | calls("sin", "exp", "inv"),
        "x{i}",
        whole="[0.5*{}, 0.25, -1.5*x0*0]",
        after=lambda v: 0.5 * v + 0.25,
    ),
    "AI Feynman": Dialect(
        INFIX | {"asin": "arcsin({})", "acos": "arccos({})", "atan": "arctan({})"}, whole="{}*pi/pi"
    ),
    "FEAT": Dialect(
        {
            "add": "({}+{})",
            "sub": "({}-{})",
            "mul": "({}*{})",
            "square": "({}^2)",
            "cube": "({}^3)",
            "sigmoid": "logit({})",
            "gauss": "gauss({})",
            "sqrtabs": "sqrt(|{}|)",
            "positive": "relu({})",
            "if": "if-then-else({0} > {1},{2},{3})",
        }
        | calls("sin", "exp", "tanh"),
        "x_{i}",
    ),
    "TIR": Dialect(
        {"add": "({} + {})", "mul": "(({})({}))", "square": "({}^2)"}
        | calls("sin", "exp", style=str.title),
        "x_{i}",
    ),
    "Bingo": Dialect(
        {
            "add": "({} + {})",
            "sub": "({} - ({}))",
            "mul": "({})({})",
            "div": "(({})/({}))",
            "square": "(({})^(2))",
        }
        | calls("sin", "exp"),
        "X_{i}",
    ),
    "eggp": Dialect(INFIX | {"square": "({} ^ 2)"} | calls("sin", "log"), "x[:, {i}]"),
    "2023": Dialect(
        SYMPY | {"euler": "E^({})", "if": "Piecewise(({2}, {0} > {1}), ({3}, True))"},
        "x{i}",
        whole="factor_terms({})",
    ),
    # of 2023 to 2026, beside those of test_round_trips
    "cuML": Dialect(
        {n: t.replace("(", "( ") for n, t in PREFIX.items()}
        | {"mul": "mult( {} , {} ) ", "fdim": "fdim( {} , {} ) "}
        | calls("sqrt", "log", "inv", "exp", style="{} ".format),
        "X{i}",
        lambda v: f"{v:f}",
        "( add( fdim( 0.0 , 1.0 ) , {} ) ) ",
        means=GPLEARN,
    ),
    "Brush, called": Dialect(
        {
            "add": "Add({},{})",
            "sub": "Sub({},{})",
            "mul": "Mul({},{})",
            "div": "Div({},{})",
            "sqrtabs": "Sqrtabs({})",
            "logabs": "Logabs({})",
            "sigmoid": "Logistic({})",
        }
        | calls("sin", "sqrt", "log", "square", style=str.title),
        "x_{i}",
        whole="0.50*Sum(1.50,{})",
        after=lambda v: 0.5 * (1.5 + v),
    ),
    "Eureqa": Dialect(
        INFIX | calls("step", "gauss", "sin") | {"sigmoid": "logistic({})", "square": "({}^2)"},
        whole="y = {}",
    ),
    "HeuristicLab": Dialect(
        INFIX | calls("sin", "exp", "log", "tanh", style=str.upper) | {"aq": "AQ({}, {})"}, "'{}'"
    ),
    "GPTIPS": Dialect(
        {
            "add": "plus({},{})",
            "sub": "minus({},{})",
            "mul": "times({},{})",
            "div": "rdivide({},{})",
        }
        | calls("sin", "exp"),
        "x{j}",
        names="x1",
    ),
    "MATLAB": Dialect(
        {"add": "({} + {})", "mul": "({} .* {})", "div": "({} ./ {})", "square": "({}).^2"}
        | calls("sin"),
        whole="{};",
    ),
    "Julia, dotted": Dialect(
        {"add": "({} .+ {})", "mul": "({} .* {})", "square": "({}).^2"}
        | calls("sin", "exp", style="{}.".format)
    ),
    "Mathematica": Dialect(
        INFIX
        | {
            "sin": "Sin[{}]",
            "exp": "Exp[{}]",
            "square": "Power[{}, 2]",
            "euler": "E^({})",
            "if": "If[{} > {}, {}, {}]",
        }
    ),
    "by hand": Dialect(
        INFIX | {"euler": "e^({})", "square": "({})²"} | calls("sin"), whole="y = {}."
    ),
    "PySINDy, discrete": Dialect(
        INFIX | {"square": "({})^2"},
        "x{i}[k]",
        whole="(x0)[k+1] = 2.0 {} + 0.500 1",
        after=lambda v: 2 * v + 0.5,
    ),
}


@st.composite
def trees(draw: Callable, dialect: Dialect, depth: int = 4) -> tuple:
    """Random trees of what a dialect can write."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return (draw(st.one_of(st.sampled_from(NAMES), st.integers(1, 40).map(lambda n: n / 8))),)
    head = draw(st.sampled_from(sorted(dialect.templates)))
    arity = 4 if head == "if" else 2 if head in BINARY else 1
    return (head, *(draw(trees(dialect, depth - 1)) for _ in range(arity)))


def written(tree: tuple, dialect: Dialect) -> str:
    head, *rest = tree
    if rest:
        return dialect.templates[head].format(*(written(part, dialect) for part in rest))
    if isinstance(head, str):
        i = NAMES.index(head)
        return dialect.name.format(head, i=i, j=i + 1)
    return dialect.number(head)


def value(tree: tuple, dialect: Dialect, k: int) -> float:
    head, *rest = tree
    if rest:
        return (dialect.means.get(head) or VALUES[head])(
            *(value(part, dialect, k) for part in rest)
        )
    return float(POINTS[head][k]) if isinstance(head, str) else head


def values(tree: tuple, dialect: Dialect) -> np.ndarray:
    """Values at the points, NaN where Python refuses."""
    result = np.full(4, math.nan)
    for k in range(4):
        try:
            result[k] = dialect.after(value(tree, dialect, k))
        except (ArithmeticError, ValueError):
            continue
    return result


@pytest.mark.parametrize("name", OLDER)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_an_older_dialect_goes_round(name, data):
    dialect = OLDER[name]
    tree = data.draw(trees(dialect))
    text = dialect.whole.format(written(tree, dialect))
    model = parse(text, NAMES, names=dialect.names)
    assert parse(to_text(model), NAMES).tape == model.tape
    wanted, got = values(tree, dialect), evaluate(model, POINTS, 4)
    sure = np.isfinite(wanted) & (np.abs(wanted) < 1e100)
    np.testing.assert_allclose(got[sure], wanted[sure], rtol=1e-9, atol=1e-12, err_msg=text)


def test_no_dialect_of_the_tables_is_without_a_fuzz():
    """A row under a new source in test_dialects needs an entry above, or names the general form it is of."""
    general = {  # not of one tool: in the others' texts all the same
        "adjacency binds like a product", "logarithm to a base", "unary plus", "signs in a row", "power from the right",
        "power of a negative number", "minus before a power", "more than two",
    }  # fmt: skip
    sources = {row[0].split(",")[0] for row in test_dialects.ROWS} - general
    assert sources <= set(OLDER) | set(test_round_trips.CONDITIONAL)
    assert len(test_more_dialects.ROWS) > 60


def test_no_way_of_reading_is_without_a_fuzz():
    """What `rewritten` tries, and the words by dialect of the operators, each with the fuzzed dialects that take it."""
    ways = {"from_python", "from_latex", "_from_prefix", "_from_template", "mended"}
    tree = ast.parse(inspect.getsource(rewriting.rewritten))
    assert {
        node.value.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Return)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
    } == ways
    spelled = {dialect for operator in OPERATORS.values() for dialect in operator.spelling}
    assert spelled == {"calls", "infix", "gplearn", "gomea"}
    patterns = {name for name in vars(rewriting) if name.isupper()}
    assert patterns == {
        "LONGEST", "FUNCTIONS", "SEVERAL", "_PYTHON", "_FENCE", "_LATEX", "_MATHEMATICA", "_SWAPPED", "_PREFIX",
        "_PLAIN", "_SINDY", "_BESIDE", "_TEMPLATE", "_EQUATION", "_ROUND",
    }  # fmt: skip
