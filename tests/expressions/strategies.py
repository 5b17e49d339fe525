"""Random trees as postfix tapes, for the invariants."""

from hypothesis import strategies as st

from srlib.expressions import Expression
from srlib.expressions.operators import OPERATORS
from srlib.expressions.tree import number

NAMES = [
    "x",
    "y",
    "x1",
    "x10",
    "cell size",
    "x-1",
    "x.1",
    "lambda",
    "E",
    "pi",
    "sin",
    "p",
    "a`b",
    "nan",
    "not",
]
_NUMBERS = st.one_of(
    st.integers(-20, 20),
    st.floats(allow_nan=False, allow_infinity=False).map(number),
    st.floats(-10, 10).map(lambda v: number(round(v, 3))),
)
_LEAVES = st.one_of(
    st.sampled_from(NAMES), _NUMBERS, st.sampled_from([OPERATORS["pi"], OPERATORS["E"]])
)
_INNER = [o for o in OPERATORS.values() if o.arity]


def _grow(children):
    def build(operator):
        return st.tuples(*[children] * operator.arity).map(lambda c: sum(c, ()) + (operator,))

    return st.sampled_from(_INNER).flatmap(build)


def trees(leaves=_LEAVES, grow=_grow, size=25):
    """Expressions with any operator of the table and names of any shape."""
    return st.recursive(leaves.map(lambda leaf: (leaf,)), grow, max_leaves=size).map(Expression)
