"""Scores of dataset properties, each a cheap function of the assessments of one dataset.

Source: dataset properties, one section for each. All are between 0 and 1 and higher is better, but for noise
sensitivity, which has no upper bound and is better when lower, and extrapolation, which is an R2. Features are those
of the simplified model; a model that could not be simplified has no score from its features (NaN).
"""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from pydantic import TypeAdapter, ValidationError

from srlib.assessing.extras import measure_edits
from srlib.errors import InputError
from srlib.judging.scoring import Array
from srlib.problems import Problem

Scorer = Callable[[pd.DataFrame, Problem], Array]
NAMES = TypeAdapter(frozenset[str])
# columns that the scorers read
READ = ["solution", "simplified_model", "features_used", "r2_test", "r2_extrapolation"]


def frequency(runs: pd.DataFrame, problem: Problem) -> Array:
    """1 for a symbolic solution, 0 for none; what could not be decided counts as not solved."""
    if problem.truth is None:
        return np.full(len(runs), np.nan)
    return runs["solution"].to_numpy(dtype=float, na_value=0.0)


def nearness(runs: pd.DataFrame, problem: Problem) -> Array:
    """1 - the edits from the simplified model's tree to the truth's, per node of the truth's; 0 at least.

    NaN where there is no simplified model. Source: proposal, synthetic track: proximity to the generating formula.
    """
    return np.array([1 - measure_edits(problem, text) for text in runs["simplified_model"]])


def absence(runs: pd.DataFrame, unwanted: Iterable[str] | None) -> Array:
    """S1 = 1 - |i and f| / |i|: share of the irrelevant features that the simplified model does without.

    NaN without irrelevant features. For local optima these are the surrogates.
    """
    names = frozenset(unwanted or ())
    return np.array(
        [
            1 - len(names & used) / len(names) if names and used is not None else np.nan
            for used in features(runs)
        ]
    )


def precision(runs: pd.DataFrame, problem: Problem) -> Array:
    """S2 = |r and f| / |f|: share of the model's features that are relevant; NaN for a constant model."""
    names = frozenset(problem.relevant or ())
    return np.array(
        [len(names & used) / len(used) if names and used else np.nan for used in features(runs)]
    )


def extrapolation(runs: pd.DataFrame, problem: Problem) -> Array:
    """R2 on the extrapolation partition; a problem without one is extrapolated to on its test set."""
    data = problem.data
    has_rows = data and (data.extrapolation or data.arguments.get("extrapolation"))
    column = "r2_extrapolation" if has_rows else "r2_test"
    return runs[column].to_numpy(dtype=float, na_value=np.nan)


def test_accuracy(runs: pd.DataFrame, problem: Problem) -> Array:
    """R2 on the test set once more, as the published 2022 code took it."""
    return runs["r2_test"].to_numpy(dtype=float, na_value=np.nan)


# Each score with its direction and its floor: what a run that returned nothing is worth is the worst value seen on the
# dataset, and no better than this. NaN: a noise sensitivity follows from the accuracies, which have their own floor;
# no run has a value of it (`srlib.judging.scoring.noise_sensitivity`).
SCORERS: dict[tuple[str, str], tuple[Scorer, str, float]] = {
    ("solution", "frequency"): (frequency, "higher", 0.0),
    ("solution", "nearness"): (nearness, "higher", 0.0),
    ("relevant_features", "S1"): (lambda runs, p: absence(runs, p.irrelevant), "higher", 0.0),
    ("relevant_features", "S2"): (precision, "higher", 0.0),
    ("local_optima", "S1"): (lambda runs, p: absence(runs, p.surrogates), "higher", 0.0),
    ("local_optima", "S2"): (precision, "higher", 0.0),
    ("extrapolation", "r2_extrapolation"): (extrapolation, "higher", 0.0),
    ("extrapolation", "r2_test"): (test_accuracy, "higher", 0.0),
    ("noise_sensitivity", "ratio"): (lambda runs, _: np.full(len(runs), np.nan), "lower", np.nan),
    ("noise_sensitivity", "r2_test"): (test_accuracy, "higher", 0.0),
}


def features(runs: pd.DataFrame) -> list[frozenset[str] | None]:
    """Features of each simplified model; None where there is no simplified model.

    Raises
    ------
    InputError
        When a text in `features_used` is not the JSON list of their names.
    """
    result: list[frozenset[str] | None] = []
    for text in runs["features_used"]:
        try:
            result.append(NAMES.validate_json(text) if isinstance(text, str) else None)
        except ValidationError as error:
            raise InputError(
                f"features_used: a JSON list of names was expected, got {text[:60]!r}"
            ) from error
    return result
