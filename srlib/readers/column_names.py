"""Layouts of run tables: how columns of other sources are named (parameters/layouts/*.yaml)."""

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from srlib.errors import InputError
from srlib.files import PARAMETERS, shipped
from srlib.prose import listed
from srlib.readers.row_checks import with_status
from srlib.readers.srbench import TRUTH_COLUMN, is_published, name_levels
from srlib.tables import RUNS, set_aside
from srlib.yaml_files import Strict, load_yaml, validate

JOINED_COLUMN = re.compile(r"\{([^{}]+)\}")
MOST_COLUMNS = 12  # in a message
SEVERAL_ROWS = (
    "a method has several rows on a dataset and no repetition; state rows: repetitions, first or last in a layout "
    "(--layout FILE; for srlib's own columns --layout submissions states repetitions)"
)
Column = Annotated[str, Field(pattern=f"^({'|'.join([*RUNS.columns, TRUTH_COLUMN])})$")]


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

    def path_parts(self, path: Path, root: Path | None = None) -> dict[str, str]:
        """Return the columns that a file's path states, with values; empty if the path does not match the layout.

        Below `root` the whole path has to match, else one of its endings.
        """
        if root is not None:
            match = self.files.fullmatch(path.relative_to(root).as_posix())
            return match.groupdict() if match else {}
        names = path.resolve().as_posix().split("/")
        for start in range(len(names)):
            if match := self.files.fullmatch("/".join(names[start:])):
                return match.groupdict()
        return {}

    def rename_columns(
        self, frame: pd.DataFrame, path: Path, root: Path | None = None
    ) -> pd.DataFrame:
        """Return a table with columns renamed to those of the runs contract; other columns are kept.

        What the layout of a folder (`root`) states replaces a column of the table, which is kept as NAME_given.

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
                    f"{listed(list(map(str, frame)), MOST_COLUMNS)}: correct the layout, or leave {ours} out of it",
                    path,
                )
            if parts and not absent:
                texts: Any = start
                for name, text in zip(parts[::2], parts[1::2], strict=True):
                    texts = texts + frame[name].astype("str") + text
                frame = frame.assign(**{source: texts})
        our_names = {theirs: ours for ours, theirs in self.columns.items() if theirs in frame}
        runs = set_aside(frame, {*our_names.values()} - our_names.keys()).rename(columns=our_names)
        runs = runs.set_axis(runs.columns.astype("str").str.strip(), axis=1)
        if not runs.columns.is_unique:  # which `check_rows` refuses
            return runs
        names = {"names": self.names} if self.names else {}
        additions = names | self.constants | self.path_parts(path, root)
        stated = {*additions} if root else {*runs, *additions}
        if missing := self.files.groupindex.keys() - stated:
            raise InputError(
                f"the layout {self.name} takes {' and '.join(sorted(missing))} from the file's path, which has to "
                f"{'be' if root else 'end with'} {self.files.pattern}",
                path,
            )
        if root:
            runs = set_aside(runs, additions)
        runs = runs.assign(**{name: value for name, value in additions.items() if name not in runs})
        if {TRUTH_COLUMN, "target_noise", "dataset"} <= set(runs):
            runs = runs.assign(dataset=name_levels(runs))
        if "repetition" not in runs and {"method", "dataset", "model"} <= set(runs):
            numbers = runs.groupby(["method", "dataset"], dropna=False).cumcount() + 1
            if self.rows is None and numbers.max() > 1:
                raise InputError(SEVERAL_ROWS, path)
            if self.columns or self.files.groupindex:
                runs = runs.assign(repetition=numbers if self.rows == "repetitions" else 1)
        if self.no_model and "model" in runs:
            runs = runs.assign(model=runs["model"].mask(runs["model"].isin(self.no_model)))
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


def text_layout(path: Path) -> Layout | None:
    """Return the shipped layout of text files whose pattern matches the path; None if there is none."""
    return next((layout for layout in shipped_layouts() if layout.path_parts(path)), None)


def folder_layout(folder: Path) -> Layout | None:
    """Return the layout that a folder of tables states in its layout.yaml; None if it states none."""
    path = folder / "layout.yaml"
    return load_layout(path) if path.is_file() else None


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
