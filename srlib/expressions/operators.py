"""The one table of operators: a row an operator, with all that the project knows of it.

Parsing, printing, evaluation, exact and precise arithmetic, counting, sympy and the ballot read their column. Protected
operators are operators of their own, with the meaning that their library gives them; they are never read as the plain
operator, and the plain one never as them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from srlib.expressions import digits, protection
from srlib.expressions.protection import where as _where


@dataclass(frozen=True, eq=False, slots=True)
class Operator:
    r"""One operator of the light tree: a row of the table.

    Parameters
    ----------
    name : str
        The canonical spelling; functions are printed as ``name(argument, ...)``.
    arity : int
        Number of arguments, 0 for named constants.
    numpy : callable
        (rows,) float64 arrays -> (rows,) array; complex and undefined results are NaN.
    partials : callable or None
        ``(arguments, result) -> tuple`` of partial derivatives; None where it is zero almost everywhere.
    sympy : callable or None
        ``(sympy module, *sympy arguments) -> sympy object``; None makes it an opaque function of sympy, which
        needs `rewrite`.
    rewrite : callable or None
        Of an opaque operator: what sympy may put in its place (see `srlib.expressions.protection`).
    precise : callable or None
        ``(arithmetic of mpmath, *numbers) -> number``; None where `numpy` takes such numbers, too.
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
    folds : bool
        Whether a call may have more arguments than `arity`, joined from the left.
    latex : str
        Template with ``{0}``, ``{1}``; empty means ``\operatorname{name}(...)``, or that `to_latex` lays it out.
    meaning : str
        The same in operators that every reader knows, of `a`, `b`; empty where this is one.
    plain : str
        What a protected operator protects; empty where it protects nothing.
    known : bool
        Whether every expert knows it and no library is known by it: only these reach a ballot.
    spelling : mapping of str to str
        Further words for it, by where they are used: 'calls' in all dialects, 'gplearn' and 'gomea' in texts of
        these, 'infix' between its arguments.
    """

    name: str
    arity: int
    numpy: Callable[..., Any]
    partials: Callable[..., tuple[Any, ...]] | None = None
    sympy: Callable[..., Any] | None = None
    rewrite: Callable[..., Any] | None = None
    precise: Callable[..., Any] | None = None
    symbol: str = ""
    precedence: int = 100
    nodes: int = 1
    parity: int = 0
    positive: bool = False
    conditions: bool = False
    folds: bool = False
    latex: str = ""
    meaning: str = ""
    plain: str = ""
    known: bool = False
    spelling: Mapping[str, str] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Callable[[str], "Operator"], tuple[str]]:
        """Pickle by name: the table is the same on both sides."""
        return _by_name, (self.name,)

    def __repr__(self) -> str:
        """Show the canonical spelling."""
        return self.name


def _by_name(name: str) -> Operator:
    return OPERATORS[name]


def _special(name: str) -> Callable[[Any], Any]:
    """Take a function of scipy.special, which is slow to import, when it is first used."""
    return lambda a: getattr(import_module("scipy.special"), name)(a)


def _truth(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Comparisons are numbers, 1 or 0, and NaN where a side is undefined."""

    def compare(a: Any, b: Any) -> np.ndarray:
        return _where((a != a) | (b != b), np.nan, function(a, b).astype(float))

    return compare


def _power_partials(x: Any, y: Any, out: Any) -> tuple[Any, Any]:
    return y * x ** (y - 1.0), _where(x > 0, out * np.log(np.abs(x)), 0.0)


def _both(a: Any, b: Any) -> Any:
    return (a != 0) & (b != 0)


def _either(a: Any, b: Any) -> Any:
    return (a != 0) | (b != 0)


def _logical(s: Any, value: Any) -> Any:
    if value in (s.true, s.false) or value.is_Boolean or value.is_Relational:
        return value
    return s.Ne(value, 0)


def _head(word: str, arguments: str = "{0}") -> str:
    return rf"\{word}\left({arguments}\right)"


_known = partial(Operator, known=True)
_condition = partial(_known, conditions=True)

# fmt: off
_TABLE = [
    _known("add", 2, np.add, lambda a, b, o: (1.0, 1.0), lambda s, a, b: a + b,
        symbol="+", precedence=50, folds=True, spelling={"calls": "add plus", "infix": "add"}),
    _known("sub", 2, np.subtract, lambda a, b, o: (1.0, -1.0), lambda s, a, b: a - b,
        symbol="-", precedence=50, spelling={"calls": "sub subtract minus", "infix": "sub"}),
    _known("mul", 2, np.multiply, lambda a, b, o: (b, a), lambda s, a, b: a * b,
        symbol="*", precedence=60, folds=True, spelling={"calls": "mul mult multiply times", "infix": "mul"}),
    _known("div", 2, np.divide, lambda a, b, o: (1.0 / b, -o / b), lambda s, a, b: a / b,
        symbol="/", precedence=60, spelling={"calls": "divide true_divide rdivide", "infix": "div"}),
    _known("neg", 1, np.negative, lambda a, o: (-1.0,), lambda s, a: -a,
        symbol="-", precedence=70, spelling={"calls": "neg negative"}),
    _known("pow", 2, lambda a, b: a**b, _power_partials, lambda s, a, b: a**b,
        precise=digits.power,
        symbol="**", precedence=80, spelling={"calls": "pow power float_power safe_pow", "infix": "^ pow"}),
    _known("lt", 2, _truth(np.less), None, lambda s, a, b: a < b, symbol="<", precedence=30,
        latex="{0} < {1}", spelling={"calls": "lt less strictlessthan"}),
    _known("le", 2, _truth(np.less_equal), None, lambda s, a, b: a <= b, symbol="<=", precedence=30,
        latex=r"{0} \le {1}", spelling={"calls": "le less_equal lessthan"}),
    _known("gt", 2, _truth(np.greater), None, lambda s, a, b: a > b, symbol=">", precedence=30,
        latex="{0} > {1}", spelling={"calls": "gt greater strictgreaterthan"}),
    _known("ge", 2, _truth(np.greater_equal), None, lambda s, a, b: a >= b, symbol=">=", precedence=30,
        latex=r"{0} \ge {1}", spelling={"calls": "ge greater_equal greaterthan"}),
    _known("eq", 2, _truth(np.equal), None, lambda s, a, b: s.Eq(a, b), symbol="==", precedence=30,
        latex="{0} = {1}", spelling={"calls": "eq equal equality"}),
    _known("ne", 2, _truth(np.not_equal), None, lambda s, a, b: s.Ne(a, b), symbol="!=", precedence=30,
        latex=r"{0} \ne {1}", spelling={"calls": "ne not_equal unequality"}),
    _condition("or", 2, _truth(_either), None, lambda s, a, b: s.Or(_logical(s, a), _logical(s, b)),
        symbol="|", precedence=35, folds=True, latex=r"{0} \vee {1}",
        spelling={"calls": "or", "infix": "or"}),
    _condition("and", 2, _truth(_both), None, lambda s, a, b: s.And(_logical(s, a), _logical(s, b)),
        symbol="&", precedence=40, folds=True, latex=r"{0} \wedge {1}",
        spelling={"calls": "and", "infix": "and"}),
    _condition("not", 1, lambda a: _where(a != a, np.nan, np.equal(a, 0).astype(float)), None,
        lambda s, a: s.Not(_logical(s, a)), symbol="~", precedence=70, latex=r"\neg {0}",
        spelling={"calls": "not logical_not"}),
    _known("pi", 0, lambda: np.pi, lambda o: (), lambda s: s.pi,
        precise=lambda n: +n.pi, latex=r"\pi"),
    _known("E", 0, lambda: np.e, lambda o: (), lambda s: s.E,
        precise=lambda n: +n.e, latex="e", spelling={"calls": "e"}),
    Operator("imaginary", 0, lambda: np.nan, lambda o: (), lambda s: s.I,
        precise=lambda n: +n.nan, latex="i", meaning="sqrt(-1)"),
    _known("exp", 1, np.exp, lambda a, o: (o,), lambda s, a: s.exp(a),
        precise=digits.exp, positive=True, latex=_head("exp")),
    _known("log", 1, np.log, lambda a, o: (1.0 / a,), lambda s, a: s.log(a),
        latex=_head("log"),
        spelling={"calls": "ln safe_log"}),
    _known("log2", 1, np.log2, lambda a, o: (1.0 / (a * np.log(2)),), lambda s, a: s.log(a, 2),
        spelling={"calls": "safe_log2"}),
    _known("log10", 1, np.log10, lambda a, o: (1.0 / (a * np.log(10)),), lambda s, a: s.log(a, 10),
        spelling={"calls": "safe_log10"}),
    Operator("log1p", 1, np.log1p, lambda a, o: (1.0 / (1.0 + a),), lambda s, a: s.log(1 + a),
        meaning="log(1 + a)", spelling={"calls": "safe_log1p"}),
    Operator("expm1", 1, np.expm1, lambda a, o: (o + 1.0,), lambda s, a: s.exp(a) - 1,
        precise=digits.expm1, meaning="exp(a) - 1"),
    _known("sqrt", 1, np.sqrt, lambda a, o: (0.5 / o,), lambda s, a: s.sqrt(a),
        latex=r"\sqrt{{{0}}}", spelling={"calls": "safe_sqrt"}),
    _known("cbrt", 1, np.cbrt, lambda a, o: (1.0 / (3.0 * o * o),),
        lambda s, a: s.sign(a) * s.Abs(a) ** s.Rational(1, 3),
        precise=lambda n, a: n.sign(a) * n.cbrt(abs(a)), parity=-1, latex=r"\sqrt[3]{{{0}}}"),
    Operator("square", 1, np.square, lambda a, o: (2.0 * a,), lambda s, a: a**2,
        precise=lambda n, a: a * a, meaning="a**2", spelling={"calls": "sqr pow2 sq n2"}),
    Operator("cube", 1, lambda a: a * a * a, lambda a, o: (3.0 * a * a,), lambda s, a: a**3,
        meaning="a**3", spelling={"calls": "pow3 n3"}),
    Operator("inv", 1, lambda a: 1.0 / a, lambda a, o: (-o * o,), lambda s, a: 1 / a,
        latex=r"\frac{{1}}{{{0}}}",
        meaning="1/a", spelling={"calls": "reciprocal inverse"}),
    _known("abs", 1, np.abs, lambda a, o: (np.sign(a),), lambda s, a: s.Abs(a),
        positive=True, latex=r"\left|{0}\right|", spelling={"calls": "fabs absolute"}),
    _known("sign", 1, np.sign, None, lambda s, a: s.sign(a), spelling={"calls": "sgn"}),
    _known("floor", 1, np.floor, None, lambda s, a: s.floor(a), latex=r"\lfloor {0}\rfloor"),
    _known("ceil", 1, np.ceil, None, lambda s, a: s.ceiling(a), latex=r"\lceil {0}\rceil",
        spelling={"calls": "ceiling"}),
    # halves go to the even neighbour, as in Julia and Python; sympy has no such function
    _known("round", 1, np.round, None, lambda s, a: s.Function("round", real=True)(a),
        precise=lambda n, a: n.nint(a), parity=-1, spelling={"calls": "rint"}),
    _known("mod", 2, np.mod, lambda a, b, o: (1.0, -np.floor(a / b)), lambda s, a, b: s.Mod(a, b),
        spelling={"infix": "%"}),  # no `remainder`: numpy's is this one, math's is not
    _known("sin", 1, np.sin, lambda a, o: (np.cos(a),), lambda s, a: s.sin(a),
        precise=digits.turning("sin"), parity=-1, latex=_head("sin")),
    _known("cos", 1, np.cos, lambda a, o: (-np.sin(a),), lambda s, a: s.cos(a),
        precise=digits.turning("cos"), parity=1, latex=_head("cos")),
    _known("tan", 1, np.tan, lambda a, o: (1.0 + o * o,), lambda s, a: s.tan(a),
        precise=digits.turning("tan"), parity=-1, latex=_head("tan")),
    _known("cot", 1, lambda a: 1.0 / np.tan(a), lambda a, o: (-1.0 - o * o,), lambda s, a: s.cot(a),
        precise=digits.turning("cot"), parity=-1, latex=_head("cot")),
    _known("sec", 1, lambda a: 1.0 / np.cos(a), lambda a, o: (o * np.tan(a),), lambda s, a: s.sec(a),
        precise=digits.turning("sec"), parity=1, latex=_head("sec")),
    _known("csc", 1, lambda a: 1.0 / np.sin(a), lambda a, o: (-o / np.tan(a),), lambda s, a: s.csc(a),
        precise=digits.turning("csc"), parity=-1, latex=_head("csc")),
    _known("asin", 1, np.arcsin, lambda a, o: (1.0 / np.sqrt(1.0 - a * a),), lambda s, a: s.asin(a),
        parity=-1, latex=_head("arcsin"), spelling={"calls": "arcsin safe_asin"}),
    _known("acos", 1, np.arccos, lambda a, o: (-1.0 / np.sqrt(1.0 - a * a),), lambda s, a: s.acos(a),
        latex=_head("arccos"), spelling={"calls": "arccos safe_acos"}),
    _known("atan", 1, np.arctan, lambda a, o: (1.0 / (1.0 + a * a),), lambda s, a: s.atan(a),
        parity=-1, latex=_head("arctan"), spelling={"calls": "arctan"}),
    _known("atan2", 2, np.arctan2, lambda a, b, o: (b / (a * a + b * b), -a / (a * a + b * b)),
        lambda s, a, b: s.atan2(a, b), spelling={"calls": "arctan2"}),
    _known("sinh", 1, np.sinh, lambda a, o: (np.cosh(a),), lambda s, a: s.sinh(a),
        precise=digits.sinh, parity=-1, latex=_head("sinh")),
    _known("cosh", 1, np.cosh, lambda a, o: (np.sinh(a),), lambda s, a: s.cosh(a),
        precise=digits.cosh, parity=1, positive=True, latex=_head("cosh")),
    _known("tanh", 1, np.tanh, lambda a, o: (1.0 - o * o,), lambda s, a: s.tanh(a),
        precise=digits.saturating("tanh"), parity=-1, latex=_head("tanh")),
    _known("asinh", 1, np.arcsinh, lambda a, o: (1.0 / np.sqrt(a * a + 1.0),), lambda s, a: s.asinh(a),
        parity=-1, spelling={"calls": "arcsinh"}),
    _known("acosh", 1, np.arccosh, lambda a, o: (1.0 / np.sqrt(a * a - 1.0),), lambda s, a: s.acosh(a),
        spelling={"calls": "arccosh safe_acosh"}),
    _known("atanh", 1, np.arctanh, lambda a, o: (1.0 / (1.0 - a * a),), lambda s, a: s.atanh(a),
        parity=-1, spelling={"calls": "arctanh safe_atanh"}),
    _known("erf", 1, _special("erf"), lambda a, o: (2.0 / np.sqrt(np.pi) * np.exp(-a * a),),
        lambda s, a: s.erf(a), precise=digits.saturating("erf"), parity=-1),
    _known("erfc", 1, _special("erfc"), lambda a, o: (-2.0 / np.sqrt(np.pi) * np.exp(-a * a),),
        lambda s, a: s.erfc(a),
        precise=digits.bounded("erfc", 10, lambda n, a: n.zero if a > 0 else n.mpf(2))),
    _known("gamma", 1, _special("gamma"), lambda a, o: (o * _special("digamma")(a),),
        lambda s, a: s.gamma(a),
        precise=digits.bounded("gamma", 20, lambda n, a: n.inf if a > 0 else n.nan)),
    Operator("sigmoid", 1, _special("expit"), lambda a, o: (o * (1.0 - o),),
        lambda s, a: 1 / (1 + s.exp(-a)), precise=lambda n, a: 1 / (1 + digits.exp(n, -a)),
        meaning="1/(1 + exp(-a))", spelling={"calls": "sig logistic expit logit"}),
    Operator("gauss", 1, lambda a: np.exp(-a * a), lambda a, o: (-2.0 * a * o,),
        lambda s, a: s.exp(-(a**2)), precise=lambda n, a: digits.exp(n, -a * a),
        meaning="exp(-a**2)", spelling={"calls": "gaussian"}),
    _known("max", 2, np.maximum, lambda a, b, o: (_where(a >= b, 1.0, 0.0), _where(a >= b, 0.0, 1.0)),
        lambda s, a, b: s.Max(a, b), folds=True, latex=_head("max", "{0}, {1}"),
        spelling={"calls": "maximum"}),
    _known("min", 2, np.minimum, lambda a, b, o: (_where(a <= b, 1.0, 0.0), _where(a <= b, 0.0, 1.0)),
        lambda s, a, b: s.Min(a, b), folds=True, latex=_head("min", "{0}, {1}"),
        spelling={"calls": "minimum"}),
    # piecewise values: (value, condition, otherwise), and (value, condition) which is undefined elsewhere
    _condition("where", 3, lambda v, c, e: _where(c != c, np.nan, _where(c != 0, v, e)),
        lambda v, c, e, o: (_where(c != 0, 1.0, 0.0), 0.0, _where(c != 0, 0.0, 1.0)),
        lambda s, v, c, e: s.Piecewise((v, _logical(s, c)), (e, True))),
    _condition("only", 2, lambda v, c: _where(c != 0, v, np.nan),
        lambda v, c, o: (_where(c != 0, 1.0, 0.0), 0.0),
        lambda s, v, c: s.Piecewise((v, _logical(s, c)))),
    # PySR: y where x > 0, else 0
    Operator("cond", 2, lambda x, y: _where(x > 0, y, 0.0),
        lambda x, y, o: (0.0, _where(x > 0, 1.0, 0.0)),
        lambda s, x, y: s.Piecewise((y, x > 0), (0, True)), meaning="Piecewise((b, a > 0), (0, True))"),
    # analytic quotient (Ni, Drieberg, Rockett 2013)
    Operator("aq", 2, lambda a, b: a / np.sqrt(1.0 + b * b),
        lambda a, b, o: (1.0 / np.sqrt(1.0 + b * b), -o * b / (1.0 + b * b)),
        lambda s, a, b: a / s.sqrt(1 + b**2), meaning="a/sqrt(1 + b**2)",
        spelling={"calls": "analytic_quotient"}),
    Operator("sqrtabs", 1, lambda a: np.sqrt(np.abs(a)), lambda a, o: (0.5 * np.sign(a) / o,),
        lambda s, a: s.sqrt(s.Abs(a)), meaning="sqrt(abs(a))",
        spelling={"calls": "sqrt_abs psqrt", "gplearn": "sqrt", "gomea": "sqrt"}),
    # protected operators: opaque to sympy
    Operator("gplearn_div", 2, protection.gplearn_div,
        lambda a, b, o: (_where(np.abs(b) > 0.001, 1.0 / b, 0.0), _where(np.abs(b) > 0.001, -o / b, 0.0)),
        rewrite=protection.division(lambda b: abs(b) > 0.001),
        meaning="Piecewise((a/b, abs(b) > 0.001), (1, True))", plain="a/b",
        spelling={"calls": "div pdiv"}),
    Operator("gplearn_log", 1, protection.gplearn_log,
        lambda a, o: (_where(np.abs(a) > 0.001, 1.0 / a, 0.0),),
        rewrite=protection.of_numbers(protection.gplearn_log),
        meaning="Piecewise((log(abs(a)), abs(a) > 0.001), (0, True))", plain="log(abs(a))",
        spelling={"gplearn": "log"}),
    Operator("gplearn_inv", 1, protection.gplearn_inv,
        lambda a, o: (_where(np.abs(a) > 0.001, -o * o, 0.0),),
        rewrite=protection.of_numbers(protection.gplearn_inv),
        meaning="Piecewise((1/a, abs(a) > 0.001), (0, True))", plain="1/a", spelling={"gplearn": "inv"}),
    Operator("gomea_div", 2, protection.gomea_div,
        lambda a, b, o: (protection.gomea_div(1.0, b), -protection.gomea_div(a, b) / (b + 1e-3)),
        rewrite=protection.gomea_division,
        meaning="Piecewise((-a, b < 0), (a, True))/abs(b + 0.001)", plain="a/b",
        spelling={"infix": "p/"}),
    Operator("gomea_log", 1, protection.gomea_log, lambda a, o: (_where(a != 0, 1.0 / a, 0.0),),
        rewrite=protection.of_numbers(protection.gomea_log),
        meaning="Piecewise((log(abs(a)), a != 0), (0, True))", plain="log(abs(a))",
        spelling={"calls": "plog mylog"}),
    Operator("deap_div", 2, protection.deap_div,
        lambda a, b, o: (_where(b != 0, 1.0 / b, 0.0), _where(b != 0, -o / b, 0.0)),
        rewrite=protection.division(lambda b: b != 0),
        meaning="Piecewise((a/b, b != 0), (1, True))", plain="a/b",
        spelling={"calls": "protecteddiv protected_div"}),
]

# calls of sympy functions inside a model's text stand for their argument unless the rules carry them out
SYMPY_CALLS = (
    "factor_terms", "factor", "expand", "simplify", "together", "cancel", "collect_const", "radsimp",
    "powsimp", "trigsimp", "nsimplify", "logcombine", "ratsimp", "apart",
)
_TABLE += [
    Operator(name, 1, lambda a: a, lambda a, o: (1.0,), lambda s, a: a, nodes=0, latex="{0}", meaning="a")
    for name in SYMPY_CALLS
]
# fmt: on

OPERATORS: dict[str, Operator] = {operator.name: operator for operator in _TABLE}
Item = Operator | str | int | float  # of a tape: a name is a feature, a number a constant
