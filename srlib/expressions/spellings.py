"""What each dialect calls an operator: one table of words, which put items on the tape after a call's arguments.

The case of words does not matter, but for those of `EXACT`: sympy's srepr writes ``Mul(...)``, which is not gplearn's
``mul(...)``.

- ``div(a, b)`` is always gplearn's protected division; ``/`` is plain.
- In a text that calls ``add``, ``sub``, ``mul`` or ``div``, but neither ``pow`` nor ``mylog``, which gplearn has not,
  ``sqrt``, ``log`` and ``inv`` are gplearn's protected ones, too; also in one with cuML's ``mult`` or ``fdim``.
- In a text with GP-GOMEA's ``p/`` or ``plog``, ``sqrt`` is the root of the absolute value.
- In all other texts ``sqrt(x)``, ``log(x)`` and ``inv(x)`` are plain.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from srlib.expressions.operators import OPERATORS, Item, Operator
from srlib.expressions.tree import number


class Call(NamedTuple):
    """What a call puts on the tape.

    Parameters
    ----------
    after : tuple of tuple of Item
        By argument, what follows it.
    fewest : int
        Number of arguments that are needed, 0 for named constants; at most there are as many as `after` has entries.
    folds : bool
        Whether there may be any number; what follows the last entry's argument follows all further ones.
    """

    after: tuple[tuple[Item, ...], ...]
    fewest: int
    folds: bool = False


def _items(words: str) -> tuple[Item, ...]:
    """Return the items of a piece of tape, from numbers and names of operators."""
    return tuple(OPERATORS.get(word) or number(float(word)) for word in words.split())


def _call(arity: int, words: str) -> Call:
    """Return a call of so many arguments, which these items follow."""
    return Call((*[()] * (arity - 1), _items(words)), arity)


def _fold(words: str) -> Call:
    """Return a call of any number of arguments; these items follow each but the first."""
    return Call(((), _items(words)), 1, folds=True)


def _operator_call(name: str) -> Call:
    if name in ("add", "mul", "max", "min", "or", "and"):
        return _fold(name)
    return _call(OPERATORS[name].arity, name)


# Of conditions first: sympy's ITE, numpy's where, Julia's ifelse, Brush's If for its splits (node.cpp, get_model),
# FEAT's if-then-else (n_ifthenelse.cc). The parser makes it the operator `where`, whose condition comes second.
CONDITION_FIRST = Operator("condition first", 3, OPERATORS["where"].numpy)
# Brush: the mean of any number of arguments; the parser divides by their number
MEAN = _fold("add")
# of (value, condition) pairs, which the parser counts
PIECEWISE, PAIR = Call(((),), 1, folds=True), _call(2, "")
BRACKET = _call(1, "")
# closing sign and meaning of brackets; BSR prints a sum as the list of its terms
BRACKETS = {"[": ("]", _fold("add")), "|": ("|", _call(1, "abs"))}

WORDS = {
    "add": "add plus sum", "sub": "sub subtract minus", "mul": "mul mult multiply times prod",
    "div": "divide true_divide rdivide", "neg": "neg negative", "pow": "pow power float_power safe_pow",
    "lt": "lt less strictlessthan", "le": "le less_equal lessthan", "gt": "gt greater strictgreaterthan",
    "ge": "ge greater_equal greaterthan", "eq": "eq equal equality", "ne": "ne not_equal unequality",
    "or": "or logical_or", "and": "and logical_and", "not": "not logical_not", "E": "e", "log": "ln safe_log",
    "log2": "safe_log2", "log10": "safe_log10", "log1p": "safe_log1p", "sqrt": "safe_sqrt", "square": "sqr pow2 sq n2",
    "cube": "pow3 n3", "inv": "reciprocal inverse", "abs": "fabs absolute", "sign": "sgn", "ceil": "ceiling",
    "round": "rint", "asin": "arcsin safe_asin", "acos": "arccos safe_acos", "atan": "arctan", "atan2": "arctan2",
    "asinh": "arcsinh", "acosh": "arccosh safe_acosh", "atanh": "arctanh safe_atanh",
    "sigmoid": "sig logistic expit logit", "gauss": "gaussian", "max": "maximum fmax", "min": "minimum fmin",
    "aq": "analytic_quotient", "sqrtabs": "sqrt_abs psqrt", "gplearn_div": "div pdiv", "gomea_log": "plog mylog",
    "deap_div": "protecteddiv protected_div",
}  # fmt: skip
# no `remainder`: numpy's is mod, math's is not
FUNCTIONS: dict[str, Call] = {
    name: _operator_call(name)
    for name, operator in OPERATORS.items()
    if not operator.symbol and name not in ("where", "only")
}
FUNCTIONS |= {word: _operator_call(name) for name, words in WORDS.items() for word in words.split()}
# what is no operator of the table: number of arguments, and what follows them
_COMPOSED = {
    "integer id identity": (1, ""),  # sympy's srepr has the first
    "rational": (2, "div"),
    "quart n4": (1, "4 pow"),  # DSO's library of tokens (functions.py) has n4, like n2 and n3
    "logabs log_abs": (1, "abs log"),
    "relu": (1, "0 max"),
    # SymbolicRegression.jl, Operators.jl: atanh of x folded into [-1, 1)
    "atanh_clip": (1, "1 add 2 mod 1 sub atanh"),
    "fdim": (2, "sub 0 max"),  # cuML (node.cuh, evaluate_node), as in C
    "expneg": (1, "neg exp"),
    "sech": (1, "cosh inv"),
    "csch": (1, "sinh inv"),
    "coth": (1, "tanh inv"),
    "softplus": (1, "exp log1p"),
    "exp2": (1, f"{math.log(2)} mul exp"),
    "exp10": (1, f"{math.log(10)} mul exp"),
    "floor_divide": (2, "div floor"),
    "step": (1, "0 gt"),  # Eureqa (DataRobot, building blocks): 1 where x is positive, else 0
}
FUNCTIONS |= {word: _call(*call) for words, call in _COMPOSED.items() for word in words.split()}
FUNCTIONS |= {
    "log": Call((_items("log"), _items("log div")), 1),  # of x, to a base
    "mean": MEAN,
    "piecewise": PIECEWISE,
    **dict.fromkeys(("clamp", "clip"), Call(((), _items("max"), _items("min")), 3)),
    **dict.fromkeys(
        ("ite", "where", "ifelse", "if", "if-then-else"), Call(((), (), (CONDITION_FIRST,)), 3)
    ),
}
# words that mean a library's own operators where the text is that library's
DIALECTS = {
    "": {},
    "gplearn": {
        "sqrt": FUNCTIONS["sqrtabs"],
        "log": FUNCTIONS["gplearn_log"],
        "inv": FUNCTIONS["gplearn_inv"],
        "rsqrt": _call(1, "sqrtabs inv"),  # cuML (node.cuh)
        "rcbrt": _call(1, "cbrt inv"),
    },
    "gomea": {"sqrt": FUNCTIONS["sqrtabs"]},
}
# binding strength and operators of what stands between operands, words of E2E and TPSR among them
INFIX: dict[str, tuple[int, tuple[Item, ...]]] = {
    operator.symbol: (operator.precedence, (operator,))
    for operator in OPERATORS.values()
    if operator.arity == 2 and operator.symbol
}
INFIX |= {
    "add": INFIX["+"],
    "sub": INFIX["-"],
    "mul": INFIX["*"],
    "div": INFIX["/"],
    "pow": INFIX["**"],
    "^": INFIX["**"],
    "%": (60, _items("mod")),
    "p/": (60, _items("gomea_div")),
    "//": (60, _items("div floor")),
    "and": (20, _items("and")),
    "or": (15, _items("or")),
}
PREFIX = {"-": (70, _items("neg")), "~": (70, _items("not")), "not": (25, _items("not"))}

_PREFIX_ARITHMETIC = frozenset({"add", "sub", "mul", "div"})
# genetic.cu, stringify; node.cuh protects as gplearn does, and has pow besides
_CUML = frozenset({"mult", "fdim"})
_PLAIN = frozenset({"pow", "mylog"})  # gplearn has neither
# no text without one of these protects anything
_MARKS = _PREFIX_ARITHMETIC | _CUML | {"plog", "p"}


def function_named(name: str, dialect: str = "") -> Call | None:
    """Call that a function's name means in a dialect ('' or as `dialect_of` has it); None where it means nothing.

    Examples
    --------
    >>> function_named("sqrt").after, function_named("SQRT", "gplearn").after, function_named("sine")
    (((sqrt,),), ((sqrtabs,),), None)
    """
    lower = {"Div": "divide", "I": "id"}.get(
        name, name.lower()
    )  # Brush's plain division; R: I(x^2)
    return DIALECTS[dialect].get(lower) or FUNCTIONS.get(lower)


def dialect_of(tokens: Sequence[str]) -> str:
    """Find the dialect whose protected operators a text means: 'gplearn', 'gomea', or '' for none.

    Examples
    --------
    >>> dialect_of(["add", "(", "x", ",", "sqrt", "(", "y", ")", ")"]), dialect_of(["x", "add", "(", "y", ")"])
    ('gplearn', '')
    """
    if _MARKS.isdisjoint(tokens):
        return ""
    triples = list(zip(("", *tokens), tokens, (*tokens[1:], ""), strict=False))
    names = {word for _, word, after in triples if after == "("}
    infix = [_ends_operand(before) for before, word, _ in triples if word in _PREFIX_ARITHMETIC]
    if infix and infix[0]:  # (a add (b mul x_0)) of E2E and TPSR
        names -= _PREFIX_ARITHMETIC
    if names & _CUML or (names & _PREFIX_ARITHMETIC and not names & _PLAIN):
        return "gplearn"
    divides = [_ends_operand(before) for before, *sign in triples if sign == ["p", "/"]]
    return "gomea" if any(divides) or "plog" in names else ""


def _ends_operand(token: str) -> bool:
    words = ("and", "or", "not", "if", "else")
    return token[-1:] in (")", "]", "|") or (token[-1:].isalnum() and token not in words)


_PREFIX_CALLS = r"(?:^|[(,])\s*(?:add|sub|mul|div|mult|fdim)\("
_PROTECTED = (
    "sqrt, log and inv of prefix form were read as gplearn's protected ones (not as plain ones)"
)
# what a text holds (for RE2: no look-around), and how it is read
_READINGS = {
    r"(?:^|[(,+*/ -])div\(":
        "div(a, b) was read as gplearn's protected division: 1 where abs(b) <= 0.001 (not as a plain one)",
    r"(?:^|[(, ])(?:sqrt|log|inv)\(": _PROTECTED,
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
    r"""^\s*\[[^'"\]]*,""":
        "a list was read as the sum of its terms, as BSR has it (not as several models)",
}  # fmt: skip


def ambiguous_texts(texts: pd.Series) -> Iterator[tuple[str, pd.Series]]:
    """Find the texts that another dialect reads otherwise.

    Yields
    ------
    tuple of str and Series of bool
        How such texts were read, and which ones they are; none without a text.
    """
    distinct = pd.Series(texts.dropna().unique(), dtype="str")
    for pattern, sentence in _READINGS.items():
        matches = distinct.str.contains(pattern)
        if sentence == _PROTECTED and matches.any():
            matches &= distinct.str.contains(_PREFIX_CALLS)
            matches &= ~distinct.str.contains(r"pow\(|mylog\(")
        if matches.any():
            yield sentence, texts.isin(distinct[matches])
