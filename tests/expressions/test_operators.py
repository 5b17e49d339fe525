"""The one table of operators: each row has what an operator of its kind needs, and its columns agree."""

import numpy as np
import pytest

from srlib.displays.tables.equations import mathml
from srlib.expressions import (
    Expression,
    evaluate,
    from_sympy,
    parse,
    simplify,
    to_latex,
    to_sympy,
    to_text,
)
from srlib.expressions.evaluate import evaluate_precisely
from srlib.expressions.normal_form import normal_form
from srlib.expressions.operators import OPERATORS
from srlib.expressions.spellings import WORDS

SYMPY_CALLS = [name for name, operator in OPERATORS.items() if not operator.nodes]
EXPLAINED = sorted(name for name, o in OPERATORS.items() if o.meaning and name not in SYMPY_CALLS)
OPAQUE = sorted(name for name, o in OPERATORS.items() if o.plain)
FUNCTIONS = sorted(set(OPERATORS) - set(SYMPY_CALLS))
VALUES = (-2.0, -0.5, -0.0011, -0.0009, 0.0, 0.0009, 0.0011, 0.3, 1.0, 4.0)


def call(name):
    """Return an operator of features, as many as it takes."""
    return Expression((*"abc"[: OPERATORS[name].arity], OPERATORS[name]))


def grid(name, *values):
    """Return all combinations of some values, by feature."""
    arrays = np.meshgrid(*[values or VALUES] * OPERATORS[name].arity)
    return {letter: array.ravel() for letter, array in zip("abc", arrays, strict=False)}


def values_of(model, columns):
    return evaluate(model, columns, len(next(iter(columns.values()), [0])))


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_meaning_is_what_is_computed(name):
    """Also where it is protected: at 0, and on both sides of the thresholds."""
    columns = grid(name)
    meaning = values_of(parse(OPERATORS[name].meaning), columns)
    np.testing.assert_allclose(meaning, values_of(call(name), columns), rtol=1e-12)


@pytest.mark.parametrize("name", OPAQUE)
def test_an_opaque_operator_has_all_it_needs(name):
    operator = OPERATORS[name]
    assert operator.meaning, f"{name} is opaque to sympy and has no meaning"
    twice = ", ".join(["x"] * operator.arity) if operator.arity == 2 else "2.5"
    assert simplify(parse(f"{name}({twice})")).complexity < 4, "sympy rewrites nothing"


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_it_is_printed_and_read_back(name):
    model = call(name)
    assert parse(to_text(model)).tape == model.tape
    assert "<math" in mathml(to_latex(model))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_many_digits_give_what_floats_give(name):
    columns = grid(name, -2.3, -0.4, 0.3, 1.7)
    values = values_of(call(name), columns)
    precise = evaluate_precisely(call(name).tape, columns, len(values))
    finite = np.isfinite(values)
    np.testing.assert_allclose(precise[finite].astype(float), values[finite], rtol=1e-9)


def test_many_digits_protect_as_floats_do():
    assert evaluate_precisely(call("gomea_log").tape, {"a": np.zeros(1)}, 1)[0] == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sympy_and_gathering_keep_the_values(name):
    if name == "imaginary":  # of what has no value nothing is gathered
        assert normal_form(call(name)).tape == call(name).tape
        return
    columns = grid(name, 0.3, 0.7, 1.7)
    for other in (from_sympy(to_sympy(call(name))), Expression(normal_form(call(name)).tape)):
        expected = values_of(call(name), columns)
        np.testing.assert_allclose(values_of(other, columns), expected, rtol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parity_and_sign_are_those_of_the_values(name):
    operator, columns = OPERATORS[name], grid(name)
    values = values_of(call(name), columns)
    assert not operator.positive or np.nanmin(values) >= 0
    if operator.parity:
        mirrored = values_of(call(name), {"a": -columns["a"]})
        np.testing.assert_allclose(mirrored, operator.parity * values, rtol=1e-12)


def test_no_word_means_two_operators_in_all_dialects():
    words = [word for line in WORDS.strip().splitlines() for word in line.split(":")[1].split()]
    assert len(words) == len(set(words))
    assert set(words).isdisjoint(name for name, o in OPERATORS.items() if not o.symbol)
