"""Differences between two folders of results or papers: who moved; files by hash, tables by cells, numbers by keys."""

from collections.abc import Set
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.displays.tables.numbers import KEYS, NUMBERS_FILE, read_numbers
from srlib.errors import InputError
from srlib.files import list_files, sha256
from srlib.folders import read_json
from srlib.prose import counted, listed
from srlib.rendering.paper import PREAMBLE_FILE, WRITTEN, used_keys

COLUMNS = ["file", "row", "column", "before", "after"]
PAPER_NUMBERS = f"{WRITTEN}/{NUMBERS_FILE}"
# numbers of a paper and verdicts first, then rankings, then other tables
FILE_ORDER = (PAPER_NUMBERS, "verdict.csv", "ranking.csv", ".csv")
MOST_SHOWN = 40  # numbers of papers that are printed
INPUT_KINDS = ("rules", "problems")  # inputs whose change is said before the places
NO_PLACE = "no place"


def diff(before: str | Path, after: str | Path) -> pd.DataFrame:
    """Return the differences between two folders of results (pages, tables, figures, NAME.report.json), or two papers.

    Parameters
    ----------
    before, after : str or Path
        Folders that `srlib report` or `srlib judge` wrote, or two folders of the option `--paper`.

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
        When a folder holds neither results nor a paper, or one holds results and the other one a paper.
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
        report = f"{name.parent.as_posix()}: " if len(shared) > 1 else ""
        lines += [report + line for line in _moves(*(side / name for side in sides))]
    return lines


def diff_lines(before: str | Path, after: str | Path) -> tuple[list[str], pd.DataFrame]:
    """Return what `srlib diff` prints, and the table of `diff`: who moved, then how many differences there are."""
    differences = diff(before, after)
    return [*describe_standings(before, after), *describe_differences(differences)], differences


def _changed_inputs(before: Path, after: Path) -> list[str]:
    """Return a sentence for rules and one for problems, where reports of a name were made from other files."""
    changed = dict.fromkeys(INPUT_KINDS, frozenset[str]())
    for path in sorted(before.glob("*.report.json")):
        if (after / path.name).is_file():
            sides = (read_json(side / path.name).get("inputs", []) for side in (before, after))
            old, new = ({(entry["name"], entry["sha256"]) for entry in side} for side in sides)
            for name, _ in old ^ new:
                kind, _, file = name.partition(": ")
                if kind in changed:
                    changed[kind] |= {file}
    return [
        f"The {kind} differ: {listed(sorted(files))}." for kind, files in changed.items() if files
    ]


def _moves(before: Path, after: Path) -> list[str]:
    """Return a sentence for each method that entered, is gone, or whose place or own values changed."""
    try:
        old_places, new_places = map(_read_places, (before, after))
        old_values, new_values = map(_own_values, (before, after))
    except (ValueError, KeyError):
        return []
    lines = []
    for method in [*new_places, *(name for name in old_places if name not in new_places)]:
        old, new = old_places.get(method, ""), new_places.get(method, "")
        changed = old_values.get(method, set()) ^ new_values.get(method, set())
        datasets = sorted({dataset for dataset, *_ in changed})
        own = f"changed on {listed(datasets, 3)}" if datasets else "are the same"
        if not old:
            lines.append(f"{method} enters {'with' if new == NO_PLACE else 'on'} {new}.")
        elif not new:
            lines.append(f"{method} is gone; it had {old}.")
        elif old != new:
            lines.append(f"{method}: {old} → {new.removeprefix('place ')}; its own values {own}.")
        elif datasets:
            lines.append(f"{method}: {old} as before; its own values {own}.")
    return lines


def _read_places(path: Path) -> dict[str, str]:
    """Return {method: its place in words} of a ranking."""
    table = pd.read_csv(path, dtype="str", keep_default_na=False)
    places = zip(table["method"], table["rank"], strict=True)
    return {method: f"place {place}" if place else NO_PLACE for method, place in places}


def _own_values(ranking: Path) -> dict[str, set[tuple[str, ...]]]:
    """Return {method: (dataset, aspect, value)} from the aspects.csv beside a ranking; empty without such a file."""
    path = ranking.with_name("aspects.csv")
    if not path.is_file():
        return {}
    table = pd.read_csv(path, dtype="str", keep_default_na=False)
    return {
        str(method): set(rows[["dataset", "aspect", "value"]].itertuples(index=False, name=None))
        for method, rows in table.groupby("method")
    }


def describe_differences(differences: pd.DataFrame) -> list[str]:
    """Return a line for each of the first numbers of papers that differ, and the counts of differences and files.

    Examples
    --------
    >>> rows = [("r/ranking.csv", "B", "rank", "2", "1"), ("r.html", "", "", "a1", "b2")]
    >>> describe_differences(pd.DataFrame(rows, columns=COLUMNS))
    ['2 differences in 2 files; --out FOLDER lists them.']
    """
    if differences.empty:
        return ["No difference: every page, table, figure and number is the same."]
    numbers = differences[differences["file"] == PAPER_NUMBERS].drop(columns="file")
    lines = [
        f"{': '.join(filter(None, place))}: {old} → {new}"
        for *place, old, new in numbers.head(MOST_SHOWN).fillna("–").to_numpy(str).tolist()
    ]
    files = counted(differences["file"].nunique(), "file")
    total = f"{counted(len(differences), 'difference')} in {files}; --out FOLDER lists them."
    return [*lines, total]


def _list_files(folder: Path, is_paper: bool) -> dict[str, Path]:
    """Return the files of a folder of reports, or those that srlib wrote of a paper, as {relative path: path}."""
    is_result = any(folder.glob("*.report.json")) or any(folder.rglob("ranking.csv"))
    if not is_paper and not is_result:
        raise InputError(
            f"{folder}: a folder that `srlib report` or `srlib judge` wrote, or two papers, were expected, got one "
            "without NAME.report.json and ranking.csv"
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
