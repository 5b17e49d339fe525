"""One temporary folder a command: what libraries and children leave behind when they are killed goes away with it."""

import atexit
import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from srlib.locks import Claim, claim

PREFIX = "srlib-"
OWNER = "owner"


def take_temporary_folder() -> None:
    """Let this process and its children have their temporary files in a folder that is removed when it ends.

    Folders of commands that were killed are removed now. Where none can be made, nothing changes. To be called once,
    before `multiprocessing` is imported, which tidies up behind itself at the very end, and first of all.
    """
    with contextlib.suppress(OSError):
        for owner in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{OWNER}"):
            with contextlib.suppress(OSError):
                _remove(owner.parent, claim(owner))
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        atexit.register(_remove, folder, claim(folder / OWNER))
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        if not os.access(Path(os.environ.get("HOME", "")), os.W_OK):
            # it says so aloud where it has no home
            os.environ.setdefault("MPLCONFIGDIR", str(folder))


def _remove(folder: Path, mine: Claim | None) -> None:
    if mine is not None:
        shutil.rmtree(folder, ignore_errors=True)
        mine.release()
