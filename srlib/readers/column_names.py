"""Layouts of run tables: how columns of other sources are named (parameters/layouts/*.yaml)."""

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from srlib.errors import InputError
from srlib.files import PARAMETERS, list_files, shipped
from srlib.prose import listed
from srlib.readers.row_checks import with_status
from srlib.readers.srbench import TRUTH_COLUMN, is_published, name_levels
from srlib.tables import MEASURES, RUNS, set_aside
from srlib.workers import bounded_map
from srlib.yaml_files import Strict, load_yaml, validate

JOINED_COLUMN = re.compile(r"\{([^{}]+)\}")
MOST_COLUMNS = 12  # in a message
MATCH_SECONDS = 1.0  # that the pattern of a folder's own layout may take
LAYOUT_FILE = "layout.yaml"  # in a folder of tables
SEVERAL_ROWS = (
    "a method has several rows on a dataset and no repetition; state rows: repetitions, first or last in a layout "
    "(--layout FILE; for srlib's own columns --layout submissions states repetitions)"
)
COLUMNS = [*dict.fromkeys([*RUNS.columns, *MEASURES.columns]), TRUTH_COLUMN]
Column = Annotated[str, Field(pattern=f"^({'|'.join(COLUMNS)})$")]


class Layout(Strict):
    """A layout of run tables."""

    schema_: Literal[1] = Field(alias="schema")
    """version of the format"""
    name: str
    """how callers and reports name it"""
    source: str
    """whose results are laid out so"""
    recognised: tuple[str, ...] = ()
    """columns that a table has all of where it is of this layout"""
    columns: dict[Column, str] = {}
    """from our columns to those of the source (`a.b` for b inside of a, `{a}-{b}` for two that are joined)"""
    ignore: tuple[str, ...] = ()
    """columns of the source that are left out"""
    constants: dict[Column, str | int | float] = {}
    """our columns that are the same in every row"""
    names: Literal["features", "x0", "x1"] | None = None
    """how all texts name the features"""
    files: re.Pattern[str] = re.compile("(?!)")
    """regular expression that a file's path ends with; its named groups, none of them optional, are columns"""
    rows: Literal["repetitions", "first", "last"] | None = None
    """several rows of a method on a dataset are repetitions, or models of one run of which the first or last counts"""
    no_model: tuple[str, ...] = ()
    """texts that stand for no model; such a run is good where it has an R2"""
    scale: Literal["log"] | None = None
    """log: a comparison takes the logarithms of the values of a table of measures"""
    _folder: Path | None = None
    _matches: dict[Path, dict[str, str]] = {}

    @property
    def folder(self) -> Path | None:
        """Folder of tables that states the layout in its file layout.yaml; None: the layout is stated otherwise."""
        return self._folder

    def path_parts(self, path: Path) -> dict[str, str]:
        """Return the columns that a file's path states, with values; empty if the path does not match the layout.

        The path has to end with the pattern; where a folder states the layout, the whole path below it has to match.
        """
        if self.folder:
            return self._matches.get(path, {})
        names = path.resolve().parts[1:]
        for start in range(len(names)):
            if match := self.files.fullmatch("/".join(names[start:])):
                return match.groupdict()
        return {}

    def rename_columns(self, frame: pd.DataFrame, path: Path) -> pd.DataFrame:
        """Return a table with columns renamed to those of the runs contract; other columns are kept.

        What the layout states (its path, constants and names) counts, whatever the table says in a column of that name,
        which is kept as `NAME_given`: where the folder is the method, no table can name another one.

        If the layout has columns or a path and the table has no repetition, it is 1, or with `rows: repetitions` the
        number of the row among those of a method on a dataset.

        Raises
        ------
        InputError
            When the path lacks parts that the layout reads from it, a column of a layout without `recognised` is not in
            the table, or there are several rows of a method on a dataset, and the layout does not say what they are.
        """
        frame = frame.drop(columns=[*self.ignore], errors="ignore")
        for ours, source in self.columns.items():
            start, *parts = JOINED_COLUMN.split(source)
            absent = [name for name in parts[::2] or [source] if name not in frame]
            if absent and not self.recognised:
                raise InputError(
                    f"column {absent[0]!r} is not there, which the layout {self.name} takes {ours} from; there are "
                    f"{listed([*map(str, frame)], MOST_COLUMNS)}: correct the layout, or leave {ours} out of it",
                    path,
                )
            if parts and not absent:
                texts: Any = start
                for name, text in zip(parts[::2], parts[1::2], strict=True):
                    texts = texts + frame[name].astype("str") + text
                frame[source] = texts
        our_names = {theirs: ours for ours, theirs in self.columns.items() if theirs in frame}
        runs = set_aside(frame, {*our_names.values()} - our_names.keys()).rename(columns=our_names)
        runs = runs.set_axis(runs.columns.astype("str").str.strip(), axis=1)
        if not runs.columns.is_unique:  # which `check_rows` refuses
            return runs
        names = {"names": self.names} if self.names else {}
        additions = names | self.constants | self.path_parts(path)
        stated_names = {*additions} if self.folder else {*runs, *additions}
        if missing := self.files.groupindex.keys() - stated_names:
            raise InputError(
                f"the layout {self.name} takes {' and '.join(sorted(missing))} from the file's path, which has to end "
                f"with {self.files.pattern}",
                path,
            )
        runs = set_aside(runs, additions).assign(**additions)
        if {TRUTH_COLUMN, "target_noise", "dataset"} <= set(runs):
            runs["dataset"] = name_levels(runs)
        if "repetition" not in runs and {"method", "dataset", "model"} <= set(runs):
            numbers = runs.groupby(["method", "dataset"], dropna=False).cumcount() + 1
            if self.rows is None and numbers.max() > 1:
                raise InputError(SEVERAL_ROWS, path)
            if self.columns or self.files.groupindex:
                runs["repetition"] = numbers if self.rows == "repetitions" else 1
        if self.no_model and "model" in runs:
            runs["model"] = runs["model"].mask(runs["model"].isin(self.no_model))
            runs = with_status(runs, runs.filter(["model", "r2_test"]).isna().all(axis=1))
        return runs


TIDY_LAYOUT = Layout(schema=1, name="tidy", source="srlib")
PUBLISHED_LAYOUT = Layout(
    schema=1, name="srbench-csv", source="cavalab/srbench, tables of aggregates"
)


@cache
def shipped_layouts() -> tuple[Layout, ...]:
    """Return the layouts in parameters/layouts; those that are recognised by most columns come first."""
    layouts = map(load_layout, sorted((PARAMETERS / "layouts").glob("*.yaml")))
    return tuple(sorted(layouts, key=lambda layout: -len(layout.recognised)))


def folder_layout(folder: Path) -> Layout | None:
    """Return the layout that a folder of tables states for them in its file layout.yaml; None if there is none.

    Its pattern, like the folder, may be a stranger's: all paths are matched in one process with a limit of time.
    """
    path = folder / LAYOUT_FILE
    if not path.is_file():
        return None
    layout, files = load_layout(path), list_files(folder)
    question = layout.files, [file.relative_to(folder).as_posix() for file in files]
    limits = {"timeout": 60 * MATCH_SECONDS, "cpu_seconds": MATCH_SECONDS, "preload": [__name__]}
    [(_, outcome)] = bounded_map(match_names, [question], **limits)
    if outcome.status != "ok":
        reason = f"files: the pattern needs more than {MATCH_SECONDS:g} s for the paths"
        raise InputError(reason, path)
    layout._folder = folder
    layout._matches = dict(zip(files, outcome.value, strict=True))
    return layout


def match_names(question: tuple[re.Pattern[str], list[str]]) -> list[dict[str, str]]:
    """Return for each name the named parts of the pattern that matches it as a whole; a pattern may take any time."""
    pattern, names = question
    return [match.groupdict() if (match := pattern.fullmatch(name)) else {} for name in names]


def text_layout(path: Path) -> Layout | None:
    """Return the shipped layout of text files whose pattern matches the path; None if there is none."""
    return next((layout for layout in shipped_layouts() if layout.path_parts(path)), None)


def recognise_layout(columns: set[str]) -> Layout:
    """Return the layout of a table by its columns; srlib's own if it has all required columns, or no other fits."""
    if set(RUNS.required) <= columns:
        return TIDY_LAYOUT
    if is_published(columns):
        return PUBLISHED_LAYOUT
    for layout in shipped_layouts():
        if layout.recognised and set(layout.recognised) <= columns:
            return layout
    return TIDY_LAYOUT


def load_layout(name: str | Path) -> Layout:
    """Return a layout, read from a path or by the name of a shipped file.

    Raises
    ------
    InputError
        When the file does not exist, or is not a valid layout file.
    """
    path = shipped("layouts", name)
    return validate(Layout, load_yaml(path), path)
