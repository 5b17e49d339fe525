"""The normal form: its value is that of the text, and equal forms prove equality."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.expressions import Expression, evaluate, parse
from srlib.expressions.evaluate import arithmetic, evaluate_precisely
from srlib.expressions.normal_form import NormalForm, normal_form, same_normal_form
from tests.expressions.test_shortest import DIGITS, made, trees

POSITIVE = frozenset("ab")


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


@pytest.mark.parametrize("expand", [True, False])
@given(tree=trees, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_the_form_has_the_value_of_the_text(tree, seed, expand):
    """With 60 digits: at 1e-9 of the text's value, for constants are written as floats."""
    model = made(tree)
    points = np.random.default_rng(seed).uniform(-3, 3, (3, 4))
    columns = dict(zip("abc", [*np.abs(points[:2]), points[2]], strict=True))
    form = normal_form(model, POSITIVE, expand=expand)
    real = np.isfinite(evaluate(model, columns, 4))
    if not real.any():
        return
    before, after = (
        evaluate_precisely(tape, columns, 4, DIGITS) for tape in (model.tape, form.tape)
    )
    for old, new in zip(before[real], after[real], strict=True):
        if arithmetic(DIGITS).isfinite(old):
            assert abs(old - new) <= 1e-9 * (1 + abs(old)), (old, new, Expression(form.tape))


@pytest.mark.parametrize(
    "text",
    [
        "sin(" * 70 + "x" + ")" * 70,
        "1e300*1e300*x",
        " + ".join(f"{i}.5*x**{i}" for i in range(1, 600)),
    ],
)
def test_beyond_the_limits_the_model_stands_without_constants(text):
    assert normal_form(parse(text)) == NormalForm(parse(text).tape)
