"""Who works on what: claims that end with their process, however that ends.

A claim is a file that the operating system locks for an open process. So it is free again the moment its holder is
done, killed or switched off, and nothing has to be tidied up. One thread keeps out another as one process does.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # a system without it: nobody is kept out
    fcntl: Any = None

SILENT_S = 3.0  # of waiting before a sentence says for whom


@contextlib.contextmanager
def claim(path: str | Path) -> Iterator[int | None]:
    """Claim a piece of work for this process, unless another one (or another claim of this one) has it.

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
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    except (FileNotFoundError, FileExistsError):
        if path.parent.exists():  # a file is in the way
            raise
        yield None  # whoever tidies up removed the folder now
        return
    is_free = True
    try:
        with contextlib.suppress(OSError):  # this file system has no locks: nobody is kept out
            try:
                if fcntl is not None:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                is_free = False
        yield handle if is_free and is_open(path, handle) else None
    finally:
        if is_free and is_open(path, handle):
            path.unlink()
        os.close(handle)


def is_open(path: Path, handle: int) -> bool:
    """Tell whether a descriptor is of the file that has the name now: it may have been released, and removed."""
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
        What is waited for, in a sentence on stderr after 3 seconds; empty for steps of milliseconds.

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
