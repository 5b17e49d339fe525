"""Graded distances, on trees small enough to count by hand."""

import time

import pytest

from srlib.expressions import parse, simplify, tree_distance
from srlib.expressions.simplify import count_edits
from tests.expressions.cases import each_row

EDITS = """
    x + y         x + y      0
    x + y         x*y        1
    x + y         x + z      1
    x             sin(x)     1
    x + y         x          2
    x*y + z       x + z      2
    sin(x + y)    x + y      1
    x*(y + z)     x*y + z    3
    max(x, y, z)  max(x, z)  2
"""


@each_row("a b expected", EDITS)
def test_trees_differ_by_the_edits_counted_by_hand(a, b, expected):
    a, b = parse(a).tape, parse(b).tape
    assert count_edits(a, b) == count_edits(b, a) == int(expected)


def test_truth_has_distance_0_and_a_long_model_distance_1():
    truth = parse("x*y + sin(x)")
    long = parse("+".join(f"sin({k}*x)" for k in range(1, 40)))
    assert tree_distance(truth, simplify(parse("sin(x) + y*x")).expression) == 0.0
    assert tree_distance(truth, long) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "truth",
    ["x**(9**9**9)", "gamma(gamma(x + 9**9))", "((x + y + 3)**40)**40 + x", "x - " * 3000 + "y"],
)
def test_truth_that_explodes_is_compared_within_ten_seconds(truth):
    begun = time.process_time()
    assert 0 <= tree_distance(parse(truth), parse("+".join(["sin(x*y)"] * 3000))) <= 1
    assert time.process_time() - begun < 10
