"""NAME.report.json and the HTML page of an executed notebook; the page makes no request and needs no script.

outputs with metadata `srlib` -> NAME.report.json
notebook + NAME.report.json -> nbconvert with report.html.j2 -> NAME.html
"""

import json
import re
from typing import Any
from zipfile import ZipFile, ZipInfo

import nbformat
from latex2mathml.converter import convert
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from srlib.files import write_atomically
from srlib.prose import visible
from srlib.rendering.notebook import INJECTED_TAG, count_checks, notes_of, read_without_outputs
from srlib.rendering.page import fill_page, read_template
from srlib.rendering.provenance import competition_facts, versions
from srlib.rendering.publish import Job
from srlib.rendering.suite import Report

ANSWER_DEFAULTS = {
    "certainty": "",
    "scope": "",
    "details": [],
    "rows": {},
    "ranking": [],
    "rules": {},
    "facts": {},
}


def write_report(job: Job, notebook: Any, failure: str) -> dict[str, Any]:
    """Write NAME.report.json (docs/tables.md, Report files), NAME.html and the files that they refer to.

    Parameters
    ----------
    job : Job
        The job with the report and its folder.
    notebook : NotebookNode
        The notebook, as far as it was executed.
    failure : str
        Reason why the notebook failed, which the page shows first, in red, in place of the verdict; empty if it did
        not.

    Returns
    -------
    dict
        Content of NAME.report.json, which the index reads.
    """
    report, folder = job.report, job.output
    figures, tables = notes_of(notebook, "figure"), notes_of(notebook, "table")
    missing = [
        file for note in figures + tables for file in note["files"] if not (folder / file).is_file()
    ]
    if missing and not failure:
        failure = f"The notebook did not write {missing[0]}, which the page refers to."
    answer = next(iter(notes_of(notebook, "answer")), {})
    passed, total = count_checks(notebook)
    content = {key: answer.get(key, default) for key, default in ANSWER_DEFAULTS.items()} | {
        "schema": 1,
        "name": report.name,
        "title": report.title or answer.get("title", report.name),
        "verdict": f"Failed. {failure}" if failure else answer.get("verdict", ""),
        "failure": failure,
        "checks": {"passed": passed, "total": total},
        "fingerprint": job.origin.fingerprint,
        "inputs": [*job.origin.inputs, *answer.get("inputs", [])],
        "parameters": report.parameters,
        "versions": versions(),
        "figures": figures,
        "tables": tables,
    }
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(with_parameters(report), folder / "notebook.ipynb")
    if paths := sorted(folder.glob("tables/*.tex")):
        with ZipFile(folder / "tables" / "latex.zip", "w") as archive:
            for path in paths:
                archive.writestr(ZipInfo(path.name), path.read_bytes())  # without a date
    write_atomically(f"{folder}.html", make_page(job, notebook, content))
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    write_atomically(f"{folder}.report.json", text + "\n")
    return content


def with_parameters(report: Report) -> Any:
    """Return a report's notebook without outputs, with a cell of the suite's parameters where papermill injects one."""
    notebook = read_without_outputs(report.notebook)
    lines = [f"{key} = {value!r}" for key, value in report.parameters.items()]
    options = {"id": INJECTED_TAG, "metadata": {"tags": [INJECTED_TAG]}}
    tagged = ("parameters" in cell.metadata.get("tags", []) for cell in notebook.cells)
    place = next((place for place, is_tagged in enumerate(tagged, start=1) if is_tagged), 0)
    notebook.cells.insert(place, nbformat.v4.new_code_cell("\n".join(lines), **options))
    return notebook


def make_page(job: Job, notebook: Any, content: dict[str, Any]) -> str:
    """Return the page of a report as HTML."""
    prose, report = Prose(), job.report
    parts = [prose.render(cell) if cell.cell_type == "markdown" else "" for cell in notebook.cells]
    return fill_page(
        f"{'FAILED: ' if content['failure'] else ''}{content['title']} – {report.suite_title}",
        content["title"],
        "report.html.j2",
        job.output,
        read_template("tables.js") + read_template("what_if.js"),
        notebook,
        report=content,
        entry=report,
        about=competition_facts(report),
        prose=prose,
        parts=parts,
    )


class Prose(IPythonRenderer):
    """Renderer of Markdown cells as HTML: mathematics becomes MathML, and sections of cells tagged `folded` are folded.

    Attributes
    ----------
    contents : list of (str, str)
        Address and HTML of each second-level heading.
    end : str
        HTML that closes the current section; empty if it is not folded.
    folded : bool
        Whether the current cell is tagged `folded`.
    title : str
        The first first-level heading, which is left out because the page's head has it.
    """

    def __init__(self) -> None:
        super().__init__(escape=False)
        self.contents: list[tuple[str, str]] = []
        self.end, self.folded, self.title = "", False, ""

    def render(self, cell: Any) -> str:
        """Return a Markdown cell as HTML."""
        self.folded = "folded" in cell.metadata.get("tags", ())
        return MarkdownWithMath(renderer=self).render(visible(cell.source))

    def inline_math(self, body: str) -> str:
        """Return a formula in a line of text as MathML."""
        return convert(body)

    def block_math(self, body: str) -> str:
        """Return a formula on a line of its own as MathML."""
        return f'<div class="equation">{convert(body)}</div>'

    def heading(self, text: str, level: int, **_: Any) -> str:
        """Return a heading as HTML; empty for the first of the first level, which the page's head has."""
        if level == 1 and not self.title:
            self.title = text
            return ""
        level, address = max(level, 2), slug(text)
        if level > 2:
            return f'<h{level} id="{address}">{text}</h{level}>\n'
        self.contents.append((address, text))
        before, self.end = self.end, ""
        if self.folded:  # the id is inside, so that a link to it unfolds the section
            self.end = "</div></details>\n"
            summary = f"<summary><h2>{text}</h2></summary>"
            return f'{before}<details class="part">{summary}<div id="{address}">\n'
        return f'{before}<h2 id="{address}">{text}</h2>\n'


def slug(heading: str) -> str:
    """Return the id of a heading, as used in addresses.

    Examples
    --------
    >>> slug("Who <em>wins</em>, and why?")
    'who-wins-and-why'
    """
    plain = re.sub(r"<[^>]*>|&\w+;", "", heading).lower()
    return re.sub(r"[^\w]+", "-", plain).strip("-") or "section"
