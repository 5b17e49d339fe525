"""Render a suite: keep unchanged reports, make the others in parallel, and publish only whole reports; bundles.

Reports are made in a staging folder and then moved into the folder of pages OUT. OUT/NAME.report.json has the
fingerprint of a report. It is emptied before the other files are replaced, and written last, so that a report is
rendered again if the command was killed in between.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from srlib.errors import advise_installation, require
from srlib.files import NOTEBOOKS, PARAMETERS, STYLE_FILE, write_atomically
from srlib.folders import LISTS_FOLDER, refuse_other_files, result_folder, staging_folder
from srlib.progress import progress
from srlib.prose import counted
from srlib.rendering.page import read_report, write_index
from srlib.rendering.paper import Paper, check_paper_folder, write_paper
from srlib.rendering.provenance import Job, input_files, provenance
from srlib.rendering.suite import (
    OUTPUT_DIR,
    Suite,
    expand_for_each,
    load_suite,
    with_style_and_links,
)
from srlib.result import Result
from srlib.workers import Outcome, bounded_map

# settings that make glibc return freed memory to the system; thresholds far below some megabytes would double the
# time, because each array would be mapped anew
MALLOC_SETTINGS = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "8388608",
        "MALLOC_MMAP_THRESHOLD_": "8388608"}  # fmt: skip
TIME_LIMIT_S = 24 * 3600  # for one report
README = """What {title} was made from. One command renders it again, into the folder reports:

    srlib report {suite} --out reports

On another machine first: pip install -r requirements.txt, and srlib {srlib} from its wheel or its source folder.
What the suite names without a path comes with srlib. The pages list the SHA-256 of every input.
"""


@dataclass(frozen=True)
class RenderedReport:
    """Outcome of one report.

    Parameters
    ----------
    report : str
        Name of the report.
    state : {'executed', 'unchanged', 'failed'}
        Whether the report was executed, did not need to be, or failed.
    verdict : str
        Answer of the report, or the reason why it failed.
    file : str
        Path of the page.
    """

    report: str
    state: Literal["executed", "unchanged", "failed"]
    verdict: str
    file: str


@dataclass(frozen=True, repr=False)
class Reports(Result):
    """Result of `report`.

    Parameters
    ----------
    outcomes : tuple of RenderedReport
        The outcome of each selected report, in the suite's order.
    index : Path
        The page that lists the reports.
    notice : str
        A sentence on labels whose names no report reads; empty without any.
    paper : Paper, optional
        What was written for the paper.
    """

    outcomes: tuple[RenderedReport, ...]
    index: Path
    notice: str = ""
    paper: Paper | None = None

    title = "Reports"

    @property
    def failed(self) -> list[str]:
        """Names of the reports that failed or in which a check failed."""
        return [outcome.report for outcome in self.outcomes if outcome.state == "failed"]

    @property
    def sentences(self) -> list[str]:
        """Sentences on the number of reports, the index, failed reports, labels that name nothing, and the paper."""
        failed = [f"Failed: {', '.join(self.failed)}."] if self.failed else []
        about_paper = [*self.paper.sentences, *self.paper.faults] if self.paper else []
        count = counted(len(self.outcomes), "report")
        notices = filter(None, [self.notice])
        return [f"{count}, listed in {self.index}.", *failed, *notices, *about_paper]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """The reports with their verdicts."""
        return {"Reports": pd.DataFrame(list(self.outcomes))}


@advise_installation()
def report(
    suite: str | Path,
    out: str | Path | None = None,
    *,
    only: str | Iterable[str] = (),
    force: bool = False,
    bundle: bool = False,
    paper: str | Path | None = None,
    on_result: Callable[[RenderedReport], Any] | None = None,
) -> Reports:
    """Render the reports of a suite that are not up to date, one HTML file each, and an index.

    Parameters
    ----------
    suite : str or Path
        Suite file, or the bare name of a shipped one.
    out : str or Path, optional
        Folder for the pages, empty or with reports; by default reports/SUITE. OUT/NAME.html, OUT/NAME.report.json and
        the folder OUT/NAME are replaced as a whole; other files than the index are not changed.
    only : str or iterable of str
        Names of the reports to render; by default all.
    force : bool
        Whether unchanged reports are executed, too.
    bundle : bool
        Whether OUT/bundle is written, too: the suite with all inputs, from which the reports can be rendered again.
    paper : str or Path, optional
        Folder for a LaTeX paper of the selected reports and of those that OUT has, empty or with a paper. PAPER/srlib
        is replaced as a whole, PAPER/paper.tex is written once, other files are not changed.
    on_result : callable, optional
        Called with each outcome as soon as it is available: unchanged reports first, others as they are rendered.

    Raises
    ------
    InputError
        When the suite or a parameter is wrong, or OUT or PAPER/srlib has files that `srlib report` did not write; then
        nothing is executed.
    InterruptedResultsError
        At the end, when processes of reports were killed from outside; the old pages of these reports are kept.

    Examples
    --------
    >>> import srlib
    >>> srlib.report("demo", "pages", only="synthetic")  # doctest: +SKIP
    Reports: 1 report, listed in pages/index.html.
    """
    require(
        isinstance(suite, str | Path),
        f"report: a suite file was expected, got {type(suite).__name__}",
    )
    plan = expand_for_each(load_suite(suite))
    folder = Path("reports", plan.name) if out is None else Path(out)
    target = Path(os.path.realpath(folder))
    selected = plan.select({only} if isinstance(only, str) else set(only))
    names = [entry.name for entry in selected]
    marks = {"[!.]*": "**/*.report.json"} | {name: f"{name}.report.json" for name in names}
    unmarked = [pattern for pattern, mark in marks.items() if not any(target.glob(mark))]
    paths = (path for pattern in unmarked for path in target.glob(pattern))
    refuse_other_files(folder, "report", (str(path.relative_to(target)) for path in paths))
    if paper is not None:
        check_paper_folder(Path(paper), target)
    pages = [
        entry
        for entry in plan.reports
        if entry.name in names or (target / f"{entry.name}.html").is_file()
    ]
    plan = with_style_and_links(plan, pages)
    origins = {entry.name: provenance(entry) for entry in plan.reports}
    outcomes: dict[str, RenderedReport] = {}
    with staging_folder(target / LISTS_FOLDER, folder) as staging:
        jobs = [
            Job(entry, origins[entry.name], staging / str(place))
            for place, entry in enumerate(plan.reports)
            if entry.name in names
        ]
        try:
            for outcome in _render(jobs, target, folder, force):
                outcomes[outcome.report] = outcome
                if on_result:
                    on_result(outcome)
        finally:
            write_index(plan, target, origins)
        if bundle:
            write_bundle(plan, target)
    written = None
    if paper is not None:
        contents = [
            {"name": page.name} | read_report(target, page.name, origins[page.name])
            for page in pages
            if not page.method
        ]
        written = write_paper(plan, contents, target, Path(paper))
    results = tuple(outcomes[name] for name in names)
    return Reports(results, folder / "index.html", plan.notice, written)


def _render(jobs: list[Job], target: Path, folder: Path, force: bool) -> Iterator[RenderedReport]:
    """Yield the outcomes of unchanged reports, then of the others, which are published as soon as they are made."""
    outdated = []
    for job in jobs:
        name = job.report.name
        content = read_report(target, name, job.origin)
        if content.get("state") == "good" and not force:
            yield RenderedReport(name, "unchanged", content["verdict"], f"{folder / name}.html")
        else:
            outdated.append(job)
    outdated.sort(key=lambda job: bool(job.report.method))  # short ones last: no process waits
    outcomes = bounded_map(
        make_report,
        outdated,
        timeout=TIME_LIMIT_S,
        memory_bytes=0,
        preload=("srlib.rendering.report_page",),
    )
    for place, outcome in progress(outcomes, len(outdated), "reports rendered", printing=True):
        job, name = outdated[place], outdated[place].report.name
        content = outcome.value or _write_failed_report(job, outcome)
        publish(job.folder / "new", target, name)
        state = "failed" if content["failure"] else "executed"
        yield RenderedReport(name, state, content["verdict"], f"{folder / name}.html")


def make_report(job: Job) -> dict[str, Any]:
    """Execute a report's notebook, write the report, and return the content of NAME.report.json.

    It has to be called in a process of its own, as it sets the environment.
    """
    from srlib.rendering.report_page import execute, write_report

    report = job.report
    write_atomically(job.output / STYLE_FILE, report.style)
    tempfile.tempdir = str(job.folder)
    os.environ |= MALLOC_SETTINGS | {
        "IPYTHONDIR": str(job.folder / "ipython"),  # without the user's start-up files
        "JUPYTER_RUNTIME_DIR": str(job.folder / "kernels"),
        "TMPDIR": str(job.folder),  # also removed if the process is killed
    }
    folder = report.notebook.parent
    parameters = report.parameters | {OUTPUT_DIR: os.path.relpath(job.output, folder)}
    for key, value in report.parameters.items():
        path = report.path_of(key, value)
        if path and path != PARAMETERS / key / f"{value}.yaml":  # shipped files keep their names
            parameters[key] = os.path.relpath(path, folder)
    notebook, failure = execute(report.notebook, parameters, job.folder / "executed.ipynb")
    return write_report(job, notebook, failure)


def _write_failed_report(job: Job, outcome: Outcome) -> dict[str, Any]:
    """Write a failed report for a process that gave no answer, and return its content."""
    from srlib.rendering.report_page import read_without_outputs, write_report

    failure = f"The process that made the report gave no answer: {outcome.detail}."
    return write_report(job, read_without_outputs(job.report.notebook), failure)


def publish(made_folder: Path, out: Path, name: str) -> None:
    """Move a report into OUT: its folder as a whole, its page, and NAME.report.json."""
    report_file = f"{name}.report.json"
    write_atomically(out / report_file, "{}\n")
    if (out / name).exists():
        (out / name).replace(made_folder.parent / "old")  # which is removed with the staging folder
    for file in (name, f"{name}.html", report_file):
        (made_folder / file).replace(out / file)


def write_bundle(suite: Suite, out: Path) -> None:
    """Copy a suite and all files that it names by a path into OUT/bundle, at the same relative paths.

    The suite file is copied unchanged, so its paths have to be relative. Files that srlib ships are not copied, nor are
    files of predictions that a run table names.

    Parameters
    ----------
    suite : Suite
        The suite as it was rendered.
    out : Path
        The rendered folder.
    """
    inputs = {path for report in suite.reports for _, path in input_files(report)}
    paths = [path for path in inputs if not {NOTEBOOKS, PARAMETERS} & set(path.parents)]
    paths += [suite.path, *filter(None, [suite.labels_path])]
    root = Path(os.path.commonpath([path.parent for path in paths]))
    with result_folder(out / "bundle", "bundle") as folder:
        for path in paths:
            write_atomically(folder / path.relative_to(root), path.read_bytes())
        path = suite.path.relative_to(root)
        readme = README.format(title=suite.title, suite=path, srlib=version("srlib"))
        write_atomically(folder / "README.txt", readme)
        lines = sorted(
            f"{package.name}=={package.version}\n"
            for package in distributions()
            if package.name != "srlib"
        )
        write_atomically(folder / "requirements.txt", "".join(lines))
