"""Other people's column names: layouts of run tables as data (parameters/layouts/*.yaml)."""

import re
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field, field_validator

from srlib.errors import InputError
from srlib.files import PARAMETERS, shipped
from srlib.tables import KEY, RUNS, set_aside
from srlib.yaml_files import Strict, load_yaml, validate

TRUTH = "true_model"  # with the column target_noise a dataset becomes NAME@LEVEL, as SRBench counts


class Layout(Strict):
    """A layout of run tables."""

    schema_: Literal[1] = Field(alias="schema")
    """version of the format"""
    name: str
    """how `--layout` and reports call it"""
    source: str
    """whose results are laid out so"""
    recognised: tuple[str, ...] = ()
    """columns that a table has all of where it is of this layout"""
    columns: dict[str, str] = {}
    """from our columns to those of the source (`a.b` for b inside of a)"""
    constants: dict[str, str | int | float] = {}
    """our columns that are the same in every row"""
    files: str = ""
    """regular expression that a file's path ends with; its named groups are columns"""
    last_counts: bool = False
    """true where a run has several models, a row or a line of text each, of which the last one counts"""
    no_model: tuple[str, ...] = ()
    """texts that stand for no model; such a run is good where it has an R2"""

    @field_validator("files")
    @classmethod
    def _check_pattern(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"no regular expression ({error})") from error
        return value

    @field_validator("columns", "constants")
    @classmethod
    def _check_names(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value.keys() - {*RUNS.columns, TRUTH}:
            raise ValueError(
                f"{name!r} is no column of runs (known: {', '.join(RUNS.columns)}, {TRUTH})"
            )
        return value

    def path_parts(self, path: Path) -> dict[str, str]:
        """Columns that a file's path states; empty where the file is not of this layout."""
        match = re.search(f"(?:^|/)(?:{self.files})$", path.as_posix()) if self.files else None
        parts = match.groupdict() if match else {}
        return {name: text for name, text in parts.items() if text is not None}

    def origins(self, columns: set[str]) -> dict[str, str]:
        """Say what each of our columns is taken from, in a table with such columns."""
        used = {ours: theirs for ours, theirs in self.columns.items() if theirs in columns}
        origins = {ours: f"column {theirs!r}" for ours, theirs in used.items()}
        origins |= {ours: f"always {value!r}" for ours, value in self.constants.items()}
        origins |= dict.fromkeys(re.compile(self.files).groupindex, "the file's name")
        own = sorted(columns & RUNS.columns.keys() - origins.keys() - set(used.values()))
        return origins | {name: f"column {name!r}" for name in own}

    def rename_columns(self, frame: pd.DataFrame, path: Path) -> pd.DataFrame:
        """Give a table the columns of the runs contract; columns without a counterpart are kept as they are.

        Raises
        ------
        InputError
            When the path does not state what the layout takes from it.
        """
        used = {ours: theirs for ours, theirs in self.columns.items() if theirs in frame}
        runs = set_aside(frame, used.keys() - set(used.values()))
        runs = runs.rename(columns={theirs: ours for ours, theirs in used.items()})
        additions = self.constants | self.path_parts(path.resolve())
        groups = re.compile(self.files).groupindex
        if missing := [name for name in groups if name not in {*runs, *additions}]:
            raise InputError(
                f"{path}: the layout {self.name} takes {' and '.join(missing)} from the file's path, which has "
                f"to end with {self.files}"
            )
        runs = runs.assign(**{name: value for name, value in additions.items() if name not in runs})
        runs = _name_noise(runs)
        if self.no_model and "model" in runs:
            runs = runs.assign(model=runs["model"].mask(runs["model"].isin(self.no_model)))
            if "r2_test" in runs:
                failed = runs["model"].isna() & runs["r2_test"].isna()
                status = pd.Series(np.where(failed, "failed", "ok"), runs.index)
                own_status = runs.get("status", status)
                runs = runs.assign(status=own_status.where(own_status.notna(), status))
        if self.last_counts and set(KEY) <= set(runs) and "chosen" not in runs:
            runs = runs.assign(chosen=~runs.duplicated(list(KEY), keep="last"))
        return runs


def _name_noise(runs: pd.DataFrame) -> pd.DataFrame:
    """Call a dataset with a known truth or with noise NAME@LEVEL."""
    if not {TRUTH, "target_noise", "dataset"} <= set(runs):
        return runs
    levels = pd.to_numeric(runs["target_noise"], errors="coerce").fillna(0.0).astype("float64")
    has_truth = runs["dataset"].isin(runs.loc[runs[TRUTH].notna(), "dataset"].unique())
    dataset = runs["dataset"].astype("str")
    noisy = dataset + "@" + levels.map("{:g}".format).astype("str")
    return runs.assign(dataset=noisy.where(has_truth | (levels > 0), dataset))


def plain_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Give columns that differ by case and blanks only the names of the contract."""
    plain = {str(column): str(column).strip().lower().replace(" ", "_") for column in frame.columns}
    renamed = {
        column: name
        for column, name in plain.items()
        if name in RUNS.columns and name not in plain and list(plain.values()).count(name) == 1
    }
    return frame.rename(columns=renamed)


def fill_in(frame: pd.DataFrame, path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Fill in the columns method and repetition, where a table of datasets and models lacks them, and say so.

    The method is the file's name; the repetition is the seed, where no two runs of a cell share one, else the place
    among the rows of its cell.
    """
    notices = []
    if not {"dataset", "model"} <= set(frame.columns):
        return frame, ()
    if "method" not in frame:
        method = path.name.partition(".")[0]
        frame = frame.assign(method=method)
        notices.append(
            f"{path.name} has no column method: its runs are taken as those of {method!r}."
        )
    if "repetition" not in frame:
        cell = ["method", "dataset"]
        numbers = frame.groupby(cell, dropna=False).cumcount() + 1
        source = "the place of a row within its method and dataset"
        if "seed" in frame and not frame.duplicated([*cell, "seed"]).any():
            numbers, source = frame["seed"], "the seed"
        frame = frame.assign(repetition=numbers)
        notices.append(f"{path.name} has no column repetition: {source} stands for it.")
    return frame, tuple(notices)


@cache
def shipped_layouts() -> tuple[Layout, ...]:
    """Get the layouts of parameters/layouts, those that are recognised by most columns first."""
    layouts = map(load_layout, sorted((PARAMETERS / "layouts").glob("*.yaml")))
    return tuple(sorted(layouts, key=lambda layout: -len(layout.recognised)))


def load_layout(name: str | Path) -> Layout:
    """Read a layout file by its path, or by the name of a shipped layout.

    Raises
    ------
    InputError
        When there is none of that name, or it does not say what a layout file says.
    """
    path = shipped("layouts", name)
    return validate(Layout, load_yaml(path), path)
