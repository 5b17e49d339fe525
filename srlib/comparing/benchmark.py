"""From runs, assessments and published aggregates to one value per method and dataset, and per method and unit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from srlib.comparing.metrics import (
    ACCURATE,
    METRICS,
    Metric,
    average_levels,
    fill_losses,
    group_of,
    level_of,
    metric_of,
    problem_of,
    source_of,
    worst_of,
)
from srlib.errors import InputError
from srlib.ledger import lines_of, to_frame
from srlib.problems import Problems
from srlib.readers import RunTable
from srlib.tables import KEY, MEASURED

MOST_GROUPS = 3  # groups that have panels of their own by noise level
COMPUTED = {name for name, metric in METRICS.items() if {*metric.columns[:1]} & MEASURED.keys()}


@dataclass(frozen=True)
class Benchmark:
    """Everything that is compared.

    Parameters
    ----------
    measures : pandas.DataFrame
        Measures contract (NaN = missing) with `group` and `source` (datasets of one source are one unit), and perhaps
        `failed` (None where a table states no runs); without it every missing value counts as a failed run.
    ledger : pandas.DataFrame
        Every run and value that could not be used.
    counts : dict
        `read`, `scored` and `excluded`, and `what` was: runs, or cells of published tables.
    aggregate : {'mean', 'median'}
        Over the repetitions of a cell; of rates always the mean.
    reported : frozenset of str
        Aspects of which some values were reported, and not computed.
    """

    measures: pd.DataFrame
    ledger: pd.DataFrame = field(default_factory=lambda: to_frame([]))
    counts: dict[str, Any] = field(default_factory=dict)
    aggregate: Literal["mean", "median"] = "mean"
    reported: frozenset[str] = frozenset()

    @property
    def aspects(self) -> list[str]:
        """Aspects that have a value, in alphabetical order."""
        return sorted(self.measures.dropna(subset=["value"])["aspect"].unique())

    def cells(
        self, aspect: str, group: str | None = None, level: float | None = None
    ) -> pd.DataFrame:
        """Datasets (each noise level by itself) x methods: the mean or median over the repetitions; NaN = no run.

        In a cell with a usable run a failed run counts as the floor.

        Parameters
        ----------
        aspect : str
            One of `aspects`.
        group, level : optional
            Only datasets of this group, or with this noise level (`NAME@LEVEL`).

        Raises
        ------
        InputError
            When the tables do not hold the aspect.
        """
        rows = self._rows(aspect)
        usable = rows.groupby(["method", "dataset"])["value"].transform("count") > 0
        failed = rows.get("failed", rows["value"].isna()).eq(True) & rows["value"].isna() & usable
        floors = rows["dataset"].map(self._floors(aspect))
        rows = rows.assign(value=rows["value"].mask(failed, floors))
        if group is not None:
            rows = rows[rows["group"] == group]
        if level is not None:
            rows = rows[rows["dataset"].map(level_of) == level]
        centre = "mean" if metric_of(aspect).rate else self.aggregate
        table = rows.pivot_table("value", "dataset", "method", aggfunc=centre, dropna=False)
        return table.dropna(how="all")

    def values(
        self, aspect: str, group: str | None = None, level: float | None = None
    ) -> pd.DataFrame:
        """Datasets x methods, each dataset once (the mean over its noise levels); a missing cell is a loss.

        A method that has no value on any dataset takes no part.
        """
        return average_levels(self.fill(self.cells(aspect, group, level), aspect))

    def fill(self, cells: pd.DataFrame, aspect: str) -> pd.DataFrame:
        """Fill missing cells by losses, and leave out methods that have no value on any dataset."""
        usable = self._rows(aspect).dropna(subset="value")["method"].unique()
        cells = cells.loc[:, cells.columns.isin(list(usable))]
        return fill_losses(cells, metric_of(aspect), self._floors(aspect))

    def fewer_runs(self, aspect: str) -> list[str]:
        """Name methods with fewer runs than others on the datasets that they have, as `B (36 of 60)`."""
        sizes = self._rows(aspect).pivot_table("repetition", "dataset", "method", aggfunc="size")
        most = sizes.notna().mul(sizes.max(axis=1), axis=0).sum()
        counts = zip(sizes, sizes.sum(), most, strict=True)
        return [f"{method} ({own:g} of {top:g})" for method, own, top in counts if own < top]

    def units(self, values: pd.DataFrame) -> pd.Series:
        """Give the unit of each dataset of `values`: the source that it shares with others, or its own name."""
        sources = self.measures.drop_duplicates("dataset").set_index("dataset")["source"]
        return sources.rename(problem_of).groupby(level=0).first()[values.index]

    def by_noise(self, aspect: str) -> dict[str, dict[str, pd.DataFrame]]:
        """Values for each group (all together where there are many), and in it for each noise level."""
        rows = self._rows(aspect).dropna(subset="value")
        groups: list[str | None] = sorted(rows["group"].unique())
        if len(groups) > MOST_GROUPS:
            groups = [None]
        levels = sorted(rows["dataset"].map(level_of).dropna().unique()) or [None]
        return {
            group or "all datasets": {
                "all" if level is None else f"noise {level:g}": self.values(aspect, group, level)
                for level in levels
            }
            for group in groups
        }

    def _rows(self, aspect: str) -> pd.DataFrame:
        rows = self.measures[self.measures["aspect"] == aspect]
        if rows["value"].isna().all():
            names = ", ".join(self.aspects) or "no metric: assess the runs, or name their problems"
            raise InputError(f"metric {aspect!r} is in none of the tables; they hold {names}")
        return rows

    def _floors(self, aspect: str) -> pd.Series:
        """Value of a failed run by dataset: the worst of all runs there, no better than the metric's floor."""
        values, metric = self._rows(aspect).groupby("dataset")["value"], metric_of(aspect)
        return values.agg(lambda runs: float(worst_of(runs.to_numpy(float), metric, None)))


def read_benchmark(
    tables: Iterable[RunTable],
    problems: Problems | None = None,
    *,
    alias: Mapping[str, str] | None = None,
    related: str = "",
    repetitions: int | None = None,
    aggregate: Literal["mean", "median"] = "mean",
) -> Benchmark:
    """Put runs, assessments and measures together.

    Parameters
    ----------
    tables : iterable of RunTable
        No two may measure the same run.
    problems : Problems, optional
        Their families are the groups and sources, and their `data_seeds` state the number of repetitions; else the
        tables' column `group`, SRBench's names and the shipped table of PMLB's sources count.
    alias : dict, optional
        Other names of a method, each with the name that it goes by.
    related : {'', 'none'}
        'none': each dataset is a unit of its own.
    repetitions : int, optional
        Number of runs that every method should have on every dataset.
    aggregate : {'mean', 'median'}
        Over the repetitions.

    Raises
    ------
    InputError
        When a run stands in two tables, an alias is no method's name, or an option has another value.
    """
    if related not in ("", "none"):
        raise InputError(f"related: none was expected, got {related!r}")
    if repetitions is not None and repetitions < 1:
        raise InputError(f"repetitions: a number from 1 on was expected, got {repetitions}")
    parts, ledger, kinds, usable = [], [], set(), []
    for table in tables:
        read_table = _from_measures if table.measured else _from_runs
        rows, lines, scored = read_table(table.frame)
        parts.append(rows)
        ledger += lines
        usable += scored.tolist()
        kinds.add("cells of published tables" if table.measured else "runs")
    measures = pd.concat(parts, ignore_index=True)
    reported = measures.loc[measures["reported"] & measures["value"].notna(), "aspect"]
    least = measures["aspect"].map(lambda name: metric_of(str(name)).lowest).astype("float64")
    invalid = (measures["value"] < least) | np.isinf(measures["value"])
    text = "{aspect} cannot be {value}; it counts as missing"
    ledger += lines_of(measures[invalid], "invalid_value", "noted", "read", text)
    measures["value"] = measures["value"].mask(invalid)
    measures["method"] = _rename(measures["method"], alias or {})
    _refuse_repeated(measures)
    names = measures["dataset"].unique()
    listed = {name: problems and problems.find(name) for name in names}
    families = {name: problem and problem.family or "" for name, problem in listed.items()}
    groups = measures["dataset"].map({name: group_of(name, families[name]) for name in names})
    measures["group"] = measures["group"].fillna(groups) if "group" in measures else groups
    sources = {name: source_of(name, families[name]) for name in names}
    if related:
        sources = {name: problem_of(name) for name in names}
    measures["source"] = measures["dataset"].map(sources)
    expected = {
        name: repetitions or (len(problem.data_seeds) if problem else 0)
        for name, problem in listed.items()
    }
    absent, lines = _find_absent_runs(measures, expected)
    scored = sum(usable)
    counts: dict[str, Any] = {
        "read": len(usable),
        "scored": scored,
        "excluded": len(usable) - scored,
    }
    counts["what"] = " and ".join(sorted(kinds, reverse=True))
    measures = pd.concat([measures, absent], ignore_index=True).astype({"value": "float64"})
    return Benchmark(measures, to_frame(ledger + lines), counts, aggregate, frozenset(reported))


def _refuse_repeated(measures: pd.DataFrame) -> None:
    repeated = measures[measures.duplicated([*KEY, "aspect"])]
    if len(repeated):
        row = repeated.iloc[0]
        cell = ", ".join(f"{name} {row[name]}" for name in (*KEY, "aspect"))
        raise InputError(f"{row['file']}: {cell} stands in two of the tables")


def _find_absent_runs(
    measures: pd.DataFrame, expected: Mapping[str, int]
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Measures of the runs that a cell has less than `expected` by dataset, as failed runs, and their ledger lines."""
    keys = ["method", "dataset"]
    runs = measures[measures["failed"].notna()].drop_duplicates(list(KEY))
    cells = runs.groupby(keys).size().rename("runs").reset_index()
    cells["expected"] = cells["dataset"].map(expected).astype("int64")
    cells["absent"] = cells["expected"] - cells["runs"]
    cells = cells[cells["absent"] > 0]
    text = "{absent} of {expected} runs are absent; each counts as a failed run"
    lines = lines_of(cells, "missing_runs", "replaced", "read", text, level="cell")
    aspects = measures[[*keys, "aspect", "group", "source"]].drop_duplicates()
    absent = cells.loc[cells.index.repeat(cells["absent"]), keys].merge(aspects, on=keys)
    rates = absent["aspect"].map(lambda name: metric_of(str(name)).rate).astype("bool")
    return absent.assign(failed=True, value=np.where(rates, 0.0, np.nan)), lines


def _from_measures(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[dict[str, Any]], pd.Series]:
    """Measures of a published table, its ledger, and by cell whether it has a value."""
    absent, text = frame[frame["value"].isna()], "no {aspect} is stated"
    lines = lines_of(absent, "missing_runs", "noted", "read", text, level="cell")
    usable = frame.groupby(list(KEY))["value"].count() > 0
    return frame.assign(failed=None, reported=frame["aspect"].isin(COMPUTED)), lines, usable


def _from_runs(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[dict[str, Any]], pd.Series]:
    """Measures of a table of runs, one row a run and aspect, its ledger, and by run whether it can be used."""
    failed, infinite = frame["status"] != "ok", pd.Series(False, frame.index)
    if "r2_test" in frame:  # a file without any R2 reports none
        r2 = _numbers(frame, "r2_test")
        reporting = r2.notna().groupby(frame["file"]).transform("any")
        infinite = ~failed & ~np.isfinite(r2) & reporting
    text = "the run ended as {status}: {reason}"
    lines = lines_of(frame[failed], "failed_run", "excluded", "read", text)
    text = "R2 on the test set is {r2_test}, not finite"
    lines += lines_of(frame[infinite], "nonfinite_r2", "excluded", "read", text)
    usable = ~(failed | infinite)
    names = [name for name in (*KEY, "group", "file", "row") if name in frame]
    rows = frame[names].assign(failed=(~usable).astype("object"))
    parts = [rows[:0].assign(aspect="", value=0.0, reported=False)]
    for aspect, metric in METRICS.items():
        columns = [name for name in metric.columns if name in frame and frame[name].notna().any()]
        if columns:
            numbers = pd.concat([_numbers(frame, name) for name in columns], axis=1)
            value = numbers.bfill(axis=1).iloc[:, 0]
            if aspect == "accuracy_solution":
                value = (value > ACCURATE).astype("float64").where(value.notna())
            if aspect == "solution" and "solution_kind" in frame:
                value = value.mask(frame["solution_kind"] == "unknown", 0.0)
            value = value.where(usable, 0.0 if metric.rate else np.nan)
            reported = usable & _is_reported(frame, aspect, metric)
            parts.append(rows.assign(aspect=aspect, value=value, reported=reported))
    return pd.concat(parts, ignore_index=True), lines, usable


def _is_reported(frame: pd.DataFrame, aspect: str, metric: Metric) -> pd.Series:
    """Whether a value of each run was reported, of an aspect that assessing computes."""
    if aspect not in COMPUTED or "r2_source" not in frame:  # without it there is no assessment
        return pd.Series(aspect in COMPUTED, frame.index)
    if metric.columns == ("r2_test",):
        return frame["r2_source"] == "reported"
    return frame[metric.columns[0]].isna()


def _numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    """Read a column as numbers; the words True and False are 1 and 0."""
    words = frame[name].map(str).str.casefold().replace({"true": "1", "false": "0"})
    values = pd.to_numeric(words, errors="coerce").astype("float64")
    wrong = values.isna() & frame[name].notna() & (words != "nan")
    for file, row, text in frame.loc[wrong, ["file", "row", name]].itertuples(index=False):
        raise InputError(f"{file} row {row}: {name} must be a number, got {str(text)[:60]!r}")
    return values


def _rename(names: pd.Series, alias: Mapping[str, str]) -> pd.Series:
    """Names of methods with aliases resolved."""
    methods = sorted(set(names))
    unknown = [name for name in alias if name not in methods]
    if unknown:
        raise InputError(f"alias: {unknown[0]!r} is no method; there are {', '.join(methods)}")
    return names.replace(dict(alias)).astype("str")
