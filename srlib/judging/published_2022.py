"""Three defects of the procedure that was published in 2022, made by changing what is judged.

The rules' switch `quirks` names those that are kept. Everything after this module judges as it does without them.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.judging.screening import find_extra_runs, find_failures
from srlib.ledger import lines_of
from srlib.problems import Problems
from srlib.rules import Judge
from srlib.tables import KEY


def apply_defects(
    assessments: pd.DataFrame, problems: Problems, judge: Judge, barred: frozenset[str]
) -> tuple[pd.DataFrame, Problems, list[dict[str, Any]]]:
    """Return assessments and problems as the published procedure saw them, and ledger lines of lost runs.

    By the quirk `noise_base_as_easy` the noiseless runs get the name of the dataset with the least noise, whose own
    runs they replace. The published code renamed them and then kept the first of equal names; the order of its files
    decided which one that was. Here it is the noiseless one; one that cannot be used, is not expected, or did not
    qualify, replaces nothing.

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
    changed = []
    for problem in problems.problems:
        update: dict[str, Any] = {}
        if "seir_left_out" in judge.quirks and "seir" in (problem.family or ""):
            update = {"scored": False}
        elif "even_features_irrelevant" in judge.quirks and problem.property == "relevant_features":
            update = {"relevant": problem.features[::2]}
        changed.append(problem.model_copy(update=update))
    published = replace(problems, problems=tuple(changed))
    if "noise_base_as_easy" not in judge.quirks:
        return assessments, published, []
    noisy = [problem for problem in problems.problems if problem.noise_reference]
    noisy.sort(key=lambda problem: -problem.noise_level)
    least_noise = {problem.noise_reference: problem.dataset for problem in noisy}
    failures = [np.asarray(mask, dtype=bool) for mask, *_ in find_failures(assessments)]
    usable = ~np.any(failures, axis=0) & ~assessments["method"].isin(barred)
    renamed = usable & assessments["dataset"].isin(least_noise)
    names = assessments["dataset"].replace(least_noise)
    moved = assessments.assign(dataset=names)[renamed]
    renamed[renamed] = ~find_extra_runs(moved, problems, judge)
    table = assessments.assign(dataset=assessments["dataset"].mask(renamed, names))
    keys = pd.MultiIndex.from_frame(table[list(KEY)])
    lost = ~renamed & keys.isin(keys[renamed])
    detail = "a run without noise has taken the place of this one (quirk noise_base_as_easy)"
    return table[~lost], published, lines_of(table[lost], "not_scored", "excluded", "judge", detail)
