"""Positional names, their base, and exact names."""

import pytest

from srlib.errors import ModelTextError
from srlib.expressions import parse, positional_bases, to_text
from srlib.expressions.operators import OPERATORS

FEATURES = ["x1", "x2", "x3"]


@pytest.mark.parametrize("name", ["x1", "x_1", "X1", "X_1", "x[:,1]", "X[:, 1]", "x[1]"])
def test_positions_are_mapped_through_the_features(name):
    assert parse(name, ["a", "b"]).tape == ("b",)
    assert parse(name, ["a", "b"], names="x1").tape == ("a",)


def test_an_exact_name_wins():
    assert parse("x1", FEATURES).tape == ("x1",)
    assert parse("X1", FEATURES).tape == ("x2",)
    assert parse("2nd*`a'b`", ["2nd", "a'b"]).tape[:2] == ("2nd", "a'b")


@pytest.mark.parametrize("name", ["x1", "x_1", "X1", "X_1", "x[:,1]"])
def test_a_stated_base_is_decisive_even_where_a_feature_has_that_very_name(name):
    features = ["x2", "x1", "x3", "X1", "x_1", "X_1", "a"]
    assert parse(name, features, names="x0").tape == ("x1",)
    assert parse(name, features, names="x1").tape == ("x2",)
    assert parse("`x3` + a", features, names="x0").tape[:2] == ("x3", "a")
    with pytest.raises(ModelTextError, match="a feature"):
        parse("x0", ["x0", "x1"], names="x1")


def test_a_text_that_counts_from_zero_gives_itself_away():
    assert to_text(parse("x0 + 2*x1", FEATURES)) == "x1 + 2*x2"
    assert to_text(parse("x0 + 2*X_1", FEATURES)) == "x1 + 2*x2"
    assert to_text(parse("x0 + x1", ["x0", "x1"])) == "x0 + x1"


@pytest.mark.parametrize("name", ["x3", "X_3", "x[:,3]", "x01", "y", "x-1x", "x1000000000000"])
def test_names_that_mean_nothing_are_errors(name):
    with pytest.raises(ModelTextError):
        parse(name, ["a", "b", "c"])


def test_features_only():
    with pytest.raises(ModelTextError, match="a feature"):
        parse("x0", ["a"], names="features")
    with pytest.raises(ValueError, match="allowed"):
        parse("a", ["a"], names="x2")


@pytest.mark.parametrize(
    ("text", "bases"),
    [
        ("X1 + X3", {1}),
        ("X0 + X2", {0}),
        ("Add(Symbol('x0'), Symbol('x2'))", {0}),
        ("x0p/x1", {0}),
        ("X1 + X2", {0, 1}),
        ("X0 + X3", set()),
        ("x[:, 1] + `x3`", {0, 1}),
    ],
)
def test_a_text_shows_its_base(text, bases):
    assert positional_bases(text, ["a", "b", "c"]) == bases


def test_exact_names_are_no_evidence_of_a_base():
    assert positional_bases("x3 + x1", ["x1", "x2", "x3"]) == set()
    assert positional_bases("xx3 + ax3 + x-1x3", ["xx3", "ax3", "x-1x3"]) == set()
    assert positional_bases("x0 + x1", ["x1", "x2", "x3"]) == {0}


def test_euler_s_number_is_a_constant_where_no_feature_is_called_so():
    assert (
        parse("E*w", ["w"]).tape
        == parse("e*w", ["w"]).tape
        == (OPERATORS["E"], "w", OPERATORS["mul"])
    )
    assert parse("E + e", ["e", "E"]).features == {"e", "E"}
    assert parse("E*w").features == {"E", "w"}


def test_exact_names_come_first_and_then_positions_from_1():
    assert parse("x1 + X1", ["x2", "x1"], names="auto-x1").tape[:2] == ("x1", "x2")
    with pytest.raises(ModelTextError, match="a feature"):
        parse("X0", ["x2", "x1"], names="auto-x1")
