"""How a suite's figures look: what it states under `style`, and one look per method on all of its pages."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from srlib.errors import InputError
from srlib.files import DEMO, visible
from srlib.yaml_files import Strict

VENUES: dict[str, tuple[float, float, float]] = {
    "acm": (3.33, 7.0, 8.0),
    "elsevier": (3.54, 7.48, 7.0),
    "ieee": (3.5, 7.16, 8.0),
    "jmlr": (6.0, 6.0, 9.0),
    "lncs": (4.8, 4.8, 9.0),
    "nature": (3.5, 7.2, 7.0),
    "neurips": (5.5, 5.5, 9.0),
    "springer": (3.31, 6.85, 8.0),
}  # inches of a column and of a page's text, points of letters
METHODS = ("method", "algorithm")  # columns of run tables
MOST_BYTES = 50_000_000  # of a table that is read for its names alone


class StyleFile(Strict):
    """How figures look; whatever is not stated is as srlib has it."""

    venue: Literal[
        "acm", "elsevier", "ieee", "jmlr", "lncs", "nature", "neurips", "springer", None
    ] = None
    """where the figures are to appear: widths of a column and of a page, and the size of letters"""
    font: Annotated[str, Field(min_length=1)] | None = None
    """family of the letters, which this machine must have; else DejaVu Sans"""
    size: Annotated[float, Field(ge=4, le=16)] | None = None
    """size of the letters in points; else the venue's, or 7.5"""
    palette: str | list[str] | dict[str, str] | None = None
    """colours of methods: a name that seaborn knows, a list of colours, or colours by method"""
    order: list[str] = []
    """methods in the order in which they get their colours and markers; the others follow, page by page"""
    methods: list[str] = []
    """the methods that figures show; else all (the tables always have all)"""

    @field_validator("palette")
    @classmethod
    def _colours(cls, value: Any) -> Any:
        if value is not None:
            from srlib.displays.looks import colours

            stated = value
            if isinstance(value, dict):
                stated = list(value.values())
            try:
                colours(stated, 3)
            except InputError as error:
                raise ValueError(str(error).removeprefix("palette: ")) from error
        return value

    @field_validator("font")
    @classmethod
    def _font(cls, value: str | None) -> str | None:
        if value is not None:
            from matplotlib.font_manager import get_font_names

            if value not in get_font_names():
                raise ValueError(f"this machine has no font {value!r}")
        return value

    def handed(self) -> dict[str, Any]:
        """Give what the kernels of the suite's notebooks are told."""
        given = self.model_dump(exclude_defaults=True)
        if venue := given.pop("venue", None):
            column, page, size = VENUES[venue]
            given = {"size": size, "widths": {"column": column, "page": page}, **given}
        return given


def with_looks(suite: Any) -> Any:
    """Hand each report what the suite states of its style, and the methods of all of its pages, page by page.

    Parameters
    ----------
    suite : srlib.rendering.suite.Suite
        As it was loaded; tables that cannot be read are no matter here, for their page says so.
    """
    groups: dict[tuple[str, ...], None] = {}
    for report in suite.reports:
        try:
            groups.setdefault(tuple(sorted(set(_methods(report)))))
        except (InputError, OSError, ValueError):
            continue
    style = suite.style.handed() | {"groups": [list(group) for group in groups if group]}
    text = json.dumps(style, ensure_ascii=False, sort_keys=True)
    return replace(suite, reports=tuple(replace(r, style=text) for r in suite.reports))


def _methods(report: Any) -> Iterator[str]:
    """Names of the methods whose runs a report reads, as far as they are quickly found."""
    runs = report.stated().get("runs")
    if runs is None:
        return
    path, alias = report.path_of("runs", runs), report.stated().get("alias") or {}
    files = []
    if runs == "demo":
        files = sorted(DEMO.glob("*.parquet"))
    elif path is not None:
        tables = report.stated().get("tables") or [""]
        roots = [path / name for name in tables]
        files = [file for root in roots for file in (visible(root) if root.is_dir() else [root])]
    for file in files:
        for name in _named(file):
            yield alias.get(name, name)


def _named(file: Path) -> list[str]:
    from srlib.readers.srbench import identity
    from srlib.table_files import SUFFIXES, read_frame

    if ".json" in file.suffixes and ".jsonl" not in file.suffixes:
        said = identity(f"{file.parent.name}/{file.name}")
        return [said["algorithm"]] if said else []
    if not file.name.endswith(SUFFIXES):
        return []
    if file.suffix == ".parquet":
        import pandas as pd
        from pyarrow import parquet

        columns = [name for name in METHODS if name in parquet.read_schema(file).names][:1]
        table = pd.read_parquet(file, columns=columns)
    elif file.stat().st_size > MOST_BYTES:
        return []
    else:
        table = read_frame(file)
    found = [table[name].dropna().unique() for name in METHODS if name in table]
    return [str(name) for names in found[:1] for name in names]
