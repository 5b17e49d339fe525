"""Execute a notebook, find out whether it really came to its end, and read what it handed over."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbclient.exceptions import DeadKernelError
from papermill.exceptions import PapermillExecutionError

CHECKS = re.compile(r"^checks passed: (\d+) of (\d+)\s*$", re.MULTILINE)
INJECTED = "injected-parameters"  # tag of the cell that papermill adds
MARKER = "papermill-error-cell-tag"  # of the cells by which it points at an error
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class Failure:
    """Why a report cannot be trusted.

    Parameters
    ----------
    sentence : str
        One sentence.
    cell : int or None
        Position of the failing code cell among the code cells, from 1.
    source, detail : str
        The cell's code, and the error in full.
    """

    sentence: str
    cell: int | None = None
    source: str = ""
    detail: str = ""


def execute(
    source: Path, parameters: dict[str, Any], target: Path, time_limit_s: int
) -> tuple[Any, Failure | None]:
    """Execute a notebook with papermill.

    Parameters
    ----------
    source : Path
        The notebook; it is executed in its own folder and not changed.
    parameters : dict
        JSON values.
    target : Path
        The executed copy.
    time_limit_s : int
        Of a cell.

    Returns
    -------
    NotebookNode, Failure or None
        The notebook as far as it came, and why it cannot be trusted.
    """
    notebook, problem = _try(source, parameters, target, time_limit_s)
    started = any(cell.get("execution_count") for cell in code_cells(notebook))
    if isinstance(problem, DeadKernelError | RuntimeError) and not started:  # as by a port in use
        notebook, problem = _try(source, parameters, target, time_limit_s)
    failure = find_failure(notebook)
    if problem is not None and not (failure and "raised" in failure.sentence):
        text = " ".join(f"{type(problem).__name__}: {problem}".split())[:300]
        failure = Failure(f"The notebook stopped: {text}")
    return notebook, failure


def _try(
    source: Path, parameters: dict[str, Any], target: Path, time_limit_s: int
) -> tuple[Any, Exception | None]:
    """Execute a notebook; give it as far as it came, and what ended it but for an error that it holds."""
    problem: Exception | None = None
    try:
        papermill.execute_notebook(
            _verbatim(source),
            _verbatim(target),
            parameters=parameters,
            cwd=str(source.parent),
            kernel_name="python3",
            execution_timeout=time_limit_s,
            progress_bar=False,
            autosave_cell_every=0,
        )
    except PapermillExecutionError:
        pass
    except (
        Exception
    ) as error:  # time limits, dead kernels, ports: whatever it is, the report has failed
        problem = error
    return _read(target) or blank(source), problem


def _verbatim(path: Path) -> str:
    """Write a path for papermill, which fills in braces."""
    return str(path).replace("{", "{{").replace("}", "}}")


def _read(path: Path) -> Any:
    try:
        return nbformat.read(path, as_version=4)
    except (
        OSError,
        ValueError,
        nbformat.reader.NotJSONError,
        nbformat.validator.NotebookValidationError,
    ):
        return None


def blank(source: Path) -> Any:
    """Read a notebook without its committed outputs, or an empty one when it cannot be read."""
    notebook = _read(source) or nbformat.v4.new_notebook()
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    return notebook


def tidy(notebook: Any, parameters: dict[str, Any]) -> None:
    """Take out what differs between two executions: random ids, times, and where the files were staged."""
    notebook.metadata.pop("papermill", None)
    notebook.cells = [
        cell for cell in notebook.cells if MARKER not in cell.metadata.get("tags", [])
    ]
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if INJECTED in cell.metadata.get("tags", []):
            cell["id"] = INJECTED
            lines = (f"{key} = {value!r}" for key, value in parameters.items())
            cell.source = "\n".join(["# Parameters", *lines])


def code_cells(notebook: Any) -> list[Any]:
    """Cells with code, in order, without the one in which papermill sets the parameters."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())
    return [cell for cell in cells if INJECTED not in cell.metadata.get("tags", [])]


def bundles(notebook: Any, *kinds: str) -> list[dict[str, Any]]:
    """Collect what outputs of some kinds (figure, table, answer) say in their metadata, in the notebook's order."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    notes = (output.get("metadata", {}).get("srlib", {}) for output in outputs)
    return [dict(note) for note in notes if note.get("kind") in kinds]


def title_of(notebook: Any, default: str) -> str:
    """Text of the first heading of the first level."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    titles = re.findall(r"^# +(.+?)\s*$", "\n".join(texts), re.MULTILINE)
    return titles[0] if titles else default


def find_failure(notebook: Any) -> Failure | None:
    """Look for an error, a cell that was never executed, and checks that are missing or did not pass."""
    cells = code_cells(notebook)
    for position, cell in enumerate(cells, start=1):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return _describe_error(output, position, cell.source)
    for position, cell in enumerate(cells, start=1):
        if cell.get("execution_count") is None:
            return Failure(f"Code cell {position} was not executed.", position, cell.source)
    passed, total = checks_of(notebook)
    if not total:
        return Failure("The last cell printed no line 'checks passed: n of m'.", len(cells) or None)
    if passed != total:
        sentence, text = f"Only {passed} of {total} checks passed.", _last_text(notebook)
        return Failure(sentence, len(cells), cells[-1].source, text)
    return None


def _describe_error(output: Any, position: int, source: str) -> Failure:
    sentence = f"Code cell {position} raised {output.ename}: {output.evalue}"
    if output.ename == "KeyboardInterrupt":
        sentence = f"Code cell {position} was stopped: by its time limit, or by somebody."
    if output.ename == "NothingScoredError":  # no fault of the notebook
        return Failure(" ".join(ANSI.sub("", output.evalue).split())[:500])
    detail = ANSI.sub("", "\n".join(output.get("traceback", [])))
    return Failure(" ".join(ANSI.sub("", sentence).split())[:500], position, source, detail)


def checks_of(notebook: Any) -> tuple[int, int]:
    """Read how many checks passed, and how many there are, as the last cell printed it; 0, 0 where it did not."""
    counts = CHECKS.findall(_last_text(notebook))
    return (int(counts[-1][0]), int(counts[-1][1])) if counts else (0, 0)


def _last_text(notebook: Any) -> str:
    outputs = [output for cell in code_cells(notebook)[-1:] for output in cell.get("outputs", [])]
    return "".join(output.text for output in outputs if output.get("name") == "stdout")
