"""Errors and normalised scores of all answers in a folder; source: evaluation criteria of UAI, by task.

Score = max(0, 100 (1 - error / error of the trivial solver)); a missing or useless answer scores 0 and counts.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.errors import InputError, SrlibError
from srlib.inference.answers import find_answers, read_answer
from srlib.inference.exact import TooWideError
from srlib.inference.references import Reference, find_reference
from srlib.inference.tasks import TASKS, Answer, Case
from srlib.inference.uai_files import Problem
from srlib.progress import progress

TOLERANCE = 1e-9  # an error up to this is none
IMPOSSIBLE = "the evidence contradicts the model"
DEFAULT = "the default trivial solver"
MISSING = Answer(None, status="missing")
COLUMNS = ["solver", "task", "instance", "time_limit_s", "error", "max_error", "score", "status", "note"]  # fmt: skip
Entry = tuple[str, float | None]  # solver and time limit
CHANGES = ["task", "instance", "before", "after", "solver"]


@dataclass(frozen=True)
class Scored:
    """Scores of a folder of answers.

    Parameters
    ----------
    scores : pandas.DataFrame
        One row a solver, task, instance and time limit. `error`: base-10 logarithms, for MAR the mean Hellinger
        distance; lower is better. `score`: 0 to 100, higher is better, NaN where it cannot be evaluated.
        `status`: ok, missing, invalid, zero_likelihood or not_evaluable.
    changes : pandas.DataFrame
        Best known values that an answer beat: task, instance, `before`, `after`, solver. Scores computed before
        with the old value change.
    unknown : list of str
        Files among the answers that belong to no problem; they were not read.
    references : dict of str to Reference
        By problem, with the changes.
    """

    scores: pd.DataFrame
    changes: pd.DataFrame
    unknown: list[str]
    references: dict[str, Reference]


class NotEvaluableError(SrlibError):
    """No answer to a case can be evaluated; the message says why."""


def score_answers(
    problems: Sequence[Problem],
    answers: str | Path,
    reference: str | Path | None = None,
    trivial: str | None = None,
) -> Scored:
    """Score all answers.

    Parameters
    ----------
    problems : sequence of Problem
        All problems.
    answers : str or Path
        Folder with a folder for each solver, with files INSTANCE.uai.TASK, and SECONDS/INSTANCE.uai.TASK for time
        limits. An answer without a time limit counts at every limit at which the solver gave no other.
    reference : str or Path, optional
        Folder of references; those that it lacks are computed.
    trivial : str, optional
        Solver whose errors set the scale; 'trivial' by default. The default trivial solver of the task stands in
        where it gave no usable answer.

    Raises
    ------
    InputError
        When there is no answer to any of the problems, or no solver of the name that `trivial` gives.
    """
    groups: dict[tuple[str, str], list[Case]] = {}  # all cases that one answer file answers
    for task in TASKS.values():
        for problem in problems:
            if cases := task.cases(problem):
                groups.setdefault((task.name, problem.stem), []).extend(cases)
    files, unknown = find_answers(Path(answers), groups)
    solvers = sorted({solver for *_, solver, _ in files})
    if trivial is not None and trivial not in solvers:
        raise InputError(
            f"{answers}: no solver {trivial!r} that sets the scale; its solvers are {', '.join(solvers)}"
        )
    references = {
        problem.name: find_reference(problem, reference)
        for problem in progress(problems, len(problems), "references looked up")
    }
    limits = sorted({limit for *_, limit in files if limit is not None}) or [None]
    entered = {(task, solver) for task, _, solver, _ in files}
    rows, changes = [], []
    for (task, stem), cases in progress(groups.items(), len(groups), "problems and tasks scored"):
        entries: dict[Entry, list[Answer]] = {}
        for solver, limit in itertools.product(solvers, limits):
            if (task, solver) in entered:
                file = (task, stem, solver)
                path = files.get((*file, limit), files.get((*file, None)))
                entries[solver, limit] = [MISSING] * len(cases)
                if path is not None:
                    entries[solver, limit] = read_answer(path, cases)
        for place, case in enumerate(cases if entries else ()):
            current = references[case.problem.name]
            attempts = {entry: read[place] for entry, read in entries.items()}
            case_rows, best = _score_case(case, attempts, current, trivial or "trivial")
            rows += case_rows
            if best and best[1].quality > (before := current.value_of(case)) + TOLERANCE:
                solver, answer = best
                better = current.with_best(case, answer.quality, answer.value)
                references[case.problem.name] = better
                changes.append((task, case.instance, before, answer.quality, solver))
    return Scored(
        pd.DataFrame(rows, columns=COLUMNS).astype({"time_limit_s": float}),
        pd.DataFrame(changes, columns=CHANGES).replace({"before": {-math.inf: math.nan}}),
        unknown,
        references,
    )


def _score_case(
    case: Case, attempts: dict[Entry, Answer], reference: Reference, trivial: str
) -> tuple[list[tuple[Any, ...]], tuple[str, Answer] | None]:
    """Score all answers to a case.

    Returns
    -------
    list of tuple, (str, Answer) or None
        A row of the scores for each answer, and the solver and its answer with the best likelihood; None for tasks
        with an exact value, and where nothing can be evaluated.
    """
    try:
        measured, top, worst, best = _measure_case(case, attempts, reference, trivial)
    except (NotEvaluableError, TooWideError) as reason:
        lost = Answer(None, str(reason), "not_evaluable")
        measured = [answer if answer is MISSING else lost for answer in attempts.values()]
        top, worst, best = math.nan, math.nan, None
    max_error = top - worst
    degenerate = max_error <= TOLERANCE or max_error == math.inf
    rows = []
    for (solver, limit), answer in zip(attempts, measured, strict=True):
        error = top - answer.quality
        numbers = error, max_error, score(error, max_error)
        note = "; ".join(["degenerate"] * degenerate + [answer.note] * bool(answer.note))
        rows.append((solver, case.task.name, case.instance, limit, *numbers, answer.status, note))
    return rows, best


def _measure_case(
    case: Case, attempts: dict[Entry, Answer], reference: Reference, trivial: str
) -> tuple[list[Answer], float, float, tuple[str, Answer] | None]:
    """Measure all answers to a case.

    Returns
    -------
    list of Answer, float, float, (str, Answer) or None
        The measured answers, the quality of an answer without an error, the quality of the trivial solver, and the
        solver and its answer with the best likelihood; None for tasks with an exact value.

    Raises
    ------
    NotEvaluableError, TooWideError
        When no answer can be evaluated.
    """
    if reference.log10_Z == -math.inf and case.evidence == case.problem.evidence:
        raise NotEvaluableError(IMPOSSIBLE)
    task, truth = case.task, reference.value_of(case)
    if truth is None:
        raise NotEvaluableError("no exact reference")
    measured = [_measure(case, answer, truth) for answer in attempts.values()]
    by_solver = zip([solver for solver, _ in attempts], measured, strict=True)
    usable = [(solver, answer) for solver, answer in by_solver if not math.isnan(answer.quality)]
    default = DEFAULT, _measure(case, Answer(task.trivial(case)), truth)
    baseline = [default, *(entry for entry in usable if entry[0] == trivial)][-1]
    if task.exact:
        return measured, 0.0, baseline[1].quality, None
    best = max([*usable, baseline], key=lambda entry: entry[1].quality)
    top = max(best[1].quality, truth)
    if top == -math.inf:
        raise NotEvaluableError("no assignment with a likelihood above zero is known")
    return measured, top, baseline[1].quality, best


def _measure(case: Case, answer: Answer, truth: Any) -> Answer:
    """Measure an answer; one that is no answer to the case loses its value and gets the reason."""
    if answer.value is None:
        return answer
    try:
        quality, note = case.task.measure(case, answer.value, truth)
    except InputError as error:
        return Answer(None, str(error), "invalid")
    status = "zero_likelihood" if math.isinf(quality) else "ok"
    return Answer(answer.value, answer.note or note, status, quality)


def score(error: float, max_error: float) -> float:
    """Normalise an error by that of the trivial solver.

    Errors up to 1e-9 are none. Where the trivial solver is right already, only a right answer scores 100; where its
    error is infinite, every finite error does. NaN stands for an answer of no use, or a case that is not evaluated.

    Examples
    --------
    >>> score(1.0, 4.0), score(5.0, 4.0), score(0.0, 0.0), score(0.1, 0.0), score(3.0, math.inf)
    (75.0, 0.0, 100.0, 0.0, 100.0)
    """
    if math.isnan(max_error):
        return math.nan
    if error <= TOLERANCE:
        return 100.0
    if max_error <= TOLERANCE or not error < math.inf:
        return 0.0
    return max(0.0, 100.0 * (1 - error / max_error))
