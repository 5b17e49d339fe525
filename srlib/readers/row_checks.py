"""Checks of rows of run tables: an invalid row becomes an unusable run with a reason; the others are kept."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.ledger import LEFT_OUT_PREFIX, SENTENCE_END
from srlib.prose import first_of, listed
from srlib.tables import KEY, MEASURES, RUNS, check_shape, read_columns, set_types

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
        Columns of the runs contract, of any types.
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
        read is null, and `reason` says so.

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
    faults = [fault for fault in faults if fault[1] not in damage]
    faults += [("status", row, sentence) for row, sentence in damage.items()]
    columns["dataset"] = columns["dataset"].mask(columns["method"].isna())  # it is nobody's run
    for name in ("method", "dataset"):
        columns[name] = columns[name].fillna(NAMELESS)
    columns["repetition"] = columns["repetition"].fillna(-1).astype("int64")
    table = with_status(table.assign(**columns), columns["model"].isna())
    unusable_rows = [row for name, row, _ in faults if name in NEEDED_COLUMNS]
    is_invalid = (table["status"] == "invalid") | table.index.isin(unusable_rows)
    sentences = defaultdict[Any, list[str]](list)
    for _, row, sentence in faults:
        sentences[row].append(sentence if is_invalid[row] else LEFT_OUT_PREFIX + sentence)
    texts = {row: SENTENCE_END.join(parts) for row, parts in sentences.items()}
    reasons = pd.Series(texts, table.index, dtype="str")
    table["reason"] = reasons.fillna(table.get("reason", reasons))
    table["status"] = table["status"].mask(is_invalid, "invalid")
    if rows in ("first", "last"):
        is_other = table.assign(invalid=is_invalid).duplicated([*KEY, "invalid"], keep=rows)
        table = table[is_invalid | ~is_other]
    return clear_invalid(table)


def clear_invalid(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs in which those that cannot be used have no values, and the repetitions -1, -2, ..."""
    is_invalid = runs["status"] == "invalid"
    repetition = runs["repetition"].mask(is_invalid, -is_invalid.cumsum())
    emptied = {name: runs[name].mask(is_invalid) for name in EMPTIED_COLUMNS if name in runs}
    return runs.assign(repetition=repetition, **emptied)


def check_measures(
    measures: pd.DataFrame, source: str | Path, damage: Mapping[int, str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return measures with typed columns, without those that cannot be read, and a sentence about each of these.

    Parameters
    ----------
    measures : pandas.DataFrame
        Columns of the measures contract, of any types, and `row`, the row of each in the source.
    source, damage
        As for `check_rows`.

    Raises
    ------
    InputError
        When a column is missing, or no measure can be read.
    """
    check_shape(measures, MEASURES, source)
    columns, faults = read_columns(measures, MEASURES)
    table = measures.assign(**columns)
    reasons = {place: sentence for _, place, sentence in faults[::-1]}
    rows = dict[Any, int](table["row"])
    reasons |= {place: damage[row - 1] for place, row in rows.items() if row - 1 in damage}
    sentences = [f"row {rows[place]}: {reasons[place]}" for place in sorted(reasons)]
    usable = table.drop(index=[*reasons])
    if usable.empty:
        raise InputError(sentences[0], source)
    return set_types(usable, MEASURES.columns), [*dict.fromkeys(sentences)]


def with_status(runs: pd.DataFrame, failed: pd.Series) -> pd.DataFrame:
    """Return runs with missing values of `status` filled in: 'failed' for runs in `failed`, else 'ok'."""
    status = pd.Series(np.where(failed, "failed", "ok"), runs.index, dtype="str")
    return runs.assign(status=runs.get("status", status).astype("str").fillna(status))


def exclude_repeats(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs of which none is there twice: of equal rows of a run only the first is valid, of others none.

    Rows of several tables may be those of several teams, and nobody can tell whose the run is. Each `reason` names
    the rows, whatever the order in which tables were read.
    """
    table = runs[runs["status"] != "invalid"]
    table = table[table.duplicated([*KEY], keep=False)].sort_values(["file", "row"])
    # a row of each file comes first, so that the sentence names all files
    turn = table.groupby([*KEY, "file"]).cumcount().sort_values(kind="stable")
    table = table.loc[turn.index]
    # whether a row is equal to an earlier one
    is_equal = table.duplicated([name for name in RUNS.columns if name in table])
    reasons = dict[Any, str]()
    for run, rows in table.groupby([*KEY]):
        labels = "row " + rows["row"].astype("str")
        if len({*rows["file"]}) > 1:
            labels = rows["file"] + " " + labels
        outcome, excluded = "different content; none of them counts", rows.index
        if is_equal[excluded[1:]].all():
            outcome, excluded = "equal content; the first one counts", excluded[1:]
        places = first_of([*labels], most=4)
        sentence = f"repetition {run[2]}{REPEATED}{places} with {outcome}"
        reasons |= dict.fromkeys(excluded, sentence)
    if not reasons:
        return runs
    texts = pd.Series(reasons, runs.index, dtype="str")
    status = runs["status"].mask(texts.notna(), "invalid")
    return clear_invalid(runs.assign(status=status, reason=texts.fillna(runs.get("reason", texts))))


def refuse_merged_runs(runs: pd.DataFrame, aliases: Mapping[str, str]) -> None:
    """Raise InputError if two usable runs become one where their methods get other names."""
    usable = runs[runs["status"] != "invalid"].drop_duplicates([*KEY])
    usable = usable.replace({"method": dict(aliases)})
    for run, rows in usable[usable.duplicated([*KEY], keep=False)].groupby([*KEY]):
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
