"""Assessments of all runs: stored ones that are current stay, missing and outdated ones are computed."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pandas as pd

from srlib.assessing.assess import assess
from srlib.assessing.measure import with_edit_distance
from srlib.assessing.names import names_settled
from srlib.metrics import COMPUTED_METRICS
from srlib.problems import Problems
from srlib.readers import RunTable, read_runs, runs_of
from srlib.rules import JudgeRules, MeasureRules
from srlib.tables import ASSESSMENTS, KEY, MEASURED_COLUMNS, set_types, with_reported

# Aspects that need neither the truth nor, unless the rules count components of simplified models, simplification.
QUICK_ASPECTS = {"r2_test", "r2_train", "r2_extrapolation", "complexity", "complexity_raw", "value"}


def complete_assessments(
    runs: RunTable,
    problems: Problems,
    measure_rules: MeasureRules,
    *,
    judge_rules: JudgeRules | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Return assessments of all runs; compute those that are missing or belong to other settings or problems.

    Parameters
    ----------
    runs : RunTable
        Raw runs or assessments.
    judge_rules : JudgeRules, optional
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
        is_current &= (table["measure_digest"] == measure_rules.digest) & names_settled(table)
    sources = (
        {"property"}
        if judge_rules is None
        else {aspect.from_ for aspect in judge_rules.aspects.values()}
    )
    if not is_current.all():
        settings |= {"folder": runs.folder, "only": None}
        if measure_rules.complexity != "simplified" and sources <= QUICK_ASPECTS:
            counting_part = "size" if measure_rules.complexity == "canonical" else "count"
            settings["only"] = {counting_part, "data", "predictions"}
        current_rows, stale_rows = table[is_current], table[~is_current]
        if is_current.any():
            settings["companions"] = runs_of(current_rows)
        table = assess(stale_rows, problems, measure_rules, **settings)
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
    frame = with_reported(runs.frame).merge(demo_results, on=run_key, how="left")
    return replace(runs, frame=frame, kind="assessments")


def add_metrics(
    table: RunTable, problems: Problems, measure_rules: MeasureRules, metrics: Collection[str] = ()
) -> RunTable:
    """Return the run table with values of the metrics; raw runs are assessed if this computes one of them.

    A reported value counts only if none can be computed, as the dataset or the model's text is not known. The edit
    distance, which is computed from assessments (`srlib.assessing.measure`), is added if `metrics` names it.
    """
    wants_distance = "edit_distance" in metrics
    needs_assessing = table.kind == "runs" and COMPUTED_METRICS.intersection(metrics)
    if table.kind == "measures" or not (wants_distance or needs_assessing):
        return table
    frame = complete_assessments(table, problems, measure_rules)
    if wants_distance:
        frame = with_edit_distance(frame, problems)
    return replace(table, frame=frame, kind="assessments")
