"""Commands in processes of their own, for tests that kill them, run two at once or fill their disk."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

MARK = "SRLIB_FAULT"  # an environment variable that all processes of a command inherit
PROGRAM = """
import sys
from importlib.metadata import entry_points
sys.exit(entry_points(group="console_scripts")["srlib"].load()())
"""


def start(words, *, folder=None, environment=None, file_bytes=None, output=subprocess.PIPE):
    """Start `srlib WORDS`; its output and errors are texts to be read.

    Parameters
    ----------
    words : sequence of str
        What follows `srlib`.
    folder : Path, optional
        Where it runs.
    environment : mapping, optional
        Variables beside those of this process.
    file_bytes : int, optional
        No file that it writes gets longer, as on a full disk.
    output : int
        Where its output goes.
    """

    def prepare():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, words)],
        cwd=folder,
        env=os.environ | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=prepare,
    )


def unread_pipe():
    """Give the end of a pipe to write into, whose other end nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def run(words, **more):
    """Run `srlib WORDS` to its end; give its exit code, its output and its errors."""
    process = start(words, **more)  # type: ignore[arg-type]
    output, errors = process.communicate(timeout=600)
    return process.returncode, output, errors


def worker_ids(pid):
    """Find the processes that work on items for a process: the children of its fork servers."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    return [child for child, parent in parents.items() if parents.get(parent) == pid]


def marked_processes(mark):
    """Name the processes that have inherited a mark in their environment, where the system tells."""
    names = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{MARK}={mark}".encode() in (path / "environ").read_bytes().split(b"\0"):
                names.append((path / "cmdline").read_text().replace("\0", " ")[:100])
    return names
