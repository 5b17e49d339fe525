"""All methods at once: Friedman's test with its relatives, and the mean ranks with Nemenyi's and Conover's comparisons.

Every table is datasets x methods. A missing value takes the worst rank of its dataset, so that no method gains by what
it lacks and no dataset is dropped for everybody. Source: J. Demšar, JMLR 7 (2006); J. Skillings and G. Mack (1981);
W. Conover, Practical Nonparametric Statistics (1999).
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
        or two datasets. Where values are missing the p-value is the larger one of `p_floor` and `p_left_out`, and 1
        if another method stands out, or it does so the other way, when they are left out.
    n_datasets, n_methods : int
        Datasets (or units) with a value, and methods.
    mean_ranks : pandas.Series
        By method, 1 is best, ties share the average; sorted, best first.
    n_missing : int
        Values that took the worst rank.
    p_floor, p_left_out, p_iman_davenport : float
        With worst ranks; with missing values left out (Skillings and Mack); of Iman and Davenport's F.
    """

    statistic: float
    p_value: float
    n_datasets: int
    n_methods: int
    mean_ranks: pd.Series
    n_missing: int = 0
    p_floor: float = math.nan
    p_left_out: float = math.nan
    p_iman_davenport: float = math.nan


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
    statistic = floor = left_out = iman = math.nan
    if n_methods >= 3 and n_datasets >= 2:
        same = (ranks == ranks[:, :1]).all()
        statistic, floor = (0.0, 1.0) if same else map(float, stats.friedmanchisquare(*ranks.T))
        left_out = floor
        if np.isnan(array).any():
            left_out, gains = _skillings_mack(array)
            losses = ranks.mean(axis=0) - (n_methods + 1) / 2
            far = [np.abs(losses).argmax(), np.abs(gains).argmax()]
            if (losses * gains)[far].min() < 0:  # it depends on what is missing who stands out
                left_out = 1.0
        rest = n_datasets * (n_methods - 1) - statistic
        freedom = (n_methods - 1, (n_methods - 1) * (n_datasets - 1))
        iman = 0.0
        if rest > 0:
            iman = float(stats.f.sf((n_datasets - 1) * statistic / rest, *freedom))
    p_value = floor if math.isnan(left_out) else max(floor, left_out)
    means = means.sort_values(kind="stable")
    return Friedman(
        statistic, p_value, n_datasets, n_methods, means, int(absent.sum()), floor, left_out, iman
    )


def _ranked(array: Floats) -> Floats:
    if array.size:
        return stats.rankdata(array, axis=1)
    return array


def _skillings_mack(array: Floats) -> tuple[float, Floats]:
    """Test over what is there (a dataset with one value says nothing): p-value, and how far each method's ranks lie."""
    array = array[(~np.isnan(array)).sum(axis=1) >= 2]
    there = ~np.isnan(array)
    count = there.sum(axis=1, keepdims=True)
    ranks = np.where(there, stats.rankdata(array, axis=1, nan_policy="omit"), (count + 1) / 2)
    sums = (np.sqrt(12 / (count + 1)) * (ranks - (count + 1) / 2)).sum(axis=0)
    together = there.T.astype(float) @ there
    covariance = np.diag(together.sum(axis=1)) - together
    statistic = float(sums @ np.linalg.pinv(covariance) @ sums)
    rank = int(np.linalg.matrix_rank(covariance))
    return (float(stats.chi2.sf(statistic, rank)) if rank else 1.0), sums


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


def conover(values: pd.DataFrame) -> pd.DataFrame:
    """p-values of Conover's test for every pair, sharper than Nemenyi's and not corrected for their number."""
    values = values.dropna(how="all")
    found = friedman(values)
    ranks = _ranked(np.where(values.isna(), np.inf, -checked(values)))
    n, k = found.n_datasets, found.n_methods
    spread = 2 * (n * (ranks**2).sum() - (ranks.sum(axis=0) ** 2).sum()) / max((n - 1) * (k - 1), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = n * _distances(found, values.columns) / math.sqrt(max(spread, 0.0))
    return _square(2 * stats.t.sf(np.nan_to_num(t), max((n - 1) * (k - 1), 1)), values.columns)


def by_mean_ranks(values: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """p-values of `nemenyi` and `conover` beside each pair of a table with `method_a` and `method_b`."""
    names = list(zip(pairs["method_a"], pairs["method_b"], strict=True))
    tests = {"p_nemenyi": nemenyi(values), "p_conover": conover(values)}
    found = {n: np.array([p.loc[a, b] for a, b in names], dtype=float) for n, p in tests.items()}
    return pairs[["method_a", "method_b"]].assign(**found)


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
