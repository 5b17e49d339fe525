"""Assessments of all runs: stored ones that are current stay, missing and outdated ones are computed."""

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.assess import assess, digest_measuring
from srlib.assessing.cases import JUDGED_PARTS, PARTS
from srlib.assessing.measure import measure_edits
from srlib.assessing.names import read_names
from srlib.metrics import COMPUTED_METRICS, METRICS
from srlib.problems import Problems
from srlib.progress import announce
from srlib.readers import RunTable, read_runs, runs_of
from srlib.rules import JudgeRules, MeasureRules
from srlib.tables import (
    ASKED_COLUMNS,
    ASSESSMENTS,
    KEY,
    MEASURED_COLUMNS,
    set_types,
    with_reported,
)

SIMPLIFIED = ("simplified", "canonical")  # rules that count components of simplified models
QUICK_PARTS = frozenset({"count", "data", "predictions"})
# parts that columns need; what is not listed needs all that judging needs, as do components of simplified models
PARTS_OF: dict[str, frozenset[str]] = {
    **dict.fromkeys(("r2_test", "r2_train", "r2_extrapolation", "value"), QUICK_PARTS),
    **dict.fromkeys(("complexity", "complexity_raw", *ASKED_COLUMNS), QUICK_PARTS),
    "solution": QUICK_PARTS | {"solution"},
}


def current_rows(
    runs: RunTable,
    problems: Problems,
    measure_rules: MeasureRules,
    judge_rules: JudgeRules | None = None,
) -> pd.Series:
    """Return a mask of the rows whose stored assessment fits the rules, the problem and this version of srlib.

    A table that lacks a measured column is of an older srlib, and none of its rows is current. Without the judge block
    of the rules, only full assessments are current.
    """
    table = runs.frame
    if runs.kind != "assessments" or not MEASURED_COLUMNS.keys() <= set(table):
        return pd.Series(False, table.index)
    names = table["dataset"].unique()
    digests = {name: getattr(problems.find(name), "digest", "") for name in names}
    is_current = table["problem_digest"].fillna("") == table["dataset"].map(digests)
    needed_parts = {*find_needed_parts(measure_rules, judge_rules)}
    sufficient = [
        digest_measuring(measure_rules, parts)
        for parts in (PARTS, JUDGED_PARTS, *set(PARTS_OF.values()))
        if needed_parts <= {*parts}
    ]
    names_read = read_names(table, problems, folder=runs.folder)["names_read"]
    is_named = table["names_read"].fillna("").astype("str") == names_read.fillna("")
    return is_current & table["measure_digest"].isin(sufficient) & is_named


def find_needed_parts(
    measure_rules: MeasureRules, judge_rules: JudgeRules | None
) -> Collection[str]:
    """Return the parts to measure: all without a judge block, else what its aspects need.

    Which model is counted depends on all parts but the shown text, so a simplified count needs them.
    """
    if judge_rules is None:
        return PARTS
    if measure_rules.complexity in SIMPLIFIED:
        return JUDGED_PARTS
    return find_parts(measure_rules, list_sources(judge_rules))


def find_parts(measure_rules: MeasureRules, columns: Collection[str]) -> Collection[str]:
    """Return the parts that columns of the assessments need, such as the verdict alone for `solution`."""
    is_simplified = "complexity" in columns and measure_rules.complexity in SIMPLIFIED
    if is_simplified or not PARTS_OF.keys() >= {*columns}:
        return JUDGED_PARTS
    return QUICK_PARTS.union(*(PARTS_OF[name] for name in columns))


def list_sources(judge_rules: JudgeRules | None) -> set[str]:
    """Return the columns that the aspects are read from."""
    return {aspect.from_ for aspect in judge_rules.aspects.values()} if judge_rules else set()


def describe_stale(
    runs: RunTable,
    problems: Problems,
    measure_rules: MeasureRules,
    judge_rules: JudgeRules | None = None,
) -> str:
    """Return a sentence with the number of stored assessments that are not current; empty if all are current."""
    if runs.kind == "runs":
        return ""
    is_stale = ~current_rows(runs, problems, measure_rules, judge_rules)
    n_stale = (is_stale & runs.frame["measure_digest"].notna()).sum()
    if not n_stale:
        return ""
    return (
        f"{n_stale:,} of {len(is_stale):,} stored assessments do not fit the rules, the problems or this version of "
        "srlib; these runs are assessed anew."
    )


def complete_assessments(
    runs: RunTable,
    problems: Problems,
    measure_rules: MeasureRules,
    *,
    judge_rules: JudgeRules | None = None,
    metrics: Collection[str] = (),
    only: Collection[str] | None = None,
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
    metrics : collection of str
        Further columns that are needed, such as `mae_test` or `edit_distance`, beside the aspects of the judge block.
    only : collection of str, optional
        Parts to measure where the judge block is not given; all by default.
    settings
        `cache`, `timeout`, `jobs` and `scheduler` of `srlib.assessing.assess`.
    """
    runs = take_demo_assessments(runs) if runs.kind == "runs" else runs
    table, is_current = runs.frame, current_rows(runs, problems, measure_rules, judge_rules)
    settings |= {"folder": runs.folder}
    if not is_current.all():
        announce(describe_stale(runs, problems, measure_rules, judge_rules))
        current = table[is_current]
        only = only or find_needed_parts(measure_rules, judge_rules)
        settings |= {"companions": runs_of(current) if len(current) else None}
        table = assess(table[~is_current], problems, measure_rules, only=only, **settings)
        if len(current):
            table = pd.concat([current, table], ignore_index=True)
            table = set_types(table, ASSESSMENTS.columns)
    needed_columns = {*list_sources(judge_rules), *metrics}
    if columns := [name for name in ASKED_COLUMNS if name in needed_columns]:
        table = table.reindex(columns=table.columns.union(columns, sort=False))
        has_values = np.isfinite(table["r2_test"]) & (table["r2_source"] == "recomputed")
        is_missing = table[columns].isna().any(axis=1) & has_values
        if is_missing.any():  # values that are there stay
            settings |= {"only": ["data"], "metrics": columns, "companions": runs_of(table)}
            measured = assess(table[is_missing], problems, measure_rules, **settings)
            table.loc[is_missing, columns] = measured[columns].to_numpy()
    if "edit_distance" in needed_columns:
        pairs = zip(table["dataset"], table["simplified_model"], strict=True)
        distances = [measure_edits(problems.find(dataset), text) for dataset, text in pairs]
        table = table.assign(edit_distance=np.array(distances, dtype=float))
    return table


def add_shown(table: pd.DataFrame, problems: Problems, measure_rules: MeasureRules) -> pd.DataFrame:
    """Return assessed runs with the text that displays show, chosen now where judging did not need it."""
    rows = table[table["shown_model"].isna()]
    if rows.empty:
        return table
    rows = assess(rows.assign(names=rows["names_read"]), problems, measure_rules).set_axis(
        rows.index
    )
    names = "shown_model", "shown_form"
    return table.assign(**{name: table[name].combine_first(rows[name]) for name in names})


@cache
def read_demo() -> pd.DataFrame:
    """Return the demo's assessments, which are read once."""
    return read_runs("demo").frame


def take_demo_assessments(runs: RunTable) -> RunTable:
    """Return runs with the stored assessments of those that equal a run of the demo, as measuring takes minutes."""
    demo, run_key = read_demo(), [*KEY, "model", "status"]
    if not runs.frame["method"].isin(demo["method"]).any():
        return runs
    demo_results = demo[[*run_key, *MEASURED_COLUMNS]]
    frame = with_reported(runs.frame).merge(demo_results, on=run_key, how="left")
    return replace(runs, frame=set_types(frame, ASSESSMENTS.columns), kind="assessments")


def add_metrics(
    table: RunTable, problems: Problems, measure_rules: MeasureRules, metrics: Collection[str] = ()
) -> RunTable:
    """Return the run table with values of the metrics; raw runs are assessed if this computes one of them.

    Only what the metrics need is measured: for solutions the verdicts, without simplifying. A reported value counts
    only if none can be computed, as the dataset or the model's text is not known.
    """
    computed = COMPUTED_METRICS | {"edit_distance"}
    columns = {METRICS[name].columns[0] for name in computed.intersection(metrics)}
    is_needed = columns if table.kind == "runs" else columns & {"edit_distance", *ASKED_COLUMNS}
    if table.kind == "measures" or not is_needed:
        return table
    parts = find_parts(measure_rules, columns)
    frame = complete_assessments(table, problems, measure_rules, metrics=columns, only=parts)
    if "size" not in parts and measure_rules.complexity in SIMPLIFIED:
        is_partial = frame["measure_digest"] == digest_measuring(measure_rules, parts)
        frame["complexity"] = frame["complexity"].mask(is_partial)  # of the text, not simplified
    return replace(table, frame=frame, kind="assessments")
