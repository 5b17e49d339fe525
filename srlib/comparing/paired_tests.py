"""Tests and effects of paired values over units, as arrays: Wilcoxon, sign flips, Hodges-Lehmann, Holm, Friedman.

A unit is a dataset, or a source of related datasets. The test, the effect and the interval of a pair are one inference:
Wilcoxon's signed-rank test belongs to the Hodges-Lehmann difference, sign flips to the mean difference.

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

from srlib.comparing.metrics import Metric

Floats = NDArray[np.float64]
Estimate = tuple[float, ...]  # estimate, and ends of its 95% interval

FEWEST_UNITS = 6  # five units never give a two-sided p-value below 0.0625
MOST_EXACT_TERMS = 50  # of more, sums of signed numbers are as good as normal (as in scipy)
SIGNIFICANT_DIGITS = 12  # differences are rounded to so many digits of the larger value
RATE_STEP = 1e-4  # rates are shares of at most some hundred runs
LEAST_AMOUNT = 1e-3  # sizes and times below it count as it, so that they have a logarithm
ALPHA = 0.05  # of all pairs of a table together
CONFIDENCE_LEVEL = 0.95  # of each interval
PAIR_COLUMNS = [  # of a pair; the others follow from all pairs
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
    """Differences a - b, rounded so that equal differences are equal numbers.

    They are rounded at 1e-12 of the larger value, so that rounding errors neither break ties nor hide them.

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
    """Chance of each sum, from 0 on, of whole numbers that a fair coin adds or leaves out.

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
    """Two-sided p-value of a sum of whole numbers whose signs are drawn by chance.

    Exact for up to 50 terms that are not 0, ties included; normal for more.

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
    """Ranks of the absolute differences with the signs of the differences; zeros are ranked and then give 0 (Pratt)."""
    ranks: Any = pd.Series(np.abs(differences)).rank()
    return np.sign(differences) * ranks.to_numpy()


@cache
def rank_sum_quantile(count: int) -> int:
    """Largest rank sum s of `count` units for which chance gives at most 2.5% to sums up to s; -1: none."""
    tail = (1 - CONFIDENCE_LEVEL) / 2
    if count > MOST_EXACT_TERMS:
        spread = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        return math.floor(ndtri(tail) * spread + count * (count + 1) / 4 - 0.5)
    chances = np.cumsum(sum_chances(range(1, count + 1)))
    return int(np.searchsorted(chances, tail * (1 + 1e-12), side="right")) - 1


def hodges_lehmann(differences: Floats) -> Estimate:
    """Median of the means of any two differences, with the 95% interval that belongs to Wilcoxon's test.

    Returns
    -------
    estimate, low, high : float
        The ends are NaN where there are too few units.

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
    """Mean of the differences, with the 95% interval of the means that sign flips do not reject (normal form).

    Returns
    -------
    estimate, low, high : float
        The ends are NaN where there are too few units, or where all differences are equal.

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
    """Holm's correction for the number of tests; NaN (no test) stays NaN and does not count.

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
    """Rank of each method on each unit (1 is best); ties share the average, a missing value has the worst rank."""
    best = values.max(axis=1).to_numpy()[:, None]
    gaps = metric.sign * subtract(values, best)  # rounded, so that ties are those of the pairs
    table = pd.DataFrame(gaps, index=values.index, columns=values.columns)
    return table.rank(axis=1, ascending=False, na_option="bottom")


def friedman_p(values: pd.DataFrame, metric: Metric) -> float:
    """p-value of Friedman's test of units x methods; NaN for fewer than three methods or six units."""
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
    """Test of two methods and the size of their difference.

    Parameters
    ----------
    a, b : array, shape (units,)
        NaN = missing; such units are left out.
    metric : Metric
        Its scale says what is compared: values, logarithms of amounts, or rates.

    Returns
    -------
    differences : array
        a - b, of amounts the logarithm of a / b.
    p_value : float
        NaN for fewer than six units.
    sign : float
        1 where a is higher by the test, -1 where b is.
    effect : tuple of float
        Estimate and ends of its 95% interval; of amounts the ratio a / b.
    """
    if metric.scale == "ratio":
        a = np.log(np.maximum(a, LEAST_AMOUNT))
        b = np.log(np.maximum(b, LEAST_AMOUNT))
    differences = subtract(a, b)
    differences = differences[~np.isnan(differences)]
    if not len(differences):
        return differences, math.nan, 0.0, (math.nan, math.nan, math.nan)
    if metric.scale == "rate":
        terms = np.rint(differences / RATE_STEP)
        effect = mean_difference(differences)
    else:
        terms = 2 * signed_ranks(differences)
        effect = hodges_lehmann(differences)
    if metric.scale == "ratio":
        effect = tuple(map(math.exp, effect))
    p_value = sign_flip_p(terms) if len(differences) >= FEWEST_UNITS else math.nan
    return differences, p_value, float(np.sign(terms.sum())), effect


def compare_pairs(values: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Every pair of methods over the units: test, effect, wins, and the state of the pair.

    Parameters
    ----------
    values : pandas.DataFrame
        Units x methods; NaN = missing, left out of the pair.
    metric : Metric
        Direction and scale.

    Returns
    -------
    pandas.DataFrame
        A row a pair: `method_a`, `method_b`, `n_units`, `p_value` (NaN for fewer than six units), `p_adjusted` (Holm
        over the pairs), `effect` of a against b with its 95% interval, `wins`, `ties` and `losses` of a, `better` (a
        name, or ""), and `state` of a: better, worse or not told apart.

    Examples
    --------
    >>> table = pd.DataFrame({"A": [1, 2, 3, 4, 5, 6.5], "B": [0, 1.1, 1.9, 2, 4.5, 0]})
    >>> compare_pairs(table, Metric("score"))[["p_value", "effect", "wins", "better"]].values.tolist()
    [[0.03125, 1.25, 6, 'A']]
    """
    rows = []
    directions = []  # 1 where a is better by its test, -1 where b is
    for a, b in itertools.combinations(values.columns, 2):
        differences, p_value, sign, effect = compare_two(values[a], values[b], metric)
        signs = np.sign(differences) * metric.sign
        counts = [int((signs == outcome).sum()) for outcome in (1, 0, -1)]
        rows.append((a, b, len(signs), p_value, *effect, *counts))
        directions.append(sign * metric.sign)
    table = pd.DataFrame(rows, columns=PAIR_COLUMNS)
    table.insert(4, "p_adjusted", adjust_holm(table["p_value"]))
    significant_signs = np.where(table["p_adjusted"] < ALPHA, directions, 0)
    outcomes = [significant_signs > 0, significant_signs < 0]
    table["better"] = np.select(outcomes, [table["method_a"], table["method_b"]], "")
    table["state"] = np.select(outcomes, ["better", "worse"], "not told apart")
    return table


def cliques(pairs: pd.DataFrame, order: list[str]) -> list[list[str]]:
    """Group methods of which no two are told apart; every such pair stands in at least one group.

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
