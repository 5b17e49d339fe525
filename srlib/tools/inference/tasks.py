"""The tasks of inference solvers: cases, exact or best known values, answer files and the quality of answers.

| task | asks for | error of an answer | trivial answer |
|---|---|---|---|
| PR | log10 Z | absolute difference of log10 Z | product of the functions' maxima times the number of assignments |
| MAR | probabilities of each variable's states | mean Hellinger distance over unobserved variables | all equal |
| MPE | most probable states of all variables | best known minus reached log10 likelihood | locally best states |
| MMAP | most probable states of the query variables, with the others summed out | as MPE | as MPE |
| MLC | as MMAP, for each line of the tests | as MPE | as MPE |

The locally best state of a variable has the largest product of the functions that depend on this variable only; without
such a function it is the first state. Source: evaluation criteria of the UAI competitions. They do not define the
trivial solver, whose error scores 0; the last column is this project's choice if the user names no solver for it.

The file NAME.reference.json of a problem holds the exact and best known values, with a digest of the problem's files. A
best known likelihood is replaced only by a larger one.

Answers are files SOLVER/INSTANCE.uai.TASK or SOLVER/SECONDS/INSTANCE.uai.TASK, in all documented spellings. A file
holds the name of the task and a solution, and may hold further, better solutions after -BEGIN-; the last complete
solution counts. Also accepted: a number of samples before a solution, other sections around it, and further text on a
line of the PR task.
"""

import json
import math
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, Field

from srlib.errors import InputError, require
from srlib.files import contents, list_files, locked, printable, write_atomically
from srlib.limits import ANSWER_BYTES
from srlib.tools.inference.exact import (
    TooWideError,
    condition,
    log10_partition,
    most_probable,
    posterior,
)
from srlib.tools.inference.uai_files import (
    SUM_TOLERANCE,
    Evidence,
    NumberReader,
    UaiProblem,
    read_bytes,
)
from srlib.yaml_files import validate

TASKS = ("PR", "MAR", "MPE", "MMAP", "MLC")
EXACT_TASKS = ("PR", "MAR")  # compared with the exact value; other tasks with the best known value
FILE_NAME = re.compile(r"([^/]+)/(?:(\d+(?:\.\d+)?)/)?([^/]+)\.uai\.([A-Za-z]+)")
TASK_OF = {name: name for name in TASKS} | {"MAP": "MPE"}  # files of 2010 call it MAP
SECTION = re.compile(rf"(?i)(?<!\S)(STATUS|-BEGIN-|{'|'.join(TASK_OF)})(?!\S)".encode())

AnswerFile = tuple[str, str, str, float | None]  # task, problem, solver, time limit in seconds

Logarithm = Annotated[float, Field(lt=math.inf)]
Probability = Annotated[float, Field(ge=0, le=1 + 1e-6)]


class TaskCase(NamedTuple):
    """One question to solvers, which is scored.

    Parameters
    ----------
    task : str
        One of `TASKS`.
    instance : str
        Name of the problem; NAME#K for line K of the MLC task, counted from 0.
    problem : UaiProblem
        The problem with the model.
    evidence : dict of int to int
        Observed states.
    query : tuple of int
        Variables whose states are asked for.
    """

    task: str
    instance: str
    problem: UaiProblem
    evidence: Evidence
    query: tuple[int, ...]


class Answer(NamedTuple):
    """A solver's answer to a case.

    Parameters
    ----------
    value : float, list of array, dict of int to int, or None
        log10 Z (PR), the probabilities of each variable's states (MAR), the state of each query variable (MPE, MMAP,
        MLC), or None where there is no usable answer.
    note : str
        Remark about the answer, or the reason why it is unusable.
    status : str
        Column `status` of `Scored.scores`.
    quality : float
        Minus the error (PR, MAR) or log10 likelihood (MPE, MMAP, MLC); NaN before it is measured or if unusable.
    solver : str
        Name of the solver.
    limit : float or None
        Time limit in seconds; None if there is none.
    """

    value: Any
    note: str = ""
    status: str = "ok"
    quality: float = math.nan
    solver: str = ""
    limit: float | None = None


def cases_of(problem: UaiProblem) -> list[TaskCase]:
    """Return all cases of a problem, in the order of the tasks."""
    variables = tuple(range(len(problem.model.cardinalities)))
    queries = {"PR": variables, "MAR": variables, "MPE": variables, "MMAP": problem.query}
    cases = [
        TaskCase(task, problem.name, problem, problem.evidence, query)
        for task, query in queries.items()
        if query
    ]
    return cases + [
        TaskCase("MLC", f"{problem.stem}#{line}", problem, *test)
        for line, test in enumerate(problem.tests)
    ]


class Reference(BaseModel, extra="forbid"):
    """Exact and best known values of the cases of a problem.

    Parameters
    ----------
    digest : str
        Digest of the problem's files.
    log10_Z : float or None
        Logarithm to base 10 of the partition function; None if computing it is too expensive.
    mar : list of list of float, or None
        Probabilities of each variable's states; None if too expensive or if the evidence contradicts the model.
    best : dict of str to (float, list of int)
        Best known log10 likelihood and the states that reach it, in the query's order, by 'TASK INSTANCE'. Cases
        without a known value are absent.
    """

    digest: str
    log10_Z: Logarithm | None = None  # noqa: N815 - its name in the field
    mar: list[list[Probability]] | None = None
    best: dict[str, tuple[Logarithm, list[int]]] = {}

    def value_of(self, case: TaskCase) -> Any:
        """Return the exact value of a case (None if unknown), or the best known log10 likelihood (-inf if unknown)."""
        if case.task in EXACT_TASKS:
            return self.log10_Z if case.task == "PR" else self.mar
        return self.best.get(f"{case.task} {case.instance}", (-math.inf, []))[0]

    def set_best(self, case: TaskCase, likelihood: float, states: Evidence) -> None:
        """Store the best known likelihood of a case and the states that reach it."""
        self.best[f"{case.task} {case.instance}"] = likelihood, [states[v] for v in case.query]


def find_reference(problem: UaiProblem, folder: str | Path | None = None) -> Reference:
    """Return a problem's reference, read from the folder or, if it is not there, computed.

    Raises
    ------
    InputError
        When the file is not a reference, or belongs to another problem.
    """
    path = Path(folder or "") / f"{problem.name}.reference.json"
    if folder is None or not path.exists():
        return compute_reference(problem)
    reference = validate(Reference, contents(path), f"{path}: not a reference")
    states = problem.model.cardinalities
    sizes = tuple(map(len, reference.mar)) if reference.mar else states
    require(
        reference.digest == problem.digest and sizes == states,
        f"{path}: belongs to another problem than {problem.name}; delete it, and it is computed again",
    )
    return reference


def compute_reference(problem: UaiProblem) -> Reference:
    """Compute the reference of a problem, without the cases that need too large tables."""
    reference = Reference(digest=problem.digest)
    with suppress(TooWideError):
        reference.log10_Z, reference.mar = posterior(problem.model, problem.evidence)
    for case in cases_of(problem):
        if case.task not in EXACT_TASKS:
            with suppress(TooWideError):
                reference.set_best(case, *most_probable(problem.model, case.evidence, case.query))
    return reference


def write_reference(problem: UaiProblem, reference: Reference, folder: str | Path) -> None:
    """Write a problem's reference into a folder; best known values that are better there, as of another command, stay.

    Raises
    ------
    InputError
        When the file there is not a reference of this problem.
    """
    path = Path(folder) / f"{problem.name}.reference.json"
    with locked(path.with_name(f".{path.name}.lock"), str(path)):
        content = reference.model_dump()
        if path.exists():
            for case, best in find_reference(problem, folder).best.items():
                content["best"][case] = max(best, content["best"].get(case, best))
        write_atomically(path, json.dumps(content, sort_keys=True) + "\n")


def trivial_answer(case: TaskCase) -> Any:
    """Return the value that the default trivial solver answers (see the table of this module)."""
    model = case.problem.model
    evidence = case.evidence
    if case.task == "MAR":
        return [np.full(states, 1 / states) for states in model.cardinalities]
    if case.task == "PR":
        logarithms = [table.max() for _, table in condition(model, evidence)]
        logarithms += [math.log(n) for v, n in enumerate(model.cardinalities) if v not in evidence]
        return float(sum(logarithms)) / math.log(10)
    own_logarithms = [np.zeros(states) for states in model.cardinalities]
    for scope, table in condition(model, {}):
        if len(scope) == 1:
            own_logarithms[scope[0]] += table
    return {v: evidence.get(v, int(np.argmax(own_logarithms[v]))) for v in case.query}


def find_answers(
    folder: Path, expected: Collection[tuple[str, str]]
) -> tuple[dict[AnswerFile, Path], list[str]]:
    """Return the answer files in a folder, and the names of unknown files.

    Parameters
    ----------
    folder : Path
        Folder with one subfolder per solver.
    expected : collection of (str, str)
        Tasks and problem stems whose answers are scored.

    Returns
    -------
    dict of AnswerFile to Path, list of str
        Paths of the answer files, and the names of files that belong to none of the problems.

    Raises
    ------
    InputError
        When there is no answer in the folder, or two files answer the same case of a solver.
    """
    files: dict[AnswerFile, Path] = {}
    unknown = []
    for path in list_files(folder):
        name = printable(path.relative_to(folder).as_posix())
        match = FILE_NAME.fullmatch(name)
        solver, seconds, stem, suffix = match.groups() if match else ("", "", "", "")
        task = TASK_OF.get(suffix.upper(), "")
        key = (task, stem, solver, float(seconds) if seconds else None)
        if (task, stem) not in expected:
            unknown.append(name)
        elif key in files:
            raise InputError(
                f"{path}: {files[key].name} answers the same task; keep one of the files"
            )
        else:
            files[key] = path
    require(
        bool(files),
        f"{folder}: no answer was found; files SOLVER/INSTANCE.uai.TASK were expected",
    )
    return files, unknown


def read_answer(path: Path, cases: Sequence[TaskCase]) -> list[Answer]:
    """Read the answers in a file, one per case; if unusable, they have no value and the reason as note.

    The last complete solution counts; without one each line of the last solution is an answer by itself.

    Parameters
    ----------
    path : Path
        Answer file.
    cases : sequence of TaskCase
        All cases of one task and one problem file: samples of evidence, or lines of tests.
    """
    try:
        blocks = _solution_blocks(path, cases[0].task)
    except InputError as error:
        return [Answer(None, str(error), "invalid")] * len(cases)
    note = ""
    for block in reversed(blocks):
        first_line, _, solutions = block.partition(b"\n")
        has_sample_count = first_line.strip() == b"%d" % len(cases)  # perhaps a number of samples
        for text in [solutions, block] if has_sample_count else [block]:
            with suppress(InputError):
                return _read_solutions(NumberReader(text, path.name, first=2), cases, note)
        note = "the last block is not complete; the one before it counts"
    lines = blocks[-1].splitlines() if len(cases) > 1 else blocks[-1:]
    if len(lines) > 1 and len(lines[0].split()) == 1 and cases[0].task != "PR":
        del lines[0]  # the number of samples
    answers = []
    for number, (case, line) in enumerate(
        zip(cases, [*lines, *[b""] * len(cases)], strict=False), 1
    ):
        source = f"{path.name} line {number}," if len(cases) > 1 else path.name
        try:
            answers += _read_solutions(NumberReader(line, source, first=2), [case])
        except InputError as error:
            answers.append(Answer(None, str(error), "invalid"))
    return answers


def _read_solutions(
    reader: NumberReader, cases: Sequence[TaskCase], note: str = ""
) -> list[Answer]:
    """Return the answer to each case of a task, with a note on how they were read.

    PR: one number per case; further numbers are ignored. MAR: the number of variables, then for each variable its
    number of states and their probabilities. MPE: the number of variables, then states in the query's order. MMAP and
    MLC: the number of query variables, then pairs of variable and state, or only states in the query's order.
    """
    task, count = cases[0].task, len(cases[0].query)
    if task == "PR":
        numbers = reader.take(len(cases), "log10 Z", -math.inf, 1e300)
        return [Answer(number, note) for number in numbers.tolist()]
    has_states_alone = reader.remaining == len(cases) * (1 + count)
    if has_states_alone and task in ("MMAP", "MLC"):
        note = note or "states without variables, in the query's order"
    answers = []
    for case in cases:
        model = case.problem.model
        reader.take_integer("the number of variables", count, count)
        if task == "MAR":
            value: Any = []
            for variable, states in enumerate(model.cardinalities):
                reader.take_integer(f"the number of states of variable {variable}", states, states)
                name = f"a probability of variable {variable}"
                value.append(reader.take(states, name, 0, 1 + SUM_TOLERANCE))
        elif has_states_alone or task == "MPE":
            value = {variable: reader.take_state(variable, model) for variable in case.query}
        else:
            value = reader.take_pairs(count, model)
        answers.append(Answer(value, note))
    reader.expect_end()
    return answers


def _solution_blocks(path: Path, task: str) -> list[bytes]:
    """Return the solutions after the name of the task in a file, which -BEGIN- separates, without empty ones."""
    _, *sections = SECTION.split(read_bytes(path, ANSWER_BYTES))
    blocks = []
    section = None
    for word, text in zip(sections[::2], sections[1::2], strict=True):
        if word != b"-BEGIN-":
            section = TASK_OF.get(word.upper().decode())
        if section == task and text.strip():
            blocks.append(text.strip())
    require(bool(blocks), f"{path.name}: no solution after the name of the task {task}")
    if task == "PR":  # some solvers write more on the line of a value
        return [re.sub(rb"(?m)^[ \t]*(\S+).*$", rb"\1", block) for block in blocks]
    return blocks


def measure_answer(case: TaskCase, answer: Answer, truth: Any) -> Answer:
    """Return an answer with its quality; if it does not fit the case, with status invalid and the reason instead.

    Parameters
    ----------
    case : TaskCase
        The case that the answer belongs to.
    answer : Answer
        The answer as it was read; returned unchanged if it has no value.
    truth : float or list of list of float
        Exact value (PR and MAR); not used for other tasks.
    """
    if answer.value is None:
        return answer
    try:
        if case.task == "PR":
            quality = -abs(truth - answer.value)
        elif case.task == "MAR":
            quality = -_hellinger_distance(case, answer.value, truth)
        else:
            quality = _log10_likelihood(case, answer.value)
    except InputError as error:
        return answer._replace(note=str(error), status="invalid")
    status = "zero_likelihood" if math.isinf(quality) else "ok"
    return answer._replace(status=status, quality=quality)


def _hellinger_distance(case: TaskCase, value: list[Any], truth: list[list[float]]) -> float:
    """Return the mean Hellinger distance over the unobserved variables."""
    distances = []
    for variable, (row, exact) in enumerate(zip(value, truth, strict=True)):
        if variable not in case.evidence:
            require(
                abs(row.sum() - 1) <= SUM_TOLERANCE,
                f"probabilities of variable {variable} do not sum to 1 within {SUM_TOLERANCE}",
            )
            distances.append(np.linalg.norm(np.sqrt(row) - np.sqrt(exact)) / math.sqrt(2))
    return float(np.mean(distances or 0.0))


def _log10_likelihood(case: TaskCase, states: Evidence) -> float:
    """Return log10 of the likelihood of the states, with the other variables summed out."""
    require(
        states.keys() == set(case.query),
        "states of the query's variables alone were expected, got others",
    )
    for variable, state in states.items():
        message = f"state {state} is not the observed state of variable {variable}"
        require(case.evidence.get(variable, state) == state, message)
    return log10_partition(case.problem.model, case.evidence | states)
