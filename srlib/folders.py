"""Folders of results that are replaced as a whole.

A command writes to a staging folder beside OUT, `.OUT.srlib/new`, which replaces OUT by two renames: OUT has all files
of a command or none. A killed command leaves at most the staging folder, which the next command removes.

    with result_folder("scores", "score") as folder:
        write_frame(table, folder / "ranking.csv")
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import locked, sha256, write_atomically

LISTS_FOLDER = ".srlib"  # folder in OUT with the lists of files that commands wrote


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
    new, old = staging / "new", staging / "old"
    try:
        with locked(staging / "lock", str(out)):
            try:
                if old.exists() and not target.exists():  # killed between the renames
                    old.rename(target)
                if target.exists():
                    _check_replaceable(target, command, out)
                for folder in (new, old):
                    shutil.rmtree(folder, ignore_errors=True)
                new.mkdir()
                yield new
                if listed:
                    content = json.dumps({"files": hashes(new)}, indent=1, sort_keys=True)
                    write_atomically(new / LISTS_FOLDER / f"{command}.json", content)
                if target.exists():
                    target.rename(old)
                new.rename(target)
            finally:
                if old.exists() and not target.exists():
                    old.rename(target)
                shutil.rmtree(staging, ignore_errors=True)
    except BrokenPipeError:  # nobody reads what the command prints
        raise
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror or error})") from error
    except InputError as error:
        raise InputError(str(error).replace(str(new), str(out))) from error


def _check_replaceable(target: Path, command: str, out: str | Path) -> None:
    """Raise InputError if a folder cannot be replaced, or holds files that this command did not write."""
    if not target.is_dir():
        raise InputError(f"{out}: a folder was expected, and a file stands there")
    if Path.cwd().is_relative_to(target):
        raise InputError(f"{out}: the current folder cannot be replaced; name another one")
    list_name = f"{LISTS_FOLDER}/{command}.json"
    written_names = {list_name, *read_json(target / list_name).get("files", {})}
    for path in sorted(path for path in target.rglob("*") if not path.is_dir()):
        if (name := path.relative_to(target).as_posix()) not in written_names:
            raise InputError(
                f"{out}: it holds {name}, which `srlib {command}` did not write; name a new or empty folder"
            )


def hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, including hidden files, by its path relative to the folder."""
    paths = sorted(path for path in folder.rglob("*") if not path.is_dir())
    return {path.relative_to(folder).as_posix(): sha256(path) for path in paths}


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file that srlib wrote; an empty one if there is none or it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
