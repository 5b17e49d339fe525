"""Summaries over datasets: medians with bootstrap intervals, Pareto fronts, performance profiles. Arrays mostly."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from srlib.comparing.statistics import FEWEST_DATASETS, rate_interval

RESAMPLES = 1000


def intervals(
    values: pd.DataFrame,
    rate: bool = False,
    seed: int = 0,
    level: float = 0.95,
    related: pd.Series | None = None,
) -> pd.DataFrame:
    """Median (for rates the mean) over the datasets, with an interval.

    Of medians the percentiles of resampled datasets; of rates Wilson's interval (see `rate_interval`). Related datasets
    are drawn, and count, together; of fewer than six sources each dataset is drawn alone, and the interval
    speaks of datasets like these only.

    Parameters
    ----------
    values : pandas.DataFrame
        Datasets x methods; NaN = missing, left out.
    rate : bool
        Take the mean.
    seed : int
        Of the resampling; every method's datasets are drawn anew.
    level : float
        Coverage of the interval.
    related : pandas.Series, optional
        By dataset the source that it shares with others; "" or missing: none.

    Returns
    -------
    pandas.DataFrame
        Index method; `n_datasets`, `value`, `low`, `high`.

    Examples
    --------
    >>> intervals(pd.DataFrame({"A": [1.0, 2.0, 3.0], "B": [5.0, 5.0, None]})).loc["B"].tolist()
    [2.0, 5.0, 5.0, 5.0]
    """
    generator, rows = np.random.default_rng(seed), []
    codes = pd.factorize(units_of(values, related))[0]
    for column in values.to_numpy(dtype=float).T:
        known = ~np.isnan(column)
        count = int(known.sum())
        enough = len(np.unique(codes[known])) >= FEWEST_DATASETS
        unit = codes if enough else np.arange(len(codes))
        if rate or not count:
            centre, *ends = rate_interval(column, level, unit) if count else (np.nan,) * 3
            rows.append((count, centre, *ends))
            continue
        members = [column[known & (unit == code)] for code in np.unique(unit[known])]
        alone = len(members) == count
        drawn = generator.integers(len(members), size=(RESAMPLES, len(members)))
        parts = np.concatenate(members)
        medians = (
            np.median(parts[drawn], axis=1)
            if alone
            else [np.median(np.concatenate([members[i] for i in one])) for one in drawn]
        )
        ends = np.quantile(medians, [(1 - level) / 2, (1 + level) / 2])
        rows.append((count, np.median(column[known]), *ends))
    return pd.DataFrame(rows, index=values.columns, columns=["n_datasets", "value", "low", "high"])


def units_of(values: pd.DataFrame, related: pd.Series | None) -> pd.Series:
    """Give the unit of each dataset: the source that it shares with others, or itself.

    Examples
    --------
    >>> units_of(pd.DataFrame(index=["a", "b", "c"]), pd.Series({"a": "x", "b": "x"})).tolist()
    ['x', 'x', 'c']
    """
    names = pd.Series(values.index.astype(str), index=values.index)
    known = names.map(lambda _: "") if related is None else related.reindex(values.index)
    known = known.fillna("").astype(str)
    return known.where(known != "", names)


def ranks(
    values: pd.DataFrame, direction: str = "higher", digits: int | None = None
) -> pd.DataFrame:
    """Rank the methods on every dataset: 1 is best, ties share the average, NaN stays; perhaps rounded before.

    Examples
    --------
    >>> table = pd.DataFrame({"A": [0.91], "B": [0.94]})
    >>> ranks(table).values.tolist(), ranks(table, digits=1).values.tolist()
    ([[2.0, 1.0]], [[1.5, 1.5]])
    """
    rounded = values if digits is None else values.round(digits)
    return rounded.rank(axis=1, ascending=direction == "lower")


def fronts(points: ArrayLike) -> NDArray[np.int_]:
    """Pareto front of every point: 1 is not dominated, 2 only by front 1, and so on; 0 where a value is NaN.

    Parameters
    ----------
    points : array, points x objectives
        Lower is better in every objective.

    Examples
    --------
    >>> fronts([[1, 3], [3, 1], [2, 4], [3, 3]]).tolist()
    [1, 1, 2, 2]
    """
    array = np.asarray(points, float)
    better = np.all(array[:, None] <= array, axis=2) & np.any(array[:, None] < array, axis=2)
    front, left, number = np.zeros(len(array), int), ~np.isnan(array).any(axis=1), 0
    while left.any():
        number += 1
        free = left & ~better[left].any(axis=0)
        front[free] = number
        left &= ~free
    return front


def profile(values: pd.DataFrame, grid: ArrayLike) -> pd.DataFrame:
    """Give the share of the datasets on which a method reaches at least x; missing values reach nothing.

    Returns
    -------
    pandas.DataFrame
        Grid x methods, shares from 0 to 1.

    Examples
    --------
    >>> profile(pd.DataFrame({"A": [0.5, 1.0], "B": [0.2, None]}), [0.0, 0.5])["A"].tolist()
    [1.0, 1.0]
    """
    array, at = values.to_numpy(dtype=float), np.asarray(grid, float)
    return pd.DataFrame((array >= at[:, None, None]).mean(axis=1), index=at, columns=values.columns)


def profile_area(values: pd.DataFrame) -> pd.Series:
    """Area below the performance profile from 0 to 1: the mean of the values, clipped to [0, 1]; missing ones are 0."""
    return values.clip(0, 1).fillna(0).mean()
