"""Answers of solvers: files INSTANCE.uai.TASK, in all forms that were documented or seen; bad ones become a sentence.

A file holds the name of the task and a solution, and may hold further, better ones after -BEGIN-; the last complete
one counts. Some solvers write a sample count before a solution, other sections around it, or more on the PR line.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from srlib.errors import InputError
from srlib.inference.cases import Answer, Case, Task
from srlib.inference.numbers import content
from srlib.inference.tasks import TASKS
from srlib.limits import ANSWER_BYTES


def read_answer(path: Path, cases: Sequence[Case]) -> list[Answer]:
    """Read an answer file.

    Parameters
    ----------
    path : Path
        The file.
    cases : sequence of Case
        What it answers: all of one task and one problem file (samples of evidence, or lines of tests).

    Returns
    -------
    list of Answer, one a case
        Without a value, and with the reason, where the answer cannot be used.
    """
    row = cases[0].row
    note, reason = "", f"{path.name}: no solution after the name of the task"
    try:
        for block in reversed(_blocks(content(path, ANSWER_BYTES), row, path)):
            try:
                found = row.parse(block, cases, path.name)
                return [Answer(a.value, "; ".join(filter(None, (a.note, note)))) for a in found]
            except InputError as error:
                reason = reason if note else str(error)
                note = "the last block is not complete; the one before it counts"
    except InputError as error:
        reason = str(error)
    return [Answer(None, reason)] * len(cases)


def _blocks(data: bytes, task: Task, path: Path) -> list[bytes]:
    """Give the texts that stand under the name of the task, one for each -BEGIN-, without empty ones."""
    words = "|".join(["STATUS", "-BEGIN-", *(head for row in TASKS.values() for head in row.heads)])
    section = re.compile(rf"(?i)(?<!\S)(?:{words})(?!\S)".encode())
    wanted = {head.encode() for head in task.heads}
    found, heads, label = [], list(section.finditer(data)), b""
    for place, head in enumerate(heads):
        label = label if head[0].upper() == b"-BEGIN-" else head[0].upper()
        end = heads[place + 1].start() if place + 1 < len(heads) else len(data)
        if label in wanted:
            found.append(data[head.end() : end])
    if not found and data.strip():
        came = data.split(None, 1)[0][:20].decode(errors="replace")
        raise InputError(f"{path.name} token 1: {task.name} was expected, got {came!r}")
    return [block for block in found if block.strip()]
