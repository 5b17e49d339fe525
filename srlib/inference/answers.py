"""Answers of solvers: files SOLVER/INSTANCE.uai.TASK or SOLVER/SECONDS/INSTANCE.uai.TASK, in all documented spellings.

A file holds the name of the task and a solution, and may hold further, better ones after -BEGIN-; the last complete
one counts. Some solvers write a number of samples before a solution, other sections around it, or more on a line of
the PR task.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from srlib.errors import InputError
from srlib.files import printable, visible
from srlib.inference.tasks import TASKS, Answer, Case, Task
from srlib.inference.uai_files import NumberReader, read_bytes
from srlib.limits import ANSWER_BYTES

AnswerFile = tuple[str, str, str, float | None]  # task, problem, solver, time limit in seconds
FILE = re.compile(r"([^/]+)/(?:(\d+(?:\.\d+)?)/)?([^/]+)\.uai\.([A-Za-z]+)")
TASK_OF = {head: name for name, task in TASKS.items() for head in task.heads}
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
        Task and problem of the answers that are asked for.

    Returns
    -------
    dict of AnswerFile to Path, list of str
        The answers, and names of the files that answer nothing that is asked for.
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
    task, reason, note = cases[0].task, "", ""
    try:
        blocks = _solution_blocks(path, task)
    except InputError as error:
        blocks, reason = [], str(error)
    for block in reversed(blocks):
        count, _, solutions = block.partition(b"\n")
        counted = count.strip() == str(len(cases)).encode()
        for text in (solutions, block) if counted else (block,):
            try:
                reader = NumberReader(text, path.name, first=2)
                answers = task.read(reader, cases)
                reader.end()
            except InputError as error:
                reason = reason or str(error)
            else:
                return [Answer(answer.value, answer.note or note) for answer in answers]
        note = "the last block is not complete; the one before it counts"
    reason = reason or f"{path.name}: no solution after the name of the task"
    return [Answer(None, reason, "invalid")] * len(cases)


def _solution_blocks(path: Path, task: Task) -> list[bytes]:
    """Texts below the name of the task, one for each -BEGIN-, without empty ones."""
    data = read_bytes(path, ANSWER_BYTES)
    _, *sections = SECTION.split(data)
    blocks, label = [], ""
    for word, text in zip(sections[::2], sections[1::2], strict=True):
        if word.upper() != b"-BEGIN-":
            label = word.upper().decode()
        if label in task.heads:
            blocks.append(text.strip())
    if data.strip() and not blocks:
        came = data.split(None, 1)[0][:20].decode(errors="replace")
        raise InputError(f"{path.name} token 1: {task.name} was expected, got {came!r}")
    if task.name == "PR":  # some solvers write more on the line of a value
        blocks = [re.sub(rb"(?m)^[ \t]*(\S+).*$", rb"\1", block) for block in blocks]
    return [block for block in blocks if block]
