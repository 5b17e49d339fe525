"""Defects of the procedure of 2022, which rules can ask for by the switch `quirks`.

`apply_defects` reproduces them by changing the assessments and problems; later modules are the same
with and without them.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from srlib.assessing.failures import find_failures
from srlib.judging.screening import Lines
from srlib.ledger import lines_of
from srlib.problems import Problem, Problems
from srlib.problems.repetitions import find_extra_runs
from srlib.rules import JudgeRules
from srlib.tables import KEY


def apply_defects(
    assessments: pd.DataFrame, problems: Problems, judge_rules: JudgeRules, barred: frozenset[str]
) -> tuple[pd.DataFrame, Problems, Lines]:
    """Return assessments and problems as the published procedure used them, and ledger lines of replaced runs.

    With the quirk `noise_base_as_easy`, runs on the noiseless dataset are renamed to the dataset with the least noise
    and replace the runs there. The published code renamed them and kept the first run of each name, which depended on
    the order of files; here the noiseless run is kept. A noiseless run replaces nothing if it cannot be used, is not
    expected or is of a method that did not qualify, or if the noisy dataset is not scored.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Columns of the assessments contract.
    problems : Problems
        Descriptions of the datasets.
    judge_rules : JudgeRules
        The rules' judge block; without `quirks` the inputs are returned unchanged.
    barred : frozenset of str
        Methods that did not qualify; their runs replace nothing.
    """
    quirks = judge_rules.quirks

    def change(problem: Problem) -> Problem:
        """Return the problem with what the published procedure held of it."""
        if "seir_left_out" in quirks and "seir" in (problem.family or ""):
            return problem.model_copy(update={"scored": False})
        if "even_features_irrelevant" in quirks and problem.property == "relevant_features":
            return problem.model_copy(update={"relevant": problem.features[::2]})
        return problem

    published_problems = replace(problems, problems=tuple(map(change, problems.problems)))
    if "noise_base_as_easy" not in quirks:
        return assessments, published_problems, []
    noisy_problems = [
        problem
        for problem in published_problems.problems
        if problem.noise_reference and problem.scored and problem.track in judge_rules.tracks
    ]
    noisy_problems.sort(key=lambda problem: -problem.noise_level)
    least_noise = {problem.noise_reference: problem.dataset for problem in noisy_problems}
    failures = [np.asarray(mask, dtype=bool) for mask, *_ in find_failures(assessments)]
    usable = ~np.any(failures, axis=0) & ~assessments["method"].isin(barred)
    usable &= assessments["status"] != "invalid"
    is_renamed = usable & assessments["dataset"].isin(least_noise)
    names = assessments["dataset"].replace(least_noise)
    renamed_runs = assessments.assign(dataset=names)[is_renamed]
    is_renamed[is_renamed] = ~find_extra_runs(renamed_runs, problems, judge_rules.repetitions)
    table = assessments.assign(dataset=assessments["dataset"].mask(is_renamed, names))
    keys = pd.MultiIndex.from_frame(table[list(KEY)])
    is_lost = ~is_renamed & keys.isin(keys[is_renamed])
    detail = "a run without noise has taken the place of this one (quirk noise_base_as_easy)"
    lines = lines_of(table[is_lost], "not_scored", "excluded", "judge", detail)
    return table[~is_lost], published_problems, lines
