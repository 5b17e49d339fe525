"""The server side of `pool`: a process that imports modules once and forks a process for one item after the other.

    receive limits and an item -> fork -> work -> wait for answer, end or deadline -> kill what is left -> send

Each server imports for itself: forks of one and the same process hinder one another in the kernel.

The forkserver of `multiprocessing` is not used. A program has only one: its environment (the seed of hashes) and its
modules are those of the first caller, and it imports the caller's script again.
"""

import ctypes
import gc
import importlib
import os
import pickle
import resource
import signal
import sys
import time
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path

import psutil

from srlib.workers.pool import Task

DEATH_SIGNAL, SUBREAPER = 1, 36  # options of Linux's prctl
MEMORY_INTERVAL_S = 0.5


def serve(handle: int) -> None:
    """Answer one task after the other, until the caller has gone.

    Parameters
    ----------
    handle : int
        File descriptor of the connection to the caller, who sends a `Task` and waits for the reply.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_process_option(SUBREAPER, 1)
    with Connection(handle) as caller, suppress(EOFError, OSError):
        while True:
            task: Task = caller.recv()
            set_process_option(DEATH_SIGNAL, signal.SIGKILL)  # imports take seconds
            for name in task.modules:
                with suppress(Exception):  # the item's function will say why
                    importlib.import_module(name)
            set_process_option(DEATH_SIGNAL, 0)  # from here on it has to end others first
            gc.freeze()
            caller.send(run_task(task, caller))


def run_task(task: Task, caller: Connection) -> tuple[int | None, bytes]:
    """Return the end and the answer of a process of its own for an item; all processes that it started are killed.

    Returns
    -------
    int or None
        The exit code of the process (minus the signal that ended it); None when its time was up.
    bytes
        Its pickled answer, or one that says that it took too much memory; empty when there is none.
    """
    receiver, sender = Pipe(duplex=False)
    pid = os.fork()
    if pid == 0:
        try:
            caller.close()
            run_confined(task, sender)
        finally:
            os._exit(1)
    sender.close()
    os.setpgid(pid, pid)
    answer = b""
    ready = []
    deadline = time.monotonic() + task.wall_seconds
    while not ready and not answer and time.monotonic() < deadline:
        seconds = min(deadline - time.monotonic(), MEMORY_INTERVAL_S)
        ready = wait([caller, receiver], seconds)  # the caller is ready when it has gone
        if not ready and task.total_bytes and measure_memory() > task.total_bytes:
            reason = f"stopped at {task.total_bytes / 2**30:.3g} GB of memory"
            answer = pickle.dumps(("memory", None, reason))
    with receiver, suppress(EOFError, OSError):  # the process ended before its answer did
        if receiver in ready:
            answer = receiver.recv_bytes()
    code = kill_processes(pid)
    return code if ready else None, answer


def measure_memory() -> int:
    """Return the memory of all processes below this one; pages that they share count once, where the system tells."""
    used = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            used += getattr(process.memory_full_info(), "pss", 0)
    return used


def run_confined(task: Task, sender: Connection) -> None:
    """Limit this process, work on its item and send the answer."""
    set_process_option(DEATH_SIGNAL, signal.SIGKILL)
    os.register_at_fork(after_in_child=sender.close)  # a fork must not answer or seem to be alive
    if task.memory_bytes:
        with suppress(ValueError, OSError):  # macOS has no such limit
            resource.setrlimit(resource.RLIMIT_AS, (task.memory_bytes, task.memory_bytes))
    signal.setitimer(signal.ITIMER_PROF, task.cpu_seconds)  # its SIGPROF ends this process
    sender.send_bytes(answer_request(task.request))


def answer_request(request: bytes) -> bytes:
    """Return the pickled status, value and detail of a request: (folder, function, item)."""
    try:
        folder, function, item = pickle.loads(request)
        os.chdir(folder)
        return pickle.dumps(("ok", function(item), ""))
    except BaseException as error:  # SystemExit and the like are failures of the item, too
        status = "memory" if isinstance(error, MemoryError) else "error"
        text = f"{type(error).__name__}: {error}".rstrip(": ")
        detail = "out of memory" if text == "MemoryError" else text[:500]
        return pickle.dumps((status, None, detail))


def kill_processes(pid: int) -> int:
    """Kill a process and all that it started, and return its exit code.

    A process that has ended already keeps its exit code. Linux makes this process the parent of what an ended process
    has left in groups of its own; other systems leave that alive.
    """
    with suppress(OSError):  # macOS: all of the group have ended
        os.killpg(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    with suppress(OSError):  # there are no more, or the system does not list them
        while True:
            for child in children.read_text().split():
                os.kill(int(child), signal.SIGKILL)
            os.waitpid(-1, 0)
    return code


def set_process_option(option: int, value: int) -> None:
    """Call Linux's prctl; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
