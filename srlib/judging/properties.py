"""Scores of dataset properties, each a cheap function of the assessments of one dataset.

Source: dataset properties, one section for each. All are between 0 and 1 and higher is better, but for noise
sensitivity, which has no upper bound and is better when lower, and extrapolation, which is an R2. Features are those
of the simplified model; a model that could not be simplified has no score from its features (NaN).
"""

import json
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.assessing.extras import measure_edits
from srlib.errors import InputError
from srlib.problems import Problem, Problems

Scorer = Callable[[pd.DataFrame, Problem], NDArray[np.float64]]
# all columns that a scorer may read
READS = ("r2_test", "r2_extrapolation", "solution", "features_used", "simplified_model")


def frequency(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """1 for a symbolic solution, 0 for none; what could not be decided counts as not solved."""
    if problem.truth is None:
        return np.full(len(runs), np.nan)
    return runs["solution"].to_numpy(dtype=float, na_value=0.0)


def nearness(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """1 - the edits from the simplified model's tree to the truth's, per node of the truth's; 0 at least.

    NaN where there is no simplified model. Source: proposal, synthetic track: proximity to the generating formula.
    """
    return np.array([1 - measure_edits(problem, text) for text in runs["simplified_model"]])


def absence(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """S1 = 1 - |i and f| / |i|: share of the irrelevant features that the simplified model does without.

    NaN where the problem states no irrelevant feature.
    """
    return _share_absent(runs, problem.irrelevant)


def surrogate_absence(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """S1 with the surrogate features as the irrelevant ones."""
    return _share_absent(runs, problem.surrogates)


def precision(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """S2 = |r and f| / |f|: share of the model's features that are relevant; NaN for a constant model."""
    relevant = frozenset(problem.relevant or ())
    return np.array(
        [
            len(relevant & used) / len(used) if relevant and used else np.nan
            for used in features(runs)
        ]
    )


def _share_absent(runs: pd.DataFrame, names: tuple[str, ...] | None) -> NDArray[np.float64]:
    unwanted = frozenset(names or ())
    return np.array(
        [
            np.nan if used is None or not unwanted else 1 - len(unwanted & used) / len(unwanted)
            for used in features(runs)
        ]
    )


def extrapolation(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """R2 on the extrapolation partition; a problem without one is extrapolated to on its test set."""
    apart = problem.data is not None and problem.data.apart
    return runs["r2_extrapolation" if apart else "r2_test"].to_numpy(dtype=float, na_value=np.nan)


def test_accuracy(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """R2 on the test set once more, as the published 2022 code took it."""
    return runs["r2_test"].to_numpy(dtype=float, na_value=np.nan)


def per_cell(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """No value a run: `srlib.judging.values.noise_sensitivity` compares aggregated accuracies."""
    return np.full(len(runs), np.nan)


# Each score with its direction and its floor: what a run that returned nothing is worth is the worst value seen on the
# dataset, and no better than this. NaN: a noise sensitivity follows from the accuracies, which have their own floor.
SCORERS: dict[tuple[str, str], tuple[Scorer, str, float]] = {
    ("solution", "frequency"): (frequency, "higher", 0.0),
    ("solution", "nearness"): (nearness, "higher", 0.0),
    ("relevant_features", "S1"): (absence, "higher", 0.0),
    ("relevant_features", "S2"): (precision, "higher", 0.0),
    ("local_optima", "S1"): (surrogate_absence, "higher", 0.0),
    ("local_optima", "S2"): (precision, "higher", 0.0),
    ("extrapolation", "r2_extrapolation"): (extrapolation, "higher", 0.0),
    ("extrapolation", "r2_test"): (test_accuracy, "higher", 0.0),
    ("noise_sensitivity", "ratio"): (per_cell, "lower", np.nan),
    ("noise_sensitivity", "r2_test"): (test_accuracy, "higher", 0.0),
}


def score_property(runs: pd.DataFrame, problems: Problems, name: str, score: str) -> pd.DataFrame:
    """Score every run by one property, whatever property its dataset was made for.

    So can any dataset serve for re-discovery; with noise added too, as runs on `NAME@LEVEL`.

    Parameters
    ----------
    runs : pandas.DataFrame
        Usable rows of the assessments contract.
    problems : Problems
        Where the datasets are described; on a dataset that is not in it the value is NaN.
    name, score : str
        A key of `SCORERS`, as in ('solution', 'frequency').

    Returns
    -------
    pandas.DataFrame
        `method`, `dataset`, `repetition`, `value`; the direction and the floor stand in `SCORERS`.
    """
    scorer, *_ = SCORERS[name, score]
    value, columns = np.full(len(runs), np.nan), runs[[name for name in READS if name in runs]]
    for dataset, rows in runs.groupby("dataset", sort=True).indices.items():
        problem = problems.find(str(dataset))
        if problem is not None:
            value[rows] = scorer(columns.iloc[rows], problem)
    return runs[["method", "dataset", "repetition"]].assign(value=value)


def features(runs: pd.DataFrame) -> list[frozenset[str] | None]:
    """Features of each simplified model; None where there is no simplified model."""
    return [
        read_features(text) if isinstance(text, str) else None for text in runs["features_used"]
    ]


@lru_cache(maxsize=65536)
def read_features(text: str) -> frozenset[str]:
    """Read the features of a model from the JSON list of their names.

    Raises
    ------
    InputError
        When the text is anything else.
    """
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"features_used: a JSON list of names was expected, got {text[:60]!r}")
    return frozenset(names)
