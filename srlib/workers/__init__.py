"""A bounded map: each item runs in its own process with hard limits of time and memory.

    bounded_map -> start_call: a server (`server.serve`) forks a process for the item
    the server sends the process's exit code and answer -> receive_outcome -> Outcome

If a process is killed from outside, or stopped so long that its time by the clock ends before its CPU seconds, its item
is tried once more. If the second process is, too, the item has no outcome, and the map ends with
`InterruptedResultsError`.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple

from srlib.errors import InterruptedResultsError, SrlibError, require

# variables of the servers and of the processes that they fork; those of the caller do not change
ONE_THREAD = """
    OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS
    NUMEXPR_NUM_THREADS VECLIB_MAXIMUM_THREADS BLIS_NUM_THREADS
"""
ENVIRONMENT = (
    dict.fromkeys(ONE_THREAD.split(), "1")
    | {
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # Arrow's own pool reserves 1 GB of the limited address space
        "PYTHONHASHSEED": "0",  # sets have the same order in all processes
        "SYMPY_GROUND_TYPES": "gmpy",  # sympy's integers, on which simplified models depend
    }
)
OUTSIDE_SIGNALS = {
    1,
    2,
    3,
    9,
    15,
}  # signals that users, systems and the kernel short of memory send
MOST_TRIES = 2
LONGEST_CPU_S = 1e6  # longer timers may overflow in the system
_idle_servers: dict[tuple[Any, ...], list[Connection]] = {}  # by process, modules, sys.path


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of the work on one item, or how it failed.

    Attributes
    ----------
    status : {'ok', 'error', 'crashed', 'timeout', 'memory'}
        'ok': the function returned; 'error': it raised an exception; 'crashed': the process died by itself, as by a
        segmentation fault; 'timeout', 'memory': a limit was reached.
    value : object
        Value that the function returned; None unless status is 'ok'.
    detail : str
        The reason in words; empty when status is 'ok'.
    """

    status: Literal["ok", "error", "crashed", "timeout", "memory"]
    value: Any = None
    detail: str = ""


class BoundedCall(NamedTuple):
    """Message to a server: one item with the limits of its process.

    Attributes
    ----------
    modules : tuple of str
        Modules to import first.
    wall_seconds, cpu_seconds, memory_bytes : float or int
        Limits of the process; 0 means no limit of CPU time or memory.
    total_bytes : int
        Limit of the memory of the process and its descendants together; 0 means no limit.
    request : bytes
        The pickled tuple of working folder, function and item.
    """

    modules: tuple[str, ...]
    wall_seconds: float
    cpu_seconds: float
    memory_bytes: int
    total_bytes: int
    request: bytes


def missing_limits() -> str:
    """Return a sentence about the limits that this system does not support; empty on Linux, which supports all."""
    if sys.platform == "linux":
        return ""
    return "this system has no limit for memory, and daemons that a process leaves behind go on"


def check_limits(timeout: Any, jobs: Any) -> None:
    """Raise InputError unless timeout is a positive number and jobs is None or a whole number of at least 1."""
    require(
        isinstance(timeout, Real) and float(timeout) > 0,
        f"timeout: a positive number of seconds was expected, got {timeout!r}",
    )
    require(
        jobs is None or (isinstance(jobs, Integral) and int(jobs) >= 1),
        f"jobs: a whole number of at least 1 was expected, got {jobs!r}",
    )


def bounded_map(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    timeout: float,
    cpu_seconds: float = 0.0,
    memory_bytes: int = 2 * 2**30,
    total_bytes: int = 0,
    jobs: int | None = None,
    preload: Sequence[str] = (),
) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcomes of a function on many items, each computed in its own process with hard limits.

    Parameters
    ----------
    function : callable
        An importable function of one argument; it may hang, crash or run out of memory.
    items : iterable
        Picklable items; read lazily, only when a process is free.
    timeout : float
        Seconds that one item may take by the wall clock; then its process and all descendants are killed. With
        `cpu_seconds` this is no outcome of the item, as the machine may have stopped it.
    cpu_seconds : float
        CPU seconds that one item may take, which do not depend on how busy the machine is; 0 means no limit.
    memory_bytes : int
        Limit of the address space of a process, if the system supports it; 0 means no limit.
    total_bytes : int
        Limit of the memory of a process and its descendants together, checked twice a second; 0 means no limit. Shared
        pages count once. Works on Linux only.
    jobs : int, optional
        Number of processes at a time; by default the number of usable CPUs.
    preload : sequence of str
        Modules that each server imports once, before its first item.

    Yields
    ------
    tuple of int and Outcome
        The item's position (from 0) and its outcome, in order of completion.

    Raises
    ------
    InputError
        When timeout or jobs is not positive, or the system cannot fork processes.
    InterruptedResultsError
        After the last outcome, when both tries of some items were killed or stopped from outside.

    Examples
    --------
    >>> import math
    >>> sorted((i, o.status, o.value) for i, o in bounded_map(math.sqrt, [4.0, -1.0], timeout=10, jobs=1))
    [(0, 'ok', 2.0), (1, 'error', None)]
    """
    require(
        hasattr(os, "fork"),
        "this system cannot fork processes, which the limits need: use Linux or macOS",
    )
    check_limits(timeout, jobs)
    if jobs is None:
        jobs = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    module = str(getattr(function, "__module__", ""))
    modules = (*preload, module) if module.startswith("srlib.") else tuple(preload)
    idle = _idle_servers.setdefault((os.getpid(), modules, *sys.path), [])
    cpu_limit = min(cpu_seconds, LONGEST_CPU_S)
    pending = enumerate(items)
    interrupted = 0
    running: dict[
        Connection, tuple[int, BoundedCall, int]
    ] = {}  # with index, call and number of the try
    try:
        while True:
            for index, item in islice(pending, jobs - len(running)):
                request = pickle.dumps((Path.cwd(), function, item))
                call = BoundedCall(modules, timeout, cpu_limit, memory_bytes, total_bytes, request)
                running[start_call(call, idle)] = index, call, 1
            if not running:
                break
            ready: list[Any] = wait([*running])
            for server in ready:
                index, call, n_tries = running.pop(server)
                outcome = receive_outcome(server, call)
                idle.append(server)
                if outcome is not None:
                    yield index, outcome
                elif n_tries < MOST_TRIES:
                    running[start_call(call, idle)] = index, call, n_tries + 1
                else:
                    interrupted += 1
    finally:
        for server in running:
            server.close()  # the server kills the process whose caller has gone
    if interrupted:
        raise InterruptedResultsError(interrupted)


def start_call(call: BoundedCall, idle: list[Connection]) -> Connection:
    """Send a call to an idle server, or to a new server if none is idle, and return the connection to it."""
    while idle:
        server = idle.pop()
        if not server.poll():
            break
        server.close()  # the server was killed: an idle server sends nothing
    else:
        server = start_server()
    with suppress(OSError):  # the server was killed: `receive_outcome` returns None
        server.send(call)
    return server


def start_server() -> Connection:
    """Start a server in its own session, so that Ctrl-C does not reach it, and return the connection to it."""
    server, remote = Pipe()
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from srlib.workers.server import serve; serve({remote.fileno()})"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | ENVIRONMENT,
        pass_fds=[remote.fileno()],
        start_new_session=True,
    )
    # the server ends when its caller does; nobody waits for it, and Python must not warn about that
    process.returncode = 0
    remote.close()
    return server


def receive_outcome(server: Connection, call: BoundedCall) -> Outcome | None:
    """Return the outcome of a call; None if its process or the server was killed or stopped from outside.

    Where CPU seconds are limited, the wall clock is a limit of the machine, and says nothing about the item.
    """
    try:
        code, answer = server.recv()
    except (EOFError, OSError):
        return None
    if answer:
        try:
            return Outcome(*pickle.loads(answer))
        except Exception as error:  # a value that pickles but does not unpickle
            return Outcome("error", None, f"the value cannot be read back ({error})"[:500])
    if code is None and not call.cpu_seconds:
        return Outcome("timeout", None, f"stopped after {call.wall_seconds:g} s")
    if code is None or -code in OUTSIDE_SIGNALS:
        return None
    if -code == signal.SIGPROF and call.cpu_seconds:
        return Outcome("timeout", None, f"stopped after {call.cpu_seconds:g} s")
    ending = f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"
    return Outcome("crashed", None, f"the process {ending}")


def call_bounded(
    function: Callable[..., Any],
    *arguments: Any,
    subject: str,
    timeout: float,
    preload: Sequence[str] = (),
) -> Any:
    """Return the value of a function that is called in a separate process with a time limit.

    Parameters
    ----------
    function : callable
        An importable function; arguments and value must be picklable.
    *arguments
        Arguments of the function.
    subject : str
        Name of the input in the error message.
    timeout : float
        Seconds that the call may take.
    preload : sequence of str
        Modules that are imported before the time is measured.

    Raises
    ------
    InputError
        When the function raises SrlibError (with the same message), fails otherwise, or reaches a limit.

    Examples
    --------
    >>> call_bounded(divmod, 7, 2, subject="two numbers", timeout=10)
    (3, 1)
    """
    items = [(function, arguments)]
    [(_, outcome)] = bounded_map(apply_arguments, items, timeout=timeout, jobs=1, preload=preload)
    require(outcome.status == "ok", f"{subject}: {outcome.detail}")
    value, refusal = outcome.value
    require(not refusal, refusal)
    return value


def apply_arguments(item: tuple[Callable[..., Any], tuple[Any, ...]]) -> tuple[Any, str]:
    """Return the function's value and an empty text; if it raises SrlibError, None and the message."""
    function, arguments = item
    try:
        return function(*arguments), ""
    except SrlibError as error:
        return None, str(error)
