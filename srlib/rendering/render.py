"""Render a suite: keep unchanged reports, make the others in parallel, and publish only whole reports."""

import os
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.errors import InputError, require
from srlib.files import PARAMETERS, STYLE_FILE
from srlib.progress import progress
from srlib.prose import counted
from srlib.rendering.page import read_report, write_index
from srlib.rendering.participants import expand_for_each, with_style_and_links
from srlib.rendering.provenance import provenance
from srlib.rendering.publish import Job, publish, rendering_lock, write_bundle
from srlib.rendering.suite import OUTPUT_DIR, load_suite
from srlib.result import Result
from srlib.workers import Outcome, bounded_map

# settings that make glibc return freed memory to the system; thresholds far below some megabytes would double the
# time, because each array would be mapped anew
MALLOC_SETTINGS = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "8388608",
        "MALLOC_MMAP_THRESHOLD_": "8388608"}  # fmt: skip
TIME_LIMIT_S = 24 * 3600  # for one report


@dataclass(frozen=True)
class RenderedReport:
    """Outcome of one report.

    Parameters
    ----------
    name : str
        Name of the report.
    state : {'executed', 'unchanged', 'failed'}
        Whether the report was executed, did not need to be, or failed.
    handed : dict
        Content of NAME.report.json.
    seconds : float
        Seconds that the report took; 0 if unchanged.
    """

    name: str
    state: str
    handed: dict[str, Any]
    seconds: float = 0.0


def render_suite(
    path: str | Path,
    out: str | Path | None = None,
    only: Iterable[str] = (),
    force: bool = False,
    bundle: bool = False,
    on_result: Callable[[RenderedReport], None] | None = None,
) -> list[RenderedReport]:
    """Render the reports of a suite that are not up to date, write the index, and return all results.

    Parameters
    ----------
    path : str or Path
        Suite file, or the bare name of a shipped one.
    out : str or Path, optional
        Folder for the pages, empty or with reports; by default reports/SUITE. OUT/NAME.html, OUT/NAME.report.json and
        the folder OUT/NAME are replaced as a whole; other files than the index are not changed.
    only : iterable of str
        Names of the reports to render; by default all.
    force : bool
        Whether unchanged reports are executed, too.
    bundle : bool
        Whether OUT/bundle is written, too: the suite with all inputs, from which the reports can be rendered again.
    on_result : callable, optional
        Called with each result as soon as it is available: unchanged reports first, others as they are rendered.

    Returns
    -------
    list of RenderedReport
        A result for each selected report, in the suite's order.

    Raises
    ------
    InputError
        When the suite or a parameter is wrong, or OUT has files that `srlib report` did not write; then nothing is
        executed.
    InterruptedResultsError
        At the end, when processes of reports were killed from outside; the old pages of these reports are kept.
    """
    suite, only = expand_for_each(load_suite(path)), set(only)
    out = Path(os.path.realpath(out or Path("reports") / suite.name))
    names = [report.name for report in suite.select(only)]
    _check_replaceable(out, names)
    pages = [
        report
        for report in suite.reports
        if report.name in names or (out / f"{report.name}.html").is_file()
    ]
    suite = with_style_and_links(suite, pages)
    origins = {report.name: provenance(report) for report in suite.reports}
    results: dict[str, RenderedReport] = {}

    def add_result(result: RenderedReport) -> None:
        results[result.name] = result
        if on_result:
            on_result(result)

    with rendering_lock(out) as staging:
        jobs = []
        for report in suite.select(only):
            origin = origins[report.name]
            content = read_report(out, report.name, origin)
            if not force and content.get("state") == "good":
                add_result(RenderedReport(report.name, "unchanged", content))
            else:
                jobs.append(Job(report, origin, staging / str(len(jobs))))
        jobs.sort(key=lambda job: bool(job.report.method))  # short ones last: no process waits
        outcomes = bounded_map(
            make_report,
            jobs,
            timeout=TIME_LIMIT_S,
            memory_bytes=0,
            preload=("srlib.rendering.report_page",),
        )
        try:
            for place, outcome in progress(outcomes, len(jobs), "reports rendered", printing=True):
                job = jobs[place]
                content, seconds = outcome.value or _write_failed_report(job, outcome)
                publish(job.folder / "new", out, job.report.name)
                state = "failed" if content["failure"] else "executed"
                add_result(RenderedReport(job.report.name, state, content, seconds))
        finally:
            write_index(suite, out, origins)
        if bundle:
            write_bundle(suite, out)
    return [results[name] for name in names]


def _check_replaceable(out: Path, names: Iterable[str]) -> None:
    """Raise InputError if the folder, or the place of a report in it, has files that `srlib report` did not write."""
    marks = {"[!.]*": "**/*.report.json"} | {name: f"{name}.report.json" for name in names}
    for pattern, mark in marks.items():
        if (files := sorted(out.glob(pattern))) and not any(out.glob(mark)):
            raise InputError(
                f"{out}: it holds {files[0].relative_to(out)}, which `srlib report` did not write; name another folder"
            )


def make_report(job: Job) -> tuple[dict[str, Any], float]:
    """Execute a report's notebook and write the report; call it in a separate process, as it sets the environment.

    Returns
    -------
    dict
        Content of NAME.report.json.
    float
        Seconds that the report took.
    """
    from srlib.rendering.notebook import execute
    from srlib.rendering.report_page import write_report

    started, report = time.monotonic(), job.report
    job.output.mkdir(parents=True, exist_ok=True)
    tempfile.tempdir = str(job.folder)
    os.environ |= MALLOC_SETTINGS | {
        "IPYTHONDIR": str(job.folder / "ipython"),  # without the user's start-up files
        "JUPYTER_RUNTIME_DIR": str(job.folder / "kernels"),
        "TMPDIR": str(job.folder),  # also removed if the process is killed
    }
    (job.output / STYLE_FILE).write_text(report.style, encoding="utf-8")
    folder = report.notebook.parent
    parameters = report.parameters | {OUTPUT_DIR: os.path.relpath(job.output, folder)}
    for key, value in report.parameters.items():
        path = report.path_of(key, value)
        if path and path != PARAMETERS / key / f"{value}.yaml":  # shipped files keep their names
            parameters[key] = os.path.relpath(path, folder)
    notebook, failure = execute(report.notebook, parameters, job.folder / "executed.ipynb")
    return write_report(job, notebook, failure), time.monotonic() - started


def _write_failed_report(job: Job, outcome: Outcome) -> tuple[dict[str, Any], float]:
    """Write a failed report for a process that gave no answer, and return its content and 0 seconds."""
    from srlib.rendering.notebook import read_without_outputs
    from srlib.rendering.report_page import write_report

    failure = f"The process that made the report gave no answer: {outcome.detail}."
    return write_report(job, read_without_outputs(job.report.notebook), failure), 0.0


class Reports(Result):
    """Result of `report`: the rendered reports.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each report: `report`, `state` (executed, unchanged or failed), `verdict`, `seconds`, `file`.
    index : pathlib.Path
        The page that lists the reports.
    failed : tuple of str
        Names of the reports that failed or in which a check failed.
    """

    title = "Reports"

    def __init__(self, rendered: list[RenderedReport], folder: Path) -> None:
        self.index = folder / "index.html"
        rows = [
            {
                "report": result.name,
                "state": result.state,
                "verdict": result.handed["verdict"],
                "seconds": result.seconds,
                "file": f"{folder / result.name}.html",
            }
            for result in rendered
        ]
        self.table = pd.DataFrame(rows)
        self.failed = tuple(result.name for result in rendered if result.state == "failed")

    @property
    def sentences(self) -> list[str]:
        """Sentences with the number of reports, the address of the index, and failed reports."""
        failed = [f"Failed: {', '.join(self.failed)}."] if self.failed else []
        return [f"{counted(len(self.table), 'report')}, listed in {self.index}.", *failed]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The reports with their verdicts."""
        return {"Reports": self.table}


def report(
    suite: str | Path,
    out: str | Path | None = None,
    *,
    only: str | Iterable[str] = (),
    force: bool = False,
    bundle: bool = False,
    on_result: Callable[[RenderedReport], None] | None = None,
) -> Reports:
    """Render reports, one HTML file each, with an index, as `srlib report` does.

    Parameters
    ----------
    suite : str or Path
        Suite file or shipped name.
    out : str or Path, optional
        Folder for the pages; by default reports/SUITE.
    only : str or iterable of str
        Names of the reports to render; by default all.
    force : bool
        Whether unchanged reports are executed, too.
    bundle : bool
        Whether OUT/bundle is written, too: all that is needed to render the reports again.
    on_result : callable, optional
        Called with the outcome of each report as soon as it is rendered.
    """
    require(
        isinstance(suite, str | Path),
        f"report: a suite file was expected, got {type(suite).__name__}",
    )
    folder = Path("reports", load_suite(suite).name) if out is None else Path(out)
    names = (only,) if isinstance(only, str) else tuple(only)
    return Reports(render_suite(suite, folder, names, force, bundle, on_result), folder)
