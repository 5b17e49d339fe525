"""Find the data that each repetition of a run table uses, and the repetitions that a problem expects."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.problems.problem import Problem, Problems

# Details of ledger lines.
OTHER_DATA = "data_seed {data_seed} is not the seed of repetition {repetition}; the repetition says which data count"
EXTRA_RUN = "repetition {repetition} is not expected: the seeds of the problem count"


def read_seeds(runs: pd.DataFrame, problems: Problems) -> pd.Series:
    """Return the seed of the data of each run, determined by its repetition.

    Returns
    -------
    pandas.Series
        Int64, with the index of the runs; missing for unknown datasets, problems without data and other repetitions.
    """

    def find_seed(dataset: str, repetition: int) -> int | None:
        problem = problems.find(dataset)
        return problem.data_seed(repetition) if problem and problem.data else None

    return _map_rows(runs[["dataset", "repetition"]], find_seed)


def _map_rows(table: pd.DataFrame, find: Callable[..., int | None]) -> pd.Series:
    """Return the number that a function finds for each row; it is called once for equal rows."""
    groups = table.groupby(list(table), sort=False, dropna=False).ngroup()
    distinct_rows = table[~table.duplicated()].itertuples(index=False, name=None)
    numbers = pd.array([find(*row) for row in distinct_rows], dtype="Int64")
    return pd.Series(numbers.take(groups.to_numpy()), table.index)


def find_extra_runs(runs: pd.DataFrame, problems: Problems, repetitions: int) -> NDArray[np.bool_]:
    """Return a mask of the runs whose repetition is not expected.

    If a problem states data_seeds, one run per seed is expected; its repetition is the seed or the number of the seed,
    counted from 1 (see `Problem.data_seed`), and a second run on the same data is not expected. Otherwise the
    repetitions 1 to N are expected, or 0 to N - 1 for a method that counts from 0. In a folder with PMLB's layout,
    every repetition is expected.

    Parameters
    ----------
    runs : pandas.DataFrame
        Columns `method`, `dataset`, `repetition` and `status`.
    problems : Problems
        Problems, whose data seeds determine the expected repetitions.
    repetitions : int
        N, for problems without data seeds; 0 expects every repetition.

    Returns
    -------
    ndarray of bool, shape (runs,)
        True for runs that are not expected.
    """
    if problems.path.is_dir():
        return np.zeros(len(runs), dtype=bool)
    numbers = runs["repetition"].where(runs["status"] != "invalid")
    starts_at_zero = numbers.groupby(runs["method"]).transform("min").eq(0)

    def find_data(dataset: str, number: int, starts_at_zero: bool) -> int | None:
        """Return the seed or the number of the data of an expected repetition; None if it is not expected."""
        problem, data = problems.find(dataset), number
        seeds = problem.data_seeds if problem else ()
        if problem and seeds:
            data = problem.data_seed(number)
        elif starts_at_zero:
            number += 1
        most = len(seeds) or repetitions
        return data if not most or number in seeds or 1 <= number <= most else None

    table = runs[["method", "dataset", "repetition"]]
    data = _map_rows(table[["dataset", "repetition"]].assign(first=starts_at_zero), find_data)
    # of two runs on the same data, the one with the lower number is expected, independent of the order of rows
    order = np.argsort(table["repetition"].to_numpy(), kind="stable")
    is_extra = data.isna().to_numpy(copy=True)
    is_extra[order] |= table.assign(repetition=data).iloc[order].duplicated().to_numpy()
    return is_extra


def find_other_data(runs: pd.DataFrame, problems: Problems) -> pd.Series:
    """Return a mask of the runs whose `data_seed` differs from the seed that belongs to their repetition."""
    stated_seeds = runs.reindex(columns=["data_seed"])["data_seed"].astype("Int64")
    return stated_seeds.ne(read_seeds(runs, problems)).fillna(False)


def name_data(problem: Problem) -> str:
    """Return the repetitions of a problem with several data seeds, in words."""
    seeds = ", ".join(map(str, problem.data_seeds))
    return f"the data of its dataset: 1 to {len(problem.data_seeds)}, or one of the seeds {seeds}"
