"""Summaries over datasets: centres with bootstrap intervals, Pareto fronts, performance profiles."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from srlib.comparing.paired_tests import CONFIDENCE_LEVEL

N_RESAMPLES = 1000
RANGE_ENDS = [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2]


def intervals(
    values: pd.DataFrame, rate: bool = False, units: pd.Series | None = None
) -> pd.DataFrame:
    """Return the median (for rates the mean) of each method over the datasets, with a 95% interval.

    The interval of a median has percentiles of resampled units as ends; that of a rate is Wilson's (`rate_interval`).

    Parameters
    ----------
    values : pandas.DataFrame
        Datasets x methods; missing values (NaN) are left out.
    rate : bool
        Whether the values are shares of runs.
    units : pandas.Series, optional
        Unit of each dataset (the index). Datasets of one unit are resampled together, separately for each method.

    Returns
    -------
    pandas.DataFrame
        Indexed by method: `n_datasets`, `value`, `low`, `high`.

    Examples
    --------
    >>> intervals(pd.DataFrame({"A": [1.0, 2.0, 3.0], "B": [5.0, 5.0, None]})).loc["B"].tolist()
    [2.0, 5.0, 5.0, 5.0]
    """
    names = values.index.to_series()
    if units is not None:
        names = units.reindex(values.index).fillna(names)
    rng, rows = np.random.default_rng(0), []
    for _, column in values.astype("float64").items():
        numbers = column.dropna()
        names_here = names[numbers.index]
        low, high = np.nan, np.nan
        if rate and len(numbers):
            low, high = rate_interval(numbers.mean(), names_here.nunique())
        elif len(numbers):
            draws = draw_units(names_here, rng)
            medians = numbers.iloc[draws["row"]].groupby(draws["draw"].to_numpy()).median()
            low, high = np.quantile(medians, RANGE_ENDS)
        rows.append((len(numbers), numbers.mean() if rate else numbers.median(), low, high))
    return pd.DataFrame(rows, index=values.columns, columns=["n_datasets", "value", "low", "high"])


def draw_units(units: pd.Series, rng: np.random.Generator) -> pd.DataFrame:
    """Return the rows of `N_RESAMPLES` tables, whose units are drawn with replacement: number of `draw`, and `row`.

    Parameters
    ----------
    units : pandas.Series
        Unit of each row; all rows of a drawn unit are in the table.
    rng : numpy.random.Generator
        Source of the draws.
    """
    codes, names = pd.factorize(units)
    numbers = rng.integers(len(names), size=(N_RESAMPLES, len(names)))
    members = pd.DataFrame({"unit": codes, "row": np.arange(len(codes))})
    table = pd.DataFrame(numbers).rename_axis("draw").melt(ignore_index=False, value_name="unit")
    return table.reset_index().merge(members, on="unit")[["draw", "row"]]


def rate_interval(mean: float, units: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a mean rate, with each unit as one trial; its width is never 0.

    It is wide enough for rates: of all values from 0 to 1 with this mean, those that are 0 or 1 vary most.

    Examples
    --------
    >>> [round(x, 2) for x in rate_interval(0.0, 10)]
    [0.0, 0.28]
    """
    from scipy.special import ndtri  # takes a third of a second to import

    ratio = ndtri((1 + CONFIDENCE_LEVEL) / 2) ** 2 / units
    centre = (mean + ratio / 2) / (1 + ratio)
    half_width = np.sqrt(ratio * mean * (1 - mean) + ratio**2 / 4) / (1 + ratio)
    return float(max(centre - half_width, 0)), float(min(centre + half_width, 1))


def fronts(points: ArrayLike) -> NDArray[np.int_]:
    """Return the Pareto front of each point: 1 if not dominated, 2 if only by front 1, ...; 0 if a value is NaN.

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
    front = np.zeros(len(array), int)
    for point in np.lexsort(array.T):  # sorted, so that points that dominate another come first
        front[point] = 1 + max(front[better[:, point]], default=0)
    return np.where(np.isnan(array).any(axis=1), 0, front)


def profile(values: pd.DataFrame, grid: ArrayLike) -> pd.DataFrame:
    """Return the share of datasets on which each method reaches at least each value of the grid.

    Missing values are below every value of the grid.

    Returns
    -------
    pandas.DataFrame
        Grid x methods, shares from 0 to 1.

    Examples
    --------
    >>> profile(pd.DataFrame({"A": [0.5, 1.0], "B": [0.2, None]}), [0.0, 0.5])["A"].tolist()
    [1.0, 1.0]
    """
    array = values.to_numpy(dtype=float)
    thresholds = np.asarray(grid, float)
    return pd.DataFrame(
        (array >= thresholds[:, None, None]).mean(axis=1), index=thresholds, columns=values.columns
    )


def profile_area(values: pd.DataFrame) -> pd.Series:
    """Return the area below each profile from 0 to 1: the mean of the values, clipped to [0, 1], missing ones as 0."""
    return values.clip(0, 1).fillna(0).mean()
