"""How a suite's figures look: what it states under `style`, and one look per method on all of its pages."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from srlib.errors import InputError
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


class StyleFile(Strict):
    """How figures look; whatever is not stated is as srlib has it."""

    venue: Literal[
        "acm", "elsevier", "ieee", "jmlr", "lncs", "nature", "neurips", "springer", None
    ] = None
    """where the figures are to appear: widths of a column and of a page, and the size of letters"""
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
            from srlib.displays.looks import colours  # what reads suites does without matplotlib

            try:
                colours(list(value.values()) if isinstance(value, dict) else value, 3)
            except InputError as error:
                raise ValueError(str(error).removeprefix("palette: ")) from error
        return value

    def handed(self) -> dict[str, Any]:
        """Give what the kernels of the suite's notebooks are told."""
        settings = self.model_dump(exclude_defaults=True)
        if venue := settings.pop("venue", None):
            column, page, size = VENUES[venue]
            settings = {"size": size, "widths": {"column": column, "page": page}, **settings}
        return settings


def with_looks(suite: Any, rendered: Iterable[Any]) -> Any:
    """Hand each report the suite's style, the methods of all pages in one order, and its participants' pages.

    Parameters
    ----------
    suite : srlib.rendering.suite.Suite
        As it was loaded; tables that cannot be read are no matter here, for their page says so.
    rendered : iterable of srlib.rendering.suite.Report
        Those of its reports that have a page, or are to have one.
    """
    style = suite.style.handed()
    tables = {file for report in suite.reports for file in _run_tables(report)}
    names = sorted({name for file in tables for name in _methods(file)})
    style["order"] = list(dict.fromkeys([*suite.style.order, *names]))
    reports = []
    for report in suite.reports:
        pages = {
            page.method: f"{page.name}.html"
            for page in rendered
            if page.method and not report.method and _same_runs(page, report)
        }
        text = json.dumps(style | {"participants": pages}, ensure_ascii=False, sort_keys=True)
        reports.append(replace(report, style=text))
    return replace(suite, reports=tuple(reports))


def _same_runs(report: Any, other: Any) -> bool:
    first, second = report.parameters, other.parameters
    return all(first.get(key) == second.get(key) for key in ("runs", "problems"))


def _run_tables(report: Any) -> list[str | Path]:
    """Files and folders of the runs that a report reads, or demo; none where they are not there."""
    runs = report.parameters.get("runs")
    try:
        path = report.path_of("runs", runs)
    except InputError:
        return []
    if path is not None:
        return [path / name for name in report.parameters.get("tables") or [""]]
    return ["demo"] if runs == "demo" else []


def _methods(table: str | Path) -> list[str]:
    """Names of the methods whose runs a table holds, as far as it can be read."""
    from srlib.readers import read_results

    try:
        return list(read_results(table).frame["method"].astype("str").unique())
    except (InputError, OSError, ValueError):
        return []
