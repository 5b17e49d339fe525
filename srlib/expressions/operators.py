"""The one table of operators: a row an operator, with all that the project knows of it.

Printing, evaluation, counting, sympy, normal forms, LaTeX and the ballot read their column here;
`srlib.expressions.spellings` has the words that dialects use. Protected operators are operators of their own, with the
meaning that their library gives them; they are never read as the plain operator, and the plain one never as them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

CONDITION_PRECEDENCE = 40  # comparisons and their junctions bind less tightly than arithmetic
THRESHOLD = 0.001  # of a magnitude up to which gplearn protects


@dataclass(frozen=True, eq=False, slots=True)
class Operator:
    r"""One operator of a model: a row of the table.

    Parameters
    ----------
    name : str
        The canonical spelling; functions are printed as ``name(argument, ...)``.
    arity : int
        Number of arguments, 0 for named constants.
    numpy : callable
        (rows,) float64 arrays -> (rows,) array; complex and undefined results are NaN. It takes arrays of mpmath's
        numbers, too, unless `srlib.expressions.evaluate.PRECISE` has a function for these.
    sympy : callable or None
        ``(sympy module, *sympy arguments) -> sympy object``; None makes it an opaque function of sympy, which
        needs `rewrite`.
    rewrite : callable or None
        Of an opaque operator: ``(its class in sympy, *sympy arguments)`` -> what sympy puts in the place of the call,
        or None where the call stays as it is. The class has `one` and `float`, which makes a sympy number.
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
    conditions : bool
        Whether arguments may be conditions; elsewhere these become 1 or 0.
    latex : str
        Template with ``{0}``, ``{1}``; empty means ``\operatorname{name}(...)``, or that `to_latex` lays it out.
    meaning : str
        The same in operators that every reader knows, of `a`, `b`; empty where every expert knows this one. Only
        operators without a meaning reach a ballot.
    plain : str
        What a protected operator protects; empty where it protects nothing.
    """

    name: str
    arity: int
    numpy: Callable[..., Any]
    sympy: Callable[..., Any] | None = None
    rewrite: Callable[..., Any] | None = None
    symbol: str = ""
    precedence: int = 100
    nodes: int = 1
    parity: int = 0
    positive: bool = False
    conditions: bool = False
    latex: str = ""
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


def _special(name: str) -> Callable[[Any], Any]:
    """Take a function of scipy.special, which is slow to import, when it is first used."""
    return lambda a: getattr(import_module("scipy.special"), name)(a)


def _sympy(name: str) -> Callable[..., Any]:
    """Call the function of sympy that has this name."""
    return lambda s, *arguments: getattr(s, name)(*arguments)


def _truth(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Comparisons are numbers, 1 or 0, and NaN where a side is undefined."""

    def compare(a: Any, b: Any) -> np.ndarray:
        return np.where((a != a) | (b != b), np.nan, function(a, b).astype(float))

    return compare


def _logical(s: Any, value: Any) -> Any:
    """Read a sympy number as a condition: true where it is not 0."""
    if value in (s.true, s.false) or value.is_Boolean or value.is_Relational:
        return value
    return s.Ne(value, 0)


def _gplearn_div(a: Any, b: Any) -> np.ndarray:
    return np.where(np.abs(b) > THRESHOLD, np.divide(a, b), 1.0)


def _gplearn_log(a: Any) -> np.ndarray:
    return np.where(np.abs(a) > THRESHOLD, np.log(np.abs(a)), 0.0)


def _gplearn_inv(a: Any) -> np.ndarray:
    return np.where(np.abs(a) > THRESHOLD, 1.0 / a, 0.0)


def _gomea_div(a: Any, b: Any) -> np.ndarray:
    return np.where(b < 0, -1.0, 1.0) * (a / np.abs(b + 1e-3))


def _gomea_log(a: Any) -> np.ndarray:
    return np.nan_to_num(np.log(np.abs(a)), nan=0.0, posinf=0.0, neginf=0.0)


def _is_number(argument: Any) -> bool:
    return bool(argument.is_number and argument.is_real and argument.is_finite)


def _value_of_number(function: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Rewrite a call whose argument is a number: as its value, where that is finite."""

    def rewrite(cls: Any, argument: Any) -> Any:
        if not _is_number(argument):
            return None
        with np.errstate(all="ignore"):
            value = float(function(np.float64(float(argument))))
        return cls.float(value) if np.isfinite(value) else None

    return rewrite


def _plain_division(divides: Callable[[float], bool]) -> Callable[..., Any]:
    """Rewrite a division that gives 1 unless ``divides(divisor)``: of equals, or by a number."""

    def rewrite(cls: Any, a: Any, b: Any) -> Any:
        if a == b:
            return cls.one
        if not _is_number(b):
            return None
        return a / b if divides(float(b)) else cls.one

    return rewrite


def _gomea_product(cls: Any, a: Any, b: Any) -> Any:
    """Rewrite GP-GOMEA's division by a number: as a product."""
    factor = _value_of_number(partial(_gomea_div, 1.0))(cls, b)
    return None if factor is None else a * factor


def _head(word: str, arguments: str = "{0}") -> str:
    return rf"\{word}\left({arguments}\right)"


_comparison = partial(Operator, precedence=30)
_condition = partial(Operator, conditions=True)

# fmt: off
_TABLE = [
    Operator("add", 2, np.add, lambda s, a, b: a + b, symbol="+", precedence=50),
    Operator("sub", 2, np.subtract, lambda s, a, b: a - b, symbol="-", precedence=50),
    Operator("mul", 2, np.multiply, lambda s, a, b: a * b, symbol="*", precedence=60),
    Operator("div", 2, np.divide, lambda s, a, b: a / b, symbol="/", precedence=60,
        latex=r"\frac{{{0}}}{{{1}}}"),
    Operator("neg", 1, np.negative, lambda s, a: -a, symbol="-", precedence=70),
    Operator("pow", 2, lambda a, b: a**b, lambda s, a, b: a**b, symbol="**", precedence=80),
    _comparison("lt", 2, _truth(np.less), lambda s, a, b: a < b, symbol="<", latex="{0} < {1}"),
    _comparison("le", 2, _truth(np.less_equal), lambda s, a, b: a <= b, symbol="<=", latex=r"{0} \le {1}"),
    _comparison("gt", 2, _truth(np.greater), lambda s, a, b: a > b, symbol=">", latex="{0} > {1}"),
    _comparison("ge", 2, _truth(np.greater_equal), lambda s, a, b: a >= b, symbol=">=", latex=r"{0} \ge {1}"),
    _comparison("eq", 2, _truth(np.equal), _sympy("Eq"), symbol="==", latex="{0} = {1}"),
    _comparison("ne", 2, _truth(np.not_equal), _sympy("Ne"), symbol="!=", latex=r"{0} \ne {1}"),
    _condition("or", 2, _truth(lambda a, b: (a != 0) | (b != 0)),
        lambda s, a, b: s.Or(_logical(s, a), _logical(s, b)), symbol="|", precedence=35, latex=r"{0} \vee {1}"),
    _condition("and", 2, _truth(lambda a, b: (a != 0) & (b != 0)),
        lambda s, a, b: s.And(_logical(s, a), _logical(s, b)), symbol="&", precedence=CONDITION_PRECEDENCE,
        latex=r"{0} \wedge {1}"),
    _condition("not", 1, lambda a: np.where(a != a, np.nan, np.equal(a, 0).astype(float)),
        lambda s, a: s.Not(_logical(s, a)), symbol="~", precedence=70, latex=r"\neg {0}"),
    Operator("pi", 0, lambda: np.pi, lambda s: s.pi, latex=r"\pi"),
    Operator("E", 0, lambda: np.e, lambda s: s.E, latex="e"),
    Operator("imaginary", 0, lambda: np.nan, lambda s: s.I, latex="i", meaning="sqrt(-1)"),
    Operator("exp", 1, np.exp, _sympy("exp"), positive=True, latex=_head("exp")),
    Operator("log", 1, np.log, _sympy("log"), latex=_head("log")),
    Operator("log2", 1, np.log2, lambda s, a: s.log(a, 2)),
    Operator("log10", 1, np.log10, lambda s, a: s.log(a, 10)),
    Operator("log1p", 1, np.log1p, lambda s, a: s.log(1 + a), meaning="log(1 + a)"),
    Operator("expm1", 1, np.expm1, lambda s, a: s.exp(a) - 1, meaning="exp(a) - 1"),
    Operator("sqrt", 1, np.sqrt, _sympy("sqrt"), latex=r"\sqrt{{{0}}}"),
    Operator("cbrt", 1, np.cbrt, lambda s, a: s.sign(a) * s.Abs(a) ** s.Rational(1, 3), parity=-1,
        latex=r"\sqrt[3]{{{0}}}"),
    Operator("square", 1, np.square, lambda s, a: a**2, meaning="a**2"),
    Operator("cube", 1, lambda a: a * a * a, lambda s, a: a**3, meaning="a**3"),
    Operator("inv", 1, lambda a: 1.0 / a, lambda s, a: 1 / a, latex=r"\frac{{1}}{{{0}}}", meaning="1/a"),
    Operator("abs", 1, np.abs, _sympy("Abs"), positive=True, latex=r"\left|{0}\right|"),
    Operator("sign", 1, np.sign, _sympy("sign")),
    Operator("floor", 1, np.floor, _sympy("floor"), latex=r"\lfloor {0}\rfloor"),
    Operator("ceil", 1, np.ceil, _sympy("ceiling"), latex=r"\lceil {0}\rceil"),
    # halves go to the even neighbour, as in Julia and Python; sympy has no such function
    Operator("round", 1, np.round, lambda s, a: s.Function("round", real=True)(a), parity=-1),
    Operator("mod", 2, np.mod, _sympy("Mod")),
    Operator("sin", 1, np.sin, _sympy("sin"), parity=-1, latex=_head("sin")),
    Operator("cos", 1, np.cos, _sympy("cos"), parity=1, latex=_head("cos")),
    Operator("tan", 1, np.tan, _sympy("tan"), parity=-1, latex=_head("tan")),
    Operator("cot", 1, lambda a: 1.0 / np.tan(a), _sympy("cot"), parity=-1, latex=_head("cot")),
    Operator("sec", 1, lambda a: 1.0 / np.cos(a), _sympy("sec"), parity=1, latex=_head("sec")),
    Operator("csc", 1, lambda a: 1.0 / np.sin(a), _sympy("csc"), parity=-1, latex=_head("csc")),
    Operator("asin", 1, np.arcsin, _sympy("asin"), parity=-1, latex=_head("arcsin")),
    Operator("acos", 1, np.arccos, _sympy("acos"), latex=_head("arccos")),
    Operator("atan", 1, np.arctan, _sympy("atan"), parity=-1, latex=_head("arctan")),
    Operator("atan2", 2, np.arctan2, _sympy("atan2")),
    Operator("sinh", 1, np.sinh, _sympy("sinh"), parity=-1, latex=_head("sinh")),
    Operator("cosh", 1, np.cosh, _sympy("cosh"), parity=1, positive=True, latex=_head("cosh")),
    Operator("tanh", 1, np.tanh, _sympy("tanh"), parity=-1, latex=_head("tanh")),
    Operator("asinh", 1, np.arcsinh, _sympy("asinh"), parity=-1),
    Operator("acosh", 1, np.arccosh, _sympy("acosh")),
    Operator("atanh", 1, np.arctanh, _sympy("atanh"), parity=-1),
    Operator("erf", 1, _special("erf"), _sympy("erf"), parity=-1),
    Operator("erfc", 1, _special("erfc"), _sympy("erfc")),
    Operator("gamma", 1, _special("gamma"), _sympy("gamma")),
    Operator("sigmoid", 1, _special("expit"), lambda s, a: 1 / (1 + s.exp(-a)), meaning="1/(1 + exp(-a))"),
    Operator("gauss", 1, lambda a: np.exp(-a * a), lambda s, a: s.exp(-(a**2)), meaning="exp(-a**2)"),
    Operator("max", 2, np.maximum, _sympy("Max"), latex=_head("max", "{0}, {1}")),
    Operator("min", 2, np.minimum, _sympy("Min"), latex=_head("min", "{0}, {1}")),
    # piecewise values: (value, condition, otherwise), and (value, condition) which is undefined elsewhere
    _condition("where", 3, lambda v, c, e: np.where(c != c, np.nan, np.where(c != 0, v, e)),
        lambda s, v, c, e: s.Piecewise((v, _logical(s, c)), (e, True)),
        latex=r"\begin{{cases}} {0} & \text{{if }} {1} \\ {2} & \text{{otherwise}} \end{{cases}}"),
    _condition("only", 2, lambda v, c: np.where(c != 0, v, np.nan), lambda s, v, c: s.Piecewise((v, _logical(s, c))),
        latex=r"\begin{{cases}} {0} & \text{{if }} {1} \end{{cases}}"),
    # PySR: y where x > 0, else 0
    Operator("cond", 2, lambda x, y: np.where(x > 0, y, 0.0), lambda s, x, y: s.Piecewise((y, x > 0), (0, True)),
        meaning="Piecewise((b, a > 0), (0, True))"),
    # analytic quotient (Ni, Drieberg, Rockett 2013)
    Operator("aq", 2, lambda a, b: a / np.sqrt(1.0 + b * b), lambda s, a, b: a / s.sqrt(1 + b**2),
        meaning="a/sqrt(1 + b**2)"),
    Operator("sqrtabs", 1, lambda a: np.sqrt(np.abs(a)), lambda s, a: s.sqrt(s.Abs(a)), meaning="sqrt(abs(a))"),
    # protected operators: opaque to sympy, which else makes a Piecewise of each
    Operator("gplearn_div", 2, _gplearn_div, rewrite=_plain_division(lambda b: abs(b) > THRESHOLD),
        meaning="Piecewise((a/b, abs(b) > 0.001), (1, True))", plain="a/b"),
    Operator("gplearn_log", 1, _gplearn_log, rewrite=_value_of_number(_gplearn_log),
        meaning="Piecewise((log(abs(a)), abs(a) > 0.001), (0, True))", plain="log(abs(a))"),
    Operator("gplearn_inv", 1, _gplearn_inv, rewrite=_value_of_number(_gplearn_inv),
        meaning="Piecewise((1/a, abs(a) > 0.001), (0, True))", plain="1/a"),
    Operator("gomea_div", 2, _gomea_div, rewrite=_gomea_product,
        meaning="Piecewise((-a, b < 0), (a, True))/abs(b + 0.001)", plain="a/b"),
    Operator("gomea_log", 1, _gomea_log, rewrite=_value_of_number(_gomea_log),
        meaning="Piecewise((log(abs(a)), a != 0), (0, True))", plain="log(abs(a))"),
    Operator("deap_div", 2, lambda a, b: np.where(b != 0, np.divide(a, b), 1.0),
        rewrite=_plain_division(lambda b: b != 0), meaning="Piecewise((a/b, b != 0), (1, True))", plain="a/b"),
]

# calls of sympy functions inside a model's text stand for their argument unless the rules carry them out
SYMPY_CALLS = (
    "factor_terms", "factor", "expand", "simplify", "together", "cancel", "collect_const", "radsimp",
    "powsimp", "trigsimp", "nsimplify", "logcombine", "ratsimp", "apart",
)
_TABLE += [
    Operator(name, 1, lambda a: a, lambda s, a: a, nodes=0, latex="{0}", meaning="a") for name in SYMPY_CALLS
]
# fmt: on

OPERATORS: dict[str, Operator] = {operator.name: operator for operator in _TABLE}
