"""Which data a repetition stands for, and which repetitions of a run table a problem expects."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.problems import Problem, Problems

# Details of ledger lines.
OTHER_DATA = "data_seed {data_seed} is not the seed of repetition {repetition}; the repetition says which data count"
EXTRA_RUN = "repetition {repetition} is not expected: the seeds of the problem count"


def read_seeds(runs: pd.DataFrame, problems: Problems) -> pd.Series:
    """Return the seed of each run's data, which follows from its repetition alone; absent where there is none.

    Returns
    -------
    pandas.Series
        Int64, with the index of the runs.
    """
    seeds = list[int | None]()
    for dataset, repetition in zip(runs["dataset"], runs["repetition"], strict=True):
        problem = problems.find(dataset)
        seeds.append(problem.data_seed(repetition) if problem and problem.data else None)
    return pd.Series(seeds, runs.index, dtype="Int64")


def find_extra_runs(runs: pd.DataFrame, problems: Problems, repetitions: int) -> NDArray[np.bool_]:
    """Mask of the runs whose repetition is not expected.

    Where a problem states data_seeds, each of them is one repetition, named by its number from 1 or by the seed itself
    (`data_seed` says which); a second one on the same data is too many. Elsewhere the repetitions 1 to N are expected,
    or 0 to N - 1 of a method that counts from 0. A folder in PMLB's layout states no competition: there every
    repetition counts.

    Parameters
    ----------
    runs : pandas.DataFrame
        Columns `method`, `dataset`, `repetition` and `status`.
    problems : Problems
        Their data seeds say which repetitions there are.
    repetitions : int
        N where a problem states no seeds; 0: every repetition is expected there.

    Returns
    -------
    array of bool, one a row
    """
    if problems.path.is_dir():
        return np.zeros(len(runs), dtype=bool)
    numbers = runs["repetition"].where(runs["status"] != "invalid")
    first = numbers.groupby(runs["method"]).transform("min")
    table = runs[["method", "dataset", "repetition"]].assign(first=first, row=np.arange(len(runs)))
    # of two runs on the same data the lower number counts, whatever the order of the rows
    table = table.sort_values("repetition", kind="stable")
    is_extra, counted_data = np.ones(len(runs), dtype=bool), set[Any]()
    for method, dataset, number, start, row in table.itertuples(index=False, name=None):
        problem, data = problems.find(dataset), number
        seeds = problem.data_seeds if problem else ()
        if problem and seeds:
            data = problem.data_seed(number)
        elif start == 0:
            number += 1
        most = len(seeds) or repetitions
        is_expected = not most or number in seeds or 1 <= number <= most
        if is_expected and (method, dataset, data) not in counted_data:
            counted_data.add((method, dataset, data))
            is_extra[row] = False
    return is_extra


def find_other_data(runs: pd.DataFrame, problems: Problems) -> pd.Series:
    """Return which runs state in `data_seed` another seed than the one that their repetition says."""
    stated_seeds = runs.reindex(columns=["data_seed"])["data_seed"].astype("Int64")
    return stated_seeds.ne(read_seeds(runs, problems)).fillna(False)


def name_data(problem: Problem) -> str:
    """Say which repetitions a problem with several data seeds has."""
    seeds = ", ".join(map(str, problem.data_seeds))
    return f"the data of its dataset: 1 to {len(problem.data_seeds)}, or one of the seeds {seeds}"
