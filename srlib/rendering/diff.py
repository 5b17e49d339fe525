"""Differences between two rendered folders: files are compared by hash, CSV tables cell by cell."""

from pathlib import Path
from typing import Any

import pandas as pd

from srlib.errors import InputError
from srlib.files import list_files, sha256
from srlib.prose import counted

COLUMNS = ["file", "row", "column", "before", "after"]
KEYS = ["method", "method_a", "method_b", "dataset", "aspect", "property", "repetition", "expert", "solver",
        "task", "instance", "time_limit_s", "stage", "level", "row", "action", "code", "switch", "check",
        "name"]  # fmt: skip
FILE_ORDER = (
    "verdict.csv",
    "ranking.csv",
    ".csv",
)  # verdicts first, then rankings, then other tables
MOST_SHOWN = 40  # differences that are printed


def diff(before: str | Path, after: str | Path) -> pd.DataFrame:
    """Return the differences between two rendered folders: pages, tables, figures and NAME.report.json.

    Parameters
    ----------
    before, after : str or Path
        Folders that `srlib report` wrote.

    Returns
    -------
    pandas.DataFrame
        A row for each differing cell of a CSV table or other file: `file`, `row` and `column` (empty for a whole file),
        `before` and `after` (text of the cell, or beginning of the file's hash; missing if the cell or file does not
        exist). Verdicts and rankings come first, then other tables, then other files.

    Raises
    ------
    InputError
        When a folder holds no report.
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


def describe_differences(differences: pd.DataFrame) -> list[str]:
    """Return lines of text: the first differences, a line each, and the numbers of differences and files.

    Examples
    --------
    >>> rows = [("r/ranking.csv", "B", "rank", "2", "1"), ("r.html", "", "", "a1", "b2")]
    >>> for line in describe_differences(pd.DataFrame(rows, columns=COLUMNS)):
    ...     print(line)
    r/ranking.csv: B: rank: 2 → 1
    r.html: a1 → b2
    2 differences in 2 files.
    """
    if differences.empty:
        return ["No difference: every page, table and figure is the same."]
    lines = [
        f"{': '.join(filter(None, place))}: {old} → {new}"
        for *place, old, new in differences.head(MOST_SHOWN).fillna("–").to_numpy(str).tolist()
    ]
    if len(differences) > MOST_SHOWN:
        lines.append(
            f"... and {len(differences) - MOST_SHOWN:,} more, all in diff.csv of --out FOLDER"
        )
    files = counted(differences["file"].nunique(), "file")
    return [*lines, f"{counted(len(differences), 'difference')} in {files}."]


def _list_reports(folder: Path) -> dict[str, Path]:
    """Return the files of a folder of reports, as {relative path: path}."""
    if not any(folder.glob("*.report.json")):
        raise InputError(
            f"{folder}: a folder that `srlib report` wrote was expected, got one without NAME.report.json"
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
