"""Checks of rows of run tables: an invalid row becomes an unusable run with a reason; the others are kept."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError, require
from srlib.ledger import LEFT_OUT_PREFIX, SENTENCE_END
from srlib.prose import first_of, listed
from srlib.tables import ALLOWED_WORDS, KEY, RUNS, check_shape, read_columns

NEEDED_COLUMNS = (*KEY, "status")  # columns without which a row cannot be used
EMPTIED_COLUMNS = ("model", "r2_train", "r2_test", "complexity_raw", "predictions")  # of such a row
NAMELESS = "(no name)"
THE_TRUTH = "(the truth)"
MOST_NAMED = 6  # most methods in notices
REPEATED = " stands in "  # in the reason of a row that is there twice
UNREAD_PREDICTIONS = "predictions: an .npz with arrays train and test is read, got "


def check_rows(
    frame: pd.DataFrame, source: str | Path, damage: Mapping[int, str], rows: str | None = None
) -> pd.DataFrame:
    """Return rows with typed columns; unreadable values become null with a `reason`, rows without a key invalid.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of the runs contract, of any types. Messages name a row by the column `file`, if there is one, else
        by number.
    source : str or Path
        File or table, for messages.
    damage : mapping of int to str
        Damaged rows (from 0) of the file, each with a sentence about the damage.
    rows : {'first', 'last'}, optional
        Which of several rows of a run is kept, where the others are other models of the run.

    Returns
    -------
    pandas.DataFrame
        The rows in their order, indexed by their position in `frame`. A row whose method, dataset, repetition or status
        cannot be read has the status 'invalid', a `reason` and a repetition below 0. Any other value that cannot be
        read is null, and `reason` says so. Of equal rows of a run only the first is valid, of differing rows none.

    Raises
    ------
    InputError
        When a column is missing, or the table is empty.
    """
    check_shape(frame, RUNS, source)
    table = frame.reset_index(drop=True)
    columns, faults = read_columns(table, RUNS, (NAMELESS, THE_TRUTH))
    if "predictions" in columns:
        paths: Any = columns["predictions"].dropna()
        endings = paths.str.extract(r"(\.[^./]*)$", expand=False).fillna("no suffix").str.lower()
        for row, ending in endings[endings != ".npz"].items():
            faults.append(("predictions", row, UNREAD_PREDICTIONS + ending))
        columns["predictions"] = paths[endings == ".npz"]
    sentences = defaultdict[Any, list[str]](list, {row: [text] for row, text in damage.items()})
    is_invalid = table.index.isin(list(damage))
    if "status" in columns:
        is_invalid |= (columns["status"] == "invalid").to_numpy()
    for name, row, sentence in faults:
        if row not in damage:
            sentences[row].append(sentence)
            is_invalid[row] |= name in NEEDED_COLUMNS
    columns["dataset"] = columns["dataset"].mask(columns["method"].isna())  # it is nobody's run
    for name in ("method", "dataset"):
        columns[name] = columns[name].fillna(NAMELESS)
    columns["repetition"] = columns["repetition"].fillna(-1).astype("int64")
    table = with_status(table.assign(**columns), columns["model"].isna())
    texts_by_row = {
        row: "; ".join(texts)
        if is_invalid[row]
        else SENTENCE_END.join(LEFT_OUT_PREFIX + text for text in texts)
        for row, texts in sentences.items()
    }
    reasons = pd.Series(texts_by_row, table.index, dtype="str")
    table["reason"] = reasons.fillna(table["reason"]) if "reason" in table else reasons
    if rows in ("first", "last"):
        is_other = table.assign(invalid=is_invalid).duplicated([*KEY, "invalid"], keep=rows)
        is_kept = is_invalid | ~is_other
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


def state_names(runs: pd.DataFrame, notations: Mapping[str, str]) -> pd.DataFrame:
    """Return runs with the column `names`, which states how methods name features.

    Parameters
    ----------
    runs : pandas.DataFrame
        The runs.
    notations : mapping of str to {'features', 'x0', 'x1'}
        Names in the texts of each method: names of features, or numbered from x0 or from x1.

    Raises
    ------
    InputError
        When a notation is none of these.
    """
    allowed = ALLOWED_WORDS["names"]
    is_valid = isinstance(notations, Mapping) and all(
        notation in allowed for notation in notations.values()
    )
    require(is_valid, f"names: METHOD={' or '.join(allowed)} was expected, got {notations!r}")
    if not notations:
        return runs
    names = runs["method"].map(notations).astype("str")
    return runs.assign(names=names.fillna(runs.get("names", names)))


def with_status(runs: pd.DataFrame, failed: pd.Series) -> pd.DataFrame:
    """Return runs with missing values of `status` filled in: 'failed' for runs in `failed`, else 'ok'."""
    status = pd.Series(np.where(failed, "failed", "ok"), runs.index, dtype="str")
    return runs.assign(status=runs.get("status", status).astype("str").fillna(status))


def explain_repeats(runs: pd.DataFrame) -> dict[int, str]:
    """Return by row why it cannot be used: it repeats an earlier, equal row, or rows of the same run differ."""
    runs = runs[runs.duplicated(list(KEY), keep=False)]
    is_equal = runs.duplicated([name for name in RUNS.columns if name in runs])  # to an earlier row
    labels: Any = runs.get("file", "row " + (runs.index.to_series() + 1).astype("str"))
    reasons = dict[int, str]()
    for run, rows in dict[Any, Any](runs.groupby(list(KEY)).groups).items():
        places = f"repetition {run[2]}{REPEATED}{first_of(labels[rows], most=4)}"
        if is_equal[rows[1:]].all():
            reasons |= dict.fromkeys(rows[1:], f"{places} with equal content; the first one counts")
        else:
            reasons |= dict.fromkeys(rows, f"{places} with different content; none of them counts")
    return reasons


def check_shared(runs: pd.DataFrame) -> None:
    """Raise InputError if a run is there twice, so that no team can overwrite the rows of another."""
    key = list(KEY)
    for run, rows in runs[runs.duplicated(key, keep=False)].groupby(key):
        first, second = (rows["file"] + " row " + rows["row"].astype("str"))[:2]
        raise InputError(
            f"{first} and {second} hold the same run: method {run[0]!r}, dataset {run[1]!r}, "
            f"repetition {run[2]}; each run was expected in one table"
        )


def name_shared_methods(frames: list[pd.DataFrame]) -> list[str]:
    """Return a sentence for each method with rows in several tables, for at most `MOST_NAMED` methods."""
    files = pd.concat([frame.groupby("method")["file"].first() for frame in frames])
    shared_files = (
        files[files.index.duplicated(keep=False)].groupby(level=0).agg(sorted)[:MOST_NAMED]
    )
    return [
        f"Method {name!r} has rows in {listed(names, 3)}." for name, names in shared_files.items()
    ]
