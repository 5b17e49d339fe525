"""Run tables as people send them: a bad row becomes a run that cannot be used and says why; the other rows go on."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.expressions.names import TABLE_NAMES
from srlib.prose import listed
from srlib.tables import CONTROL, KEY, RUNS, check_shape, read_column

STATUSES = ("ok", "failed", "timeout", "memory", "crashed", "invalid")
ALLOWED = {"status": STATUSES, "names": TABLE_NAMES}
NEEDED = (*KEY, "candidate", "status")  # columns without which a row cannot be used
EMPTIED = ("model", "r2_train", "r2_test", "complexity_raw", "predictions")  # of such a row
NAMELESS = "(no name)"
MOST_NAMED = 6  # methods in one notice
LEFT_OUT = "left out: "
OTHER_MODELS = f"{LEFT_OUT}other models of the run: "


def check_rows(frame: pd.DataFrame, source: str | Path, damage: Mapping[int, str]) -> pd.DataFrame:
    """Give known columns their types; what cannot be read is named in `reason`, and without its key a row is invalid.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of the runs contract, of any types; a column `file` names each row in messages, else its number does.
    source : str or Path
        Named in messages.
    damage : mapping of int to str
        Rows, from 0, that are damaged in the file, and what is wrong with each.

    Returns
    -------
    pandas.DataFrame
        The rows in their order, numbered from 0 as they came; of a run with several models the one that counts. A row
        whose method, dataset, repetition, candidate or status cannot be read has the status 'invalid', a `reason`, and
        a repetition below 0; any other value that cannot be read is null, as `reason` says. Of equal rows the
        first counts, of rows of one run that differ none.

    Raises
    ------
    InputError
        When a column is missing, the table is empty, or no row can be used.
    """
    check_shape(frame, RUNS, source)
    table, columns = frame.reset_index(drop=True), dict[str, pd.Series]()
    sentences = defaultdict[Any, list[str]](list, {row: [text] for row, text in damage.items()})
    damaged = invalid = table.index.isin(list(sentences))
    for name in [name for name in RUNS.columns if name in table]:
        values, faults = read_column(table[name], RUNS.columns[name])
        if name in ("method", "dataset"):
            faults += [
                (values.isna(), "is empty"),
                (values.str.contains(CONTROL, na=False), "holds a control character"),
            ]
        if name in ALLOWED:
            forbidden = values.notna() & ~values.isin(ALLOWED[name])
            faults.append((forbidden, f"must be one of {', '.join(ALLOWED[name])}"))
        for mask, fault in faults:
            wrong = mask.to_numpy(bool) & ~damaged
            for row in map(int, np.flatnonzero(wrong)):
                value = table[name][row]
                came = "" if pd.isna(value) else f", got {str(value)[:60]!r}"
                sentences[row].append(f"{name} {fault}{came}")
            invalid = invalid | (wrong & (name in NEEDED))
            values = values.mask(mask)
        columns[name] = values
    if invalid.all():
        raise InputError(f"{source} row 1: {sentences[0][0]}")
    for name in ("method", "dataset"):
        columns[name] = columns[name].fillna(table[name].astype("str")).fillna(NAMELESS)
    columns["repetition"] = columns["repetition"].fillna(-1).astype("int64")
    table = with_status(table.assign(**columns), columns["model"].isna())
    other_models = count_other_models(table[~invalid])
    for row, number in other_models[other_models > 0].items():
        sentences[row].append(f"other models of the run: {number}")
    texts = {
        row: LEFT_OUT * (not invalid[row]) + "; ".join(text) for row, text in sentences.items()
    }
    faults = pd.Series(texts, table.index, dtype="str")
    own_reasons = table.get("reason", pd.Series(None, table.index, dtype="str"))
    reasons = (faults + "; " + own_reasons).fillna(faults).fillna(own_reasons)
    table = table.assign(reason=reasons)[invalid | table.index.isin(other_models.index)]
    repeats = explain_repeats(table.loc[other_models.index])
    invalid = ~table.index.isin(other_models.index.difference([*repeats]))
    table["status"] = table["status"].mask(invalid, "invalid")
    table["reason"] = pd.Series(repeats, table.index, dtype="str").fillna(table["reason"])
    if "reason" not in frame and table["reason"].isna().all():
        del table["reason"]
    emptied = {name: table[name].mask(invalid) for name in EMPTIED if name in table}
    return table.assign(repetition=table["repetition"].mask(invalid, -invalid.cumsum()), **emptied)


def with_status(runs: pd.DataFrame, failed: pd.Series) -> pd.DataFrame:
    """Fill in the status where it is not stated."""
    status = pd.Series(np.where(failed, "failed", "ok"), runs.index, dtype=object)
    statuses = runs.get("status", status)
    return runs.assign(status=status.mask(statuses.notna(), statuses).astype("str"))


def count_other_models(runs: pd.DataFrame) -> pd.Series:
    """Count the other models of each run, at the row of the model that counts.

    It is the one that is marked as `chosen`, else the one with the smallest `candidate`. Several that are marked, or
    have that number, all stay: they are repeats.
    """
    order = runs.get("candidate", pd.Series(1.0, runs.index)).astype("float64").fillna(1.0)
    if "chosen" in runs:
        order = order.mask(runs["chosen"].fillna(False).astype(bool), -np.inf)
    keys = [runs[name] for name in KEY]
    superseded = order > order.groupby(keys).transform("min")
    return superseded.groupby(keys).transform("sum")[~superseded]


def explain_repeats(runs: pd.DataFrame) -> dict[int, str]:
    """Say of rows of one run why they cannot be used: of equal rows all but the first, of rows that differ all."""
    runs = runs[runs.duplicated(list(KEY), keep=False)]
    equal = set(runs.index[runs.duplicated([name for name in RUNS.columns if name in runs])])
    labels: Any = runs.get("file", "row " + (runs.index.to_series() + 1).astype("str"))
    reasons, groups = dict[int, str](), dict[Any, Any](runs.groupby(list(KEY)).groups)
    for (*_, repetition), rows in groups.items():
        distinct = [row for row in rows if row not in equal]
        for row in rows:
            places = [labels[other] for other in rows[:4] if other != row][:3]
            ending = "the same content"
            if row not in equal:
                ending = "other content; none of them counts, as it is not known which is meant"
            if row in equal or len(distinct) > 1:
                reasons[row] = (
                    f"repetition {repetition} appears twice, in {labels[row]} and {', '.join(places)}, with {ending}"
                )
    return reasons


def check_shared(table: pd.DataFrame) -> None:
    """Refuse a run that stands in two tables: nobody writes another team's rows."""
    runs, key = table[table["status"] != "invalid"], list(KEY)
    for run, rows in runs[runs.duplicated(key, keep=False)].groupby(key):
        first, second = (rows["file"] + " row " + rows["row"].astype("str"))[:2]
        raise InputError(
            f"{first} and {second} hold the same run: method {run[0]!r}, dataset {run[1]!r}, "
            f"repetition {run[2]}; each run was expected in one table"
        )


def shared_methods(frames: list[pd.DataFrame]) -> list[str]:
    """Name the methods that have rows in more than one table."""
    files = pd.concat([frame.groupby("method")["file"].first() for frame in frames])
    shared = files[files.index.duplicated(keep=False)].groupby(level=0).agg(sorted)[:MOST_NAMED]
    return [f"Method {name!r} has rows in {listed(names)}." for name, names in shared.items()]
