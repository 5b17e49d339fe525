"""The bounded map on a Dask cluster: chunks of items as tasks, hard limits inside each task."""

import itertools
import multiprocessing
import queue
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from srlib.errors import InputError, SrlibError
from srlib.workers.outcome import Outcome

CHUNK = 16
CHECK_S = 1.0
CONNECT_S = 10.0
RESULT_S = 60.0
WORKERS_S = 600.0


def cluster_map(
    apply: Callable[..., Iterable[tuple[int, Any]]],
    function: Callable[[Any], Any],
    items: Iterable[Any],
    scheduler: str,
    *,
    fresh: bool = False,
    **limits: Any,
) -> Iterator[tuple[int, Any]]:
    """Apply a function to many items on the workers of a Dask scheduler.

    A task is a chunk of items, worked through by `bounded_map` with one process inside the Dask worker's thread.
    Dask hands a dead worker's chunks to the others. At most two chunks a thread are under way, so that a dead
    scheduler costs no more than those.

    Parameters
    ----------
    apply : callable
        `bounded_map`, which works through a chunk inside a Dask worker.
    function, items, fresh
        As for `bounded_map`; with `fresh`, a chunk is one item.
    scheduler : str
        Its address, as in tcp://host:8786.
    **limits
        timeout, memory_bytes and preload, as for `bounded_map`.

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
    """
    client = _connected(scheduler)
    pending = _batched(enumerate(items), 1 if fresh else CHUNK)
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    under_way: dict[Any, tuple[tuple[int, Any], ...]] = {}
    with client:
        while True:
            try:
                threads = sum(client.nthreads().values())
                while (
                    len(under_way) < 2 * max(threads, 1)
                    and (chunk := next(pending, None)) is not None
                ):
                    future = client.submit(_work, apply, function, chunk, fresh, limits, pure=False)
                    under_way[future] = chunk
                    future.add_done_callback(done.put)
                if not under_way:
                    return
                outcomes = _next(client, scheduler, done, under_way)
            except (
                OSError,
                TimeoutError,
                CancelledError,
            ) as error:  # whatever Dask says of a lost connection
                raise _gone(scheduler) from error
            yield from outcomes


def _work(
    apply: Callable[..., Iterable[tuple[int, Any]]],
    function: Callable[[Any], Any],
    chunk: Sequence[tuple[int, Any]],
    fresh: bool,
    limits: dict[str, Any],
) -> list[tuple[int, Any]]:
    """Work through a chunk inside a Dask worker."""
    process: Any = multiprocessing.current_process()
    process._config["daemon"] = False  # a Dask worker under a nanny may have children, too
    outcomes = apply(function, [item for _, item in chunk], jobs=1, fresh=fresh, **limits)
    return [(chunk[index][0], outcome) for index, outcome in outcomes]


def _next(
    client: Any, scheduler: str, done: Any, under_way: dict[Any, Any]
) -> list[tuple[int, Any]]:
    """Wait for one chunk; a chunk that killed every worker it met is answered as crashed."""
    alone_since = time.monotonic()
    while True:
        try:
            future = done.get(timeout=CHECK_S)
            break
        except queue.Empty:
            if client.status != "running":
                raise _gone(scheduler) from None
            if client.scheduler_info()["workers"]:
                # Dask brings workers back, and a queue may start them late
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > WORKERS_S:
                raise _gone(scheduler) from None
    chunk = under_way.pop(future)
    if future.status == "finished":
        return future.result(timeout=RESULT_S)
    if future.status == "error":
        reason = f"the cluster gave up on it: {future.exception()}"[:500]
        return [(index, Outcome("crashed", detail=reason)) for index, _ in chunk]
    raise _gone(scheduler)


def _gone(scheduler: str) -> SrlibError:
    return SrlibError(
        f"{scheduler}: the scheduler is gone, or has had no worker for {WORKERS_S:g} s; "
        "what had come back is kept, and the same command goes on from there"
    )


def _connected(scheduler: str) -> Any:
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


def _batched(items: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    rest = iter(items)
    while chunk := tuple(itertools.islice(rest, size)):
        yield chunk
