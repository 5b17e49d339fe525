"""Which repetitions count: those that the problem or the rules expect."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.assessing.run import data_seed
from srlib.problems import Problems
from srlib.rules import Judge

EXTRA = (
    "repetition {{repetition}} is not expected: the seeds of the problem count, or, where it states none, the "
    "repetitions 1 to {} of the rules"
)


def find_extra_runs(runs: pd.DataFrame, problems: Problems, judge: Judge) -> NDArray[np.bool_]:
    """Rows whose repetition nobody expects.

    Where a problem states data_seeds, each of them is one repetition, named by its number from 1 or by the seed itself
    (`data_seed` says which); a second one on the same data is too many. Elsewhere the repetitions 1 to N of the rules
    are expected, or 0 to N - 1 of a method that counts from 0. A folder in PMLB's layout states no competition: there
    every repetition counts.

    Parameters
    ----------
    runs : pandas.DataFrame
        Columns `method`, `dataset`, `repetition` and `status`.

    Returns
    -------
    array of bool, one a row
    """
    extra = np.zeros(len(runs), dtype=bool)
    if problems.path.is_dir():
        return extra
    repetition = runs["repetition"].to_numpy()
    first = runs["repetition"].where(runs["status"] != "invalid").groupby(runs["method"]).min()
    number = repetition + runs["method"].map(first == 0).to_numpy(dtype=int)
    for dataset, rows in runs.groupby("dataset", sort=False).indices.items():
        problem = problems.find(str(dataset))
        seeds = problem.data_seeds if problem is not None else ()
        expected = np.isin(number[rows], range(1, judge.repetitions + 1))
        if problem is not None and seeds:
            expected = np.isin(repetition[rows], (*seeds, *range(1, len(seeds) + 1)))
            data = [data_seed(int(r), problem) for r in repetition[rows]]
            methods = runs["method"].to_numpy()[rows]
            of_one_run = pd.DataFrame({"method": methods, "data": data, "expected": expected})
            expected &= ~of_one_run.duplicated().to_numpy()
        extra[rows] = ~expected
    return extra
