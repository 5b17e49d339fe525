"""The test of pairs against a brute-force version of its definition, and against counting by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from srlib.comparing.paired_tests import (
    cliques,
    compare_pairs,
    rank_methods,
    sign_flips,
    smallest_p,
)
from srlib.metrics import METRICS, Metric
from tests.builders import examples
from tests.comparing.brute_force import brute_force_p

SCORE = Metric("score")
NAMES = ["method_a", "method_b"]


@st.composite
def tables(draw, most_units=7):
    """Units x methods with ties, gains and noise; from six units on."""
    shape = draw(st.integers(6, most_units)), draw(st.integers(2, 5))
    cell = st.integers(-4, 4) | st.floats(-1, 1).map(lambda number: round(number, 3))
    rows = st.lists(cell, min_size=shape[1], max_size=shape[1])
    array = np.array(draw(st.lists(rows, min_size=shape[0], max_size=shape[0])), float)
    array += np.arange(shape[1]) * draw(st.sampled_from([0, 1, 5]))
    return pd.DataFrame(array, columns=list("abcde")[: shape[1]])


def by_pair(pairs):
    """Rows of the pairs, each method once as the first."""
    turned = pairs.rename(columns=dict(zip(NAMES, NAMES[::-1], strict=True)))
    low, high = -turned["effect_high"], -turned["effect_low"]
    turned = turned.assign(effect=-turned["effect"], effect_low=low, effect_high=high)
    columns = ["p_value", "effect", "effect_low", "effect_high", "better"]
    return pd.concat([pairs, turned]).set_index(NAMES)[columns].sort_index()


@given(tables())
@examples(40)
def test_p_values_are_those_of_brute_force(values):
    pairs = compare_pairs(values, SCORE)
    a, b = (values[pairs[name]].to_numpy() for name in NAMES)
    assert pairs["p_value"].to_numpy() == pytest.approx(brute_force_p(a - b), abs=1e-12)


@given(tables(16))
@examples(40)
def test_an_interval_excludes_0_exactly_when_the_pair_is_told_apart(values):
    pairs = compare_pairs(values, SCORE)
    is_apart = (pairs["effect_low"] > 0) | (pairs["effect_high"] < 0)
    assert is_apart.tolist() == (pairs["p_value"] <= 0.05).tolist()
    assert is_apart.tolist() == (pairs["better"] != "").tolist()
    assert pairs["p_value"].dropna().ge(smallest_p(len(values))).all()


@given(tables(16), st.randoms(use_true_random=False))
@examples(40)
def test_the_order_of_units_and_methods_changes_nothing(values, random):
    mixed = values.loc[random.sample(list(values.index), len(values))]
    mixed = mixed[random.sample(list(values), values.shape[1])]
    expected, pairs = (by_pair(compare_pairs(table, SCORE)) for table in (values, mixed))
    pd.testing.assert_frame_equal(pairs, expected, atol=1e-9)


@given(tables(16), st.sampled_from([1 / 3, 7e-5, 3e9]))
@examples(40)
def test_a_factor_changes_no_p(values, factor):
    pairs, scaled = compare_pairs(values, SCORE), compare_pairs(values * factor, SCORE)
    assert scaled["p_value"].tolist() == pairs["p_value"].tolist()
    assert scaled[["wins", "ties", "losses"]].equals(pairs[["wins", "ties", "losses"]])


def test_a_pair_is_as_sure_as_its_flips():
    """A gains on all of six units; B and C tie on all. Of 32 flips the identity alone reaches t of A and B."""
    values = pd.DataFrame({"A": [1, 2, 3, 4, 5, 6.5], "B": 0.0, "C": 0.0})
    pairs = compare_pairs(values, SCORE)
    assert pairs["p_value"].tolist() == [1 / 32, 1 / 32, 1]
    assert pairs["state"].tolist() == ["better", "better", "not told apart"]
    assert pairs["effect"].tolist() == pytest.approx([21.5 / 6, 21.5 / 6, 0])
    assert pairs["effect_low"].isna().tolist() == [False, False, True]


def test_equal_gains_have_an_infinite_statistic_and_rounding_is_no_gain():
    values = pd.DataFrame({"A": np.arange(6) + 0.3, "B": np.arange(6), "C": np.arange(6) + 0.1})
    values["D"] = values["A"] * (1 + 1e-15)
    pairs = compare_pairs(values, SCORE).set_index(NAMES)
    assert pairs.loc[("A", "B"), ["p_value", "effect_low"]].tolist() == pytest.approx([1 / 32, 0.3])
    assert pairs.loc[("A", "D"), ["p_value", "ties"]].tolist() == [1, 6]


def test_flips_are_all_up_to_14_units_and_drawn_with_a_fixed_seed_beyond():
    assert (
        len({*map(tuple, sign_flips(14) * sign_flips(14)[:, -1:])}) == len(sign_flips(14)) == 2**13
    )
    drawn = sign_flips(15)
    assert drawn.shape == (10_000, 15) and (drawn[0] == 1).all() and abs(drawn[1:].mean()) < 0.01
    assert (smallest_p(14), smallest_p(15)) == (1 / 2**13, 1e-4)


def test_errors_of_other_units_count_alike_and_no_error_is_no_infinite_gain():
    """A errs half as much on each of seven datasets, of which one has values of a million, and nothing on one."""
    errors = np.array([3.0, 1e6, 50, 200, 7, 1e-9, 80])
    values = pd.DataFrame({"A": errors / 2, "B": errors})
    for factor in (1, 1 / 3):
        pair = compare_pairs(values * factor, METRICS["rmse_test"]).iloc[0]
        assert (pair["p_value"], pair["better"]) == (1 / 2**6, "A")
    values.loc[0, "A"] = 0
    pair = compare_pairs(values, METRICS["rmse_test"]).iloc[0]
    assert pair["better"] == "A" and 0.01 < pair["effect"] < 0.5


def test_intervals_of_shares_end_at_1(generator):
    """One method solves nearly all, the other nearly nothing; of six units none tells where the difference ends."""
    values = pd.DataFrame({"A": [1, 1, 1, 1, 0.1, 1], "B": [0, 0, 0.2, 0, 0, 0]})
    pair = compare_pairs(values, METRICS["solution"]).iloc[0]
    assert pair["effect_high"] == 1 and pair["effect_low"] > 0


def test_ranks_are_those_of_scipy_and_small_errors_do_not_tie_beside_a_large_one(generator):
    values = pd.DataFrame(generator.normal(size=(25, 5)).round(0))
    ranks = stats.rankdata(-values, axis=1)
    assert rank_methods(values, SCORE).to_numpy().tolist() == ranks.tolist()
    assert rank_methods(values, Metric("size", "lower")).to_numpy().tolist() == (6 - ranks).tolist()
    errors = pd.DataFrame([[1e-9, 2e-9, 1e6]])
    assert rank_methods(errors, METRICS["rmse_test"]).iloc[0].tolist() == [1, 2, 3]


def test_bars_join_those_and_only_those_that_are_not_told_apart():
    """a-c and b-d are told apart by chance of ranks: a bar may pass a method without joining it."""
    pairs = pd.DataFrame(itertools.combinations("abcd", 2), columns=NAMES)
    pairs["better"] = ["", "a", "", "", "b", ""]  # ab ac ad bc bd cd
    assert list(map("".join, cliques(pairs, list("abcd")))) == ["ab", "ad", "bc", "cd"]
    assert cliques(pairs.assign(better=""), list("abcd")) == [list("abcd")]
