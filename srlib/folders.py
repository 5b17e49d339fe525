"""Folders of results that change as a whole.

A command writes to a staging folder, which only one command at a time may use. For a folder OUT that is replaced as a
whole it is `.OUT.srlib/new` beside OUT, and replaces OUT by two renames: OUT has all files of a command or none. A
killed command leaves at most the staging folder, which the next command removes.

    with result_folder("scores", "score") as folder:
        write_frame(table, folder / "ranking.csv")
"""

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from srlib.errors import InputError, require
from srlib.files import locked, sha256, warn, write_atomically

READY = "ready"  # staging folder whose files are complete
LISTS_FOLDER = ".srlib"  # folder in OUT with the lists of files that commands wrote


@contextlib.contextmanager
def staging_folder(staging: Path, out: str | Path) -> Iterator[Path]:
    """Lock OUT against other commands, and yield an empty folder for unfinished files, which is removed at the end.

    Parameters
    ----------
    staging : Path
        Folder of the lock and of the yielded folder, on the file system of OUT; it is removed if nothing else is in it.
    out : str or Path
        Folder of results, for messages. If another command writes to it, this function waits.

    Raises
    ------
    InputError
        When a file cannot be written; messages name OUT.
    """
    new = staging / "new"
    try:
        with locked(staging / "lock", str(out)):
            if (staging / READY).exists():  # a killed command left it
                move_files(staging / READY)
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            try:
                yield new
            finally:
                shutil.rmtree(new, ignore_errors=True)
    except BrokenPipeError:  # nobody reads what the command prints
        raise
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror or error})") from error
    except InputError as error:
        raise InputError(str(error).replace(str(new), str(out))) from error
    finally:
        with contextlib.suppress(OSError):  # another command has just locked it
            staging.rmdir()


def publish(new: Path) -> None:
    """Move the files of a staging folder to the folder around it; the next command there finishes if this is killed."""
    keep_modes(new, new.parent.parent)
    move_files(new.rename(new.with_name(READY)))


def keep_modes(new: Path, target: Path) -> None:
    """Give new files and folders the modes of those that they replace in the folder `target`."""
    for path in [new, *new.rglob("*")]:
        before = target / path.relative_to(new)
        if before.exists():
            path.chmod(stat.S_IMODE(before.stat().st_mode))


def move_files(ready: Path) -> None:
    """Move finished files into the folder that holds their staging folder, a ledger last, and remove their folder."""
    for path in sorted(ready.iterdir(), key=lambda path: ("ledger" in path.name, path.name)):
        path.replace(ready.parent.parent / path.name)
    ready.rmdir()


@contextlib.contextmanager
def result_folder(out: str | Path, command: str, listed: bool = True) -> Iterator[Path]:
    """Yield an empty folder to write to, which replaces OUT at the end of the `with` block.

    Parameters
    ----------
    out : str or Path
        Folder of results OUT, created if it does not exist; links are followed. If another command writes to it, this
        function waits.
    command : str
        Name of the command that writes; files that it wrote before are replaced.
    listed : bool
        Whether to store a list of the files, so that the same command may write to OUT again. Without a list, OUT has
        to be empty the next time.

    Yields
    ------
    Path
        Empty folder; files have the same relative paths as later in OUT.

    Raises
    ------
    InputError
        When OUT holds a file, link or empty folder that this command did not write, also if it was put there since the
        command began; is a mount point, contains the current folder, or cannot be written. OUT stays unchanged, and
        messages name OUT.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as base:
    ...     with result_folder(f"{base}/out", "score") as folder:
    ...         (folder / "a.csv").write_text("1")
    ...         Path(f"{base}/out").exists()
    ...     Path(f"{base}/out/a.csv").read_text()
    1
    False
    '1'
    """
    target = Path(os.path.realpath(out))
    staging = target.parent / f".{target.name}.srlib"
    old, list_name = staging / "old", f"{LISTS_FOLDER}/{command}.json"

    def restore() -> None:
        """Put the old folder back if its successor is not there, as after a kill between the renames."""
        if old.exists() and not target.exists():
            old.rename(target)
        shutil.rmtree(old, ignore_errors=True)

    with staging_folder(staging, out) as new, contextlib.ExitStack() as stack:
        restore()
        stack.callback(restore)
        listing = check_result_folder(out, command)
        for name, checksum in listing.get("sha256", {}).items():
            if (target / name).is_file() and sha256(target / name) != checksum:
                warn(f"{out}: {name} was changed after `srlib {command}` wrote it; it is replaced")
        yield new
        if listed:
            names = _list_all(new)
            checksums = {name: sha256(new / name) for name in names if (new / name).is_file()}
            content = json.dumps({"files": names, "sha256": checksums}, indent=1)
            write_atomically(new / list_name, content)
        check_result_folder(out, command)  # also for what was put there since
        keep_modes(new, target)
        if target.exists():
            target.rename(old)
        new.rename(target)


def check_result_folder(out: str | Path, command: str) -> dict[str, Any]:
    """Return the list that the command wrote with OUT; raise InputError if OUT cannot be replaced as a whole."""
    target = Path(os.path.realpath(out))
    require(
        not target.is_mount(),
        f"{out}: a file system is mounted there, which cannot be replaced; name a folder in it",
    )
    require(
        target.is_dir() or not target.exists(),
        f"{out}: a folder was expected, and a file stands there",
    )
    require(
        not Path.cwd().is_relative_to(target),
        f"{out}: the current folder cannot be replaced; name another one",
    )
    list_name = f"{LISTS_FOLDER}/{command}.json"
    listing = read_json(target / list_name)
    written_names = {list_name, *listing.get("files", ())}
    refuse_other_files(out, command, set(_list_all(target)) - written_names)
    return listing


def refuse_other_files(out: str | Path, command: str, files: Iterable[str]) -> None:
    """Raise InputError that names the first of the files in OUT that the command did not write, if there are any."""
    for name in sorted(files):
        raise InputError(
            f"{out}: it holds {name}, which `srlib {command}` did not write; name a new or empty folder"
        )


def _list_all(folder: Path) -> list[str]:
    """Return the paths of all files, links and empty folders below a folder, relative to it, sorted; also if hidden."""
    paths = (
        path
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir() or not any(path.iterdir())
    )
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file that srlib wrote; an empty one if there is none or it cannot be read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
