"""Tasks by content: each is worked on once, in bounded workers, and remembered in the cache."""

import os
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from srlib.assess.tasks import VERSION, Task, carry_out
from srlib.cache import Cache, default_cache
from srlib.files import digest
from srlib.progress import progress
from srlib.workers import bounded_map

FINAL = {"ok", "error"}
LIMITED = {"timeout", "memory"}


class Store:
    """Collects tasks, carries out those that the cache does not answer, and hands out results.

    Parameters
    ----------
    cache : Cache or None
        The user's cache where None.
    timeout : float
        Seconds a task may take; a stored timeout is retried when this is larger than its limit.
    jobs : int or None
        Worker processes; all usable cores where None.
    """

    def __init__(self, cache: Cache | None, timeout: float, jobs: int | None) -> None:
        self.cache = default_cache() if cache is None else cache
        self.timeout = timeout
        self.jobs = jobs
        self._base = {"measure": VERSION, "sympy": version("sympy"), "ground_types": ground_types()}
        self._waiting: dict[str, tuple[Task, dict[str, Any]]] = {}
        self._results: dict[str, dict[str, Any]] = {}

    def add(self, task: Task, depends_on: dict[str, Any]) -> str:
        """Ask for a task; returns the name under which its result will be found.

        Parameters
        ----------
        task : Task
            What to do.
        depends_on : dict
            JSON content, beside operation and model, that the result depends on.
        """
        key = self._base | {"operation": task.operation, "tree": task.expression.model_id, "settings": depends_on}
        name = digest(key)
        if name not in self._results and name not in self._waiting:
            stored = self.cache.get(key)
            if stored is not None and (stored["status"] in FINAL or stored["limit"] >= self.timeout):
                self._results[name] = stored
            else:
                self._waiting[name] = (task, key)
        return name

    def work(self) -> None:
        """Carry out what is waiting; every result is stored as it comes."""
        names = list(self._waiting)
        tasks = [self._waiting[name][0] for name in names]
        outcomes = bounded_map(
            carry_out, tasks, timeout=self.timeout, jobs=self.jobs, preload=("srlib.assess.tasks", "sympy")
        )
        for index, outcome in progress(outcomes, len(tasks), "assessing"):
            _, key = self._waiting[names[index]]
            record = {"status": outcome.status, "value": outcome.value, "detail": outcome.detail, "limit": self.timeout}
            self._results[names[index]] = record
            if outcome.status in FINAL | LIMITED:
                self.cache.put(key, record)
        self._waiting.clear()

    def result(self, name: str) -> dict[str, Any]:
        """Return status, value, detail and limit of a task that was asked for before `work`."""
        return self._results[name]


def ground_types() -> str:
    """Which integers sympy computes with; part of every key, found without importing sympy."""
    chosen = os.environ.get("SYMPY_GROUND_TYPES", "auto")
    if chosen != "auto":
        return chosen
    try:
        version("gmpy2")
    except PackageNotFoundError:
        return "python"
    return "gmpy"
