"""What differs between two rendered folders: every file by its hash, and of CSV tables the cells."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.files import sha256, visible
from srlib.prose import counted, first_of

COLUMNS = ["file", "row", "column", "before", "after"]
KEYS = ["method", "method_a", "method_b", "dataset", "aspect", "property", "repetition", "expert", "solver",
        "task", "instance", "time_limit_s", "stage", "level", "row", "action", "code", "switch", "check",
        "name"]  # fmt: skip
MOST_SHOWN = 40  # differences on the screen
Cells = dict[tuple[str, str], str]  # by the names in a row, and the column


def diff(before: str | Path, after: str | Path) -> pd.DataFrame:
    """Compare two rendered folders, file by file: pages, tables, figures and what each report handed over.

    Parameters
    ----------
    before, after : str or Path
        Folders that `srlib report` wrote.

    Returns
    -------
    pandas.DataFrame
        `file`, `row` and `column` (empty for a file or a row as a whole), `before` and `after`: a cell's text, 'there'
        for a file or row that the other folder lacks, the hash of any other file; null where there is nothing. No row
        where every file is the same.

    Raises
    ------
    InputError
        When a folder holds no report.
    """
    old, new = (_files(Path(folder)) for folder in (before, after))
    rows: list[tuple[str | None, ...]] = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            rows.append((name, "", "", *("there" if name in side else None for side in (old, new))))
            continue
        hashes = sha256(old[name]), sha256(new[name])
        if hashes[0] == hashes[1]:
            continue
        cells = list(_changed(old[name], new[name])) if name.endswith(".csv") else []
        rows += [(name, *cell) for cell in cells] or [(name, "", "", *hashes)]
    return pd.DataFrame(rows, columns=COLUMNS).astype("str")


def in_words(differences: pd.DataFrame) -> list[str]:
    """Say what differs, first the pages' sentences, then rankings, cells of other tables, and files; then in how many.

    Examples
    --------
    >>> rows = [("r.html", "", "", "a1", "b2"), ("r/ranking.csv", "B", "rank", "2", "1")]
    >>> for line in in_words(pd.DataFrame(rows, columns=COLUMNS)):
    ...     print(line)
    r/ranking.csv: B: rank: 2 → 1
    r.html: other content
    2 differences in 2 files: r.html; r/ranking.csv.
    """
    if differences.empty:
        return ["No difference: every page, table and figure is the same."]
    table, lines = differences.fillna("–"), list[str]()
    is_cell = table["row"].ne("") | table["column"].ne("")
    in_ranking = table["file"].str.endswith("ranking.csv") & is_cell
    order = np.select([table["row"] == "verdict", in_ranking, is_cell], [0, 1, 2], 3)
    first = table.iloc[np.argsort(order, kind="stable")[:MOST_SHOWN]]
    for *place, before, after in first.to_numpy(str).tolist():
        is_new_content = not any(place[1:]) and "–" not in (before, after)
        change = "other content" if is_new_content else f"{before} → {after}"
        lines.append(": ".join(filter(None, [*place, change])))
    if len(table) > MOST_SHOWN:
        lines.append(f"... and {len(table) - MOST_SHOWN:,} more, all in diff.csv of --out FOLDER")
    files = list(table["file"].unique())
    counts = f"{counted(len(table), 'difference')} in {counted(len(files), 'file')}"
    return [*lines, f"{counts}: {first_of(files)}."]


def _files(folder: Path) -> dict[str, Path]:
    if not folder.is_dir() or not any(folder.glob("*.report.json")):
        raise InputError(
            f"{folder}: no folder of reports; `srlib report` writes NAME.report.json into one"
        )
    return {path.relative_to(folder).as_posix(): path for path in visible(folder)}


def _changed(old: Path, new: Path) -> Iterator[tuple[str | None, ...]]:
    """Give the cells that differ; a row that came or went stands for its cells."""
    try:
        before, after = _cells(old), _cells(new)
    except (ValueError, OSError):  # no table: its hash tells
        return
    for row, column in dict.fromkeys([*before, *after]):
        in_both = (row, "") in before and (row, "") in after
        values = before.get((row, column)), after.get((row, column))
        if values[0] != values[1] and (in_both or not column):
            yield row, column, *values


def _cells(path: Path) -> Cells:
    """Every cell by the names in its row and its column; rows of the same names are numbered."""
    frame = pd.read_csv(path, dtype="str", keep_default_na=False)
    keys = [name for name in KEYS if name in frame.columns]
    value_columns = [name for name in frame.columns if name not in keys]
    cells: Cells = {}
    for names, values in zip(
        frame[keys].to_numpy().tolist(), frame[value_columns].to_numpy().tolist(), strict=True
    ):
        row, number = " · ".join(names), 1
        while (row, "") in cells:
            number += 1
            row = " · ".join([*names, f"#{number}"])
        cells[row, ""] = "there"
        cells |= {(row, column): value for column, value in zip(value_columns, values, strict=True)}
    return cells
