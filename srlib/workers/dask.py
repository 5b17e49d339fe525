"""`bounded_map` on a Dask cluster: each task is a chunk of items, and each item runs within hard limits."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from srlib.errors import InputError, InterruptedResultsError
from srlib.files import SILENT_S, warn
from srlib.workers import Outcome, bounded_map

CHUNK_SIZE = 16
CONNECT_TIMEOUT_S = 10.0
IDLE_TIMEOUT_S = 600.0
_clients: dict[str, Any] = {}  # that are connected now, by address


def dask_map(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    scheduler: str,
    chunk: int = CHUNK_SIZE,
    **limits: Any,
) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcomes of a function on many items, computed by the workers of a Dask scheduler.

    A task is a chunk of items; a thread of a Dask worker processes it with `bounded_map`, one process at a time. Dask
    gives the chunks of a dead worker to other workers. At most two chunks per thread are submitted at a time, so that
    no more work is lost when the scheduler dies.

    Parameters
    ----------
    function, items
        As for `bounded_map`.
    scheduler : str
        Address of the scheduler, as in tcp://host:8786.
    chunk : int
        Number of items per task.
    **limits
        timeout, cpu_seconds, memory_bytes and preload, as for `bounded_map`.

    Yields
    ------
    tuple of int and Outcome
        The item's position (from 0) and its outcome, chunk by chunk in order of completion.

    Raises
    ------
    InputError
        When dask.distributed is not installed, or no scheduler answers at the address.
    InterruptedResultsError
        When the connection to the scheduler is lost, or the scheduler had no worker for ten minutes; after the last
        outcome, when processes or Dask workers of some items were killed from outside.
    """
    pending = enumerate(items)
    interrupted = 0
    running: dict[Future[Any], int] = {}  # the number of items of each submitted chunk
    with connect(scheduler) as client:
        executor = client.get_executor(pure=False)
        idle_since, is_announced = time.monotonic(), False
        try:
            while True:
                threads = sum(client.nthreads().values())
                while len(running) < 2 * max(threads, 1):
                    pairs = list(islice(pending, chunk))
                    if not pairs:
                        break
                    running[executor.submit(run_chunk, function, pairs, limits)] = len(pairs)
                if not running:
                    break
                done = wait(running, SILENT_S, FIRST_COMPLETED).done
                if threads:
                    idle_since = time.monotonic()
                elif not done:
                    if not is_announced:
                        warn(f"{scheduler}: waiting for workers")
                    is_announced = True
                    if time.monotonic() > idle_since + IDLE_TIMEOUT_S:
                        raise TimeoutError
                for future in done:
                    outcomes = [] if future.exception() else future.result()
                    yield from outcomes
                    interrupted += running.pop(future) - len(outcomes)
        except (OSError, CancelledError) as error:  # Dask cancels when the connection is lost
            sentence = (
                f"{scheduler}: the scheduler is gone, or has had no worker for {IDLE_TIMEOUT_S:g} s; "
                "the results so far are kept; run the same command again to continue"
            )
            raise InterruptedResultsError(len(running), sentence) from error
    if interrupted:
        raise InterruptedResultsError(interrupted)


def run_chunk(
    function: Callable[[Any], Any], pairs: list[tuple[int, Any]], limits: dict[str, Any]
) -> list[tuple[int, Outcome]]:
    """Return positions and outcomes of the items of a chunk, without interrupted items; called in a Dask worker."""
    indices, items = zip(*pairs, strict=True)
    outcomes = []
    with suppress(InterruptedResultsError):
        for place, outcome in bounded_map(function, items, jobs=1, **limits):
            outcomes.append((indices[place], outcome))
    return outcomes


@contextmanager
def connect(scheduler: str) -> Iterator[Any]:
    """Yield a client of the scheduler: the one of an enclosing `connect`, or one that is closed at the end."""
    if scheduler in _clients:
        yield _clients[scheduler]
        return
    try:
        from distributed import Client

        for name in ("distributed", "tornado"):  # their tracebacks say no more than our sentence
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        client = Client(scheduler, timeout=CONNECT_TIMEOUT_S, set_as_default=False)
    except ImportError as error:
        raise InputError(
            "--scheduler needs dask.distributed: install srlib with the extra 'cluster'"
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(
            f"--scheduler: no Dask scheduler answers at {scheduler} ({error})"
        ) from error
    with client:
        _clients[scheduler] = client
        try:
            yield client
        finally:
            del _clients[scheduler]
