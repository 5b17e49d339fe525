"""The bounded map on a Dask cluster: chunks of items as tasks, hard limits inside each task."""

import itertools
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from srlib.errors import InputError, InterruptedResultsError, SrlibError
from srlib.workers.pool import Outcome, bounded_map

CHUNK = 16
CHECK_S = 1.0
CONNECT_S = 10.0
WORKERS_S = 600.0

Pair = tuple[int, Any]


def dask_map(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    scheduler: str,
    chunk: int = CHUNK,
    **limits: Any,
) -> Iterator[tuple[int, Outcome]]:
    """Apply a function to many items on the workers of a Dask scheduler.

    A task is a chunk of items, worked through by `bounded_map` with one process at a time inside the Dask worker's
    thread. Dask hands a dead worker's chunks to the others. At most two chunks a thread are under way, so that a dead
    scheduler costs no more than those.

    Parameters
    ----------
    function, items
        As for `bounded_map`.
    scheduler : str
        Its address, as in tcp://host:8786.
    chunk : int
        Items of a task.
    **limits
        timeout, cpu_seconds, memory_bytes and preload, as for `bounded_map`.

    Yields
    ------
    tuple of int and Outcome
        The item's position (from 0) and its outcome, chunk by chunk as they come.

    Raises
    ------
    InputError
        When dask.distributed is not installed, or nobody answers at the address.
    SrlibError
        When the scheduler goes away, or has no worker for ten minutes.
    InterruptedResultsError
        In the end, when something outside killed the processes or the Dask workers of some items.
    """
    pending, interrupted = enumerate(items), 0
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    running: dict[Any, list[Pair]] = {}
    with connect(scheduler) as client:
        while True:
            try:
                threads = sum(client.nthreads().values())
                while len(running) < 2 * max(threads, 1):
                    pairs = list(itertools.islice(pending, chunk))
                    if not pairs:
                        break
                    future = client.submit(run_chunk, function, pairs, limits, pure=False)
                    running[future] = pairs
                    future.add_done_callback(finished.put)
                if not running:
                    break
                future = wait_for_chunk(client, finished)
                pairs, outcomes = running.pop(future), list[tuple[int, Outcome]]()
                if future.status == "finished":
                    outcomes = future.result()
                elif future.status != "error":  # an error: the chunk killed all workers that it met
                    raise TimeoutError
            except (OSError, TimeoutError, CancelledError) as error:  # Dask's for a lost connection
                raise SrlibError(
                    f"{scheduler}: the scheduler is gone, or has had no worker for {WORKERS_S:g} s; "
                    "what had come back is kept, and the same command goes on from there"
                ) from error
            yield from outcomes
            interrupted += len(pairs) - len(outcomes)
    if interrupted:
        raise InterruptedResultsError(interrupted)


def run_chunk(
    function: Callable[[Any], Any], pairs: list[Pair], limits: dict[str, Any]
) -> list[tuple[int, Outcome]]:
    """Work through a chunk inside a Dask worker; interrupted items have no outcome."""
    outcomes = []
    with suppress(InterruptedResultsError):
        for place, outcome in bounded_map(function, [i for _, i in pairs], jobs=1, **limits):
            outcomes.append((pairs[place][0], outcome))
    return outcomes


def wait_for_chunk(client: Any, finished: queue.SimpleQueue[Any]) -> Any:
    """Return the next chunk that is done.

    Raises
    ------
    TimeoutError
        When the scheduler is gone or has had no worker for long: Dask brings workers back, and a queue may start
        them late.
    """
    without_workers_since = time.monotonic()
    while True:
        try:
            return finished.get(timeout=CHECK_S)
        except queue.Empty:
            now = time.monotonic()
            if client.scheduler_info()["workers"]:
                without_workers_since = now
            if client.status != "running" or now - without_workers_since > WORKERS_S:
                raise TimeoutError from None


def connect(scheduler: str) -> Any:
    """Return a client of a scheduler."""
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError(
            "--scheduler needs dask.distributed: install srlib with the extra 'cluster'"
        ) from error
    try:
        return Client(scheduler, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"--scheduler: no Dask scheduler answers at {scheduler} ({error})"
        ) from error
