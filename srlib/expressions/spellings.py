"""Words for operators in the dialects of libraries, and the items that a call appends to the tape.

Words are read without regard to case, except ``Div``, which is Brush's plain division.

- ``div(a, b)`` is always gplearn's protected division; ``/`` is plain.
- In a text that calls ``add``, ``sub``, ``mul`` or ``div`` in small letters, but neither ``pow`` nor ``mylog`` (which
  gplearn does not have), ``sqrt``, ``log`` and ``inv`` are gplearn's protected operators, too.
- In a text with GP-GOMEA's ``p/`` or ``plog``, ``sqrt`` is the root of the absolute value.
- In all other texts ``sqrt(x)``, ``log(x)`` and ``inv(x)`` are plain.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from srlib.expressions.operators import OPERATORS, Item, Operator, Tape
from srlib.expressions.tree import number


class Call(NamedTuple):
    """How a call is written to the tape.

    Parameters
    ----------
    after : tuple of tuple of Item
        The items that follow each argument.
    fewest : int
        Smallest number of arguments; the largest is the number of entries of `after`.
    folds : bool
        Whether more arguments than entries are allowed; the last entry of `after` then follows each further argument.
    default : tuple of Item
        The items that stand in for an absent last argument and what follows it.
    """

    after: tuple[Tape, ...]
    fewest: int
    folds: bool = False
    default: Tape = ()


def _items(words: str) -> Tape:
    """Return the tape items of a text with numbers and names of operators."""
    return tuple(OPERATORS.get(word) or number(float(word)) for word in words.split())


def _call(words: str) -> Call:
    """Return the call whose items follow its last argument; the number of arguments follows from the items.

    With commas, the items that follow each argument.
    """
    if "," in words:
        after = tuple(map(_items, words.split(",")))
        return Call(after, len(after))
    items = _items(words)
    if words in ("add", "mul", "max", "min", "or", "and"):
        return Call(((), items), 1, folds=True)
    arity = 1 + sum(item.arity - 1 if isinstance(item, Operator) else -1 for item in items)
    return Call((*[()] * (arity - 1), items), arity)


# items that follow the last argument, and words for this function besides the operators' own names
WORDS = """
    add: add plus sum
    sub: sub subtract minus
    mul: mul multiply times prod
    div: divide truediv true_divide rdivide rational Div
    neg: neg negative
    pow: pow power float_power safe_pow
    lt: lt less strictlessthan
    le: le less_equal lessthan
    gt: gt greater strictgreaterthan
    ge: ge greater_equal greaterthan
    eq: eq equal equality
    ne: ne not_equal unequality
    or: or logical_or
    and: and logical_and
    not: not logical_not
    log: ln safe_log
    log2: safe_log2
    log10: safe_log10
    log1p: safe_log1p
    sqrt: safe_sqrt
    square: sqr pow2 sq n2
    cube: pow3 n3
    inv: reciprocal inverse
    abs: fabs absolute
    sign: sgn
    ceil: ceiling
    trunc: fix
    round: rint
    asin: arcsin safe_asin
    acos: arccos safe_acos
    atan: arctan
    atan2: arctan2
    asinh: arcsinh
    acosh: arccosh safe_acosh
    atanh: arctanh safe_atanh
    sigmoid: sig logistic expit logit
    gauss: gaussian
    max: maximum fmax
    min: minimum fmin
    aq: analytic_quotient
    sqrtabs: sqrt_abs psqrt
    gplearn_div: div pdiv
    gomea_log: plog mylog
    deap_div: protecteddiv protected_div
    : integer id identity
    4 pow: quart n4
    abs log: logabs log_abs
    abs log2: log2_abs
    abs log10: log10_abs
    abs log1p: log1p_abs
    0 max: relu
    0 gt: step
    1 add 2 mod 1 sub atanh: atanh_clip
    neg exp: expneg
    cosh inv: sech
    sinh inv: csch
    tanh inv: coth
    exp log1p: softplus
    0.6931471805599453 mul exp: exp2
    2.302585092994046 mul exp: exp10
    div floor: floor_divide floordiv
    , max, min: clamp clip
    abs, pow: pow_abs powabs ppow
    square, square add sqrt: hypot
    , inv pow: root
"""  # sympy's srepr has Integer and Rational; no `remainder`: numpy's is mod, math's is not
FUNCTIONS = {
    name: _call(name)
    for name, operator in OPERATORS.items()
    if operator.arity and not operator.symbol and name not in ("where", "only")
}
for _line in WORDS.strip().splitlines():
    _following, _words = _line.split(":")
    FUNCTIONS |= dict.fromkeys(_words.split(), _call(_following.strip()))
# sympy's ITE, numpy's where, Julia's ifelse, Brush's If for its splits (node.cpp, get_model), FEAT's if-then-else
# (n_ifthenelse.cc): the parser moves the condition after the first value, as the operator `where` expects it
CONDITION_FIRST = _call("where")
PIECEWISE = Call(((),), 1, folds=True)
PAIR = _call("only")  # (value, condition), an argument of PIECEWISE
FUNCTIONS |= {
    "log": Call((_items("log"), _items("log div")), 1),  # of x, to a base
    "heaviside": Call(((), _items("heaviside")), 1, default=_items("0.5 heaviside")),  # at 0
    "piecewise": PIECEWISE,
    **dict.fromkeys(("ite", "where", "ifelse", "if", "if-then-else"), CONDITION_FIRST),
}
BRACKET = _call("")
# closing sign and meaning of brackets; BSR prints weights in brackets
BRACKETS = {"[": ("]", BRACKET), "|": ("|", _call("abs"))}
# precedence and operators of infix signs, including words of E2E and TPSR
INFIX: dict[str, tuple[int, Tape]] = {
    operator.symbol: (operator.precedence, (operator,))
    for operator in OPERATORS.values()
    if operator.arity == 2 and operator.symbol
}
INFIX |= {word: INFIX[OPERATORS[word].symbol] for word in ("add", "sub", "mul", "div", "pow")}
INFIX |= {
    "^": INFIX["**"],
    "%": (60, _items("mod")),
    "p/": (60, _items("gomea_div")),
    "//": (60, _items("div floor")),
    "and": (20, _items("and")),
    "or": (15, _items("or")),
}
PREFIX = {"-": (70, _items("neg")), "~": (70, _items("not")), "not": (25, _items("not"))}
_GOMEA: dict[Item, Item] = {OPERATORS["sqrt"]: OPERATORS["sqrtabs"]}
_GPLEARN = _GOMEA | {OPERATORS[name]: OPERATORS[f"gplearn_{name}"] for name in ("log", "inv")}


def function_named(name: str) -> Call | None:
    """Return the call of a function's name, with or without a Python module; None for an unknown name.

    Examples
    --------
    >>> function_named("np.SQRT").after, function_named("sine")
    (((sqrt,),), None)
    """
    word = name.rpartition(".")[2]
    return FUNCTIONS.get(word) or FUNCTIONS.get(word.lower())


def protected_operators(words: set[str]) -> dict[Item, Item]:
    """Return the plain operators that are read as protected in a text with these calls, and their replacements.

    Examples
    --------
    >>> protected_operators({"add", "sqrt"}), protected_operators({"np.add", "sqrt"})
    ({sqrt: sqrtabs, log: gplearn_log, inv: gplearn_inv}, {})
    """
    if words & {"add", "sub", "mul", "div"} and not words & {"pow", "mylog"}:
        return _GPLEARN
    return _GOMEA if words & {"plog", "p/"} else {}


_CALL = r"([\w.]+|p/)\s*\("
_PROTECTED = (
    "sqrt, log and inv of prefix form were read as gplearn's protected ones (not as plain ones)"
)
# patterns of ambiguous texts (for RE2: no look-around), and how they are read
_READINGS = {
    r"(?:^|[(,+*/ -])div\(":
        "div(a, b) was read as gplearn's protected division: 1 where abs(b) <= 0.001 (not as a plain one)",
    r"(?i)(?:^|[^\w.])(?:sqrt|log|inv)\(": _PROTECTED,
    r"[\w)]\s*%\s*[\w(]":
        "% was read as the remainder of a division, as in Python (not as a protected division)",
    r"(?:^|\W)logit\(":
        "logit(x) was read as FEAT's 1/(1 + exp(-x)) (not as log(x/(1 - x)))",
    r"(?:^|\W)relu\(":
        "relu(x) was read as max(x, 0) (FEAT's own gives 0.01 where x <= 0)",
    r"(?:^|\W)gauss\(":
        "gauss(x) was read as exp(-x**2) (FEAT's own has a centre that its text does not print)",
    r"\(-?[\d.]+\*[^()+/ -]+/-?[\d.]+\*":
        "a*x/b*y was read from the left, as (a*x/b)*y (FEAT prints its quotient (a*x)/(b*y) in this way)",
    r"(?:^|\W)logical_(?:or|and)\(":
        "arguments of logical_or and logical_and were read as true where they are not 0 (PySR: above 0)",
}  # fmt: skip


def ambiguous_texts(texts: pd.Series) -> Iterator[tuple[str, pd.Series]]:
    """Yield masks of the texts that have another meaning in another dialect.

    Yields
    ------
    tuple of str and Series of bool
        A sentence on how such texts were read, and the mask of these texts; nothing for readings that do not occur.
    """
    distinct = pd.Series(texts.dropna().unique(), dtype="str")
    for pattern, sentence in _READINGS.items():
        matches = distinct.str.contains(pattern)
        if sentence == _PROTECTED and matches.any():
            words = distinct.str.findall(_CALL).map(set)
            matches &= words.map(protected_operators).map(lambda read: read is _GPLEARN)
        if matches.any():
            yield sentence, texts.isin(distinct[matches])
