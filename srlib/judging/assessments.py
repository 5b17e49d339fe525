"""Assessments for the judgement: missing or outdated ones are computed, defects of the code of 2022 are reproduced.

The procedure that was published in 2022 has three defects. `apply_defects` reproduces those that the rules' switch
`quirks` names, by changing the assessments and problems. All later modules are the same with and without them.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing import assess, names_settled
from srlib.assessing.measure import with_edit_distance
from srlib.comparing.benchmark import COMPUTED_METRICS
from srlib.judging.screening import find_failures
from srlib.ledger import lines_of
from srlib.problems import Problems
from srlib.readers import RunTable, read_runs, runs_of
from srlib.repetitions import find_extra_runs
from srlib.rules import Judge, Measure
from srlib.tables import ASSESSMENTS, KEY, MEASURED_COLUMNS, set_types, with_reported

# Aspects that need neither the truth nor, unless the rules count components of simplified models, simplification.
QUICK_ASPECTS = {"r2_test", "r2_train", "r2_extrapolation", "complexity", "complexity_raw", "value"}


def complete_assessments(
    runs: RunTable,
    problems: Problems,
    measure: Measure,
    *,
    judge: Judge | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Return assessments of all runs; compute those that are missing or belong to other settings or problems.

    Parameters
    ----------
    runs : RunTable
        Raw runs or assessments.
    judge : Judge, optional
        The rules' judge block. Simplification and comparison with the truth, which take long, are skipped if it has no
        aspect that needs them. None: everything is measured.
    settings
        `cache`, `timeout` and `jobs` of `srlib.assessing.assess`.
    """
    runs = take_demo_assessments(runs) if runs.kind == "runs" else runs
    table = runs.frame
    is_current = pd.Series(False, table.index)
    if runs.kind == "assessments":
        by_name = {name: problems.find(name) for name in table["dataset"].unique()}
        digests = {name: problem.digest if problem else "" for name, problem in by_name.items()}
        is_current = table["problem_digest"].fillna("") == table["dataset"].map(digests)
        is_current &= (table["measure_digest"] == measure.digest) & names_settled(table)
    sources = {"property"} if judge is None else {aspect.from_ for aspect in judge.aspects.values()}
    if not is_current.all():
        settings |= {"folder": runs.folder, "only": None}
        if measure.complexity != "simplified" and sources <= QUICK_ASPECTS:
            counting_part = "size" if measure.complexity == "canonical" else "count"
            settings["only"] = {counting_part, "data", "predictions"}
        current_rows, stale_rows = table[is_current], table[~is_current]
        if is_current.any():
            settings["companions"] = runs_of(current_rows)
        table = assess(stale_rows, problems, measure, **settings)
        if is_current.any():
            table = pd.concat([current_rows, table], ignore_index=True)
            table = set_types(table, ASSESSMENTS.columns)
    return with_edit_distance(table, problems) if "edit_distance" in sources else table


def take_demo_assessments(runs: RunTable) -> RunTable:
    """Return runs with the stored assessments of those that equal a run of the demo, as measuring takes minutes."""
    demo, run_key = read_runs("demo").frame, [*KEY, "model", "status"]
    if not runs.frame["method"].isin(demo["method"]).any():
        return runs
    demo_results = demo[[*run_key, *(name for name in MEASURED_COLUMNS if name in demo)]]
    return replace(
        runs, frame=with_reported(runs.frame).merge(demo_results, on=run_key, how="left")
    )


def add_metrics(
    table: RunTable, problems: Problems, measure: Measure, metrics: Collection[str] = ()
) -> RunTable:
    """Return the run table with values of the metrics; raw runs are assessed if this computes one of them.

    A reported value counts only if none can be computed, as the dataset or the model's text is not known. The edit
    distance, which is computed from assessments (`srlib.assessing.measure`), is added if `metrics` names it.
    """
    wants_distance = "edit_distance" in metrics
    needs_assessing = table.kind == "runs" and COMPUTED_METRICS.intersection(metrics)
    if table.kind == "measures" or not (wants_distance or needs_assessing):
        return table
    frame = complete_assessments(table, problems, measure)
    if wants_distance:
        frame = with_edit_distance(frame, problems)
    return replace(table, frame=frame)


def apply_defects(
    assessments: pd.DataFrame, problems: Problems, judge: Judge, barred: frozenset[str]
) -> tuple[pd.DataFrame, Problems, list[dict[str, Any]]]:
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
    judge : Judge
        The rules' judge block; without `quirks` the inputs are returned unchanged.
    barred : frozenset of str
        Methods that did not qualify; their runs replace nothing.
    """
    changed_problems = []
    for problem in problems.problems:
        update: dict[str, Any] = {}
        if "seir_left_out" in judge.quirks and "seir" in (problem.family or ""):
            update = {"scored": False}
        elif "even_features_irrelevant" in judge.quirks and problem.property == "relevant_features":
            update = {"relevant": problem.features[::2]}
        changed_problems.append(problem.model_copy(update=update))
    published_problems = replace(problems, problems=tuple(changed_problems))
    if "noise_base_as_easy" not in judge.quirks:
        return assessments, published_problems, []
    noisy_problems = [
        problem
        for problem in changed_problems
        if problem.noise_reference and problem.scored and problem.track in judge.tracks
    ]
    noisy_problems.sort(key=lambda problem: -problem.noise_level)
    least_noise = {problem.noise_reference: problem.dataset for problem in noisy_problems}
    failures = [np.asarray(mask, dtype=bool) for mask, *_ in find_failures(assessments)]
    usable = ~np.any(failures, axis=0) & ~assessments["method"].isin(barred)
    is_renamed = usable & assessments["dataset"].isin(least_noise)
    names = assessments["dataset"].replace(least_noise)
    renamed_runs = assessments.assign(dataset=names)[is_renamed]
    is_renamed[is_renamed] = ~find_extra_runs(renamed_runs, problems, judge.repetitions)
    table = assessments.assign(dataset=assessments["dataset"].mask(is_renamed, names))
    keys = pd.MultiIndex.from_frame(table[list(KEY)])
    is_lost = ~is_renamed & keys.isin(keys[is_renamed])
    detail = "a run without noise has taken the place of this one (quirk noise_base_as_easy)"
    lines = lines_of(table[is_lost], "not_scored", "excluded", "judge", detail)
    return table[~is_lost], published_problems, lines
