"""A bounded map: every item in a process of its own with hard limits of time and memory; knows nothing of SR.

    bounded_map -> start_item: a connection to a fork server (`server.serve`), which forks a process for it
    the process writes its answer, the server adds how the process ended -> read_outcome -> Outcome

A process that was killed from outside says nothing about its item, which is tried once more. When that is killed, too,
the item has no outcome, and the map ends with `InterruptedResultsError`.
"""

import atexit
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Literal

from srlib.errors import InputError, InterruptedResultsError, SrlibError
from srlib.workers.server import ANSWERED, END, LIMITS, TIME_IS_UP

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # its own reserves a gigabyte of the addresses that are limited
    "PYTHONHASHSEED": "0",  # sets have one order in all processes
}
FORKS = hasattr(os, "fork") and hasattr(socket, "send_fds")
FROM_OUTSIDE = {1, 2, 3, 9, 15}  # signals that users, systems and the kernel short of memory send
MOST_TRIES = 2
SERVER_END_S = 2.0
_servers: dict[tuple[str, ...], socket.socket] = {}
_server_lock = threading.Lock()

Status = Literal["ok", "error", "crashed", "timeout", "memory"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the work on one item ended.

    Attributes
    ----------
    status : {'ok', 'error', 'crashed', 'timeout', 'memory'}
        error: the function raised; crashed: its process ended by its own doing, as by a fault in a library.
    value : object
        The function's value; None unless status is 'ok'.
    detail : str
        The reason in words; empty when status is 'ok'.
    by_clock : bool
        A timeout by the wall clock where CPU seconds are limited: the machine may be as much at fault as the item.
    """

    status: Status
    value: Any = None
    detail: str = ""
    by_clock: bool = False


@dataclass(eq=False)
class Item:
    """An item under way: its place, its request, and what its process has answered so far."""

    index: int
    request: bytes
    tries: int = 0
    reply: bytearray = field(default_factory=bytearray)


def missing_limits() -> str:
    """Return a sentence with the limits that this system does not have; empty where it has all."""
    limits = {
        "memory": sys.platform == "linux" and find_spec("resource") is not None,
        "CPU seconds": FORKS,
        "what a process leaves behind": FORKS,
    }
    missing = [name for name, present in limits.items() if not present]
    if not missing:
        return ""
    return f"this system has no limit for {', '.join(missing)}; the clock alone stops a model"


def bounded_map(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    timeout: float,
    cpu_seconds: float | None = None,
    memory_bytes: int | None = 2 * 2**30,
    jobs: int | None = None,
    preload: Sequence[str] = (),
) -> Iterator[tuple[int, Outcome]]:
    """Apply a function to many items in processes that may hang, crash or run out of memory.

    Parameters
    ----------
    function : callable
        An importable function of one argument; it need not behave.
    items : iterable
        Picklable items; read lazily, never more than `jobs` ahead.
    timeout : float
        Seconds that one item may take; then its process and that process's children are killed.
    cpu_seconds : float, optional
        Seconds that its process may compute, which a busy machine does not use up; where the system counts them.
    memory_bytes : int, optional
        Limit of a process's address space (where the system has one); None sets none.
    jobs : int, optional
        Number of processes at a time; default: the CPUs that may be used.
    preload : sequence of str
        Modules that are imported once, before the first item.

    Yields
    ------
    tuple of int and Outcome
        The item's position (from 0) and its outcome, in order of completion.

    Raises
    ------
    InputError
        When timeout or jobs is not positive.
    InterruptedResultsError
        After the last outcome, when something outside killed the processes of some items, twice.

    Examples
    --------
    >>> import math
    >>> sorted((i, o.status, o.value) for i, o in bounded_map(math.sqrt, [4.0, -1.0], timeout=10, jobs=1))
    [(0, 'ok', 2.0), (1, 'error', None)]
    """
    if not timeout > 0 or not (jobs is None or jobs >= 1):
        raise InputError(
            f"a positive time limit and at least one job were expected, got {timeout} and {jobs}"
        )
    module = getattr(function, "__module__", None) or ""
    preload = tuple(dict.fromkeys([*preload, *[module] * module.startswith("srlib.")]))
    if jobs is None:
        jobs = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    limits = timeout, cpu_seconds or 0.0, memory_bytes or 0
    pending, again, interrupted = enumerate(items), list[Item](), 0
    running: dict[socket.socket, Item] = {}
    try:
        while True:
            while len(running) < jobs:
                if not again:
                    if (entry := next(pending, None)) is None:
                        break
                    try:
                        request = pickle.dumps((Path.cwd(), function, entry[1]))
                    except Exception as error:  # whatever pickling a stranger's object raises
                        detail = f"the item cannot be sent to a worker ({error})"[:500]
                        yield entry[0], Outcome("error", detail=detail)
                        continue
                    again.append(Item(entry[0], request))
                item = again.pop()
                running[start_item(item, limits, preload)] = item
            if not running:
                break
            ended: list[Any] = wait(list(running))
            for link in ended:
                if part := receive(link):
                    running[link].reply += part
                    continue
                item = running.pop(link)
                link.close()
                outcome = read_outcome(item.reply, timeout, cpu_seconds)
                if outcome is not None:
                    yield item.index, outcome
                elif item.tries < MOST_TRIES:
                    again.append(item)
                else:
                    interrupted += 1
    finally:
        for link in running:
            link.close()  # the server kills the process whose caller has gone
    if interrupted:
        raise InterruptedResultsError(interrupted)


def receive(link: socket.socket) -> bytes:
    """Return the next part of an answer; empty when it has ended."""
    try:
        return link.recv(2**20)
    except ConnectionResetError:
        return b""


def start_item(
    item: Item, limits: tuple[float, float, int], preload: tuple[str, ...]
) -> socket.socket:
    """Start a process for an item and return the connection that brings its answer."""
    item.tries += 1
    item.reply.clear()
    link, remote = socket.socketpair()
    if not FORKS:
        threading.Thread(target=run_spawned, args=(remote, limits[0], preload), daemon=True).start()
    else:
        with remote, _server_lock:
            key, message = (*preload, *sys.path), LIMITS.pack(*limits)
            try:
                socket.send_fds(_servers[key], [message], [remote.fileno()])
            except (KeyError, OSError):  # there is none yet, or it was killed
                _servers[key] = start_server(preload)
                socket.send_fds(_servers[key], [message], [remote.fileno()])
    with suppress(OSError):  # the process has ended already
        link.sendall(item.request)
        link.shutdown(socket.SHUT_WR)
    return link


def start_server(preload: tuple[str, ...]) -> socket.socket:
    """Start a fork server in a session of its own, so that no Ctrl-C reaches it, and return its control socket."""
    control, remote = socket.socketpair()
    with remote:
        call = f"serve(socket.socket(fileno={remote.fileno()}), {preload!r})"
        process = subprocess.Popen(
            command_of(call),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | ENVIRONMENT,
            pass_fds=[remote.fileno()],
            start_new_session=True,
        )
    atexit.register(stop_server, control, process)
    return control


def stop_server(control: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """Let a server end its processes and itself."""
    control.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(SERVER_END_S)


def command_of(call: str) -> list[str]:
    """Return the command of an interpreter that finds the same modules and calls a function of `server`."""
    code = f"import socket, sys; sys.path[:] = {sys.path!r}; from srlib.workers import server; server.{call}"
    return [sys.executable, "-c", code]


def run_spawned(remote: socket.socket, timeout: float, preload: tuple[str, ...]) -> None:
    """Do what the server does, in a thread and by a new interpreter, where the system cannot fork."""
    with remote, remote.makefile("rb") as stream, suppress(OSError):  # the caller has gone
        try:
            process = subprocess.run(
                command_of(f"answer_once({preload!r})"),
                input=stream.read(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | ENVIRONMENT,
                timeout=timeout,
                check=False,
            )
            remote.sendall(process.stdout + END.pack(process.returncode))
        except subprocess.TimeoutExpired:
            remote.sendall(END.pack(TIME_IS_UP))


def read_outcome(reply: bytearray, timeout: float, cpu_seconds: float | None) -> Outcome | None:
    """Return the outcome that an answer and the end of its process mean; None where it was killed from outside."""
    if len(reply) < END.size:  # the server was killed
        return None
    (code,) = END.unpack(reply[-END.size :])
    if code == TIME_IS_UP:
        detail = f"stopped after {timeout:g} s"
        if cpu_seconds:
            detail += f" by the clock, before {cpu_seconds:g} s of CPU time"
        return Outcome("timeout", None, detail, by_clock=bool(cpu_seconds))
    if code in ANSWERED:
        try:
            return Outcome(*pickle.loads(reply))
        except Exception as error:  # a value that pickles but does not unpickle
            return Outcome("error", None, f"the value cannot be read back ({error})"[:500])
    if -code == getattr(signal, "SIGPROF", None) and cpu_seconds:
        return Outcome("timeout", None, f"stopped after {cpu_seconds:g} s")
    if -code in FROM_OUTSIDE:
        return None
    end = f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"
    return Outcome("crashed", None, f"the process {end}")


def call_bounded(
    function: Callable[..., Any],
    *arguments: Any,
    subject: str,
    timeout: float,
    preload: Sequence[str] = (),
) -> Any:
    """Call a function in a process of its own, as its input may hang, crash or take too much memory.

    Parameters
    ----------
    function : callable
        Importable; its arguments and its value are pickled.
    *arguments
        Its arguments.
    subject : str
        What is read, for the sentence.
    timeout : float
        Seconds that it may take.
    preload : sequence of str
        Modules that are imported before the clock starts.

    Raises
    ------
    InputError
        What the function refuses, in its own words; that it met a limit, or failed.

    Examples
    --------
    >>> call_bounded(divmod, 7, 2, subject="two numbers", timeout=10)
    (3, 1)
    """
    call = [(function, arguments)]
    limits: dict[str, Any] = {"timeout": timeout, "jobs": 1, "preload": preload}
    [(_, outcome)] = bounded_map(apply_arguments, call, **limits)
    if outcome.status != "ok":
        raise InputError(f"{subject}: {outcome.detail or outcome.status}")
    value, refusal = outcome.value
    if refusal:
        raise InputError(refusal)
    return value


def apply_arguments(call: tuple[Callable[..., Any], tuple[Any, ...]]) -> tuple[Any, str]:
    """Return a function's value and no refusal, or the sentence of its refusal."""
    function, arguments = call
    try:
        return function(*arguments), ""
    except SrlibError as error:
        return None, str(error)
