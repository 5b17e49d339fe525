"""Spellings of functions in the dialects: what each call puts on the tape, looked up without regard to case.

A spelling with capitals in `EXACT` is looked up first as it stands (sympy's srepr writes ``Mul(...)``, which
is not gplearn's ``mul(...)``).
"""

import math
from typing import NamedTuple

import numpy as np

from srlib.expressions.operators import OPERATORS, Operator

Item = Operator | str | int | float


class Call(NamedTuple):
    """What a call puts on the tape after its arguments; `fold`: more arguments are joined from the left.

    `between` goes on the tape after the second of three arguments; before `last` the number of arguments does.
    """

    items: tuple[Item, ...]
    arity: int
    fold: bool = False
    between: tuple[Item, ...] = ()
    last: tuple[Item, ...] = ()


# on the parser's tape only (see `parser.settled`): conditions come first in ITE(c, a, b), and a // b is floor(a/b)
ITE = Operator("ite", 3, np.where)
FLOORDIV = Operator("floordiv", 2, np.floor_divide)


def _call(*names: Item, arity: int | None = None) -> Call:
    items = tuple(OPERATORS[n] if isinstance(n, str) else n for n in names)
    return Call(items, arity or items[-1].arity)  # type: ignore[union-attr]


def _spelled(dialect: str) -> dict[str, Call]:
    """Take the words of the table of operators that are used in a dialect."""
    return {
        word: Call((operator,), operator.arity, operator.folds)
        for operator in OPERATORS.values()
        for word in operator.spelling.get(dialect, "").split()
    }


_CANONICAL = {
    name: Call((operator,), operator.arity, operator.folds)
    for name, operator in OPERATORS.items()
    if not operator.symbol
    if name not in ("where", "only")
}
FUNCTIONS: dict[str, Call] = _CANONICAL | _spelled("calls")
FUNCTIONS |= {  # what is no operator of the table, or takes no further arguments
    "fmax": _call("max"),
    "fmin": _call("min"),
    "logical_and": _call("and"),
    "logical_or": _call("or"),
    "quart": _call(4, "pow", arity=1),
    "id": Call((), 1),
    "identity": Call((), 1),
    "relu": _call(0, "max", arity=1),
    "logabs": _call("abs", "log", arity=1),
    "log_abs": _call("abs", "log", arity=1),
    # conditions first: sympy's ITE, numpy's where, Julia's ifelse, Brush's If for its splits (node.cpp, get_model),
    # FEAT's if-then-else (n_ifthenelse.cc)
    **dict.fromkeys(("ite", "where", "ifelse", "if", "if-then-else"), Call((ITE,), 3)),
    # SymbolicRegression.jl, Operators.jl: atanh of x folded into [-1, 1)
    "atanh_clip": _call(1, "add", 2, "mod", 1, "sub", "atanh", arity=1),
    **dict.fromkeys(("clamp", "clip"), Call((OPERATORS["min"],), 3, between=(OPERATORS["max"],))),
    # Brush: sums, products and means of any number of arguments
    "sum": Call((OPERATORS["add"],), 1, True),
    "prod": Call((OPERATORS["mul"],), 1, True),
    "mean": Call((OPERATORS["add"],), 1, True, last=(OPERATORS["div"],)),
    "fdim": _call("sub", 0, "max", arity=2),  # cuML (node.cuh, evaluate_node), as in C
    "n4": _call(4, "pow", arity=1),  # DSO's library of tokens (functions.py), like n2 and n3
    "expneg": _call("neg", "exp", arity=1),
    "sech": _call("cosh", "inv", arity=1),
    "csch": _call("sinh", "inv", arity=1),
    "coth": _call("tanh", "inv", arity=1),
    "softplus": _call("exp", "log1p", arity=1),
    "exp2": _call(math.log(2), "mul", "exp", arity=1),
    "exp10": _call(math.log(10), "mul", "exp", arity=1),
    "floor_divide": Call((FLOORDIV,), 2),
    # Eureqa (DataRobot, building blocks): 1 where x is positive, else 0
    "step": _call(0, "gt", arity=1),
}
# Brush, functions.h: Div is a plain division; R: I(x^2) is what stands in it
EXACT: dict[str, Call] = {"Mul": FUNCTIONS["mul"], "Add": FUNCTIONS["add"], "Pow": FUNCTIONS["pow"],
                          "Div": FUNCTIONS["divide"], "I": FUNCTIONS["id"]}  # fmt: skip

# names that mean a library's own operators where the text is that library's (see `parse.dialect`)
GPLEARN: dict[str, Call] = {
    **_spelled("gplearn"),
    "div": FUNCTIONS["div"],
    "rsqrt": _call("sqrtabs", "inv", arity=1),  # cuML (node.cuh)
    "rcbrt": _call("cbrt", "inv", arity=1),
}
GOMEA: dict[str, Call] = _spelled("gomea")

PAIRS = ("piecewise",)  # calls whose arguments are (value, condition) pairs
PAIR_NAMES = ("exprcondpair", "tuple")  # srepr's spelling of such a pair
NONFINITE = frozenset(
    {"nan", "inf", "infinity", "zoo", "oo", "none", "null", "complexinfinity", "na"}
)
INFIX: dict[str, Operator] = {
    operator.symbol: operator
    for operator in OPERATORS.values()
    if operator.symbol and operator.arity == 2
} | {sign: call.items[0] for sign, call in _spelled("infix").items()}  # type: ignore[misc]
