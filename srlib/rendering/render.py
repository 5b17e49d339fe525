"""Render a suite: leave what is unchanged, make the rest side by side, publish whole reports only."""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from srlib.displays.conventions import STYLE
from srlib.errors import InputError, InterruptedResultsError
from srlib.files import write_atomically
from srlib.folders import read_json
from srlib.progress import progress
from srlib.rendering.bundle import write_bundle
from srlib.rendering.index import write_index
from srlib.rendering.job import Job
from srlib.rendering.participants import expand_for_each, with_looks
from srlib.rendering.provenance import Provenance, provenance
from srlib.rendering.publish import changed, publish, rendering_lock, state_of
from srlib.rendering.suite import OWN, Report, Suite, load_suite
from srlib.workers import Outcome, bounded_map

CELL_LIMIT_S = 2 * 3600  # for one cell, on a busy machine
# memory that a notebook has freed goes back to the system (glibc and Arrow keep a fifth of the peak otherwise); limits
# far below some megabytes would map every array anew, which takes twice as long
LEAN = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2",
        "MALLOC_TRIM_THRESHOLD_": "8388608", "MALLOC_MMAP_THRESHOLD_": "8388608"}  # fmt: skip
TIME_LIMIT_S = 24 * 3600  # for one report
PRELOAD = ("srlib.rendering.report_page",)
JOBS = max(2, os.cpu_count() or 1)
NOTE = "rendered.json"  # when, and what was executed: beside the pages, which are the same for the same inputs


@dataclass(frozen=True)
class Result:
    """What became of one report.

    Parameters
    ----------
    name : str
        Of the report.
    state : {'executed', 'unchanged', 'failed'}
        Whether it was executed now, needed not be, or cannot be trusted.
    handed : dict
        What stands in NAME.report.json.
    seconds : float
        It took.
    edited : tuple of str
        Files that somebody had changed since they were written, and that were written again.
    """

    name: str
    state: str
    handed: dict[str, Any]
    seconds: float = 0.0
    edited: tuple[str, ...] = ()


def render_suite(
    path: str | Path,
    out: str | Path | None = None,
    only: Iterable[str] = (),
    force: bool = False,
    bundle: bool = False,
    on_result: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Render the reports of a suite that are not up to date, and the index.

    Parameters
    ----------
    path : str or Path
        Suite file, or the bare name of a shipped one.
    out : str or Path, optional
        Folder for the pages; reports/SUITE otherwise. Nothing in it is removed that was not written here.
    only : iterable of str
        Names of the reports to render; all otherwise.
    force : bool
        Execute unchanged ones as well.
    bundle : bool
        Write OUT/bundle, too: all that the reports were made from, with a suite that needs nothing else.
    on_result : callable, optional
        Is called with each result as soon as it is there: unchanged ones first, the others as they are rendered.

    Raises
    ------
    InputError
        When the suite or a parameter is wrong; nothing is executed then.
    InterruptedResultsError
        In the end, when something outside killed the processes of some reports; their old pages stand.
    """
    suite, only = expand_for_each(load_suite(path)), tuple(only)
    out = Path(os.path.realpath(out if out is not None else Path("reports") / suite.name))
    if file := next((place for place in (out, *out.parents) if place.is_file()), None):
        raise InputError(f"{file}: this file stands where the folder for the pages has to be")
    if (out / "index.html").exists() and not any(out.rglob("*.report.json")):
        raise InputError(
            f"{out}: it holds index.html, which `srlib report` did not write; name another folder"
        )
    chosen = suite.chosen(only)
    pages = [r for r in suite.reports if r in chosen or (out / f"{r.name}.html").is_file()]
    suite = with_looks(suite, pages)
    chosen = suite.chosen(only)
    origins = {report.name: provenance(report) for report in chosen}
    results: dict[str, Result] = {}

    def keep(result: Result) -> None:
        results[result.name] = result
        if on_result is not None:
            on_result(result)

    with rendering_lock(out) as staging:
        stale = []
        for report in chosen:
            handed = read_json(out / f"{report.name}.report.json")
            current = is_current(out, report.name, origins[report.name])
            if force or not current or handed.get("failure", "unknown"):
                stale.append(report)
            else:
                keep(Result(report.name, "unchanged", handed))
        interrupted = None
        try:
            stale.sort(key=lambda report: bool(report.method))  # short ones last: no process waits
            for result in _render(stale, suite, pages, origins, out, staging):
                keep(result)
        except InterruptedResultsError as error:
            interrupted = error
        outdated = {
            r.name for r in suite.reports if r.name not in results and not _is_fresh(out, r)
        }
        write_index(suite, out, outdated)
        states = {
            name: {"state": r.state, "seconds": round(r.seconds, 1)} for name, r in results.items()
        }
        note = {"rendered": datetime.now(UTC).isoformat(timespec="seconds"), "reports": states}
        write_atomically(out / NOTE, json.dumps(note, indent=1, sort_keys=True) + "\n")
        if interrupted is not None:
            raise interrupted
        if bundle:
            write_bundle(suite, chosen, out)
    return [results[report.name] for report in chosen]


def _render(
    stale: list[Report],
    suite: Suite,
    pages: Iterable[Report],
    origins: dict[str, Provenance],
    out: Path,
    staging: Path,
) -> Iterator[Result]:
    """Make reports in processes of their own and publish each as soon as it is made."""
    linked = {report.name: report.notebook.stem for report in pages if not report.method}
    jobs = [
        Job(report, origins[report.name], suite.title, linked, staging / str(place))
        for place, report in enumerate(stale)
    ]
    outcomes = bounded_map(
        make_report, jobs, timeout=TIME_LIMIT_S, memory_bytes=None, jobs=JOBS, preload=PRELOAD
    )
    for place, outcome in progress(outcomes, len(jobs), "reports rendered", printing=True):
        job, name = jobs[place], jobs[place].report.name
        handed, seconds = outcome.value or _write_failed_report(job, outcome)
        edited = tuple(file for file in changed(out, name) if (out / file).is_file())
        publish(job.folder / "new", out, name, job.origin.fingerprint)
        yield Result(name, "failed" if handed["failure"] else "executed", handed, seconds, edited)


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
    os.environ["TMPDIR"] = tempfile.tempdir = str(job.folder)  # nothing is left of a killed one
    os.environ.update({**LEAN, **os.environ, STYLE: report.style})
    paths = {key: report.path_of(key, value) for key, value in report.parameters.items()}
    paths[OWN] = job.output
    relative = {
        key: os.path.relpath(path, report.notebook.parent) for key, path in paths.items() if path
    }
    target = job.folder / "executed.ipynb"
    notebook, failure = execute(report.notebook, report.parameters | relative, target, CELL_LIMIT_S)
    return write_report(job, notebook, failure), time.monotonic() - started


def _write_failed_report(job: Job, outcome: Outcome) -> tuple[dict[str, Any], float]:
    """Write a report whose process gave no answer."""
    from srlib.rendering.notebook import Failure, blank
    from srlib.rendering.report_page import write_report

    failure = Failure(f"The process that made the report gave no answer: {outcome.detail}.")
    return write_report(job, blank(job.report.notebook), failure), 0.0


def is_current(out: Path, name: str, origin: Provenance) -> bool:
    """Whether a report was made from these inputs, and its files are as they were written."""
    return state_of(out, name).get("fingerprint") == origin.fingerprint and not changed(out, name)


def _is_fresh(out: Path, report: Report) -> bool:
    try:
        return is_current(out, report.name, provenance(report))
    except InputError:
        return False
