"""Differences between two folders of results: who moved; files are compared by hash, CSV tables cell by cell."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.errors import InputError
from srlib.files import list_files, sha256
from srlib.prose import counted, listed

COLUMNS = ["file", "row", "column", "before", "after"]
KEYS = ["method", "method_a", "method_b", "dataset", "aspect", "property", "repetition", "expert", "solver",
        "task", "instance", "time_limit_s", "stage", "level", "row", "action", "code", "switch", "check",
        "name"]  # fmt: skip
FILE_ORDER = (
    "verdict.csv",
    "ranking.csv",
    ".csv",
)  # verdicts first, then rankings, then other tables
INPUT_KINDS = ("rules", "problems")  # inputs whose change is said before the places


def diff(before: str | Path, after: str | Path) -> pd.DataFrame:
    """Return the differences between two folders of results: pages, tables, figures and NAME.report.json.

    Parameters
    ----------
    before, after : str or Path
        Folders that `srlib report` or `srlib judge` wrote.

    Returns
    -------
    pandas.DataFrame
        A row for each differing cell of a CSV table or other file: `file`, `row` and `column` (empty for a whole file),
        `before` and `after` (text of the cell, or beginning of the file's hash; missing if the cell or file does not
        exist). Verdicts and rankings come first, then other tables, then other files.

    Raises
    ------
    InputError
        When a folder holds neither a report nor a ranking.
    """
    sides = [_list_reports(Path(folder)) for folder in (before, after)]
    rows: list[list[str | None]] = []
    names = sides[0] | sides[1]
    for name in sorted(
        names, key=lambda name: ([not name.endswith(end) for end in FILE_ORDER], name)
    ):
        old, new = (side.get(name) for side in sides)
        hashes = [path and sha256(path)[:16] for path in (old, new)]
        if hashes[0] != hashes[1]:
            cells = _changed_cells(old, new) if old and new and name.endswith(".csv") else []
            rows += [[name, *cell] for cell in cells] or [[name, "", "", *hashes]]
    return pd.DataFrame(rows, columns=COLUMNS).astype("str")


def describe_standings(before: str | Path, after: str | Path) -> list[str]:
    """Return sentences on two standings: changed rules and problems, who entered, who is gone, who moved.

    A score is a mean of ranks, which moves when others join. So the sentences compare places (ranking.csv) and each
    method's own values (column `value` of aspects.csv beside it), and no scores.

    Parameters
    ----------
    before, after : str or Path
        Folders that `srlib report` or `srlib judge` wrote.
    """
    sides = [Path(before), Path(after)]
    names = [{path.relative_to(side) for path in side.rglob("ranking.csv")} for side in sides]
    lines = _changed_inputs(*sides)
    shared = sorted(names[0] & names[1])
    for name in shared:
        where = f"{name.parent.as_posix()}: " if len(shared) > 1 else ""
        lines += [where + line for line in _moves(*(side / name for side in sides))]
    return lines


def diff_lines(before: str | Path, after: str | Path) -> tuple[list[str], pd.DataFrame]:
    """Return what `srlib diff` prints, and the table of `diff`: who moved, then how many differences there are."""
    differences = diff(before, after)
    return [*describe_standings(before, after), describe_differences(differences)], differences


def _changed_inputs(before: Path, after: Path) -> list[str]:
    """Return a sentence for rules and one for problems, where reports of a name were made from other files."""
    changed = dict.fromkeys(INPUT_KINDS, frozenset[str]())
    for path in sorted(before.glob("*.report.json")):
        if (after / path.name).is_file():
            old, new = map(_input_hashes, (path, after / path.name))
            for name in {name for name in old | new if old.get(name) != new.get(name)}:
                kind, _, file_name = name.partition(": ")
                if kind in changed:
                    changed[kind] |= {file_name}
    return [
        f"The {kind} differ: {listed(sorted(files))}." for kind, files in changed.items() if files
    ]


def _input_hashes(path: Path) -> dict[str, str]:
    """Return {input: SHA-256} of a report's NAME.report.json; empty if it is none."""
    try:
        inputs = json.loads(path.read_text("utf-8"))["inputs"]
        return {entry["name"]: entry["sha256"] for entry in inputs}
    except (ValueError, KeyError, TypeError):
        return {}


def _moves(before: Path, after: Path) -> list[str]:
    """Return a sentence for each method that entered, is gone, or whose place or own values changed."""
    try:
        places = [
            pd.read_csv(path, dtype="str", index_col="method")["rank"] for path in (before, after)
        ]
    except (ValueError, KeyError):
        return []
    values = [_own_values(path.with_name("aspects.csv")) for path in (before, after)]
    lines = []
    for method in dict.fromkeys([*places[1].index, *places[0].index]):
        old, new = (side.get(method, "") for side in places)
        if method not in places[0].index:
            lines.append(
                f"{method} enters on place {new}."
                if pd.notna(new)
                else f"{method} enters without a place."
            )
            continue
        if method not in places[1].index:
            lines.append(
                f"{method} is gone; it had place {old}." if pd.notna(old) else f"{method} is gone."
            )
            continue
        words = ["no place" if pd.isna(place) else f"place {place}" for place in (old, new)]
        own = [side.get(method, {}) for side in values]
        datasets = sorted({key[0] for key in own[0] | own[1] if own[0].get(key) != own[1].get(key)})
        if words[0] == words[1] and not datasets:
            continue
        move = (
            f"{words[0]} as before"
            if words[0] == words[1]
            else f"{words[0]} → {words[1].removeprefix('place ')}"
        )
        changes = (
            f"its own values changed on {listed(datasets, 3)}"
            if datasets
            else "its own values are the same"
        )
        lines.append(f"{method}: {move}; {changes}.")
    return lines


def _own_values(path: Path) -> dict[str, dict[tuple[str, str], str]]:
    """Return the text of each method's own values, as {method: {(dataset, aspect): value}}; empty without a file."""
    if not path.is_file():
        return {}
    table = pd.read_csv(path, dtype="str", keep_default_na=False)
    rows = table[["method", "dataset", "aspect", "value"]].itertuples(index=False)
    values: dict[str, dict[tuple[str, str], str]] = {}
    for method, dataset, aspect, value in rows:
        values.setdefault(method, {})[dataset, aspect] = value
    return values


def describe_differences(differences: pd.DataFrame) -> str:
    """Return a sentence with the numbers of cells, other files and files that differ.

    Examples
    --------
    >>> rows = [("r/ranking.csv", "B", "rank", "2", "1"), ("r.html", "", "", "a1", "b2")]
    >>> describe_differences(pd.DataFrame(rows, columns=COLUMNS))
    '2 differences in 2 files; --out FOLDER lists them.'
    """
    if differences.empty:
        return "No difference: every page, table and figure is the same."
    files = counted(differences["file"].nunique(), "file")
    return f"{counted(len(differences), 'difference')} in {files}; --out FOLDER lists them."


def _list_reports(folder: Path) -> dict[str, Path]:
    """Return the files of a folder of results, as {relative path: path}."""
    if not any(folder.glob("*.report.json")) and not any(folder.rglob("ranking.csv")):
        raise InputError(
            f"{folder}: a folder that `srlib report` or `srlib judge` wrote was expected, got one without "
            "NAME.report.json and ranking.csv"
        )
    return {path.relative_to(folder).as_posix(): path for path in list_files(folder)}


def _changed_cells(old: Path, new: Path) -> list[list[Any]]:
    """Return [row, column, before, after] for each cell that differs; an empty list if a file is not a table."""
    try:
        cells = pd.concat([_read_cells(old), _read_cells(new)], axis=1, keys=["before", "after"])
    except (ValueError, OSError):
        return []
    return cells[cells["before"].ne(cells["after"])].reset_index().to_numpy().tolist()


def _read_cells(path: Path) -> Any:
    """Read the cells as a Series, indexed by the row's keys and the column; rows with equal keys are numbered."""
    table = pd.read_csv(path, dtype="str", keep_default_na=False)
    keys = [name for name in table if name in KEYS]
    names = pd.Series([" · ".join(values) for values in table[keys].to_numpy()], dtype="str")
    numbers = names.groupby(names).cumcount() + 1
    table.index = names.where(numbers == 1, names + " · #" + numbers.astype("str"))
    return table.drop(columns=keys).stack()  # noqa: PD013
