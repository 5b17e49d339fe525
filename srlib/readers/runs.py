"""From the names or paths of run tables to runs, whatever their layout."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.expressions.names import TABLE_NAMES
from srlib.files import DEMO, printable, sha256, visible
from srlib.readers import srbench_csv, srbench_json, tidy
from srlib.readers.layout import Layout, load_layout, shipped_layouts
from srlib.readers.taking import checked, name_shared_methods, refuse_shared_runs, taken
from srlib.table_files import SUFFIXES, read_rows
from srlib.tables import ASSESSMENTS, DIGESTS, RUNS, conform, set_aside

# read by code: aggregates, the project's own tables, and SRBench's folders; all others are layout files
TABLES = {"srbench-csv": srbench_csv, "tidy": tidy}
FOLDER = "srbench-json"
LAYOUTS = (FOLDER, *TABLES)
RENAMED = {"srbench-feather": "srbench"}
ORIGIN = ("file", "row")
MOST = 6  # files in one notice
FRAME = "DataFrame"  # what a table without a file is called


@dataclass(frozen=True)
class RunTable:
    """A run table and where it came from.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of the runs (or assessments, or measures) contract, plus `file` and `row` (from 1) of each
        row's origin: where the reader found it. Columns of these names that a table of runs brings along are kept
        as `file_given` and `row_given`.
    layout : str
        Which of `LAYOUTS`, or the name of the layout file, it was read as.
    folder : Path
        Where relative paths of the table start.
    sources : tuple of (str, str)
        Name and SHA-256 of each file read; of a DataFrame no hash.
    notices : tuple of str
        What was left out or filled in.
    origins : tuple of (str, str)
        Columns of the contract, and what of the source each was taken from.
    """

    frame: pd.DataFrame
    layout: str
    folder: Path
    sources: tuple[tuple[str, str], ...]
    notices: tuple[str, ...] = ()
    origins: tuple[tuple[str, str], ...] = ()

    @property
    def assessed(self) -> bool:
        """Whether the table already holds assessments."""
        return tidy.is_assessment(set(self.frame.columns))

    @property
    def measured(self) -> bool:
        """Whether the table holds measures, such as published aggregates, and no runs."""
        return tidy.is_measure(set(self.frame.columns))


Name = str | Path | pd.DataFrame | RunTable
Names = Name | Sequence[Name]


def read_runs(name: Names, layout: str | None = None, *, prefer: str = "assessments") -> RunTable:
    """Read run tables.

    Parameters
    ----------
    name : str, Path, DataFrame or RunTable, or a sequence of them
        Tables (CSV, Parquet, Feather), folders written by `srlib run` or by SRBench, or folders of any of these;
        'demo' is the shipped one. What was read before is taken as it is; paths in a DataFrame start in the current
        folder.
    layout : str, optional
        One of `LAYOUTS`, the name of a shipped layout file, or the path of one; recognised when left out.
    prefer : {'assessments', 'runs'}
        Which of the two the bare name 'demo' stands for.

    Raises
    ------
    InputError
        Names file, row or column, what was allowed and what came; measures are refused.
    """
    table = read_results(name, layout, prefer=prefer)
    if table.measured:
        named = name if isinstance(name, str | Path) else table.sources[0][0]
        raise InputError(
            f"{named}: single runs were expected, got measures (layout {table.layout}); compare takes them"
        )
    return table


def with_names(runs: RunTable, stated: Iterable[str] | Mapping[str, str]) -> RunTable:
    """State how methods name features in their texts, as the column `names` does.

    Parameters
    ----------
    runs : RunTable
        What was read.
    stated : iterable of str, or mapping
        METHOD=features, METHOD=x0 or METHOD=x1, or a suite's {METHOD: x0}, whose methods need not be on every page.

    Raises
    ------
    InputError
        When a method is not there, or what is stated is none of these.
    """
    frame, absent, whole = runs.frame, [], isinstance(stated, Mapping)
    if isinstance(stated, Mapping):
        stated = [f"{method}={names}" for method, names in stated.items()]
    for one in stated:
        method, _, names = one.rpartition("=")
        known = sorted(frame["method"].unique())
        if names not in TABLE_NAMES or (method not in known and not whole):
            raise InputError(
                f"names: METHOD={' or '.join(TABLE_NAMES)} was expected, got {one!r}; "
                f"methods are {', '.join(known[:9])}"
            )
        if method not in known:
            absent.append(
                f"names: there is no method {method!r} here; methods are {', '.join(known[:9])}"
            )
        given = frame["names"] if "names" in frame else pd.Series(None, frame.index, dtype="str")
        frame = frame.assign(names=given.mask(frame["method"] == method, names))
    return replace(runs, frame=frame, notices=(*runs.notices, *absent))


def read_results(
    name: Names, layout: str | None = None, *, prefer: str = "assessments"
) -> RunTable:
    """Read run tables, or measures such as published aggregates; else as `read_runs`."""
    chosen = _layout_file(layout)
    names = [name] if isinstance(name, Name) else list(name)
    parts: list[RunTable] = []
    unread: list[str] = []
    for one in names:
        if isinstance(one, RunTable):
            parts.append(one)
        if isinstance(one, pd.DataFrame):
            parts.append(_table(one, Path(FRAME), chosen or layout))
    paths = [one for one in names if isinstance(one, str | Path)]
    for path, found in [pair for one in paths for pair in _places(one, prefer)]:
        if (
            chosen is None
            and path.is_dir() != (layout == FOLDER)
            and layout is not None
            and not found
        ):
            raise InputError(
                f"{path}: layout {FOLDER} is a folder and the others are files, got {layout}"
            )
        try:
            texts = chosen or (_of_files(path) if layout is None else None)
            if texts is not None and not texts.in_tables:
                part = _models(path, texts)
            elif path.is_dir():
                part = _folder(path)
            else:
                part = _file(path, chosen or layout)
        except InputError as error:
            if not found:
                raise
            unread.append(str(error))
            continue
        parts.append(part)
    if not parts:
        raise InputError(unread[0] if unread else "a run table was expected, got none")
    if len(parts) == 1 and not unread:
        return parts[0]
    return _together(parts, unread)


def _layout_file(layout: str | None) -> Layout | None:
    """Get the layout file that a name or path means; None for the layouts that are code."""
    if layout is None or layout in LAYOUTS:
        return None
    try:
        return load_layout(RENAMED.get(layout, layout))
    except InputError as error:
        if Path(layout).exists():
            raise
        names = sorted(one.name for one in shipped_layouts())
        raise InputError(
            f"layout {layout!r} is unknown, and no such file; known: {', '.join([*LAYOUTS, *names])}"
        ) from error


def _of_files(path: Path) -> Layout | None:
    """Find the shipped layout that the names of text files tell."""
    paths = visible(path, "**/*.txt") if path.is_dir() else [path]
    those = [one for one in shipped_layouts() if not one.in_tables]
    return next((one for one in those if any(map(one.named, paths))), None)


def _places(name: str | Path, prefer: str) -> list[tuple[Path, bool]]:
    """Files and folders of JSON files to read, and whether they were found in a folder, not named."""
    path = Path(name)
    if str(name) == "demo" and not path.exists():
        return [(DEMO / f"{prefer}.parquet", False)]
    if not path.exists():
        raise InputError(
            f"{path}: no such file, and no shipped run table of that name (shipped: demo)"
        )
    if not path.is_dir():
        return [(path, False)]
    if (path / "runs.parquet").is_file():
        return [(path / "runs.parquet", False)]
    if _of_files(path) is not None:
        return [(path, False)]
    tables = [p for p in visible(path) if p.name.lower().endswith(SUFFIXES) and p.name[0] != "~"]
    if visible(path, "**/*.json") or visible(path, "**/*.json.updated"):
        return [(path, bool(tables)), *((table, True) for table in tables)]
    if not tables:
        raise InputError(f"{path}: this folder holds no table and no JSON files of runs")
    return [(table, True) for table in tables]


def _folder(path: Path) -> RunTable:
    frame, sha = srbench_json.read(path)
    table = taken(frame, path, frame["file"].tolist()).reset_index(drop=True)
    return RunTable(table, FOLDER, path, ((printable(path.name), sha),))


def _models(path: Path, layout: Layout) -> RunTable:
    """Read text files of models, of each the last line."""
    frame, notices = tidy.completed(layout.read_files(path), path)
    places = (frame["file"] + " line " + frame["row"].astype("str")).tolist()
    table = taken(frame, path, places).reset_index(drop=True)
    source = ((printable(path.name), sha256(path)),)
    folder = path if path.is_dir() else path.parent
    return RunTable(table, layout.name, folder, source, notices, layout.sources())


def _file(path: Path, layout: Layout | str | None) -> RunTable:
    frame, damage = read_rows(path)
    table = _table(frame, path, layout, damage)
    return replace(table, sources=((printable(path.name), sha256(path)),))


def _table(
    frame: pd.DataFrame,
    path: Path,
    layout: Layout | str | None,
    damage: Mapping[int, str] | None = None,
) -> RunTable:
    """Take in a table, whatever its columns are; the path names it in messages.

    Of a table of runs a damaged line is a run that cannot be used; of any other table it is an error.
    """
    notices: tuple[str, ...] = ()
    origins: tuple[tuple[str, str], ...] = ()
    frame = set_aside(_plain(frame), ORIGIN)
    columns = {str(column) for column in frame.columns}
    if layout is None and not srbench_csv.recognises(columns):
        layout = next((one for one in shipped_layouts() if one.fits(columns)), "tidy")
    layout = layout or "srbench-csv"
    is_runs = not (layout == "srbench-csv" or tidy.is_measure(columns) or columns & set(DIGESTS))
    if damage and not is_runs:
        row = min(damage)
        raise InputError(f"{path} row {row + 1}: {damage[row]}")
    if layout == "srbench-csv" or tidy.is_measure(columns):
        table = (srbench_csv if layout == "srbench-csv" else tidy).read(frame, path)
    elif not is_runs:
        table = checked(tidy.read(frame, path), ASSESSMENTS, path)
    else:
        origins = layout.sources(columns) if isinstance(layout, Layout) else tidy.sources(columns)
        as_runs = layout.as_runs(frame, path) if isinstance(layout, Layout) else tidy.as_runs(frame)
        frame, notices = tidy.completed(as_runs, path)
        table = taken(frame, path, damage=damage)
    if not set(ORIGIN) <= set(table.columns):  # published tables tell the row themselves
        table = table.assign(file=printable(path.name), row=table.index + 1)
    table = table.reset_index(drop=True)
    name = layout if isinstance(layout, str) else layout.name
    return RunTable(table, name, path.parent, ((printable(path.name), ""),), notices, origins)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows numbered from 0, named levels of the index as columns, and no types of Arrow."""
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    plain = frame.reset_index(named).reset_index(drop=True)
    arrow = [name for name, kind in plain.dtypes.items() if isinstance(kind, pd.ArrowDtype)]
    return plain.astype(dict.fromkeys(arrow, object))


def _together(parts: list[RunTable], unread: list[str]) -> RunTable:
    """Put tables together: what holds no runs is left out by name, and a run in two of them is refused."""
    kinds = {"runs": [], "assessments": [], "measures": []}
    for part in parts:
        kind = "measures" if part.measured else "assessments" if part.assessed else "runs"
        kinds[kind].append(part)
    kind = next(kind for kind, some in kinds.items() if some)
    chosen = kinds[kind]
    root = Path(os.path.commonpath([part.folder.resolve() for part in chosen]))
    for other in ("assessments", "measures"):
        if other != kind:
            unread += [f"{part.sources[0][0]}: a table of {other}" for part in kinds[other]]
    frames = [_below(part, root) for part in chosen]
    table = pd.concat(frames, ignore_index=True)
    notices = [notice for part in chosen for notice in part.notices]
    if kind != "measures":
        tables = np.repeat(np.arange(len(frames)), list(map(len, frames)))
        refuse_shared_runs(table, tables)
        notices += name_shared_methods(table, tables)
    if kind == "runs":
        table = conform(table, replace(RUNS, key=()), root)
    if kind == "assessments":
        table = checked(table, ASSESSMENTS, root)
    if unread:
        more = f"; and {len(unread) - MOST} more" if len(unread) > MOST else ""
        notices.append(f"Not read: {'; '.join(unread[:MOST])}{more}.")
    sources = tuple(source for part in chosen for source in part.sources)
    origins = tuple(dict.fromkeys(origin for part in chosen for origin in part.origins))
    return RunTable(table, chosen[0].layout, root, sources, tuple(notices), origins)


def _below(part: RunTable, root: Path) -> pd.DataFrame:
    """Rows of one table, its files named from a folder above."""
    place = PurePosixPath(part.folder.resolve().relative_to(root).as_posix())
    frame = part.frame.assign(file=[str(place / name) for name in part.frame["file"]])
    if "predictions" in frame:
        given = frame["predictions"]
        frame["predictions"] = (str(place) + "/" + given).where(given.notna())
    return frame
