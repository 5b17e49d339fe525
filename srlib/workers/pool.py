"""A bounded map: every item in a process with a hard time limit and a memory limit; knows nothing of SR.

Every worker has a pipe of its own, so that one that is killed, exits or corrupts its pipe takes only its own
item with it. (pebble's pool shares one pipe: there a worker that calls ``os._exit(0)`` goes unnoticed until
its time is up, and an idle worker that is killed from outside breaks the pool.)
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from multiprocessing.connection import wait
from typing import Any

from srlib.errors import InputError
from srlib.workers.cluster import cluster_map
from srlib.workers.outcome import Outcome
from srlib.workers.process import FORKS, METHOD, serve, server_of, started_by
from srlib.workers.strays import descendants, end

START_LIMIT_S = 300.0
GONE_S = 2.0
COUNTED = hasattr(signal, "SIGPROF")  # whether the system stops a process after CPU seconds


def usable_cpus() -> int:
    """Count the CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def lacking() -> str:
    """Say which limits this system does not have; empty where it has all."""
    limits = {
        "memory": sys.platform == "linux" and find_spec("resource") is not None,
        "CPU seconds": COUNTED,
        "what a process leaves behind": hasattr(os, "killpg"),
    }
    missing = [name for name, there in limits.items() if not there]
    if not missing:
        return ""
    return f"this system has no limit for {', '.join(missing)}; the clock alone stops a model"


def bounded_map(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    timeout: float,
    computing: float | None = None,
    memory_bytes: int | None = 2 * 2**30,
    jobs: int | None = None,
    preload: Sequence[str] = (),
    fresh: bool = False,
    apart: Callable[[Any], float | None] | None = None,
    scheduler: str | None = None,
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
    computing : float, optional
        Seconds that its process may compute, which a busy machine does not use up; where the system counts them.
    memory_bytes : int, optional
        Limit of a worker's address space (where the system has one); None sets none.
    jobs : int, optional
        Number of worker processes; default: the CPUs that may be used.
    preload : sequence of str
        Modules that a worker imports before its first item.
    fresh : bool
        Use one new process per item.
    apart : callable, optional
        An importable function of an item: None, or the CPU seconds of one whose result must not depend on
        what its worker did before. It is worked on in a fork of a worker that has done no such item itself, or, where
        the system cannot fork, in a process of its own.
    scheduler : str, optional
        Address of a Dask scheduler whose workers do it instead; then `jobs` is theirs to say.

    Yields
    ------
    tuple of int and Outcome
        The item's position (from 0) and its outcome, in order of completion.

    Raises
    ------
    InputError
        When timeout or jobs is not positive.

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
    if computing is not None and not COUNTED:
        timeout, computing = computing, None
    if scheduler is not None:
        limits = {"timeout": timeout, "computing": computing, "memory_bytes": memory_bytes}
        limits |= {"preload": preload, "apart": apart}
        yield from cluster_map(bounded_map, function, items, scheduler, fresh=fresh, **limits)
        return
    preload = _with_own(function, preload)
    pending = enumerate(items)
    idle: list[_Worker] = []
    busy: list[_Worker] = []
    wanted, exhausted = jobs or usable_cpus(), False
    try:
        while True:
            while not exhausted and len(busy) < wanted:
                index, item = next(pending, (-1, None))
                if index < 0:
                    exhausted = True
                    break
                seconds = apart and apart(item)
                alone = seconds is not None and not FORKS
                worker = idle.pop() if idle and not alone else _Worker(memory_bytes, preload)
                busy.append(worker)
                wall, own = timeout, computing
                if seconds is not None:
                    wall *= seconds / (computing or timeout)
                    own = computing and seconds
                worker.give(index, (function, item, own or 0.0, seconds is not None), wall, own)
                worker.usable = not (fresh or alone)
            if not busy:
                return
            finished = _collect(busy)
            for worker, _ in finished:
                busy.remove(worker)
                if not worker.usable:
                    worker.kill()
                else:
                    idle.append(worker)
            yield from ((worker.index, outcome) for worker, outcome in finished)
    finally:
        for worker in (*busy, *idle):
            worker.kill()


def _collect(busy: list["_Worker"]) -> list[tuple["_Worker", Outcome]]:
    """Wait until a message, a death or a deadline, and return those that are done."""
    nearest = min(worker.deadline for worker in busy)
    handles = [handle for worker in busy for handle in (worker.pipe, worker.process.sentinel)]
    ready = set(wait(handles, timeout=max(0.0, nearest - time.monotonic())))
    finished = []
    for worker in busy:
        outcome = None
        if worker.pipe in ready:
            outcome = worker.receive()
        elif worker.process.sentinel in ready:
            outcome = worker.receive() if worker.pipe.poll() else worker.death()
        if outcome is None and time.monotonic() >= worker.deadline:
            outcome = worker.late()
        if outcome is not None:
            finished.append((worker, outcome))
    return finished


def _with_own(function: Callable, preload: Sequence[str]) -> tuple[str, ...]:
    """Modules that workers need: what was asked for, and srlib's own module of the function."""
    home = getattr(function, "__module__", None) or ""
    own = [home] if home.startswith("srlib.") else []
    return tuple(dict.fromkeys([*preload, *own]))


class _Worker:
    """One process and its pipe, seen from the parent."""

    def __init__(self, memory_bytes: int | None, preload: Sequence[str]) -> None:
        context: Any = multiprocessing.get_context(METHOD)
        server = server_of(preload)
        self.pipe, remote = context.Pipe()
        self.process = context.Process(
            target=serve, args=(remote, memory_bytes, tuple(preload)), daemon=True
        )
        with started_by(server):
            self.process.start()
        remote.close()
        self.usable = True

    def give(
        self, index: int, message: tuple[Any, ...], timeout: float, computing: float | None
    ) -> None:
        """Send an item; what cannot be sent is answered by `receive` or `death`."""
        self.index, self.timeout, self.begun = index, timeout, float("nan")
        self.computing = computing
        self.deadline = time.monotonic() + START_LIMIT_S + timeout
        self.failure: Outcome | None = None
        try:
            self.pipe.send(message)
        except OSError:
            return  # it is dead: its sentinel tells
        except Exception as error:  # whatever pickling a stranger's object raises
            self.failure = Outcome(
                "error", detail=f"the item cannot be sent to a worker ({error})"[:500]
            )
            self.deadline = 0.0

    def receive(self) -> Outcome | None:
        """Read one message: None after the mere news that the item has arrived."""
        try:
            message = self.pipe.recv()
        except (EOFError, OSError):
            return self.death()
        except Exception as error:  # a value that pickles but does not unpickle
            return Outcome(
                "error",
                detail=f"the value cannot be read back ({error})"[:500],
                seconds=self.seconds,
            )
        if message is None:
            self.begun = time.monotonic()
            self.deadline = self.begun + self.timeout
            return None
        status, value, detail = message
        self.usable &= status != "memory"
        return Outcome(status, value, detail, self.seconds)

    def late(self) -> Outcome:
        """Answer for an item whose deadline has passed."""
        if self.failure is not None:
            return self.failure
        self.usable = False
        if self.begun != self.begun:
            return Outcome(
                "crashed",
                detail=f"the worker did not start within {START_LIMIT_S:g} s",
                seconds=self.begun,
            )
        detail = f"stopped after {self.timeout:g} s"
        if self.computing is None:
            return Outcome("timeout", None, detail, self.seconds)
        detail += f" by the clock, before {self.computing:g} s of CPU time"
        return Outcome("timeout", None, detail, self.seconds, by_clock=True)

    def death(self) -> Outcome:
        """Answer for an item whose process is gone."""
        self.usable = False
        self.process.join(GONE_S)
        code = self.process.exitcode
        self.kill()
        if code is None:
            return Outcome("crashed", None, "the process closed its connection", self.seconds)
        if self.computing is not None and code == -signal.SIGPROF:
            return Outcome("timeout", None, f"stopped after {self.computing:g} s", self.seconds)
        how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        return Outcome("crashed", None, f"the process {how}", self.seconds, max(-code, 0))

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def kill(self) -> None:
        """Kill the process, all of its process group and all that it started, and close the pipe."""
        pid = self.process.pid
        started = descendants(pid) if pid is not None else []
        if hasattr(os, "killpg") and pid is not None:
            # nobody is left, or it had not yet become a group of its own
            with contextlib.suppress(OSError):
                os.killpg(pid, 9)
        self.process.kill()
        end(started)
        self.process.join()
        self.pipe.close()
