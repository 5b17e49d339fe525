"""A busy machine changes no count: the same models as the machine is, and with six endless loops beside them."""

import os
import subprocess
import sys
import time
from typing import Any

from srlib.workers import bounded_map
from tests.benchmarks.simplicity import LIMIT_S, models, once, seconds

SAMPLE, WORK, LOOPS = 100, 5_000, 6


def found(items: list[Any]) -> tuple[list[Any], float]:
    """Text, count and work of each model, or how it ended; how long they took by the clock."""
    start = time.perf_counter()
    preload = ("srlib.expressions.algebra.warm", "tests.benchmarks.simplicity")
    outcomes = bounded_map(
        once, items, timeout=10 * LIMIT_S, computing=LIMIT_S, jobs=1, apart=seconds, preload=preload
    )
    result: list[Any] = [None] * len(items)
    for index, outcome in outcomes:
        result[index] = outcome.status
        if outcome.status == "ok":
            result[index] = tuple(outcome.value[name] for name in ("text", "count", "work"))
    return result, time.perf_counter() - start


def test_a_busy_machine_changes_no_count(benchmark, reference_data, say):
    items = [(model, True, WORK) for _, model in models()[:SAMPLE]]
    (plain, before), load = found(items), os.getloadavg()[0]
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(LOOPS)]
    try:
        busy, after = benchmark.pedantic(found, (items,), rounds=1)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    differ = sum(one != other for one, other in zip(plain, busy, strict=True))
    beyond = sum("beyond" in one for one in plain)
    say(
        f"{len(items)} models, {beyond} beyond {WORK} objects, load {load:.1f}: {before:.0f} s; beside {LOOPS} endless "
        f"loops: {after:.0f} s; {differ} differ in count, text or work"
    )
    assert differ == 0
    assert not {"timeout", "memory", "error", "crashed"} & set(map(str, [*plain, *busy]))
