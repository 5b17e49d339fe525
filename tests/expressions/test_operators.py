"""The one table of operators: each row has what an operator of its kind needs, and its columns agree."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.displays.tables.equations import mathml
from srlib.expressions import (
    Expression,
    count_sympy,
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
from srlib.tools.ballot.sheet import write_plainly

FUNCTIONS = sorted(name for name, operator in OPERATORS.items() if operator.nodes)
EXPLAINED = [name for name in FUNCTIONS if OPERATORS[name].meaning]
OPAQUE = [name for name in FUNCTIONS if OPERATORS[name].plain]
VALUES = (-2.0, -0.5, -0.0011, -0.0009, 0.0, 0.0009, 0.0011, 0.3, 1.0, 4.0)


def call(name):
    """Return an operator of features, as many as it takes."""
    return Expression((*"abc"[: OPERATORS[name].arity], OPERATORS[name]))


def grid(values):
    """Return all combinations of some values, by feature."""
    arrays = np.meshgrid(values, values, values)
    return {letter: array.ravel() for letter, array in zip("abc", arrays, strict=True)}


def values_of(model, values=VALUES):
    return evaluate(model, grid(values), len(values) ** 3)


@pytest.mark.parametrize("name", EXPLAINED)
def test_meaning_of_an_operator_has_its_values(name):
    """Also where it is protected: at 0, and on both sides of the thresholds."""
    meaning = values_of(parse(OPERATORS[name].meaning))
    np.testing.assert_allclose(meaning, values_of(call(name)), rtol=1e-12)


@pytest.mark.parametrize("name", OPAQUE)
def test_opaque_operator_is_rewritten_only_where_it_is_plain(name):
    operands = ["2.5", "x, x"][OPERATORS[name].arity - 1]
    assert OPERATORS[name].meaning and simplify(parse(f"{name}({operands})")).complexity < 4


CONTEXTS = [
    "{}",
    "2.5*{}",
    "d*{} + 1.5",
    "sin({})",
    "exp({})**2",
    "d/{}",
    "max({}, d)",
    "{} - d**{}",
]
ARGUMENTS = ["b + 1.5", "a", "2*b*c", "b/a", "sin(a)", "b**2"]


@given(st.sampled_from(OPAQUE), st.sampled_from(CONTEXTS), *[st.sampled_from(ARGUMENTS)] * 2)
def test_protected_operator_counts_no_less_than_its_plain_form(name, context, a, b):
    """Wherever it stands, and even where something cancels; `write_plainly` replaces it in the text."""
    arguments = ", ".join([a, b][: OPERATORS[name].arity])
    protected = parse(context.replace("{}", f"{name}({arguments})"))
    sizes = [count_sympy(to_sympy(model)) for model in (protected, write_plainly(protected))]
    assert sizes[0] >= sizes[1]


@pytest.mark.parametrize("name", OPAQUE)
def test_what_cancels_only_in_plain_form_is_counted(name):
    protected = f"{name}({', '.join('xy'[: OPERATORS[name].arity])})"
    plain = to_text(write_plainly(parse(protected)))
    assert count_sympy(to_sympy(parse(f"z + 1e3*({protected} - {plain})"))) > 8


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_operator_is_printed_and_read_back(name):
    model = call(name)
    assert parse(to_text(model)) == model
    assert "<math" in mathml(to_latex(model))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_operator_has_the_same_values_with_many_digits(name):
    protected = (-2.3, -0.4, -0.0009, 0.0009, 0.3, 1.7)
    values = values_of(call(name), protected)
    precise = evaluate_precisely(call(name).tape, grid(protected), len(values))
    finite = np.isfinite(values)
    np.testing.assert_allclose(precise[finite].astype(float), values[finite], rtol=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_operator_keeps_its_values_through_sympy_and_gathering(name):
    model, some = call(name), (0.3, 0.7, 1.7)
    gathered = Expression(normal_form(model).tape)
    np.testing.assert_allclose(values_of(gathered, some), values_of(model, some), rtol=1e-12)
    if name != "imaginary":
        back = from_sympy(to_sympy(model))
        np.testing.assert_allclose(values_of(back, some), values_of(model, some), rtol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parity_and_sign_of_an_operator_fit_its_values(name):
    operator, values = OPERATORS[name], values_of(call(name))
    assert not operator.positive or np.nanmin(values) >= 0
    if operator.parity:
        mirrored = values_of(call(name), tuple(-value for value in VALUES))
        np.testing.assert_allclose(mirrored, operator.parity * values, rtol=1e-12)


DIALECT_WORDS = [word for line in WORDS.strip().splitlines() for word in line.split(":")[1].split()]


def test_word_of_a_dialect_means_one_operator():
    assert len(DIALECT_WORDS) == len(set(DIALECT_WORDS))
    assert set(DIALECT_WORDS).isdisjoint(name for name, o in OPERATORS.items() if not o.symbol)


def test_new_word_of_a_dialect_has_a_text():
    """Of the words of today 68 have none in texts.csv; a new one needs a text that a tool writes."""
    texts = (Path(__file__).parent / "texts.csv").read_text(encoding="utf-8")
    called = {word.lower() for word in re.findall(r"([A-Za-z_0-9]+)\s*\(", texts)}
    without = [word for word in DIALECT_WORDS if word.lower() not in called]
    assert len(without) <= 68, without
