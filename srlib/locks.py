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
ATTEMPTS = 100  # while others remove the file, or its folder, at the same moment


@dataclass
class Claim(contextlib.AbstractContextManager["Claim"]):
    """A claim that is held; `release` it, or use it in a `with` statement.

    Attributes
    ----------
    path : Path
        Its file, which is removed by the release.
    handle : int
        Its descriptor. A child process that inherits it (`pass_fds`) holds the claim, too, until both have ended.
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
        A file that names the work; made here, its folder too. It says who holds the claim.

    Returns
    -------
    Claim or None
        None while another holds it.

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
    for attempt in range(1, ATTEMPTS + 1):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        except (FileNotFoundError, FileExistsError):  # whoever tidies up removed the folder now
            if attempt == ATTEMPTS:
                raise
            continue
        with contextlib.suppress(OSError):  # this file system has no locks: nobody is kept out
            try:
                if fcntl is not None:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return None
        with contextlib.suppress(OSError):
            if os.path.samestat(path.stat(), os.fstat(handle)):
                with contextlib.suppress(OSError):  # a full disk: nobody learns who it is
                    text = f"{os.getpid()} since {time.strftime('%H:%M:%S')}"
                    os.ftruncate(handle, 0)
                    os.pwrite(handle, text.encode(), 0)
                return Claim(path, handle)
        os.close(handle)  # it was released, and its file removed, in between
    return None


def holder(path: str | Path) -> str:
    """Say who holds a claim, as in 'process 123 since 10:15:00'."""
    try:
        return f"process {Path(path).read_text(encoding='utf-8')}"
    except OSError:  # released just now
        return "another process"


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
                sys.stderr.write(f"srlib: {label}: in use by {holder(path)}; waiting\n")
        time.sleep(0.01)
    try:
        yield held
    finally:
        held.release()
