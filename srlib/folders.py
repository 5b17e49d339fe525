"""Folders of results that change as one: all files of a command, or none, whatever is killed, and two at once.

A command writes into a folder of its own, OUT/.srlib/NAME.<unique>.partial/new, and `seal`s it once all is there: a
journal with every file and its hash. From then on only moves of files are left. They are made under a lock, by the
command itself or, where it was killed between two of them, by the next one that writes into OUT. What was published
stays known in OUT/.srlib/NAME.json, so that `changed` can tell whether the files are still those that were written.

    with written_whole(out, "score") as folder:
        write_frame(table, folder / "ranking.csv")
"""

import contextlib
import json
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import sha256, sync_folder, write_atomically
from srlib.locks import Claim, claim, locked

STATE = ".srlib"
PARTIAL = ".partial"
JOURNAL = "whole.json"
NEW = "new"
OWNER = "owner"


@dataclass(frozen=True)
class Staging:
    """Where a result is made before it is published.

    Attributes
    ----------
    folder : Path
        Of its own, absolute; what is to be published goes into `folder / NEW`.
    claim : Claim
        Held while somebody works on it; without that it is an orphan, which the next command removes or publishes.
    """

    folder: Path
    claim: Claim

    @property
    def new(self) -> Path:
        """What is to be published."""
        return self.folder / NEW

    def discard(self) -> None:
        """Remove it, published or not."""
        with contextlib.suppress(OSError), locked(self.folder.parent / "lock"):
            self.remove()

    def remove(self) -> None:
        """Remove it, for one who holds the lock."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.claim.release()


@contextlib.contextmanager
def written_whole(out: str | Path, name: str, sealed: bool = True) -> Iterator[Path]:
    """Give a folder to write into; its files appear in OUT together, or not at all.

    Parameters
    ----------
    out : str or Path
        The folder of results; made here, a link is followed. Files of others in it are left alone.
    name : str
        Of the command. What it published under this name before goes, unless somebody changed it.
    sealed : bool
        Keep a list of the files with their hashes, for `changed`; False for what its user is to edit.

    Yields
    ------
    Path
        An empty folder, to write into below it as below OUT.

    Raises
    ------
    InputError
        When OUT cannot be written; OUT is as it was.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as out:
    ...     with written_whole(out, "score") as folder:
    ...         (folder / "a.csv").write_text("1")
    ...         (Path(out) / "a.csv").exists()
    ...     (Path(out) / "a.csv").read_text()
    1
    False
    '1'
    """
    out = Path(os.path.realpath(out))
    absent = [path for path in (out, *out.parents) if not path.exists()]
    try:
        staging = stage(out, name)
        try:
            yield staging.new
            seal(staging.folder, name, sealed=sealed)
            publish(staging.folder)
        finally:
            staging.discard()
    finally:
        for path in (out / STATE, *absent):
            with contextlib.suppress(OSError):  # it holds something, as it should
                path.rmdir()


def stage(out: Path, name: str) -> Staging:
    """Make a staging folder for a result, after tidying up behind processes that were killed.

    Raises
    ------
    InputError
        When OUT cannot be written.
    """
    out = Path(os.path.realpath(out))
    with _writing(out), locked(out / STATE / "lock"):
        _tidy(out)
        folder = Path(tempfile.mkdtemp(dir=out / STATE, prefix=f"{name}.", suffix=PARTIAL))
        (folder / NEW).mkdir()
        mine = claim(folder / OWNER)
    assert mine is not None  # nobody else tidies up under this lock
    return Staging(folder, mine)


def tidy(out: Path) -> None:
    """Publish what killed processes had sealed in a folder of results, and remove what they had not.

    Raises
    ------
    InputError
        When there is something and OUT cannot be written.
    """
    out = Path(os.path.realpath(out))
    if any((out / STATE).glob(f"*{PARTIAL}")):
        with _writing(out), locked(out / STATE / "lock"):
            _tidy(out)


def _tidy(out: Path) -> None:
    for folder in sorted((out / STATE).glob(f"*{PARTIAL}")):
        held = claim(folder / OWNER)
        if held is not None:
            _publish(folder)
            Staging(folder, held).remove()


def seal(folder: Path, name: str, sealed: bool = True, **facts: Any) -> None:
    """Declare a staged result whole: all of its files are on the disk, and named with their hashes.

    Parameters
    ----------
    folder : Path
        Of a `Staging`.
    name : str
        Of the result.
    sealed : bool
        Keep the list after publishing.
    **facts
        JSON, kept with the list.
    """
    new = folder / NEW
    files = hashes(new)
    for name_of_file in files:
        with (new / name_of_file).open("rb") as stream, contextlib.suppress(OSError):
            os.fsync(stream.fileno())
    journal = {"name": name, "sealed": sealed, "kept": facts | {"files": files}}
    write_atomically(folder / JOURNAL, json.dumps(journal, indent=1, sort_keys=True))


def hashes(folder: Path) -> dict[str, str]:
    """Give the SHA-256 of each file in a folder and below, by its path from there."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path) for path in found}


def publish(folder: Path) -> bool:
    """Move a sealed result into its place; say whether there was one. Doing it again does no harm.

    Raises
    ------
    InputError
        When OUT cannot be written; the next command that writes there goes on.
    """
    out = folder.parent.parent
    with _writing(out), undisturbed(), locked(out / STATE / "lock"):
        return _publish(folder)


def _publish(folder: Path) -> bool:
    journal, out = read_json(folder / JOURNAL), folder.parent.parent
    if not journal:
        return False
    name, kept = journal["name"], journal["kept"]
    before, parents = state_of(out, name).get("files", {}), {out}
    for file in kept["files"]:
        target = _inside(out, file)
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # moved before
            (folder / NEW / file).replace(target)
        parents.add(target.parent)
    for file in sorted(before.keys() - kept["files"].keys()):
        old = _inside(out, file)
        if old.is_file() and sha256(old) == before[file]:
            old.unlink()
            with contextlib.suppress(OSError):
                old.parent.rmdir()
    for parent in parents:
        sync_folder(parent)
    if journal["sealed"]:
        state = json.dumps(kept, indent=1, sort_keys=True)
        write_atomically(out / STATE / f"{name}.json", state)
    (folder / JOURNAL).unlink(missing_ok=True)
    return True


def state_of(out: Path, name: str) -> dict[str, Any]:
    """Say what was published last under a name: `files` with their SHA-256, and other facts; empty if nothing."""
    return read_json(out / STATE / f"{name}.json")


def changed(out: Path, name: str) -> list[str]:
    """List the files published under a name that are no longer as they were written; a missing one is among them."""
    return [
        file
        for file, sha in sorted(state_of(out, name).get("files", {}).items())
        if not (out / file).is_file() or sha256(out / file) != sha
    ]


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Put off what asks this process to stop (interrupt, termination, hang-up) until a few steps are done."""
    came: list[int] = []
    kinds = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        before = {
            kind: signal.signal(kind, lambda number, _: came.append(number))
            for kind in kinds
            if kind is not None and signal.getsignal(kind) is not None
        }
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; an empty one where there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _inside(out: Path, file: str) -> Path:
    target = out / file
    if not target.resolve().is_relative_to(out):
        raise InputError(f"{out / STATE}: it names {file}, which lies outside of the folder")
    return target


@contextlib.contextmanager
def _writing(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or out
        raise InputError(f"{where}: cannot be written ({error.strerror or error})") from error
