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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from srlib.errors import InputError, require
from srlib.files import locked, write_atomically

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
            shutil.rmtree(new, ignore_errors=True)  # a killed command left it
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
        When OUT holds a file that this command did not write, contains the current folder, or cannot be written. OUT
        stays unchanged, and messages name OUT.

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
    with staging_folder(staging, out) as new:
        try:
            if old.exists() and not target.exists():  # killed between the renames
                old.rename(target)
            shutil.rmtree(old, ignore_errors=True)
            check_result_folder(out, command)
            yield new
            if listed:
                content = json.dumps({"files": _list_all(new)}, indent=1)
                write_atomically(new / list_name, content)
            if target.exists():
                target.rename(old)
            new.rename(target)
        finally:
            if old.exists() and not target.exists():
                old.rename(target)
            shutil.rmtree(old, ignore_errors=True)


def check_result_folder(out: str | Path, command: str) -> None:
    """Raise InputError if OUT cannot be replaced as a whole, as `result_folder` says."""
    target = Path(os.path.realpath(out))
    require(
        target.is_dir() or not target.exists(),
        f"{out}: a folder was expected, and a file stands there",
    )
    require(
        not Path.cwd().is_relative_to(target),
        f"{out}: the current folder cannot be replaced; name another one",
    )
    list_name = f"{LISTS_FOLDER}/{command}.json"
    written_names = {list_name, *read_json(target / list_name).get("files", ())}
    refuse_other_files(out, command, set(_list_all(target)) - written_names)


def refuse_other_files(out: str | Path, command: str, files: Iterable[str]) -> None:
    """Raise InputError that names the first of the files in OUT that the command did not write, if there are any."""
    for name in sorted(files):
        raise InputError(
            f"{out}: it holds {name}, which `srlib {command}` did not write; name a new or empty folder"
        )


def _list_all(folder: Path) -> list[str]:
    """Return the paths of all files below a folder, relative to it, sorted; also of hidden files."""
    paths = (path for path in folder.rglob("*") if not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file that srlib wrote; an empty one if there is none or it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
