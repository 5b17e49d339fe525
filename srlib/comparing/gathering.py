"""From runs, assessments and published aggregates to one table of measures, with a ledger of what could not be used."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.metrics import ACCURATE, METRICS, group_of, metric_of, problem_of
from srlib.errors import InputError
from srlib.ledger import lines_of, to_frame
from srlib.problems import Problems
from srlib.readers import RunTable
from srlib.tables import KEY


def benchmark(
    tables: Iterable[RunTable],
    problems: Problems | None = None,
    *,
    alias: Mapping[str, str] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    related: Sequence[Sequence[str]] | None = None,
    barred: Collection[str] = (),
) -> Benchmark:
    """Put runs, assessments and measures together.

    Parameters
    ----------
    tables : iterable of Runs
        No two may measure the same run.
    problems : Problems, optional
        Their families are the groups; else the tables' column `group` or SRBench's names tell.
    alias : dict, optional
        Other names of a method, each with the name that it goes by.
    groups : dict, optional
        Of each group the patterns of its datasets' names, as `*_fri_*`; the first that fits counts.
    related : sequence, optional
        Lists of patterns: the datasets that one list names stem from one source. Without it every group but SRBench's
        collections is one source.
    barred : collection of str
        Methods that did not qualify and take no part.

    Raises
    ------
    InputError
        When a run stands in two tables, or an alias is no method's name.
    """
    parts, ledger, kinds = [], [], set()
    read = scored = 0
    for table in tables:
        gone = table.frame["method"].isin(list(barred))
        gate = "{method} did not qualify"
        ledger += lines_of(table.frame[gone], "not_qualified", "excluded", "read", gate)
        read += table.frame.loc[gone, list(KEY)].drop_duplicates().shape[0]
        frame = measures = table.frame[~gone]
        what = "cells of published tables" if table.measured else "runs"
        kinds.add(what)
        if table.measured:
            used = frame.groupby(list(KEY))["value"].count() > 0
            read, scored = read + len(used), scored + int(used.sum())
            lost = frame[frame["value"].isna()]
            ledger += lines_of(
                lost, "missing_runs", "noted", "read", "no {aspect} is given", level="cell"
            )
        else:
            r2 = _numbers(frame, "r2_test") if "r2_test" in frame else pd.Series(0.0, frame.index)
            failed = frame["status"] != "ok"
            infinite = ~failed & ~np.isfinite(r2)
            ledger += lines_of(
                frame[failed],
                "failed_run",
                "excluded",
                "read",
                "the run ended as {status}: {reason}",
            )
            ledger += lines_of(
                frame[infinite],
                "nonfinite_r2",
                "excluded",
                "read",
                "R2 on the test set is {r2_test}, not finite",
            )
            read, scored = read + len(frame), scored + int((~(failed | infinite)).sum())
            measures = _melted(frame, ~(failed | infinite))
        least = measures["aspect"].map(lambda name: metric_of(str(name)).lowest)
        low = measures["value"] < least.astype("float64")
        ledger += lines_of(
            measures[low],
            "invalid_value",
            "noted",
            "read",
            "{aspect} cannot be {value}; it counts as missing",
        )
        parts.append(measures.assign(value=measures["value"].mask(low)))
    whole = pd.concat(parts, ignore_index=True)
    whole["method"] = _renamed(whole["method"], alias or {})
    key = [*KEY, "aspect"]
    if whole.duplicated(key).any():
        row = whole[whole.duplicated(key)].iloc[0]
        raise InputError(
            f"{row['file']}: {', '.join(f'{k} {row[k]}' for k in key)} stands in two of the tables"
        )
    families = whole["dataset"].map(
        {name: group_of(name, problems) for name in whole["dataset"].unique()}
    )
    whole["group"] = whole["group"].fillna(families) if "group" in whole else families
    if groups:
        whole["group"] = _matched(whole["dataset"], list(groups.items()), whole["group"])
    if related:
        named = [(patterns[0].strip("*_"), patterns) for patterns in related]
        whole["related"] = _matched(whole["dataset"], named, "")
    what = " and ".join(sorted(kinds, reverse=True))
    return Benchmark(
        whole,
        to_frame(ledger),
        {"read": read, "scored": scored, "excluded": read - scored, "what": what},
    )


def _melted(frame: pd.DataFrame, usable: pd.Series) -> pd.DataFrame:
    values = {}
    for name, metric in METRICS.items():
        source = next(
            (
                column
                for column in metric.columns
                if column in frame and frame[column].notna().any()
            ),
            None,
        )
        if source is None:
            continue
        value = _numbers(frame, source)
        if name == "accuracy_solution":
            value = (value > ACCURATE).astype("float64")
        if name == "solution" and "solution_kind" in frame:
            value = value.mask(frame["solution_kind"] == "unknown", 0.0)
        values[name] = value.where(usable, 0.0 if metric.rate else np.nan)
    kept = [name for name in (*KEY, "group", "file", "row") if name in frame]
    table = frame[kept].assign(failed=~usable, **values)
    long = table.melt([*kept, "failed"], var_name="aspect")
    return long.astype({"value": "float64", "aspect": "str"})  # also where no metric is there


def _numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    """Read a column as numbers; the words True and False are 1 and 0."""
    column = frame[name]
    words = column.map(str).str.strip().str.casefold().map({"true": 1.0, "false": 0.0})
    values = pd.to_numeric(column, errors="coerce").astype("float64").fillna(words)
    wrong = values.isna() & column.notna() & (column.map(str).str.casefold() != "nan")
    if wrong.any():
        row = frame[wrong].iloc[0]
        where = f"{row.get('file', 'table')} row {row.get('row', '?')}"
        raise InputError(f"{where}: {name} must be a number, got {str(row[name])[:60]!r}")
    return values


def _renamed(names: pd.Series, alias: Mapping[str, str]) -> pd.Series:
    unknown = [name for name in alias if name not in set(names)]
    if unknown:
        raise InputError(
            f"alias: {unknown[0]!r} is no method; there are {', '.join(sorted(set(names)))}"
        )
    return names.replace(dict(alias)).astype("str")


def _matched(
    datasets: pd.Series, named: Sequence[tuple[str, Sequence[str]]], otherwise: Any
) -> pd.Series:
    """Name of the first list of patterns that a dataset fits."""
    found = {
        dataset: next(
            (n for n, those in named if any(fnmatchcase(problem_of(dataset), p) for p in those)),
            None,
        )
        for dataset in datasets.unique()
    }
    return datasets.map(found).fillna(otherwise).astype("str")
