"""Further measures of a model, made from an assessment when rules or a comparison name one of them.

`edit_distance` is measured on the simplified model's tree.
"""

from collections.abc import Collection
from functools import lru_cache

import numpy as np
import pandas as pd

from srlib.errors import ModelTextError
from srlib.expressions import parse
from srlib.expressions.distance import tree_apart
from srlib.problems import Problems

EXTRAS = ("edit_distance",)


def with_extras(
    assessments: pd.DataFrame, problems: Problems, wanted: Collection[str]
) -> pd.DataFrame:
    """Add the columns among `EXTRAS` that are wanted and not there.

    NaN where a run has no simplified model or a truth is not known (`edit_distance`).

    Parameters
    ----------
    assessments : pandas.DataFrame
        Assessments contract.
    problems : Problems
        Where truths are.
    wanted : collection of str
        Names of columns; those that are no extras are left to others.
    """
    names = [name for name in EXTRAS if name in wanted and name not in assessments]
    table = assessments.assign(**dict.fromkeys(names, np.nan))
    if "edit_distance" in names:
        table["edit_distance"] = [
            _edits(problems, *pair)
            for pair in zip(table["dataset"], table["simplified_model"], strict=True)
        ]
    return table


def _edits(problems: Problems, dataset: str, text: object) -> float:
    problem = problems.find(dataset)
    if problem is None or problem.known_truth is None or not isinstance(text, str):
        return np.nan
    return _apart(problem.known_truth, text, problem.features)


@lru_cache(maxsize=65536)
def _apart(truth: str, text: str, features: tuple[str, ...]) -> float:
    try:
        return tree_apart(parse(truth, features), parse(text, features, names="features"))
    except ModelTextError:  # what overflows simplifies to `inf`
        return np.nan
