"""Further measures of a model, made from an assessment when rules or a comparison name one of them."""

from collections.abc import Collection
from contextlib import suppress

import numpy as np
import pandas as pd

from srlib.errors import ModelTextError
from srlib.expressions import parse
from srlib.expressions.distance import tree_apart
from srlib.problems import Problem, Problems

EXTRAS = ("edit_distance",)


def with_extras(
    assessments: pd.DataFrame, problems: Problems, names: Collection[str]
) -> pd.DataFrame:
    """Measure `edit_distance`, of the simplified model's tree from the truth's, where it is named.

    A column of this name that a team sent does not count. NaN where a run has no simplified model or a truth is not
    known.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Assessments contract.
    problems : Problems
        Where truths are.
    names : collection of str
        Names of measures; those that are no extras are left to others.
    """
    if "edit_distance" not in names:
        return assessments
    pairs = zip(assessments["dataset"], assessments["simplified_model"], strict=True)
    distances = [measure_edits(problems.find(dataset), text) for dataset, text in pairs]
    return assessments.assign(edit_distance=np.array(distances, dtype=float))


def measure_edits(problem: Problem | None, text: object) -> float:
    """Return the edit distance of a simplified model from the truth; NaN where one of them is not known."""
    if problem and problem.known_truth and isinstance(text, str):
        truth = parse(problem.known_truth, problem.features)
        with suppress(ModelTextError):  # what overflows simplifies to `inf`
            return tree_apart(truth, parse(text, problem.features, names="features"))
    return np.nan
