"""From a staged report to its place: all of its files or none, whatever is killed.

A staged report that is whole says so in a journal, and only moves of files are left. The process that executed
the notebook makes them, in a session of its own, without heeding signals; `srlib report` makes those that are
left when that process was killed, and the next call when both were. So readers find the old report or the new
one: a mixture lasts for milliseconds, or until the next call where both were killed within them.
"""

import contextlib
import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Any

from srlib.files import sha256, write_atomically

STATE = ".srlib"  # one file a report: its fingerprint and the files that were written
JOB = "job.json"  # there until a report is published
JOURNAL = "whole.json"
PARTIAL = ".partial"
_publishing = threading.Lock()


def staging_of(out: Path, name: str) -> Path:
    """Folder in which a report is made before it is published."""
    return (out / STATE / f"{name}{PARTIAL}").resolve()


def seal(staging: Path, name: str, fingerprint: str) -> None:
    """Declare a staged report whole: its page, what it hands over, and what its notebook wrote."""
    written = [path for path in sorted((staging / name).rglob("*")) if path.is_file()]
    written += [staging / f"{name}.report.json", staging / f"{name}.html"]
    files = {path.relative_to(staging).as_posix(): sha256(path) for path in written}
    journal = {"name": name, "fingerprint": fingerprint, "files": files}
    write_atomically(staging / JOURNAL, json.dumps(journal, indent=1, sort_keys=True))


def publish(staging: Path) -> bool:
    """Move what is left of a sealed report into place; say whether there was one. Doing it again does no harm."""
    journal = read_json(staging / JOURNAL)
    if not journal:
        return False
    out, name, files = staging.parent.parent, journal["name"], journal["files"]
    for file in files:
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # moved before
            (staging / file).replace(out / file)
    for gone in sorted(set(state_of(out, name).get("files", {})) - set(files)):
        (out / gone).unlink(missing_ok=True)
    kept = {"fingerprint": journal["fingerprint"], "files": files}
    write_atomically(out / STATE / f"{name}.json", json.dumps(kept, indent=1, sort_keys=True))
    for file in (JOURNAL, JOB):
        (staging / file).unlink(missing_ok=True)
    shutil.rmtree(staging, ignore_errors=True)
    return True


def finish(out: Path) -> None:
    """Publish the sealed reports that killed processes left behind."""
    for staging in sorted((out / STATE).glob(f"*{PARTIAL}")):
        publish(staging.resolve())


def publish_undisturbed(staging: Path) -> None:
    """Publish as the last act of a process, which heeds no signal from here on."""
    with _publishing:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        publish(staging)


def end_with(parent: int) -> None:
    """End as soon as the process that wants the report is gone, so that two never write into one staging folder."""
    while os.getppid() == parent:
        time.sleep(0.5)
    with _publishing:
        os._exit(1)


def state_of(out: Path, name: str) -> dict[str, Any]:
    """Say what was published last under a name: `fingerprint`, and `files` with their SHA-256; empty if nothing."""
    return read_json(out / STATE / f"{name}.json")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; an empty one where there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
