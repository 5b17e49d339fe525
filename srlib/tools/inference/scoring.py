"""Score all answers of solvers in a folder, and rank the solvers, by the UAI evaluation criteria of each task.

Score = max(0, 100 (1 - error / error of the trivial solver)). A missing or unusable answer counts with a score of 0.
"""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.errors import SrlibError, require
from srlib.progress import progress
from srlib.prose import Fact, Statement, state
from srlib.tools.inference.tasks import (
    EXACT_TASKS,
    TASKS,
    Answer,
    Reference,
    TaskCase,
    cases_of,
    find_answers,
    find_reference,
    measure_answer,
    read_answer,
    trivial_answer,
)
from srlib.tools.inference.uai_files import UaiProblem

ERROR_TOLERANCE = 1e-9  # an error up to it counts as 0
KEY = ["solver", "task", "instance", "time_limit_s"]
SCORE_COLUMNS = [*KEY, "error", "max_error", "score", "status", "note"]
CHANGE_COLUMNS = ["task", "instance", "before", "after", "solver"]


@dataclass(frozen=True)
class Scored:
    """Scores of a folder of answers.

    Parameters
    ----------
    scores : pandas.DataFrame
        One row per solver, task, instance and time limit. `error` is a difference of base-10 logarithms, for MAR the
        mean Hellinger distance; lower is better. `score` is 0 to 100, higher is better, NaN if it cannot be evaluated.
        `status`: ok, missing, invalid, zero_likelihood or not_evaluable.
    changes : pandas.DataFrame
        Best known values that an answer improved: task, instance, value `before` and `after`, solver. Scores that were
        computed earlier with the old value are out of date.
    unknown : list of str
        Names of files that belong to none of the problems; they were not read.
    references : dict of str to Reference
        Reference of each problem, by name, with the improved values.
    """

    scores: pd.DataFrame
    changes: pd.DataFrame
    unknown: list[str]
    references: dict[str, Reference]


def score_answers(
    problems: Sequence[UaiProblem],
    answers: str | Path,
    reference: str | Path | None = None,
    trivial: str | None = None,
) -> Scored:
    """Return the scores of all answers in a folder.

    Parameters
    ----------
    problems : sequence of UaiProblem
        All problems.
    answers : str or Path
        Folder with one subfolder per solver, which holds files INSTANCE.uai.TASK, or SECONDS/INSTANCE.uai.TASK if there
        are time limits. An answer without a time limit counts at every limit for which the solver gave no other answer.
    reference : str or Path, optional
        Folder of references; missing references are computed.
    trivial : str, optional
        Solver whose error scores 0. By default, and where this solver gave no usable answer, the default trivial
        solver of the task takes this role.

    Raises
    ------
    InputError
        When there is no answer to any of the problems, or no solver is called `trivial`.
    """
    groups: dict[tuple[str, str], list[TaskCase]] = {}  # all cases that one answer file answers
    cases = [case for problem in problems for case in cases_of(problem)]
    for case in sorted(cases, key=lambda case: TASKS.index(case.task)):
        groups.setdefault((case.task, case.problem.stem), []).append(case)
    files, unknown = find_answers(Path(answers), groups)
    solvers = sorted({solver for *_, solver, _ in files})
    require(
        not trivial or trivial in solvers,
        f"{answers}: no solver {trivial!r} that sets the scale; its solvers are {', '.join(solvers)}",
    )
    references = {
        problem.name: find_reference(problem, reference)
        for problem in progress(problems, len(problems), "references looked up")
    }
    limits = sorted({limit for *_, limit in files if limit is not None}) or [None]
    rows = []
    changes = []
    for (task, stem), cases in progress(groups.items(), len(groups), "problems and tasks scored"):
        columns = []  # answers to all cases, for each solver of the task and time limit
        task_solvers = sorted({solver for other_task, _, solver, _ in files if other_task == task})
        for solver, limit in itertools.product(task_solvers, limits):
            path = files.get((task, stem, solver, limit), files.get((task, stem, solver, None)))
            missing = [Answer(None, status="missing")] * len(cases)
            file_answers = read_answer(path, cases) if path else missing
            columns.append([answer._replace(solver=solver, limit=limit) for answer in file_answers])
        for case, answers_to_case in zip(cases, zip(*columns, strict=True), strict=False):
            problem_reference = references[case.problem.name]
            case_rows, best_answer = _score_case(case, answers_to_case, problem_reference, trivial)
            rows += case_rows
            before = problem_reference.value_of(case)
            if best_answer and best_answer.quality > before + ERROR_TOLERANCE:
                if before > -math.inf:
                    changes.append(
                        (task, case.instance, before, best_answer.quality, best_answer.solver)
                    )
                problem_reference.set_best(case, best_answer.quality, best_answer.value)
    table = pd.DataFrame(rows, columns=SCORE_COLUMNS).astype({"time_limit_s": float})
    return Scored(table, pd.DataFrame(changes, columns=CHANGE_COLUMNS), unknown, references)


def _score_case(
    case: TaskCase, answers: Sequence[Answer], reference: Reference, trivial: str | None
) -> tuple[list[tuple[Any, ...]], Answer | None]:
    """Return the scores of all answers to a case, and the best answer.

    Returns
    -------
    list of tuple, Answer or None
        Rows of the scores, and the answer with the highest likelihood (None for PR and MAR, or if the case is not
        evaluable).
    """
    truth = reference.value_of(case)
    best_quality = 0.0
    trivial_quality = math.nan
    best = None
    try:
        if reference.log10_Z == -math.inf and case.evidence == case.problem.evidence:
            raise SrlibError("the evidence contradicts the model")
        if truth is None:
            raise SrlibError("no exact reference")
        default = Answer(trivial_answer(case), solver="the default trivial solver")
        baseline = measure_answer(case, default, truth)
        measured = [measure_answer(case, answer, truth) for answer in answers]
        usable_answers = [answer for answer in measured if not math.isnan(answer.quality)]
        for answer in usable_answers:
            if answer.solver == trivial:
                baseline = answer
        if case.task not in EXACT_TASKS:
            best = max([*usable_answers, baseline], key=lambda answer: answer.quality)
            best_quality = max(best.quality, truth)
        if best_quality == -math.inf:
            raise SrlibError("no assignment with a likelihood above zero is known")
        trivial_quality = baseline.quality
    except SrlibError as error:
        measured = [
            answer
            if answer.status == "missing"
            else answer._replace(note=str(error), status="not_evaluable")
            for answer in answers
        ]
    max_error = best_quality - trivial_quality
    rows = []
    degenerate = "degenerate" if max_error <= ERROR_TOLERANCE or max_error == math.inf else ""
    for answer in measured:
        error = best_quality - answer.quality
        note = "; ".join(filter(None, [degenerate, answer.note]))
        key = answer.solver, case.task, case.instance, answer.limit
        rows.append((*key, error, max_error, score(error, max_error), answer.status, note))
    return rows, best


def score(error: float, max_error: float) -> float:
    """Return the score of an error, from 0 to 100: 100 without error, 0 from the error of the trivial solver on.

    Errors up to 1e-9 count as 0. If `max_error`, the error of the trivial solver, is 0, a right answer scores 100 and
    any other 0; if it is infinite, every finite error scores 100. If it is NaN (case not evaluated), so is the score.
    An `error` that is NaN (unusable answer) scores 0.

    Examples
    --------
    >>> score(1.0, 4.0), score(5.0, 4.0), score(0.0, 0.0), score(0.1, 0.0), score(3.0, math.inf)
    (75.0, 0.0, 100.0, 0.0, 100.0)
    """
    if math.isnan(max_error):
        return math.nan
    if error <= ERROR_TOLERANCE:
        return 100.0
    if max_error <= ERROR_TOLERANCE or not error < math.inf:
        return 0.0
    return max(0.0, 100.0 * (1 - error / max_error))


def rank_solvers(scores: pd.DataFrame, weights: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Return the solvers of each task, ranked by the mean score over instances and (weighted) time limits.

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns solver, task, instance, time_limit_s and score. Instances with a score of NaN are left out for all
        solvers.
    weights : mapping of str to float, optional
        Weight of each time limit, as in {"20": 1, "1200": 4}; equal by default.

    Returns
    -------
    pandas.DataFrame
        Columns task, solver, n_instances, score (0 to 100, higher is better) and rank (1 is best; ties share a rank).

    Raises
    ------
    InputError
        When a weight is missing, negative or belongs to no time limit, or all weights are zero.

    Examples
    --------
    >>> columns = ["solver", "task", "instance", "time_limit_s", "score"]
    >>> rows = [("a", "PR", "x", 1.0, 50.0), ("a", "PR", "x", 9.0, 80.0)]
    >>> rank_solvers(pd.DataFrame(rows, columns=columns), {"1": 1, "9": 2})["score"].tolist()
    [70.0]
    """
    cells = weigh_scores(scores, weights).groupby(["task", "solver"], sort=False)
    table = cells.agg(n_instances=("instance", "nunique"), score=("score", "mean")).reset_index()
    places = table["score"].round(9).groupby(table["task"]).rank(method="min", ascending=False)
    table["rank"] = places.astype(int)
    table = table.sort_values(["rank", "solver"])
    tasks = scores["task"].unique()
    return pd.concat([table[table["task"] == task] for task in tasks], ignore_index=True)


def describe_weights(scores: pd.DataFrame, weights: Mapping[str, float] | None = None) -> Statement:
    """Return a sentence: the weights within a task, and which orders of solvers equal weights would change, and how.

    Equal weights are tried for the time limits, if these have others, and for families of instances.

    Parameters
    ----------
    scores, weights
        As in `rank_solvers`.
    """
    places = rank_solvers(scores, weights).set_index(["task", "solver"])["rank"]
    alike = weigh_scores(scores, None)
    families = alike.assign(instance=alike["instance"].map(family))
    families = families.groupby(KEY, sort=False, dropna=False)["score"].mean().reset_index()
    tables = {"of the time limits": (scores, None)} if weights else {}
    clauses = []
    for name, table in (tables | {"of the families": (families, weights)}).items():
        equal = rank_solvers(*table).set_index(["task", "solver"])["rank"]
        changed = equal.ne(places[equal.index]).groupby(level="task", sort=False).any()
        orders = [
            f"{task} {', '.join(f'{place}. {solver}' for solver, place in equal[task].items())}"
            for task in changed.index[changed]
        ]
        order_clause = f"the order would be {'; '.join(orders)}" if orders else "no order changes"
        clauses.append(f"with equal weights {name} {order_clause}")
    limits = [f"{float(limit):g} s {float(weight):g}" for limit, weight in (weights or {}).items()]
    weight_text = f"by the weights {', '.join(limits)}" if limits else "alike"
    template = "Within a task time limits count {weights}, and families by their numbers of instances; {orders}."
    orders = Fact(tuple(clauses), ", ".join(clauses))
    return state("weights", template, weights=weight_text, orders=orders)


def family(instance: str) -> str:
    """Return the family of an instance: its name without the last number.

    Examples
    --------
    >>> family("u14_Grids_12"), family("or_chain_7.fg"), family("Grids_18_mlc#3"), family("42")
    ('u14_Grids', 'or_chain', 'Grids', '42')
    """
    return re.sub(r"[_.-]*\d+[^\d]*$", "", instance.partition("#")[0]) or instance


def weigh_scores(scores: pd.DataFrame, weights: Mapping[str, float] | None) -> pd.DataFrame:
    """Return the scores of instances without NaN, multiplied by weights so that a plain mean is the weighted mean."""
    instances = scores.groupby(["task", "instance"], sort=False)
    evaluated = instances.filter(lambda answers: answers["score"].notna().all())
    if not weights:
        return evaluated
    names = evaluated["time_limit_s"].dropna().map("{:g}".format)
    weight_of = pd.to_numeric(pd.Series(dict(weights)).rename(str), errors="coerce")
    are_usable = weight_of.between(0, math.inf, inclusive="left").all() and weight_of.any()
    require(
        bool(are_usable) and set(weight_of.index) == set(names),
        f"weights: one for each of the time limits {', '.join(names.unique()) or '(none)'} was expected, "
        f"not all of them zero and none negative; got {weights!r}",
    )
    return evaluated.assign(score=evaluated["score"] * names.map(weight_of / weight_of.mean()))
