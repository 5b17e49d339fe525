"""The server side of `bounded_map`: a process that imports modules once, then forks a process for each item in turn.

    receive a call -> fork -> wait for the answer, the end or the deadline -> kill remaining processes -> send

Each server imports the modules itself: forks of the same process slow one another down in the kernel.

The forkserver of `multiprocessing` is not used: a program has only one, with the environment (such as the hash seed)
and modules of its first caller, and it imports the caller's script again.
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

from srlib.workers import BoundedCall

DEATH_SIGNAL, SUBREAPER = 1, 36  # options of Linux's prctl
MEMORY_INTERVAL_S = 0.5


def serve(handle: int) -> None:
    """Run one call after the other and send each reply, until the caller closes the connection.

    Parameters
    ----------
    handle : int
        File descriptor of the connection to the caller, who sends a `BoundedCall` and waits for the reply.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_process_option(SUBREAPER, 1)
    with Connection(handle) as caller, suppress(EOFError, OSError):
        while True:
            call: BoundedCall = caller.recv()
            set_process_option(DEATH_SIGNAL, signal.SIGKILL)  # imports take seconds
            for name in call.modules:
                with suppress(Exception):  # the item fails with the reason
                    importlib.import_module(name)
            set_process_option(
                DEATH_SIGNAL, 0
            )  # from here on the server must kill its children before it ends
            gc.freeze()
            caller.send(run_call(call, caller))


def run_call(call: BoundedCall, caller: Connection) -> tuple[int | None, bytes]:
    """Run an item in a forked process, kill that process and all its descendants, and return exit code and answer.

    Returns
    -------
    int or None
        Exit code of the process, negative if a signal ended it; None when its time was up.
    bytes
        Pickled answer of the process, or one that says that it took too much memory; empty without an answer.
    """
    receiver, sender = Pipe(duplex=False)
    pid = os.fork()
    if pid == 0:
        try:
            caller.close()
            run_confined(call, sender)
        finally:
            os._exit(1)
    sender.close()
    os.setpgid(pid, pid)
    answer = b""
    ready = []
    deadline = time.monotonic() + call.wall_seconds
    while not ready and not answer and time.monotonic() < deadline:
        seconds = min(deadline - time.monotonic(), MEMORY_INTERVAL_S)
        ready = wait(
            [caller, receiver], seconds
        )  # the caller is ready when it has closed the connection
        if not ready and call.total_bytes and measure_memory() > call.total_bytes:
            reason = f"stopped at {call.total_bytes / 2**30:.3g} GB of memory"
            answer = pickle.dumps(("memory", None, reason))
    with receiver, suppress(EOFError, OSError):  # the process ended before its answer was complete
        if receiver in ready:
            answer = receiver.recv_bytes()
    code = kill_processes(pid)
    return code if ready else None, answer


def measure_memory() -> int:
    """Return the bytes of memory of all descendants of this process; shared pages count once (0 except on Linux)."""
    used = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # the process has just ended
            used += getattr(process.memory_full_info(), "pss", 0)
    return used


def run_confined(call: BoundedCall, sender: Connection) -> None:
    """Set the limits of this process, compute its item and send the answer."""
    set_process_option(DEATH_SIGNAL, signal.SIGKILL)
    os.register_at_fork(after_in_child=sender.close)  # a fork must not answer or seem to be alive
    if call.memory_bytes:
        with suppress(ValueError, OSError):  # macOS has no such limit
            resource.setrlimit(resource.RLIMIT_AS, (call.memory_bytes, call.memory_bytes))
    signal.setitimer(signal.ITIMER_PROF, call.cpu_seconds)  # its SIGPROF ends this process
    sender.send_bytes(answer_request(call.request))


def answer_request(request: bytes) -> bytes:
    """Compute a pickled request (folder, function, item), and return the pickled status, value and detail."""
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
    """Kill a process and its descendants, and return its exit code.

    A process that has already ended keeps its exit code. On Linux, orphans in other process groups become children of
    this process and are killed, too; on other systems they stay alive.
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
    """Call prctl on Linux; do nothing on other systems."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
