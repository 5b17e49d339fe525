"""Assessments that are judged: completed where absent or out of date, and changed as the code of 2022 did.

Three defects of the procedure that was published in 2022 are made by changing what is judged (`apply_defects`). The
rules' switch `quirks` names those that are kept. Everything after this module judges as it does without them.
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

# Aspects that need neither simplification nor the truth, unless the rules count components of simplified models.
QUICK_ASPECTS = {"r2_test", "r2_train", "r2_extrapolation", "complexity", "complexity_raw", "value"}


def complete_assessments(
    runs: RunTable,
    problems: Problems,
    measure: Measure,
    *,
    judge: Judge | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Assessments of all runs: those that the table holds for these settings and problems, and new ones.

    Parameters
    ----------
    runs : RunTable
        Raw runs or assessments.
    judge : Judge, optional
        What it does not read (simplification and truth, where there is no property and complexity is counted without
        simplifying) is not measured: that is what takes long.
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
    """Take the assessments of the demo for runs that are equal to it: to measure them again takes minutes."""
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
    """Run table with values of the metrics: raw runs are assessed, if assessing computes one of them.

    A reported value counts only where nothing can be computed: its dataset or text is not known. Metrics that are made
    from assessments (`srlib.assessing.measure`) are added where they are asked for.
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
    """Return assessments and problems as the published procedure saw them, and ledger lines of lost runs.

    By the quirk `noise_base_as_easy` the noiseless runs get the name of the dataset with the least noise, whose own
    runs they replace. The published code renamed them and then kept the first of equal names; the order of its files
    decided which one that was. Here it is the noiseless one; one that cannot be used, is not expected, or did not
    qualify, replaces nothing, as does one whose noisy dataset is not scored.

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
