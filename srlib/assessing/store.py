"""Tasks by content: each is worked on once, in bounded workers, and remembered in the cache.

Rows stream through: only those in flight hold tasks and results in memory.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from srlib.assessing.tasks import VERSION, Task, carry_out, forks_itself, seconds_apart
from srlib.cache import Cache, default_cache
from srlib.files import digest
from srlib.workers import bounded_map, dask_map

FINAL = {"ok", "error"}
LIMITED = {"timeout", "memory"}
UNTOUCHED = {"r2", "match"}  # operations without sympy
PATIENCE = 10.0  # times the limit of computing: the wall clock's, for what waits or starves


Wanted = dict[str, tuple[Task, dict[str, Any]]]
Results = dict[str, dict[str, Any]]


@dataclass
class _Row:
    """One run that waits: what it asked for and what has come so far."""

    position: int
    expected: int = 0
    results: Results = field(default_factory=dict)


class Store:
    """Carries out tasks that the cache does not answer, each of them once, and hands out results.

    Parameters
    ----------
    cache : Cache or None
        The user's cache where None.
    timeout : float
        CPU seconds that a task may take; where its work is limited, ten times what that needs.
        A stored timeout is retried when this is larger than its limit, when the machine is idle now and was busy
        then, and when it was the clock that ran out.
    jobs : int or None
        Worker processes; all usable cores where None.
    scheduler : str or None
        Address of a Dask scheduler that does the work instead.
    """

    def __init__(
        self, cache: Cache | None, timeout: float, jobs: int | None, scheduler: str | None = None
    ) -> None:
        self.cache = default_cache() if cache is None else cache
        self.timeout = timeout
        self.jobs = jobs
        self.scheduler = scheduler
        self.idle = is_idle()
        numbers = os.environ["SYMPY_GROUND_TYPES"]
        self._base = {"measure": VERSION, "sympy": version("sympy"), "ground_types": numbers}
        self._crashed: Results = {}
        self._again: set[str] = set()  # timeouts that are as good as they get in this command
        self._waiting: dict[str, list[tuple[_Row, str]]] = {}
        self._sent: dict[int, tuple[str, dict[str, Any], float]] = {}
        self._later: deque[tuple[_Row, Wanted]] = deque()

    def work(
        self,
        rows: Iterable[tuple[int, Wanted]],
        finish: Callable[[int, Results], None],
        then: Callable[[int, Results], Wanted] = lambda position, results: {},
    ) -> None:
        """Get the results of every row; only rows in flight are held in memory.

        Parameters
        ----------
        rows : iterable of (position, wanted)
            Read lazily; `wanted` has, by a name that the row gives (mostly the operation's), the task and the JSON
            content that its result depends on beside operation and model.
        finish : callable
            Takes a row's position and, by those names, status, value, detail and limit, as soon as all are there;
            rows finish in any order.
        then : callable, optional
            Takes a row's position and results when all are there (at once, where nothing is wanted at first); gives
            what is wanted next of it, if anything.
        """
        self._then, self._finish = then, finish
        todo = iter(rows)
        try:
            self._pass(todo)
            while self._later:  # what the last results of a pass have led to
                self._pass(todo)
        finally:
            self.cache.close()

    def _pass(self, rows: Iterator[tuple[int, Wanted]]) -> None:
        limits: dict[str, Any] = {
            "timeout": PATIENCE * max(self.timeout, 250.0),
            "cpu_seconds": self.timeout,
            "preload": ("srlib.assessing.tasks", "srlib.expressions.warm"),
        }
        if self.scheduler:
            outcomes = dask_map(carry_out, self._missing(rows), scheduler=self.scheduler, **limits)
        else:
            outcomes = bounded_map(carry_out, self._missing(rows), jobs=self.jobs, **limits)
        for index, outcome in outcomes:
            name, key, limit = self._sent.pop(index)
            record = {
                "status": outcome.status,
                "value": outcome.value,
                "detail": outcome.detail,
                "limit": limit,
            }
            if outcome.status == "timeout":
                record |= {"idle": self.idle, "by_clock": outcome.by_clock}
                self._again.add(name)
            if outcome.status in FINAL | LIMITED:
                self.cache.put(key, record)
            else:
                self._crashed[name] = record
            for row, operation in self._waiting.pop(name):
                self._give(row, operation, record)

    def _missing(self, rows: Iterator[tuple[int, Wanted]]) -> Iterator[Task]:
        """Yield the tasks that nobody has answered; whoever asks for one that is on its way waits with it."""
        count = 0
        for row, wanted in self._next_rows(rows):
            row.expected += len(wanted)
            if not wanted:
                self._finish(row.position, row.results)
            for operation, (task, depends_on) in wanted.items():
                key = self._base | {
                    "operation": task.operation,
                    "tree": task.expression.model_id,
                    "settings": depends_on,
                }
                name, limit = digest(key), _alone(task, self.timeout) or self.timeout
                if name in self._waiting:
                    self._waiting[name].append((row, operation))
                elif (stored := self._stored(name, key, limit)) is not None:
                    self._give(row, operation, stored)
                else:
                    self._waiting[name] = [(row, operation)]
                    self._sent[count] = name, key, limit
                    count += 1
                    yield task

    def _next_rows(self, rows: Iterator[tuple[int, Wanted]]) -> Iterator[tuple["_Row", Wanted]]:
        """Yield rows that want more before new ones, so that few are in flight."""
        while True:
            if self._later:
                yield self._later.popleft()
            elif (new := next(rows, None)) is not None:
                yield _Row(new[0]), new[1] or self._then(new[0], {})
            else:
                return

    def _give(self, row: "_Row", operation: str, record: dict[str, Any]) -> None:
        row.results[operation] = record
        if len(row.results) == row.expected:
            self._later.append((row, self._then(row.position, row.results)))

    def _stored(self, name: str, key: dict[str, Any], limit: float) -> dict[str, Any] | None:
        stored = self._crashed.get(name) or self.cache.get(key)
        if stored is None or stored["status"] not in LIMITED:
            return stored
        if stored["limit"] < limit:
            return None
        if stored["status"] == "timeout" and name not in self._again:
            self._again.add(name)
            if stored.get("by_clock") or (self.idle and not stored.get("idle")):
                return None
        said = stored["detail"].replace(f"{stored['limit']:g} s", f"{limit:g} s")
        return stored | {"detail": said, "limit": limit}


def _alone(task: Task, least: float) -> float | None:
    """Seconds of computing of a task that sympy carries out, which is to find sympy as every other one does."""
    if task.operation in UNTOUCHED or forks_itself(task):
        return None
    return max(least, seconds_apart(task) or 0.0)


def is_idle() -> bool:
    """Whether this machine has CPUs to spare, by its load of the last minute."""
    try:
        return os.getloadavg()[0] < (os.cpu_count() or 1) / 2
    except (OSError, AttributeError):  # the system does not tell
        return True
