"""Run tables as people send them: a bad row becomes a run that cannot be used, and says why; the rest goes on."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import BadRowsError, InputError
from srlib.expressions.reading.names import STATED
from srlib.tables import RUNS, Contract, conform, keyed_by

STATUSES = ("ok", "failed", "timeout", "memory", "crashed", "invalid")
ALLOWED = {"status": STATUSES, "names": STATED}
NAMELESS = "(no name)"
LEFT_OUT = "left out: "
NONE = "none of them counts, as it is not known which is meant"
OF_A_RUN = ("seed", "data_seed", "training_time_s", "target_noise", "time_limit_s", "method_version",
            "budget")  # what all candidates of a run have in common  # fmt: skip


def checked(frame: pd.DataFrame, contract: Contract, source: str | Path) -> pd.DataFrame:
    """Check a run table as a whole: the first bad row is an error.

    Raises
    ------
    InputError
        Names the source, the row, what was allowed and what came.
    """
    table = with_status(conform(frame, contract, source))
    for name, allowed in ALLOWED.items():
        if name in table and (wrong := _not_among(table[name], allowed)).any():
            row = int(np.flatnonzero(wrong)[0])
            got = f"{name} must be one of {', '.join(allowed)}, got {str(table[name][row])[:60]!r}"
            raise InputError(f"{source} row {row + 1}: {got}")
    if "candidate" in table:
        bad, odd = front_faults(table)
        for row, said in sorted((bad | odd).items()):
            raise InputError(f"{source} row {row + 1}: {said.removeprefix(LEFT_OUT)}")
        table = _as_chosen(table)
    return table


def taken(
    frame: pd.DataFrame, source: str | Path, places: Sequence[str] | None = None
) -> pd.DataFrame:
    """Take in a run table row by row.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of the runs contract, of any types.
    source : str or Path
        Named in messages.
    places : sequence of str, optional
        What each row is called; 'row 1' and so on by default.

    Returns
    -------
    pandas.DataFrame
        As many rows, in their order. A row without a method, dataset, repetition or candidate that can be read has the
        status 'invalid', a `reason`, and a repetition below 0; any other value that cannot be read is null, as `reason`
        says.

    Raises
    ------
    InputError
        When a column is missing, the table is empty, or no row can be used.
    """
    frame = frame.reset_index(drop=True)
    contract, left = replace(RUNS, key=()), frame
    gone: dict[Hashable, str] = {}
    noted: dict[Hashable, list[str]] = {}
    table = None
    while table is None:
        try:
            table = with_status(conform(left, contract, source)).set_axis(left.index)
        except BadRowsError as error:
            rows, name = left.index[list(error.rows)], error.column
            needed = name in (*contract.required, "candidate")
            said = left["reason"].dropna().to_dict() if "reason" in left else {}
            for row, got in left.loc[rows, name].to_dict().items():
                what = f"{name} {error.fault}" + (
                    "" if pd.isna(got) else f", got {str(got)[:60]!r}"
                )
                noted.setdefault(row, []).append(what)
                if needed:
                    gone[row] = "; ".join([what, *([str(said[row])] if row in said else [])])
            if needed:
                left = left.drop(rows)
            else:
                left = left.assign(**{name: left[name].astype(object).mask(left.index.isin(rows))})
            if left.empty:
                raise
    for name, allowed in ALLOWED.items():
        wrong = _not_among(table[name], allowed) if name in table else pd.Series(dtype=bool)
        for row, got in table[name][wrong].items() if wrong.any() else ():
            what = f"{name} must be one of {', '.join(allowed)}, got {str(got)[:60]!r}"
            noted.setdefault(row, []).append(what)
            if name == "status":
                gone[row] = what
        if wrong.any():
            table[name] = table[name].mask(wrong, "invalid" if name == "status" else None)
    if noted:
        table = _whole(table, frame, gone, noted)
    unclear = [
        place
        for place, row in enumerate(frame.index)
        if any(said.startswith("chosen ") for said in noted.get(row, ()))
    ]
    return without_repeats(table.reset_index(drop=True), places, unclear)


def _whole(
    table: pd.DataFrame,
    frame: pd.DataFrame,
    gone: dict[Hashable, str],
    noted: dict[Hashable, list[str]],
) -> pd.DataFrame:
    """Put the rows that cannot be used back in their places, and the reasons beside all that were touched."""
    whole = table.reindex(frame.index)
    for name in ("method", "dataset"):
        whole[name] = whole[name].fillna(frame[name].astype("str")).fillna(NAMELESS)
    whole["repetition"] = whole["repetition"].fillna(-1)
    for name in frame.columns:
        if name not in RUNS.columns:
            whole[name] = frame[name]
    whole.loc[list(gone), "status"] = "invalid"
    reasons = {row: LEFT_OUT + "; ".join(said) for row, said in noted.items()} | gone
    told = pd.Series(reasons, dtype="str").reindex(frame.index)
    whole["reason"] = told if "reason" not in whole else told.fillna(whole["reason"])
    return whole.astype({name: table[name].dtype for name in RUNS.columns if name in table})


def with_status(runs: pd.DataFrame) -> pd.DataFrame:
    """Fill in the status: failed without a model, else ok."""
    absent = runs["model"].isna().to_numpy().astype("int8")
    default = pd.Series(pd.Categorical.from_codes(absent, pd.Index(["ok", "failed"])), runs.index)
    default = default.astype("str")
    return runs.assign(status=runs["status"].fillna(default) if "status" in runs else default)


def without_repeats(
    table: pd.DataFrame, places: Sequence[str] | None, unclear: Collection[int] = ()
) -> pd.DataFrame:
    """Let each run stand once: of rows that say the same the first counts, of rows that differ none.

    A run may have several rows, each with its own `candidate`; where it is not known which was chosen, none counts.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs, numbered from 0.
    places : sequence of str or None
        What each row is called in a reason; 'row 1' and so on by default.
    unclear : collection of int
        Rows in which it cannot be read whether they were chosen.
    """
    key = keyed_by(table, RUNS)
    invalid = table["status"] == "invalid"
    twice = table.duplicated(key, keep=False) & ~invalid
    if twice.any():
        table, invalid = _once(table, key, twice, invalid, places)
    table = _unusable(table, invalid)
    if "candidate" not in table:
        return table
    bad, odd = front_faults(table, unclear)
    if bad or odd:
        told = pd.Series(bad | odd, dtype="str").reindex(table.index)
        if "reason" in table:
            told = told.fillna(table["reason"])
        wrong = (table["status"] == "invalid") | table.index.isin(list(bad))
        table = _unusable(table.assign(reason=told), wrong)
    return _as_chosen(table)


def _once(
    table: pd.DataFrame,
    key: list[str],
    twice: pd.Series,
    invalid: pd.Series,
    places: Sequence[str] | None,
) -> tuple[pd.DataFrame, pd.Series]:
    """Say of rows that stand there twice why they do not count, and mark them."""

    def place(row: int) -> str:
        if places is None:
            return f"row {row + 1}"
        return str(places[row])

    content = [name for name in RUNS.columns if name in table]
    again = twice & table.duplicated(content)
    differ = twice & table[~again].duplicated(key, keep=False).reindex(
        table.index, fill_value=False
    )
    members = table[twice].groupby(key).indices
    rows = table.index[twice].to_numpy()
    reasons = {}
    for position, label in zip(
        rows, table.loc[rows, key].itertuples(index=False, name=None), strict=True
    ):
        if again[position] or differ[position]:
            others = [place(i) for i in rows[members[label][:4]] if i != position][:3]
            what = "the same content"
            if not again[position]:
                what = f"other content; {NONE}"
            reasons[position] = (
                f"repetition {label[2]} appears twice, in {place(position)} and "
                f"{', '.join(others)}, with {what}"
            )
    told = pd.Series(reasons, table.index, dtype="str")
    table = table.assign(reason=told.fillna(table["reason"]) if "reason" in table else told)
    return table, invalid | again | differ


def _unusable(table: pd.DataFrame, invalid: pd.Series) -> pd.DataFrame:
    """Take from invalid rows what a score could be made of; each gets a repetition of its own."""
    if invalid.any():
        table.loc[invalid, "status"] = "invalid"
        table.loc[invalid, "repetition"] = -np.arange(1, int(invalid.sum()) + 1)
        for name in ("model", "r2_train", "r2_test", "complexity_raw", "predictions"):
            if name in table:
                table[name] = table[name].mask(invalid)
    return table


def front_faults(
    table: pd.DataFrame, unclear: Collection[int] = ()
) -> tuple[dict[int, str], dict[int, str]]:
    """Find rows of fronts that cannot be used, and rows with a reservation; by row, a sentence each.

    The candidates of a run are numbered from 1 in the method's own order, and the first is the one that it chose,
    unless the column `chosen` marks one. Where that does not tell which was chosen, no candidate of the run counts; a
    number that is missing among the others is a reservation.
    """
    rows = table[table["status"] != "invalid"]
    low = rows["candidate"] < 1
    bad: dict[Any, str] = {
        row: f"candidate must be a whole number from 1 on, got {got}"
        for row, got in rows.loc[low.fillna(False), "candidate"].items()
    }
    rows = rows[~low.fillna(False)]
    size = rows.groupby(list(RUNS.key))["status"].transform("size")
    blank = rows["candidate"].isna() & (size > 1)
    bad |= dict.fromkeys(
        rows.index[blank], "candidate is empty, and the run has several models; each needs a number"
    )
    rows = rows[~blank]
    place = rows["candidate"].fillna(1)
    marked = pd.Series(False, rows.index)
    if "chosen" in rows:
        marked = rows["chosen"].fillna(False).astype(bool)
    runs = rows.assign(place=place, marked=marked, unread=rows.index.isin(list(unclear)))
    runs = runs.groupby(list(RUNS.key))
    marks, first, last = (
        runs["marked"].transform("sum"), runs["place"].transform("min"), runs["place"].transform("max")
    )  # fmt: skip
    unread, size = runs["unread"].transform("any"), runs["place"].transform("size")
    several, nobody = marks > 1, (marks == 0) & (first > 1)
    faults = {
        "it cannot be read which candidate was chosen": unread,
        "several candidates of the run are marked as chosen": several,
        "candidate 1 of the run is not there, and none is marked as chosen": nobody,
    }
    for sentence, found in faults.items():
        bad |= {row: f"{sentence}; {NONE}" for row in rows.index[found] if row not in bad}
    gaps = (last > size) & ~(unread | several | nobody)
    chosen = marked | ((marks == 0) & (place == 1))
    odd: dict[Any, str] = {
        row: f"{LEFT_OUT}a candidate of the run that is not there: {size[row]} are, numbered up to {last[row]}"
        for row in rows.index[gaps & chosen]
    }
    return bad, odd


def _as_chosen(table: pd.DataFrame) -> pd.DataFrame:
    """Let every candidate have what is its run's, such as the time it took, from the one that was chosen."""
    names = [name for name in OF_A_RUN if name in table]
    if not names or not table.duplicated(list(RUNS.key)).any():
        return table
    marked = table["chosen"].fillna(False) if "chosen" in table else pd.Series(False, table.index)
    order = pd.DataFrame({"behind": ~marked.astype(bool), "place": table["candidate"]})
    first = table.loc[order.sort_values(["behind", "place"]).index, [*RUNS.key, *names]]
    first = first.drop_duplicates(list(RUNS.key))
    given = table[list(RUNS.key)].merge(first, on=list(RUNS.key), how="left")
    return table.assign(**{name: given[name].to_numpy() for name in names}).astype(
        table[names].dtypes.to_dict()
    )


def _not_among(values: pd.Series, allowed: Sequence[str]) -> pd.Series:
    return values.notna() & ~values.isin(list(allowed))
