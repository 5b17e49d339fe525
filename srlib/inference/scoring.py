"""Errors and normalised scores of all answers in a folder; source: UAI evaluation criteria, by task.

Score = max(0, 100 (1 - error / error of the trivial solver)); a missing or useless answer scores 0 and counts.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.files import printable, visible
from srlib.inference.answers import read_answer
from srlib.inference.cases import Answer, Case, Reference
from srlib.inference.errors import NOTHING, measured, score
from srlib.inference.problems import Problem
from srlib.inference.reference import find_reference, improved
from srlib.inference.tasks import TASKS, cases_of
from srlib.progress import progress

FILE = re.compile(r"(.+)\.uai\.([A-Za-z]+)")
COLUMNS = [
    "solver",
    "task",
    "instance",
    "time_limit_s",
    "error",
    "max_error",
    "score",
    "status",
    "note",
]


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
    references : dict of str to dict
        By problem, with the changes.
    """

    scores: pd.DataFrame
    changes: pd.DataFrame
    unknown: list[str]
    references: dict[str, Reference]


def score_answers(
    problems: list[Problem],
    answers: str | Path,
    reference: str | Path | None = None,
    trivial: str | None = None,
) -> Scored:
    """Score all answers.

    Parameters
    ----------
    problems : list of Problem
        What was asked.
    answers : str or Path
        A folder a solver, with files INSTANCE.uai.TASK, and SECONDS/INSTANCE.uai.TASK for time limits. An answer
        without a time limit counts at every limit at which the solver gave no other.
    reference : str or Path, optional
        Folder of references; what it lacks is computed.
    trivial : str, optional
        Solver whose errors set the scale: 'trivial' where there is such a folder. The documented default
        stands in where it gave no usable answer.

    Raises
    ------
    InputError
        When there is no answer to any of the problems, or no solver of the name that `trivial` gives.
    """
    files, unknown = _files(Path(answers), {problem.stem for problem in problems})
    solvers = sorted({solver for solver, *_ in files})
    if not files:
        raise InputError(
            f"{answers}: no answer was found; files SOLVER/INSTANCE.uai.TASK were expected"
        )
    if trivial is not None and trivial not in solvers:
        raise InputError(
            f"{answers}: no solver {trivial!r} that sets the scale; its solvers are {', '.join(solvers)}"
        )
    limits = sorted({limit for _, limit, *_ in files if limit is not None}) or [None]
    entered = {
        task: sorted({solver for solver, _, _, kind in files if kind == task}) for task in TASKS
    }
    groups = cases_by_file(problems)
    shown = progress(problems, len(problems), "references looked up")
    references = {problem.name: find_reference(problem, reference) for problem in shown}
    parts, changes = [], []
    for (task, stem), cases in progress(groups.items(), len(groups), "problems and tasks scored"):
        given = {
            (solver, limit): files.get(
                (solver, limit, stem, task), files.get((solver, None, stem, task))
            )
            for solver in entered[task]
            for limit in limits
        }
        read = {
            path: read_answer(path, cases)
            for path in dict.fromkeys(given.values())
            if path is not None
        }
        for place, case in enumerate(cases if given else ()):
            known = references[case.problem.name]
            of_file = {path: measured(case, found[place], known) for path, found in read.items()}
            table = pd.DataFrame(
                [
                    (*key, *of_file.get(path, (math.nan, "missing", "")))  # type: ignore[arg-type]
                    for key, path in given.items()
                ],
                columns=["solver", "time_limit_s", "quality", "status", "note"],
            ).assign(task=task, instance=case.instance)
            part, best = _case_scores(table, case, known, trivial or "trivial")
            parts.append(part)
            before = case.row.known(known, case)
            if best is not None and (before is None or _beats(best, before)):
                winners = [
                    (solver, read[path][place].value)
                    for ((solver, _), path), value in zip(
                        given.items(), table["quality"], strict=True
                    )
                    if value == best and path is not None
                ]
                default = "the default trivial solver", case.row.trivial(case)
                finder, states = (winners or [default])[0]
                references[case.problem.name] = improved(known, case, best, states)
                changes.append(
                    (task, case.instance, math.nan if before is None else before, best, finder)
                )
    scores = pd.concat(parts)[COLUMNS].astype(
        {"time_limit_s": float, "note": "str", "status": "str", "solver": "str"}
    )
    order = {task: place for place, task in enumerate(TASKS)}
    scores = scores.sort_values(["solver", "time_limit_s"]).sort_values("instance", kind="stable")
    scores = scores.sort_values(
        "task", key=lambda tasks: tasks.map(order), kind="stable"
    ).reset_index(drop=True)
    changed = pd.DataFrame(changes, columns=["task", "instance", "before", "after", "solver"])
    return Scored(scores, changed, unknown, references)


def cases_by_file(problems: list[Problem]) -> dict[tuple[str, str], list[Case]]:
    """Group all cases by task and name of the problem file: what one answer file answers."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for problem in problems:
        for case in cases_of(problem):
            groups.setdefault((case.task, problem.stem), []).append(case)
    return groups


def _files(
    folder: Path, stems: set[str]
) -> tuple[dict[tuple[str, float | None, str, str], Path], list[str]]:
    """Find the answers: by solver, time limit, problem and task; and the files that belong to no problem."""
    if not folder.is_dir():
        raise InputError(
            f"{folder}: no such folder; one folder of answers for each solver was expected in it"
        )
    found: dict[tuple[str, float | None, str, str], Path] = {}
    unknown = []
    named = {head: task for task, row in TASKS.items() for head in row.heads}
    for path in visible(folder):
        where = printable(path.relative_to(folder).as_posix())
        *folders, file = where.split("/")
        solver, *between = folders or ("",)
        name, limit = FILE.fullmatch(file), between[0] if between else None
        task = name and named.get(name[2].upper())
        seconds = limit is None or re.fullmatch(r"\d+(\.\d+)?", limit)
        if not (solver and name and task and name[1] in stems and len(between) < 2 and seconds):
            unknown.append(where)
            continue
        key = (solver, None if limit is None else float(limit), name[1], task)
        if key in found:
            raise InputError(f"{path}: the same was answered in {found[key].name}")
        found[key] = path
    return found, unknown


def _beats(value: float, known: float) -> bool:
    """Tell a better value from the same one, summed in another order."""
    return value > known and not math.isclose(value, known, rel_tol=NOTHING, abs_tol=NOTHING)


def _case_scores(
    table: pd.DataFrame, case: Case, reference: Reference, trivial: str
) -> tuple[pd.DataFrame, float | None]:
    """Add errors and scores to the measured answers of a case; give the best likelihood known, where there is one."""
    baseline = table[(table["solver"] == trivial) & table["status"].isin(["ok", "zero_likelihood"])]
    scale, status = (float(baseline["quality"].iloc[-1]), "ok") if len(baseline) else (math.nan, "")
    if not status:
        scale, status, _ = measured(case, Answer(case.row.trivial(case)), reference)
    lost = status == "not_evaluable" or (table["status"] == "not_evaluable").any()
    error, best = table["quality"], None
    if case.row.keep is not None and not lost:
        likelihoods = [scale, case.row.known(reference, case), *table["quality"]]
        best = max(value for value in likelihoods if value is not None and not math.isnan(value))
        lost = best == -math.inf
        error, scale = best - table["quality"], best - scale
    if lost:
        reason = table["note"].where(
            table["note"] != "", "no assignment with a likelihood above zero is known"
        )
        state = table["status"].where(table["status"] == "missing", "not_evaluable")
        return table.assign(
            error=math.nan, max_error=math.nan, score=math.nan, status=state, note=reason
        ), None
    table = table.assign(
        error=error, max_error=scale, score=[score(e, scale) for e in error.fillna(math.inf)]
    )
    if scale <= NOTHING or scale == math.inf:
        table["note"] = [f"degenerate; {note}" if note else "degenerate" for note in table["note"]]
    return table, best
