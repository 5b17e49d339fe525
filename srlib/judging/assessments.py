"""Assessments of runs, made where they are absent or out of date."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pandas as pd

from srlib.assessing import assess, names_settled
from srlib.assessing.extras import EXTRAS, with_extras
from srlib.comparing.benchmark import COMPUTED
from srlib.problems import Problems
from srlib.readers import RunTable, read_runs, runs_of
from srlib.rules import Judge, Measure
from srlib.tables import ASSESSMENTS, KEY, MEASURED, set_types, with_reported

# Aspects that need neither simplification nor the truth, unless the rules count components of simplified models.
QUICK = {"r2_test", "r2_train", "r2_extrapolation", "complexity", "complexity_raw", "value"}


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
    runs = with_shipped(runs)
    frame, assessed, companions, only = runs.frame, runs.frame[:0], None, None
    sources = {"property"} if judge is None else {a.from_ for a in judge.aspects.values()}
    if measure.complexity != "simplified" and sources <= QUICK:
        counting = "size" if measure.complexity == "canonical" else "count"
        only = {counting, "data", "predictions"}
    if runs.kind == "assessments":
        by_name = {name: problems.find(name) for name in frame["dataset"].unique()}
        digests = {name: problem.digest if problem else "" for name, problem in by_name.items()}
        current = frame["problem_digest"].fillna("") == frame["dataset"].map(digests)
        current &= (frame["measure_digest"] == measure.digest) & names_settled(frame)
        if current.all():
            return with_extras(frame, problems, sources)
        assessed, frame = frame[current], frame[~current]
        companions = runs_of(assessed)
    table = assess(
        frame, problems, measure, companions=companions, folder=runs.folder, only=only, **settings
    )
    if runs.kind == "assessments":
        table = set_types(pd.concat([assessed, table], ignore_index=True), ASSESSMENTS.columns)
    return with_extras(table, problems, sources)


def with_shipped(runs: RunTable) -> RunTable:
    """Take the assessments of the demo for runs that are equal to it: to measure them again takes minutes."""
    if runs.kind != "runs":
        return runs
    shipped, same_run = read_runs("demo").frame, [*KEY, "model", "status"]
    if not runs.frame["method"].isin(shipped["method"]).any():
        return runs
    measured = shipped[[*same_run, *(name for name in MEASURED if name in shipped)]]
    return replace(runs, frame=with_reported(runs.frame).merge(measured, on=same_run, how="left"))


def add_metrics(
    table: RunTable, problems: Problems, measure: Measure, metrics: Collection[str] = ()
) -> RunTable:
    """Run table with values of the metrics: raw runs are assessed, if assessing computes one of them.

    A reported value counts only where nothing can be computed: its dataset or text is not known. Metrics that are made
    from assessments (`srlib.assessing.extras`) are added where they are asked for.
    """
    extras = set(EXTRAS) & set(metrics)
    computed = table.kind == "runs" and COMPUTED.intersection(metrics)
    if table.kind == "measures" or not (extras or computed):
        return table
    assessments = complete_assessments(table, problems, measure)
    return replace(table, frame=with_extras(assessments, problems, extras))
