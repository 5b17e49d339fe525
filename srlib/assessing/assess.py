"""Assessment of runs: each distinct question about a model is answered once, in a bounded process, and cached.

    runs -> find_cases: runs that must get the same answers are one case
    Case.questions: parses the text, then yields one question after another
    answer_questions: part by part, distinct questions -> Cache or bounded_map -> answers
    assessments_table: columns of the runs, joined with the columns of their cases

A question may depend on earlier answers: simplification starts from the model without dust, and models that are equal
after rounding are simplified once.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.cases import PARTS, Case, Questions, find_cases
from srlib.assessing.measure import ANSWERS_VERSION, PRELOAD, Question, measure_model
from srlib.cache import Cache
from srlib.files import cache_folder, digest
from srlib.problems import Problems
from srlib.progress import progress
from srlib.readers import runs_of
from srlib.rules import MeasureRules
from srlib.tables import (
    ASSESSMENTS,
    MEASURED_COLUMNS,
    REPORTED_COLUMNS,
    set_types,
    with_reported,
)
from srlib.workers import Outcome, bounded_map, check_limits
from srlib.workers.dask import connect, dask_map

BLOCK_SIZE = 20_000  # cases that are in memory at a time, with their questions and answers
WALL_CLOCK_FACTOR = 10.0  # wall-clock limit per CPU limit, as processes may wait on a busy machine
# their time limit only protects against a broken machine
WORK_LIMITED_PARTS = ("size", "count", "shown")
LIMIT_STATUSES = ("timeout", "memory")
OBJECTS_PER_SECOND = 1_400  # sympy objects; a tenth of the speed of a slow machine


def assess(
    runs: pd.DataFrame,
    problems: Problems,
    measure_rules: MeasureRules,
    *,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
    folder: Path | None = None,
    scheduler: str | None = None,
    only: Collection[str] = PARTS,
    metrics: Collection[str] = (),
    companions: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the assessments of runs, each measured as the rules' measure block says.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract; assessments are taken back to runs first.
    problems : Problems
        Data, truth and features of each dataset; a run on an unknown dataset is parsed but not measured.
    measure_rules : MeasureRules
        The measure block of the rules; no other block is needed.
    cache : Cache, optional
        Where answers are stored; by default in the user's cache folder.
    timeout : float
        CPU seconds that one question about one model may take. Questions whose work the rules limit may take longer.
    jobs : int, optional
        Processes at a time; all usable cores by default.
    folder : Path, optional
        Folder to which paths of predictions are relative; without it predictions are not compared.
    scheduler : str, optional
        Address of a Dask scheduler, as in tcp://host:8786; its workers then do the work instead of this machine.
    only : collection of str
        Parts to measure; all by default. `measure_digest` names those that are left out, so that the rows are not
        taken for full assessments.
    metrics : collection of str
        Columns of further metrics to measure (see `srlib.metrics.METRIC_COLUMNS`).
    companions : pandas.DataFrame, optional
        Other runs of the same competition, not measured here; their texts may show whether a method counts features
        from 0 or 1.

    Returns
    -------
    pandas.DataFrame
        Assessments contract, one row per run, in the order of the runs.

    Raises
    ------
    InputError
        When a truth does not parse or data are missing.
    InterruptedResultsError
        When processes were killed from outside; answers up to then are stored.
    """
    check_limits(timeout, jobs)
    runs = runs_of(runs).reset_index(drop=True)
    measure_digest = digest_measuring(measure_rules, only)
    work_limit = max(timeout, measure_rules.simplify_work / OBJECTS_PER_SECOND)
    limits = {part: work_limit if part in WORK_LIMITED_PARTS else timeout for part in PARTS}
    pool = partial(dask_map, scheduler=scheduler) if scheduler else partial(bounded_map, jobs=jobs)
    cases, case_indices = find_cases(runs, problems, companions, folder)
    blocks = []
    client = connect(scheduler) if scheduler else contextlib.nullcontext()
    with client, contextlib.closing(cache or Cache(cache_folder())) as store:
        for start in range(0, len(cases), BLOCK_SIZE):
            block = [
                Case(row, problems.find(row["dataset"]), measure_rules, only, folder, list(metrics))
                for row in cases.iloc[start : start + BLOCK_SIZE].to_dict("records")
            ]
            answer_questions([case.questions() for case in block], limits, store, pool)
            names = [*MEASURED_COLUMNS, *metrics]
            columns = pd.DataFrame([case.columns for case in block], columns=names)
            columns["detail"] = ["; ".join(case.details) or None for case in block]
            columns["measure_digest"] = measure_digest
            blocks.append(set_types(columns, ASSESSMENTS.columns))
    return assessments_table(runs, pd.concat(blocks, ignore_index=True), case_indices)


def digest_measuring(measure_rules: MeasureRules, only: Collection[str] = PARTS) -> str:
    """Return the `measure_digest` of assessments: digest of the block, version of answers, and parts left out."""
    without = " ".join(part for part in PARTS if part not in only)
    return f"{measure_rules.digest} {ANSWERS_VERSION}" + (without and f" without {without}")


def answer_questions(
    streams: Iterable[Questions], limits: dict[str, float], cache: Cache, pool: Callable[..., Any]
) -> None:
    """Answer all questions of the cases, part by part, from the cache or by measuring; equal questions once.

    Parameters
    ----------
    streams : iterable of generator
        `Case.questions()` of each case. Each yields questions in the order of the parts, and is sent the status, value
        and detail of each `Outcome`.
    limits : dict of str to float
        CPU seconds by part. A question that was stopped at a smaller limit is measured again.
    cache : Cache
        Where answers are stored, except crashes and timeouts by the wall clock, which may depend on the machine.
    pool : callable
        `bounded_map` or `dask_map`, with its jobs or scheduler.

    Raises
    ------
    InterruptedResultsError
        When processes were killed from outside.
    """
    questions: dict[Questions, Question] = {}  # that each stream waits for

    def send(waiting: list[Questions], answer: Any) -> None:
        """Send an answer to the streams that wait for it, and note their next questions."""
        for stream in waiting:
            questions.pop(stream, None)
            with contextlib.suppress(StopIteration):
                questions[stream] = stream.send(answer)

    send(list(streams), None)
    for part, limit in limits.items():
        equal_questions: dict[str, list[Questions]] = {}
        for stream, question in questions.items():
            if question.part == part:
                equal_questions.setdefault(digest(question.key), []).append(stream)
        unanswered = []
        for waiting in equal_questions.values():
            question = questions[waiting[0]]
            answer = cache.get(question.key)
            if answer is None or answer.get("limit", limit) < limit:
                unanswered.append((question, waiting))
            else:
                send(waiting, answer)
        if not unanswered:
            continue
        outcomes = pool(
            measure_model,
            [question for question, _ in unanswered],
            timeout=WALL_CLOCK_FACTOR * limit,
            cpu_seconds=limit,
            preload=PRELOAD,
        )
        label = f"models measured ({part})"
        for index, outcome in progress(outcomes, len(unanswered), label, is_stopped=was_stopped):
            question, waiting = unanswered[index]
            answer = asdict(outcome)
            if outcome.status in LIMIT_STATUSES:
                answer["limit"] = limit
            if outcome.status != "crashed":
                cache.put(question.key, answer)
            send(waiting, answer)


def was_stopped(item: tuple[int, Outcome]) -> bool:
    """Return whether an answer was stopped at a limit of time, memory or work."""
    outcome = item[1]
    return outcome.status in LIMIT_STATUSES or "beyond" in (outcome.value or {})


def assessments_table(
    runs: pd.DataFrame, measured: pd.DataFrame, case_indices: np.ndarray
) -> pd.DataFrame:
    """Return the assessments table: the runs, joined with the measured columns of their cases.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract, numbered from 0.
    measured : pandas.DataFrame
        The measured columns, one row per case.
    case_indices : ndarray of int, shape (runs,)
        Position in `measured` of each run's case.
    """
    table = with_reported(runs)
    columns = measured.take(case_indices).set_axis(runs.index)
    without_data = columns["r2_source"] == "reported"
    for name in REPORTED_COLUMNS:
        if f"{name}_reported" not in table:
            table[f"{name}_reported"] = None
        if name.startswith("r2"):
            columns[name] = columns[name].mask(without_data, table[f"{name}_reported"])
    without_r2 = without_data & columns["r2_test"].isna()
    columns["r2_source"] = columns["r2_source"].mask(without_r2, "none")
    return set_types(table.join(columns), ASSESSMENTS.columns)
