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

from srlib.errors import InputError
from srlib.expressions import parse
from srlib.expressions.distance import tree_apart
from srlib.problems import Problem, Problems

Scorer = Callable[[pd.DataFrame, Problem], NDArray[np.float64]]
# all columns that one may read
READS = ("r2_test", "r2_extrapolation", "solution", "features_used", "simplified_model")


def frequency(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """1 for a symbolic solution, 0 for none; what could not be decided counts as not solved."""
    return runs["solution"].to_numpy(dtype=float, na_value=0.0) + (
        np.nan if problem.truth is None else 0.0
    )


def nearness(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """1 - the edits from the simplified model's tree to the truth's, per node of the truth's; 0 at least.

    NaN where there is no simplified model. Source: proposal, synthetic track: proximity to the generating formula.
    """
    codes, texts = pd.factorize(runs["simplified_model"])
    truth = problem.known_truth
    near = [
        np.nan if truth is None else 1 - tree_distance(truth, text, problem.features)
        for text in texts
    ]
    return np.array([*near, np.nan])[codes]


@lru_cache(maxsize=65536)
def tree_distance(truth: str, model: str, features: tuple[str, ...]) -> float:
    """Distance of a simplified model's tree from a truth's, from 0 to 1; see `srlib.expressions.distance`."""
    return tree_apart(parse(truth, features), parse(model, features, names="features"))


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
    return _of_each_text(
        runs, lambda used: len(relevant & used) / len(used) if relevant and used else np.nan
    )


def scored_as(runs: pd.DataFrame, problems: Problems, name: str, score: str) -> pd.DataFrame:
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
    value, read = np.full(len(runs), np.nan), runs[[name for name in READS if name in runs]]
    for dataset, positions in runs.groupby("dataset", sort=True).indices.items():
        problem = problems.find(str(dataset))
        if problem is not None:
            value[positions] = SCORERS[name, score][0](read.iloc[positions], problem)
    return runs[["method", "dataset", "repetition"]].assign(value=value)


def extrapolation(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """R2 on the extrapolation partition; a problem without one is extrapolated to on its test set."""
    apart = problem.data is not None and problem.data.has_extrapolation
    return runs["r2_extrapolation" if apart else "r2_test"].to_numpy(dtype=float, na_value=np.nan)


def test_accuracy(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """R2 on the test set once more, as the published 2022 code took it."""
    return runs["r2_test"].to_numpy(dtype=float, na_value=np.nan)


def per_cell(runs: pd.DataFrame, problem: Problem) -> NDArray[np.float64]:
    """No value a run: noise sensitivity compares aggregated accuracies, in `srlib.judging.values`."""
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


def _share_absent(runs: pd.DataFrame, names: tuple[str, ...] | None) -> NDArray[np.float64]:
    if not names:
        return np.full(len(runs), np.nan)
    unwanted = frozenset(names)
    return _of_each_text(runs, lambda used: 1 - len(unwanted & used) / len(unwanted))


def _of_each_text(
    runs: pd.DataFrame, share: Callable[[frozenset[str]], float]
) -> NDArray[np.float64]:
    """Work out a share of the features once for each list of features; NaN where there is no simplified model."""
    codes, texts = pd.factorize(runs["features_used"])
    return np.array([*(share(_listed(text)) for text in texts), np.nan])[codes]


def features(runs: pd.DataFrame) -> list[frozenset[str] | None]:
    """Features of each simplified model; None where there is no simplified model."""
    return [_listed(text) if isinstance(text, str) else None for text in runs["features_used"]]


@lru_cache(maxsize=65536)
def _listed(text: str) -> frozenset[str]:
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"features_used: a JSON list of names was expected, got {text[:60]!r}")
    return frozenset(names)
