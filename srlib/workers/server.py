"""The far side of `pool`: a server that imports modules once and forks a process for each item.

It is a server of our own and not that of `multiprocessing`, which has one for the whole program: its environment (the
seed of hashes), its modules and the caller's script would be those of whoever started it first.
"""

import contextlib
import ctypes
import gc
import importlib
import os
import pickle
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

LIMITS = struct.Struct("ddq")  # wall-clock seconds, CPU seconds, bytes; 0 sets no limit
END = struct.Struct("i")  # the exit code of the process, or TIME_IS_UP: the last bytes of an answer
ANSWERED = (
    77,
    78,
)  # exit codes of a process whose answer is complete: it has no children, or it may have some
TIME_IS_UP = 1000
LONGEST_WAIT_S = 3600.0
DEATH_SIGNAL, SUBREAPER = 1, 36  # options of Linux's prctl


class Child(NamedTuple):
    """One process at work: its connection to the caller, and when its time is up."""

    link: socket.socket
    deadline: float


def serve(control: socket.socket, preload: Sequence[str]) -> None:
    """Fork a process for each connection that arrives, end it at its limit, and tell how it ended.

    Parameters
    ----------
    control : socket.socket
        Brings `LIMITS` and a connection for each item. When it closes, all processes are killed.
    preload : sequence of str
        Modules to import first.
    """
    import_modules(preload)
    gc.freeze()
    set_process_option(SUBREAPER, 1)
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    signal.set_wakeup_fd(waker.fileno())
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(woken, select.POLLIN)
    children: dict[int, Child] = {}
    while True:
        deadline = min((child.deadline for child in children.values()), default=float("inf"))
        patience = max(0.0, min(deadline - time.monotonic(), LONGEST_WAIT_S))
        events = dict(poll.poll(patience * 1000))
        if woken.fileno() in events:
            woken.recv(4096)
        exits = collect_exits()
        for pid, child in [*children.items()]:
            alone = child.link.fileno() in events  # the caller has gone
            if pid in exits or alone or time.monotonic() >= child.deadline:
                poll.unregister(child.link)
                del children[pid]
                end_child(pid, child, exits.get(pid), children)
        if control.fileno() in events:
            message, handles, *_ = socket.recv_fds(control, LIMITS.size, 1)
            if not handles:
                break
            wall, cpu_seconds, memory_bytes = LIMITS.unpack(message)
            link = socket.socket(fileno=handles[0])
            pid = os.fork()
            if pid == 0:
                for other in (control, woken, waker, *(child.link for child in children.values())):
                    other.close()
                try:
                    work(link, cpu_seconds, memory_bytes)
                finally:
                    os._exit(1)
            children[pid] = Child(link, time.monotonic() + wall)
            poll.register(link, 0)  # its other end hangs up
    for pid in [*children]:
        end_child(pid, children.pop(pid), None, children)


def collect_exits() -> dict[int, int]:
    """Return the exit codes of all children that have ended, by process number; minus the signal where one did it."""
    exits: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            exits[ended[0]] = os.waitstatus_to_exitcode(ended[1])
    return exits


def end_child(pid: int, child: Child, code: int | None, siblings: dict[int, Child]) -> None:
    """Kill a process and all that it started, and tell its caller how it ended."""
    if code != ANSWERED[0]:
        with contextlib.suppress(
            OSError
        ):  # nobody of its group is left, or it has not made one yet
            os.killpg(pid, signal.SIGKILL)
        if code is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        kill_orphans(siblings)
    with contextlib.suppress(OSError):  # the caller has gone
        child.link.sendall(END.pack(TIME_IS_UP if code is None else code))
        child.link.shutdown(socket.SHUT_RDWR)
    child.link.close()


def kill_orphans(siblings: dict[int, Child]) -> None:
    """Kill what ended processes have left in sessions of their own: Linux makes this process their parent."""
    while orphans := child_ids() - set(siblings):
        for pid in orphans:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def child_ids() -> set[int]:
    """Return the process numbers of this process's children; none where there is no /proc."""
    ids = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if int(path.read_text(errors="replace").rpartition(")")[2].split()[1]) == os.getpid():
                ids.add(int(path.parent.name))
    return ids


def work(link: socket.socket, cpu_seconds: float, memory_bytes: int) -> None:
    """Confine this process, answer its item, and end it."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()
    set_process_option(SUBREAPER, 1)
    set_process_option(DEATH_SIGNAL, signal.SIGKILL)
    if memory_bytes:
        with contextlib.suppress(ValueError, OSError):  # macOS has no such limit
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)  # the system's own SIGPROF ends this process
    with link.makefile("rwb") as stream:
        answer(stream, stream)
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        os._exit(ANSWERED[0])
    os._exit(ANSWERED[1])


def answer(request: Any, reply: Any) -> None:
    """Read one request, (folder, function, item), and write (status, value, detail)."""
    own = os.getpid()
    try:
        folder, function, item = pickle.load(request)
        os.chdir(folder)
        message = pickle.dumps(("ok", function(item), ""))
    except BaseException as error:  # SystemExit and the like are failures of the item, too
        message = pickle.dumps(describe_failure(error))
    if os.getpid() != own:  # the function forked, and this is the fork
        os._exit(0)
    reply.write(message)
    reply.flush()


def describe_failure(error: BaseException) -> tuple[str, None, str]:
    """Return status, no value, and the error in words."""
    status = "memory" if isinstance(error, MemoryError) else "error"
    try:
        text = f"{type(error).__name__}: {error}".rstrip(": ")
    except BaseException:
        text = type(error).__name__
    return status, None, "out of memory" if text == "MemoryError" else text[:500]


def import_modules(names: Sequence[str]) -> None:
    """Import modules; where that fails, the function's own import will say why."""
    for name in names:
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def set_process_option(option: int, value: int) -> None:
    """Call Linux's prctl; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def answer_once(preload: Sequence[str]) -> None:
    """Answer a single item from stdin on stdout, where the system cannot fork."""
    import_modules(preload)
    reply = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    answer(sys.stdin.buffer, reply)
    os._exit(ANSWERED[0])
