"""One report in a process of its own: execute the notebook, verify it, write its page.

Called as `python -m srlib.rendering.execute STAGING`, where STAGING/job.json says what to do; the outcome is
NAME.html, NAME.report.json and the files that the notebook wrote into NAME/, made in STAGING/new.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbclient.exceptions import DeadKernelError
from papermill.exceptions import PapermillExecutionError

from srlib.files import write_atomically
from srlib.rendering.handover import (
    INJECTED,
    Failure,
    absent_files,
    code_cells,
    find_failure,
    report_json,
)
from srlib.rendering.html import page
from srlib.rendering.provenance import Provenance
from srlib.rendering.publish import JOB, seal

TIME_LIMIT_S = 2 * 3600  # for one cell, on a busy machine
MARKER = "papermill-error-cell-tag"  # cells that papermill adds to point at an error


def run(staging: Path) -> None:
    """Do the job of a staging folder; never raises for what a notebook does."""
    job = json.loads((staging / JOB).read_text(encoding="utf-8"))
    origin = Provenance(**job["origin"])
    (staging / "new" / job["name"]).mkdir(parents=True, exist_ok=True)
    notebook, failure = execute(Path(job["notebook"]), job["parameters"], staging)
    tidy(notebook, job["shown"])
    write_page(staging, job, notebook, origin, failure)


def write_page(
    staging: Path,
    job: dict[str, Any],
    notebook: Any,
    origin: Provenance,
    failure: Failure | None,
) -> None:
    """Write NAME.report.json and NAME.html, which makes the report whole: all files that it refers to are there.

    Of the job the name, the suite's title, what it says of the competition, and the page's own title are used.
    """
    new, name, title = staging / "new", job["name"], job.get("title")
    absent = absent_files(notebook, new / name)
    if absent and failure is None:
        more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        failure = Failure(
            f"The notebook did not write {absent[0]}{more}, which the page refers to."
        )
    handed = report_json(notebook, name, origin, failure)
    handed["title"] = title or handed["title"]
    suite_title, about = job["suite_title"], job.get("about")
    links, other_pages = job.get("links"), job.get("others", [])
    text = page(
        notebook, handed, failure, new / name, suite_title, about, title, links, other_pages
    )
    write_atomically(new / f"{name}.html", text)
    content = json.dumps(handed, indent=1, ensure_ascii=False, sort_keys=True)
    write_atomically(new / f"{name}.report.json", content + "\n")
    seal(staging, origin.fingerprint)


def execute(source: Path, parameters: dict[str, Any], staging: Path) -> tuple[Any, Failure | None]:
    """Execute a notebook with papermill and find out whether it really came to its end.

    Parameters
    ----------
    source : Path
        The notebook; it is executed in its own folder and not changed.
    parameters : dict
        JSON values.
    staging : Path
        Folder for what goes on beside the notebook: its executed copy, start-up files, the kernel's own.

    Returns
    -------
    NotebookNode, Failure or None
        The notebook as far as it came, and why it cannot be trusted.
    """
    target = staging / "executed.ipynb"
    os.environ["IPYTHONDIR"] = str(staging / "ipython")  # nobody's own start-up files
    os.environ["JUPYTER_RUNTIME_DIR"] = str(staging / "kernels")  # nothing is left of a killed one
    problem: Exception | None = None
    for attempt in (1, 2):
        problem = None
        try:
            papermill.execute_notebook(
                str(source).replace("{", "{{").replace("}", "}}"),
                str(target).replace("{", "{{").replace("}", "}}"),
                parameters=parameters,
                cwd=str(source.parent),
                kernel_name="python3",
                execution_timeout=TIME_LIMIT_S,
                progress_bar=False,
                autosave_cell_every=0,
            )
        except PapermillExecutionError:
            break  # the notebook holds the error
        except (
            Exception
        ) as error:  # time limits, dead kernels, ports: whatever it is, the report has failed
            problem = error
        if (
            not isinstance(problem, DeadKernelError | RuntimeError)
            or attempt == 2
            or _started(target)
        ):
            break
    notebook = _read(target) or blank(source)
    failure = find_failure(notebook)
    if problem is not None:
        text = " ".join(f"{type(problem).__name__}: {problem}".split())[:300]
        if not (failure and "raised" in failure.what):
            failure = Failure(f"The notebook stopped: {text}")
    return notebook, failure


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
            cell.source = "# Parameters\n" + "\n".join(
                f"{key} = {value!r}" for key, value in parameters.items()
            )


def blank(source: Path) -> Any:
    """Read a notebook without its committed outputs, or an empty one when it cannot be read."""
    notebook = _read(source) or nbformat.v4.new_notebook()
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    return notebook


def _started(target: Path) -> bool:
    notebook = _read(target)
    return notebook is not None and any(
        cell.get("execution_count") for cell in code_cells(notebook)
    )


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


def end_with(parent: int) -> None:
    """End as soon as the process that asked for the report is gone."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    run(Path(sys.argv[1]))
