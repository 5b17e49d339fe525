"""Render a suite: leave what is unchanged, execute the rest side by side, publish whole reports only."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from srlib.displays.suite_style import STYLE
from srlib.errors import InputError
from srlib.files import write_atomically
from srlib.folders import read_json
from srlib.locks import Claim
from srlib.progress import completed
from srlib.rendering.bundle import parameters_of, write_bundle
from srlib.rendering.index import write_index
from srlib.rendering.participants import expand_for_each
from srlib.rendering.provenance import Provenance, about, git_commit, provenance
from srlib.rendering.publish import (
    JOB,
    changed,
    publish,
    rendering_lock,
    staging_folder,
    state_of,
)
from srlib.rendering.styles import with_looks
from srlib.rendering.suite import OWN, Report, Suite, load_suite

JOBS = max(2, os.cpu_count() or 1)
# memory that a notebook has freed goes back to the system (glibc and Arrow keep a fifth of the peak otherwise)
LEAN = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2",
        "MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_MMAP_THRESHOLD_": "131072"}  # fmt: skip
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
    seconds: float
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
    """
    suite, only = expand_for_each(load_suite(path)), tuple(only)
    out = Path(os.path.realpath(out if out is not None else Path("reports") / suite.name))
    if file := next((place for place in (out, *out.parents) if place.is_file()), None):
        raise InputError(f"{file}: this file stands where the folder for the pages has to be")
    chosen = suite.chosen(only)
    pages = [r for r in suite.reports if r in chosen or (out / f"{r.name}.html").is_file()]
    suite = with_looks(suite, pages)
    chosen = suite.chosen(only)
    with rendering_lock(out) as claim:
        return _render_all(suite, chosen, out, force, bundle, on_result or _heard, claim)


def _render_all(
    suite: Suite,
    chosen: list[Report],
    out: Path,
    force: bool,
    bundle: bool,
    on_result: Callable[[Result], None],
    claim: Claim,
) -> list[Result]:
    origins = {report.name: provenance(report) for report in chosen}
    stale = [r for r in chosen if force or not _up_to_date(out, r.name, origins[r.name])]
    pages = [r for r in suite.reports if r in chosen or (out / f"{r.name}.html").is_file()]
    jobs = {report.name: _job(report, suite, origins[report.name], pages) for report in stale}
    edited = {report.name: _edited(out, report.name) for report in stale}
    results = {
        r.name: Result(r.name, "unchanged", _handed(out, r.name), 0.0)
        for r in chosen
        if r not in stale
    }
    for result in results.values():
        on_result(result)
    running: set[subprocess.Popen[str]] = set()
    stopped = threading.Event()
    with ThreadPoolExecutor(max_workers=JOBS) as pool:
        started = [pool.submit(_render, out, jobs[r.name], claim, running, stopped) for r in stale]
        try:
            for done in completed(started, "reports rendered"):
                found = done.result()
                results[found.name] = replace(found, edited=edited[found.name])
                on_result(results[found.name])
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                process.terminate()
            raise
    outdated = {r.name for r in suite.reports if r not in chosen and not _is_fresh(out, r)}
    write_index(suite, out, outdated)
    states = {
        name: {"state": r.state, "seconds": round(r.seconds, 1)} for name, r in results.items()
    }
    note = {"rendered": datetime.now(UTC).isoformat(timespec="seconds"), "reports": states}
    write_atomically(out / NOTE, json.dumps(note, indent=1, sort_keys=True) + "\n")
    if bundle:
        write_bundle(suite, chosen, out)
    return [results[report.name] for report in chosen]


def _heard(_: Result) -> None:
    """Tell nobody."""


KINDS: dict[str, tuple[Any, str]] = {
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "str": (str, "a text"),
    "bool": (bool, "true or false"),
    "list": (list, "a list"),
    "dict": (dict, "names with values"),
}


def _job(report: Report, suite: Suite, origin: Provenance, pages: list[Report]) -> dict[str, Any]:
    """Write down what the process that executes a report needs to know, after checking its parameters."""
    accepted = parameters_of(report.notebook)
    unknown = sorted(set(report.parameters) - set(accepted))
    if unknown or OWN not in accepted:
        type_name = f"has no parameter {unknown[0]!r}" if unknown else f"takes no parameter {OWN!r}"
        allowed = ", ".join(sorted(accepted)) or "none (no cell is tagged 'parameters')"
        raise InputError(
            f"{suite.path.name}: report {report.name!r}: {report.notebook.name} {type_name}; it takes {allowed}"
        )
    for key, value in report.parameters.items():
        expected_type, type_name = KINDS.get(accepted[key].partition("[")[0], (object, ""))
        if not isinstance(value, expected_type) or (
            isinstance(value, bool) and expected_type is not bool and type_name
        ):
            raise InputError(
                f"{suite.path.name}: report {report.name!r}: {key} must be {type_name}, got {value!r}"
            )
    parameters = {key: value for key, value in report.given_parameters().items() if key in accepted}
    inputs = tuple(
        (name, sha) for name, sha in origin.inputs if name.split(":")[0] in {*accepted, "notebook"}
    )
    commit = git_commit(report.notebook)
    versions = origin.versions | ({"git commit": commit} if commit else {})
    values = {key: _as_seen_from(report, key, value) for key, value in parameters.items()}
    return {
        "name": report.name,
        "notebook": str(report.notebook),
        "parameters": values,
        "shown": {**parameters, OWN: report.name},
        "suite_title": suite.title,
        "links": {r.notebook.stem: f"{r.name}.html" for r in pages if not r.method},
        "others": [r.name for r in pages if not r.method and r.name != report.name],
        "about": about(report),
        "title": report.title,
        "style": report.style,
        "origin": asdict(replace(origin, inputs=inputs, parameters=parameters, versions=versions)),
    }


def _as_seen_from(report: Report, key: str, value: Any) -> Any:
    path = report.path_of(key, value)
    if path is None:
        return value
    return os.path.relpath(path, report.notebook.parent)


def _render(
    out: Path,
    job: dict[str, Any],
    claim: Claim,
    running: set["subprocess.Popen[str]"],
    stopped: threading.Event,
) -> Result:
    started, name = time.monotonic(), job["name"]
    with staging_folder(out, name) as staging:
        stderr, code = _executed(staging, job, claim, running, stopped)
        if stopped.is_set() or code in (-signal.SIGINT, -signal.SIGTERM):
            raise KeyboardInterrupt  # the report that was there stays
        if not publish(out, staging, name):
            _write_failed_page(staging, job, f"ended with code {code}", stderr)
            publish(out, staging, name)
    handed = _handed(out, name)
    state = "failed" if handed["failure"] else "executed"
    return Result(name, state, handed, time.monotonic() - started)


def _executed(
    staging: Path,
    job: dict[str, Any],
    claim: Claim,
    running: set["subprocess.Popen[str]"],
    stopped: threading.Event,
) -> tuple[str, int]:
    """Execute a report in a process that shares the claim on OUT; give what it said, and its code."""
    own = os.path.relpath(staging / "new" / job["name"], Path(job["notebook"]).parent)
    job = job | {"parameters": job["parameters"] | {OWN: own}}
    write_atomically(staging / JOB, json.dumps(job))
    command = [sys.executable, "-m", "srlib.rendering.execute", str(staging)]
    streams: dict[str, Any] = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.PIPE,
        "env": LEAN | os.environ | {STYLE: job["style"]},
        "start_new_session": True,
        "pass_fds": () if os.name == "nt" else (claim.handle,),
    }
    with subprocess.Popen(command, text=True, errors="replace", **streams) as process:
        running.add(process)
        if stopped.is_set():
            process.terminate()
        stderr = process.communicate()[1]
        running.discard(process)
    return stderr, process.returncode


def _write_failed_page(staging: Path, job: dict[str, Any], what: str, stderr: str) -> None:
    from srlib.rendering.execute import blank, write_page
    from srlib.rendering.handover import Failure

    failure = Failure(f"The process that executed the notebook {what}.", detail=stderr[-4000:])
    notebook = blank(Path(job["notebook"]))
    write_page(staging, job, notebook, Provenance(**job["origin"]), failure)


def _up_to_date(out: Path, name: str, origin: Provenance) -> bool:
    return _matches(out, name, origin) and not _handed(out, name).get("failure", "unknown")


def _is_fresh(out: Path, report: Report) -> bool:
    try:
        return _matches(out, report.name, provenance(report))
    except InputError:
        return False


def _matches(out: Path, name: str, origin: Provenance) -> bool:
    """Whether a report was made from these inputs and its files are as they were written."""
    same = state_of(out, name).get("fingerprint") == origin.fingerprint
    return same and not changed(out, name)


def _edited(out: Path, name: str) -> tuple[str, ...]:
    return tuple(file for file in changed(out, name) if (out / file).is_file())


def _handed(out: Path, name: str) -> dict[str, Any]:
    return read_json(out / f"{name}.report.json")
