"""Statistics of paired values over datasets: differences, Wilcoxon, intervals of effects, corrections, power.

Arrays only; a value that is missing is NaN. Sources: J. Demšar, Statistical comparisons of classifiers, JMLR 7 (2006);
R. Newcombe, Interval estimation for the difference between independent proportions (1998), for pairs by G. Zou and
A. Donner (2008).
"""

import math
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from srlib.errors import InputError

Adjust = Literal["holm", "bonferroni", "none"]
Direction = Literal["higher", "lower"]
Floats = NDArray[np.float64]
FEWEST_DATASETS = 6  # with five pairs the two-sided p-value never falls below 0.0625
DIGITS = 12  # differences are rounded to so many digits of the larger value
MOST_ALL_SIGNS = 13  # so many differences have few enough ways to sign them that scipy counts all
MOST_RUNS = 30  # a dataset tells no more about a rate than so many runs


def differences(a: ArrayLike, b: ArrayLike, resolution: float = 0.0) -> Floats:
    """Subtract so that equal differences are equal numbers, however the values were written.

    Parameters
    ----------
    a, b : array, shape (datasets,)
        NaN = missing, and so is the difference.
    resolution : float
        Differences are whole multiples of it; 0: they are rounded at 1e-12 of the larger of the two values.

    Examples
    --------
    >>> (differences([0.3, 0.7], [0.2, 0.6]) == 0.1).tolist(), differences([1e15 + 1], [1e15]).tolist()
    ([True, True], [0.0])
    """
    x, y = np.asarray(a, float), np.asarray(b, float)
    if resolution:
        return np.round((x - y) / resolution) / (1 / resolution)
    scale = np.fmax(np.abs(x), np.abs(y))
    exponent = np.floor(np.log10(np.where(scale > 0, scale, 1.0)))
    power = 10.0 ** np.clip(DIGITS - exponent, -300, 300)
    return np.round((x - y) * power) / power


def wilcoxon(difference: ArrayLike, fewest: int = FEWEST_DATASETS) -> tuple[float, float]:
    """Statistic and two-sided p-value of scipy's signed-rank test; no difference at all gives 0 and 1, too few NaN."""
    known = np.asarray(difference, float)
    known = known[~np.isnan(known)]
    if len(known) < fewest:
        return math.nan, math.nan
    if not known.any():
        return 0.0, 1.0
    if len(known) <= MOST_ALL_SIGNS:
        return _all_signs(known)
    result: Any = stats.wilcoxon(known)
    return float(result.statistic), float(result.pvalue)


def _all_signs(difference: Floats) -> tuple[float, float]:
    """Count every way to sign the ranks, by adding up the ranks one by one.

    Up to 13 differences scipy counts them, too: where there are ties or zeros one by one, which takes a second.
    """
    known = difference[difference != 0]
    doubled = np.rint(2 * stats.rankdata(np.abs(known))).astype(int)  # ties have half ranks
    above = int(doubled[known > 0].sum())
    least = min(above, int(doubled.sum()) - above)
    return least / 2, min(1.0, 2 * float(chances_of_sums(doubled)[: least + 1].sum()))


def chances_of_sums(sizes: Iterable[int]) -> Floats:
    """Find the chance of each sum, from 0 on, of whole numbers that a fair coin takes or leaves.

    Examples
    --------
    >>> chances_of_sums([1, 2]).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    chances = np.ones(1)
    for size in sizes:
        longer = np.zeros(len(chances) + size)
        longer[: len(chances)] = chances
        longer[size:] += chances
        chances = longer / 2
    return chances


def adjusted(p_values: ArrayLike, adjust: Adjust = "holm") -> Floats:
    """Correct p-values for the number of tests; NaN (not tested) stays and does not count.

    Examples
    --------
    >>> adjusted([0.01, 0.04, 0.03, float("nan")]).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    p = np.asarray(p_values, float)
    tested = np.flatnonzero(~np.isnan(p))
    result = p.copy()
    if adjust == "bonferroni":
        result[tested] = np.minimum(p[tested] * len(tested), 1)
    elif adjust == "holm":
        order = tested[np.argsort(p[tested], kind="stable")]
        result[order] = np.minimum(
            np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)), 1
        )
    elif adjust != "none":
        raise InputError(f"adjust must be one of holm, bonferroni, none; got {adjust!r}")
    return result


def effect_size(a: ArrayLike, b: ArrayLike) -> float:
    """Matched-pairs rank-biserial correlation: 1 if a is greater in every pair, -1 if b is, 0 if they balance.

    Pairs with a NaN and pairs without a difference are left out; NaN when none is left.

    Examples
    --------
    >>> effect_size([3, 5, 2], [1, 1, 3])
    0.6666666666666666
    """
    return rank_biserial(differences(a, b))


def rank_biserial(difference: Floats) -> float:
    """Share of the rank sum above 0 minus the share below; NaN without a difference."""
    known = difference[~np.isnan(difference) & (difference != 0)]
    ranks = stats.rankdata(np.abs(known))
    if len(ranks):
        return float((np.sign(known) * ranks).sum() / ranks.sum())
    return math.nan


def lopsided(difference: Floats) -> bool:
    """Whether differences are visibly skewed: too unequal in number above and below their Hodges-Lehmann centre.

    Under symmetry the imbalance has a standard deviation of 0.25 to 0.29 times the root of their number, for normal
    as for heavy tails. Wilcoxon's test takes skew for a shift, so that here the signs have to confirm it.
    """
    walsh = _walsh(difference)
    above = np.sign(difference - np.median(walsh)).sum() / 2
    return bool(abs(above) > 1.1 * 0.27 * math.sqrt(len(difference)))


def sign_p(difference: Floats) -> float:
    """Two-sided mid-p-value of the sign test, which skew does not mislead; zeros left out, 1 without a difference."""
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    count = wins + losses
    if not count:
        return 1.0
    return float(
        min(1.0, 2 * stats.binom.cdf(min(wins, losses), count, 0.5))
        - stats.binom.pmf(wins, count, 0.5)
    )


def hodges_lehmann(difference: ArrayLike, level: float = 0.95) -> tuple[float, float, float]:
    """Typical difference: the median of all pairwise averages, with the interval that belongs to Wilcoxon's test.

    Returns
    -------
    estimate, low, high : float
        NaN where there are too few datasets for the level.

    Examples
    --------
    >>> hodges_lehmann([1, 2, 3, 4, 5, 6])
    (3.5, 1.0, 6.0)
    """
    known = np.asarray(difference, float)
    known = known[~np.isnan(known)]
    if not len(known):
        return math.nan, math.nan, math.nan
    walsh = np.sort(_walsh(known))
    last = _order(len(known), round((1 - level) / 2, 15))
    low, high = (walsh[last], walsh[-1 - last]) if last >= 0 else (math.nan, math.nan)
    return float(np.median(walsh)), float(low), float(high)


def _walsh(known: Floats) -> Floats:
    first, second = np.triu_indices(len(known))
    return (known[first] + known[second]) / 2


@cache
def _order(count: int, tail: float) -> int:
    """Largest rank sum that signs drawn by chance stay below or at with at most this probability; -1: none."""
    if count > 60:
        variance = count * (count + 1) * (2 * count + 1) / 24
        sum_ = count * (count + 1) / 4 + stats.norm.ppf(tail) * math.sqrt(variance)
        return math.floor(sum_ - 0.5)
    chances = chances_of_sums(range(1, count + 1))
    return int(np.searchsorted(np.cumsum(chances), tail * (1 + 1e-12), side="right")) - 1


def rate_interval(
    rates: ArrayLike, level: float = 0.95, units: ArrayLike | None = None
) -> tuple[float, float, float]:
    """Mean of rates over datasets with Wilson's interval for as many runs as their spread is worth; never of no width.

    Parameters
    ----------
    rates : array, shape (datasets,)
        Shares from 0 to 1; NaN left out.
    level : float
        Of the interval.
    units : array, shape (datasets,), optional
        Datasets of one unit go together.

    Examples
    --------
    >>> [round(x, 2) for x in rate_interval([0.0] * 10)]
    [0.0, 0.0, 0.34]
    """
    known = np.asarray(rates, float)
    kept = ~np.isnan(known)
    known = known[kept]
    code = np.arange(len(kept)) if units is None else np.unique(units, return_inverse=True)[1]
    sums = known
    if len(known):
        sums = np.bincount(np.unique(code[kept], return_inverse=True)[1], known - known.mean())
    count, groups = len(known), len(sums)
    if groups < 2:
        return (float(known.mean()) if count else math.nan), 0.0, 1.0
    mean = float(known.mean())
    error = float((sums**2).sum()) / count**2 * groups / (groups - 1)
    worth = (
        mean * (1 - mean) / error if error > 0 else (count * MOST_RUNS if 0 < mean < 1 else groups)
    )
    z = float(stats.t.ppf((1 + level) / 2, groups - 1)) ** 2 / min(worth, count * MOST_RUNS)
    centre = (mean + z / 2) / (1 + z)
    half = math.sqrt(z * mean * (1 - mean) + z * z / 4) / (1 + z)
    return mean, max(centre - half, 0.0), min(centre + half, 1.0)


def rate_difference(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> tuple[float, float, float]:
    """Difference of two mean rates over the datasets that both have, with Newcombe's interval for pairs.

    Examples
    --------
    >>> [round(x, 2) for x in rate_difference([0.0] * 20, [0.0] * 20)]
    [0.0, -0.18, 0.18]
    """
    both = np.stack([np.asarray(a, float), np.asarray(b, float)])
    both = both[:, ~np.isnan(both).any(axis=0)]
    if both.shape[1] < 2:
        return (float(np.subtract(*both.mean(axis=1))) if both.size else math.nan), -1.0, 1.0
    (m, low, up), (m2, low2, up2) = (rate_interval(row, level) for row in both)
    varied = (np.ptp(both, axis=1) > 0).all()
    size = both.shape[1]
    rho = float(np.corrcoef(both)[0, 1]) * size / (size + 2) if varied else 0.0
    below = (m - low) ** 2 - 2 * rho * (m - low) * (up2 - m2) + (up2 - m2) ** 2
    above = (up - m) ** 2 - 2 * rho * (up - m) * (m2 - low2) + (m2 - low2) ** 2
    return m - m2, max(m - m2 - math.sqrt(below), -1.0), min(m - m2 + math.sqrt(above), 1.0)


def smallest_p(count: int, tests: int = 1) -> float:
    """Smallest adjusted p-value that so many datasets without a tie can give, when so many pairs are tested.

    Examples
    --------
    >>> round(smallest_p(10, 210), 2)
    0.41
    """
    if count:
        return min(1.0, 2.0 ** (1 - count) * tests)
    return 1.0


def datasets_needed(tests: int = 1, alpha: float = 0.05) -> int:
    """Fewest datasets with which the clearest of so many pairs could be told apart.

    Examples
    --------
    >>> datasets_needed(), datasets_needed(210)
    (6, 14)
    """
    return next(n for n in range(1, 2000) if smallest_p(n, max(tests, 1)) < alpha)


def detectable(count: int, tests: int = 1, alpha: float = 0.05, power: float = 0.8) -> float:
    """Shift, in standard deviations of the differences, that Wilcoxon's test would find in four of five cases.

    For normal differences and the strictest step of the correction; infinite where nothing could be found.

    Examples
    --------
    >>> round(detectable(30), 2), detectable(5)
    (0.52, inf)
    """
    if smallest_p(count, tests) >= alpha:
        return math.inf
    needed = stats.norm.isf(alpha / max(tests, 1) / 2) + stats.norm.ppf(power)
    return float(needed / math.sqrt(3 / math.pi * count))
