"""Graded distances, on trees small enough to count by hand."""

import time

import pytest
from hypothesis import given, settings

from srlib.expressions import parse, simplify, tree_apart
from srlib.expressions.distance import edits
from tests.expressions.strategies import trees


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("x + y", "x + y", 0),
        ("x + y", "x*y", 1),
        ("x + y", "x + z", 1),
        ("x", "sin(x)", 1),
        ("x + y", "x", 2),
        ("x*y + z", "x + z", 2),
        ("sin(x + y)", "x + y", 1),
        ("x*(y + z)", "x*y + z", 3),
        ("max(x, y, z)", "max(x, z)", 2),
    ],
)
def test_edits(a, b, expected):
    assert edits(parse(a).tape, parse(b).tape) == edits(parse(b).tape, parse(a).tape) == expected


@settings(max_examples=50)
@given(trees(size=8), trees(size=8), trees(size=8))
def test_edits_are_a_metric(a, b, c):
    a, b, c = (e.tape[:] for e in (a, b, c))
    assert edits(a, a) == 0
    assert edits(a, b) == edits(b, a) >= abs(len(a) - len(b))
    assert edits(a, c) <= edits(a, b) + edits(b, c)


def test_the_truth_is_at_distance_0():
    model = simplify(parse("sin(x) + y*x")).expression
    assert tree_apart(parse("x*y + sin(x)"), model) == 0.0


def test_a_long_model_is_as_far_as_can_be():
    long = parse("+".join(f"sin({k}*x)" for k in range(1, 40)))
    assert tree_apart(parse("x*y"), long) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "truth", ["x**(9**9**9)", "gamma(gamma(x + 9**9))", "((x + y + 3)**40)**40 + x"]
)
def test_a_truth_that_explodes_when_it_is_simplified_is_taken_as_it_stands(truth):
    assert 0 <= tree_apart(parse(truth), parse("x + y")) <= 1


@pytest.mark.slow
def test_trees_too_large_to_count_on_are_as_far_apart_as_can_be_within_ten_seconds():
    large = parse("+".join(["sin(x*y)"] * 3000))
    begun = time.process_time()
    assert tree_apart(parse("-".join(f"cos({i}*x)" for i in range(3000))), large) == 1.0
    assert time.process_time() - begun < 10
