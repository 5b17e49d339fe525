"""The forms in which solutions of the tasks are written: what stands under the name of a task."""

from collections.abc import Callable, Sequence

import numpy as np

from srlib.errors import InputError
from srlib.inference.cases import Answer, Case
from srlib.inference.numbers import Cursor, numbers

Parse = Callable[[bytes, Sequence[Case], str], list[Answer]]
LARGEST_STATE = 1 << 31


def either_way(parse: Callable[[Cursor, Sequence[Case]], list[Answer]]) -> Parse:
    """Read a block as it stands, or without a sample count on its first line."""

    def parsed(block: bytes, cases: Sequence[Case], source: str) -> list[Answer]:
        cursor = Cursor(numbers(block, source, 2), source, 2)
        found = parse(cursor, cases)
        cursor.end()
        return found

    def either(block: bytes, cases: Sequence[Case], source: str) -> list[Answer]:
        rest = _without_count(block, cases)
        try:
            return parsed(block, cases, source)
        except InputError:
            if not rest:
                raise
            return parsed(rest, cases, source)

    return either


def _without_count(block: bytes, cases: Sequence[Case]) -> bytes:
    """Give what stands after a line with the number of cases; nothing where there is no such line."""
    count, _, rest = block.strip().partition(b"\n")
    if count.strip() == str(len(cases)).encode() and rest.strip():
        return rest
    return b""


def partition_functions(block: bytes, cases: Sequence[Case], source: str) -> list[Answer]:
    """Read the first number of a line for each case; a sample count before them is none of these."""
    block = _without_count(block, cases) or block
    lines = [line.split(None, 1) for line in block.split(b"\n") if line.strip()]
    if len(lines) < len(cases):
        raise InputError(f"{source}: {len(cases)} numbers were expected, {len(lines)} came")
    note = ""
    if len(lines) > len(cases):
        note = f"{len(lines)} numbers came where {len(cases)} were expected; the first count"
    values = [float(numbers(line[0], source, 2)[0]) for line in lines[: len(cases)]]
    return [Answer(value, note) for value in values]


def marginals(cursor: Cursor, cases: Sequence[Case]) -> list[Answer]:
    """Take `n card p.. card p..` and keep the probabilities."""
    return [Answer(_distributions(cursor, case.problem.model.cardinalities)) for case in cases]


def _distributions(cursor: Cursor, cardinalities: tuple[int, ...]) -> np.ndarray:
    cursor.one("the number of variables", len(cardinalities), len(cardinalities))
    kept = []
    for variable, states in enumerate(cardinalities):
        cursor.one(f"the number of states of variable {variable}", states, states)
        kept.append(cursor.floats(states, f"a probability of variable {variable}"))
    return np.concatenate(kept)


def assignments(cursor: Cursor, cases: Sequence[Case]) -> list[Answer]:
    """Take `n val ..`, a state for each variable."""
    found = []
    for case in cases:
        count = len(case.problem.model.cardinalities)
        cursor.one("the number of variables", count, count)
        states = cursor.take(count, "a state", 0, LARGEST_STATE)
        found.append(Answer(dict(enumerate(states))))
    return found


def queried(cursor: Cursor, cases: Sequence[Case]) -> list[Answer]:
    """Take `q var val ..`, or `q val ..` in the order of the query."""
    bare = len(cursor.values) == sum(1 + len(case.query) for case in cases)
    return [_queried(cursor, case, bare) for case in cases]


def _queried(cursor: Cursor, case: Case, bare: bool) -> Answer:
    count, most = len(case.query), len(case.problem.model.cardinalities) - 1
    cursor.one("the number of query variables", count, count)
    if bare:
        states = cursor.take(count, "a state", 0, LARGEST_STATE)
        return Answer(
            dict(zip(case.query, states, strict=True)),
            "states without variables, in the query's order",
        )
    pairs = [
        (cursor.one("a variable", 0, most), cursor.one("a state", 0, LARGEST_STATE))
        for _ in range(count)
    ]
    if {variable for variable, _ in pairs} != set(case.query):
        return Answer(None, f"{cursor.source}: other variables are assigned than the query names")
    return Answer(dict(pairs))
