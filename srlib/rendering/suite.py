"""A suite: the notebooks of its reports and their parameters, a page for each method, looks and printed names."""

import ast
import json
import os
import re
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from srlib.errors import InputError
from srlib.files import NOTEBOOKS, file_name, shipped
from srlib.metrics import METRICS
from srlib.readers import read_results
from srlib.rendering.labels import Label, LabelsFile, check_colours, describe_unread, looks_of
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
    palette: Annotated[str | list[str], AfterValidator(check_colours)] | None = None
    """colours of methods: a name that seaborn knows, or a list of colours"""
    methods: list[str] = []
    """the methods that figures show; else all (the tables always have all)"""

    @model_validator(mode="before")
    @classmethod
    def _refuse_methods(cls, content: Any) -> Any:
        if isinstance(content, dict) and (
            "order" in content or isinstance(content.get("palette"), dict)
        ):
            raise ValueError(
                "order and colours of methods stand in labels.yaml, the file that the suite's key `labels` names"
            )
        return content


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
    labels: str = ""
    """file that says how names are printed, relative to this file, such as labels.yaml"""
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
        JSON of the suite's style, labels and participants' pages, for the notebook (see `srlib.files.STYLE_FILE`).
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
    """A suite: reports that `srlib report` renders, in this order.

    Attributes
    ----------
    labels : dict of str to Label
        Labels of methods, datasets, properties and metrics, by name.
    labels_path : Path or None
        File of the labels.
    looks : dict
        What follows from the labels and the methods of the run tables: `order`, `names`, `groups` and `colours` of a
        `srlib.displays.styling.Style`.
    notice : str
        A sentence on labels whose names no report reads; empty without any.
    """

    name: str
    title: str
    path: Path
    reports: tuple[Report, ...]
    about: dict[str, str] = field(default_factory=dict)
    style: StyleFile = field(default_factory=StyleFile)
    labels: Mapping[str, Label] = field(default_factory=dict)
    labels_path: Path | None = None
    looks: Mapping[str, Any] = field(default_factory=dict)
    notice: str = ""

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
    suite = Suite(content.suite, content.title, path, tuple(reports), about, content.style)
    if not content.labels:
        return suite
    labels_path = Path(os.path.normpath(path.parent / content.labels))
    labels = validate(LabelsFile, load_yaml(labels_path), labels_path.name).labels
    return replace(suite, labels=labels, labels_path=labels_path)


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

    The suite's labels are applied to the names of its run tables. If a run table cannot be read it has no names; the
    other reports of the suite state the reason.

    Raises
    ------
    InputError
        When two names would be printed alike, or there is nothing to render.
    """
    names = {runs_of(report): report for report in suite.reports}
    names = {runs: names_of_runs(report) for runs, report in names.items()}
    methods, datasets = (
        sorted(set[str]().union(*parts)) for parts in zip(*names.values(), strict=True)
    )
    try:
        looks = looks_of(suite.labels, methods, datasets)
    except InputError as error:
        raise InputError(f"{suite.labels_path}: {error}") from error
    read_names, notice = {*METRICS, *methods, *datasets}.union(*map(words, suite.reports)), ""
    if methods and (sentence := describe_unread(suite.labels, read_names)):
        notice = f"{suite.labels_path}: {sentence}"
    reports: list[Report] = []
    for report in suite.reports:
        if not report.for_each:
            reports.append(report)
            continue
        for method, file in page_names(names[runs_of(report)][0]).items():
            title = report.title or looks["names"].get(method, method)
            parameters, name = report.parameters | {"method": method}, f"{report.name}/{file}"
            page = replace(report, name=name, title=title, method=method, parameters=parameters)
            reports.append(page)
    if not reports:
        raise InputError(f"{suite.path}: its runs name no method, so there is nothing to render")
    return replace(suite, reports=tuple(reports), looks=looks, notice=notice)


def runs_of(report: Report) -> str:
    """Return the parameters that name a report's runs, as one text."""
    return str([report.parameters.get(key) for key in ("runs", "tables", "reading")])


def words(report: Report) -> set[str]:
    """Return the words of a report's parameters, of the YAML files that they name, and of files' names in folders."""
    texts = [str(report.parameters)]
    for key, value in report.parameters.items():
        if (path := report.path_of(key, value)) and path.is_dir():
            texts += map(str, path.rglob("*"))
        elif path and path.suffix == ".yaml":
            texts.append(path.read_text("utf-8", "replace"))
    return set(re.findall(r"[\w.@-]+", " ".join(texts)))


def with_style_and_links(suite: Suite, rendered: Collection[Report]) -> Suite:
    """Return the suite with its style and the addresses of rendered pages in each report.

    Addresses of participants' pages are limited to those made from the same runs as the report.
    """
    looks = {key: value for key, value in suite.looks.items() if value}
    style = suite.style.model_dump(exclude_defaults=True) | looks
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


def names_of_runs(report: Report) -> tuple[list[str], set[str]]:
    """Return the methods and the datasets of the runs that a report reads; nothing if they cannot be read."""
    runs = report.parameters.get("runs", "")
    try:
        root = report.path_of("runs", runs)
        tables = report.parameters.get("tables") or [""]
        aliases = report.parameters.get("reading", {}).get("alias", {})
        results = read_results([root / name for name in tables] if root else runs, aliases=aliases)
    except (InputError, OSError, ValueError):
        return [], set()
    return results.methods, set(results.frame["dataset"].astype("str"))


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
