"""Fuzzing: seeded hostile inputs, each in a process with limits of time and memory; what fails can be made again.

A fuzzer is a function `attempt(seed, folder)` of a module of this folder. It makes the input that belongs to the
seed, hands it to srlib, and says what came of it: 'read', or the kind of refusal. Only `SrlibError`, in one line,
is a refusal; any other exception, a hang, a dead process or too much memory is a fault, named by its seed:

    python -m tests.fuzz.harness tables 4711
"""

import collections
import importlib
import itertools
import os
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srlib.errors import SrlibError
from srlib.workers import bounded_map

# 0: the few cases of an ordinary test run
SECONDS = float(os.environ.get("SRLIB_FUZZ_SECONDS", "0"))
FIRST = int(os.environ.get("SRLIB_FUZZ_SEED", "0"))
BATCH, CASE_S, MEMORY = 25, 20.0, 3 * 2**30
PATIENT: Any = {"timeout": 1500.0, "jobs": 1}  # by the clock, which a busy machine uses up
SENTENCE = 2000  # characters


def refused(error: SrlibError) -> str:
    message = str(error)
    assert message, "a refusal says why"
    assert "\n" not in message, f"a refusal is one line, got {message!r}"
    assert len(message) < SENTENCE, f"a refusal is a sentence, got {len(message)} characters"
    return "refused"


def carry_out(job: tuple[str, int, int]) -> tuple[dict[str, int], list[tuple[int, str]]]:
    """Try the seeds of a job; called in a worker."""
    name, start, stop = job
    attempt = importlib.import_module(f"tests.fuzz.test_{name}").attempt
    counts: collections.Counter[str] = collections.Counter()
    faults = []
    warnings.simplefilter("error", RuntimeWarning)
    for seed in range(start, stop):
        with tempfile.TemporaryDirectory(prefix="srlib-fuzz-") as folder:
            begun = time.process_time()
            try:
                counts[attempt(seed, Path(folder))] += 1
            except SrlibError as error:
                counts[refused(error)] += 1
            except Exception:
                faults.append((seed, traceback.format_exc()[-3000:]))
            if time.process_time() - begun > CASE_S:
                faults.append((seed, f"took {time.process_time() - begun:.0f} s"))
    return dict(counts), faults


def jobs(name: str, cases: int) -> Iterator[tuple[str, int, int]]:
    begun = time.monotonic()
    for start in itertools.count(FIRST, BATCH):
        if time.monotonic() - begun > SECONDS if SECONDS else start >= FIRST + cases:
            return
        yield name, start, start + BATCH


def hammer(name: str, cases: int) -> collections.Counter[str]:
    """Try `cases` seeds, or as many as $SRLIB_FUZZ_SECONDS allows from $SRLIB_FUZZ_SEED on; fail with all faults."""
    counts: collections.Counter[str] = collections.Counter()
    faults: list[tuple[int, str]] = []
    given: list[tuple[str, int, int]] = []

    def noted() -> Iterator[tuple[str, int, int]]:
        for job in jobs(name, cases):
            given.append(job)
            yield job

    again = []
    for index, outcome in bounded_map(
        carry_out, noted(), cpu_seconds=BATCH * CASE_S / 4, memory_bytes=MEMORY, **PATIENT
    ):
        if outcome.status != "ok":
            again += [(name, seed, seed + 1) for seed in range(*given[index][1:])]
            continue
        counts.update(outcome.value[0])
        faults += outcome.value[1]
    for index, outcome in bounded_map(
        carry_out, again, cpu_seconds=CASE_S, memory_bytes=MEMORY, **PATIENT
    ):
        if outcome.status != "ok":
            faults.append((again[index][1], f"{outcome.status}: {outcome.detail}"))
            continue
        counts.update(outcome.value[0])
        faults += outcome.value[1]
    print(
        f"{name}: {sum(counts.values()) + len(faults)} inputs, {dict(counts)}, {len(faults)} faults"
    )
    kinds: dict[str, list[tuple[int, str]]] = {}
    for seed, text in sorted(faults):
        kinds.setdefault(signature(text), []).append((seed, text))
    assert not faults, f"{len(faults)} faults of {len(kinds)} kinds:\n" + "\n".join(
        f"{len(same)} times, as by: python -m tests.fuzz.harness {name} {same[0][0]}\n{same[0][1][-700:]}"
        for same in kinds.values()
    )
    return counts


def signature(text: str) -> str:
    """What faults of one kind share: the last line of srlib that was reached, and the exception's name."""
    places = re.findall(r'(srlib/[^"]+", line \d+)', text)
    return f"{places[-1] if places else ''} {text.strip().splitlines()[-1].partition(':')[0]}"


if __name__ == "__main__":
    _, name, seed = sys.argv
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(
                importlib.import_module(f"tests.fuzz.test_{name}").attempt(int(seed), Path(folder))
            )
        except SrlibError as error:
            print(refused(error), error)
