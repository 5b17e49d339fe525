"""From the names or paths of run tables to runs, whatever their layout."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.expressions.names import TABLE_NAMES
from srlib.files import DEMO, contents, printable, visible
from srlib.prose import first_of
from srlib.readers.column_names import Layout, fill_in, load_layout, plain_names, shipped_layouts
from srlib.readers.row_checks import (
    allowed_faults,
    check_rows,
    refuse_shared_runs,
    shared_methods,
    with_status,
)
from srlib.readers.srbench import (
    add_symbolic_solution,
    find_json,
    is_published,
    published_measures,
    read_json_folder,
)
from srlib.table_files import SUFFIXES, Damage, read_rows
from srlib.tables import ASSESSMENTS, DIGESTS, MEASURES, RUNS, Contract, conform, set_aside

JSON_FOLDER, PUBLISHED, TIDY = "srbench-json", "srbench-csv", "tidy"
BUILT_IN = (JSON_FOLDER, PUBLISHED, TIDY)  # all other layouts are files
MOST = 6  # files in one notice


@dataclass(frozen=True)
class RunTable:
    """A run table and where it came from.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of the runs (or assessments, or measures) contract, plus `file` and `row` (from 1) of each row's origin.
        Columns of these names that a table of runs brings along are kept as `file_given` and `row_given`.
    layout : str
        Name of the layout that it was read as.
    folder : Path
        Where relative paths of the table start.
    name : str
        Of the file or folder.
    notices : tuple of str
        What was left out or filled in.
    origins : dict of str to str
        Columns of the contract, and what of the source each was taken from.
    unread : tuple of str
        A sentence for each file of a folder that could not be read; it begins with the file.
    """

    frame: pd.DataFrame
    layout: str
    folder: Path
    name: str
    notices: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    @property
    def assessed(self) -> bool:
        """Whether the table already holds assessments."""
        return set(DIGESTS) <= set(self.frame.columns)

    @property
    def measured(self) -> bool:
        """Whether the table holds measures, such as published aggregates, and no runs."""
        return _is_measures(set(self.frame.columns))


Name = str | Path | pd.DataFrame | RunTable
Names = Name | Sequence[Name]


def read_runs(names: Names, layout: str | None = None, *, prefer: str = "assessments") -> RunTable:
    """Read run tables.

    Parameters
    ----------
    names : str, Path, DataFrame or RunTable, or a sequence of them
        Tables (CSV, Parquet, Feather), folders written by `srlib run` or by SRBench, or folders of any of these;
        'demo' is the shipped one. What was read before is taken as it is; paths in a DataFrame start in the current
        folder.
    layout : str, optional
        One of `BUILT_IN`, the name of a shipped layout file, or the path of one; recognised when left out.
    prefer : {'assessments', 'runs'}
        Which of the two the bare name 'demo' stands for.

    Raises
    ------
    InputError
        Names file, row or column, what was allowed and what came; measures are refused.
    """
    table = read_results(names, layout, prefer=prefer)
    if table.measured:
        raise InputError(
            f"{table.name}: single runs were expected, got measures (layout {table.layout}); compare takes them"
        )
    return table


def read_results(
    names: Names, layout: str | None = None, *, prefer: str = "assessments"
) -> RunTable:
    """Read run tables, or measures such as published aggregates; else as `read_runs`."""
    own_layout = _find_layout(layout) if layout is not None else None
    parts, unread = list[RunTable](), list[str]()
    for name in [names] if isinstance(names, Name) else names:
        if isinstance(name, RunTable):
            parts.append(name)
        elif isinstance(name, pd.DataFrame):
            parts.append(_read_table(name, Path("DataFrame"), own_layout))
        else:
            for path in _find_tables(Path(name), prefer):
                try:
                    parts.append(_read_path(path, own_layout, Path(name)))
                except InputError as error:
                    if path == Path(name) or not Path(name).is_dir():
                        raise
                    unread.append(str(error))
    if not parts:
        raise InputError(unread[0] if unread else "a run table was expected, got none")
    if len(parts) == 1 and not unread:
        return parts[0]
    return _join(parts, unread)


def with_names(runs: RunTable, notations: Iterable[str] | Mapping[str, str]) -> RunTable:
    """State how methods name features in their texts, as the column `names` does.

    Parameters
    ----------
    runs : RunTable
        What was read.
    notations : iterable of str, or mapping
        METHOD=features, METHOD=x0 or METHOD=x1, or a suite's {METHOD: x0}, whose methods need not be on every page.

    Raises
    ------
    InputError
        When a method is not there, or what is stated is none of these.
    """
    frame, notices, strict = runs.frame, list(runs.notices), not isinstance(notations, Mapping)
    if isinstance(notations, Mapping):
        notations = [f"{method}={names}" for method, names in notations.items()]
    methods = sorted(frame["method"].unique())
    for text in notations:
        method, _, names = text.rpartition("=")
        if names not in TABLE_NAMES or (method not in methods and strict):
            raise InputError(
                f"names: METHOD={' or '.join(TABLE_NAMES)} was expected, got {text!r}; "
                f"methods are {', '.join(methods[:9])}"
            )
        if method not in methods:
            notices.append(
                f"names: there is no method {method!r} here; methods are {', '.join(methods[:9])}"
            )
        column = frame.get("names", pd.Series(None, frame.index, dtype="str"))
        frame = frame.assign(names=column.mask(frame["method"] == method, names))
    return replace(runs, frame=frame, notices=tuple(notices))


def _find_layout(layout: str) -> Layout | str:
    """Get a built-in layout by its name, else the layout file that a name or path means."""
    if layout in BUILT_IN:
        return layout
    try:
        return load_layout(layout)
    except InputError as error:
        if Path(layout).exists():
            raise
        names = [*BUILT_IN, *sorted(layout.name for layout in shipped_layouts())]
        raise InputError(
            f"layout {layout!r} is unknown, and no such file; known: {', '.join(names)}"
        ) from error


def _find_tables(path: Path, prefer: str) -> list[Path]:
    """Tables to read for a path: itself or, of a folder, its tables; the folder itself where it has SRBench's JSON."""
    if str(path) == "demo" and not path.exists():
        return [DEMO / f"{prefer}.parquet"]
    if not path.exists():
        raise InputError(
            f"{path}: no such file, and no shipped run table of that name (shipped: demo)"
        )
    if not path.is_dir():
        return [path]
    if (path / "runs.parquet").is_file():
        return [path / "runs.parquet"]
    files = [file for file in visible(path) if file.name[0] != "~"]
    tables = [file for file in files if _is_table(file) or _text_layout(file)]
    folders = [path] if find_json(path) else []
    if not folders + tables:
        raise InputError(f"{path}: this folder holds no table and no JSON files of runs")
    return folders + tables


def _is_table(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIXES)


def _text_layout(path: Path) -> Layout | None:
    """Find the shipped layout of text files whose pattern the path fits."""
    return next((layout for layout in shipped_layouts() if layout.path_parts(path.resolve())), None)


def _read_path(path: Path, layout: Layout | str | None, root: Path) -> RunTable:
    """Read a table, a text file of models or SRBench's JSON files; a link must not lead out of the root."""
    if root.is_dir() and not path.resolve().is_relative_to(root.resolve()):
        raise InputError(f"{path}: this link leads out of the folder {root}")
    if path.is_dir():
        if layout not in (None, JSON_FOLDER):
            name = layout.name if isinstance(layout, Layout) else layout
            raise InputError(
                f"{path}: layout {JSON_FOLDER} is a folder and the others are files, got {name}"
            )
        frame = add_symbolic_solution(
            load_layout("srbench").rename_columns(read_json_folder(path), path)
        )
        table = check_rows(frame, path, frame["file"].tolist()).reset_index(drop=True)
        return RunTable(table, JSON_FOLDER, path, printable(path.name))
    if layout == JSON_FOLDER:
        raise InputError(f"{path}: layout {JSON_FOLDER} is a folder, got a file")
    if not _is_table(path) and (text_layout := layout or _text_layout(path)):
        try:
            lines = contents(path).decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not a text file in UTF-8 (byte {error.start})") from error
        texts = [line.strip() for line in lines if line.strip()]
        frame = pd.DataFrame({"model": texts or [None]}, dtype="str")
        return _read_table(frame, path, text_layout)
    frame, damage = read_rows(path)
    return _read_table(frame, path, layout, damage)


def _is_measures(columns: set[str]) -> bool:
    """Tell measures from runs: one value a row, and which aspect it is of; what has a model is a run."""
    return {"aspect", "value"} <= columns and not set(RUNS.required) <= columns


def _read_table(
    frame: pd.DataFrame, path: Path, layout: Layout | str | None, damage: Damage | None = None
) -> RunTable:
    """Take in a table, whatever its columns are; the path names it in messages.

    Of a table of runs a damaged line is a run that cannot be used; of any other table it is an error.
    """
    frame = set_aside(_plain_frame(frame), ("file", "row"))
    columns = set(map(str, frame.columns))
    if layout is None:
        layout = _recognise(columns)
    name, origin = printable(path.name), {"file": printable(path.name)}
    is_runs = layout != PUBLISHED and not _is_measures(columns) and not set(DIGESTS) <= columns
    if damage and not is_runs:
        row = min(damage)
        raise InputError(f"{path} row {row + 1}: {damage[row]}")
    if layout == PUBLISHED:
        return RunTable(published_measures(frame, path), PUBLISHED, path.parent, name)
    if not is_runs:
        read = conform if _is_measures(columns) else _check_assessments
        table = read(frame, MEASURES if _is_measures(columns) else ASSESSMENTS, path)
        table = table.assign(**origin, row=table.index + 1)
        return RunTable(table, TIDY, path.parent, name)
    if isinstance(layout, Layout):
        frame, origins = layout.rename_columns(frame, path), layout.origins(columns)
    else:
        ours = plain_names(frame)
        pairs = zip(ours.columns, frame.columns, strict=True)
        origins = {new: f"column {old!r}" for new, old in pairs if new in RUNS.columns}
        frame = ours
    frame, notices = fill_in(add_symbolic_solution(frame), path)
    table = check_rows(frame, path, damage=damage)
    table = table.assign(**origin, row=table.index + 1).reset_index(drop=True)
    layout_name = layout.name if isinstance(layout, Layout) else TIDY
    return RunTable(table, layout_name, path.parent, name, notices, origins)


def _recognise(columns: set[str]) -> Layout | str:
    """Find the layout of a table by its columns; with those of the contract it is our own, whatever else it has."""
    if set(RUNS.required) <= columns:
        return TIDY
    if is_published(columns):
        return PUBLISHED
    layouts = [layout for layout in shipped_layouts() if layout.recognised]
    return next((layout for layout in layouts if set(layout.recognised) <= columns), TIDY)


def _check_assessments(frame: pd.DataFrame, contract: Contract, path: Path) -> pd.DataFrame:
    table = with_status(conform(frame, contract, path))
    for name in ("status", "names"):
        for wrong, fault in allowed_faults(name, table[name]) if name in table else ():
            for row in np.flatnonzero(wrong)[:1]:
                value = str(table[name][row])[:60]
                raise InputError(f"{path} row {row + 1}: {name} {fault}, got {value!r}")
    return table


def _plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows numbered from 0, named levels of the index as columns, and no types of Arrow."""
    levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
    plain = frame.reset_index(levels).reset_index(drop=True)
    arrow = [name for name, kind in plain.dtypes.items() if isinstance(kind, pd.ArrowDtype)]
    return plain.astype(dict.fromkeys(arrow, object))


def _join(parts: list[RunTable], unread: list[str]) -> RunTable:
    """Join tables: what holds no runs is left out by name, and a run in two of them is refused."""
    kinds: dict[str, list[RunTable]] = {"runs": [], "assessments": [], "measures": []}
    for part in parts:
        kind = "measures" if part.measured else "assessments" if part.assessed else "runs"
        kinds[kind].append(part)
    kind = next(kind for kind, tables in kinds.items() if tables)
    joined = kinds.pop(kind)
    unread = [*unread, *(sentence for part in joined for sentence in part.unread)]
    unread += [f"{part.name}: a table of {k}" for k, tables in kinds.items() for part in tables]
    root = Path(os.path.commonpath([part.folder.resolve() for part in joined]))
    frames = [_from_root(part, root) for part in joined]
    table = pd.concat(frames, ignore_index=True)
    notices = [notice for part in joined for notice in part.notices]
    if kind != "measures":
        refuse_shared_runs(frames)
        notices += shared_methods(frames)
        contract = {"runs": replace(RUNS, key=()), "assessments": ASSESSMENTS}[kind]
        table = conform(table, contract, root)
    if unread:
        notices.append(f"Not read: {first_of(unread, most=MOST)}.")
    origins = {name: text for part in joined for name, text in part.origins.items()}
    return RunTable(
        table, joined[0].layout, root, str(root), tuple(notices), origins, tuple(unread)
    )


def _from_root(part: RunTable, root: Path) -> pd.DataFrame:
    """Rows of one table, its files named from a folder above."""
    place = PurePosixPath(part.folder.resolve().relative_to(root).as_posix())
    frame = part.frame.assign(file=[str(place / name) for name in part.frame["file"]])
    if "predictions" in frame:
        predictions = frame["predictions"]
        frame["predictions"] = (f"{place}/" + predictions).where(predictions.notna())
    return frame
