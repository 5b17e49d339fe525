"""Scores of properties, and values of usable runs in each aspect.

Source of the property scores: dataset properties, a section for each property. Scores are between 0 and 1 and higher is
better, except for noise sensitivity (lower is better, no upper bound) and extrapolation (an R2). Features are those of
the simplified model; without a simplified model, scores from features are NaN.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from srlib import tables
from srlib.assessing.measure import measure_edits
from srlib.errors import InputError
from srlib.judging.scoring import Array
from srlib.judging.screening import Screened
from srlib.metrics import round_significant
from srlib.problems import Problem
from srlib.rules import Aspect, JudgeRules

KEY = list(tables.KEY)
ACCURACY_ASPECT = Aspect.model_validate({"from": "r2_test", "direction": "higher"})
# columns that the property scores read
COLUMNS_READ = ["solution", "simplified_model", "features_used", "r2_test", "r2_extrapolation"]


def score_solution(runs: pd.DataFrame, problem: Problem) -> Array:
    """Return 1 for each run that is a symbolic solution, else 0, also if undecided; NaN if the truth is not known."""
    if problem.truth is None:
        return np.full(len(runs), np.nan)
    return runs["solution"].to_numpy(dtype=float, na_value=0.0)


def score_nearness(runs: pd.DataFrame, problem: Problem) -> Array:
    """Return for each run 1 minus the edits from the simplified model's tree to the truth's, per node of the latter.

    The score is at least 0, and NaN without a simplified model. Source: proposal, synthetic track: proximity to the
    generating formula.
    """
    return np.array([1 - measure_edits(problem, text) for text in runs["simplified_model"]])


def score_irrelevant_features(runs: pd.DataFrame, problem: Problem) -> Array:
    """Return S1 = 1 - |i and f| / |i| for each run: the share of irrelevant features that its model does not use.

    For the property local_optima the irrelevant features are the surrogates. NaN if the problem has no irrelevant
    features, or the run has no simplified model.
    """
    is_local_optima = problem.property == "local_optima"
    irrelevant = frozenset((problem.surrogates if is_local_optima else problem.irrelevant) or ())
    return _score_features(
        runs, irrelevant, lambda used: 1 - len(irrelevant & used) / len(irrelevant)
    )


def score_precision(runs: pd.DataFrame, problem: Problem) -> Array:
    """Return S2 = |r and f| / |f| for each run: the share of its model's features that are relevant.

    NaN for a constant model, without a simplified model, or if the problem states no relevant features.
    """
    relevant = frozenset(problem.relevant or ())
    return _score_features(
        runs, relevant, lambda used: len(relevant & used) / (len(used) or np.nan)
    )


def _score_features(
    runs: pd.DataFrame, names: frozenset[str], score_model: Callable[[frozenset[str]], float]
) -> Array:
    """Return the score of each simplified model's features; NaN without such a model, or if there are no names."""
    return np.array(
        [
            score_model(frozenset(used)) if names and isinstance(used, tuple) else np.nan
            for used in runs["features_used"]
        ]
    )


def score_extrapolation(runs: pd.DataFrame, problem: Problem) -> Array:
    """Return the R2 of each run on the extrapolation partition, or on the test set if the problem has none."""
    data = problem.data
    has_rows = data and (data.extrapolation or data.arguments.get("extrapolation"))
    column = "r2_extrapolation" if has_rows else "r2_test"
    return runs[column].to_numpy(dtype=float, na_value=np.nan)


def score_test_accuracy(runs: pd.DataFrame, problem: Problem) -> Array:
    """Return the R2 of each run on the test set, which the published code of 2022 used as score of some properties."""
    return runs["r2_test"].to_numpy(dtype=float, na_value=np.nan)


class PropertyScore(NamedTuple):
    """Score of a property: its function, direction and floor.

    Parameters
    ----------
    measure : callable or None
        Takes the runs on a dataset and the problem of the dataset, and returns a value for each run. None: runs have no
        values; noise sensitivity is computed from accuracies (`srlib.judging.scoring.measure_noise`).
    direction : {'higher', 'lower'}
        Which values are better.
    floor : float
        Best value that a run without a result can count as: it counts as the method's own worst value on the dataset,
        or as the floor if that is worse. NaN: no limit.
    """

    measure: Callable[[pd.DataFrame, Problem], Array] | None
    direction: str = "higher"
    floor: float = 0.0


# keys: property, and value of the rules' switch for this property
PROPERTY_SCORES = {
    ("solution", "frequency"): PropertyScore(score_solution),
    ("solution", "nearness"): PropertyScore(score_nearness),
    ("relevant_features", "S1"): PropertyScore(score_irrelevant_features),
    ("relevant_features", "S2"): PropertyScore(score_precision),
    ("local_optima", "S1"): PropertyScore(score_irrelevant_features),
    ("local_optima", "S2"): PropertyScore(score_precision),
    ("extrapolation", "r2_extrapolation"): PropertyScore(score_extrapolation),
    ("extrapolation", "r2_test"): PropertyScore(score_test_accuracy),
    ("noise_sensitivity", "ratio"): PropertyScore(None, "lower", np.nan),
    ("noise_sensitivity", "r2_test"): PropertyScore(score_test_accuracy),
}


def measure_aspects(screened: Screened, judge_rules: JudgeRules) -> Array:
    """Return the value of every usable run in every aspect.

    Returns
    -------
    array, aspects x rows of `screened.usable`
        Values after the aspect's transformation and, if the rules round before aggregating, rounding; NaN if the aspect
        is not defined for the run.

    Raises
    ------
    InputError
        When an aspect's column is absent from the runs or does not hold numbers.
    """
    runs, aspect_values = screened.usable, []
    for name, aspect in judge_rules.aspects.items():
        if aspect.from_ == "property":
            values, columns = np.full(len(runs), np.nan), runs.filter(COLUMNS_READ)
            for dataset, positions in runs.groupby("dataset").indices.items():
                problem = screened.problems[str(dataset)]
                if problem.property is None:
                    continue
                score_name = getattr(judge_rules.properties, problem.property)
                measure_rules = PROPERTY_SCORES[problem.property, score_name].measure
                if measure_rules is not None:
                    values[positions] = measure_rules(columns.iloc[positions], problem)
            aspect_values.append(values)
            continue
        try:
            numbers = pd.to_numeric(runs[aspect.from_]).to_numpy(float, na_value=np.nan)
        except (KeyError, ValueError, TypeError) as error:
            fault = "no numbers in it" if aspect.from_ in runs else "no such column"
            raise InputError(
                f"judge.aspects.{name}: from is {aspect.from_!r}, and the runs have {fault}; "
                f"columns of numbers are {', '.join(runs.select_dtypes('number').columns)}"
            ) from error
        aspect_values.append(transform(numbers, aspect))
    return np.array(aspect_values)


def transform(values: Array, aspect: Aspect) -> Array:
    """Return values of runs after the aspect's `transform`, rounded to `digits` if it rounds before the mean."""
    if aspect.transform == "neg_log":
        with np.errstate(divide="ignore", invalid="ignore"):
            values = -np.log(values) / np.log(aspect.base or np.e)
    if aspect.digits is None or aspect.round == "after":
        return values
    return np.round(round_significant(values), aspect.digits) + 0.0
