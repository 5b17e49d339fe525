"""The test of all pairs of methods over units, as arrays: studentised means under joint sign flips, step-down maxT.

A unit is a dataset, or a source of related datasets. If two methods are exchangeable on every unit, the sign of a
unit's differences may be flipped; a flip is joint, for it turns the unit's differences of all pairs. The p-value, the
verdict and the interval of a pair follow from one distribution: the maximum of |t| over the pairs that are not decided.

Sources: P. Westfall and S. Young, Resampling-Based Multiple Testing (1993); J. Romano and M. Wolf, JASA 100 (2005).
"""

import itertools
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.metrics import Metric, count_places, merge_ties

Floats = NDArray[np.float64]

FEWEST_UNITS = 6  # five units never give a p-value below 1/16
MOST_EXACT_UNITS = 14  # with more, flips are drawn
N_FLIPS = 10_000  # the identity and those that are drawn
TOLERANCE = 1e-9  # statistics that differ less are equal
LEAST_SHARE = (
    1e-9  # smaller shares of the unit's largest amount count as this, so that logarithms exist
)
ALPHA = 0.05  # significance level of all pairs of a table together
CONFIDENCE_LEVEL = 0.95  # of intervals of a single centre
NOT_TESTED = "not tested"  # state of a pair


@lru_cache(8)
def sign_flips(n_units: int) -> Floats:
    """Return the flips, shape (flips, units), of 1 and -1; the first flips nothing.

    Up to 14 units they are all flips, where of a flip and its opposite one is enough; else they are drawn with a fixed
    seed.

    Examples
    --------
    >>> sign_flips(2).tolist()
    [[1.0, 1.0], [-1.0, 1.0]]
    """
    if n_units <= MOST_EXACT_UNITS:
        return 1.0 - 2 * (np.arange(2 ** (n_units - 1))[:, None] >> np.arange(n_units) & 1)
    flips = np.random.default_rng(0).choice([1.0, -1.0], (N_FLIPS, n_units))
    flips[0] = 1
    return flips


def smallest_p(n_units: int) -> float:
    """Return the smallest p-value that a test over so many units can give.

    Examples
    --------
    >>> smallest_p(6), smallest_p(53)
    (0.03125, 0.0001)
    """
    return 1 / len(sign_flips(n_units))


def max_t(differences: Floats) -> tuple[Floats, Floats]:
    """Return the p-value of each pair, and half the width of the interval of its mean difference.

    Parameters
    ----------
    differences : array, shape (units, pairs)
        Differences of two methods on each unit.

    Returns
    -------
    p_values : array, shape (pairs,)
        Share of the flips whose maximum reaches the statistic, made monotone by step-down.
    half_widths : array, shape (pairs,)
        The critical value of |t| at the step that decided the pair, times the standard error. It is smaller than the
        absolute mean where p is at most 0.05, and only there. NaN: there is no finite interval.

    Examples
    --------
    >>> p_values, half_widths = max_t(np.array([[1.0, 2, 3, 4, 5, 6], [0, 0, 0, 0, 0, 0]]).T)
    >>> p_values.tolist(), half_widths.round(2).tolist()
    ([0.03125, 1.0], [2.39, nan])
    """
    largest = np.abs(differences).max(axis=0, initial=0)
    scaled = differences / np.where(largest > 0, largest, 1)
    spread = np.sqrt(np.mean(scaled**2, axis=0))  # no flip changes it
    scaled /= np.where(spread > 0, spread, 1)
    # |mean| / root mean square grows with |t| and is 1 where t is infinite
    means = scaled.mean(axis=0)
    observed = np.abs(means)
    order = np.argsort(-observed, kind="stable")
    scaled, ordered = (scaled * np.sign(means))[:, order], observed[order]
    if len(
        order
    ):  # units stand in the order of their values, so that drawn flips do not depend on names
        scaled = scaled[np.lexsort(scaled.round(9).T[::-1])]
    maxima = np.abs(sign_flips(len(scaled)) @ scaled)[:, ::-1] / len(scaled)
    maxima = np.maximum.accumulate(maxima, axis=1, out=maxima)[:, ::-1]
    p_values = np.empty_like(observed)
    p_values[order] = np.maximum.accumulate((maxima >= ordered - TOLERANCE).mean(axis=0))
    critical, first, rank = np.empty_like(observed), 0, int(ALPHA * len(maxima)) + 1
    while first < len(ordered):
        critical[first:] = np.partition(maxima[:, first], -rank)[-rank] + TOLERANCE
        n_decided = int((ordered > critical[first]).sum())
        first = n_decided if n_decided > first else len(ordered)
    limit = np.empty_like(observed)
    limit[order] = critical
    spread = np.where((spread > 0) & (limit < 1), spread * largest, np.nan)
    with np.errstate(invalid="ignore"):
        return p_values, spread * limit * np.sqrt(
            np.clip(1 - observed**2, 0, None) / (1 - limit**2)
        )


def subtract(a: Floats, b: Floats) -> Floats:
    """Return the differences a - b; values that differ only by rounding errors have the difference 0.

    Examples
    --------
    >>> subtract(np.array([0.1 + 0.2, 2.0]), np.array([0.3, 1.5])).tolist()
    [0.0, 0.5]
    """
    values = merge_ties(np.stack(np.broadcast_arrays(a, b), axis=-1))
    return values[..., 0] - values[..., 1]


def rank_methods(values: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Return the rank of each method on each unit (1 is best); ties get the mean rank."""
    oriented = metric.sign * values.to_numpy(float)
    ranks = count_places(oriented, "average", sizes=np.abs(oriented))
    return pd.DataFrame(ranks, index=values.index, columns=values.columns)


def compare_pairs(
    values: pd.DataFrame, metric: Metric, tested: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return for each pair of methods the test over the units, the difference, the wins, and the result.

    Parameters
    ----------
    values : pandas.DataFrame
        Units x methods, without missing values.
    metric : Metric
        Direction and scale; amounts (scale 'ratio') are tested as logarithms.
    tested : pandas.DataFrame, optional
        The values that are tested, if they differ from those that are ranked; of the same shape.

    Returns
    -------
    pandas.DataFrame
        One row per pair: `method_a`, `method_b`, `n_units`, `p_value` (for all pairs together; NaN for fewer than six
        units), `effect` (mean of a - b, for amounts the ratio a / b) with its interval (`effect_low`, `effect_high`),
        `wins`, `ties` and `losses` of a, `better` (the significantly better method, or ""), and `state` of a: better,
        worse, not told apart or not tested.

    Examples
    --------
    >>> table = pd.DataFrame({"A": [1, 2, 3, 4, 5, 6.5], "B": [0, 1.1, 1.9, 2, 4.5, 0]})
    >>> compare_pairs(table, Metric("score"))[["p_value", "effect", "wins", "better"]].values.tolist()
    [[0.03125, 2.0, 6, 'A']]
    """
    n_units, names = values.shape[0], np.asarray(values.columns, dtype=object)
    a, b = np.triu_indices(len(names), 1)
    array = metric.sign * values.to_numpy(float)
    outcomes = np.sign(subtract(array[:, a], array[:, b]))
    array = (values if tested is None else tested).to_numpy(float)
    if metric.scale == "ratio":
        least = LEAST_SHARE * array.max(axis=1, keepdims=True)
        array = np.log(np.maximum(array, np.where(least > 0, least, 1)))
    differences = _merge_differences(array[:, a], array[:, b])
    p_values, half_widths = np.full((2, len(a)), np.nan)
    if n_units >= FEWEST_UNITS:
        p_values, half_widths = max_t(differences)
    means = differences.mean(axis=0)
    effects = np.stack([means, means - half_widths, means + half_widths])
    if metric.scale == "ratio":
        effects = np.exp(effects)
    elif metric.bounded:
        effects = effects.clip(metric.floor - metric.best, metric.best - metric.floor)
    table = pd.DataFrame(
        {"method_a": names[a], "method_b": names[b], "n_units": n_units, "p_value": p_values}
    )
    table[["effect", "effect_low", "effect_high"]] = effects.T
    table[["wins", "ties", "losses"]] = np.sum([outcomes == side for side in (1, 0, -1)], axis=1).T
    signs = np.where(p_values <= ALPHA, np.sign(metric.sign * means), 0)
    table["better"] = np.select([signs > 0, signs < 0], [names[a], names[b]], "")
    state = "not told apart" if n_units >= FEWEST_UNITS else NOT_TESTED
    table["state"] = np.select([signs > 0, signs < 0], ["better", "worse"], state)
    return table


def _merge_differences(a: Floats, b: Floats) -> Floats:
    """Return a - b over units x pairs; sizes within 1e-12 of the largest value are equal, those near 0 are 0."""
    differences = subtract(a, b)
    largest = np.maximum(np.abs(a), np.abs(b)).max(axis=0, initial=0)
    sizes = np.vstack([np.abs(differences), np.zeros_like(largest), largest])
    return np.sign(differences) * merge_ties(sizes.T).T[:-2]


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
