"""A report in the folder of pages: made beside it, moved into place, and known by its files' hashes.

One command at a time renders into OUT (`rendering_lock`). Where it is killed while files are moved, the state of the
report, OUT/.srlib/NAME.json, has no fingerprint, so that the next command makes the report again.
"""

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import locked, sha256, write_atomically
from srlib.folders import STATE, hashes, read_json

STAGING = "staging"


@contextlib.contextmanager
def rendering_lock(out: Path) -> Iterator[Path]:
    """Keep other commands out of OUT, and give a folder for what is being made; it is removed in the end.

    Raises
    ------
    InputError
        When OUT cannot be written.
    """
    absent = [path for path in (out / STATE, out, *out.parents) if not path.exists()]
    staging = out / STATE / STAGING
    try:
        with locked(out / STATE / "lock", str(out)):
            shutil.rmtree(staging, ignore_errors=True)  # a killed command left it
            try:
                yield staging
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    except BrokenPipeError:  # nobody reads what the command prints
        raise
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror or error})") from error
    finally:
        for path in absent:
            with contextlib.suppress(OSError):  # it holds something, as it should
                path.rmdir()


def publish(new: Path, out: Path, name: str, fingerprint: str) -> None:
    """Move the files of a report into OUT; its inputs are known by their fingerprint from then on."""
    files = hashes(new)
    before = state_of(out, name).get("files", {})
    _write_state(out, name, {"files": before | files})
    for file in before.keys() - files.keys():
        (out / file).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # other files are there
            (out / file).parent.rmdir()
    for file in files:
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (new / file).replace(out / file)
    _write_state(out, name, {"files": files, "fingerprint": fingerprint})


def _write_state(out: Path, name: str, content: dict[str, Any]) -> None:
    write_atomically(out / STATE / f"{name}.json", json.dumps(content, indent=1, sort_keys=True))


def state_of(out: Path, name: str) -> dict[str, Any]:
    """Read what was published last under a name: `files` with their SHA-256, and `fingerprint`; empty if nothing."""
    return read_json(out / STATE / f"{name}.json")


def changed(out: Path, name: str) -> list[str]:
    """List the files of a report that are no longer as they were written; a missing one is among them."""
    return [
        file
        for file, sha in sorted(state_of(out, name).get("files", {}).items())
        if not (out / file).is_file() or sha256(out / file) != sha
    ]
