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
        Measures contract (NaN = missing) with `group`. Optional columns: `source` (datasets of one source are one unit;
        "" or absent: the dataset is its own) and `failed` (else every missing value counts as a failed run).
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
        rows = rows.assign(
            value=rows["value"].mask(failed, rows["dataset"].map(self._floors(aspect)))
        )
        if group is not None:
            rows = rows[rows["group"] == group]
        if level is not None:
            rows = rows[rows["dataset"].map(level_of) == level]
        centre = "mean" if metric_of(aspect).rate else self.aggregate
        table = rows.pivot_table(
            "value", index="dataset", columns="method", aggfunc=centre, dropna=False
        )
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
        sizes = self._rows(aspect).pivot_table(
            "repetition", index="dataset", columns="method", aggfunc="size"
        )
        most, own = sizes.notna().mul(sizes.max(axis=1), axis=0).sum(), sizes.sum()
        table = pd.DataFrame({"most": most, "own": own}).query("own < most")
        return [f"{row.Index} ({row.own:g} of {row.most:g})" for row in table.itertuples()]

    def units(self, values: pd.DataFrame) -> pd.Series:
        """Give the unit of each dataset of `values`: the source that it shares with others, or its own name."""
        names = pd.Series(values.index.astype("str"), index=values.index)
        if "source" not in self.measures:
            return names
        rows = self.measures.drop_duplicates("dataset").assign(
            name=lambda t: t["dataset"].map(problem_of)
        )
        sources = rows.drop_duplicates("name").set_index("name")["source"].reindex(values.index)
        return sources.where(sources.fillna("") != "", names).astype("str")

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
        metric = metric_of(aspect)
        return (
            self._rows(aspect)
            .groupby("dataset")["value"]
            .agg(lambda values: float(worst_of(values.to_numpy(float), metric, None)))
        )


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
    parts, ledger, kinds, reported = [], [], set(), set()
    read = scored = 0
    for table in tables:
        read_table = _from_measures if table.measured else _from_runs
        rows, lines, usable = read_table(table.frame)
        parts.append(rows)
        ledger += lines
        read, scored = read + len(usable), scored + int(usable.sum())
        kinds.add("cells of published tables" if table.measured else "runs")
        reported |= {*rows.loc[rows["reported"] & rows["value"].notna(), "aspect"]}
    measures = pd.concat(parts, ignore_index=True)
    least = measures["aspect"].map(lambda name: metric_of(str(name)).lowest).astype("float64")
    invalid = (measures["value"] < least) | np.isinf(measures["value"])
    text = "{aspect} cannot be {value}; it counts as missing"
    ledger += lines_of(measures[invalid], "invalid_value", "noted", "read", text)
    measures["value"] = measures["value"].mask(invalid)
    measures["method"] = _rename(measures["method"], alias or {})
    repeated = measures[measures.duplicated([*KEY, "aspect"])]
    if len(repeated):
        row = repeated.iloc[0]
        where = ", ".join(f"{name} {row[name]}" for name in (*KEY, "aspect"))
        raise InputError(f"{row['file']}: {where} stands in two of the tables")
    names = measures["dataset"].unique()
    groups = measures["dataset"].map({name: group_of(name, problems) for name in names})
    measures["group"] = measures["group"].fillna(groups) if "group" in measures else groups
    sources = {name: source_of(name, problems) if not related else "" for name in names}
    measures["source"] = measures["dataset"].map(sources)
    absent = _absent_runs(measures[measures["failed"].notna()], problems, repetitions)
    text = "{absent} of {expected} runs are absent; each counts as a failed run"
    ledger += lines_of(absent, "missing_runs", "replaced", "read", text, level="cell")
    keys = ["method", "dataset"]
    cells = measures[[*keys, "aspect", "group", "source"]].drop_duplicates()
    lost = absent.loc[absent.index.repeat(absent["absent"]), keys].merge(cells, on=keys)
    lost["failed"] = True
    lost["value"] = lost["aspect"].map(lambda name: 0.0 if metric_of(str(name)).rate else np.nan)
    measures = pd.concat([measures, lost], ignore_index=True).astype({"value": "float64"})
    counts: dict[str, Any] = {"read": read, "scored": scored, "excluded": read - scored}
    counts["what"] = " and ".join(sorted(kinds, reverse=True))
    return Benchmark(measures, to_frame(ledger), counts, aggregate, frozenset(reported))


def _absent_runs(
    runs: pd.DataFrame, problems: Problems | None, repetitions: int | None
) -> pd.DataFrame:
    """List cells with fewer runs than stated: `method`, `dataset`, `expected` and `absent` runs."""
    rows = []
    cells = runs.drop_duplicates(list(KEY)).groupby(["method", "dataset"]).size()
    for method, dataset, count in cells.reset_index().itertuples(index=False):
        problem = problems.find(dataset) if problems is not None else None
        expected = repetitions or (len(problem.data_seeds) if problem is not None else 0)
        if count < expected:
            rows.append((method, dataset, expected, expected - count))
    return pd.DataFrame(rows, columns=["method", "dataset", "expected", "absent"])


def _from_measures(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[dict[str, Any]], pd.Series]:
    """Measures of a published table, its ledger, and by cell whether it has a value."""
    absent, text = frame[frame["value"].isna()], "no {aspect} is stated"
    lines = lines_of(absent, "missing_runs", "noted", "read", text, level="cell")
    usable = frame.groupby(list(KEY))["value"].count() > 0
    return frame.assign(failed=None, reported=frame["aspect"].isin(COMPUTED)), lines, usable


def _from_runs(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[dict[str, Any]], pd.Series]:
    """Measures of a table of runs, one row a run and aspect, its ledger, and by run whether it can be used."""
    r2 = _numbers(frame, "r2_test") if "r2_test" in frame else pd.Series(0.0, frame.index)
    failed = frame["status"] != "ok"
    reporting = r2.notna().groupby(frame["file"]).transform("any")
    infinite = ~failed & ~np.isfinite(r2) & reporting  # a file without any R2 reports none
    lines = lines_of(
        frame[failed], "failed_run", "excluded", "read", "the run ended as {status}: {reason}"
    )
    lines += lines_of(
        frame[infinite],
        "nonfinite_r2",
        "excluded",
        "read",
        "R2 on the test set is {r2_test}, not finite",
    )
    usable = ~(failed | infinite)
    names = [name for name in (*KEY, "group", "file", "row") if name in frame]
    parts = []
    for aspect, metric in METRICS.items():
        columns = [name for name in metric.columns if name in frame and frame[name].notna().any()]
        if not columns:
            continue
        value = _numbers(frame, columns[0])
        for name in columns[1:]:
            value = value.fillna(_numbers(frame, name))
        if aspect == "accuracy_solution":
            value = (value > ACCURATE).astype("float64").where(value.notna())
        if aspect == "solution" and "solution_kind" in frame:
            value = value.mask(frame["solution_kind"] == "unknown", 0.0)
        value = value.where(usable, 0.0 if metric.rate else np.nan)
        parts.append(frame[names].assign(failed=~usable, aspect=aspect, value=value,
                                         reported=usable & _reported(frame, aspect, metric)))  # fmt: skip
    empty = frame[names][:0].assign(failed=True, aspect="", value=0.0, reported=False)
    measures = pd.concat(parts or [empty], ignore_index=True)
    return measures.astype({"value": "float64", "aspect": "str", "failed": "object"}), lines, usable


def _reported(frame: pd.DataFrame, aspect: str, metric: Metric) -> pd.Series:
    """Whether a value of each run was reported, of an aspect that assessing computes."""
    if aspect not in COMPUTED or "r2_source" not in frame:  # without it there is no assessment
        return pd.Series(aspect in COMPUTED, frame.index)
    if metric.columns == ("r2_test",):
        return frame["r2_source"] == "reported"
    return frame[metric.columns[0]].isna()


def _numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    """Read a column as numbers; the words True and False are 1 and 0."""
    words = frame[name].map(str).str.strip().str.casefold().replace({"true": "1", "false": "0"})
    values = pd.to_numeric(words, errors="coerce").astype("float64")
    wrong = frame[values.isna() & frame[name].notna() & (words != "nan")]
    if len(wrong):
        row = wrong.iloc[0]
        place = f"{row.get('file', 'table')} row {row.get('row', '?')}"
        raise InputError(f"{place}: {name} must be a number, got {str(row[name])[:60]!r}")
    return values


def _rename(names: pd.Series, alias: Mapping[str, str]) -> pd.Series:
    """Names of methods with aliases resolved."""
    methods = sorted(set(names))
    unknown = [name for name in alias if name not in methods]
    if unknown:
        raise InputError(f"alias: {unknown[0]!r} is no method; there are {', '.join(methods)}")
    return names.replace(dict(alias)).astype("str")
