"""Which repetitions count: those that the problem or the rules expect."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.problems import Problems
from srlib.rules import Judge

EXTRA = (
    "repetition {{repetition}} is not expected: the seeds of the problem count, or, where it states none, the "
    "repetitions 1 to {} of the rules"
)


def find_extra_runs(runs: pd.DataFrame, problems: Problems, judge: Judge) -> NDArray[np.bool_]:
    """Rows whose repetition nobody expects.

    Where a problem states data_seeds, each of them is one repetition, named by its number from 1 or by the seed itself;
    where the problem is `numbered`, a number that can be both is a place. Elsewhere the repetitions 1 to N of the rules
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
        here = number[rows]
        if problem is not None and seeds:
            place_of = {seed: place for place, seed in enumerate(seeds, start=1)}
            if problem.numbered:  # a number that can be both is a place
                place_of |= {place: place for place in place_of.values()}
            here = np.array([place_of.get(int(r), int(r)) for r in repetition[rows]])
        expected = len(seeds) or judge.repetitions
        twice = pd.DataFrame({"method": runs["method"].to_numpy()[rows], "here": here})
        extra[rows] = (here < 1) | (here > expected) | twice.duplicated().to_numpy()
    return extra
