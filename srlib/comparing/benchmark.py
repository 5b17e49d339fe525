"""Values of methods by dataset, from runs, assessments and published aggregates, and the units of datasets."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from srlib.assessing.completing import add_metrics
from srlib.assessing.failures import RUN_ENDED, find_failures
from srlib.errors import InputError, require
from srlib.ledger import LEFT_OUT_PREFIX, lines_of, to_frame
from srlib.metrics import (
    ACCURATE_R2,
    COMPUTED_METRICS,
    LEVEL_PATTERN,
    METRICS,
    apply_floor,
    average_levels,
    group_of,
    metric_of,
    problem_of,
    source_of,
)
from srlib.problems import Problems, load_problems
from srlib.problems.repetitions import EXTRA_RUN, find_extra_runs
from srlib.readers import RunSources, RunTable, read_compared
from srlib.rules import Rules, load_rules
from srlib.tables import KEY, read_column

Lines = list[dict[str, Any]]  # of the ledger
# measures, ledger lines, and for each run or cell of published tables whether it can be used
TableMeasures = tuple[pd.DataFrame, Lines, pd.Series]
MOST_GROUPS = 3  # with more groups, panels by noise level show all groups together
NUMBER_COLUMNS = {name for metric in METRICS.values() for name in metric.columns}
UNUSABLE_ROW = "the row cannot be used: {reason}"
UNASSESSED_VALUES = {"parse_status": "ok", "r2_source": "reported"}  # of runs that are not assessed


@dataclass(frozen=True)
class Benchmark:
    """Measures of all methods, ready to be compared, and the ledger of runs and values that could not be used.

    Parameters
    ----------
    measures : pandas.DataFrame
        Columns of the measures contract (NaN = missing), `group` and `source` (datasets of one source are one unit);
        optionally `expected` (number of runs that a cell should have; 0: not stated) and `failed` (whether the run
        failed; None in tables without runs). Without `failed` every missing value counts as a failed run.
    ledger : pandas.DataFrame
        Runs and values that could not be used.
    counts : dict
        Numbers `read`, `scored` and `excluded`, and `what` is counted: runs, or cells of published tables.
    aggregate : {'mean', 'median'}
        Statistic over the repetitions of a cell; for rates always the mean.
    reported : frozenset of str
        Aspects whose values, at least in part, are reported with the runs and not computed here.
    notices : tuple of str
        Sentences about values that were left out or filled in while reading.
    """

    measures: pd.DataFrame
    ledger: pd.DataFrame = field(default_factory=lambda: to_frame([]))
    counts: dict[str, Any] = field(default_factory=dict)
    aggregate: Literal["mean", "median"] = "mean"
    reported: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()

    @property
    def aspects(self) -> list[str]:
        """Aspects that have at least one value, in alphabetical order."""
        return sorted(self.measures.dropna(subset="value")["aspect"].unique())

    def cells(self, aspect: str) -> pd.DataFrame:
        """Return the mean or median over repetitions, as datasets (each noise level is a row) x methods.

        A failed run counts as the floor if its cell has a usable run. NaN: the cell has no usable run.

        Raises
        ------
        InputError
            When no table has values of the aspect.
        """
        rows = self._rows(aspect)
        usable = rows.groupby(["method", "dataset"])["value"].transform("count") > 0
        is_failed = rows.get("failed", rows["value"].isna()).eq(True)  # None is no failed run
        floors = rows["dataset"].map(self._floors(aspect)).where(is_failed & usable)
        rows = rows.assign(value=rows["value"].fillna(floors))
        centre = "mean" if metric_of(aspect).rate else self.aggregate
        cells = rows.pivot_table("value", "dataset", "method", centre, dropna=False)
        return cells.dropna(how="all")

    def values(self, aspect: str) -> pd.DataFrame:
        """Return values as datasets x methods, where each dataset has its mean over noise levels.

        A missing cell counts as a loss (see `fill`). Methods without any value are left out.
        """
        return average_levels(self.fill(self.cells(aspect), aspect))

    def fill(self, cells: pd.DataFrame, aspect: str) -> pd.DataFrame:
        """Return cells with losses in place of missing values, without methods that have no value at all.

        A loss is the worse of the worst value on the dataset and the metric's floor. Except for rates, if this ties
        with the worst value, the loss is worse by the range of the values on the dataset (if they are all equal, by a
        tenth of the value). A loss is never better than a failed run.
        """
        metric = metric_of(aspect)
        cells = cells.dropna(axis=1, how="all")
        upward = metric.sign * cells  # higher is better
        low, high = upward.min(axis=1), upward.max(axis=1)
        losses = low.clip(upper=metric.sign * metric.floor)
        if not metric.rate:
            step = (high - low).where(high > low, low.abs().clip(lower=1e-3) / 10)
            losses = losses.where(losses < low, low - step)
        losses = np.fmin(losses, metric.sign * self._floors(aspect)[cells.index])
        return cells.apply(lambda column: column.fillna(metric.sign * losses))

    def fewer_runs(self, aspect: str) -> list[str]:
        """Return methods with fewer runs than others on the same datasets, with the numbers, such as `B (36 of 60)`."""
        sizes = self._rows(aspect).pivot_table("repetition", "dataset", "method", aggfunc="size")
        expected_runs = sizes.notna().mul(sizes.max(axis=1), axis=0).sum()
        counts = zip(sizes, sizes.sum(), expected_runs, strict=True)
        return [
            f"{method} ({size:g} of {expected:g})"
            for method, size, expected in counts
            if size < expected
        ]

    def units(self, values: pd.DataFrame) -> pd.Series:
        """Return the unit (source) of each dataset in the index of `values`."""
        datasets = self.measures["dataset"].map(problem_of)
        return self.measures["source"].groupby(datasets).first()[values.index]

    def by_noise(self, aspect: str) -> dict[str, dict[str, pd.DataFrame]]:
        """Return values (datasets x methods) by group and noise level; missing cells count as losses.

        If there are more than `MOST_GROUPS` groups, all datasets are one group. Names without a level have level 'all'.
        """
        cells: Any = self.fill(self.cells(aspect), aspect)
        groups = self.measures.groupby("dataset")["group"].first()[cells.index]
        if groups.nunique() > MOST_GROUPS:
            groups[:] = "all datasets"
        levels = cells.index.str.extract(LEVEL_PATTERN, expand=False).astype("float64")
        panels: dict[str, dict[str, pd.DataFrame]] = {}
        for (group, level), part in cells.groupby([groups, levels], dropna=False):
            name = "all" if np.isnan(level) else f"noise {level:g}"
            panels.setdefault(group, {})[name] = average_levels(part)
        return panels

    def _rows(self, aspect: str) -> pd.DataFrame:
        """Return the measures of an aspect; raise InputError if no table has values of it."""
        rows = self.measures[self.measures["aspect"] == aspect]
        require(
            aspect in self.aspects,
            f"metric {aspect!r} is in none of the tables; they hold {', '.join(self.aspects)}",
        )
        return rows

    def _floors(self, aspect: str) -> pd.Series:
        """Return the value of a failed run by dataset: the worst value there, or the floor if that is worse."""
        rows = self._rows(aspect)
        metric = metric_of(aspect)
        worst = metric.sign * (metric.sign * rows["value"]).groupby(rows["dataset"]).min()
        return pd.Series(apply_floor(worst.to_numpy(), metric.sign, metric.floor), worst.index)


def read_benchmark(
    runs: RunSources,
    problems: str | Path | Problems | None = None,
    *,
    rules: str | Path | Rules = "judging-2022",
    metrics: Collection[str] = (),
    names: Mapping[str, str] = {},
    layout: str | None = None,
    alias: Mapping[str, str] | None = None,
    related: str = "",
    repetitions: int | None = None,
    aggregate: Literal["mean", "median"] = "mean",
) -> Benchmark:
    """Return runs, assessments and measures as one `Benchmark`.

    Parameters
    ----------
    runs : str, Path, DataFrame, or a sequence of them
        Tables and folders of runs, assessments or measures, or 'demo'; see `read_runs`. All runs are one table.
    problems : str or Path, optional
        Problem file or shipped name; an empty text counts as None. Runs are measured by it: a value that they report is
        then used only if it cannot be computed. Its families become groups and sources, and its `data_seeds` the number
        of repetitions. Without a family, the group comes from the published tables' column `group` or SRBench's names,
        and the source from the shipped table of PMLB's sources.
    rules : str or Path
        Rules file or shipped name; its measure block says how runs are measured.
    metrics : collection of str
        Metrics that will be compared; they are computed where this is possible. An aspect of which srlib does not know
        whether higher is better is named with its direction, as 'mape:lower', here and in the result.
    names, layout
        See `read_runs`.
    alias : mapping, optional
        Names of methods, as {name in the tables: name that is used}.
    related : {'', 'none'}
        'none': each dataset is a unit of its own; '': datasets of one source are one unit.
    repetitions : int, optional
        Number of runs that every method should have on every dataset.
    aggregate : {'mean', 'median'}
        Statistic over the repetitions.

    Raises
    ------
    InputError
        When the tables have no metric, a run is in two tables, a key of `alias` is no method, or an option has a value
        that is not allowed.

    Examples
    --------
    >>> read_benchmark("demo").counts
    {'read': 1020, 'scored': 1018, 'excluded': 2, 'what': 'runs'}
    """
    require(
        related in ("", "none"), f"related: an empty text or 'none' was expected, got {related!r}"
    )
    require(
        repetitions is None or repetitions > 0,
        f"repetitions: a number from 1 on was expected, got {repetitions}",
    )
    tables = read_compared(runs, layout, names, alias or {})
    problem_list = load_problems(problems) if problems else None
    if problem_list:
        measure_rules = load_rules(rules).measure
        tables = [add_metrics(table, problem_list, measure_rules, metrics) for table in tables]
    measures, ledger, usable = _collect_measures(tables, problem_list)
    aspects = set(measures["aspect"])
    require(
        problem_list is not None or "edit_distance" not in set(metrics) - aspects,
        "metric edit_distance is made from models and data: name the problems",
    )
    computed_names = ", ".join(sorted(COMPUTED_METRICS))
    require(
        bool(aspects),
        f"the tables hold no metric; name the problems, so that {computed_names} are computed from the runs",
    )
    stated = {metric.rpartition(":")[0]: metric for metric in {*metrics} - aspects}
    measures = measures.assign(aspect=measures["aspect"].replace(stated))
    measures, check_lines = _check_measures(measures)
    measures = _add_facts(measures, problem_list, related, repetitions)
    absent, absent_lines = _find_absent_runs(measures)
    kinds = {
        "cells of published tables" if table.kind == "measures" else "runs" for table in tables
    }
    return Benchmark(
        pd.concat([measures, absent], ignore_index=True).astype({"value": "float64"}),
        to_frame(
            [line for table in tables for line in table.unread_lines]
            + ledger
            + check_lines
            + absent_lines
        ),
        {
            "read": len(usable),
            "scored": int(usable.sum()),
            "excluded": int((~usable).sum()),
            "what": " and ".join(sorted(kinds, reverse=True)),
        },
        aggregate,
        _reported_aspects(tables),
        tuple(notice for table in tables for notice in table.notices),
    )


def _collect_measures(tables: Sequence[RunTable], problems: Problems | None) -> TableMeasures:
    """Return the measures of all tables, their ledger lines, and whether each run or published cell is usable."""
    parts = [
        _from_measures(table.frame) if table.kind == "measures" else _from_runs(table, problems)
        for table in tables
    ]
    measures, lines, usable = zip(*parts, strict=True)
    return (
        pd.concat(measures, ignore_index=True),
        list(itertools.chain(*lines)),
        pd.concat(usable, ignore_index=True),
    )


def _from_measures(frame: pd.DataFrame) -> TableMeasures:
    """Return measures of a published table, its ledger lines, and whether each cell has a value."""
    absent = frame[frame["value"].isna()]
    text = "no {aspect} is stated"
    lines = lines_of(absent, "missing_runs", "noted", "read", text, level="cell")
    usable = frame.groupby(list(KEY))["value"].count() > 0
    return frame.assign(failed=None), lines, usable


def _from_runs(table: RunTable, problems: Problems | None) -> TableMeasures:
    """Return measures of a table of runs, a row per run and aspect; ledger lines; and whether each run is usable.

    Runs on repetitions that the problems do not expect have no measures.
    """
    frame, lines = table.frame, Lines()
    if problems:
        is_extra = find_extra_runs(frame, problems, repetitions=0)
        require(not is_extra.all(), "no run is on a repetition that the problems expect")
        lines = lines_of(frame[is_extra], "extra_runs", "excluded", "read", EXTRA_RUN)
        frame = frame[~is_extra]
    for name in sorted(NUMBER_COLUMNS.intersection(frame)):
        numbers, faults = read_column(frame[name], "bool" if "solution" in name else "float")
        for is_invalid, fault in faults:
            text = f"{name} {fault}, got {{{name}}}; it counts as missing"
            lines += lines_of(frame[is_invalid], "invalid_value", "noted", "read", text)
        frame = frame.assign(**{name: numbers.astype("float64")})
    is_assessed = table.kind == "assessments"
    usable, unusable_lines = _find_usable(frame, is_assessed)
    keys = frame.columns.intersection([*KEY, "file", "row"])
    rows = frame[keys].assign(failed=(~usable).astype("object"))
    parts = [rows[:0].assign(aspect="", value=0.0)]
    for aspect, metric in METRICS.items():
        values = _read_metric(frame, aspect, is_assessed)
        if values is not None:
            values = values.where(usable, 0.0 if metric.rate else np.nan)
            parts.append(rows.assign(aspect=aspect, value=values))
    measures = pd.concat(parts, ignore_index=True)
    return measures, lines + unusable_lines, usable.reindex(table.frame.index, fill_value=False)


def _find_usable(frame: pd.DataFrame, is_assessed: bool) -> tuple[pd.Series, Lines]:
    """Return a mask of the runs that can be used, and ledger lines of the others with the first reason of each.

    A run that did not end well cannot be used, nor one without a finite R2, unless no run of its file has an R2.
    """
    if not is_assessed:
        frame = frame.assign(r2_test=frame.get("r2_test", np.nan), **UNASSESSED_VALUES)
    r2 = frame["r2_test"]
    file_has_r2 = r2.notna().groupby(frame["file"]).transform("any")
    usable = (frame["status"] == "ok") & (np.isfinite(r2) | ~file_has_r2)
    reasons = [
        (frame["status"] == "invalid", "invalid_value", UNUSABLE_ROW),
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


def _check_measures(measures: pd.DataFrame) -> tuple[pd.DataFrame, Lines]:
    """Return measures without impossible values, and ledger lines of these values.

    Raises
    ------
    InputError
        When a run or cell has two values of an aspect.
    """
    is_invalid = np.isinf(measures["value"])
    for name in METRICS:
        is_wrong, _ = METRICS[name].find_impossible(measures["value"])
        is_invalid |= (measures["aspect"] == name) & is_wrong
    text = "{aspect} cannot be {value}; it counts as missing"
    lines = lines_of(measures[is_invalid], "invalid_value", "noted", "read", text)
    measures = measures.assign(value=measures["value"].mask(is_invalid))
    for _, row in measures[measures.duplicated([*KEY, "aspect"])].head(1).iterrows():
        cell = ", ".join(f"{name} {row[name]}" for name in (*KEY, "aspect"))
        raise InputError(f"{row['file']}: {cell} stands in two of the tables")
    return measures, lines


def _add_facts(
    measures: pd.DataFrame, problems: Problems | None, related: str, repetitions: int | None
) -> pd.DataFrame:
    """Return measures with the source and the group of each dataset, and with the number of runs that are expected."""
    facts = {}
    for name in measures["dataset"].unique():
        problem = problems.find(name) if problems else None
        base, family = problems.origin(name) if problems else (name, "")
        facts[name] = (
            problem_of(base) if related else source_of(base, family),
            repetitions or (len(problem.data_seeds) if problem else 0),
            group_of(name, problem.family if problem else None),
        )
    sources, expected, groups = zip(*measures["dataset"].map(facts), strict=True)
    groups = pd.Series(groups)
    groups = measures.get("group", groups).fillna(groups)
    return measures.assign(source=sources, expected=expected, group=groups)


def _find_absent_runs(measures: pd.DataFrame) -> tuple[pd.DataFrame, Lines]:
    """Return measures of absent runs, as failed runs, up to `expected` runs per cell, and their ledger lines."""
    keys = ["method", "dataset", "group", "source"]
    runs = measures[measures["failed"].notna()].drop_duplicates(list(KEY))
    cells = runs.groupby(["method", "dataset", "expected"], as_index=False).size()
    cells["absent"] = cells["expected"] - cells["size"]
    cells = cells[cells["absent"] > 0]
    text = "{absent} of {expected} runs are absent; each counts as a failed run"
    lines = lines_of(cells, "missing_runs", "replaced", "read", text, level="cell")
    aspects = measures[[*keys, "aspect"]].drop_duplicates()
    absent = cells.loc[cells.index.repeat(cells["absent"]), keys[:2]].merge(aspects)
    return absent.assign(failed=True), lines


def _reported_aspects(tables: Sequence[RunTable]) -> frozenset[str]:
    """Return the aspects that srlib could compute, and whose values are, at least in part, reported with the runs."""
    reported = set[str]()
    for table in tables:
        if table.kind != "assessments":
            reported |= COMPUTED_METRICS
        elif (table.frame["r2_source"] == "reported").any():
            reported |= {"r2_test", "accuracy_solution"}
    return frozenset(reported)
