"""A suite: the notebooks of its reports and their parameters, a page for each method, and a look for each method."""

import ast
import json
import os
import re
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from srlib.errors import InputError
from srlib.files import NOTEBOOKS, file_name, shipped
from srlib.readers import read_results
from srlib.yaml_files import About, Strict, check_parameter, load_yaml, validate

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=60)]
Inches = Annotated[float, Field(ge=1, le=20)]
# parameters that take a path or the bare name of a shipped file
SHIPPED_KINDS = ("problems", "rules", "methods")
# likewise; files beside the suite take precedence over shipped ones
OTHER_INPUTS = ("runs", "qualified")
OUTPUT_DIR = "output_dir"  # the parameter that the renderer sets
TYPES = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "dict": dict}
PLAIN_NAME = re.compile(
    r"""(?!.*-[0-9a-f]{6}$)                        # as those that are not plain end
    (?!(?i:con|prn|aux|nul|com\d|lpt\d)(\.|$))    # reserved by Windows
    [A-Za-z0-9]([A-Za-z0-9._-]{0,58}[A-Za-z0-9_-])?""",
    re.VERBOSE,
)


class StyleFile(Strict):
    """Style of a suite's figures; settings that are not stated have srlib's defaults."""

    widths: Annotated[dict[Literal["column", "page"], Inches], Field(min_length=2)] | None = None
    """inches of a column and of a page's text where the figures are to appear, such as {column: 3.48, page: 7.13}"""
    size: Annotated[float, Field(ge=4, le=16)] | None = None
    """size of the letters in points; else 7.5"""
    palette: str | list[str] | dict[str, str] | None = None
    """colours of methods: a name that seaborn knows, a list of colours, or colours by method"""
    order: list[str] = []
    """methods in the order in which they get their colours and markers; the others follow, sorted"""
    methods: list[str] = []
    """the methods that figures show; else all (the tables always have all)"""

    @field_validator("palette")
    @classmethod
    def _check_palette(cls, value: Any) -> Any:
        from srlib.displays.styling import colours  # loads matplotlib

        try:
            colours(list(value.values()) if isinstance(value, dict) else value, 99)
        except InputError as error:
            raise ValueError(str(error).removeprefix("palette: ")) from error
        return value


class _ReportFile(Strict):
    name: Name
    """the page is NAME.html"""
    notebook: str
    """path of the notebook, relative to this file, or the bare name of one that srlib ships"""
    parameters: dict[str, Any] = {}
    """values for the notebook's parameters cell"""
    title: str = ""
    """heading of the page; else that of the notebook's answer"""
    theme: Annotated[str, Field(max_length=60)] = ""
    """heading under which the index lists it, in alphabetical order; else 'Pages'"""
    for_each: Literal["", "method"] = ""
    """method: a page NAME/METHOD.html for each method of `runs`; the notebook takes the parameter `method`"""


class SuiteFile(About):
    """Content of a suite file."""

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
        Name of the page: NAME.html.
    notebook : Path
        The notebook, absolute.
    parameters : dict
        Parameters that the suite states for the report, and those of its defaults that the notebook takes.
    folder : Path
        Folder of the suite file; paths among the parameters are relative to it.
    about : dict of str to str
        Facts about the competition: date, deadline, contact and description.
    title : str
        Heading of the page; if empty, that of the notebook's answer.
    theme : str
        Heading under which the index lists the page; if empty, 'Pages'.
    for_each, method : str
        `for_each` is 'method' if the entry is rendered for each method, and `method` is then the method of the page;
        else both are empty (see `expand_for_each`).
    suite_title : str
        Title of the suite.
    style : str
        JSON of the suite's style and participants' pages, for the notebook (see `srlib.files.STYLE_FILE`).
    links : dict of str to str
        Addresses of the suite's pages by the names of their notebooks, without participants' pages; empty for a
        participant's page.
    """

    name: str
    notebook: Path
    parameters: dict[str, Any]
    folder: Path
    about: dict[str, str] = field(default_factory=dict)
    title: str = ""
    theme: str = ""
    for_each: str = ""
    method: str = ""
    suite_title: str = ""
    style: str = ""
    links: dict[str, str] = field(default_factory=dict)

    @property
    def entry(self) -> str:
        """Name of the report's entry in the suite; an entry with `for_each` has several reports."""
        return self.name.partition("/")[0]

    def path_of(self, key: str, value: Any) -> Path | None:
        """Return the file that a parameter names, beside the suite or else shipped; None if the value names no file.

        Raises
        ------
        InputError
            When the parameter takes a file and its value names none.
        """
        if not isinstance(value, str) or not value:
            return None
        path = Path(os.path.normpath(self.folder / value))
        is_path = "/" in value or path.suffix
        with suppress(OSError):  # a text that is too long for a path
            if (is_path or key in (*SHIPPED_KINDS, *OTHER_INPUTS)) and path.exists():
                return path
        if key in SHIPPED_KINDS:
            return shipped(key, value)
        if key in OTHER_INPUTS and is_path:
            raise InputError(
                f"report {self.name!r}: {key}: {value} does not exist beside the suite file"
            )
        return None


@dataclass(frozen=True)
class Suite:
    """A suite: reports that `srlib report` renders, in this order."""

    name: str
    title: str
    path: Path
    reports: tuple[Report, ...]
    about: dict[str, str] = field(default_factory=dict)
    style: StyleFile = field(default_factory=StyleFile)

    def select(self, only: set[str]) -> tuple[Report, ...]:
        """Return the reports with these names, or with these first parts of NAME/METHOD; all if `only` is empty.

        Raises
        ------
        InputError
            When the suite has no report of such a name.
        """
        entries = dict.fromkeys(report.entry for report in self.reports)
        if unknown := only - {*entries, *(report.name for report in self.reports)}:
            raise InputError(
                f"{self.path}: no report {min(unknown)!r}; its reports are {', '.join(entries)}"
            )
        return tuple(
            report for report in self.reports if not only or {report.name, report.entry} & only
        )


def load_suite(name: str | Path) -> Suite:
    """Read a suite from a path or by the bare name of a shipped file, and check the parameters of its notebooks.

    Raises
    ------
    InputError
        When the file is not a valid suite; the message names file and key, what was allowed and what came.
    """
    path = shipped("suites", name).resolve()
    content = validate(SuiteFile, load_yaml(path), path.name)
    names = ["index", *(report.name for report in content.reports)]
    repeated = max(names, key=names.count)
    if names.count(repeated) > 1:
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
        reports.append(
            Report(
                entry.name,
                notebook,
                parameters,
                folder=path.parent,
                about=about,
                title=entry.title,
                theme=entry.theme,
                for_each=entry.for_each,
                suite_title=content.title,
            )
        )
    return Suite(content.suite, content.title, path, tuple(reports), about, content.style)


def _find_notebook(folder: Path, name: str) -> Path:
    """Return the path of a notebook beside the suite, or of a shipped notebook with that name."""
    notebook = (folder / name).resolve()
    if "/" not in name and not notebook.exists():
        notebook = NOTEBOOKS / f"{name}.ipynb"
    if not notebook.is_file():
        raise InputError(f"no notebook {name} beside the suite, and srlib ships none of that name")
    return notebook


def _check_parameters(
    notebook: Path, defaults: dict[str, Any], entry: _ReportFile
) -> dict[str, Any]:
    """Return an entry's parameters and the suite's defaults that the notebook takes, and check their types.

    InputError is raised if the notebook does not take a parameter of the entry itself.
    """
    accepted = parameters_of(notebook)
    accepted.pop(OUTPUT_DIR, None)
    allowed = ", ".join(sorted(accepted)) or "none (no cell tagged 'parameters' states a type)"
    for name in filter(None, (*entry.parameters, entry.for_each)):
        if name not in accepted:
            raise InputError(f"{notebook.name} has no parameter {name!r}; it takes {allowed}")
    parameters = {k: value for k, value in (defaults | entry.parameters).items() if k in accepted}
    for name, value in parameters.items():
        if expected_type := TYPES.get(accepted[name].partition("[")[0]):
            check_parameter(name, expected_type, value)
    if entry.for_each and not parameters.get("runs"):
        raise InputError("for_each: the parameter 'runs' has to name the methods' runs")
    return parameters


def parameters_of(notebook: Path) -> dict[str, str]:
    """Return {parameter: type} from the annotations, such as `n: int = 1`, in a notebook's cell tagged 'parameters'.

    Raises
    ------
    InputError
        When the file is not a notebook, or the cell is not valid Python.
    """
    try:
        statements = ast.parse("\n".join(read_code(notebook, "parameters")[:1])).body
    except (ValueError, SyntaxError) as error:
        raise InputError(f"{notebook.name}: not a readable notebook ({error})") from error
    parameters = [node for node in statements if isinstance(node, ast.AnnAssign)]
    return {ast.unparse(node.target): ast.unparse(node.annotation) for node in parameters}


def read_code(notebook: Path, tag: str = "") -> list[str]:
    """Return the code of a notebook's cells, or of those with a tag.

    Raises
    ------
    InputError
        When the file is not a notebook.
    """
    try:
        return [
            "".join(cell["source"])
            for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
            if cell["cell_type"] == "code" and (not tag or tag in cell["metadata"].get("tags", ()))
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{notebook.name}: not a readable notebook ({error})") from error


def expand_for_each(suite: Suite) -> Suite:
    """Return the suite with a report NAME/METHOD for each method in place of each entry with `for_each`.

    All methods are added to `order` of the suite's style. If a run table cannot be read it has no methods; the other
    reports of the suite state the reason.
    """
    reports: list[Report] = []
    methods: dict[str, list[str]] = {}  # keyed by the parameters that name the runs
    for report in suite.reports:
        source = str([report.parameters.get(key) for key in ("runs", "tables")])
        if source not in methods:
            methods[source] = methods_of(report)
        if not report.for_each:
            reports.append(report)
            continue
        for method, file in page_names(methods[source]).items():
            name, title = f"{report.name}/{file}", report.title or method
            parameters = report.parameters | {"method": method}
            page = replace(report, name=name, title=title, method=method, parameters=parameters)
            reports.append(page)
    if not reports:
        raise InputError(f"{suite.path}: its runs name no method, so there is nothing to render")
    order = dict.fromkeys([*suite.style.order, *sorted(set().union(*methods.values()))])
    style = suite.style.model_copy(update={"order": list(order)})
    return replace(suite, reports=tuple(reports), style=style)


def with_style_and_links(suite: Suite, rendered: Collection[Report]) -> Suite:
    """Return the suite with its style and the addresses of rendered pages in each report.

    Addresses of participants' pages are limited to those made from the same runs as the report.
    """
    style = suite.style.model_dump(exclude_defaults=True)
    links = {page.notebook.stem: f"{page.name}.html" for page in rendered if not page.method}
    reports = []
    for report in suite.reports:
        runs = report.parameters.get("runs")
        addresses = {
            page.method: f"{page.name}.html"
            for page in rendered
            if page.method and page.parameters["runs"] == runs
        }
        text = json.dumps(style | {"participants": addresses}, ensure_ascii=False, sort_keys=True)
        reports.append(replace(report, style=text, links={} if report.method else links))
    return replace(suite, reports=tuple(reports))


def methods_of(report: Report) -> list[str]:
    """Return the names of the methods whose runs a report reads; an empty list if they cannot be read."""
    runs = report.parameters.get("runs", "")
    try:
        root = report.path_of("runs", runs)
        tables = report.parameters.get("tables") or [""]
        return read_results([root / name for name in tables] if root else runs).methods
    except (InputError, OSError, ValueError):
        return []


def page_names(methods: list[str]) -> dict[str, str]:
    """Return {method: file name of its page}: the method's name if plain and unique without case, else with a hash.

    Examples
    --------
    >>> page_names(["PySR", "a", "A", "../x"])
    {'PySR': 'PySR', 'a': 'a-4ed7fa', 'A': 'a-c86782', '../x': 'x-34f5d9'}
    """
    counts = Counter(name.lower() for name in methods)
    return {
        name: name
        if PLAIN_NAME.fullmatch(name) and counts[name.lower()] == 1
        else file_name(f"{name} ")  # the space makes any name get a hash
        for name in methods
    }
