"""All methods at once: Friedman's test with Iman and Davenport's F, and the mean ranks with Nemenyi's comparisons.

Every table is datasets x methods. A missing value takes the worst rank of its dataset, so that no method gains by what
it lacks and no dataset is dropped for everybody; then there is no test. Source: J. Demšar, JMLR 7 (2006).
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from srlib.comparing.statistics import Direction, Floats
from srlib.errors import InputError


@dataclass(frozen=True)
class Friedman:
    """Whether the methods differ at all.

    Parameters
    ----------
    statistic, p_value : float
        Chi-squared with n_methods - 1 degrees of freedom, corrected for ties; NaN for fewer than three methods
        or two datasets, and where values are missing.
    n_datasets, n_methods : int
        Datasets (or units) with a value, and methods.
    mean_ranks : pandas.Series
        By method, 1 is best, ties share the average; sorted, best first.
    n_missing : int
        Values that took the worst rank.
    p_iman_davenport : float
        Of Iman and Davenport's F.
    weakest : bool
        Whether the p-values are those without the source of datasets that they depend on most.
    """

    statistic: float
    p_value: float
    n_datasets: int
    n_methods: int
    mean_ranks: pd.Series
    n_missing: int = 0
    p_iman_davenport: float = math.nan
    weakest: bool = False


def friedman(
    values: pd.DataFrame, direction: Direction = "higher", units: pd.Series | None = None
) -> Friedman:
    """Friedman's test and the mean ranks.

    Parameters
    ----------
    values : pandas.DataFrame
        Datasets x methods; NaN = missing.
    direction : {'higher', 'lower'}
        Which values are better; rank 1 is best.
    units : pandas.Series, optional
        By dataset: those of one unit count once, by their mean ranks.

    Examples
    --------
    >>> table = pd.DataFrame({"A": [3, 3, 3.0], "B": [2, 2, 1.0], "C": [1, 1, 2.0]})
    >>> found = friedman(table)
    >>> found.mean_ranks.round(2).to_dict(), round(found.p_value, 3)
    ({'A': 1.0, 'B': 2.33, 'C': 2.67}, 0.097)
    """
    values = values.dropna(how="all")
    array = checked(values) * (-1 if direction == "higher" else 1)
    absent = np.isnan(array)
    if units is not None:
        array = np.where(absent, np.nan, _ranked(np.where(absent, np.inf, array)))
        array = pd.DataFrame(array).groupby(units.reindex(values.index).to_numpy()).mean()
        array = array.to_numpy().round(9)
    n_datasets, n_methods = array.shape
    ranks = _ranked(np.where(np.isnan(array), np.inf, array))
    means = pd.Series(
        ranks.mean(axis=0) if n_datasets else np.nan, index=values.columns, dtype=float
    )
    statistic = p_value = iman = math.nan
    if n_methods >= 3 and n_datasets >= 2 and not absent.any():
        same = (ranks == ranks[:, :1]).all()
        statistic, p_value = (0.0, 1.0) if same else map(float, stats.friedmanchisquare(*ranks.T))
        rest = n_datasets * (n_methods - 1) - statistic
        freedom = (n_methods - 1, (n_methods - 1) * (n_datasets - 1))
        iman = 0.0
        if rest > 0:
            iman = float(stats.f.sf((n_datasets - 1) * statistic / rest, *freedom))
    means = means.sort_values(kind="stable")
    return Friedman(statistic, p_value, n_datasets, n_methods, means, int(absent.sum()), iman)


def _ranked(array: Floats) -> Floats:
    if array.size:
        return stats.rankdata(array, axis=1)
    return array


def nemenyi(values: pd.DataFrame) -> pd.DataFrame:
    """p-values of Nemenyi's test for every pair of methods, from the mean ranks of `friedman`.

    Returns
    -------
    pandas.DataFrame
        Methods x methods, symmetric, 1 on the diagonal; NaN without a dataset.
    """
    found = friedman(values)
    q = _distances(found, values.columns) / (
        _rank_error(found.n_methods, found.n_datasets) / math.sqrt(2)
    )
    distinct, place = np.unique(q, return_inverse=True)
    p = stats.studentized_range.sf(distinct, found.n_methods, np.inf)[place].reshape(q.shape)
    return _square(p, values.columns)


def by_mean_ranks(values: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """p-values of `nemenyi` beside each pair of a table with `method_a` and `method_b`."""
    p = nemenyi(values)
    found = [p.loc[a, b] for a, b in zip(pairs["method_a"], pairs["method_b"], strict=True)]
    return pairs[["method_a", "method_b"]].assign(p_nemenyi=np.array(found, dtype=float))


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Difference of mean ranks that Nemenyi's test calls significant.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = float(stats.studentized_range.isf(alpha, n_methods, np.inf)) / math.sqrt(2)
    return q * _rank_error(n_methods, n_datasets)


def _distances(found: Friedman, order: pd.Index) -> Floats:
    ranks = found.mean_ranks.reindex(order).to_numpy()
    return np.abs(ranks[:, None] - ranks)


def _square(p: Floats, names: pd.Index) -> pd.DataFrame:
    p[np.diag_indices_from(p)] = 1.0
    return pd.DataFrame(np.minimum(p, 1), index=names, columns=names)


def _rank_error(n_methods: int, n_datasets: int) -> float:
    if n_datasets:
        return math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))
    return math.nan


def checked(values: pd.DataFrame) -> Floats:
    """Array of a table whose datasets and methods stand once and whose values are finite or missing.

    Raises
    ------
    InputError
        Names the dataset or method, and what came.
    """
    for axis, kind in ((values.index, "dataset"), (values.columns, "method")):
        if axis.has_duplicates:
            raise InputError(
                f"{kind} {axis[axis.duplicated()][0]!r} appears twice; each may stand once"
            )
    array = values.to_numpy(dtype=float, na_value=np.nan)
    if np.isinf(array).any():
        row, column = np.argwhere(np.isinf(array))[0]
        where = f"dataset {values.index[row]}, method {values.columns[column]}"
        raise InputError(f"{where}: a finite number or NaN was expected, got {array[row, column]}")
    return array
