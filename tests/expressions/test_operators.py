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
from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.spellings import WORDS

SYMPY_CALLS = [name for name, operator in OPERATORS.items() if not operator.nodes]
EXPLAINED = sorted(name for name, o in OPERATORS.items() if o.meaning and name not in SYMPY_CALLS)
OPAQUE = sorted(name for name, o in OPERATORS.items() if o.plain)
FUNCTIONS = sorted(set(OPERATORS) - set(SYMPY_CALLS))
VALUES = np.array([-2.0, -0.5, -0.0011, -0.0009, 0.0, 0.0009, 0.0011, 0.3, 1.0, 4.0])


def call(name):
    """Return an operator of features, as many as it takes."""
    return Expression((*"abc"[: OPERATORS[name].arity], OPERATORS[name]))


def grid(name, values=VALUES):
    """Return all combinations of some values, by feature."""
    arrays = np.meshgrid(*[values] * OPERATORS[name].arity) if OPERATORS[name].arity else []
    return {letter: array.ravel() for letter, array in zip("abc", arrays, strict=False)}


def rows(columns):
    return len(next(iter(columns.values()))) if columns else 1


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_meaning_is_what_is_computed(name):
    """Also where it is protected: at 0, and on both sides of the thresholds."""
    columns = grid(name)
    wanted = evaluate(call(name), columns, rows(columns))
    got = evaluate(parse(OPERATORS[name].meaning), columns, rows(columns))
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


@pytest.mark.parametrize("name", OPAQUE)
def test_an_opaque_operator_has_all_it_needs(name):
    operator = OPERATORS[name]
    assert operator.meaning, f"{name} is opaque to sympy and has no meaning"
    twice = ", ".join(["x"] * operator.arity) if operator.arity == 2 else "2.5"
    assert simplify(parse(f"{name}({twice})")).complexity < 4, "sympy rewrites nothing"


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_explanation_has_operators_that_every_expert_knows(name):
    operator = OPERATORS[name]
    explanation = parse(operator.plain or operator.meaning).tape
    assert not any(item.meaning for item in explanation if isinstance(item, Operator))


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_it_is_printed_and_read_back(name):
    model = call(name)
    assert parse(to_text(model)).tape == model.tape
    assert "<math" in mathml(to_latex(model))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_many_digits_give_what_floats_give(name):
    columns = grid(name, np.array([-2.3, -0.4, 0.3, 1.7]))
    wanted = evaluate(call(name), columns, rows(columns))
    got = [float(value) for value in evaluate_precisely(call(name).tape, columns, rows(columns))]
    finite = np.isfinite(wanted)
    np.testing.assert_allclose(np.array(got)[finite], wanted[finite], rtol=1e-9)


def test_many_digits_protect_as_floats_do():
    zero = {"a": np.zeros(1)}
    assert evaluate_precisely(call("gomea_log").tape, zero, 1)[0] == 0


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "imaginary"])
def test_sympy_and_back_computes_the_same(name):
    columns = grid(name, np.array([0.3, 0.7, 1.7]))
    back = from_sympy(to_sympy(call(name)))
    wanted = evaluate(call(name), columns, rows(columns))
    np.testing.assert_allclose(evaluate(back, columns, rows(columns)), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parity_and_sign_are_those_of_the_values(name):
    operator = OPERATORS[name]
    columns = grid(name)
    values = evaluate(call(name), columns, rows(columns))
    assert not operator.positive or np.nanmin(values) >= 0
    if operator.parity:
        mirrored = evaluate(call(name), {"a": -columns["a"]}, rows(columns))
        np.testing.assert_allclose(mirrored, operator.parity * values, rtol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gathering_constants_keeps_the_values(name):
    columns = grid(name, np.array([0.3, 0.7]))
    gathering = normal_form(call(name))
    wanted = evaluate(call(name), columns, rows(columns))
    if name == "imaginary":  # of what has no value nothing is gathered
        assert gathering.tape == call(name).tape
        return
    got = evaluate(Expression(gathering.tape), columns, rows(columns))
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_no_word_means_two_operators_in_all_dialects():
    words = [word for line in WORDS.strip().splitlines() for word in line.split(":")[1].split()]
    assert len(words) == len(set(words))
    assert set(words).isdisjoint(name for name, o in OPERATORS.items() if not o.symbol)
