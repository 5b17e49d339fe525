"""Run tables as people send them: a bad row becomes a run that cannot be used, and says why; the rest goes on."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.errors import BadRowsError, InputError
from srlib.expressions.names import TABLE_NAMES
from srlib.prose import listed
from srlib.tables import RUNS, Contract, conform

STATUSES = ("ok", "failed", "timeout", "memory", "crashed", "invalid")
ALLOWED = {"status": STATUSES, "names": TABLE_NAMES}
MOST_NAMED = 6  # methods with rows in two tables
NAMELESS = "(no name)"
LEFT_OUT = "left out: "
OTHERS = f"{LEFT_OUT}other models of the run: "
NONE = "none of them counts, as it is not known which is meant"


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
    return table


def taken(
    frame: pd.DataFrame,
    source: str | Path,
    places: Sequence[str] | None = None,
    damage: Mapping[int, str] | None = None,
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
    damage : mapping of int to str, optional
        Rows, from 0, that are damaged in the file, and what is wrong with each.

    Returns
    -------
    pandas.DataFrame
        The rows in their order, numbered from 0 as they were given; of a run with several models the one that counts.
        A row without a method, dataset, repetition or candidate that can be read has the status 'invalid', a `reason`,
        and a repetition below 0; any other value that cannot be read is null, as `reason` says.

    Raises
    ------
    InputError
        When a column is missing, the table is empty, or no row can be used.
    """
    frame = frame.reset_index(drop=True)
    gone: dict[Hashable, str] = {row: text for row, text in (damage or {}).items()}
    noted: dict[Hashable, list[str]] = {row: [text] for row, text in gone.items()}
    contract, left = replace(RUNS, key=()), frame.drop(list(gone))
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
    return without_repeats(table.reset_index(drop=True), places)


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


def without_repeats(table: pd.DataFrame, places: Sequence[str] | None) -> pd.DataFrame:
    """Let each run stand once: of rows that say the same the first counts, of rows that differ none.

    Of a run with several models (columns `candidate` and `chosen`) the row stands that its method chose.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs, numbered from 0.
    places : sequence of str or None
        What each row is called in a reason; 'row 1' and so on by default.

    Returns
    -------
    pandas.DataFrame
        The rows that stand, with their numbers.
    """
    if {"candidate", "chosen"} & set(table):
        table = _one_model(table)
    invalid = table["status"] == "invalid"
    twice = table.duplicated(list(RUNS.key), keep=False) & ~invalid
    if twice.any():
        table, invalid = _once(table, list(RUNS.key), twice, invalid, places)
    return _unusable(table, invalid)


def _one_model(table: pd.DataFrame) -> pd.DataFrame:
    """Keep of each run the model that is marked as `chosen`, else the one with the smallest number; say so in `reason`.

    Several that are marked, or have that number, all stay: they are repeats.
    """
    valid = table["status"] != "invalid"
    place = pd.Series(1.0, table.index)
    if "candidate" in table:
        place = table["candidate"].astype("float64").fillna(1.0)
    marked = pd.Series(False, table.index)
    if "chosen" in table:
        marked = table["chosen"].fillna(False).astype(bool)
    rank = place.mask(marked, -np.inf)
    runs = rank[valid].groupby([table.loc[valid, name] for name in RUNS.key])
    first = runs.transform("min").reindex(table.index)
    others = valid & (rank > first)
    if not others.any():
        return table
    number = others[valid].groupby([table.loc[valid, name] for name in RUNS.key]).transform("sum")
    said = OTHERS + number.astype("int64").astype("str")
    told = said[number > 0].reindex(table.index)
    if "reason" in table:
        before = table["reason"].where(table["reason"].str.startswith(LEFT_OUT).fillna(False))
        told = (
            (before + "; " + told.str.removeprefix(LEFT_OUT)).fillna(told).fillna(table["reason"])
        )
    return table.assign(reason=told.astype("str"))[~others]


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


def refuse_shared_runs(table: pd.DataFrame, tables: NDArray[np.int_]) -> None:
    """Refuse a run that stands in two tables: nobody writes another team's rows.

    Raises
    ------
    InputError
        Names the run, and file and row of both places.
    """
    runs = table[list(RUNS.key)].assign(table=tables)[table["status"] != "invalid"]
    apart = runs.drop_duplicates()
    shared = apart.duplicated(list(RUNS.key), keep=False)
    if not shared.any():
        return
    run = apart.loc[shared, list(RUNS.key)].iloc[0]
    same = apart[(apart[list(RUNS.key)] == run).all(axis=1)]
    first, second = (table.loc[place] for place in same.index[:2])
    raise InputError(
        f"{first['file']} row {first['row']} and {second['file']} row {second['row']} hold the same run: "
        f"method {run['method']!r}, dataset {run['dataset']!r}, repetition {run['repetition']}; "
        "each run was expected in one table"
    )


def name_shared_methods(table: pd.DataFrame, tables: NDArray[np.int_]) -> list[str]:
    """Name the methods that have rows in more than one table."""
    pairs = pd.DataFrame({"method": table["method"], "table": tables, "file": table["file"]})
    pairs = pairs.drop_duplicates(["method", "table"])
    shared = pairs[pairs.duplicated("method", keep=False)]
    return [
        f"Method {method!r} has rows in {listed(sorted(files.unique()))}."
        for method, files in shared.groupby("method")["file"]
    ][:MOST_NAMED]


def _not_among(values: pd.Series, allowed: Sequence[str]) -> pd.Series:
    return values.notna() & ~values.isin(list(allowed))
