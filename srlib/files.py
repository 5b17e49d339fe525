"""Where things lie on disk, how they are written (all or nothing), and how contents are named by hashes."""

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from srlib import limits
from srlib.errors import InputError
from srlib.locks import locked

PACKAGE = Path(__file__).resolve().parent
# in a wheel (see pyproject.toml); in a checkout they lie beside the package
SHIPPED = PACKAGE / "shipped"
CHECKOUT = SHIPPED if SHIPPED.is_dir() else PACKAGE.parent
PARAMETERS = CHECKOUT / "parameters"
NOTEBOOKS = CHECKOUT / "notebooks"
DEMO = PACKAGE / "demo"
POINTER = b"version https://git-lfs.github.com/spec/"


def shipped(kind: str, name: str | Path) -> Path:
    """Find an input given as a path or as the bare name of a shipped file.

    Parameters
    ----------
    kind : {'rules', 'problems', 'methods', 'suites', 'layouts'}
        The folder of parameters/ that bare names stand for.
    name : str or Path
        A path, or the name of a file of that folder without its suffix, which wins; a file of one's own that bears
        such a name is ./NAME.

    Raises
    ------
    InputError
        When neither exists; the message lists the shipped names.

    Examples
    --------
    >>> shipped("rules", "judging-2022").name
    'judging-2022.yaml'
    """
    if not isinstance(name, str | Path):
        raise InputError(
            f"{kind}: a path or the name of a shipped file was expected, got {type(name).__name__}"
        )
    shipped_names = sorted(path.stem for path in (PARAMETERS / kind).glob("*.yaml"))
    if str(name) in shipped_names:
        return PARAMETERS / kind / f"{name}.yaml"
    if Path(name).exists():
        return Path(name)
    names = ", ".join(shipped_names) or "none"
    raise InputError(f"{name}: no such file, and no shipped {kind} of that name (shipped: {names})")


def cache_folder() -> Path:
    """Folder of what can be made or fetched again: $SRLIB_CACHE, else srlib in the user's cache folder.

    A user without a home folder has none: what is kept lies among temporary files and is gone after the command.
    """
    if chosen := os.environ.get("SRLIB_CACHE"):
        return Path(chosen)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "srlib"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / "srlib"


def opened(path: Path) -> BinaryIO:
    """Open a regular file for reading; a pipe or a device, which might never end, is refused.

    Raises
    ------
    InputError
        When it is no regular file, or the few lines that Git LFS keeps in place of a large one.
    OSError
        Whatever opening raises.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: a regular file was expected, not a folder, a pipe or a device")
    stream = path.open("rb")
    if stream.peek(len(POINTER)).startswith(POINTER):
        stream.close()
        raise InputError(
            f"{path}: this is a Git LFS pointer and not the file itself; fetch it with `git lfs pull`"
        )
    return stream


def printable(name: str) -> str:
    r"""Give a file's name as text that can be written everywhere: bytes that are no UTF-8 as \xNN.

    Examples
    --------
    >>> printable(os.fsdecode(b"runs-\xff.csv"))
    'runs-\\xff.csv'
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def contents(path: Path, within: Path | None = None) -> bytes:
    """Read a file of a stranger, unpacked where its name ends in .gz.

    Parameters
    ----------
    path : Path
        The file.
    within : Path, optional
        Folder that it has to lie in, links followed.

    Raises
    ------
    InputError
        When the file lies elsewhere, is no regular file, cannot be unpacked, or holds more than 1 GiB then.
    OSError
        Whatever reading raises.
    """
    if within is not None and not path.resolve().is_relative_to(within.resolve()):
        raise InputError(f"{path}: it leads out of the folder {within}")
    try:
        with opened(path) as file, gzip.open(file) if path.suffix == ".gz" else file as stream:
            data = stream.read(limits.FILE_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: not a readable .gz file ({error})") from error
    if len(data) > limits.FILE_BYTES:
        raise InputError(
            f"{path}: more than {limits.FILE_BYTES} bytes, unpacked; use Parquet for tables of that size"
        )
    return data


def write_atomically(path: str | Path, content: bytes | str) -> None:
    """Write a file in full or not at all: a temporary file beside it takes its place.

    A link is followed. Another process that writes the same file is waited for, and what a killed one left is used.

    Parameters
    ----------
    path : str or Path
        Its folder is made where there is none.
    content : bytes or str
        Text is written in UTF-8.

    Raises
    ------
    InputError
        When the folder cannot be written or the disk is full; nothing is left behind.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".{target.name[:40]}.part")
        with locked(temporary) as handle:
            os.ftruncate(handle, 0)
            with os.fdopen(handle, "wb", closefd=False) as stream:
                stream.write(data)
            os.fsync(handle)
            temporary.replace(target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error


def visible(folder: Path, pattern: str = "**/*") -> list[Path]:
    """Files below a folder, sorted; without hidden ones, which commands and systems keep for themselves."""
    return sorted(
        path
        for path in folder.glob(pattern)
        if path.is_file() and not any(p[0] == "." for p in path.relative_to(folder).parts)
    )


def sha256(path: str | Path) -> str:
    """Hash of a file's bytes, in hexadecimal; a folder's is that of its files' names and hashes."""
    path = Path(path)
    if path.is_dir():
        parts = [f"{p.relative_to(path).as_posix()} {sha256(p)}" for p in visible(path)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest(content: Any) -> str:
    """Short name of JSON content: 16 bytes of blake2b over its canonical JSON, in hexadecimal.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
