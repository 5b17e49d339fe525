"""One report that is to be made: its notebook is executed, and its page written, in a process of its own."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from srlib.displays.suite_style import STYLE
from srlib.rendering.provenance import Provenance
from srlib.rendering.suite import OWN, Report

CELL_LIMIT_S = 2 * 3600  # for one cell, on a busy machine
# memory that a notebook has freed goes back to the system (glibc and Arrow keep a fifth of the peak otherwise)
LEAN = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2",
        "MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_MMAP_THRESHOLD_": "131072"}  # fmt: skip


@dataclass(frozen=True)
class Job:
    """A report that is to be made, and where.

    Attributes
    ----------
    report : Report
        Its notebook and parameters.
    origin : Provenance
        Where it comes from.
    suite_title : str
        Title of the suite that it belongs to.
    pages : dict of str to str
        The suite's reports that have a page, participants' ones left out: notebooks' names by reports' names.
    folder : Path
        Where it is made: what is to be published in `new`, the kernel's own files beside it.
    """

    report: Report
    origin: Provenance
    suite_title: str
    pages: dict[str, str]
    folder: Path

    @property
    def output(self) -> Path:
        """Folder for the notebook's figures and tables, beside the page."""
        return self.folder / "new" / self.report.name


def make_report(job: Job) -> tuple[dict[str, Any], float]:
    """Execute a report's notebook and write the report; to be called in a process of its own.

    Returns
    -------
    dict
        What stands in NAME.report.json.
    float
        Seconds that it took.
    """
    from srlib.rendering.notebook import execute
    from srlib.rendering.report_page import write_report

    started, report = time.monotonic(), job.report
    job.output.mkdir(parents=True, exist_ok=True)
    os.environ["IPYTHONDIR"] = str(job.folder / "ipython")  # nobody's own start-up files
    os.environ["JUPYTER_RUNTIME_DIR"] = str(job.folder / "kernels")
    os.environ.update({**LEAN, **os.environ, STYLE: report.style})
    paths = {key: report.path_of(key, value) for key, value in report.parameters.items()}
    paths[OWN] = job.output
    seen = {
        key: os.path.relpath(path, report.notebook.parent) for key, path in paths.items() if path
    }
    target = job.folder / "executed.ipynb"
    notebook, failure = execute(report.notebook, report.parameters | seen, target, CELL_LIMIT_S)
    return write_report(job, notebook, failure), time.monotonic() - started
