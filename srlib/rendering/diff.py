"""Differences between two rendered folders or papers: files by hash, CSV tables by cells, numbers of papers by keys."""

from collections.abc import Set
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.displays.tables.numbers import KEYS, NUMBERS_FILE, read_numbers
from srlib.errors import InputError
from srlib.files import list_files, sha256
from srlib.prose import counted
from srlib.rendering.paper import PREAMBLE_FILE, WRITTEN, used_keys

COLUMNS = ["file", "row", "column", "before", "after"]
PAPER_NUMBERS = f"{WRITTEN}/{NUMBERS_FILE}"
# numbers of a paper and verdicts first, then rankings, then other tables
FILE_ORDER = (PAPER_NUMBERS, "verdict.csv", "ranking.csv", ".csv")
MOST_SHOWN = 40  # differences that are printed


def diff(before: str | Path, after: str | Path) -> pd.DataFrame:
    """Return the differences between two rendered folders (pages, tables, figures, NAME.report.json), or two papers.

    Parameters
    ----------
    before, after : str or Path
        Folders that `srlib report` wrote, or two folders of its option `--paper`.

    Returns
    -------
    pandas.DataFrame
        A row for each differing cell of a CSV table or other file: `file`, `row` and `column` (empty for a whole file),
        `before` and `after` (text of the cell, or beginning of the file's hash; missing if the cell or file does not
        exist). Verdicts and rankings come first, then other tables, then other files. Of papers only what srlib wrote
        is compared, numbers first: `row` is the key, and `column` is 'used' if the author's text uses it.

    Raises
    ------
    InputError
        When a folder holds neither reports nor a paper, or one holds reports and the other one a paper.
    """
    folders = [Path(before), Path(after)]
    are_papers = all((folder / WRITTEN / PREAMBLE_FILE).is_file() for folder in folders)
    sides = [_list_files(folder, are_papers) for folder in folders]
    used = {key for folder in folders if are_papers for key in used_keys(folder)}
    rows: list[list[str | None]] = []
    names = sides[0] | sides[1]
    for name in sorted(
        names, key=lambda name: ([not name.endswith(end) for end in FILE_ORDER], name)
    ):
        old, new = (side.get(name) for side in sides)
        hashes = [path and sha256(path)[:16] for path in (old, new)]
        if hashes[0] != hashes[1]:
            cells: list[list[Any]] = []
            if old and new and (name.endswith(".csv") or are_papers and name == PAPER_NUMBERS):
                cells = _changed_cells(old, new, used)
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
        return ["No difference: every page, table, figure and number is the same."]
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


def _list_files(folder: Path, is_paper: bool) -> dict[str, Path]:
    """Return the files of a folder of reports, or those that srlib wrote of a paper, as {relative path: path}."""
    if not is_paper and not any(folder.glob("*.report.json")):
        raise InputError(
            f"{folder}: a folder that `srlib report` wrote, or two of its papers, were expected, "
            "got one without NAME.report.json"
        )
    root = folder / WRITTEN if is_paper else folder
    return {path.relative_to(folder).as_posix(): path for path in list_files(root)}


def _changed_cells(old: Path, new: Path, used: Set[str]) -> list[list[Any]]:
    """Return [row, column, before, after] for each cell that differs, rows in `used` first; empty without a table."""
    try:
        tables = [_read_cells(path, used) for path in (old, new)]
        cells = pd.concat(tables, axis=1, keys=["before", "after"])
    except (ValueError, OSError):
        return []
    cells = cells[cells["before"].ne(cells["after"])].reset_index().to_numpy().tolist()
    return sorted(cells, key=lambda cell: cell[0] not in used)


def _read_cells(path: Path, used: Set[str]) -> Any:
    """Read the cells as a Series, indexed by the row's keys and the column; rows with equal keys are numbered.

    Numbers of a paper are indexed by their key and 'used' or ''.
    """
    if path.name == NUMBERS_FILE:
        numbers = read_numbers(path)
        return pd.Series({(key, "used" * (key in used)): text for key, text in numbers.items()})
    table = pd.read_csv(path, dtype="str", keep_default_na=False)
    keys = [name for name in table if name in (*KEYS, "row")]
    names = pd.Series([" · ".join(values) for values in table[keys].to_numpy()], dtype="str")
    numbers = names.groupby(names).cumcount() + 1
    table.index = names.where(numbers == 1, names + " · #" + numbers.astype("str"))
    return table.drop(columns=keys).stack()  # noqa: PD013
