"""Record methods on problems: which runs are missing, make them, keep every outcome, one table of all."""

import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError, InterruptedResultsError
from srlib.files import claim, digest, write_atomically
from srlib.problems import Problem, Problems, load_problems, partitions
from srlib.progress import progress
from srlib.recording.fit import MEMORY_SIGNAL, Fitted, Task, fit
from srlib.recording.methods import Method, load_methods, sources
from srlib.table_files import write_frame
from srlib.tables import RUNS, conform, sorted_by
from srlib.workers import Outcome, bounded_map, dask_map

RETRIES = ("failed", "crashed", "timeout", "memory")
PRELOAD = (
    "psutil",
    "srlib.recording.fit",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.pipeline",
)
TIME_LIMIT_S = 600.0
MEMORY_BYTES = 4 * 2**30
NAME = re.compile(r"[^\W\d]\w*")
CHANGES = {
    "method": "its entry in the method file",
    "source": "its source",
    "version": "the version of its package",
    "data": "the data",
    "seed": "the seed",
}
Key = dict[str, Any]
Say = Callable[[str], object]  # takes a line for the user
Counts = Counter[tuple[str, str]]  # runs by method and end of the sentence
Record = dict[str, Any]  # of OUT/runs/KEY.json: `key`, `row` of the table, `memory_bytes`


def record(
    methods: str | Path | Iterable[Method],
    problems: str | Path | Problems,
    out: str | Path,
    repetitions: int | None = None,
    *,
    jobs: int | None = None,
    time_limit: float = TIME_LIMIT_S,
    memory_bytes: int = MEMORY_BYTES,
    retry: Collection[str] = (),
    fresh: bool = False,
    scheduler: str | None = None,
    say: Say = lambda line: None,
) -> pd.DataFrame:
    """Run every method on every problem and repetition, each run in a fresh process, on one thread.

    Recorded runs are kept, failures too, as long as the method's entry, source and version and the data are
    what they were; a run that was stopped at its limit is repeated when the limit is larger, one that could not
    be imported is always repeated. Stop at any moment and call it again: it goes on
    where it was. One call at a time records into a folder.

    Parameters
    ----------
    methods : str, Path or iterable of Method
        A method file or its bare name, or SRBench's regressor.py.
    problems : str, Path or Problems
        A problem file, its bare name, or a PMLB folder.
    out : str or Path
        Folder for runs/, predictions/ and runs.parquet.
    repetitions : int, optional
        Repetition r has the data of the r-th of the problem's data_seeds; default: all.
    jobs : int, optional
        Runs at a time; default: the CPUs that may be used.
    time_limit : float
        Seconds that one run may take.
    memory_bytes : int
        Memory that one run may take, with all processes that it starts.
    retry : collection of str
        Statuses of recorded runs that are made again: failed, crashed, timeout, memory.
    fresh : bool
        Make every run again.
    scheduler : str, optional
        Address of a Dask scheduler that does the work.
    say : callable
        Takes a line for the user.

    Returns
    -------
    DataFrame
        The runs, as in OUT/runs.parquet.

    Raises
    ------
    InputError
        When an input is wrong, or another process records into the folder: before anything is run.
    InterruptedResultsError
        When runs were killed from outside, twice each; the other runs are in OUT/runs.parquet.
    """
    out = Path(out)
    methods = load_methods(methods) if isinstance(methods, (str, Path)) else tuple(methods)
    problems = problems if isinstance(problems, Problems) else load_problems(problems)
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: a folder was expected")
    if unknown := set(retry) - set(RETRIES):
        raise InputError(f"--retry takes {', '.join(RETRIES)}, got {min(unknown)!r}")
    scratch = (out / "scratch").resolve()
    limits = {"time_limit": time_limit, "memory_bytes": memory_bytes}
    tasks = [
        replace(task, scratch=scratch / str(place), **limits)
        for place, task in enumerate(plan(methods, problems, repetitions))
    ]
    origins = sources({method.name: method for method in methods})
    keys = [make_key(task, origins[task.method.name]) for task in tasks]
    with claim(out / "lock") as lock:
        if lock is None:
            raise InputError(
                f"{out}: another command records into this folder; wait until it is done"
            )
        records = read_records(out)
        say_changes(tasks, keys, records, say)
        missing = [
            (task, key)
            for task, key in zip(tasks, keys, strict=True)
            if fresh or not is_settled(records.get(digest(key)), task, out, retry)
        ]
        shutil.rmtree(scratch, ignore_errors=True)  # of a command that was killed
        try:
            make_runs(out, missing, jobs, scheduler, say)
        except InterruptedResultsError:
            if read_records(out):
                write_table(out, problems, keys, origins, say)
            raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return write_table(out, problems, keys, origins, say)


def plan(methods: Sequence[Method], problems: Problems, repetitions: int | None) -> list[Task]:
    """List the runs, repetition by repetition, so that a stopped recording is evenly filled.

    Raises
    ------
    InputError
        When a problem has no data, or fewer data seeds than repetitions.
    """
    tasks = []
    for problem in problems.problems:
        source = f"{problems.path}: dataset {problem.dataset}"
        seeds = problem.data_seeds or tuple(range(1, (repetitions or 10) + 1))
        count = len(seeds) if repetitions is None else repetitions
        if not 1 <= count <= len(seeds):
            raise InputError(
                f"{source} has {len(seeds)} data_seeds, so 1 to "
                f"{len(seeds)} repetitions are possible, got {repetitions}"
            )
        data = partitions(problem, seeds[0])
        if data is None or data.train is None:
            raise InputError(f"{source} has no training data to run methods on")
        odd = []
        if problem.track != "qualification":  # there the reported R2 counts, and no text is read
            odd = [name for name in problem.features if not NAME.fullmatch(name)]
        for method in methods:
            if odd and method.names == "features":
                raise InputError(
                    f"{source} has a feature {odd[0]!r}, a name that no model "
                    f"text can hold; rename the column, or state names: x0 for method {method.name}"
                )
            for number, data_seed in enumerate(seeds[:count], start=1):
                repetition = data_seed if problem.numbered is False else number
                seed = method_seed(problem, repetition, data_seed)
                tasks.append(Task(method, problem, repetition, data_seed, seed))
    return sorted(tasks, key=lambda task: task.repetition)


def method_seed(problem: Problem, repetition: int, data_seed: int) -> int:
    """Derive the seed of a method from that of its data, so that it cannot draw the noise of its own data."""
    return int(digest(["method", problem.dataset, repetition, data_seed]), 16) % 2**31


def make_key(task: Task, origin: dict[str, str]) -> Key:
    """Name a run by its content: edit the method's entry or source, or the data, and it is another run."""
    data = partitions(task.problem, task.data_seed)
    return origin | {
        "data": data and data.sha256,
        "dataset": task.problem.dataset,
        "repetition": task.repetition,
        "seed": task.seed,
    }


def read_records(out: Path) -> dict[str, Record]:
    """Read the files of runs by their names, the oldest first; without those that are damaged."""
    records = {}
    for path in sorted((out / "runs").glob("*.json"), key=lambda path: path.stat().st_mtime_ns):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if path.stem == digest(content["key"]) and identify(content["row"]):
                records[path.stem] = content
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return records


def is_settled(record: Record | None, task: Task, out: Path, retry: Collection[str]) -> bool:
    """Tell whether a run is recorded, with its predictions, and is to stay."""
    if record is None or record["row"]["status"] in retry:
        return False
    row = record["row"]
    if row["status"] == "timeout":
        return row["time_limit_s"] >= task.time_limit
    if row["status"] == "memory":
        return record["memory_bytes"] >= task.memory_bytes
    if row["predictions"] is not None:
        path = out / row["predictions"]
        return path.is_file() and path.stat().st_size > 0
    return not str(row["reason"]).startswith("NotImportableError")


def say_changes(
    tasks: Sequence[Task],
    keys: Sequence[Key],
    records: dict[str, Record],
    say: Say,
) -> None:
    """Count by method the runs that were recorded with something else, and say what has changed."""
    newest = {identify(record["row"]): record["key"] for record in records.values()}
    counts: Counts = Counter()
    for task, key in zip(tasks, keys, strict=True):
        old = newest.get((task.method.name, key["dataset"], key["repetition"]))
        if old is not None and digest(key) not in records:
            parts = [words for part, words in CHANGES.items() if old.get(part) != key[part]]
            sentence = f"made again, other than recorded: {' and '.join(parts)}"
            counts[task.method.name, sentence] += 1
    say_counts(counts, say)


def make_runs(
    out: Path,
    missing: Sequence[tuple[Task, Key]],
    jobs: int | None,
    scheduler: str | None,
    say: Say,
) -> None:
    """Fit every missing run in a process of its own, and store each as it ends."""
    if not missing:
        return
    tasks = [task for task, _ in missing]
    # each run watches its memory itself: the pool's limit is one of addresses
    limits: Any = {"timeout": tasks[0].time_limit, "memory_bytes": None, "preload": PRELOAD}
    if scheduler is None:
        outcomes = bounded_map(fit, tasks, jobs=jobs, **limits)
    else:
        outcomes = dask_map(fit, tasks, scheduler=scheduler, chunk=1, **limits)
    differences: dict[str, list[str]] = {}
    counts: Counts = Counter()
    for index, outcome in progress(outcomes, len(tasks), "runs"):
        task, key = missing[index]
        save_run(out, task, key, outcome)
        if isinstance(fitted := outcome.value, Fitted):
            if fitted.model is None:
                counts[
                    task.method.name, "without a model text, so that only predictions can be judged"
                ] += 1
            if fitted.difference:
                sentence = (
                    f"{task.problem.dataset}, repetition {task.repetition}: {fitted.difference}"
                )
                differences.setdefault(task.method.name, []).append(sentence)
    for method, sentences in differences.items():
        example = "one of them, " * (len(sentences) > 1) + sentences[0]
        counts[method, f"whose text differs from predict; {example}"] = len(sentences)
    say_counts(counts, say)


def save_run(out: Path, task: Task, key: Key, outcome: Outcome) -> None:
    """Write a run, its predictions first, so that a file of a run is never without them."""
    fitted = outcome.value if isinstance(outcome.value, Fitted) else None
    status, reason, predictions = outcome.status, outcome.detail or None, None
    if status == "crashed" and outcome.detail.endswith(f"by signal {int(MEMORY_SIGNAL)}"):
        status, reason = "memory", f"stopped at {task.memory_bytes / 2**30:.3g} GB of memory"
    if fitted is not None:
        predictions = f"predictions/{digest(key)}.npz"
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **fitted.predictions)
        write_atomically(out / predictions, buffer.getvalue())
    row = {
        "method": task.method.name,
        "dataset": task.problem.dataset,
        "repetition": task.repetition,
        "seed": task.seed,
        "data_seed": task.data_seed,
        "model": fitted and fitted.model,
        "names": None if task.method.names == "auto" else task.method.names,
        "status": "failed" if status == "error" else status,
        "reason": reason,
        "r2_train": fitted and fitted.r2["train"],
        "r2_test": fitted and fitted.r2["test"],
        "training_time_s": fitted and fitted.seconds,
        "target_noise": task.problem.noise_level,
        "predictions": predictions,
        "method_version": key["version"],
        "budget": json.dumps(task.method.budget, sort_keys=True),
        "time_limit_s": task.time_limit,
    }
    content = {"key": key, "row": row, "memory_bytes": task.memory_bytes}
    write_atomically(out / "runs" / f"{digest(key)}.json", json.dumps(content, indent=1) + "\n")


def write_table(
    out: Path,
    problems: Problems,
    keys: Sequence[Key],
    origins: dict[str, dict[str, str]],
    say: Say,
) -> pd.DataFrame:
    """Make OUT/runs.parquet from the files of runs, and say by method what is left out.

    A run of a dataset of `problems` counts with its present data only, and one of a method that has `origins` with its
    present entry, source and version only. Of several for a method, dataset and repetition that of `keys` counts, else
    the newest.
    """
    records, current = read_records(out), {digest(key) for key in keys}
    hashes = {(key["dataset"], key["repetition"]): key["data"] for key in keys}
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    outdated: dict[tuple[Any, ...], str] = {}
    for name in sorted(records, key=lambda name: name in current):  # stable: the oldest first
        row, key = records[name]["row"], records[name]["key"]
        cell, problem = (row["dataset"], row["repetition"]), problems.find(row["dataset"])
        if problem is not None and cell not in hashes:
            hashes[cell] = read_hash(problem, row["data_seed"])
        if not origins.get(row["method"], {}).items() <= key.items():
            outdated[identify(row)] = "under other settings"
        elif key["data"] != hashes.get(cell, key["data"]):
            outdated[identify(row)] = "on other data"
        else:
            rows[identify(row)] = row
    reasons = [(run[0], reason) for run, reason in outdated.items() if run not in rows]
    say_counts(Counter((m, f"left out of the table, made {reason}") for m, reason in reasons), say)
    path = out / "runs.parquet"
    table = sorted_by(conform(pd.DataFrame(list(rows.values())), RUNS, path), RUNS.key)
    write_frame(table, path)
    return table


def read_hash(problem: Problem, data_seed: int) -> str | None:
    """Hash of the data of a problem; None where it has none of that seed any more."""
    try:
        data = partitions(problem, data_seed)
    except InputError:
        return None
    return data and data.sha256


def identify(row: dict[str, Any]) -> tuple[Any, ...]:
    """Give method, dataset and repetition of a run."""
    return row["method"], row["dataset"], row["repetition"]


def say_counts(counts: Counts, say: Say) -> None:
    """Say a line for each method and sentence."""
    for (method, sentence), number in sorted(counts.items()):
        say(f"{method}: {number} run{'s' * (number != 1)} {sentence}")
