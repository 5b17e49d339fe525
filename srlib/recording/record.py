"""Record methods on problems: which runs are missing, run them, keep every outcome."""

import contextlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.files import digest
from srlib.locks import claim, holder
from srlib.problems import Problems, load_problems, partitions
from srlib.progress import progress
from srlib.recording.estimators.regressor import regressor
from srlib.recording.methods import Method, find, load_methods
from srlib.recording.run import Result, Task, execute
from srlib.recording.sources import version_of
from srlib.recording.store import Key, Row, changes, keys_of, load_row, save_row, write_table
from srlib.workers import Outcome, bounded_map
from srlib.workers.strays import no_orphans

STATUS = {
    "ok": "ok",
    "timeout": "timeout",
    "memory": "memory",
    "crashed": "crashed",
    "error": "failed",
}
RETRIES = ("failed", "crashed", "timeout", "memory")
PRELOAD = (
    "srlib.recording.run",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.pipeline",
)
TIME_LIMIT_S = 600.0
MEMORY_BYTES = 4 * 2**30
OUTSIDE = "stopped from outside"
MOST_OUTSIDE = 3
LOCK, SCRATCH = "lock", "scratch"
NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Recording:
    """What is asked of one call.

    Attributes
    ----------
    time_limit : float
        Seconds that one run may take.
    memory_bytes : int
        Memory that one run may take.
    retry : collection of str
        Statuses of recorded runs that are made again: failed, crashed, timeout, memory.
    fresh : bool
        Make every run again.
    say : callable
        Takes a line for the user.
    """

    jobs: int | None = None
    time_limit: float = TIME_LIMIT_S
    memory_bytes: int = MEMORY_BYTES
    retry: Collection[str] = ()
    fresh: bool = False
    scheduler: str | None = None
    say: Callable[[str], None] = field(default=lambda line: None)


def record(
    methods: str | Path | Iterable[Method],
    problems: str | Path | Problems,
    out: str | Path,
    repetitions: int | None = None,
    **asked: object,
) -> pd.DataFrame:
    """Run every method on every problem and repetition, each run in a fresh process, on one thread.

    Recorded runs are kept, failures too, as long as the method's entry, source and version and the data are
    what they were; a run that was stopped at its limit is repeated when the limit is larger, one that could not
    be imported or was stopped from outside is always repeated. Stop at any moment and call it again: it goes on
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
        Repetition r takes the r-th of the problem's data_seeds, as data seed and as the method's seed;
        default: all.
    **asked
        The fields of `Recording`.

    Returns
    -------
    DataFrame
        The runs, as in OUT/runs.parquet.

    Raises
    ------
    InputError
        When an input is wrong, or another process records into the folder: before anything is run.
    """
    out, call = Path(out), Recording(**asked)  # type: ignore[arg-type]
    chosen = _chosen(methods) if isinstance(methods, (str, Path)) else tuple(methods)
    stated = problems if isinstance(problems, Problems) else load_problems(problems)
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: a folder was expected")
    if unknown := set(call.retry) - set(RETRIES):
        raise InputError(f"--retry takes {', '.join(RETRIES)}, got {min(unknown)!r}")
    tasks = plan(chosen, stated, repetitions)
    keys = keys_of(tasks)
    names = [task.method.name for task in tasks]
    with _alone(out):
        for (method, other), number in sorted(changes(out, keys, names).items()):
            call.say(f"{method}: {_runs(number)} made again, other than recorded: {other}")
        missing = [
            at
            for at in zip(tasks, keys, strict=True)
            if call.fresh or not _settled(out, at[1], call)
        ]
        if missing:
            with no_orphans():
                _fill(out, missing, call)
        table, older = write_table(out, keys, names)
    for method, number in sorted(older.items()):
        call.say(f"{method}: {_runs(number)} left out of the table, made under other settings")
    return table


@contextlib.contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Keep other commands out of the folder, and clear away where runs have worked.

    Raises
    ------
    InputError
        When another command is at work there.
    """
    held = claim(out / LOCK)
    if held is None:
        raise InputError(
            f"{out}: {holder(out / LOCK)} records into this folder; wait until it is done"
        )
    with held:
        shutil.rmtree(out / SCRATCH, ignore_errors=True)  # of a command that was killed
        try:
            yield
        finally:
            shutil.rmtree(out / SCRATCH, ignore_errors=True)


def check_importable(method: Method) -> None:
    """Import a method's estimator in a process of its own, so that a wrong name ends a command at once.

    Raises
    ------
    InputError
        With what Python says.
    """
    reference = method.parameters.get("reference", method.estimator)
    outcomes = bounded_map(_import, [reference], timeout=TIME_LIMIT_S, jobs=1, fresh=True)
    for _, outcome in outcomes:
        if outcome.status != "ok":
            raise InputError(outcome.detail.removeprefix("NotImportableError: "))


def _import(reference: str) -> None:
    find(reference)


def _fill(out: Path, missing: list[tuple[Task, Key]], call: Recording) -> None:
    """Make the missing runs; those that were stopped from outside once more, at the end."""
    methods = {task.method.name: task.method for task, _ in missing}
    versions = {name: version_of(method) for name, method in methods.items()}
    differing: dict[str, list[str]] = {}
    textless: Counter[str] = Counter()
    attempts: Counter[str] = Counter()
    scratch = (out / SCRATCH).resolve()
    while missing:
        left: list[tuple[Task, Key]] = []
        outcomes = bounded_map(
            execute,
            [
                replace(task, scratch=scratch / digest(key), time_limit=call.time_limit)
                for task, key in missing
            ],
            timeout=call.time_limit,
            memory_bytes=call.memory_bytes,
            jobs=call.jobs,
            preload=PRELOAD,
            fresh=True,
            scheduler=call.scheduler,
        )
        for index, outcome in progress(outcomes, len(missing), "runs"):
            task, key = missing[index]
            name, result = digest(key), outcome.value
            attempts[name] += 1
            if _from_outside(outcome) and attempts[name] < 2:
                left.append((task, key))
            else:
                known = None
                if isinstance(result, Result):
                    known = result.predictions
                save_row(out, key, _row(out, task, key, outcome, versions, call), known)
            if isinstance(result, Result):
                if result.differs:
                    where = f"{task.problem.dataset}, repetition {task.repetition}"
                    differing.setdefault(task.method.name, []).append(f"{where}: {result.differs}")
                textless[task.method.name] += result.model is None
        missing = left
    for method, found in sorted(differing.items()):
        one = "one of them, " if len(found) > 1 else ""
        call.say(f"{method}: {_runs(len(found))} whose text differs from predict; {one}{found[0]}")
    for method, number in sorted((+textless).items()):
        call.say(
            f"{method}: {_runs(number)} without a model text, so that only predictions can be judged"
        )


def _runs(number: int) -> str:
    if number == 1:
        return "1 run"
    return f"{number} runs"


def _from_outside(outcome: Outcome) -> bool:
    """Tell whether the process was ended by somebody else: no fault of its own, and not our limit."""
    return outcome.status == "crashed" and outcome.signal in (1, 2, 3, 9, 15)


def _chosen(methods: str | Path) -> tuple[Method, ...]:
    if Path(methods).suffix == ".py":
        return (regressor(Path(methods)),)
    return load_methods(methods)


def plan(
    methods: Iterable[Method], problems: Problems, repetitions: int | None = None
) -> list[Task]:
    """List the runs, repetition by repetition, so that a stopped recording is evenly filled.

    Raises
    ------
    InputError
        When a problem has no data, or fewer data seeds than repetitions.
    """
    tasks, methods = [], tuple(methods)
    for problem in problems.problems:
        seeds = problem.data_seeds or tuple(range(1, (repetitions or 10) + 1))
        wanted = len(seeds) if repetitions is None else repetitions
        if not 1 <= wanted <= len(seeds):
            raise InputError(
                f"{problems.path}: dataset {problem.dataset} has {len(seeds)} data_seeds, so 1 to "
                f"{len(seeds)} repetitions are possible, got {repetitions}"
            )
        data = partitions(problem, seeds[0])
        if data is None or data.train is None:
            raise InputError(
                f"{problems.path}: dataset {problem.dataset} has no training data to run methods on"
            )
        odd = []
        if problem.track != "qualification":  # there the reported R2 counts, and no text is read
            odd = [name for name in problem.features if not NAME.fullmatch(name)]
        for method in methods:
            if odd and method.names == "features":
                raise InputError(
                    f"{problems.path}: dataset {problem.dataset} has a feature {odd[0]!r}, a name that no model "
                    f"text can hold; rename the column, or state names: x0 for method {method.name}"
                )
        tasks += [
            Task(method, problem, repetition, seed)
            for repetition, seed in enumerate(seeds[:wanted], start=1)
            for method in methods
        ]
    return sorted(tasks, key=lambda task: task.repetition)


def _settled(out: Path, key: Key, call: Recording) -> bool:
    """Tell whether a run is recorded and is to stay."""
    row = load_row(out, key)
    if row is None or row["status"] in call.retry:
        return False
    reason = row["reason"] or ""
    if row["status"] == "timeout":
        return row["time_limit_s"] >= call.time_limit
    if reason.startswith(OUTSIDE):
        return reason.endswith(f"{MOST_OUTSIDE} times")
    return not reason.startswith("NotImportableError")


def _row(
    out: Path, task: Task, key: Key, outcome: Outcome, versions: dict[str, str], call: Recording
) -> Row:
    result = outcome.value if isinstance(outcome.value, Result) else None
    reason = outcome.detail or None
    if _from_outside(outcome):
        before = load_row(out, key)
        seen = re.search(r"(\d+) times$", (before or {}).get("reason") or "")
        times = min(int(seen[1]) + 1 if seen else 2, MOST_OUTSIDE)
        reason = f"{OUTSIDE}: killed by signal {outcome.signal}, {times} times"
    return {
        "method": task.method.name,
        "dataset": task.problem.dataset,
        "repetition": task.repetition,
        "seed": task.seed,
        "data_seed": task.seed,
        "model": result.model if result else None,
        "names": None if task.method.names == "auto" else task.method.names,
        "status": STATUS[outcome.status],
        "reason": reason,
        "r2_train": result.r2["train"] if result else None,
        "r2_test": result.r2["test"] if result else None,
        "training_time_s": result.seconds if result else None,
        "target_noise": task.problem.noise_level,
        "predictions": None,
        "method_version": versions[task.method.name],
        "budget": json.dumps(task.method.budget, sort_keys=True),
        "time_limit_s": call.time_limit,
    }
