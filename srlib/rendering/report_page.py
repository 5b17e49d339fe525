"""From an executed notebook to NAME.report.json and one HTML page that asks the net for nothing and needs no script.

outputs with metadata `srlib` -> NAME.report.json
notebook + NAME.report.json -> nbconvert with report.html.j2 -> NAME.html
"""

import base64
import json
import re
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

import nbformat
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.exporters import TemplateExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from srlib.displays.tables.table import neutralise
from srlib.files import write_atomically
from srlib.prose import html_text, listed, visible
from srlib.rendering.job import Job
from srlib.rendering.notebook import (
    Failure,
    bundles,
    checks_of,
    code_cells,
    tidy,
    title_of,
)
from srlib.rendering.page import TEMPLATE, frame, png_address, read_template, strip_addresses
from srlib.rendering.provenance import about, versions
from srlib.rendering.suite import OWN

LARGE = 100_000  # bytes of a CSV file; a larger one lies beside the page only
ANSWER = {"certainty": "", "scope": "", "details": [], "rows": {}, "ranking": [], "rules": {}}


def write_report(job: Job, notebook: Any, failure: Failure | None) -> dict[str, Any]:
    """Write NAME.report.json (docs/tables.md, Report files), NAME.html and the files that they refer to.

    Parameters
    ----------
    job : Job
        What was to be made.
    notebook : NotebookNode
        Executed, as far as it came.
    failure : Failure or None
        Shown first, in red; then the verdict says no more than that.

    Returns
    -------
    dict
        What stands in NAME.report.json, which the index reads.
    """
    report, origin = job.report, job.origin
    tidy(notebook, report.parameters | {OWN: report.name})
    absent = [
        file
        for bundle in bundles(notebook, "figure", "table")
        for file in bundle["files"]
        if not (job.output / file).is_file()
    ]
    if absent and failure is None:
        files = listed(absent, 1)
        failure = Failure(f"The notebook did not write {files}, which the page refers to.")
    answer = next(iter(bundles(notebook, "answer")), {})
    passed, total = checks_of(notebook)
    inputs = [{"name": name, "sha256": sha} for name, sha in origin.inputs]
    handed = {key: answer.get(key, default) for key, default in ANSWER.items()} | {
        "schema": 1,
        "name": report.name,
        "title": report.title or answer.get("title") or title_of(notebook, report.name),
        "verdict": f"Failed. {failure.sentence}" if failure else answer.get("verdict", ""),
        "failure": failure.sentence if failure else "",
        "checks": {"passed": passed, "total": total},
        "inputs": inputs + answer.get("inputs", []),
        "parameters": report.parameters,
        "versions": versions(),
        "figures": bundles(notebook, "figure"),
        "tables": bundles(notebook, "table"),
    }
    write_files_beside(notebook, job.output)
    write_atomically(
        job.output.with_name(f"{job.output.name}.html"), page(job, notebook, handed, failure)
    )
    content = json.dumps(handed, indent=1, ensure_ascii=False, sort_keys=True)
    write_atomically(job.output.with_name(f"{job.output.name}.report.json"), content + "\n")
    return handed


def page(job: Job, notebook: Any, handed: dict[str, Any], failure: Failure | None) -> str:
    """Give the page of a report as HTML."""
    report = job.report
    heading = report.title or title_of(notebook, handed["title"])
    prose = Prose()
    parts = [prose.render(cell) if cell.cell_type == "markdown" else "" for cell in notebook.cells]
    scripts = ["tables.js"] + ["what_if.js"] * bool(bundles(notebook, "readings"))
    script = "\n".join(map(read_template, scripts))
    failed = "FAILED: " * (failure is not None)
    resources = frame(f"{failed}{heading} – {job.suite_title}", heading, script) | {
        "report": handed,
        "failure": failure,
        "suite_title": job.suite_title,
        "up": "../" * report.name.count("/"),
        "folder": job.output.name,
        "about": about(report),
        "links": {notebook_name: f"{name}.html" for name, notebook_name in job.pages.items()},
        "others": [name for name in job.pages if name != report.name],
        "strip": strip_addresses(handed, job.output),
        "inputs": [(item["name"], item["sha256"]) for item in handed["inputs"]],
        "parameters": {
            key: json.dumps(value, ensure_ascii=False)
            for key, value in handed["parameters"].items()
        },
        "prose": parts,
        "contents": prose.contents,
        "end": prose.end,
    }
    exporter = HTMLExporter(
        template_name="template", extra_template_basedirs=[str(TEMPLATE.parent)]
    )
    exporter.template_file = "report.html.j2"
    exporter.register_filter("text", html_text)
    exporter.register_filter("address", partial(file_address, folder=job.output))
    # HTMLExporter's own method parses and rewrites the finished page
    return TemplateExporter.from_notebook_node(exporter, notebook, resources)[0]


def write_files_beside(notebook: Any, folder: Path) -> None:
    """Write notebook.ipynb, without outputs, and latex.zip, with every table, into a report's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    source = deepcopy(notebook)
    for cell in code_cells(source):
        cell.outputs, cell.execution_count = [], None
    nbformat.write(source, folder / "notebook.ipynb")
    if tables := sorted(folder.glob("tables/*.tex")):
        with ZipFile(folder / "tables" / "latex.zip", "w") as archive:
            for table in tables:
                archive.writestr(ZipInfo(table.name), table.read_bytes())  # of no date


def file_address(file: str, folder: Path) -> str:
    """Give the address of a file for a page; pictures and CSV files that are not large are inside the page.

    Parameters
    ----------
    file : str
        Relative to the folder; the address is empty where it is not there, or leads out of the folder.
    folder : Path
        That of the report, beside its page.
    """
    path = folder / file
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        return ""
    if path.suffix == ".png":
        return png_address(path)
    if path.suffix == ".csv" and path.stat().st_size < LARGE:
        data = neutralise(path.read_bytes().decode("utf-8")).encode("utf-8")
        return f"data:text/csv;charset=utf-8;base64,{base64.b64encode(data).decode()}"
    return f"{folder.name}/{file}"


class Prose(IPythonRenderer):
    """Markdown as HTML: mathematics as MathML, and parts below headings that are folded where their cell is so tagged.

    Attributes
    ----------
    contents : list of (str, str)
        Address and HTML of each second-level heading.
    end : str
        Closes the last part.
    """

    def __init__(self) -> None:
        super().__init__(escape=False)
        self.contents: list[tuple[str, str]] = []
        self.end, self.folded, self.title = "", False, ""

    def render(self, cell: Any) -> str:
        """Convert a markdown cell."""
        self.folded = "folded" in cell.metadata.get("tags", ())
        return MarkdownWithMath(renderer=self).render(visible(cell.source))

    def inline_math(self, body: str) -> str:
        """Convert a formula."""
        return convert(body)

    def block_math(self, body: str) -> str:
        """Convert a formula on a line of its own."""
        return f'<div class="equation">{convert(body)}</div>'

    def heading(self, text: str, level: int, **_: Any) -> str:
        """Write a heading; the first of the first level is left out, as the page's head has it."""
        if level == 1 and not self.title:
            self.title = text
            return ""
        level, address = max(level, 2), slug(text)
        if level > 2:
            return f'<h{level} id="{address}">{text}</h{level}>\n'
        self.contents.append((address, text))
        before, self.end = self.end, ""
        if self.folded:  # the address lies inside: a link to it unfolds the part
            self.end = "</div></details>\n"
            summary = f"<summary><h2>{text}</h2></summary>"
            return f'{before}<details class="part">{summary}<div id="{address}">\n'
        return f'{before}<h2 id="{address}">{text}</h2>\n'


def slug(heading: str) -> str:
    """Name of a heading in addresses.

    Examples
    --------
    >>> slug("Who <em>wins</em>, and why?")
    'who-wins-and-why'
    """
    plain = re.sub(r"<[^>]*>|&\w+;", "", heading).lower()
    return re.sub(r"[^\w]+", "-", plain).strip("-") or "section"
