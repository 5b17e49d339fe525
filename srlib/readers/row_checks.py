"""Run tables as people send them: a bad row becomes a run that cannot be used and says why; the other rows go on."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.expressions.names import TABLE_NAMES
from srlib.prose import listed
from srlib.tables import KEY, RUNS, check_shape, is_control, read_column

STATUSES = ("ok", "failed", "timeout", "memory", "crashed", "invalid")
ALLOWED = {"status": STATUSES, "names": TABLE_NAMES}
NEEDED = (*KEY, "candidate", "status")  # columns without which a row cannot be used
EMPTIED = ("model", "r2_train", "r2_test", "complexity_raw", "predictions")  # of such a row
NAMELESS = "(no name)"
MOST_NAMED = 6  # methods in one notice
LEFT_OUT = "left out: "
OTHER_MODELS = f"{LEFT_OUT}other models of the run: "


def check_rows(
    frame: pd.DataFrame,
    source: str | Path,
    places: Sequence[str] | None = None,
    damage: Mapping[int, str] | None = None,
) -> pd.DataFrame:
    """Give known columns their types; what cannot be read is named in `reason`, and without its key a row is invalid.

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
    faults = {row: [sentence] for row, sentence in (damage or {}).items()}
    invalid = set(faults)
    for name in [name for name in RUNS.columns if name in table]:
        columns[name], masks = read_column(table[name], RUNS.columns[name])
        masks += key_faults(name, columns[name]) + allowed_faults(name, columns[name])
        for mask, fault in masks:
            rows = set(map(int, np.flatnonzero(mask))) - set(damage or ())
            for row in sorted(rows):
                value = table[name][row]
                came = "" if pd.isna(value) else f", got {str(value)[:60]!r}"
                faults.setdefault(row, []).append(f"{name} {fault}{came}")
            invalid |= rows if name in NEEDED else set()
            columns[name] = columns[name].mask(mask)
    if len(invalid) == len(table):
        raise InputError(f"{source} row 1: {faults[0][0]}")
    for name in ("method", "dataset"):
        columns[name] = columns[name].fillna(table[name].astype("str")).fillna(NAMELESS)
    columns["repetition"] = columns["repetition"].fillna(-1).astype("int64")
    if faults:
        own_reasons = columns.get("reason", pd.Series(None, table.index, dtype="str"))
        reasons = {
            row: "; ".join([*sentences, *own_reasons[[row]].dropna()])
            if row in invalid
            else LEFT_OUT + "; ".join(sentences)
            for row, sentences in faults.items()
        }
        columns["reason"] = pd.Series(reasons, table.index, dtype="str").fillna(own_reasons)
    table = with_status(table.assign(**columns))
    table.loc[list(invalid), "status"] = "invalid"
    return empty_invalid(mark_repeats(choose_models(table), places))


def key_faults(name: str, values: pd.Series) -> list[tuple[pd.Series, str]]:
    """Where a text that names a run is empty or holds a control character, and the sentence for it."""
    if name not in ("method", "dataset"):
        return []
    return [(values.isna(), "is empty"), (is_control(values), "holds a control character")]


def allowed_faults(name: str, values: pd.Series) -> list[tuple[pd.Series, str]]:
    """Where a value is none of those that its column may have, and the sentence for it."""
    if name not in ALLOWED:
        return []
    wrong = values.notna() & ~values.isin(ALLOWED[name])
    return [(wrong, f"must be one of {', '.join(ALLOWED[name])}")]


def with_status(runs: pd.DataFrame) -> pd.DataFrame:
    """Fill in the status: failed without a model, else ok."""
    absent = runs["model"].isna().to_numpy().astype("int8")
    default = pd.Series(pd.Categorical.from_codes(absent, pd.Index(["ok", "failed"])), runs.index)
    default = default.astype("str")
    return runs.assign(status=runs["status"].fillna(default) if "status" in runs else default)


def choose_models(table: pd.DataFrame) -> pd.DataFrame:
    """Keep of each run the model that is marked as `chosen`, else the one with the smallest `candidate`.

    `reason` says how many others there were. Several that are marked, or have that number, all stay: they are repeats.
    """
    if not {"candidate", "chosen"} & set(table):
        return table
    order = pd.Series(1.0, table.index)
    if "candidate" in table:
        order = table["candidate"].astype("float64").fillna(1.0)
    if "chosen" in table:
        order = order.mask(table["chosen"].fillna(False).astype(bool), -np.inf)
    usable = table["status"] != "invalid"
    keys = [table.loc[usable, name] for name in KEY]
    superseded = order[usable] > order[usable].groupby(keys).transform("min")
    number = superseded.groupby(keys).transform("sum").reindex(table.index, fill_value=0)
    superseded = superseded.reindex(table.index, fill_value=False)
    if not superseded.any():
        return table
    note = (OTHER_MODELS + number.astype("str")).where(number > 0)
    if "reason" in table:
        reason = table["reason"]
        earlier = reason.where(reason.str.startswith(LEFT_OUT).fillna(False)) + "; "
        note = (earlier + note.str.removeprefix(LEFT_OUT)).fillna(note).fillna(reason)
    return table.assign(reason=note.astype("str"))[~superseded]


def mark_repeats(table: pd.DataFrame, places: Sequence[str] | None) -> pd.DataFrame:
    """Make rows of one run invalid: of equal rows all but the first, of rows that differ all."""
    usable, key = table["status"] != "invalid", list(KEY)
    repeated = usable & table.duplicated(key, keep=False)
    if not repeated.any():
        return table
    equal = repeated & table.duplicated([name for name in RUNS.columns if name in table])
    differing = table[~equal & usable].duplicated(key, keep=False)
    differing = differing.reindex(table.index, fill_value=False)
    groups = table[repeated].groupby(key).groups
    reasons = {}
    for row, *run in table.loc[equal | differing, key].itertuples(name=None):
        rows = [other for other in groups[tuple(run)][:4] if other != row][:3]
        labels = [str(places[i]) if places else f"row {i + 1}" for i in (row, *rows)]
        ending = "the same content"
        if differing[row]:
            ending = "other content; none of them counts, as it is not known which is meant"
        reasons[row] = (
            f"repetition {run[2]} appears twice, in {labels[0]} and {', '.join(labels[1:])}, with {ending}"
        )
    reason = pd.Series(reasons, table.index, dtype="str")
    if "reason" in table:
        reason = reason.fillna(table["reason"])
    return table.assign(reason=reason, status=table["status"].mask(equal | differing, "invalid"))


def empty_invalid(table: pd.DataFrame) -> pd.DataFrame:
    """Take from invalid rows what a score could be made of; each gets a repetition of its own, below 0."""
    invalid = table["status"] == "invalid"
    numbers = table["repetition"].mask(invalid, -invalid.cumsum())
    emptied = {name: table[name].mask(invalid) for name in EMPTIED if name in table}
    return table.assign(repetition=numbers, **emptied)


def refuse_shared_runs(frames: list[pd.DataFrame]) -> None:
    """Refuse a run that stands in two tables: nobody writes another team's rows."""
    runs = [frame[frame["status"] != "invalid"].drop_duplicates(list(KEY)) for frame in frames]
    table = pd.concat(runs, ignore_index=True)
    for key, group in table[table.duplicated(list(KEY), keep=False)].groupby(list(KEY)):
        first, second = group.iloc[0], group.iloc[1]
        raise InputError(
            f"{first['file']} row {first['row']} and {second['file']} row {second['row']} hold the same run: "
            f"method {key[0]!r}, dataset {key[1]!r}, repetition {key[2]}; each run was expected in one table"
        )


def shared_methods(frames: list[pd.DataFrame]) -> list[str]:
    """Name the methods that have rows in more than one table."""
    files: dict[str, list[str]] = {}
    for frame in frames:
        for method, file in frame.groupby("method")["file"].first().items():
            files.setdefault(str(method), []).append(file)
    return [
        f"Method {method!r} has rows in {listed(sorted(names))}."
        for method, names in sorted(files.items())
        if len(names) > 1
    ][:MOST_NAMED]
