"""Reading of run tables of any layout, from names, paths and DataFrames."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from srlib.errors import InputError, require
from srlib.files import DEMO, contents, list_files, printable
from srlib.prose import first_of, listed
from srlib.readers.column_names import (
    LAYOUT_FILE,
    PUBLISHED_LAYOUT,
    Layout,
    folder_layout,
    load_layout,
    recognise_layout,
    text_layout,
)
from srlib.readers.row_checks import (
    REPEATED,
    check_measures,
    check_rows,
    clear_invalid,
    exclude_repeats,
    name_shared_methods,
    refuse_merged_runs,
    with_status,
)
from srlib.readers.runs import RunSource, RunSources, RunTable, Unread
from srlib.readers.srbench import find_json, published_measures, read_json_folder
from srlib.table_files import SUFFIXES, Damage, read_rows
from srlib.tables import (
    ALLOWED_WORDS,
    ASSESSMENTS,
    CONTRACTS,
    KEY,
    TableKind,
    conform,
    kind_of,
    runs_of,
    set_aside,
    set_types,
)

MOST_FILES = 6  # most files in one notice
NO_TABLE = "a run table was expected, got none"


def read_runs(
    runs: RunSources,
    layout: str | None = None,
    names: Mapping[str, str] = {},
    aliases: Mapping[str, str] = {},
) -> RunTable:
    """Read run tables of any known layout as one table; measures are refused.

    A row or value that cannot be used has a `reason`; a table that cannot be read is in `unread`.

    Parameters
    ----------
    runs : str, Path, DataFrame or RunTable, or a sequence of them
        Tables (CSV, Parquet, Feather), folders written by `srlib run` or by SRBench, or folders of any of these, or
        'demo' for the shipped table of assessed runs. Columns method, dataset, repetition and model are required; named
        levels of a DataFrame's index count as columns, the order of rows and columns does not matter, and the DataFrame
        is not changed. A `RunTable` is used unchanged. Paths in a DataFrame are relative to the current folder.
    layout : str, optional
        Name of a shipped layout file, or path of a layout file; None: the layout is recognised.
    names : mapping of str to str
        How methods name features in their texts: 'features', 'x0' or 'x1'.
    aliases : mapping of str to str
        Other names of methods, as {name in the tables: name that is used}, before `names`.

    Raises
    ------
    InputError
        When a path does not exist, no row can be used, two runs become one by an alias, or the source holds measures;
        the message names file, row or column, what was expected and what was found.

    Examples
    --------
    >>> import pandas as pd, srlib
    >>> mine = {"method": ["A"], "dataset": ["d"], "repetition": [1], "model": ["0.4*x1 + x2"]}
    >>> srlib.read_runs(pd.DataFrame(mine))
    RunTable: 1 run: 1 method on 1 dataset.
    """
    table = read_results(runs, layout, aliases)
    if table.kind == "measures":
        raise InputError(
            f"single runs were expected, got measures (layout {table.layout}); compare takes them",
            table.name,
        )
    return with_names(table, names)


def read_results(
    runs: RunSources, layout: str | None = None, aliases: Mapping[str, str] = {}
) -> RunTable:
    """Return run tables or tables of measures, such as published aggregates, as one table; see `read_runs`."""
    parts, unread = _read_parts(runs, layout)
    return _join(with_aliases(parts, aliases), unread)


def read_compared(
    runs: RunSources,
    layout: str | None = None,
    names: Mapping[str, str] = {},
    aliases: Mapping[str, str] = {},
) -> list[RunTable]:
    """Return the tables to compare: all runs as one table, then each table of measures; see `read_runs`.

    Runs need no models: their values are compared.
    """
    run_parts, run_files, measures = list[RunTable](), list[Unread](), list[RunTable]()
    for source in list_sources(runs):
        parts, unread = _read_parts(source, layout, "")
        if parts and all(part.kind == "measures" for part in parts):
            measures.append(_join(parts, unread))
        else:
            run_parts += parts
            run_files += unread
    n_runs, tables = len(run_parts), with_aliases([*run_parts, *measures], aliases)
    run_parts, measures = tables[:n_runs], tables[n_runs:]
    if run_parts or not measures:
        return [with_names(_join(run_parts, run_files), names), *measures]
    return [_join(measures[:1], run_files), *measures[1:]]


def _read_parts(
    runs: RunSources, layout: str | None, model: str | None = None
) -> tuple[list[RunTable], list[Unread]]:
    """Return the tables of all sources, and the files that cannot be read.

    `model` is the model of all runs of a table that has none; None: such a table cannot be read.
    """
    given_layout = None if layout is None else load_layout(layout)
    parts, unread = list[RunTable](), list[Unread]()
    for source in list_sources(runs):
        if isinstance(source, RunTable):
            parts.append(source)
        elif isinstance(source, pd.DataFrame):
            levels = [level for level in source.index.names if level and level not in source]
            frame = source.reset_index(levels).reset_index(drop=True)
            parts.append(_make_run_table(frame, {}, Path("DataFrame"), given_layout, model, unread))
        else:  # an empty text as path would be the current folder
            require(
                source != "", "runs: a path, 'demo' or a DataFrame was expected, got an empty text"
            )
            root = DEMO / "assessments.parquet" if is_demo(source) else Path(source)
            own_layout = given_layout or folder_layout(root)
            for path in _find_tables(root, own_layout):
                try:
                    frame, damage, table_layout = _read_path(path, own_layout, root, unread)
                    parts.append(_make_run_table(frame, damage, path, table_layout, model, unread))
                except (InputError, OSError) as error:
                    unread.append(Unread(str(path), getattr(error, "reason", str(error))))
    return parts, unread


def is_demo(source: Any) -> bool:
    """Return whether a source of runs is the name of the demo.

    A folder `demo` with reports, as `srlib report demo` writes, is not a folder of runs.
    """
    if not isinstance(source, str | Path) or str(source) != "demo":
        return False
    folder = Path(source)
    return not folder.exists() or any(folder.glob("*.report.json"))


def list_sources(runs: Any) -> list[RunSource]:
    """Return the sources of run tables as a list; raise InputError for anything but a text, path or table."""
    sources: list[Any] = [runs]
    if isinstance(runs, Iterable) and not isinstance(runs, RunSource | Mapping):
        sources = list(runs)
    for source in sources:
        require(
            isinstance(source, RunSource),
            f"runs: a path, 'demo' or a DataFrame was expected, got {type(source).__name__}",
        )
    return sources


def with_aliases(tables: list[RunTable], aliases: Mapping[str, str]) -> list[RunTable]:
    """Return tables with other names of methods.

    Raises
    ------
    InputError
        When none of the tables has one of the old names, or two runs become one.
    """
    methods = sorted({name for table in tables for name in table.methods})
    for old, new in aliases.items():
        require(old in methods, f"alias: {old!r} is no method; there are {', '.join(methods)}")
        require(bool(new.strip()), f"alias: a name was expected for {old!r}, got {new!r}")
    runs = [
        table.frame[[*KEY, "status", "file", "row"]] for table in tables if table.kind != "measures"
    ]
    if aliases and runs:
        refuse_merged_runs(pd.concat(runs), aliases)
    return [
        replace(table, frame=table.frame.replace({"method": dict(aliases)})) for table in tables
    ]


def with_names(runs: RunTable, notations: Mapping[str, str]) -> RunTable:
    """Return runs with the column `names`, which states how methods name features; absent methods give a notice.

    Parameters
    ----------
    runs : RunTable
        The runs.
    notations : mapping of str to {'features', 'x0', 'x1'}
        Names in the texts of each method: names of features, or numbered from x0 or from x1.

    Raises
    ------
    InputError
        When a notation is none of these.
    """
    allowed, notices = ALLOWED_WORDS["names"], runs.notices
    require(
        isinstance(notations, Mapping) and {*notations.values()} <= {*allowed},
        f"names: METHOD={' or '.join(allowed)} was expected, got {notations!r}",
    )
    if not notations:
        return runs
    if absent := notations.keys() - set(runs.methods):
        notices += (f"names: {runs.name} has no method {listed(sorted(absent))}.",)
    names = runs.frame["method"].map(notations).astype("str")
    names = names.fillna(runs.frame.get("names", names))
    return replace(runs, frame=runs.frame.assign(names=names), notices=notices)


def _find_tables(path: Path, layout: Layout | None) -> list[Path]:
    """Return the paths to read: a file itself; of a folder its tables, and the folder if it has JSON, or no table."""
    if not path.exists():
        raise InputError(
            "no such file, and no shipped run table of that name (shipped: demo)", path
        )
    if not path.is_dir():
        return [path]
    if (path / "runs").is_dir() and (path / "runs.parquet").is_file():  # written by srlib run
        return [path / "runs.parquet"]
    is_text = layout.path_parts if layout else text_layout
    tables = [
        file for file in list_files(path) if file.name.lower().endswith(SUFFIXES) or is_text(file)
    ]
    return [path, *tables] if find_json(path) or not tables else tables


def _read_path(
    path: Path, layout: Layout | None, root: Path, unread: list[Unread]
) -> tuple[pd.DataFrame, Damage, Layout | None]:
    """Return the content, damage and layout of a table, a text file of models or SRBench's JSON files.

    Files of a folder that cannot be read are added to `unread`; links that lead out of the root are refused.
    """
    if root.is_dir() and not path.resolve().is_relative_to(root.resolve()):
        raise InputError(f"this link leads out of the folder {root}", path)
    if path.is_dir():
        frame, faults = read_json_folder(path)
        unread += [Unread(*fault) for fault in faults.items()]
        return frame, {}, layout
    is_table = path.name.lower().endswith(SUFFIXES)
    if not is_table:
        layout = layout or text_layout(path)
    if is_table or not layout:
        return *read_rows(path), layout
    lines = contents(path).decode("utf-8-sig", "surrogateescape").splitlines()
    texts = list(filter(None, map(str.strip, lines))) or [None]
    return pd.DataFrame({"model": texts}, dtype=object), {}, layout


def _make_run_table(
    frame: pd.DataFrame,
    damage: Damage,
    path: Path,
    layout: Layout | None,
    model: str | None,
    unread: list[Unread],
) -> RunTable:
    """Return a `RunTable` from a table with any columns; messages name it by the path.

    A damaged row becomes an unusable run in a table of runs; in a table of measures it is added to `unread`. An
    assessment, which srlib wrote, raises InputError.
    """
    folder, name = path, printable(path.name)
    if not path.is_dir():  # tables of folders have `file` and `row` already
        folder, frame = path.parent, set_aside(frame, ("file", "row"))
    layout = layout or recognise_layout(set(map(str, frame.columns)))
    if layout.folder or layout.path_parts(path):
        frame = runs_of(frame)  # what assessments say of their method does not count
    kind, faults = "measures" if layout is PUBLISHED_LAYOUT else kind_of(frame), list[str]()
    if kind == "runs":
        frame = layout.rename_columns(frame, path)
        kind = kind_of(frame)  # the layout may name the columns of measures
    if layout.scale and kind != "measures":
        raise InputError(
            f"scale of the layout {layout.name}: measures were expected, got {kind}", path
        )
    if layout is PUBLISHED_LAYOUT:
        table, faults = published_measures(frame, path, damage)
    elif kind == "measures":
        table, faults = check_measures(frame.assign(row=frame.index + 1), path, damage)
    elif kind == "runs":
        if model is not None and "model" not in frame:
            frame["model"] = model
        table = check_rows(frame, path, damage, layout.rows)
    else:
        for row in damage:
            raise InputError(damage[row], path, row + 1)
        table = conform(frame, ASSESSMENTS, path)
        table = with_status(table, table["model"].isna())
    unread += [Unread(str(path), fault) for fault in faults]
    if kind == "measures":  # the organizer's layout decides, no column of a table
        scale = {"scale": layout.scale} if layout.scale else {}
        table = table.drop(columns="scale", errors="ignore").assign(**scale)
    if "file" not in table:
        table = table.assign(file=name, row=table.index + 1)
    notices = list[str]()
    if layout.folder:
        place = printable(layout.folder.resolve().name)
        notices.append(
            f"{place}/{LAYOUT_FILE} says how its tables are read: {layout.source.rstrip('.')}."
        )
    if "method" in layout.files.groupindex and "method_given" in table:
        method, *_ = table["method"]
        if other_names := {*table["method_given"].dropna().astype("str")} - {method}:
            names = listed(sorted(other_names), MOST_FILES)
            notices.append(f"Method {method!r} calls itself {names} in a table; its path counts.")
    table = table.reset_index(drop=True)
    runs = RunTable(table, layout.name, folder, name, kind, tuple(notices))
    return _below(runs, layout.folder.resolve()) if layout.folder else runs


def _join(parts: list[RunTable], unread: list[Unread]) -> RunTable:
    """Return tables as one, without runs that are there twice; raise InputError if no table or no row can be used."""
    if not parts:
        raise InputError(str(unread[0]) if unread else NO_TABLE)
    if len(parts) > 1 or unread:
        parts = [_concatenate(parts, unread)]
    [table] = parts
    if table.kind != "measures":
        table = replace(table, frame=exclude_repeats(table.frame))
        unusable = table.frame[table.frame["status"] == "invalid"]
        if table.kind == "runs" and len(unusable) == len(table.frame):
            file, row, reason = unusable[["file", "row", "reason"]].iloc[0]
            if REPEATED not in str(reason):  # the ledger says it of each
                raise InputError(reason, file, row)
    return table


def _concatenate(parts: list[RunTable], unread: list[Unread]) -> RunTable:
    """Return tables as one.

    If some tables are of runs, tables of measures are left out with a notice, and assessments are converted to runs,
    as the measured values that they state cannot be trusted.
    """
    kinds = {part.kind for part in parts}
    kind: TableKind = next(kind for kind in CONTRACTS if kind in kinds)
    if kind != "measures":
        measures = [part.name for part in parts if part.kind == "measures"]
        unread = [*unread, *(Unread(name, "a table of measures") for name in measures)]
        parts = [part for part in parts if part.kind != "measures"]
    root = Path(os.path.commonpath([part.folder.resolve() for part in parts]))
    frames = list[pd.DataFrame]()
    notices = [*dict.fromkeys(notice for part in parts for notice in part.notices)]
    for part in parts:
        frame = _below(part, root).frame
        frames.append(runs_of(frame) if kind == "runs" else frame)
    table = set_types(pd.concat(frames, ignore_index=True), CONTRACTS[kind].columns)
    if kind != "measures":
        notices += name_shared_methods([frame[frame["status"] != "invalid"] for frame in frames])
        table = clear_invalid(table)
    if unread:
        notices.append(f"Not read: {first_of([*map(str, unread)], most=MOST_FILES)}.")
    unread = [*unread, *(file for part in parts for file in part.unread)]
    return RunTable(table, parts[0].layout, root, str(root), kind, tuple(notices), tuple(unread))


def _below(table: RunTable, root: Path) -> RunTable:
    """Return a table whose paths, of files and predictions, are relative to a folder above its own."""
    subfolder = table.folder.resolve().relative_to(root).as_posix()
    file = table.frame["file"].map(PurePosixPath(subfolder).joinpath).map(str)
    frame = table.frame.assign(file=file)
    if "predictions" in frame:  # an absolute path stays below, too
        frame["predictions"] = f"{subfolder}/" + frame["predictions"]
    return replace(table, frame=frame, folder=root)
