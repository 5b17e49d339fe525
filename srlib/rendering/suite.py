"""A suite: which notebooks make which reports, with which parameters."""

import ast
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from srlib.errors import InputError
from srlib.files import NOTEBOOKS, shipped
from srlib.parameters import check_parameter
from srlib.rendering.styles import StyleFile
from srlib.yaml_files import About, Strict, load_yaml, validate

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=60)]
# parameters that take a path or the bare name of a shipped file
KINDS = ("problems", "rules", "methods")
# likewise; what lies beside the suite comes before what is shipped
OTHER_INPUTS = ("runs", "qualified")
OWN = "output_dir"  # the parameter that the renderer sets
TYPES = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "dict": dict}


class _ReportFile(Strict):
    name: Name
    """the page is NAME.html"""
    notebook: str
    """path of the notebook, relative to this file, or the bare name of one that srlib ships"""
    parameters: dict[str, Any] = {}
    """values for the notebook's parameters cell"""
    title: str = ""
    """heading of the page; else the notebook's own"""
    theme: Annotated[str, Field(max_length=60)] = ""
    """heading under which the index lists it; else by what it asks, or 'More reports'"""
    for_each: Literal["", "method"] = ""
    """method: a page NAME/METHOD.html for each method of `runs`; the notebook takes the parameter `method`"""


class SuiteFile(About):
    """The file as it stands."""

    schema_: Literal[1] = Field(alias="schema")
    """version of this layout: 1"""
    suite: Name
    """name of the suite"""
    title: Annotated[str, Field(min_length=1)]
    """title of the competition, above every page and on the index"""
    style: StyleFile = StyleFile()
    """how the figures of all reports look"""
    defaults: dict[str, Any] = {}
    """parameters of all reports: paths relative to this file, or names of shipped files"""
    reports: Annotated[list[_ReportFile], Field(min_length=1)]
    """one page each"""


@dataclass(frozen=True)
class Report:
    """One notebook with its parameters.

    Parameters
    ----------
    name : str
        Of the page: NAME.html.
    notebook : Path
        The notebook, absolute.
    parameters : dict
        As the suite states them: those of the report, and those defaults that the notebook takes.
    folder : Path
        That of the suite file, which paths among the parameters are relative to.
    about : dict of str to str
        What the suite says of the competition: date, deadline, contact and description.
    title : str
        Heading of the page; empty: the notebook's own.
    style : str
        JSON: what its figures are told of the suite's style and methods.
    theme : str
        Heading under which the index lists it; empty: by what its notebook asks.
    for_each, method : str
        'method' where it is rendered for each method, see `srlib.rendering.participants`, and then whose page it is.
    """

    name: str
    notebook: Path
    parameters: dict[str, Any]
    folder: Path
    about: dict[str, str] = field(default_factory=dict)
    title: str = ""
    style: str = ""
    theme: str = ""
    for_each: str = ""
    method: str = ""

    @property
    def entry(self) -> str:
        """Name of its entry in the suite, which may have several reports."""
        return self.name.partition("/")[0]

    def path_of(self, key: str, value: Any) -> Path | None:
        """Where a parameter points to; None if it is a bare name or no path.

        Raises
        ------
        InputError
            When a problem, rules or methods file exists neither as a path nor as a bare name.
        """
        if not isinstance(value, str) or not value:
            return None
        try:
            path = self.folder / value
            place = "/" in value or path.suffix or value == "." or key in (*KINDS, *OTHER_INPUTS)
            if place and path.exists():
                return path.resolve()
        except (OSError, ValueError):
            return None
        if key in KINDS:
            shipped(key, value)
        elif key in OTHER_INPUTS and ("/" in value or path.suffix):
            raise InputError(
                f"report {self.name!r}: {key}: {value} does not exist beside the suite file"
            )
        return None


@dataclass(frozen=True)
class Suite:
    """What `srlib report` renders, in this order."""

    name: str
    title: str
    path: Path
    reports: tuple[Report, ...]
    about: dict[str, str] = field(default_factory=dict)
    style: StyleFile = field(default_factory=StyleFile)

    def chosen(self, only: tuple[str, ...] = ()) -> tuple[Report, ...]:
        """Those reports that were asked for, by name or by the first part of NAME/METHOD; all when none was named.

        Raises
        ------
        InputError
            When the suite has no report of such a name.
        """
        entries = dict.fromkeys(report.entry for report in self.reports)
        unknown = set(only) - {*entries, *(report.name for report in self.reports)}
        if unknown:
            raise InputError(
                f"{self.path}: no report {min(unknown)!r}; its reports are {', '.join(entries)}"
            )
        return tuple(
            report for report in self.reports if not only or {report.name, report.entry} & set(only)
        )


def load_suite(name: str | Path) -> Suite:
    """Read a suite from a path or by the bare name of a shipped file, and check the parameters of its notebooks.

    Raises
    ------
    InputError
        Names file and key, what was allowed and what came.
    """
    path = shipped("suites", name).resolve()
    content = validate(SuiteFile, load_yaml(path), path.name)
    counts = Counter([report.name for report in content.reports] + ["index"])
    for repeated in [name for name, count in counts.items() if count > 1]:
        raise InputError(
            f"{path.name}: report name {repeated!r} appears twice or is taken by the index"
        )
    about = content.about()
    reports: list[Report] = []
    for entry in content.reports:
        try:
            notebook = _find_notebook(path.parent, entry.notebook)
            parameters = _check_parameters(notebook, content.defaults, entry)
        except InputError as error:
            raise InputError(f"{path.name}: report {entry.name!r}: {error}") from error
        look = {"title": entry.title, "theme": entry.theme.strip(), "for_each": entry.for_each}
        reports.append(Report(entry.name, notebook, parameters, path.parent, about, **look))
    return Suite(content.suite, content.title, path, tuple(reports), about, content.style)


def _find_notebook(folder: Path, name: str) -> Path:
    notebook = (folder / name).resolve()
    if re.fullmatch(r"[a-z_]+", name) and not notebook.exists():
        notebook = NOTEBOOKS / f"{name}.ipynb"
    if notebook.suffix != ".ipynb" or not notebook.is_file():
        raise InputError(f"no notebook {name}")
    return notebook


def _check_parameters(
    notebook: Path, defaults: dict[str, Any], entry: _ReportFile
) -> dict[str, Any]:
    """Collect what a suite states for a notebook; the notebook has to take what is stated for it alone."""
    accepted = parameters_of(notebook)
    if OWN in defaults or OWN in entry.parameters:
        raise InputError(f"{OWN} is set by the renderer")
    allowed = ", ".join(sorted(accepted)) or "none (no cell is tagged 'parameters')"
    for name in filter(None, (*entry.parameters, OWN, entry.for_each)):
        if name not in accepted:
            raise InputError(f"{notebook.name} has no parameter {name!r}; it takes {allowed}")
    parameters = {k: value for k, value in (defaults | entry.parameters).items() if k in accepted}
    for name, value in parameters.items():
        if kind := TYPES.get(accepted[name].partition("[")[0]):
            check_parameter(name, kind, value)
    return parameters


def parameters_of(notebook: Path) -> dict[str, str]:
    """Name the parameters that a notebook takes, with the types that the cell tagged 'parameters' states.

    Raises
    ------
    InputError
        When the file is no notebook, or the cell is no Python.
    """
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        texts = [
            "".join(c["source"]) for c in cells if "parameters" in c["metadata"].get("tags", [])
        ]
        statements = ast.parse("\n".join(texts[:1])).body
    except (ValueError, KeyError, TypeError, SyntaxError) as error:
        raise InputError(f"{notebook.name}: not a readable notebook ({error})") from error
    names = {}
    for statement in statements:
        if isinstance(statement, ast.AnnAssign):
            names[ast.unparse(statement.target)] = ast.unparse(statement.annotation)
        elif isinstance(statement, ast.Assign):
            names |= {ast.unparse(target): "" for target in statement.targets}
    return names
