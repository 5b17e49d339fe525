"""The normal form and the shortest writing: both have the value of the text; equal forms prove equality."""

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
from srlib.expressions.normal_form import NormalForm, normal_form, same_normal_form, shortest
from srlib.expressions.operators import OPERATORS

UNARY = ["neg", "exp", "log", "sqrt", "square", "cube", "inv", "abs", "sign", "log1p", "expm1", "sin", "cos", "tan",
         "cot", "sec", "csc", "tanh", "sigmoid", "gauss", "sqrtabs", "cbrt", "atan", "floor", "gplearn_log",
         "gplearn_inv", "gomea_log"]  # fmt: skip
BINARY = ["pow", "max", "min", "aq", "gplearn_div", "deap_div", "gomea_div", "cond"]
NAMES = {"a": "zeta", "b": "x10", "c": "a"}
POSITIVE = frozenset("ab")
DIGITS = 60

trees = st.recursive(
    st.sampled_from(["a", "b", "c", 0, 1, 2, -1, -3, 0.5, 1.25, -0.7]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(BINARY), inner, inner),
        st.tuples(st.sampled_from(["add", "mul", "sub", "div"]), inner, inner),
        st.tuples(st.sampled_from(UNARY), inner),
        st.tuples(st.just("pow"), inner, st.sampled_from([2, 3, -1, -2, 0.5, 1.5])),
    ),
    max_leaves=12,
)


def make(tree, names=None):
    """Make the expression of a nested tuple, perhaps with other names."""
    if not isinstance(tree, tuple):
        return Expression(((names or {}).get(tree, tree),))
    operator, *arguments = tree
    tape = sum((make(argument, names).tape for argument in arguments), ())
    return Expression((*tape, OPERATORS[operator]))


def shuffle(tree, random):
    """Turn operands and brackets round, where neither changes the function."""
    if not isinstance(tree, tuple):
        return tree
    name, *arguments = tree
    if name not in ("add", "mul"):
        return (name, *(shuffle(argument, random) for argument in arguments))
    operands, work = [], [tree]
    while work:
        item = work.pop()
        if isinstance(item, tuple) and item[0] == name:
            work += item[1:]
        else:
            operands.append(shuffle(item, random))
    random.shuffle(operands)
    while len(operands) > 1:
        place = random.randrange(len(operands) - 1)
        operands[place : place + 2] = [(name, operands[place], operands[place + 1])]
    return operands[0]


def draw_columns(seed):
    """Four points; a and b are positive."""
    points = np.random.default_rng(seed).uniform(-3, 3, (3, 4))
    return dict(zip("abc", [*np.abs(points[:2]), points[2]], strict=True))


def check_values(model, tape, columns):
    """With 60 digits, at 1e-9 of the text's value: constants are written as floats."""
    real = np.isfinite(evaluate(model, columns, 4))
    before, after = (evaluate_precisely(t, columns, 4, DIGITS) for t in (model.tape, tape))
    for old, new in zip(before[real], after[real], strict=True):
        if arithmetic(DIGITS).isfinite(old):
            assert abs(old - new) <= 1e-9 * (1 + abs(old)), (old, new, Expression(tape))


@given(trees, st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_the_values_are_those_of_the_text(tree, seed):
    model, columns = make(tree), draw_columns(seed)
    for expand in (True, False):
        check_values(model, normal_form(model, POSITIVE, expand=expand).tape, columns)
    signed = {name: column * [1, -1, 1, -1] for name, column in columns.items()}
    check_values(model, shortest(model).expression.tape, signed)


@pytest.mark.parametrize(
    ("text", "expand", "tape"),
    [
        ("0.0005*(80*1000*x)*y", True, (40.0, "x", "y", "mul", "mul")),  # a number in a product
        ("x + 0.5*x - 2*x", True, (-0.5, "x", "mul")),  # like terms
        ("exp((0.5*0.6)*x + log(2))", True, (2.0, 0.3, "x", "mul", "exp", "mul")),
        ("x**2*x**0.5", True, (1.0, "x", 2.5, "pow", "mul")),  # powers of one base
        ("x/x + 3", True, (4.0,)),  # what cancels
    ],
)
def test_gathered_by_hand(text, expand, tape):
    form = normal_form(parse(text), frozenset("xy"), expand=expand)
    assert tuple(getattr(item, "name", item) for item in form.tape) == pytest.approx(tape)


@pytest.mark.parametrize(
    ("truth", "model", "between"),
    [
        ("(x + 1)**2", "x**2 + 2*x + 1", {}),
        ("sqrt(a*b)", "a**0.5*sqrt(b)", {}),
        ("log(a/b)", "log(a) - log(b)", {}),
        ("exp(x + 2*log(a))", "a**2*exp(x)", {}),
        ("sqrt(x**2)", "abs(x)", {}),
        ("x*y", "x*y + 3", {"offset": 3.0}),
        ("x/(y + 2)", "-2*x/(2*y + 4)", {"factor": -1.0}),
        ("x*sin(0.3*y)", "0.1*3*x*sin(y*(0.1 + 0.2))", {"factor": 0.3}),
    ],
)
def test_equal_forms_are_a_proof(truth, model, between):
    assert same_normal_form(parse(truth), parse(model), POSITIVE, **between)


@pytest.mark.parametrize(
    ("truth", "model"),
    [
        ("x", "x + 1e-16*y**30"),  # a tiny coefficient says nothing about the size of a term
        ("x", "x + 2*(mod(1000*x, 1) > 0.9999)"),
        ("sqrt(x*y)", "sqrt(x)*sqrt(y)"),  # of two negative features only the first has a value
        ("log(x**2)", "2*log(x)"),
        ("x", "sqrt(x**2)"),
        ("x**2", "x**2.0003"),
        ("sin(1e12*x)", "sin((1e12 + 10)*x)"),
        ("x*y", "1.00001*x*y"),
        ("floor(x) + 1", "ceil(x)"),
        ("x", "1/(x - x)"),
    ],
)
def test_other_functions_are_never_proved(truth, model):
    assert not same_normal_form(parse(truth), parse(model), POSITIVE)


BEYOND = ["sin(" * 70 + "x" + ")" * 70, "1e300*1e300*x"]


@pytest.mark.parametrize("text", [*BEYOND, " + ".join(f"{i}.5*x**{i}" for i in range(1, 600))])
def test_beyond_the_limits_the_model_stands_without_constants(text):
    assert normal_form(parse(text)) == NormalForm(parse(text).tape)


@given(trees, st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_the_count_is_that_of_any_names_order_and_brackets(tree, random):
    model = make(tree)
    once = shortest(model)
    assert once.complexity == count_text(once.expression) <= count_text(model)
    assert shortest(parse(once.text, ("a", "b", "c"))).complexity == once.complexity
    assert shortest(make(tree, NAMES)).complexity == once.complexity
    assert shortest(make(shuffle(tree, random))).complexity == once.complexity


def test_what_has_no_value_or_none_in_floats_is_counted_no_higher():
    for text in [*BEYOND, "x/0", "log(-1)*x", "9**9**9 + x", "0*(1/0)", "exp(1e9)"]:
        assert shortest(parse(text)).complexity <= count_text(parse(text))


def test_a_text_with_the_imaginary_unit_stands_as_it_is():
    for text in ("I*x", "x + I - I", "abs(I*I)*x", "exp(I*x)/I**2"):
        model = parse(text, ["x"])
        assert shortest(model).expression == model
        assert shortest(parse(text, ["x", "I"])).complexity <= count_text(model)


@pytest.mark.slow
def test_a_model_of_ten_thousand_nodes_ends():
    """Also where brackets nest 3,333 deep, and where nothing can be collected; seconds, not a limit of the machine."""
    nested = ("x", *("y", OPERATORS["mul"], 1.5, OPERATORS["add"]) * 2_500)
    powers = (*("x", "y") * 2_500, *[OPERATORS["pow"]] * 4_999)
    begun = time.process_time()
    for tape in (nested, powers):
        assert shortest(Expression(tape)).complexity <= count_text(Expression(tape))
    assert time.process_time() - begun < 60


def test_it_is_the_same_in_every_process():
    code = (
        "from srlib.expressions import parse; from srlib.expressions.normal_form import shortest;"
        "print([shortest(parse(t)).text for t in ('a*b + b*c + c*a + d*a', 'sin(x)*y + y*z + z*w*sin(x)')])"
    )
    outputs = {
        subprocess.check_output(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}
        )
        for seed in "01"
    }
    assert len(outputs) == 1
