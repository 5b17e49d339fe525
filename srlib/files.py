"""Locations of shipped files and caches, file locks, reading, atomic writing, and hashes."""

import contextlib
import fcntl
import gzip
import hashlib
import json
import os
import re
import stat
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
# exists in a wheel only (see pyproject.toml); in a checkout the folders are beside the package
SHIPPED = PACKAGE / "shipped"
CHECKOUT = SHIPPED if SHIPPED.is_dir() else PACKAGE.parent
PARAMETERS = CHECKOUT / "parameters"
NOTEBOOKS = CHECKOUT / "notebooks"
DEMO = PACKAGE / "demo"
STYLE_FILE = (
    "style.json"  # style of a suite, which the renderer writes into a notebook's output folder
)
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
SILENT_S = 3.0  # time of waiting before a message is printed


def shipped(kind: str, name: str | Path) -> Path:
    """Return the path of an input file, given by a path or by the name of a shipped file.

    Parameters
    ----------
    kind : {'rules', 'problems', 'methods', 'suites', 'layouts'}
        Subfolder of parameters/ with the shipped files.
    name : str or Path
        Name of a shipped file without suffix, or a path. Names of shipped files take precedence; write ./NAME for your
        own file of the same name.

    Raises
    ------
    InputError
        When there is no such file; the message lists the shipped names.

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
    if str(name) and Path(name).exists():
        return Path(name)
    names = ", ".join(shipped_names) or "none"
    raise InputError(f"{name}: no such file, and no shipped {kind} of that name (shipped: {names})")


def cache_folder() -> Path:
    """Return the folder of files that can be computed or fetched again: $SRLIB_CACHE, else srlib in the user's cache.

    For a user without a home folder it is in the folder of temporary files.
    """
    if folder := os.environ.get("SRLIB_CACHE"):
        return Path(folder)
    try:
        return platformdirs.user_cache_path("srlib")
    except RuntimeError:
        return Path(tempfile.gettempdir()) / "srlib"


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading, in binary mode; pipes and devices are refused, as they might never end.

    Raises
    ------
    InputError
        When the path is not a regular file, or is a Git LFS pointer instead of the file.
    OSError
        When the file cannot be opened.
    """
    if path.exists() and not path.is_file():
        raise InputError("a regular file was expected, not a folder, a pipe or a device", path)
    stream = path.open("rb")
    if stream.peek(len(LFS_POINTER)).startswith(LFS_POINTER):
        stream.close()
        raise InputError(
            "this is a Git LFS pointer and not the file itself; fetch it with `git lfs pull`", path
        )
    return stream


def printable(name: str) -> str:
    r"""Return a file's name as valid text, with bytes that are not UTF-8 written as \xNN.

    Examples
    --------
    >>> printable(os.fsdecode(b"runs-\xff.csv"))
    'runs-\\xff.csv'
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def contents(path: Path, within: Path | None = None) -> bytes:
    """Return the bytes of an untrusted file, unpacked if its name ends in .gz.

    Parameters
    ----------
    path : Path
        The file.
    within : Path, optional
        Folder that has to contain the file, after resolving links.

    Raises
    ------
    InputError
        When the file is outside the folder, is not a regular file, cannot be unpacked, or has more than 1 GiB unpacked.
    OSError
        When the file cannot be read.
    """
    if within is not None and not path.resolve().is_relative_to(within.resolve()):
        raise InputError(f"it leads out of the folder {within}", path)
    try:
        with open_file(path) as file, gzip.open(file) if path.suffix == ".gz" else file as stream:
            data = stream.read(limits.FILE_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"not a readable .gz file ({error})", path) from error
    if len(data) > limits.FILE_BYTES:
        raise InputError(
            f"more than {limits.FILE_BYTES} bytes, unpacked; use Parquet for tables of that size",
            path,
        )
    return data


@contextlib.contextmanager
def claim(path: str | Path) -> Iterator[int | None]:
    """Claim a piece of work by a locked file, unless another process, or another claim of this process, holds it.

    The operating system releases the lock when the process ends or is killed, so nothing has to be cleaned up. Claims
    of several threads exclude one another, too.

    Parameters
    ----------
    path : str or Path
        File that names the work; it is created, with its folder, and removed at the end.

    Yields
    ------
    int or None
        Descriptor of the file; None if the claim is held elsewhere, or is just being released.

    Raises
    ------
    OSError
        When the file cannot be created.

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
        yield None  # another process has just removed the folder
        return
    is_free = True
    try:
        with contextlib.suppress(OSError):  # a file system without locks excludes nobody
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
    """Return whether a descriptor belongs to the file at this path, which may have been removed or replaced."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        return False


def warn(sentence: str) -> None:
    """Write a sentence to stderr at once, if it is open."""
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"srlib: {sentence}\n")


@contextlib.contextmanager
def locked(path: str | Path, label: str = "") -> Iterator[int]:
    """Wait for a claim, and hold it during the `with` block.

    Parameters
    ----------
    path : str or Path
        As for `claim`.
    label : str
        Name of the work in a message on stderr after 3 seconds of waiting; no message if empty.

    Yields
    ------
    int
        Descriptor of the file.

    Raises
    ------
    OSError
        When the file cannot be created.
    """
    announce_at = time.monotonic() + SILENT_S
    while True:
        with claim(path) as handle:
            if handle is not None:
                yield handle
                return
        if label and time.monotonic() > announce_at:
            announce_at = float("inf")
            warn(f"{label}: in use by another command; waiting")
        time.sleep(0.01)


def write_atomically(path: str | Path, content: bytes | str) -> None:
    """Write a file completely or not at all: a temporary file in the same folder replaces it.

    Links are followed. If another process writes the same file, this function waits; the temporary file of a killed
    process is overwritten.

    Parameters
    ----------
    path : str or Path
        The file; its folder is created if it does not exist.
    content : bytes or str
        Content of the file; text is written in UTF-8.

    Raises
    ------
    InputError
        When the file cannot be written, for instance because the disk is full; an existing file stays unchanged.
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
            with contextlib.suppress(FileNotFoundError):  # its mode stays
                os.fchmod(handle, stat.S_IMODE(target.stat().st_mode))
            temporary.replace(target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error


def list_files(folder: Path, pattern: str = "**/*") -> list[Path]:
    """Return the files below a folder that match a pattern, sorted, without hidden and compiled files."""
    return sorted(
        path
        for path in folder.glob(pattern)
        if path.is_file()
        and path.suffix != ".pyc"
        and not any(part[0] == "." for part in path.relative_to(folder).parts)
    )


def sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal; for a folder, that of the names and hashes of its files."""
    path = Path(path)
    if path.is_dir():
        parts = [f"{file.relative_to(path).as_posix()} {sha256(file)}" for file in list_files(path)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest(content: Any) -> str:
    """Return the hash of JSON content: 16 bytes of blake2b of its canonical JSON, in hexadecimal.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def file_name(name: str) -> str:
    """Return a file name for a text; a text that is not a plain file name gets a hash, so that names stay distinct.

    Examples
    --------
    >>> file_name("scores"), file_name("../Scores@0.1")
    ('scores', 'scores-0.1-a4a17a')
    """
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.")[:60]
    if plain == name:
        return name
    return f"{plain or 'unnamed'}-{digest(name)[:6]}"
