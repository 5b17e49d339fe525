"""Measures of tables of runs and of published tables: a row for each run (or cell) and metric."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.failures import RUN_ENDED, find_failures
from srlib.errors import require
from srlib.ledger import LEFT_OUT_PREFIX, lines_of
from srlib.metrics import ACCURATE_R2, COMPUTED_METRICS, METRICS, metric_of
from srlib.problems import Problems
from srlib.problems.repetitions import EXTRA_RUN, find_extra_runs
from srlib.readers import RunTable
from srlib.tables import KEY, read_column

Lines = list[dict[str, Any]]  # of the ledger
# measures, ledger lines, and for each run or cell of a published table whether it can be used
TableMeasures = tuple[pd.DataFrame, Lines, pd.Series]
NUMBER_COLUMNS = {name for metric in METRICS.values() for name in metric.columns}
UNKNOWN_DATASET = "dataset {dataset} is not in the problems, and no R2 is stated"
UNUSABLE_ROW = "the row cannot be used: {reason}"
UNASSESSED_VALUES = {"parse_status": "ok", "r2_source": "reported"}  # of runs that are not assessed


def measure_table(
    table: RunTable, problems: Problems | None, metrics: Collection[str] = ()
) -> TableMeasures:
    """Return the measures of a table, its ledger lines, and whether each run or published cell is usable.

    `metrics` may name further columns of runs with their direction, as 'energy_kwh:lower'.
    """
    if table.kind == "measures":
        return _from_published(table.frame)
    return _from_runs(table, problems, metrics)


def _from_published(frame: pd.DataFrame) -> TableMeasures:
    """Return measures of a published table, its ledger lines, and whether each cell has a value."""
    absent = frame[frame["value"].isna()]
    text = "no {aspect} is stated"
    lines = lines_of(absent, "missing_runs", "noted", "read", text, level="cell")
    usable = frame.groupby(list(KEY))["value"].count() > 0
    return frame.assign(failed=None), lines, usable


def _from_runs(
    table: RunTable, problems: Problems | None, metrics: Collection[str]
) -> TableMeasures:
    """Return measures of a table of runs, a row per run and aspect; ledger lines; and whether each run is usable.

    Runs on repetitions that the problems do not expect have no measures.
    """
    frame, lines = table.frame, Lines()
    if problems:
        is_extra = find_extra_runs(frame, problems, repetitions=0) & (frame["status"] != "invalid")
        require(not is_extra.all(), "no run is on a repetition that the problems expect")
        lines = lines_of(frame[is_extra], "extra_runs", "excluded", "read", EXTRA_RUN)
        frame = frame[~is_extra]
    own_columns = {name: name.rpartition(":")[0] for name in sorted({*metrics} - METRICS.keys())}
    for name in sorted(NUMBER_COLUMNS.union(own_columns.values()).intersection(frame)):
        numbers, faults = read_column(frame[name], "bool" if "solution" in name else "float")
        for is_invalid, fault in faults:
            text = f"{name} {fault}, got {{{name}}}; it counts as missing"
            lines += lines_of(frame[is_invalid], "invalid_value", "noted", "read", text)
        frame = frame.assign(**{name: numbers.astype("float64")})
    is_assessed = table.kind == "assessments"
    usable, unusable_lines = _find_usable(frame, is_assessed, problems)
    keys = frame.columns.intersection([*KEY, "file", "row"])
    rows = frame[keys].assign(failed=(~usable).astype("object"))
    parts = [rows[:0].assign(aspect="", value=0.0)]
    for aspect in [*METRICS, *own_columns]:
        values = frame.get(own_columns.get(aspect, ""))
        if aspect in METRICS:
            values = _read_metric(frame, aspect, is_assessed)
        if values is not None:
            values = values.where(usable, 0.0 if metric_of(aspect).rate else np.nan)
            parts.append(rows.assign(aspect=aspect, value=values))
    measures = pd.concat(parts, ignore_index=True)
    return measures, lines + unusable_lines, usable.reindex(table.frame.index, fill_value=False)


def _find_usable(
    frame: pd.DataFrame, is_assessed: bool, problems: Problems | None
) -> tuple[pd.Series, Lines]:
    """Return a mask of the runs that can be used, and ledger lines of the others with the first reason of each.

    A run that did not end well cannot be used, nor one without a finite R2, unless no run of its file has an R2.
    """
    if not is_assessed:
        frame = frame.assign(r2_test=frame.get("r2_test", np.nan), **UNASSESSED_VALUES)
    r2 = frame["r2_test"]
    file_has_r2 = r2.notna().groupby(frame["file"]).transform("any")
    has_other_values = ~file_has_r2 & (frame["parse_status"] == "ok")
    usable = (frame["status"] == "ok") & (np.isfinite(r2) | has_other_values)
    names = frame["dataset"].unique() if problems else []
    unknown_names = [name for name in names if problems and not problems.find(name)]
    reasons = [
        (frame["status"] == "invalid", "invalid_value", UNUSABLE_ROW),
        (frame["dataset"].isin(unknown_names), "unknown_dataset", UNKNOWN_DATASET),
        *find_failures(frame),
    ]
    is_left_out = frame["reason"].astype("str").str.startswith(LEFT_OUT_PREFIX)
    lines = lines_of(frame[is_left_out], "invalid_value", "noted", "read", "{reason}")
    remaining = ~usable
    for mask, code, detail in reasons:
        rows = remaining & np.asarray(mask, dtype=bool)
        is_of_reading = not is_assessed or detail in (RUN_ENDED, UNUSABLE_ROW)
        stage = "read" if is_of_reading else "assess"
        lines += lines_of(frame[rows], code, "excluded", stage, detail)
        remaining &= ~rows
    return usable, lines


def _read_metric(frame: pd.DataFrame, aspect: str, is_assessed: bool) -> pd.Series | None:
    """Return the values of a metric in runs; None if no run has any."""
    columns = [name for name in METRICS[aspect].columns if name in frame]
    if is_assessed:  # only measured values count, not reported ones
        columns = columns[:1]
    numbers = frame[columns].dropna(axis=1, how="all")
    if numbers.empty:
        return None
    values = numbers.bfill(axis=1).iloc[:, 0]
    if aspect == "accuracy_solution":
        values = (values > ACCURATE_R2).astype("float64").where(values.notna())
    if aspect == "solution" and is_assessed:
        values = values.mask(frame["solution_kind"] == "unknown", 0.0)
    return values


def reported_aspects(tables: Sequence[RunTable]) -> frozenset[str]:
    """Return the aspects that srlib could compute, and whose values are, at least in part, reported with the runs."""
    reported = set[str]()
    for table in tables:
        if table.kind != "assessments":
            reported |= COMPUTED_METRICS
        elif (table.frame["r2_source"] == "reported").any():
            reported |= {"r2_test", "accuracy_solution"}
    return frozenset(reported)
