"""Texts as people write them by hand are read, or refused; what can be read as it stands is never touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.errors import ModelTextError
from srlib.expressions import parse, to_text
from srlib.expressions.reading.mending import mended

FEATURES = ["t", "x1", "x2", "a"]


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("y = 2*t", "2*t"),
        ("f(t, x1) = 2*t", "2*t"),
        ("The best model found is: y = 2*t + 1.", "2*t + 1"),
        ("3t", "3*t"),
        ("2.5e-3 x1 + 3(t + 1)", "2.5e-3*x1 + 3*(t + 1)"),
        ("y = 1e5*t", "1e5*t"),
        ("x₁² · t", "x1**2*t"),
        ("x₁⁻² × t − 1", "x1**(-2)*t - 1"),
        ("2*t  # fitted on 12 May, R2 = 0.9", "2*t"),
        ("2*t[0]", "2*t"),
        ("c*t + d where c = 2, d = -3", "2*t + (-3)"),
        ("y = c*t; where c = 2.", "2*t"),
        ("√(t) ÷ 2", "sqrt(t)/2"),
    ],
)
def test_texts_by_hand(text, formula):
    with pytest.raises(ModelTextError):
        parse(text, FEATURES, mend=False)
    assert to_text(parse(text, FEATURES)) == to_text(parse(formula, FEATURES))


@pytest.mark.parametrize(
    "text",
    [
        "x1 = 2*t",  # about a feature, not the target
        "log(y) = 2*t",
        "1/y = 2*t",
        "y = z = 2*t",
        "1/2t",  # (1/2)*t or 1/(2*t)
        "t^2x1",
        "t x1",
        "a*t where a = 2",  # a is a feature
        "c*t where c = t",
        "I could not find a model",
        "y =",
        "for positive t, y = 2*t",  # not for every row
        "y = 2*t if t",
    ],
)
def test_what_could_mean_two_things_is_refused(text):
    with pytest.raises(ModelTextError):
        parse(text, FEATURES)


def test_a_feature_of_such_a_name_leaves_texts_alone():
    assert mended("y = 2·t", ["t", "Δ"]) is None
    assert mended("3t", ["t", "2theta"]) is None
    with pytest.raises(ModelTextError, match="position 1: '3t'"):
        parse("3t", ["t", "2theta"])


@given(st.text(alphabet="xt12a .=#*/^()e+-[0]where", max_size=14))
def test_no_text_that_can_be_read_is_changed(text):
    try:
        plain = parse(text, FEATURES, mend=False)
    except ModelTextError:
        return
    assert parse(text, FEATURES) == plain
