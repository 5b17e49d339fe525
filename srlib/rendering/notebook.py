"""Execute a notebook, check that it ran to its end, and read the content that it hands over."""

import re
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbconvert.filters import strip_ansi
from papermill.exceptions import PapermillExecutionError
from papermill.execute import remove_error_markers

CHECKS_LINE = re.compile(r"^checks passed: (\d+) of (\d+)\s*$", re.MULTILINE)
CELL_LIMIT_S = 2 * 3600  # for one cell, on a busy machine
MOST_TRIES = 2  # to start a kernel: a port may be in use
INJECTED_TAG = "injected-parameters"  # tag of the cell that papermill adds


def execute(source: Path, parameters: dict[str, Any], target: Path) -> tuple[Any, str]:
    """Execute a notebook with papermill.

    Parameters
    ----------
    source : Path
        The notebook; it is executed in its own folder and not changed.
    parameters : dict
        JSON values.
    target : Path
        File for the executed copy.

    Returns
    -------
    NotebookNode, str
        The notebook as far as it came, and why it cannot be trusted; empty where it can.
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
                coalesce_streams=True,  # else a busy machine splits printed text
            )
        except PapermillExecutionError:  # the notebook has the error
            pass
        except Exception as error:  # time limits, dead kernels: whatever it is, the report failed
            text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            failure = f"The notebook stopped: {text}"
        if target.is_file():
            notebook = remove_error_markers(nbformat.read(target, as_version=4))
        if not failure or any(cell.execution_count for cell in code_cells(notebook)):
            break
    return notebook, failure or find_failure(notebook)


def read_without_outputs(source: Path) -> Any:
    """Read a notebook without its committed outputs, or an empty one when it cannot be read."""
    try:
        notebook = nbformat.read(source, as_version=4)
    except (OSError, ValueError):
        return nbformat.v4.new_notebook()
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    """Cells with code, in order, without the one in which papermill sets the parameters."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())
    return [cell for cell in cells if INJECTED_TAG not in cell.metadata.get("tags", [])]


def notes_of(notebook: Any, kind: str) -> list[dict[str, Any]]:
    """Collect the notes in the metadata of outputs of a kind (figure, table, answer), in the notebook's order."""
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    notes = (output.get("metadata", {}).get("srlib", {}) for output in outputs)
    return [note for note in notes if note.get("kind") == kind]


def find_failure(notebook: Any) -> str:
    """Say which cell failed or was never executed, or which checks are missing or did not pass; empty without any."""
    for position, cell in enumerate(code_cells(notebook), start=1):
        for output in cell.outputs:
            if output.output_type == "error":
                text = f"Code cell {position} raised {output.ename}: {output.evalue}"
                if output.ename == "NothingScoredError":  # no fault of the notebook
                    text = output.evalue
                return " ".join(strip_ansi(text).split())[:500]
        if cell.execution_count is None:
            return f"Code cell {position} was not executed."
    passed, total = count_checks(notebook)
    if not total:
        return "The last cell printed no line 'checks passed: n of m'."
    return f"Only {passed} of {total} checks passed." if passed < total else ""


def count_checks(notebook: Any) -> tuple[int, int]:
    """Read how many checks passed, and how many there are, as the last cell printed it; 0, 0 where it did not."""
    outputs = [output for cell in code_cells(notebook)[-1:] for output in cell.outputs]
    text = "".join(output.text for output in outputs if output.get("name") == "stdout")
    passed, total = (CHECKS_LINE.findall(text) or [(0, 0)])[-1]
    return int(passed), int(total)
