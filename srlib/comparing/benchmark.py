"""Values of methods by dataset, from runs, assessments and published aggregates, and the units of datasets."""

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from srlib.assessing.completing import add_metrics
from srlib.comparing.measures import Lines, measure_table, reported_aspects
from srlib.errors import require
from srlib.ledger import lines_of, to_frame
from srlib.metrics import (
    COLLECTIONS,
    COMPUTED_METRICS,
    LEVEL_PATTERN,
    METRICS,
    Metric,
    apply_floor,
    average_levels,
    group_of,
    metric_of,
    problem_of,
    source_of,
)
from srlib.problems import Problems, load_problems
from srlib.prose import Fact, Statement, counted, listed, state
from srlib.readers import RunSources, RunTable, read_compared
from srlib.readers.row_checks import NAMELESS
from srlib.rules import Rules, load_rules
from srlib.table_files import read_frame
from srlib.tables import KEY, Contract, conform

MOST_GROUPS = 3  # with more groups, panels by noise level show all groups together
SOURCES = Contract("source", {"dataset": "str", "source": "str"}, ("dataset", "source"))
NOISY_NAME_PATTERN = r"_noise_\d"  # looks like a noise level, but only NAME@LEVEL is read as one
# what comes before the last part or number of a name, such as heat_1, heat-b or heat2
STEM_PATTERN = r"^(.*[^\W\d_]{2}.*?)(?:[_\-. ][^_\-. ]+|\d+)$"
FEWEST_OF_A_STEM = 3
SHARED_NOTICE = (
    "Compared on {}, each at a noise level, where every method has runs; {} on others left out. "
    "What this cannot say: whose authors had the larger budget, the faster machine or other data. A difference may "
    "be one of these, as nobody ran the methods side by side."
)
NOTES = {  # sentences about what is missing, and about names
    "missing_cells": "Missing cells: {names}. A missing cell counts as a loss.",
    "floors": "{count} failed or absent runs count as {span}: the worst value of their method on the "
    "dataset, or the floor if that is worse.",
    "fewer_runs": "{names}, without a stated number of repetitions: a mean over fewer runs is less certain.",
    "absent": "Without any value, so not compared: {names}.",
    "families": "Three or more datasets have names that begin alike: {names}. Each counts by itself; if they are "
    "related, state their sources.",
    "noisy_names": "{count} names of datasets look like noise levels ({first}); each counts by itself. A name such as "
    "NAME@0.01 states a level.",
}


@dataclass(frozen=True)
class Benchmark:
    """Measures of all methods, ready to be compared, and the ledger of runs and values that could not be used.

    Parameters
    ----------
    measures : pandas.DataFrame
        Columns of the measures contract (NaN = missing), `group` and `source` (datasets of one source are one unit);
        optionally `expected` (number of runs that a cell should have; 0: not stated), `failed` (whether the run failed;
        None in tables without runs) and `scale` ('log' where a layout states it). Without `failed` every missing value
        counts as a failed run.
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

    def metric(self, aspect: str) -> Metric:
        """Return the metric of an aspect; where its layout states `scale: log`, it is compared by ratios.

        Raises
        ------
        InputError
            When the scale is stated for a metric that lies between two values, such as R2 or a rate.
        """
        metric, is_aspect = metric_of(aspect), self.measures["aspect"] == aspect
        if "scale" not in self.measures or not self.measures["scale"][is_aspect].eq("log").any():
            return metric
        require(not metric.bounded, f"scale: log is not for {aspect}, which is compared as it is")
        return replace(metric, scale="ratio")

    def cells(self, aspect: str) -> pd.DataFrame:
        """Return the mean or median over repetitions, as datasets (each noise level is a row) x methods.

        A failed run counts as the worst value of its method on the dataset, or as the metric's floor if that is worse.
        NaN: the cell has no usable run.

        Raises
        ------
        InputError
            When no table has values of the aspect.
        """
        rows, floors = self._rows(aspect)
        rows = rows.assign(value=rows["value"].fillna(floors))
        centre = "mean" if self.metric(aspect).rate else self.aggregate
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
        tenth of the value). A loss is never better than the worst run.
        """
        (rows, _), metric = self._rows(aspect), self.metric(aspect)
        cells = cells.dropna(axis=1, how="all")
        upward = metric.sign * cells  # higher is better
        low, high = upward.min(axis=1), upward.max(axis=1)
        losses = low.clip(upper=metric.sign * metric.floor)
        if not metric.rate:
            step = (high - low).where(high > low, low.abs().clip(lower=1e-3) / 10)
            losses = losses.where(losses < low, low - step)
        worst_runs = (metric.sign * rows["value"]).groupby(rows["dataset"]).min()
        losses = metric.sign * np.fmin(losses, worst_runs[cells.index])
        return cells.apply(lambda column: column.fillna(losses))

    @property
    def sources(self) -> pd.Series:
        """Source of each dataset (the index, without noise levels), the unit of comparisons."""
        return self.measures["source"].groupby(self.measures["dataset"].map(problem_of)).first()

    def scope(self, aspect: str) -> str:
        """Return the metric with its numbers of datasets and sources, such as `test R²: 17 datasets from 5 sources`."""
        units = self.sources[average_levels(self.cells(aspect)).index]
        datasets, sources = counted(len(units), "dataset"), counted(units.nunique(), "source")
        return f"{self.metric(aspect).label}: {datasets} from {sources}"

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

    def notes(self, aspect: str) -> Iterator[Statement]:
        """Yield sentences about missing cells and runs, methods with fewer runs or none, and names of datasets."""
        cells, (rows, floors) = self.cells(aspect), self._rows(aspect)
        shares = cells.isna().mean()
        sizes = rows.pivot_table("repetition", "dataset", "method", aggfunc="size")
        most_runs = sizes.apply(lambda column: sizes.max(axis=1).where(column.notna())).mean()
        names = cells.index.map(problem_of).unique()
        single = names[~self.sources[names].duplicated(keep=False)]
        stems = single[~single.str.split("_").str[0].isin(COLLECTIONS)].str.extract(STEM_PATTERN)
        facts = {
            "missing_cells": [
                state("cell", "{method} {share:.0%}", method=name, share=x)
                for name, x in shares.items()
                if 0 < x < 1
            ],
            "floors": [f"{floor:.3g}" for floor in sorted(floors.dropna())],
            "fewer_runs": {
                name: f"{name} has {size:.3g} run{'s' * (size != 1)} a dataset where others have {most:.3g}"
                for name, size, most in zip(sizes, sizes.mean(), most_runs, strict=True)
                if size < most
            },
            "absent": list(shares.index[shares == 1]),
            "families": [
                f"{x} ({n})" for x, n in stems[0].value_counts().items() if n >= FEWEST_OF_A_STEM
            ],
            "noisy_names": [name for name in names if re.search(NOISY_NAME_PATTERN, name)],
        }
        for key, parts in facts.items():
            if texts := list(parts.values() if isinstance(parts, dict) else parts):
                span = " to ".join(dict.fromkeys([texts[0], texts[-1]]))
                values = {"count": len(texts), "first": texts[0], "span": span}
                names = Fact(tuple(parts), listed(texts, 12))
                yield state(key, NOTES[key], names=names, **values)

    def _rows(self, aspect: str) -> tuple[pd.DataFrame, pd.Series]:
        """Return the measures of an aspect, and the values that failed runs count as if their cell has a usable one.

        Raises
        ------
        InputError
            When no table has values of the aspect.
        """
        rows = self.measures[self.measures["aspect"] == aspect]
        require(
            aspect in self.aspects,
            f"metric {aspect!r} is in none of the tables; they hold {', '.join(self.aspects)}",
        )
        metric = self.metric(aspect)
        cells = (metric.sign * rows["value"]).groupby([rows["method"], rows["dataset"]])
        floors = apply_floor(metric.sign * cells.transform("min"), metric.sign, metric.floor)
        is_failed = rows.get("failed", rows["value"].isna()).eq(True)  # None is no failed run
        return rows, pd.Series(floors, rows.index).where(is_failed & rows["value"].isna())


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
    sources: str | Path | pd.DataFrame | None = None,
    shared: bool = False,
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
        Metrics that will be compared; they are computed where this is possible. Any other column of numbers, or aspect
        of a published table, is named with its direction, as 'energy_kwh:lower', here and in the result.
    names, layout
        See `read_runs`.
    alias : mapping, optional
        Names of methods, as {name in the tables: name that is used}.
    related : {'', 'none'}
        'none': each dataset is a unit of its own; '': datasets of one source are one unit.
    sources : str, Path or DataFrame, optional
        Table with the columns `dataset` and `source`, for datasets whose source is not that of the problems.
    shared : bool
        Whether only datasets (with their noise level) count on which every method has runs, as with results of several
        sources; a notice says how many, and what such a comparison cannot say.
    repetitions : int, optional
        Number of runs that every method should have on every dataset; absent runs count as failed. By default the
        problems' data_seeds state it.
    aggregate : {'mean', 'median'}
        Statistic over the repetitions.

    Raises
    ------
    InputError
        When the tables have no metric or a metric no direction, a key of `alias` is no method or makes two runs one,
        the table of sources has no rows, an unknown dataset or a dataset twice, or an option has a value that is not
        allowed.

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
    for metric in metrics:
        metric_of(metric)  # refuses an unknown one whose direction is not stated
    tables = read_compared(runs, layout, names, alias or {})
    if shared:
        tables = keep_shared(tables)
    problem_list = load_problems(problems) if problems else None
    if problem_list:
        measure_rules = load_rules(rules).measure
        tables = [add_metrics(table, problem_list, measure_rules, metrics) for table in tables]
    parts, lines, usable_runs = zip(
        *(measure_table(table, problem_list, metrics) for table in tables), strict=True
    )
    measures, usable = pd.concat(parts, ignore_index=True), pd.concat(usable_runs)
    aspects = set(measures["aspect"])
    computed = ", ".join(sorted({*COMPUTED_METRICS, "edit_distance"}))
    require(
        bool(aspects),
        f"the tables hold no metric; name the problems, so that {computed} are computed from the runs",
    )
    directed = {metric.rpartition(":")[0]: metric for metric in {*metrics} - aspects}
    measures = measures.assign(aspect=measures["aspect"].replace(directed))
    measures, check_lines = _check_measures(measures)
    own_sources = _read_sources(sources, measures["dataset"])
    measures = _add_facts(measures, problem_list, related, own_sources, repetitions)
    absent, absent_lines = _find_absent_runs(measures)
    kinds = {
        "cells of published tables" if table.kind == "measures" else "runs" for table in tables
    }
    counts = {"read": len(usable), "scored": int(usable.sum()), "excluded": int((~usable).sum())}
    unread_lines = [table.unread_lines for table in tables]
    return Benchmark(
        pd.concat([measures, absent], ignore_index=True).astype({"value": "float64"}),
        to_frame([*itertools.chain(*unread_lines, *lines), *check_lines, *absent_lines]),
        counts | {"what": " and ".join(sorted(kinds, reverse=True))},
        aggregate,
        reported_aspects(tables),
        tuple(dict.fromkeys(notice for table in tables for notice in table.notices)),
    )


def keep_shared(tables: Sequence[RunTable]) -> list[RunTable]:
    """Return tables without runs on datasets that not every method has, with a notice of it.

    Raises
    ------
    InputError
        When no dataset has runs of every method.
    """
    runs = pd.concat([table.frame for table in tables])
    runs = runs[runs["method"] != NAMELESS]
    n_methods = runs.groupby("dataset")["method"].nunique()
    datasets = n_methods.index[n_methods == runs["method"].nunique()]
    require(len(datasets) > 0, "shared: no dataset has runs of every method")
    n_others = int((~runs["dataset"].isin(datasets)).sum())
    notice = SHARED_NOTICE.format(counted(len(datasets), "dataset"), counted(n_others, "run"))
    frames = [table.frame[table.frame["dataset"].isin(datasets)] for table in tables]
    return [
        replace(table, frame=frame, notices=(notice, *table.notices))
        for table, frame in zip(tables, frames, strict=True)
    ]


def _check_measures(measures: pd.DataFrame) -> tuple[pd.DataFrame, Lines]:
    """Return measures without values that are impossible or stated twice and differently, and ledger lines of these."""
    is_invalid = np.isinf(measures["value"])
    for name in METRICS:
        is_wrong, _ = METRICS[name].find_impossible(measures["value"])
        is_invalid |= (measures["aspect"] == name) & is_wrong
    text = "{aspect} cannot be {value}; it counts as missing"
    lines = lines_of(measures[is_invalid], "invalid_value", "noted", "read", text)
    measures = measures.assign(value=measures["value"].mask(is_invalid))
    cell = [*KEY, "aspect"]
    measures = measures[~measures.duplicated([*cell, "value"])]
    is_repeated = measures.duplicated(cell, keep=False)
    text = "{aspect} is stated twice, as {value} here; none of the values counts"
    lines += lines_of(measures[is_repeated], "invalid_value", "noted", "read", text)
    measures = measures.assign(value=measures["value"].mask(is_repeated))
    return measures[~measures.duplicated(cell)], lines


def _read_sources(sources: str | Path | pd.DataFrame | None, datasets: pd.Series) -> dict[str, str]:
    """Return the sources that a table states; raise InputError for an unknown dataset or a second source of one."""
    if sources is None or isinstance(sources, str) and not sources:
        return {}
    is_frame = isinstance(sources, pd.DataFrame)
    place = "the table of sources" if is_frame else str(sources)
    table = conform(sources if is_frame else read_frame(sources), SOURCES, place)
    names, by_dataset = set(datasets.map(problem_of)), dict[str, str]()
    for name, source in zip(table["dataset"].map(problem_of), table["source"], strict=True):
        require(name in names, f"{place}: no run is on a dataset {name!r}")
        other = by_dataset.setdefault(name, source)
        require(source == other, f"{place}: dataset {name!r} has two sources, {other} and {source}")
    return by_dataset


def _add_facts(
    measures: pd.DataFrame,
    problems: Problems | None,
    related: str,
    own_sources: Mapping[str, str],
    repetitions: int | None,
) -> pd.DataFrame:
    """Return measures with the source and the group of each dataset, and with the number of runs that are expected."""
    facts = {}
    for name in measures["dataset"].unique():
        problem = problems.find(name) if problems else None
        base, family = problems.origin(name) if problems else (name, "")
        facts[name] = (
            own_sources.get(problem_of(name))
            or own_sources.get(problem_of(base))
            or (problem_of(base) if related else source_of(base, family)),
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
