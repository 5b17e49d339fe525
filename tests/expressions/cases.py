"""Cases of the tests: rows of text tables, and random trees for the invariants."""

import re

import pytest
from hypothesis import strategies as st

from srlib.expressions import Expression
from srlib.expressions.operators import OPERATORS
from srlib.expressions.tree import number


def cells(table):
    """Rows of a text table: two blanks or more stand between its cells."""
    return [re.split(r"\s{2,}", line.strip()) for line in table.strip().splitlines()]


def each_row(names, table):
    """Parametrise a test by a text table: a row for each case."""
    return pytest.mark.parametrize(names.split(), cells(table))


[NAMES] = cells("x  y  x1  x10  cell size  x-1  x.1  lambda  E  pi  sin  p  a`b  nan  not")
LEAVES = st.one_of(
    st.sampled_from([*NAMES, OPERATORS["pi"], OPERATORS["E"]]),
    st.integers(-20, 20),
    st.floats(allow_nan=False, allow_infinity=False).map(number),
    st.floats(-10, 10).map(lambda value: number(round(value, 3))),
)


def trees(leaves=LEAVES, operators=tuple(OPERATORS), size=40):
    """Models of some leaves and operators, by default of any operator of the table and names of any shape."""
    by_arity = {}
    for name in operators:
        by_arity.setdefault(OPERATORS[name].arity, []).append(OPERATORS[name])

    def grow(children):
        return st.one_of(
            [
                st.tuples(*[children] * arity, st.sampled_from(roots)).map(
                    lambda parts: (*sum(parts[:-1], ()), parts[-1])
                )
                for arity, roots in by_arity.items()
                if arity
            ]
        )

    return st.recursive(leaves.map(lambda leaf: (leaf,)), grow, max_leaves=size).map(Expression)
