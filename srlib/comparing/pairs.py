"""Every pair of methods over the datasets they share: a test, the size of the difference, and what may be said.

A pair is called different only if every look at the data says so: as it stands, without what is missing, without each
group of related datasets where there are too few of them to count each as one, and, where the differences are skewed,
by their signs alone. See `claims`.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from srlib.comparing.metrics import Metric
from srlib.comparing.omnibus import checked
from srlib.comparing.permutation import sign_flips
from srlib.comparing.profiles import units_of
from srlib.comparing.statistics import (
    FEWEST_DATASETS,
    Adjust,
    Floats,
    adjusted,
    datasets_needed,
    differences,
    hodges_lehmann,
    lopsided,
    rank_biserial,
    rate_difference,
    sign_p,
    smallest_p,
    wilcoxon,
)

PAIR_COLUMNS = [
    "method_a",
    "method_b",
    "n_datasets",
    "statistic",
    "p_value",
    "p_adjusted",
    "median_a",
    "median_b",
]
CLAIM_COLUMNS = [
    "effect",
    "effect_low",
    "effect_high",
    "wins",
    "ties",
    "losses",
    "better",
    "n_groups",
    "smallest_p",
    "state",
    "why",
]
PLAIN = Metric("value")


def pairwise(
    values: pd.DataFrame,
    adjust: Adjust = "holm",
    fewest: int = FEWEST_DATASETS,
    resolution: float = 0.0,
    units: pd.Series | None = None,
    rate: bool = False,
) -> pd.DataFrame:
    """Wilcoxon signed-rank test (two-sided, scipy) of every pair of methods over the datasets they share.

    Of rates it is the permutation test of the mean difference, which is what their interval is of.

    Parameters
    ----------
    values : pandas.DataFrame
        Datasets x methods; NaN = missing. The direction does not matter: the medians show it.
    adjust : {'holm', 'bonferroni', 'none'}
        Correction over all pairs that were tested.
    fewest : int
        A pair with fewer common datasets is not tested: its p-values are NaN and `n_datasets` says why.
    resolution : float
        Of the values; see `differences`.
    units : pandas.Series, optional
        By dataset: the differences of one unit count once, by their median (for rates their mean).
    rate : bool
        Whether the values are rates, of this resolution.

    Returns
    -------
    pandas.DataFrame
        `method_a`, `method_b` (each pair once, in the order of the columns), `n_datasets` in common, `statistic`,
        `p_value`, `p_adjusted`, and the medians over the common datasets. Equal values everywhere give p = 1.

    Raises
    ------
    InputError
        When a dataset or method appears twice, a value is infinite or no number, or `adjust` is unknown.

    Examples
    --------
    >>> table = pd.DataFrame({"A": [1, 2, 3, 4, 5, 6.5], "B": [0, 1.1, 1.9, 2, 4.5, 0]})
    >>> pairwise(table)[["method_a", "method_b", "n_datasets", "p_value"]].values.tolist()
    [['A', 'B', 6, 0.03125]]
    """
    array = checked(values)
    pairs = list(itertools.combinations(range(array.shape[1]), 2))
    gaps = _gaps(array, pairs, resolution, _codes(values, units), rate)
    tests = _tests(gaps, fewest, resolution, rate)
    rows = []
    for (a, b), test in zip(pairs, tests, strict=True):
        both = ~np.isnan(array[:, [a, b]]).any(axis=1)
        x, y = array[both, a], array[both, b]
        middle = (np.median(x), np.median(y)) if len(x) else (math.nan, math.nan)
        names = (values.columns[a], values.columns[b])
        rows.append((*names, int(both.sum()), *test, math.nan, *middle))
    table = pd.DataFrame(rows, columns=PAIR_COLUMNS)
    return table.assign(p_adjusted=adjusted(table["p_value"].to_numpy(float), adjust))


def _codes(values: pd.DataFrame, units: pd.Series | None) -> np.ndarray | None:
    if units is None:
        return None
    return pd.factorize(units.reindex(values.index))[0]


def _gaps(
    array: Floats,
    pairs: list[tuple[int, int]],
    resolution: float,
    codes: np.ndarray | None,
    rate: bool,
) -> list[Floats]:
    """Differences of each pair, NaN where one lacks a value; of each unit the median, for rates the mean."""
    gaps = [differences(array[:, a], array[:, b], resolution) for a, b in pairs]
    if codes is None or not gaps:
        return gaps
    grouped = pd.DataFrame(dict(enumerate(gaps))).groupby(codes)
    of_units = grouped.mean() if rate else grouped.median()
    return [differences(of_units[place], 0.0, resolution) for place in of_units]


def _tests(
    gaps: list[Floats], fewest: int, resolution: float, rate: bool
) -> list[tuple[float, float]]:
    """Test each: rates by permuted signs, else by Wilcoxon, those of one number without a tie in one call of scipy."""
    if rate:
        return [sign_flips(gap, resolution, fewest) for gap in gaps]
    result: list[tuple[float, float]] = [(math.nan, math.nan)] * len(gaps)
    together: dict[int, list[int]] = {}
    for place, gap in enumerate(gaps):
        known = gap[~np.isnan(gap)]
        size = np.abs(known)
        if len(known) >= fewest and size.all() and len(np.unique(size)) == len(size):
            together.setdefault(len(known), []).append(place)
        else:
            result[place] = wilcoxon(known, fewest)
    for places in together.values():
        columns = np.column_stack([gaps[place][~np.isnan(gaps[place])] for place in places])
        found: Any = stats.wilcoxon(columns, axis=0)
        for place, statistic, p in zip(places, found.statistic, found.pvalue, strict=True):
            result[place] = float(statistic), float(p)
    return result


def claims(
    values: pd.DataFrame,
    metric: Metric = PLAIN,
    adjust: Adjust = "holm",
    *,
    looks: Sequence[pd.DataFrame] = (),
    related: pd.Series | None = None,
    alpha: float = 0.05,
    margin: float | None = None,
) -> pd.DataFrame:
    """Test every pair and say what may be claimed of it.

    Parameters
    ----------
    values : pandas.DataFrame
        Datasets x methods; what is missing is filled, or NaN.
    metric : Metric
        Which values are better, whether they are rates, their resolution and the margin of equivalence.
    adjust : {'holm', 'bonferroni', 'none'}
        Correction over all pairs.
    looks : sequence of pandas.DataFrame
        The same with what is missing treated otherwise: a claim has to hold there, too.
    related : pandas.Series, optional
        By dataset the source that it shares with others; "" or missing: none.
    alpha : float
        Level of all claims of one table together.
    margin : float, optional
        Differences up to this size count as none; by default the metric's. Without one nothing is called equivalent.

    Returns
    -------
    pandas.DataFrame
        The columns of `pairwise`, and: `effect`, a - b (of rates the difference of means, else Hodges and Lehmann's),
        with its 95% interval; `wins`, `ties` and `losses` of a over datasets; `better`, the name of the better method
        or ""; `n_groups`, the units that count as independent; `smallest_p`, the least adjusted p-value that so many
        can give; `state` of a: better, worse, equivalent or undecided; `why` it is undecided.
    """
    units = units_of(values, related)
    count = values.shape[1] * (values.shape[1] - 1) // 2
    tests = count if adjust != "none" else 1
    sizes = units.value_counts()
    once = None
    if datasets_needed(tests, alpha) <= len(sizes) < len(values):
        once = units
    tables = [("", values), *(("it depends on what is missing", table) for table in looks)]
    if once is None and len(sizes) > 1:
        tables += [
            (f"without {name} it is not shown", values[units.to_numpy() != name])
            for name in sizes.index[sizes > 1]
        ]
    pairs = list(itertools.combinations(range(values.shape[1]), 2))
    main = pairwise(values, adjust, FEWEST_DATASETS, metric.resolution, once, metric.rate)
    array, codes = checked(values), _codes(values, once)
    gaps = _gaps(array, pairs, metric.resolution, codes, metric.rate)
    seen = [_signs(gaps, main["p_adjusted"].to_numpy(float), metric, alpha)]
    seen += [_seen(table, pairs, metric, adjust, alpha, once) for _, table in tables[1:]]
    signs = np.ones(len(pairs))
    if any(seen[0]) and not metric.rate:
        signs = adjusted([sign_p(gap[~np.isnan(gap)]) for gap in gaps], adjust)
    margin = metric.margin if margin is None else margin
    sign, rows = (1 if metric.direction == "higher" else -1), []
    for place, ((a, b), gap) in enumerate(zip(pairs, gaps, strict=True)):
        known = gap[~np.isnan(gap)]
        x, y = array[:, a], array[:, b]
        raw, ahead = differences(x, y, metric.resolution) * sign, seen[0][place]
        lost = [name for (name, _), way in zip(tables, seen, strict=True) if way[place] != ahead]
        effect, why = _effect(x, y, known, metric, 0.95, codes), ""
        if ahead:
            doubt = ""
            if not metric.rate:
                doubt = _skew(known, ahead, float(signs[place]))
            if effect[1] < 0 < effect[2]:
                doubt = "the interval holds 0"
            why = lost[0] if lost else doubt
        elif smallest_p(len(known), tests) >= alpha:
            why = "too few datasets"
        state = "undecided"
        if ahead and not why:
            state = "better" if ahead * sign > 0 else "worse"
        elif margin and not ahead and len(known) >= FEWEST_DATASETS:
            low, high = _effect(x, y, known, metric, 1 - 2 * alpha / tests, codes)[1:]
            if -margin < low and high < margin:
                state, why = "equivalent", ""
        names = {"better": values.columns[a], "worse": values.columns[b]}
        rows.append(
            (*effect, int((raw > 0).sum()), int((raw == 0).sum()), int((raw < 0).sum()), names.get(state, ""),
             int(units[~np.isnan(raw)].nunique()), smallest_p(len(known), tests), state, why)
        )  # fmt: skip
    return pd.concat([main, pd.DataFrame(rows, columns=CLAIM_COLUMNS)], axis=1)


def _seen(
    table: pd.DataFrame,
    pairs: list[tuple[int, int]],
    metric: Metric,
    adjust: Adjust,
    alpha: float,
    once: pd.Series | None,
) -> list[float]:
    """Of each pair the sign of the difference that one look at the data shows, 0 where it shows none."""
    gaps = _gaps(checked(table), pairs, metric.resolution, _codes(table, once), metric.rate)
    tests = _tests(gaps, FEWEST_DATASETS, metric.resolution, metric.rate)
    return _signs(gaps, adjusted([test[1] for test in tests], adjust), metric, alpha)


def _signs(gaps: list[Floats], p: Floats, metric: Metric, alpha: float) -> list[float]:
    return [
        float(np.sign(np.nanmean(gap) if metric.rate else rank_biserial(gap)))
        if chance < alpha
        else 0.0
        for gap, chance in zip(gaps, p, strict=True)
    ]


def _skew(known: Floats, ahead: float, signs: float) -> str:
    """Why skew forbids to speak of a difference: the signs do not bear it out."""
    known = known[known != 0]  # as in Wilcoxon's test
    same = np.sign((known > 0).sum() - (known < 0).sum()) == ahead
    enough = signs < 0.06 if lopsided(known) else sign_p(known) < 0.16
    if same and enough:
        return ""
    return "the differences are skewed, and their signs do not show it"


def _effect(
    a: Floats, b: Floats, known: Floats, metric: Metric, level: float, codes: np.ndarray | None
) -> tuple[float, float, float]:
    if not metric.rate:
        return hodges_lehmann(known, level)
    if codes is not None:
        both = pd.DataFrame({"a": a, "b": b}).groupby(codes).mean()
        return rate_difference(both["a"], both["b"], level)
    return rate_difference(a, b, level)
