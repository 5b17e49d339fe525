"""Three defects of the procedure that was published in 2022, made by changing what is judged.

The rules' switch `quirks` names those that are kept. Everything after this module judges as it does without them.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.judging.reasons import find_failures
from srlib.ledger import lines_of
from srlib.problems import Problem, Problems
from srlib.rules import Judge


def apply_defects(
    assessments: pd.DataFrame, problems: Problems, judge: Judge, barred: frozenset[str]
) -> tuple[pd.DataFrame, Problems, list[dict[str, Any]]]:
    """Return assessments and problems as the published procedure saw them, and ledger lines of lost runs.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Columns of the assessments contract.
    problems : Problems
        Where the datasets are described.
    judge : Judge
        Its `quirks`; without any, everything is returned as it is.
    barred : frozenset of str
        Methods that did not qualify: their runs replace nothing.
    """
    lines: list[dict[str, Any]] = []
    if "noise_base_as_easy" in judge.quirks:
        assessments, lines = _replace_least_noise(assessments, problems, barred)
    changed = tuple(_change_problem(problem, judge) for problem in problems.problems)
    return assessments, replace(problems, problems=changed), lines


def _change_problem(problem: Problem, judge: Judge) -> Problem:
    if "seir_left_out" in judge.quirks and "seir" in (problem.family or ""):
        return problem.model_copy(update={"scored": False})
    if (
        "even_features_irrelevant" in judge.quirks
        and problem.scored
        and problem.property == "relevant_features"
    ):
        names = problem.features
        return problem.model_copy(update={"relevant": names[::2], "irrelevant": names[1::2]})
    return problem


def _replace_least_noise(
    assessments: pd.DataFrame, problems: Problems, barred: frozenset[str]
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Give the noiseless runs the name of the dataset with the least noise, whose own runs they replace.

    The published code renamed them and then kept the first of equal names; the order of its files decided which one
    that was. Here it is the noiseless one; one that cannot be used, or did not qualify, replaces nothing.
    """
    failures = [np.asarray(mask, dtype=bool) for mask, *_ in find_failures(assessments)]
    unusable = np.logical_or.reduce(failures) | assessments["method"].isin(barred).to_numpy()
    noisy = [problem for problem in problems.problems if problem.noise_reference]
    by_noise = sorted(noisy, key=lambda problem: -problem.noise_level)
    names = {problem.noise_reference: problem.dataset for problem in by_noise}
    renamed = assessments["dataset"].where(unusable, assessments["dataset"].replace(names))
    renamed_first = (renamed == assessments["dataset"]).argsort(kind="stable").to_numpy()
    table = assessments.assign(dataset=renamed).iloc[renamed_first]
    twice = table.duplicated(["method", "dataset", "repetition"])
    detail = "a run without noise has taken the place of this one (quirk noise_base_as_easy)"
    return table[~twice], lines_of(table[twice], "not_scored", "excluded", "judge", detail, {})
