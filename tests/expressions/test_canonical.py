"""The canonical count: its guarantees, on models drawn at random."""

import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.expressions import Expression, count_text, evaluate, parse
from srlib.expressions.algebra.canonical import canonical
from srlib.expressions.operators import OPERATORS
from srlib.expressions.truth.precise import context, precise

UNARY = [
    *"neg exp log sqrt square cube inv abs sign sin cos tan cot sec csc tanh log1p expm1 sigmoid gauss".split(),
    *"sqrtabs cbrt atan floor gplearn_log gplearn_inv gomea_log".split(),
]
BINARY = "add sub mul div add mul pow max min aq gplearn_div deap_div gomea_div cond".split()
CHAINS = ("add", "mul", "max", "min")
LEAVES = ["a", "b", "c", 0, 1, 2, -1, -3, 0.5, 1.25, -0.7]
NAMES = {"a": "zeta", "b": "x10", "c": "a"}
DIGITS = 60

trees = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(BINARY), inner, inner),
        st.tuples(st.sampled_from(["add", "mul", "sub", "div"]), inner, inner),
        st.tuples(st.sampled_from(UNARY), inner),
        st.tuples(st.just("pow"), inner, st.sampled_from([2, 3, -1, -2, 0.5, 1.5])),
    ),
    max_leaves=12,
)


def made(tree, rename=None):
    """Make the expression of a nested tuple."""
    if not isinstance(tree, tuple):
        return Expression(((rename or {}).get(tree, tree),))
    name, *arguments = tree
    tape = sum((made(one, rename).tape for one in arguments), ())
    return Expression((*tape, OPERATORS[name]))


def shuffled(tree, random):
    """Turn operands and brackets round, where neither changes the function."""
    if not isinstance(tree, tuple):
        return tree
    name, *arguments = tree
    if name not in CHAINS:
        return (name, *(shuffled(one, random) for one in arguments))
    operands, work = [], [tree]
    while work:
        one = work.pop()
        if isinstance(one, tuple) and one[0] == name:
            work += one[1:]
        else:
            operands.append(shuffled(one, random))
    random.shuffle(operands)
    while len(operands) > 1:
        place = random.randrange(len(operands) - 1)
        operands[place : place + 2] = [(name, operands[place], operands[place + 1])]
    return operands[0]


@given(trees)
@settings(max_examples=300, deadline=None)
def test_it_is_no_longer_than_the_text_and_the_same_when_it_is_made_again(tree):
    model = made(tree)
    once = canonical(model)
    assert once.complexity == count_text(once.expression) <= count_text(model)
    assert canonical(parse(once.text, ("a", "b", "c"))).complexity == once.complexity


@given(trees, st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_names_order_and_brackets_change_nothing(tree, random):
    count = canonical(made(tree)).complexity
    assert canonical(made(tree, NAMES)).complexity == count
    assert canonical(made(shuffled(tree, random))).complexity == count


@given(trees, st.integers(0, 2**32 - 1))
@settings(max_examples=300, deadline=None)
def test_it_has_the_value_of_the_text_wherever_that_has_one(tree, seed):
    model, points = made(tree), np.random.default_rng(seed).uniform(-3, 3, (3, 4))
    columns = dict(zip("abc", points, strict=True))
    numbers = context(DIGITS)
    before, after = (
        precise(m.tape, columns, 4, DIGITS) for m in (model, canonical(model).expression)
    )
    for old, new in zip(before, after, strict=True):
        if numbers.isfinite(old):
            assert abs(old - new) <= 1e-9 * (1 + abs(old)), (old, new)
