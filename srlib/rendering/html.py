"""From an executed notebook to one HTML page that asks the net for nothing and needs no script to be read."""

import base64
import json
import re
from collections.abc import Sequence
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

from srlib.displays.tables.spreadsheet import neutralise
from srlib.prose import html_text, visible
from srlib.rendering.handover import Failure, bundles, code_cells, title_of
from srlib.rendering.page import TEMPLATE, frame, png_address, read_template, strip_address

LARGE = 100_000  # bytes of a CSV file; a larger one lies beside the page only


def page(
    notebook: Any,
    handed: dict[str, Any],
    failure: Failure | None,
    output: Path,
    suite_title: str,
    about: dict[str, Any] | None = None,
    title: str | None = None,
    links: dict[str, str] | None = None,
    other_pages: Sequence[str] = (),
) -> str:
    """Write the page of a report; the notebook without its outputs and the LaTeX of all tables are put beside it.

    Parameters
    ----------
    notebook : NotebookNode
        Executed.
    handed : dict
        What stands in NAME.report.json.
    failure : Failure or None
        Shown first, in red, when there is one.
    output : Path
        Where the notebook wrote its figures and tables, for the downloads.
    suite_title : str
        Of the suite that the report belongs to.
    about : dict, optional
        What `srlib.rendering.provenance.about` gave; plain text.
    title : str, optional
        Heading of the page, instead of the notebook's first one.
    links : dict of str to str, optional
        Pages of the suite's other reports, by the name of their notebook.
    other_pages : sequence of str
        Names of the suite's other reports, whose pages lie beside this one.
    """
    heading = title or title_of(notebook, handed["title"])
    write_files_beside(notebook, output)
    prose = Prose()
    parts = [prose.render(cell) if cell.cell_type == "markdown" else "" for cell in notebook.cells]
    scripts = ["tables.js"] + ["what_if.js"] * bool(bundles(notebook, "readings"))
    failed = "FAILED: " * (failure is not None)
    script = "\n".join(map(read_template, scripts))
    resources = frame(f"{failed}{heading} – {suite_title}", heading, script) | {
        "report": handed,
        "failure": failure,
        "suite_title": suite_title,
        "up": "../" * handed["name"].count("/"),
        "folder": output.name,
        "about": about or {},
        "links": links or {},
        "others": other_pages,
        "strip": strip_address(handed, output),
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
    exporter.register_filter("address", partial(file_address, folder=output))
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
