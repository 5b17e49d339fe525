"""A report in the folder of pages: made in a staging folder, moved into place, and known by its files' hashes.

One command at a time renders into OUT (`rendering_lock`). A report is made in OUT/.srlib/NAME.*.partial/new. Where the
command is killed while files are moved, OUT/.srlib/NAME.json has no fingerprint, so that the next command renders the
report again; it also removes staging folders.
"""

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import sha256, write_atomically
from srlib.folders import STATE, hashes, read_json
from srlib.locks import Claim, locked

JOB = "job.json"  # in a staging folder: what its process has to do
SEAL = "complete.json"  # in a staging folder whose report is complete
PARTIAL = ".partial"


@contextlib.contextmanager
def rendering_lock(out: Path) -> Iterator[Claim]:
    """Keep other commands out of OUT, and remove what killed ones left.

    Raises
    ------
    InputError
        When OUT cannot be written.
    """
    absent = [path for path in (out / STATE, out, *out.parents) if not path.exists()]
    try:
        with locked(out / STATE / "lock", str(out)) as claim:
            for folder in (out / STATE).glob(f"*{PARTIAL}"):
                shutil.rmtree(folder, ignore_errors=True)
            yield claim
    except BrokenPipeError:  # nobody reads what the command prints
        raise
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror or error})") from error
    finally:
        for path in absent:
            with contextlib.suppress(OSError):  # it holds something, as it should
                path.rmdir()


@contextlib.contextmanager
def staging_folder(out: Path, name: str) -> Iterator[Path]:
    """Make a folder for a report, with an empty folder `new` in it; it is removed in the end."""
    folder = Path(tempfile.mkdtemp(dir=out / STATE, prefix=f"{Path(name).name}.", suffix=PARTIAL))
    try:
        (folder / "new").mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def seal(staging: Path, fingerprint: str) -> None:
    """Declare the report in a staging folder complete; its inputs are known by their fingerprint."""
    content = {"files": hashes(staging / "new"), "fingerprint": fingerprint}
    write_atomically(staging / SEAL, json.dumps(content, indent=1, sort_keys=True))


def publish(out: Path, staging: Path, name: str) -> bool:
    """Move a complete report into its place; False where it is not complete."""
    content = read_json(staging / SEAL)
    if not content:
        return False
    before = state_of(out, name).get("files", {})
    _write_state(out, name, {"files": before | content["files"]})
    for file in before.keys() - content["files"].keys():
        (out / file).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # other files are there
            (out / file).parent.rmdir()
    for file in content["files"]:
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        (staging / "new" / file).replace(out / file)
    _write_state(out, name, content)
    return True


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
