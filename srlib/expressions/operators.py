"""The one table of operators: a row an operator, with all that the project knows of it.

Printing, evaluation, counting, sympy, normal forms and the ballot read their column here; `srlib.expressions.spellings`
has the words that dialects use, `srlib.expressions.latex` the layout. Protected operators are operators of their own,
with the meaning that their library gives them; they are never read as the plain operator, and the plain one never as
them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

THRESHOLD = 0.001  # of a magnitude up to which gplearn protects


@dataclass(frozen=True, eq=False, slots=True)
class Operator:
    """One operator of a model: a row of the table.

    Parameters
    ----------
    name : str
        The canonical spelling; functions are printed as ``name(argument, ...)``.
    arity : int
        Number of arguments, 0 for named constants.
    numpy : callable
        (rows,) float64 arrays -> (rows,) array; complex and undefined results are NaN. Functions of
        `srlib.expressions.evaluate` stand in where numbers have many digits.
    sympy : str
        Name of sympy's function; empty where sympy gets the meaning or `srlib.expressions.sympy_trees` has a
        function.
    symbol : str
        The infix or prefix sign, empty for functions.
    precedence : int
        Binding strength of `symbol`; larger binds tighter.
    nodes : int
        What it adds to the count of the text; calls of sympy functions add nothing.
    parity : int
        1 for an even function, -1 for an odd one, 0 where it is neither or nobody needs to know.
    positive : bool
        Whether all of its values are positive.
    meaning : str
        The same in operators that every reader knows, of `a`, `b`; empty where every expert knows this one. Only
        operators without a meaning reach a ballot.
    plain : str
        What a protected operator protects; empty where it protects nothing.
    """

    name: str
    arity: int
    numpy: Callable[..., Any]
    sympy: str = ""
    symbol: str = ""
    precedence: int = 100
    nodes: int = 1
    parity: int = 0
    positive: bool = False
    meaning: str = ""
    plain: str = ""

    def __reduce__(self) -> tuple[Callable[[str], "Operator"], tuple[str]]:
        """Pickle by name: the table is the same on both sides."""
        return operator_named, (self.name,)

    def __repr__(self) -> str:
        """Show the canonical spelling."""
        return self.name


Item = Operator | str | int | float  # of a tape: a str is a feature's name, a number a constant


def operator_named(name: str) -> Operator:
    """Operator of that canonical name."""
    return OPERATORS[name]


def _library_function(name: str) -> Callable[[Any], Any]:
    """Return a function of numpy, else of scipy.special, which is slow to import and so taken when it is used."""
    if hasattr(np, name):
        return getattr(np, name)
    return lambda a: getattr(import_module("scipy.special"), name)(a)


def _truth(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Comparisons are numbers, 1 or 0, and NaN where a side is undefined."""

    def compare(a: Any, b: Any) -> np.ndarray:
        return np.where((a != a) | (b != b), np.nan, function(a, b))

    return compare


# functions of one argument: names of the operator, of numpy's or scipy's function and of sympy's; properties
_FUNCTIONS = """
    exp     exp      exp      positive
    log     log      log
    sqrt    sqrt     sqrt
    abs     abs      Abs      positive
    sign    sign     sign
    floor   floor    floor
    ceil    ceil     ceiling
    sin     sin      sin      odd
    cos     cos      cos      even
    tan     tan      tan      odd
    asin    arcsin   asin     odd
    acos    arccos   acos
    atan    arctan   atan     odd
    sinh    sinh     sinh     odd
    cosh    cosh     cosh     even positive
    tanh    tanh     tanh     odd
    asinh   arcsinh  asinh    odd
    acosh   arccosh  acosh
    atanh   arctanh  atanh    odd
    erf     erf      erf      odd
    erfc    erfc     erfc
    gamma   gamma    gamma
"""
# fmt: off
_TABLE = [
    # name, arity, numpy, sympy, symbol, precedence
    Operator("add", 2, np.add, "Add", "+", 50),
    Operator("sub", 2, np.subtract, "", "-", 50),
    Operator("mul", 2, np.multiply, "Mul", "*", 60),
    Operator("div", 2, np.divide, "", "/", 60),
    Operator("neg", 1, np.negative, "", "-", 70),
    Operator("pow", 2, lambda a, b: a**b, "Pow", "**", 80),
    Operator("lt", 2, _truth(np.less), "Lt", "<", 30),
    Operator("le", 2, _truth(np.less_equal), "Le", "<=", 30),
    Operator("gt", 2, _truth(np.greater), "Gt", ">", 30),
    Operator("ge", 2, _truth(np.greater_equal), "Ge", ">=", 30),
    Operator("eq", 2, _truth(np.equal), "Eq", "==", 30),
    Operator("ne", 2, _truth(np.not_equal), "Ne", "!=", 30),
    Operator("or", 2, _truth(lambda a, b: (a != 0) | (b != 0)), "Or", "|", 35),
    Operator("and", 2, _truth(lambda a, b: (a != 0) & (b != 0)), "And", "&", 40),
    Operator("not", 1, lambda a: np.where(a != a, np.nan, np.equal(a, 0)), "Not", "~", 70),
    Operator("pi", 0, lambda: np.float64(np.pi)),
    Operator("E", 0, lambda: np.float64(np.e)),
    Operator("imaginary", 0, lambda: np.float64(np.nan), meaning="sqrt(-1)"),
    Operator("log2", 1, np.log2),
    Operator("log10", 1, np.log10),
    Operator("log1p", 1, np.log1p, meaning="log(1 + a)"),
    Operator("expm1", 1, np.expm1, meaning="exp(a) - 1"),
    Operator("cbrt", 1, np.cbrt, parity=-1),
    Operator("square", 1, np.square, meaning="a**2"),
    Operator("cube", 1, lambda a: a * a * a, meaning="a**3"),
    Operator("inv", 1, lambda a: 1.0 / a, meaning="1/a"),
    Operator("round", 1, np.round, parity=-1),  # halves go to the even neighbour, as in Julia and Python
    Operator("mod", 2, np.mod, "Mod"),
    Operator("cot", 1, lambda a: 1.0 / np.tan(a), "cot", parity=-1),
    Operator("sec", 1, lambda a: 1.0 / np.cos(a), "sec", parity=1),
    Operator("csc", 1, lambda a: 1.0 / np.sin(a), "csc", parity=-1),
    Operator("atan2", 2, np.arctan2, "atan2"),
    Operator("sigmoid", 1, _library_function("expit"), meaning="1/(1 + exp(-a))"),
    Operator("gauss", 1, lambda a: np.exp(-a * a), meaning="exp(-a**2)"),
    Operator("max", 2, np.maximum, "Max"),
    Operator("min", 2, np.minimum, "Min"),
    # piecewise values: (value, condition, otherwise), and (value, condition) which is undefined elsewhere
    Operator("where", 3, lambda v, c, e: np.where(c != c, np.nan, np.where(c != 0, v, e))),
    Operator("only", 2, lambda v, c: np.where(c != 0, v, np.nan)),
    # PySR: y where x > 0, else 0
    Operator("cond", 2, lambda x, y: np.where(x > 0, y, 0.0), meaning="Piecewise((b, a > 0), (0, True))"),
    # analytic quotient (Ni, Drieberg, Rockett 2013)
    Operator("aq", 2, lambda a, b: a / np.sqrt(1.0 + b * b), meaning="a/sqrt(1 + b**2)"),
    Operator("sqrtabs", 1, lambda a: np.sqrt(np.abs(a)), meaning="sqrt(abs(a))"),
    # protected operators: opaque to sympy, which else makes a Piecewise of each
    Operator("gplearn_div", 2, lambda a, b: np.where(np.abs(b) > THRESHOLD, np.divide(a, b), 1.0),
        meaning="Piecewise((a/b, abs(b) > 0.001), (1, True))", plain="a/b"),
    Operator("gplearn_log", 1, lambda a: np.where(np.abs(a) > THRESHOLD, np.log(np.abs(a)), 0.0),
        meaning="Piecewise((log(abs(a)), abs(a) > 0.001), (0, True))", plain="log(abs(a))"),
    Operator("gplearn_inv", 1, lambda a: np.where(np.abs(a) > THRESHOLD, 1.0 / a, 0.0),
        meaning="Piecewise((1/a, abs(a) > 0.001), (0, True))", plain="1/a"),
    Operator("gomea_div", 2, lambda a, b: np.where(b < 0, -1.0, 1.0) * (a / np.abs(b + 1e-3)),
        meaning="Piecewise((-a, b < 0), (a, True))/abs(b + 0.001)", plain="a/b"),
    Operator("gomea_log", 1, lambda a: np.nan_to_num(np.log(np.abs(a)), nan=0.0, posinf=0.0, neginf=0.0),
        meaning="Piecewise((log(abs(a)), a != 0), (0, True))", plain="log(abs(a))"),
    Operator("deap_div", 2, lambda a, b: np.where(b != 0, np.divide(a, b), 1.0),
        meaning="Piecewise((a/b, b != 0), (1, True))", plain="a/b"),
]
# calls of sympy functions inside a model's text stand for their argument unless the rules carry them out
SYMPY_CALLS = (
    "factor_terms", "factor", "expand", "simplify", "together", "cancel", "collect_const", "radsimp",
    "powsimp", "trigsimp", "nsimplify", "logcombine", "ratsimp", "apart",
)
_TABLE += [Operator(name, 1, lambda a: a, nodes=0, meaning="a") for name in SYMPY_CALLS]
# fmt: on
for _line in _FUNCTIONS.strip().splitlines():
    _name, _numpy_name, _sympy_name, *_properties = _line.split()
    _TABLE.append(
        Operator(
            _name,
            1,
            _library_function(_numpy_name),
            _sympy_name,
            parity=("even" in _properties) - ("odd" in _properties),
            positive="positive" in _properties,
        )
    )

OPERATORS: dict[str, Operator] = {operator.name: operator for operator in _TABLE}
