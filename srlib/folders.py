"""Folders that a command writes: results that change as a whole, and one for what is temporary.

A result is made in a staging folder beside OUT, `.OUT.srlib/new`, which takes the place of OUT by two renames: OUT has
all files of a command or none. A killed command leaves at most the staging folder; the next one removes it.

    with result_folder("scores", "score") as folder:
        write_frame(table, folder / "ranking.csv")
"""

import atexit
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import sha256, write_atomically
from srlib.locks import Claim, claim, locked

STATE = ".srlib"  # folder in OUT with the lists of files that commands wrote
TEMPORARY = "srlib-"  # how names of temporary folders begin
OWNER = "owner"


@contextlib.contextmanager
def result_folder(out: str | Path, command: str, listed: bool = True) -> Iterator[Path]:
    """Give a folder to write into, which takes the place of OUT when all is written.

    Parameters
    ----------
    out : str or Path
        The folder of results; made here, a link is followed. Another command that writes there is waited for.
    command : str
        Who writes. It replaces what it wrote before; what other commands wrote there stays.
    listed : bool
        Keep a list of the files, so that the same command may write there again; without one OUT has to be empty.

    Yields
    ------
    Path
        An empty folder, to write into below it as below OUT.

    Raises
    ------
    InputError
        When OUT holds a file that srlib did not write, is the current folder, or cannot be written; OUT is as it
        was. Messages name OUT.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as base:
    ...     with result_folder(f"{base}/out", "score") as folder:
    ...         (folder / "a.csv").write_text("1")
    ...         Path(f"{base}/out").exists()
    ...     Path(f"{base}/out/a.csv").read_text()
    1
    False
    '1'
    """
    place = Path(os.path.realpath(out))
    staging = place.parent / f".{place.name}.srlib"
    new, old = staging / "new", staging / "old"
    try:
        with locked(staging / "lock", str(out)):
            try:
                if old.exists() and not place.exists():  # killed between the renames
                    old.rename(place)
                neighbours = _list_other_results(place, command, out)
                for folder in (new, old):
                    shutil.rmtree(folder, ignore_errors=True)
                new.mkdir()
                yield new
                if listed:
                    content = json.dumps({"files": hashes(new)}, indent=1, sort_keys=True)
                    write_atomically(new / STATE / f"{command}.json", content)
                for name in neighbours:
                    if not (new / name).exists():
                        (new / name).parent.mkdir(parents=True, exist_ok=True)
                        shutil.copy2(place / name, new / name)
                if place.exists():
                    place.rename(old)
                new.rename(place)
            finally:
                if old.exists() and not place.exists():
                    old.rename(place)
                shutil.rmtree(staging, ignore_errors=True)
    except BrokenPipeError:  # nobody reads what the command prints
        raise
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror or error})") from error
    except InputError as error:
        raise InputError(str(error).replace(str(new), str(out))) from error


def _list_other_results(place: Path, command: str, out: str | Path) -> list[str]:
    """Files that other commands wrote into a folder; refuse one that cannot be replaced or holds files of a user."""
    if place.exists() and not place.is_dir():
        raise InputError(f"{out}: a folder was expected, and a file stands there")
    if Path.cwd().is_relative_to(place):
        raise InputError(f"{out}: the current folder cannot be replaced; name another one")
    owners: dict[str, str] = {}
    lists = sorted((place / STATE).glob("*.json"), key=lambda path: path.stem == command)
    # its own comes last: what it wrote before is replaced, whoever wrote it, too
    for path in lists:
        files = (f"{STATE}/{path.name}", *read_json(path).get("files", {}))
        owners |= dict.fromkeys(files, path.stem)
    paths = sorted(path for path in place.rglob("*") if not path.is_dir())
    names = [path.relative_to(place).as_posix() for path in paths]
    for name in names:
        if name not in owners:
            raise InputError(
                f"{out}: it holds {name}, which srlib did not write; name a new or empty folder"
            )
    return [name for name in names if owners[name] != command]


def hashes(folder: Path) -> dict[str, str]:
    """Give the SHA-256 of each file in a folder and below, hidden ones among them, by its path from there."""
    paths = sorted(path for path in folder.rglob("*") if not path.is_dir())
    return {path.relative_to(folder).as_posix(): sha256(path) for path in paths}


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; an empty one where there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def take_temporary_folder() -> None:
    """Let this process and its children have their temporary files in a folder that is removed when it ends.

    Folders of commands that were killed are removed now. Where none can be made, nothing changes. To be called once,
    before `multiprocessing` is imported, which tidies up behind itself at the very end, and first of all.
    """
    with contextlib.suppress(OSError):
        for owner in Path(tempfile.gettempdir()).glob(f"{TEMPORARY}*/{OWNER}"):
            with contextlib.suppress(OSError):
                _remove_temporary(owner.parent, claim(owner))
        folder = Path(tempfile.mkdtemp(prefix=TEMPORARY))
        atexit.register(_remove_temporary, folder, claim(folder / OWNER))
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        if not os.access(Path(os.environ.get("HOME", "")), os.W_OK):
            # matplotlib warns where it has no home
            os.environ.setdefault("MPLCONFIGDIR", str(folder))


def _remove_temporary(folder: Path, owner: Claim | None) -> None:
    if owner is not None:
        shutil.rmtree(folder, ignore_errors=True)
        owner.release()
