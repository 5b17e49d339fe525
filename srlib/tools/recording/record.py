"""Record runs of methods on problems: make missing runs, keep every outcome, and write a table of all runs."""

import io
import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError, require
from srlib.files import claim, digest, sha256, write_atomically
from srlib.problems import Problem, Problems, load_problems, partitions
from srlib.progress import progress
from srlib.prose import counted
from srlib.table_files import write_frame
from srlib.tables import RUNS, conform
from srlib.tools.recording.fit import PlannedRun, fit, try_build
from srlib.tools.recording.methods import TIME_LIMIT_S, Method, load_methods, read_origins
from srlib.workers import Outcome, bounded_map
from srlib.workers.dask import dask_map

RETRY_STATUSES = ("failed", "crashed", "timeout", "memory")
LONGEST_EXAMPLE = 300  # letters of an example in a line for the user
Say = Callable[[str], object]  # prints a line for the user
# method, clause about one of its runs, and an example, which may be empty
Note = tuple[str, str, str]
# `bounded_map`, or `dask_map`, with all options but the limits
RunAll = Callable[..., Iterator[tuple[int, Outcome]]]
# content of OUT/runs/NAME.json: `key`, `row` of the table, `memory_bytes`, `predictions_sha256`, without `checksum`
Record = dict[str, Any]


def record(
    methods: str | Path | Iterable[Method],
    problems: str | Path | Problems,
    out: str | Path,
    repetitions: int | None = None,
    *,
    jobs: int | None = None,
    time_limit: float = TIME_LIMIT_S,
    memory_bytes: int = 4 * 2**30,
    retry: Collection[str] = (),
    fresh: bool = False,
    scheduler: str | None = None,
    say: Say = lambda line: None,
) -> pd.DataFrame:
    """Run every method on every problem and repetition, each in a new process on one thread; return all runs.

    Recorded runs, also failed ones, are kept while the method's entry, source and version and the data are unchanged.
    A run that was stopped at a limit is repeated if the limit is now larger, and a run that took longer than the
    present limit is repeated, too. A call that was stopped can be repeated and continues where it stopped. Only one
    call at a time records into a folder. Each method with runs to make is first built once, so that what would fail in
    all of them is refused before the start.

    Parameters
    ----------
    methods : str, Path or iterable of Method
        Method file, name of a shipped one, or SRBench's regressor.py.
    problems : str, Path or Problems
        Problem file, name of a shipped one, or a PMLB folder.
    out : str or Path
        Folder for runs/, predictions/ and runs.parquet.
    repetitions : int, optional
        Number of repetitions; repetition r has the data of the r-th of the problem's data_seeds. By default all.
    jobs : int, optional
        Number of runs at a time; by default the number of usable CPUs.
    time_limit : float
        Seconds that one run may take.
    memory_bytes : int
        Memory that one run may take, including all processes that it starts.
    retry : collection of str
        Statuses of recorded runs that are repeated: 'failed', 'crashed', 'timeout', 'memory'.
    fresh : bool
        Whether all runs are repeated.
    scheduler : str, optional
        Address of a Dask scheduler that does the work in place of local processes.
    say : callable
        Called with each line for the user.

    Returns
    -------
    DataFrame
        The runs, as in OUT/runs.parquet.

    Raises
    ------
    InputError
        When an input is wrong, a method cannot be imported or built, or another process records into the folder; then
        nothing is run.
    InterruptedResultsError
        When some runs were killed from outside twice; the other runs are in OUT/runs.parquet.
    """
    out = Path(out)
    source = f"{methods}, " if isinstance(methods, (str, Path)) else ""
    methods = load_methods(methods) if isinstance(methods, (str, Path)) else tuple(methods)
    problems = problems if isinstance(problems, Problems) else load_problems(problems)
    require(out.is_dir() or not out.exists(), f"{out}: a folder was expected")
    statuses = ", ".join(RETRY_STATUSES)
    for status in retry:
        require(status in RETRY_STATUSES, f"retry: {statuses} was expected, got {status!r}")
    scratch = (out / "scratch").resolve()
    origins = read_origins(methods)
    limits = {"time_limit": time_limit, "memory_bytes": memory_bytes, "scratch": scratch}
    tasks = plan_runs(methods, problems, repetitions, origins, **limits)
    # a method may reserve more address space than it uses
    options = {"memory_bytes": 0, "preload": ["sklearn.linear_model"]}
    run_all = partial(bounded_map, jobs=jobs, **options)
    if scheduler is not None:
        run_all = partial(dask_map, scheduler=scheduler, chunk=1, **options)
    with claim(out / "lock") as lock:
        require(
            lock is not None,
            f"{out}: another command records into this folder; wait until it is done",
        )
        records = read_records(out)
        say_notes(find_changes(tasks, records), say)
        missing = [
            task
            for task in tasks
            if fresh or not is_current(records.get(name_file(task.key)), task, out, retry)
        ]
        shutil.rmtree(scratch, ignore_errors=True)  # left by a command that was killed
        if missing:
            check_methods(missing, source, run_all)
        try:
            say_notes(make_runs(out, missing, run_all) if missing else (), say)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            table = write_table(out, problems, origins, say)
        return table


def plan_runs(
    methods: Sequence[Method],
    problems: Problems,
    repetitions: int | None,
    origins: dict[str, dict[str, str]],
    **limits: Any,
) -> list[PlannedRun]:
    """Return the runs, sorted by repetition, so that a recording that is stopped has equally many of each method.

    A method's seed is a hash that includes the data seed, so that it cannot reproduce the noise of its data. `limits`
    are the last attributes of `PlannedRun`.

    Raises
    ------
    InputError
        When a problem has no data, or fewer data seeds than repetitions.
    """
    tasks = []
    for problem in problems.problems:
        source = f"{problems.path}: {problem}"
        seeds = problem.data_seeds or tuple(range(1, (repetitions or 10) + 1))
        require(
            repetitions is None or 1 <= repetitions <= len(seeds),
            f"{source} has {len(seeds)} data_seeds, so 1 to "
            f"{len(seeds)} repetitions are possible, got {repetitions}",
        )
        data = partitions(problem, seeds[0])
        require(
            bool(data and data.train),
            f"{source} has no training data to run methods on; state them as its data, as in "
            f"data: {{file: 'public/{{data_seed}}_{problem.dataset}_train.csv'}}",
        )
        for number, data_seed in enumerate(seeds[:repetitions], start=1):
            repetition = data_seed if problem.numbered is False else number
            key = {
                "dataset": problem.dataset,
                "repetition": repetition,
                "data": read_hash(problem, data_seed),
                "seed": int(digest(["method", problem.dataset, repetition, data_seed]), 16) % 2**31,
            }
            for method in methods:
                own_key = {"method": method.name, **key, **origins[method.name]}
                tasks.append(PlannedRun(method, problem, data_seed, own_key, **limits))
    return sorted(tasks, key=lambda task: task.key["repetition"])


def read_hash(problem: Problem, data_seed: int) -> str | None:
    """Return the hash of a problem's data for this seed; None if the data cannot be read."""
    with suppress(InputError):
        data = partitions(problem, data_seed)
        return data and data.sha256


def name_file(key: dict[str, Any]) -> str:
    """Return the name of a run's files: a hash of method, dataset and repetition, the same if the run is repeated."""
    return digest([key[part] for part in RUNS.key])


def read_records(out: Path) -> dict[str, Record]:
    """Return {name: content} of the files of runs, without those that are damaged or were edited."""
    records = {}
    for path in sorted((out / "runs").glob("*.json")):
        with suppress(ValueError, KeyError, TypeError):
            record = json.loads(path.read_text(encoding="utf-8"))
            checksum = record.pop("checksum")
            if path.stem == name_file(record["key"]) and checksum == digest(record):
                records[path.stem] = record
    return records


def is_current(record: Record | None, task: PlannedRun, out: Path, retry: Collection[str]) -> bool:
    """Return whether a recorded run and its predictions are still valid, so that it is not repeated."""
    if record is None or record["key"] != task.key or record["row"]["status"] in retry:
        return False
    row, status = record["row"], record["row"]["status"]
    if status == "ok":
        path = out / row["predictions"]
        is_intact = path.is_file() and sha256(path) == record["predictions_sha256"]
        return is_intact and row["training_time_s"] <= task.time_limit
    is_larger = {
        "timeout": task.time_limit > row["time_limit_s"],
        "memory": task.memory_bytes > record["memory_bytes"],
    }
    return not is_larger.get(status)


def find_changes(tasks: Iterable[PlannedRun], records: dict[str, Record]) -> Iterator[Note]:
    """Yield a note for each recorded run that is repeated because its key changed, or was made under other limits."""
    for task in tasks:
        if record := records.get(name_file(task.key)):
            changed = [part for part, value in task.key.items() if record["key"][part] != value]
            limits = record["row"]["time_limit_s"], record["memory_bytes"]
            if changed:
                clause = f"made again, other than recorded: {', '.join(changed)}"
                yield task.method.name, clause, ""
            elif limits != (task.time_limit, task.memory_bytes):
                yield task.method.name, "recorded under other limits of time or memory", ""


def check_methods(tasks: Sequence[PlannedRun], source: str, run_all: RunAll) -> None:
    """Build the estimator of each method once, in a separate process, before anything is fitted.

    Raises
    ------
    InputError
        When a method cannot be imported or built; the message names the file, the method and the reason.
    """
    first_tasks = [*{task.method.name: task for task in reversed(tasks)}.values()]
    for index, outcome in sorted(run_all(try_build, first_tasks, timeout=TIME_LIMIT_S)):
        refusal = outcome.value or outcome.detail
        name = first_tasks[index].method.name
        require(not refusal, f"{source}method {name}: {refusal}; nothing was run")


def make_runs(out: Path, tasks: Sequence[PlannedRun], run_all: RunAll) -> Iterator[Note]:
    """Make each run in a separate process, save it as soon as it ends, and yield notes about models' texts."""
    limits = {"timeout": tasks[0].time_limit, "total_bytes": tasks[0].memory_bytes}
    for index, outcome in progress(run_all(fit, tasks, **limits), len(tasks), "runs"):
        task = tasks[index]
        save_run(out, task, outcome)
        place = f"{task.problem.dataset}, repetition {task.key['repetition']}"
        for clause, example in outcome.value.notes if outcome.value else ():
            yield task.method.name, clause, example and f"{place}: {example}"


def save_run(out: Path, task: PlannedRun, outcome: Outcome) -> None:
    """Write the files of a run, predictions first, so that the run's file never refers to missing predictions."""
    name, predictions = name_file(task.key), None
    columns = dict.fromkeys(("model", "r2_train", "r2_test", "training_time_s", "names"))
    if outcome.status == "ok":
        predictions = f"predictions/{name}.npz"
        columns |= outcome.value.columns
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **outcome.value.predictions)
        write_atomically(out / predictions, buffer.getvalue())
    row = {
        **{part: task.key[part] for part in (*RUNS.key, "seed")},
        "data_seed": task.data_seed,
        **columns,
        "status": "failed" if outcome.status == "error" else outcome.status,
        "reason": outcome.detail or None,
        "target_noise": task.problem.noise_level,
        "predictions": predictions,
        "method_version": task.key["version"],
        "budget": json.dumps(task.method.budget, sort_keys=True),
        "time_limit_s": task.time_limit,
    }
    record = {"key": task.key, "row": row, "memory_bytes": task.memory_bytes}
    record["predictions_sha256"] = predictions and sha256(out / predictions)
    record["checksum"] = digest(record)
    write_atomically(out / "runs" / f"{name}.json", json.dumps(record, indent=1) + "\n")


def write_table(
    out: Path, problems: Problems, origins: dict[str, dict[str, str]], say: Say
) -> pd.DataFrame:
    """Write OUT/runs.parquet from the files of runs, return the table, and report runs that are left out or failed.

    Runs on a dataset of `problems` are left out if its data have changed, and runs of a method in `origins` if its
    entry, source or version has changed. Without any run nothing is written, and the table is empty.
    """
    rows, notes = [], list[Note]()
    present_hash = cache(read_hash)
    for record in read_records(out).values():
        row, key = record["row"], record["key"]
        method, problem = row["method"], problems.find(row["dataset"])
        same_data = not problem or key["data"] == present_hash(problem, row["data_seed"])
        if not (same_data and origins.get(method, {}).items() <= key.items()):
            clause = "left out of the table, made on other data or under other settings"
            notes.append((method, clause, ""))
            continue
        rows.append(row)
        if row["status"] != "ok":
            example = f"{row['dataset']}: {row['reason']}"[:LONGEST_EXAMPLE]
            notes.append((method, f"ended as {row['status']}", example))
    say_notes(notes, say)
    if not rows:  # no run has ended
        return pd.DataFrame()
    path = out / "runs.parquet"
    table = conform(pd.DataFrame(rows), RUNS, path)
    table = table.sort_values([*RUNS.key], ignore_index=True)
    write_frame(table, path)
    return table


def say_notes(notes: Iterable[Note], say: Say) -> None:
    """Report a line for each method and clause, with the number of runs and one example."""
    table = pd.DataFrame(notes, columns=["method", "clause", "example"])
    for (method, clause), examples in table.groupby(["method", "clause"])["example"]:
        line, example = f"{method}: {counted(len(examples), 'run')} {clause}", examples.min()
        say(f"{line}; for example {example}" if example else line)
