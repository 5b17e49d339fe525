"""Run layouts as data (parameters/layouts/*.yaml): which column of a table, or part of a file's name, says what."""

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field, field_validator

from srlib.errors import InputError
from srlib.files import PARAMETERS, contents, printable, shipped, visible
from srlib.readers.taking import LEFT_OUT
from srlib.tables import KEY, RUNS, set_aside
from srlib.yaml_files import Strict, load_yaml, validate

Column = str | tuple[str, ...]
TRUTH = "true_model"


class Claim(Strict):
    """A finding of the source that several of its columns make up."""

    any: tuple[str, ...]
    """columns of which one has to be true"""
    varies: str
    """column of a model text that must not be a constant"""


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
    columns: dict[str, Column] = {}
    """from our columns to those of the source (`a.b` for b inside of a); of several, one may be there"""
    constants: dict[str, str | int | float] = {}
    """our columns that are the same in every row"""
    files: str | None = None
    """regular expression that a file's path ends with; its named groups are columns"""
    models: Literal["table", "rows", "front"] = "table"
    """table: a row a run; of several models a run the last one counts: a row each (rows), or a line of text (front)"""
    truth: str | None = None
    """column of the true model"""
    damaged: tuple[str, ...] = ()
    """what stands in place of a truth that was lost: a line of the ledger"""
    noise: str | None = None
    """column of the noise level; where a truth is known, the dataset becomes NAME@LEVEL"""
    no_model: tuple[str, ...] = ()
    """what stands in place of the text of a model that has none"""
    ok_with: str | None = None
    """our column that makes a run without a text a good one, as those of methods that are not symbolic"""
    claims: dict[str, Claim] = {}
    """findings of the source, made up of its columns"""

    @field_validator("files")
    @classmethod
    def _pattern(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"no regular expression ({error})") from error
        return value

    def fits(self, columns: set[str]) -> bool:
        """Whether a table with such columns is of this layout."""
        return bool(self.recognised) and set(self.recognised) <= columns

    def named(self, path: Path) -> dict[str, str] | None:
        """Parts of a file's name by name; None where the file is not of this layout."""
        found = None
        if self.files:
            found = re.search(f"(?:^|/)(?:{self.files})$", path.as_posix())
        if found is None:
            return None
        return {k: v for k, v in found.groupdict().items() if v is not None}

    def taken_for(self, columns: set[str]) -> dict[str, str]:
        """From our columns to those of a table.

        Raises
        ------
        InputError
            When two columns could be one of ours.
        """
        result = {}
        for ours, theirs in self.columns.items():
            there = [
                name
                for name in ([theirs] if isinstance(theirs, str) else theirs)
                if name in columns
            ]
            if len(there) > 1:
                raise InputError(
                    f"layout {self.name}: the columns {' and '.join(map(repr, there))} could both be {ours!r}; "
                    f"say which in a layout file of your own (columns: {{{ours}: {there[0]}}})"
                )
            result |= dict.fromkeys([ours], there[0]) if there else {}
        return result

    def sources(self, columns: set[str] | None = None) -> tuple[tuple[str, str], ...]:
        """Our columns, and what each is taken from; without `columns` from files of models."""
        told = [
            (ours, f"column {theirs!r}")
            for ours, theirs in self.taken_for(columns or set()).items()
        ]
        told += [(ours, f"always {value!r}") for ours, value in self.constants.items()]
        told += [(name, "the file's name") for name in re.compile(self.files or "").groupindex]
        if columns is None:
            return (*told, ("model", "the last line of the file"))
        own = sorted(
            columns
            & set(RUNS.columns) - {ours for ours, _ in told} - set(self.taken_for(columns).values())
        )
        return (*told, *((name, f"column {name!r}") for name in own))

    def as_runs(self, frame: pd.DataFrame, path: Path | None = None) -> pd.DataFrame:
        """Give a table the columns of the runs contract; columns without a counterpart are kept as they are."""
        taken = self.taken_for(set(frame.columns))
        runs = set_aside(frame, [ours for ours in taken if ours not in taken.values()])
        runs = runs.rename(columns={theirs: ours for ours, theirs in taken.items()})
        runs = runs.assign(**{n: v for n, v in self.constants.items() if n not in runs})
        if path is not None:
            named = self.named(path.resolve()) or {}
            asked = [n for n in re.compile(self.files or "").groupindex if n not in {*runs, *named}]
            if asked:
                raise InputError(
                    f"{path}: the layout {self.name} takes {' and '.join(asked)} from the file's path, which has "
                    f"to end with {self.files}"
                )
            runs = runs.assign(**{name: value for name, value in named.items() if name not in runs})
        runs = self._with_noise(runs)
        for name, claim in self.claims.items():
            if {*claim.any, claim.varies} <= set(runs) and name not in runs:
                holds = (runs[list(claim.any)] == True).any(axis=1)  # noqa: E712 (absent is not true)
                text = runs[claim.varies]
                varies = text.astype("str").str.contains("[A-Za-z]", na=False)
                runs[name] = (holds & varies).where(text.notna())
        if self.no_model and "model" in runs:
            model = runs["model"].mask(runs["model"].isin(self.no_model))
            if self.ok_with in runs:
                default = np.where(model.isna() & runs[self.ok_with].isna(), "failed", "ok")
                stated = (
                    runs["status"]
                    if "status" in runs
                    else pd.Series(np.nan, runs.index, dtype="str")
                )
                runs["status"] = stated.where(stated.notna(), default)
            runs = runs.assign(model=model)
        if self.models == "rows" and set(KEY) <= set(runs):
            runs = _last_chosen(runs)
        return self._without_damage(runs)

    @property
    def in_tables(self) -> bool:
        """Whether its models stand in tables, and not in files of text."""
        return self.models != "front"

    def _with_noise(self, runs: pd.DataFrame) -> pd.DataFrame:
        if self.truth not in runs or self.noise not in runs:
            return runs
        levels = pd.to_numeric(runs[self.noise], errors="coerce").fillna(0.0)
        known = runs["dataset"].isin(runs.loc[runs[self.truth].notna(), "dataset"].unique())
        noise = levels.astype("float64").map("{:g}".format).astype("str")
        dataset = runs["dataset"].astype("str")
        return runs.assign(dataset=(dataset + "@" + noise).where(known | (levels > 0), dataset))

    def _without_damage(self, runs: pd.DataFrame) -> pd.DataFrame:
        lost = runs[self.truth].isin(self.damaged) if self.truth in runs else pd.Series(dtype=bool)
        if not lost.any():
            return runs
        said = (
            LEFT_OUT
            + "the true model of the source, which is none: "
            + runs[self.truth].astype("str")
        )
        reason = runs["reason"] if "reason" in runs else pd.Series(np.nan, runs.index, dtype="str")
        return runs.assign(reason=reason.where(reason.notna(), said.where(lost)),
                           **{str(self.truth): runs[self.truth].mask(lost)})  # fmt: skip

    def read_files(self, folder: Path) -> pd.DataFrame:
        """Read a folder, or one file, of models in text files, of each the last line.

        Raises
        ------
        InputError
            When no file is of this layout, or one is no text.
        """
        paths = visible(folder) if folder.is_dir() else [folder]
        rows: list[dict[str, Any]] = []
        for path in paths:
            named = self.named(path.resolve())
            if named is None:
                continue
            texts = [line.strip() for line in _text(path).splitlines() if line.strip()]
            place = printable(path.relative_to(folder).as_posix() if folder.is_dir() else path.name)
            last = {"model": texts[-1] if texts else None, "file": place, "row": max(1, len(texts))}
            rows.append(self.constants | named | last)
        if not rows:
            raise InputError(
                f"{folder}: no file is of the layout {self.name} (names end with {self.files})"
            )
        return pd.DataFrame(rows)


def _last_chosen(runs: pd.DataFrame) -> pd.DataFrame:
    """Mark the last model of each run; what the table itself says stays."""
    last = ~runs.duplicated(list(KEY), keep="last")
    return runs if "chosen" in runs else runs.assign(chosen=last)


def _text(path: Path) -> str:
    try:
        return contents(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8 (byte {error.start})") from error


@cache
def shipped_layouts() -> tuple[Layout, ...]:
    """Get the layouts of parameters/layouts, those with the most telling columns first."""
    found = [load_layout(path) for path in sorted((PARAMETERS / "layouts").glob("*.yaml"))]
    return tuple(sorted(found, key=lambda layout: -len(layout.recognised)))


def load_layout(name: str | Path) -> Layout:
    """Read a layout file.

    Parameters
    ----------
    name : str or Path
        A path, or the name of a shipped layout.

    Raises
    ------
    InputError
        When there is none of that name, or it does not say what a layout file says.
    """
    path = shipped("layouts", name)
    layout = validate(Layout, load_yaml(path), path)
    unknown = sorted({*layout.columns, *layout.constants} - {*RUNS.columns, TRUTH})
    if unknown:
        raise InputError(
            f"{path}: {unknown[0]!r} is no column of runs (known: {', '.join(RUNS.columns)}, {TRUTH})"
        )
    return layout
