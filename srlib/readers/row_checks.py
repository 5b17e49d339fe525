"""Checks of the rows that people send: a bad row becomes a run that cannot be used and says why; the others stay."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.prose import first_of, listed
from srlib.tables import KEY, RUNS, check_shape, read_columns

NEEDED_COLUMNS = (*KEY, "status")  # columns without which a row cannot be used
EMPTIED_COLUMNS = ("model", "r2_train", "r2_test", "complexity_raw", "predictions")  # of such a row
NAMELESS = "(no name)"
THE_TRUTH = "(the truth)"
MOST_NAMED = 6  # methods in one notice
LEFT_OUT_PREFIX = "left out: "


def check_rows(
    frame: pd.DataFrame, source: str | Path, damage: Mapping[int, str], last_counts: bool = False
) -> pd.DataFrame:
    """Give known columns their types; what cannot be read is named in `reason`, and without its key a row is invalid.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of the runs contract, of any types; a column `file` names each row in messages, else its number does.
    source : str or Path
        Named in messages.
    damage : mapping of int to str
        Rows, from 0, that are damaged in the file, and what is wrong with each.
    last_counts : bool
        Of several rows of a run only the last one stays: the others are other models.

    Returns
    -------
    pandas.DataFrame
        The rows in their order, numbered from 0 as they came. A row whose method, dataset, repetition or status cannot
        be read has the status 'invalid', a `reason`, and a repetition below 0; any other value that cannot be read is
        null, as `reason` says. Of equal rows the first counts, of rows of one run that differ none.

    Raises
    ------
    InputError
        When a column is missing, the table is empty, or no row can be used.
    """
    check_shape(frame, RUNS, source)
    table = frame.reset_index(drop=True)
    columns, faults = read_columns(table, RUNS, (NAMELESS, THE_TRUTH))
    sentences = defaultdict[Any, list[str]](list, {row: [text] for row, text in damage.items()})
    is_invalid = table.index.isin(list(damage))
    for name, row, sentence in faults:
        if row not in damage:
            sentences[row].append(sentence)
            is_invalid[row] |= name in NEEDED_COLUMNS
    if is_invalid.all():
        raise InputError(f"{source} row 1: {sentences[0][0]}")
    for name in ("method", "dataset"):
        columns[name] = columns[name].fillna(NAMELESS)
    columns["repetition"] = columns["repetition"].fillna(-1).astype("int64")
    table = with_status(table.assign(**columns), columns["model"].isna())
    texts_by_row = {row: "; ".join(text) for row, text in sentences.items()}
    reasons = pd.Series(texts_by_row, table.index, dtype="str")
    reasons = reasons.where(is_invalid, LEFT_OUT_PREFIX + reasons)
    table["reason"] = reasons.fillna(table["reason"]) if "reason" in table else reasons
    if last_counts:
        is_earlier = table.assign(invalid=is_invalid).duplicated([*KEY, "invalid"], keep="last")
        is_kept = is_invalid | ~is_earlier
        table, is_invalid = table[is_kept], is_invalid[is_kept]
    repeat_reasons = pd.Series(explain_repeats(table[~is_invalid]), table.index, dtype="str")
    table["reason"] = repeat_reasons.fillna(table["reason"])
    is_invalid = is_invalid | repeat_reasons.notna()
    table["status"] = table["status"].mask(is_invalid, "invalid")
    emptied_columns = {
        name: table[name].mask(is_invalid) for name in EMPTIED_COLUMNS if name in table
    }
    return table.assign(
        repetition=table["repetition"].mask(is_invalid, -is_invalid.cumsum()), **emptied_columns
    )


def with_status(runs: pd.DataFrame, failed: pd.Series) -> pd.DataFrame:
    """Fill in the status where it is not stated."""
    status = pd.Series(np.where(failed, "failed", "ok"), runs.index, dtype="str")
    return runs.assign(status=runs.get("status", status).astype("str").fillna(status))


def explain_repeats(runs: pd.DataFrame) -> dict[int, str]:
    """Explain why repeated rows of a run cannot be used: all but the first if they are equal, else all of them."""
    runs = runs[runs.duplicated(list(KEY), keep=False)]
    is_equal = runs.duplicated([name for name in RUNS.columns if name in runs])  # to one before
    labels: Any = runs.get("file", "row " + (runs.index.to_series() + 1).astype("str"))
    reasons = dict[int, str]()
    for run, rows in dict[Any, Any](runs.groupby(list(KEY)).groups).items():
        places = f"repetition {run[2]} stands in {first_of(labels[rows], most=4)}"
        if is_equal[rows[1:]].all():
            reasons |= dict.fromkeys(rows[1:], f"{places} with equal content; the first one counts")
        else:
            reasons |= dict.fromkeys(rows, f"{places} with different content; none of them counts")
    return reasons


def check_shared(runs: pd.DataFrame) -> None:
    """Refuse a run that stands in two tables: nobody writes another team's rows."""
    key = list(KEY)
    for run, rows in runs[runs.duplicated(key, keep=False)].groupby(key):
        first, second = (rows["file"] + " row " + rows["row"].astype("str"))[:2]
        raise InputError(
            f"{first} and {second} hold the same run: method {run[0]!r}, dataset {run[1]!r}, "
            f"repetition {run[2]}; each run was expected in one table"
        )


def name_shared_methods(frames: list[pd.DataFrame]) -> list[str]:
    """Return a sentence for each method that has rows in more than one table."""
    files = pd.concat([frame.groupby("method")["file"].first() for frame in frames])
    shared_files = (
        files[files.index.duplicated(keep=False)].groupby(level=0).agg(sorted)[:MOST_NAMED]
    )
    return [
        f"Method {name!r} has rows in {listed(names, 3)}." for name, names in shared_files.items()
    ]
