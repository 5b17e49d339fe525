"""Execute a notebook, and write its NAME.report.json and its HTML page, which makes no request and needs no script.

outputs with metadata `srlib` -> NAME.report.json
notebook + NAME.report.json -> nbconvert with report.html.j2 -> NAME.html
"""

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import papermill
from latex2mathml.converter import convert
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from papermill.exceptions import PapermillExecutionError
from papermill.execute import remove_error_markers

from srlib.files import write_atomically
from srlib.prose import visible
from srlib.rendering.page import fill_page, read_template
from srlib.rendering.provenance import Job, competition_facts, versions
from srlib.rendering.suite import Report

CHECKS_LINE = re.compile(r"^checks passed: (\d+) of (\d+)\s*$", re.MULTILINE)
CELL_LIMIT_S = 2 * 3600  # time limit of one cell
MOST_TRIES = 2  # a kernel may fail to start because a port is in use
INJECTED_TAG = "injected-parameters"  # tag of the cell that papermill adds
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
        read_template("tables.js") + "enhance(document);\n" + read_template("what_if.js"),
        notebook,
        report=content,
        entry=report,
        about=competition_facts(report),
        prose=prose,
        parts=parts,
        names=json.loads(report.style or "{}").get("names", {}),
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


def execute(source: Path, parameters: dict[str, Any], target: Path) -> tuple[Any, str]:
    """Execute a notebook with papermill and return the executed copy.

    Parameters
    ----------
    source : Path
        The notebook; it is executed in its own folder and not changed.
    parameters : dict
        Values of the notebook's parameters, as JSON has them.
    target : Path
        File for the executed copy.

    Returns
    -------
    NotebookNode, str
        The notebook as far as it was executed, and the reason why it failed; empty if it did not.
    """
    paths = [str(path).replace("{", "{{").replace("}", "}}") for path in (source, target)]
    notebook, failure = read_without_outputs(source), ""
    for _ in range(MOST_TRIES):
        failure = ""
        try:
            papermill.execute_notebook(
                *paths,
                parameters=parameters,
                cwd=str(source.parent),
                kernel_name="python3",
                execution_timeout=CELL_LIMIT_S,
                progress_bar=False,
                autosave_cell_every=0,
                coalesce_streams=True,  # otherwise printed text may be split, depending on timing
            )
        except PapermillExecutionError:  # the error is in the notebook
            pass
        except Exception as error:  # such as time limits or dead kernels
            text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            failure = f"The notebook stopped: {text}"
        if target.is_file():
            notebook = remove_error_markers(nbformat.read(target, as_version=4))
        if not failure or any(cell.execution_count for cell in code_cells(notebook)):
            break
    return notebook, failure or find_failure(notebook)


def read_without_outputs(source: Path) -> Any:
    """Read a notebook without its outputs; return an empty notebook if it cannot be read."""
    try:
        notebook = nbformat.read(source, as_version=4)
    except (OSError, ValueError):
        return nbformat.v4.new_notebook()
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    """Return the cells with code, in order, without the cell in which papermill sets the parameters."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())
    return [cell for cell in cells if INJECTED_TAG not in cell.metadata.get("tags", [])]


def notes_of(notebook: Any, kind: str) -> list[dict[str, Any]]:
    """Return the notes of a kind (figure, table, answer) in the outputs' metadata, in the notebook's order."""
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    notes = (output.get("metadata", {}).get("srlib", {}) for output in outputs)
    return [note for note in notes if note.get("kind") == kind]


def find_failure(notebook: Any) -> str:
    """Return a sentence about the first cell that failed or did not run, or about failed checks; empty without any."""
    for position, cell in enumerate(code_cells(notebook), start=1):
        for output in cell.outputs:
            if output.output_type == "error":
                text = f"Code cell {position} raised {output.ename}: {output.evalue}"
                if output.ename == "NothingScoredError":  # no error of the notebook
                    text = output.evalue
                return " ".join(strip_ansi(text).split())[:500]
        if cell.execution_count is None:
            return f"Code cell {position} was not executed."
    passed, total = count_checks(notebook)
    if not total:
        return "The last cell printed no line 'checks passed: n of m'."
    return f"Only {passed} of {total} checks passed." if passed < total else ""


def count_checks(notebook: Any) -> tuple[int, int]:
    """Return how many checks passed and how many there are, as the last cell printed them; (0, 0) if it did not."""
    outputs = [output for cell in code_cells(notebook)[-1:] for output in cell.outputs]
    text = "".join(output.text for output in outputs if output.get("name") == "stdout")
    passed, total = (CHECKS_LINE.findall(text) or [(0, 0)])[-1]
    return int(passed), int(total)
