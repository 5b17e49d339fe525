"""Execute a notebook, check that it ran to its end, and read the notes in its outputs."""

import re
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbconvert.filters import strip_ansi
from papermill.exceptions import PapermillExecutionError
from papermill.execute import remove_error_markers

CHECKS_LINE = re.compile(r"^checks passed: (\d+) of (\d+)\s*$", re.MULTILINE)
CELL_LIMIT_S = 2 * 3600  # time limit of one cell
MOST_TRIES = 2  # a kernel may fail to start because a port is in use
INJECTED_TAG = "injected-parameters"  # tag of the cell that papermill adds


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
