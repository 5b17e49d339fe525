"""Places of shipped files and caches, claims on files, reading and writing (all or nothing), and hashes."""

import contextlib
import fcntl
import gzip
import hashlib
import json
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import platformdirs

from srlib import limits
from srlib.errors import InputError

PACKAGE = Path(__file__).resolve().parent
# in a wheel (see pyproject.toml); in a checkout they lie beside the package
SHIPPED = PACKAGE / "shipped"
CHECKOUT = SHIPPED if SHIPPED.is_dir() else PACKAGE.parent
PARAMETERS = CHECKOUT / "parameters"
NOTEBOOKS = CHECKOUT / "notebooks"
DEMO = PACKAGE / "demo"
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
SILENT_S = 3.0  # of waiting before a sentence says so


def shipped(kind: str, name: str | Path) -> Path:
    """Return the path of an input that is named by its path or by the bare name of a shipped file.

    Parameters
    ----------
    kind : {'rules', 'problems', 'methods', 'suites', 'layouts'}
        Folder of parameters/ in which bare names are looked up.
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
    """Return the folder of files that can be made or fetched again: $SRLIB_CACHE, else srlib among the user's caches.

    For a user without a home folder it lies among temporary files.
    """
    if folder := os.environ.get("SRLIB_CACHE"):
        return Path(folder)
    try:
        return platformdirs.user_cache_path("srlib")
    except RuntimeError:
        return Path(tempfile.gettempdir()) / "srlib"


def open_file(path: Path) -> BinaryIO:
    """Return a regular file opened for reading; a pipe or a device, which might never end, is refused.

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
    if stream.peek(len(LFS_POINTER)).startswith(LFS_POINTER):
        stream.close()
        raise InputError(
            f"{path}: this is a Git LFS pointer and not the file itself; fetch it with `git lfs pull`"
        )
    return stream


def printable(name: str) -> str:
    r"""Return a file's name as text that can be written everywhere: bytes that are no UTF-8 as \xNN.

    Examples
    --------
    >>> printable(os.fsdecode(b"runs-\xff.csv"))
    'runs-\\xff.csv'
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def contents(path: Path, within: Path | None = None) -> bytes:
    """Return the bytes of a stranger's file, unpacked where its name ends in .gz.

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
        with open_file(path) as file, gzip.open(file) if path.suffix == ".gz" else file as stream:
            data = stream.read(limits.FILE_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: not a readable .gz file ({error})") from error
    if len(data) > limits.FILE_BYTES:
        raise InputError(
            f"{path}: more than {limits.FILE_BYTES} bytes, unpacked; use Parquet for tables of that size"
        )
    return data


@contextlib.contextmanager
def claim(path: str | Path) -> Iterator[int | None]:
    """Claim a piece of work for this process, unless another one (or another claim of this one) has it.

    A claim is a file that the operating system locks for an open process. So it is free again the moment its holder is
    done, killed or switched off, and nothing has to be tidied up. One thread keeps out another as one process does.

    Parameters
    ----------
    path : str or Path
        A file that names the work; made here, its folder too, and removed in the end.

    Yields
    ------
    int or None
        Descriptor of the file; None while another holds it, or gives it back.

    Raises
    ------
    OSError
        When the file cannot be made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, claim(f"{folder}/a-run"):
    ...     with claim(f"{folder}/a-run") as second:
    ...         second is None
    True
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except (FileNotFoundError, FileExistsError):
        if path.parent.exists():  # a file is in the way
            raise
        yield None  # whoever tidies up removed the folder now
        return
    is_free = True
    try:
        with contextlib.suppress(OSError):  # this file system has no locks: nobody is kept out
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                is_free = False
        yield handle if is_free and is_open(path, handle) else None
    finally:
        if is_free and is_open(path, handle):
            path.unlink()
        os.close(handle)


def is_open(path: Path, handle: int) -> bool:
    """Return whether a descriptor belongs to the file that now has this name: another may have removed its file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        return False


@contextlib.contextmanager
def locked(path: str | Path, label: str = "") -> Iterator[int]:
    """Wait for a claim and hold it.

    Parameters
    ----------
    path : str or Path
        As of `claim`.
    label : str
        Name of the work in a sentence on stderr after 3 seconds of waiting; empty for steps of milliseconds.

    Raises
    ------
    OSError
        When the file cannot be made.
    """
    announce_at = time.monotonic() + SILENT_S
    while True:
        with claim(path) as handle:
            if handle is not None:
                yield handle
                return
        if label and time.monotonic() > announce_at:
            announce_at = float("inf")
            with contextlib.suppress(OSError, AttributeError):  # nobody reads it
                sys.stderr.write(f"srlib: {label}: in use by another command; waiting\n")
        time.sleep(0.01)


def write_atomically(path: str | Path, content: bytes | str) -> None:
    """Write a file in full or not at all: a temporary file beside it takes its place.

    A link is followed. Another process that writes the same file is waited for; the temporary file of a killed
    one is written anew.

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


def list_files(folder: Path, pattern: str = "**/*") -> list[Path]:
    """Return the files below a folder, sorted; without hidden ones, which commands and systems keep for themselves."""
    return sorted(
        path
        for path in folder.glob(pattern)
        if path.is_file() and not any(part[0] == "." for part in path.relative_to(folder).parts)
    )


def sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal; a folder's is that of its files' names and hashes."""
    path = Path(path)
    if path.is_dir():
        parts = [f"{file.relative_to(path).as_posix()} {sha256(file)}" for file in list_files(path)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest(content: Any) -> str:
    """Return a short name of JSON content: 16 bytes of blake2b over its canonical JSON, in hexadecimal.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
