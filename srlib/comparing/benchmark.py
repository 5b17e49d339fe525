"""Values of methods by dataset, from runs, assessments and published aggregates, and the units of datasets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from srlib.assessing.failures import UNREAD_CODES
from srlib.errors import InputError, require
from srlib.ledger import lines_of, to_frame
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
from srlib.problems import Problems
from srlib.problems.repetitions import EXTRA_RUN, find_extra_runs
from srlib.readers import RunTable
from srlib.tables import KEY, read_column

# measures, ledger lines, and a mask of the runs or cells that can be used
TableMeasures = tuple[pd.DataFrame, list[dict[str, Any]], pd.Series]
MOST_GROUPS = 3  # with more groups, panels by noise level show all groups together
NUMBER_COLUMNS = {name for metric in METRICS.values() for name in metric.columns}


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
    tables: Sequence[RunTable],
    problems: Problems | None = None,
    *,
    alias: Mapping[str, str] | None = None,
    related: str = "",
    repetitions: int | None = None,
    aggregate: Literal["mean", "median"] = "mean",
) -> Benchmark:
    """Return runs, assessments and measures of several tables as one `Benchmark`.

    Parameters
    ----------
    tables : sequence of RunTable
        Tables without common runs.
    problems : Problems, optional
        Families of the problems become groups and sources, and `data_seeds` give the number of repetitions. Without a
        family, the group comes from the published tables' column `group` or SRBench's names, and the source from the
        shipped table of PMLB's sources.
    alias : dict, optional
        New names of methods by the names in the tables.
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
    """
    require(
        related in ("", "none"), f"related: an empty text or 'none' was expected, got {related!r}"
    )
    require(
        repetitions is None or repetitions > 0,
        f"repetitions: a number from 1 on was expected, got {repetitions}",
    )
    parts = []
    ledger = []
    usable = list[bool]()
    kinds = set[str]()  # what the rows of the tables are
    reported = set[str]()
    for table in tables:
        if table.kind == "measures":
            kinds.add("cells of published tables")
            rows, lines, is_usable = _from_measures(table.frame)
        else:
            kinds.add("runs")
            runs = table.frame
            if problems:
                is_extra = find_extra_runs(runs, problems, repetitions=0)
                ledger += lines_of(runs[is_extra], "extra_runs", "excluded", "read", EXTRA_RUN)
                usable += [False] * is_extra.sum()
                require(not is_extra.all(), "no run is on a repetition that the problems expect")
                runs = runs[~is_extra]
            rows, lines, is_usable = _from_runs(runs)
        parts.append(rows)
        ledger += lines
        usable += is_usable.tolist()
        if table.kind != "assessments":
            reported |= COMPUTED_METRICS
        elif (table.frame["r2_source"] == "reported").any():
            reported |= {"r2_test", "accuracy_solution"}
    measures = pd.concat(parts, ignore_index=True)
    computed_clause = (
        f"with a problem file (--problems), {', '.join(sorted(COMPUTED_METRICS))} are computed"
    )
    require(not measures.empty, f"the tables hold no metric; {computed_clause} from the runs")
    lowest = measures["aspect"].map(lambda name: metric_of(str(name)).lowest).astype("float64")
    is_invalid = (measures["value"] < lowest) | np.isinf(measures["value"])
    text = "{aspect} cannot be {value}; it counts as missing"
    ledger += lines_of(measures[is_invalid], "invalid_value", "noted", "read", text)
    measures["value"] = measures["value"].mask(is_invalid)
    methods = sorted(measures["method"].unique())
    for name in alias or {}:
        require(name in methods, f"alias: {name!r} is no method; there are {', '.join(methods)}")
    measures["method"] = measures["method"].replace(dict(alias or {})).astype("str")
    for _, row in measures[measures.duplicated([*KEY, "aspect"])].head(1).iterrows():
        cell = ", ".join(f"{name} {row[name]}" for name in (*KEY, "aspect"))
        raise InputError(f"{row['file']}: {cell} stands in two of the tables")
    names = measures["dataset"]
    facts = {}
    for name in names.unique():
        problem = problems.find(name) if problems else None
        base, family = problems.origin(name) if problems else (name, "")
        facts[name] = (
            problem_of(base) if related else source_of(base, family),
            repetitions or (len(problem.data_seeds) if problem else 0),
            group_of(name, problem.family if problem else None),
        )
    measures["source"], measures["expected"], groups = zip(*names.map(facts), strict=True)
    groups = pd.Series(groups)
    measures["group"] = measures.get("group", groups).fillna(groups)
    absent, lines = _find_absent_runs(measures)
    counts = {
        "read": len(usable),
        "scored": usable.count(True),
        "excluded": usable.count(False),
        "what": " and ".join(sorted(kinds, reverse=True)),
    }
    measures = pd.concat([measures, absent], ignore_index=True).astype({"value": "float64"})
    return Benchmark(
        measures,
        to_frame(ledger + lines),
        counts,
        aggregate,
        frozenset(reported),
        tuple(notice for table in tables for notice in table.notices),
    )


def _find_absent_runs(measures: pd.DataFrame) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
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


def _from_measures(frame: pd.DataFrame) -> TableMeasures:
    """Return measures of a published table, its ledger lines, and whether each cell has a value."""
    absent = frame[frame["value"].isna()]
    text = "no {aspect} is stated"
    lines = lines_of(absent, "missing_runs", "noted", "read", text, level="cell")
    usable = frame.groupby(list(KEY))["value"].count() > 0
    return frame.assign(failed=None), lines, usable


def _from_runs(frame: pd.DataFrame) -> TableMeasures:
    """Return measures of a table of runs, a row per run and aspect; ledger lines; and whether each run is usable."""
    lines = []
    frame = frame.copy()
    for name in sorted(NUMBER_COLUMNS.intersection(frame)):
        values, faults = read_column(frame[name], "bool" if "solution" in name else "float")
        for is_invalid, fault in faults:
            text = f"{name} {fault}; it counts as missing"
            lines += lines_of(frame[is_invalid], "invalid_value", "noted", "read", text)
        frame[name] = values.astype("float64")
    is_failed = frame["status"] != "ok"
    is_infinite = pd.Series(False, frame.index)
    if "r2_test" in frame:  # runs of files without any R2 are not excluded
        file_reports = frame["r2_test"].notna().groupby(frame["file"]).transform("any")
        is_infinite = ~is_failed & ~np.isfinite(frame["r2_test"]) & file_reports
    text = "the run ended as {status}: {reason}"
    lines += lines_of(frame[is_failed], "failed_run", "excluded", "read", text)
    parse_status = frame.get("parse_status", pd.Series("ok", frame.index))
    for status, rows in frame[is_infinite].groupby(parse_status):
        if status == "ok":
            text = "R2 on the test set is {r2_test}, not finite"
            lines += lines_of(rows, "nonfinite_r2", "excluded", "read", text)
        else:
            code = UNREAD_CODES.get(str(status), "unparsed")
            lines += lines_of(rows, code, "excluded", "assess", "{detail}")
    usable = ~(is_failed | is_infinite)
    key_columns = frame.columns.intersection([*KEY, "file", "row"])
    rows = frame[key_columns].assign(failed=(~usable).astype("object"))
    parts = [rows[:0].assign(aspect="", value=0.0)]
    for aspect, metric in METRICS.items():
        columns = [name for name in metric.columns if name in frame]
        if "measure_digest" in frame:  # assessments: only measured values count, not reported ones
            columns = columns[:1]
        numbers = frame[columns].dropna(axis=1, how="all")
        if numbers.empty:
            continue
        value = numbers.bfill(axis=1).iloc[:, 0]
        if aspect == "accuracy_solution":
            value = (value > ACCURATE_R2).astype("float64").where(value.notna())
        if aspect == "solution" and "solution_kind" in frame:
            value = value.mask(frame["solution_kind"] == "unknown", 0.0)
        value = value.where(usable, 0.0 if metric.rate else np.nan)
        parts.append(rows.assign(aspect=aspect, value=value))
    return pd.concat(parts, ignore_index=True), lines, usable
