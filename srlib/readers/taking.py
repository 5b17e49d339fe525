"""Run tables as people send them: a bad row becomes a run that cannot be used, and says why; the rest goes on."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.errors import BadRowsError, InputError
from srlib.expressions.reading.names import STATED
from srlib.tables import RUNS, Contract, conform

STATUSES = ("ok", "failed", "timeout", "memory", "crashed", "invalid")
ALLOWED = {"status": STATUSES, "names": STATED}
NAMELESS = "(no name)"
LEFT_OUT = "left out: "
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
    fronts: bool = False,
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
    fronts : bool
        Whether a run may have several rows, each with its own `candidate`.

    Returns
    -------
    pandas.DataFrame
        As many rows, in their order. A row without a method, dataset or repetition that can be read has the status
        'invalid', a `reason`, and a repetition below 0; any other value that cannot be read is null, as `reason` says.

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
            needed = name in contract.required
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
    named = places or [f"row {n}" for n in range(1, len(frame) + 1)]
    return without_repeats(table.reset_index(drop=True), named, fronts)


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
    default = pd.Series(np.where(runs["model"].isna(), "failed", "ok"), runs.index, dtype="str")
    return runs.assign(status=runs["status"].fillna(default) if "status" in runs else default)


def without_repeats(
    table: pd.DataFrame, places: Sequence[str], fronts: bool = False
) -> pd.DataFrame:
    """Let each run stand once: of rows that say the same the first counts, of rows that differ none.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs, numbered from 0.
    places : sequence of str
        What each row is called in a reason.
    fronts : bool
        Whether the candidates of a run are rows of their own.
    """
    key = [*RUNS.key, "candidate"] if fronts and "candidate" in table else list(RUNS.key)
    invalid = table["status"] == "invalid"
    twice = table.duplicated(key, keep=False) & ~invalid
    content = [name for name in RUNS.columns if name in table]
    again = twice & table.duplicated(content)
    differ = twice & table[~again].duplicated(key, keep=False).reindex(
        table.index, fill_value=False
    )
    members = table[twice].groupby(key).indices if twice.any() else {}
    rows = table.index[twice].to_numpy()
    reasons = {}
    for position, label in zip(
        rows, table.loc[rows, key].itertuples(index=False, name=None), strict=True
    ):
        if again[position] or differ[position]:
            others = [str(places[i]) for i in rows[members[label][:4]] if i != position][:3]
            what = "the same content"
            if not again[position]:
                what = f"other content; {NONE}"
            reasons[position] = (
                f"repetition {label[2]} stands twice, in {places[position]} and "
                f"{', '.join(others)}, with {what}"
            )
    if twice.any():
        told = pd.Series(reasons, table.index, dtype="str")
        table = table.assign(reason=told.fillna(table["reason"]) if "reason" in table else told)
    invalid |= again | differ
    if invalid.any():
        table.loc[invalid, "status"] = "invalid"
        table.loc[invalid, "repetition"] = -np.arange(1, int(invalid.sum()) + 1)
        for name in ("model", "r2_train", "r2_test", "complexity_raw", "predictions"):
            if name in table:
                table[name] = table[name].mask(invalid)
    return table


def _not_among(values: pd.Series, allowed: Sequence[str]) -> pd.Series:
    return values.notna() & ~values.isin(list(allowed))
