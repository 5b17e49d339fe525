"""Tests and effects of paired values over units, as arrays: Wilcoxon, sign flips, Hodges-Lehmann, Holm, Friedman.

A unit is a dataset, or a source of related datasets. The effect and interval of a pair fit its test: the Hodges-Lehmann
difference with Wilcoxon's signed-rank test, the mean difference with the sign-flip test.

Sources: F. Wilcoxon (1945); J. Pratt (1959) for differences of zero; J. Hodges and E. Lehmann (1963); R. Fisher, The
Design of Experiments (1935), section 21; S. Holm (1979).
"""

import itertools
import math
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from srlib.metrics import SIGNIFICANT_DIGITS, Metric

Floats = NDArray[np.float64]
Estimate = tuple[float, ...]  # estimate, low and high end of its 95% interval

FEWEST_UNITS = 6  # five units never give a two-sided p-value below 0.0625
MOST_EXACT_TERMS = 50  # with more, the normal approximation is used (as in scipy)
RATE_STEP = 1e-4  # rates are shares of at most some hundred runs
LEAST_AMOUNT = 1e-3  # smaller sizes and times count as this, so that logarithms exist
ALPHA = 0.05  # significance level of all pairs of a table together
CONFIDENCE_LEVEL = 0.95  # of each interval
PAIR_COLUMNS = [  # computed pair by pair; the other columns depend on all pairs
    "method_a",
    "method_b",
    "n_units",
    "p_value",
    "effect",
    "effect_low",
    "effect_high",
    "wins",
    "ties",
    "losses",
]


def subtract(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the differences a - b, rounded at 1e-12 of the larger value.

    The rounding makes differences equal that only differ by rounding errors.

    Examples
    --------
    >>> (subtract([0.3, 0.7], [0.2, 0.6]) == 0.1).tolist(), subtract([1e15 + 1], [1e15]).tolist()
    ([True, True], [0.0])
    """
    a_values, b_values = np.asarray(a, float), np.asarray(b, float)
    scale = np.fmax(np.abs(a_values), np.abs(b_values))
    exponent = np.floor(np.log10(np.where(scale > 0, scale, 1.0)))
    power = 10.0 ** np.clip(SIGNIFICANT_DIGITS - exponent, -300, 300)
    return np.round((a_values - b_values) * power) / power


def sum_chances(sizes: Iterable[int]) -> Floats:
    """Return the probability of each sum 0, 1, ..., sum(sizes) when each size is included with probability 1/2.

    Examples
    --------
    >>> sum_chances([1, 2]).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    chances = np.ones(1)
    for size in sizes:
        chances = (np.pad(chances, (size, 0)) + np.pad(chances, (0, size))) / 2
    return chances


def sign_flip_p(terms: ArrayLike) -> float:
    """Return the two-sided p-value of the sum of whole numbers, if each sign is random.

    It is exact for up to 50 terms other than 0, also with ties; for more terms the normal approximation is used.

    Examples
    --------
    >>> sign_flip_p([3, 2, 2, -1]), sign_flip_p([0, 0])
    (0.25, 1.0)
    """
    numbers = np.rint(np.asarray(terms, float)).astype("int64")
    numbers = numbers[numbers != 0]
    if not len(numbers):
        return 1.0
    if len(numbers) > MOST_EXACT_TERMS:
        spread = np.linalg.norm(numbers.astype(float))
        return float(2 * ndtr(-abs(numbers.sum()) / spread))
    sizes = np.abs(numbers) // np.gcd.reduce(numbers)
    smaller = min(sizes[numbers > 0].sum(), sizes[numbers < 0].sum())
    return float(min(1.0, 2 * sum_chances(sizes)[: smaller + 1].sum()))


def signed_ranks(differences: Floats) -> Floats:
    """Return ranks of absolute differences with the signs of the differences; zeros are ranked, but give 0 (Pratt)."""
    ranks: Any = pd.Series(np.abs(differences)).rank()
    return np.sign(differences) * ranks.to_numpy()


@cache
def rank_sum_quantile(count: int) -> int:
    """Return the largest s for which a rank sum of `count` units is at most s with probability <= 2.5%; -1: none."""
    tail = (1 - CONFIDENCE_LEVEL) / 2
    if count > MOST_EXACT_TERMS:
        spread = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        return math.floor(ndtri(tail) * spread + count * (count + 1) / 4 - 0.5)
    chances = np.cumsum(sum_chances(range(1, count + 1)))
    return int(np.searchsorted(chances, tail * (1 + 1e-12), side="right")) - 1


def hodges_lehmann(differences: Floats) -> Estimate:
    """Return the Hodges-Lehmann difference, with the 95% interval of differences that Wilcoxon's test does not reject.

    The estimate is the median of the means of all pairs of differences, also of each with itself.

    Returns
    -------
    estimate, low, high : float
        `low` and `high` are NaN if there are too few units.

    Examples
    --------
    >>> hodges_lehmann(np.array([1.0, 2, 3, 4, 5, 6]))
    (3.5, 1.0, 6.0)
    """
    first, second = np.triu_indices(len(differences))
    means = np.sort((differences[first] + differences[second]) / 2)
    position = rank_sum_quantile(len(differences))
    low, high = (means[position], means[-1 - position]) if position >= 0 else (math.nan, math.nan)
    return float(np.median(means)), float(low), float(high)


def mean_difference(differences: Floats) -> Estimate:
    """Return the mean difference, with the 95% interval of means that the sign-flip test does not reject.

    The interval uses the normal approximation of the test.

    Returns
    -------
    estimate, low, high : float
        `low` and `high` are NaN if there are too few units or all differences are equal.

    Examples
    --------
    >>> [round(x, 3) for x in mean_difference(np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3]))]
    [0.2, 0.091, 0.309]
    """
    mean = float(differences.mean())
    half_width = math.nan
    quantile = ndtri((1 + CONFIDENCE_LEVEL) / 2)
    if len(differences) >= FEWEST_UNITS and differences.std() >= RATE_STEP / 10:
        half_width = float(quantile * differences.std() / math.sqrt(len(differences) - quantile**2))
    return mean, mean - half_width, mean + half_width


def adjust_holm(p_values: pd.Series | list[float]) -> pd.Series:
    """Return p-values after Holm's correction for the number of tests; NaN (no test) stays NaN and does not count.

    Examples
    --------
    >>> adjust_holm([0.01, 0.04, 0.03, float("nan")]).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    raw_p = pd.Series(p_values, dtype="float64")
    ordered = raw_p.dropna().sort_values(kind="stable")
    adjusted = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1)
    return adjusted.reindex(raw_p.index)


def rank_methods(values: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Return the rank of each method on each unit (1 is best); ties get the mean rank, missing values the worst."""
    oriented = metric.sign * values  # higher is better
    best = oriented.max(axis=1).to_numpy()[:, None]
    gaps = subtract(oriented, best)  # rounded, so that ties are the same as in pairs
    table = pd.DataFrame(gaps, index=values.index, columns=values.columns)
    return table.rank(axis=1, ascending=False, na_option="bottom")


def friedman_p(values: pd.DataFrame, metric: Metric) -> float:
    """Return the p-value of Friedman's test of units x methods; NaN for fewer than three methods or six units."""
    ranks = rank_methods(values, metric).to_numpy()
    if ranks.shape[1] < 3 or len(ranks) < FEWEST_UNITS:
        return math.nan
    if not np.ptp(ranks, axis=1).any():  # all methods tie everywhere
        return 1.0
    from scipy import stats  # takes a second to import

    return float(stats.friedmanchisquare(*ranks.T).pvalue)


def compare_two(
    a: ArrayLike, b: ArrayLike, metric: Metric
) -> tuple[Floats, float, float, Estimate]:
    """Return what a method gains over another, the p-value of their test, who is better, and the effect.

    Parameters
    ----------
    a, b : array, shape (units,)
        Values of the methods a and b; units with a missing value (NaN) are left out.
    metric : Metric
        Direction, and the scale that decides what is compared: values, logarithms of amounts (scale 'ratio'), or rates.

    Returns
    -------
    gains : array
        The differences of the units without missing values, above 0 where a is better; for amounts of logarithms.
    p_value : float
        NaN for fewer than six units.
    sign : float
        1 if a is better by the statistic of the test, -1 if b is, 0 if neither.
    effect : tuple of float
        Estimate of a - b (for amounts of a / b), low and high end of its 95% interval; not oriented.
    """
    if metric.scale == "ratio":
        a = np.log(np.maximum(a, LEAST_AMOUNT))
        b = np.log(np.maximum(b, LEAST_AMOUNT))
    differences = subtract(a, b)
    differences = differences[~np.isnan(differences)]
    gains = metric.sign * differences
    if not len(gains):
        return gains, math.nan, 0.0, (math.nan, math.nan, math.nan)
    if metric.scale == "rate":
        terms = np.rint(gains / RATE_STEP)
        effect = mean_difference(differences)
    else:
        terms = 2 * signed_ranks(gains)
        effect = hodges_lehmann(differences)
    if metric.scale == "ratio":
        effect = tuple(map(math.exp, effect))
    p_value = sign_flip_p(terms) if len(gains) >= FEWEST_UNITS else math.nan
    return gains, p_value, float(np.sign(terms.sum())), effect


def compare_pairs(values: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Return for each pair of methods the test over the units, the effect, the wins, and the result.

    Parameters
    ----------
    values : pandas.DataFrame
        Units x methods; a unit with a missing value (NaN) is left out of the pair.
    metric : Metric
        Direction and scale.

    Returns
    -------
    pandas.DataFrame
        One row per pair: `method_a`, `method_b`, `n_units`, `p_value` (NaN for fewer than six units), `p_adjusted`
        (Holm over all pairs), `effect` of a against b with its 95% interval (`effect_low`, `effect_high`), `wins`,
        `ties` and `losses` of a, `better` (the significantly better method, or ""), and `state` of a: better, worse or
        not told apart.

    Examples
    --------
    >>> table = pd.DataFrame({"A": [1, 2, 3, 4, 5, 6.5], "B": [0, 1.1, 1.9, 2, 4.5, 0]})
    >>> compare_pairs(table, Metric("score"))[["p_value", "effect", "wins", "better"]].values.tolist()
    [[0.03125, 1.25, 6, 'A']]
    """
    rows, signs = [], []
    for a, b in itertools.combinations(values.columns, 2):
        gains, p_value, sign, effect = compare_two(values[a], values[b], metric)
        counts = [int((np.sign(gains) == outcome).sum()) for outcome in (1, 0, -1)]
        rows.append((a, b, len(gains), p_value, *effect, *counts))
        signs.append(sign)
    table = pd.DataFrame(rows, columns=PAIR_COLUMNS)
    table.insert(4, "p_adjusted", adjust_holm(table["p_value"]))
    significant_signs = np.where(table["p_adjusted"] < ALPHA, signs, 0)
    outcomes = [significant_signs > 0, significant_signs < 0]
    table["better"] = np.select(outcomes, [table["method_a"], table["method_b"]], "")
    table["state"] = np.select(outcomes, ["better", "worse"], "not told apart")
    return table


def cliques(pairs: pd.DataFrame, order: list[str]) -> list[list[str]]:
    """Return groups of methods of which no two differ significantly; every such pair is in at least one group.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Result of `compare_pairs`.
    order : list of str
        The methods, best first; groups grow in this order.

    Source: A. Benavoli, G. Corani and F. Mangili, JMLR 17 (2016), on diagrams of pairwise tests.
    """
    equal_pairs = pairs.loc[pairs["better"] == "", ["method_a", "method_b"]]
    equal_sets = set(map(frozenset, equal_pairs.itertuples(index=False)))
    groups: list[set[str]] = []
    for pair in itertools.combinations(order, 2):
        group = set(pair)
        if {*pair} not in equal_sets or any(group <= larger for larger in groups):
            continue
        for name in order:
            if all({name, member} in equal_sets for member in group):
                group.add(name)
        groups.append(group)
    return [[name for name in order if name in group] for group in groups]
