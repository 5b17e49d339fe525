"""Who works on what: claims that end with their process, however that ends.

A claim is a file that the operating system locks for an open process. So it is free again the moment its holder is
done, killed or switched off, and nothing has to be tidied up. One thread keeps out another as one process does.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # a system without it: nobody is kept out
    fcntl: Any = None

SILENT_S = 3.0  # of waiting before a sentence says for whom


@dataclass
class Claim(contextlib.AbstractContextManager["Claim"]):
    """A claim that is held; `release` it, or use it in a `with` statement.

    Attributes
    ----------
    path : Path
        Its file, which is removed by the release.
    handle : int
        Its descriptor.
    """

    path: Path
    handle: int

    def release(self) -> None:
        """Let others have it; doing it twice does no harm."""
        if self.handle >= 0:
            with contextlib.suppress(OSError):  # another claim may have made a new file
                if os.path.samestat(self.path.stat(), os.fstat(self.handle)):
                    self.path.unlink()
            os.close(self.handle)
            self.handle = -1

    def __exit__(self, *_: object) -> None:
        self.release()


def claim(path: str | Path) -> Claim | None:
    """Claim a piece of work for this process, unless another one (or another claim of this one) has it.

    Parameters
    ----------
    path : str or Path
        A file that names the work; made here, its folder too.

    Returns
    -------
    Claim or None
        None while another holds it, or gives it back.

    Raises
    ------
    OSError
        When the file cannot be made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = claim(f"{folder}/a-run")
    ...     claim(f"{folder}/a-run") is None
    ...     first.release()
    ...     claim(f"{folder}/a-run") is None
    True
    False
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    except (FileNotFoundError, FileExistsError):
        if path.parent.exists():  # a file is in the way
            raise
        return None  # whoever tidies up removed the folder now
    with contextlib.suppress(OSError):  # this file system has no locks: nobody is kept out
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
    with contextlib.suppress(OSError):
        if os.path.samestat(path.stat(), os.fstat(handle)):
            return Claim(path, handle)
    os.close(handle)  # it was released, and its file removed, in between
    return None


@contextlib.contextmanager
def locked(path: str | Path, label: str = "") -> Iterator[Claim]:
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
    while (held := claim(path)) is None:
        if label and time.monotonic() > announce_at:
            announce_at = float("inf")
            with contextlib.suppress(OSError, AttributeError):  # nobody reads it
                sys.stderr.write(f"srlib: {label}: in use by another command; waiting\n")
        time.sleep(0.01)
    try:
        yield held
    finally:
        held.release()
