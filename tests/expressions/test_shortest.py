"""The shortest writing: its guarantees, on models drawn at random."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.expressions import Expression, count_text, evaluate, parse
from srlib.expressions.evaluate import arithmetic, evaluate_precisely
from srlib.expressions.operators import OPERATORS
from srlib.expressions.shortest import shortest

UNARY = ["neg", "exp", "log", "sqrt", "square", "cube", "inv", "abs", "sign", "log1p", "expm1"]
UNARY += ["sin", "cos", "tan", "cot", "sec", "csc", "tanh", "sigmoid", "gauss", "sqrtabs", "cbrt"]
UNARY += ["atan", "floor", "gplearn_log", "gplearn_inv", "gomea_log"]
BINARY = ["pow", "max", "min", "aq", "gplearn_div", "deap_div", "gomea_div", "cond"]
CHAINS = ("add", "mul")
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


@pytest.mark.parametrize("text", ["I*x", "x + I - I", "abs(I*I)*x", "exp(I*x)/I**2"])
def test_a_text_with_the_imaginary_unit_stands_as_it_is(text):
    model = parse(text, ["x"])
    assert shortest(model).expression == model
    assert shortest(parse(text, ["x", "I"])).complexity <= count_text(model)


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
@settings(max_examples=150, deadline=None)
def test_it_is_no_longer_than_the_text_and_the_same_when_it_is_made_again(tree):
    model = made(tree)
    once = shortest(model)
    assert once.complexity == count_text(once.expression) <= count_text(model)
    assert shortest(parse(once.text, ("a", "b", "c"))).complexity == once.complexity


@given(trees, st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_names_order_and_brackets_change_nothing(tree, random):
    count = shortest(made(tree)).complexity
    assert shortest(made(tree, NAMES)).complexity == count
    assert shortest(made(shuffled(tree, random))).complexity == count


@given(trees, st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_it_has_the_value_of_the_text_wherever_that_has_one(tree, seed):
    model, points = made(tree), np.random.default_rng(seed).uniform(-3, 3, (3, 4))
    columns = dict(zip("abc", points, strict=True))
    real = np.isfinite(evaluate(model, columns, 4))
    before, after = (
        evaluate_precisely(m.tape, columns, 4, DIGITS) for m in (model, shortest(model).expression)
    )
    for old, new in zip(before[real], after[real], strict=True):
        if arithmetic(DIGITS).isfinite(old):
            assert abs(old - new) <= 1e-9 * (1 + abs(old)), (old, new)


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (("x*y + x*z", "z*x + y*x", "x*y + x*z/2 + x*z/2"), 7),  # no brackets
        (("x**2 - 1", "x*x - 1"), 4),
        (("x/x", "exp(0)", "2 - 1", "cos(0)"), 1),
        (("0.1*x + 0.2*x - 0.3*x", "x - x", "0*x"), 1),
        (("exp(x)*exp(y)", "exp(x + y)"), 4),
        (("sqrt(x**2)", "abs(x)", "(x**2)**0.5", "abs(-x)"), 2),
        (("(2*x + 2*y)/(x + y) + z", "z + 2"), 3),
        (("cos(x - y)", "cos(y - x)"), 4),
        (("3*x + 3*y + z", "3*(x + y) + z"), 7),
    ],
)
def test_spellings_of_one_function_have_one_count(texts, count):
    assert [shortest(parse(text)).complexity for text in texts] == [count] * len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "x/0",
        "log(-1)*x",
        "1e300*1e300*x",
        "9**9**9 + x",
        "0*(1/0)",
        "exp(1e9)",
        "sin(" * 70 + "x" + ")" * 70,
    ],
)
def test_what_has_no_value_or_none_in_floats_is_counted_no_higher(text):
    assert shortest(parse(text)).complexity <= count_text(parse(text))


@pytest.mark.slow
def test_a_model_of_ten_thousand_nodes_ends():
    """Also where brackets nest 3,333 deep, and where nothing can be collected; seconds, not a limit of the machine."""
    nested = ("x", *("y", OPERATORS["mul"], 1.5, OPERATORS["add"]) * 2_500)
    powers = (*("x", "y") * 2_500, *[OPERATORS["pow"]] * 4_999)
    start = time.process_time()
    for tape in (nested, powers):
        assert shortest(Expression(tape)).complexity <= count_text(Expression(tape))
    assert time.process_time() - start < 60


def test_it_is_the_same_in_every_process():
    code = (
        "from srlib.expressions import parse; from srlib.expressions.shortest import shortest;"
        "print([shortest(parse(t)).text for t in ('a*b + b*c + c*a + d*a', 'sin(x)*y + y*z + z*w*sin(x)')])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1
