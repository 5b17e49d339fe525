"""Tests and effects against scipy, and against counting by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from srlib.comparing.paired_tests import (
    cliques,
    compare_pairs,
    compare_two,
    friedman_p,
    hodges_lehmann,
    rank_methods,
    sign_flip_p,
    signed_ranks,
    subtract,
)
from srlib.metrics import METRICS, Metric

SCORE = Metric("score")


def table(seed: int, ties: bool = False, units: int = 25) -> pd.DataFrame:
    """Random values of five methods, the better the later."""
    array = np.random.default_rng(seed).normal(size=(units, 5)) + 0.3 * np.arange(5)
    return pd.DataFrame(array.round(0) if ties else array, columns=list("abcde"))


@pytest.mark.parametrize(
    ("ties", "units", "method"),
    [
        (False, 12, "exact"),
        (False, 50, "exact"),
        (False, 80, "asymptotic"),
        (True, 90, "asymptotic"),
    ],
)
def test_p_values_are_those_of_scipy(ties, units, method):
    values = table(0, ties, units)
    for row in compare_pairs(values, SCORE).itertuples():
        gap = subtract(values[row.method_a], values[row.method_b])
        p_value = stats.wilcoxon(gap, zero_method="pratt", method=method).pvalue
        if not ties or (gap != 0).sum() > 50:
            assert row.p_value == pytest.approx(p_value, rel=1e-9)


def test_ties_and_zeros_are_counted_exactly():
    """Ranks 1, 2.5, 2.5, 4, 5, 6 with the zero of rank 1 left out: every way to sign the other five."""
    ranks = signed_ranks(np.array([0, -1, 1, 2, 3, 4.0]))
    assert ranks.tolist() == [0, -2.5, 2.5, 4, 5, 6]
    sums = [np.dot(signs, np.abs(ranks[1:])) for signs in itertools.product([1, -1], repeat=5)]
    assert sign_flip_p(2 * ranks) == np.mean(np.abs(sums) >= ranks.sum())


def test_rates_are_tested_by_what_their_interval_is_of():
    """Wilcoxon's ranks say that b is better (15 small gains, 5 large losses); the mean says nothing."""
    a, b = np.full(40, 0.5), np.full(40, 0.5)
    b[:15] += 0.1
    a[15:20] += 0.3
    _, p_value, sign, (effect, low, high) = compare_two(a, b, METRICS["solution"])
    assert (p_value, sign, round(effect, 9)) == (1, 0, 0) and low < 0 < high
    assert compare_two(a, b, SCORE)[1] < 1
    equal = compare_two(a, a, METRICS["solution"])[3]
    assert equal[0] == 0 and np.isnan(equal[1:]).all()  # nothing shows that two rates are equal


def test_sizes_are_compared_by_their_ratio():
    sizes = np.array([3.0, 10, 50, 200, 7, 1000, 80])
    _, p_value, sign, effect = compare_two(2 * sizes, sizes, METRICS["complexity"])
    assert effect == pytest.approx((2, 2, 2)) and (p_value, sign) == (2 / 2**7, -1)


@given(st.lists(st.integers(-30, 30), min_size=6, max_size=40))
@settings(max_examples=60)
def test_test_effect_and_interval_agree(numbers):
    """Without ties: p below 0.05 where, and only where, the interval does not hold 0, and with one sign."""
    gaps = np.array(numbers) + np.arange(len(numbers)) * np.pi / 1000
    _, p_value, sign, (effect, low, high) = compare_two(gaps, 0 * gaps, SCORE)
    assert (p_value < 0.05) == (low > 0 or high < 0)
    assert p_value >= 0.05 or np.sign(effect) == sign


def test_the_interval_covers_what_is_true(generator):
    ends = [hodges_lehmann(generator.normal(0.3, 1, 20))[1:] for _ in range(300)]
    assert 0.92 <= np.mean([low <= 0.3 <= high for low, high in ends]) <= 0.98


def test_fewer_than_six_units_are_not_tested():
    values = table(0, units=6)
    values.loc[0] = np.nan
    pairs = compare_pairs(values, SCORE)
    assert set(pairs["n_units"]) == {5} and pairs["p_value"].isna().all()
    assert np.isnan(friedman_p(values[1:], SCORE))


@pytest.mark.parametrize("ties", [False, True])
def test_ranks_and_friedmans_test_are_those_of_scipy(ties):
    values = table(1, ties)
    p_value = stats.friedmanchisquare(*values.to_numpy().T).pvalue
    assert friedman_p(values, SCORE) == pytest.approx(p_value)
    assert friedman_p(values * 0, SCORE) == 1
    ranks = pd.Series(stats.rankdata(-values, axis=1).mean(axis=0), values.columns)
    for metric, expected in ((SCORE, ranks), (Metric("size", "lower"), 6 - ranks)):
        pd.testing.assert_series_equal(rank_methods(values, metric).mean(), expected)


def test_small_errors_do_not_tie_beside_a_large_one():
    errors = pd.DataFrame([[1e-9, 2e-9, 1e6]])
    assert rank_methods(errors, METRICS["rmse_test"]).iloc[0].tolist() == [1, 2, 3]


def test_bars_join_those_and_only_those_that_are_not_told_apart():
    """a-c and b-d are told apart by chance of ranks: a bar may pass a method without joining it."""
    pairs = pd.DataFrame(itertools.combinations("abcd", 2), columns=["method_a", "method_b"])
    pairs["better"] = ["", "a", "", "", "b", ""]  # ab ac ad bc bd cd
    assert list(map("".join, cliques(pairs, list("abcd")))) == ["ab", "ad", "bc", "cd"]
    assert cliques(pairs.assign(better=""), list("abcd")) == [list("abcd")]
