"""Answers of solvers: files SOLVER/INSTANCE.uai.TASK or SOLVER/SECONDS/INSTANCE.uai.TASK, in all documented spellings.

A file holds the name of the task and a solution, and may hold further, better ones after -BEGIN-; the last complete
one counts. Some solvers write a number of samples before a solution, other sections around it, or more on a line of
the PR task.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.files import printable, visible
from srlib.inference.tasks import TASKS, Answer, Case
from srlib.inference.uai_files import NumberReader, read_bytes
from srlib.limits import ANSWER_BYTES

AnswerFile = tuple[str, str, str, float | None]  # task, problem, solver, time limit in seconds
FILE = re.compile(r"([^/]+)/(?:(\d+(?:\.\d+)?)/)?([^/]+)\.uai\.([A-Za-z]+)")
TASK_OF = {name: name for name in TASKS} | {"MAP": "MPE"}  # files of 2010 call it MAP
SECTION = re.compile(rf"(?i)(?<!\S)(STATUS|-BEGIN-|{'|'.join(TASK_OF)})(?!\S)".encode())


def find_answers(
    folder: Path, expected: Collection[tuple[str, str]]
) -> tuple[dict[AnswerFile, Path], list[str]]:
    """Find the answer files of a folder.

    Parameters
    ----------
    folder : Path
        Holds a folder for each solver.
    expected : collection of (str, str)
        Task and problem of the answers that are scored.

    Returns
    -------
    dict of AnswerFile to Path, list of str
        The answers, and names of the files that belong to none of the problems.

    Raises
    ------
    InputError
        When there is no folder or no answer in it, or two files answer the same.
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder}: no such folder; one folder of answers for each solver was expected in it"
        )
    files: dict[AnswerFile, Path] = {}
    unknown = []
    for path in visible(folder):
        name = printable(path.relative_to(folder).as_posix())
        match = FILE.fullmatch(name)
        solver, seconds, stem, head = match.groups() if match else ("", None, "", "")
        task = TASK_OF.get(head.upper(), "")
        if (task, stem) not in expected:
            unknown.append(name)
            continue
        key = (task, stem, solver, float(seconds) if seconds else None)
        if key in files:
            raise InputError(f"{path}: the same was answered in {files[key].name}")
        files[key] = path
    if not files:
        raise InputError(
            f"{folder}: no answer was found; files SOLVER/INSTANCE.uai.TASK were expected"
        )
    return files, unknown


def read_answer(path: Path, cases: Sequence[Case]) -> list[Answer]:
    """Read the answers of a file, one for each case; without a value, and with the reason, where it is of no use.

    Parameters
    ----------
    path : Path
        Answer file.
    cases : sequence of Case
        All cases of one task and one problem file: samples of evidence, or lines of tests.
    """
    faults, note = [], ""
    try:
        blocks = _solution_blocks(path, cases[0].task)
    except InputError as error:
        blocks, faults = [], [str(error)]
    for block in reversed(blocks):
        count, _, solutions = block.partition(b"\n")
        texts = [block]
        if count.strip() == str(len(cases)).encode():  # perhaps a number of samples
            texts = [solutions, block]
        for text in texts:
            try:
                values, remark = _read_solution(NumberReader(text, path.name, first=2), cases)
                return [Answer(value, remark or note) for value in values]
            except InputError as error:
                faults.append(str(error))
        note = "the last block is not complete; the one before it counts"
    faults.append(f"{path.name}: no solution after the name of the task")
    return [Answer(None, faults[0], "invalid")] * len(cases)


def _read_solution(reader: NumberReader, cases: Sequence[Case]) -> tuple[list[Any], str]:
    """Read the value of each case of a task, and a remark about them.

    PR: a number; those that follow are ignored. MAR: the number of variables, and for each its number of states
    and their probabilities. Else: the number of query variables and pairs of variable and state, or (always for MPE)
    states in the query's order.
    """
    # what a value may be is checked case by case (`tasks.measure`): one bad line does not take the others with it
    task, count, values = cases[0].task, len(cases[0].query), []
    if task == "PR":
        return reader.floats(len(cases), "log10 Z").tolist(), ""
    bare = task != "MAR" and reader.remaining == len(cases) * (1 + count)
    for case in cases:
        reader.integer("the number of variables", count, count)
        if task == "MAR":
            value: Any = []
            for variable, states in enumerate(case.problem.model.cardinalities):
                reader.integer(f"the number of states of variable {variable}", states, states)
                value.append(reader.floats(states, f"a probability of variable {variable}"))
        elif bare or task == "MPE":
            value = dict(zip(case.query, reader.integers(count, "a state"), strict=True))
        else:
            pairs = reader.integers(2 * count, "a variable or its state")
            value = dict(zip(pairs[::2], pairs[1::2], strict=True))
        values.append(value)
    reader.end()
    return values, "states without variables, in the query's order" * (bare and task != "MPE")


def _solution_blocks(path: Path, task: str) -> list[bytes]:
    """Texts below the name of the task, one for each -BEGIN-, without empty ones."""
    data = read_bytes(path, ANSWER_BYTES)
    _, *sections = SECTION.split(data)
    blocks, section = [], None
    for word, text in zip(sections[::2], sections[1::2], strict=True):
        if word != b"-BEGIN-":
            section = TASK_OF.get(word.upper().decode())
        if section == task:
            blocks.append(text.strip())
    if data.strip() and not blocks:
        excerpt = data.split(None, 1)[0][:20].decode(errors="replace")
        raise InputError(f"{path.name} token 1: {task} was expected, got {excerpt!r}")
    if task == "PR":  # some solvers write more on the line of a value
        blocks = [re.sub(rb"(?m)^[ \t]*(\S+).*$", rb"\1", block) for block in blocks]
    return [block for block in blocks if block]
