"""What is asked of solvers: a task, which is a row of `srlib.inference.tasks`, a case of it, and an answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from srlib.inference.problems import Evidence, Problem

Asked = tuple[str, Evidence, tuple[int, ...]]
Measured = tuple[float, str, str]
Reference = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a solver said: `value` (None where it cannot be used), and a note.

    The value is log10 Z (PR), the probabilities of all variables in one array (MAR), or a state for each queried
    variable (MPE, MMAP, MLC).
    """

    value: Any
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Task:
    """All that the project knows of a task.

    Parameters
    ----------
    name : str
        As in the names of files, and where results are shown.
    heads : tuple of str
        Words under which solutions stand in answer files, and endings of these files.
    cases : callable
        Problem -> for each thing that is asked the name of the instance, what is observed, and the queried variables.
    parse : callable
        ``(block, cases, source) -> one Answer a case``, of the bytes under a head. An `InputError` where the block
        is of no use for all of them.
    trivial : callable
        Case -> the value that the documented default solver gives, whose error is a score of 0.
    measure : callable
        ``(case, answer, reference value) -> quality, status, note``: an error, or with `keep` the log10 likelihood
        of the states that the answer assigns.
    stored : mapping of str to type
        Keys of a reference that belong to the task, and what stands there.
    known : callable
        ``(reference, case) -> value``, None where the reference says nothing.
    solve : callable
        ``(case, reference)``: computes what is within reach and writes it into the reference, None for the rest.
    keep : callable, optional
        ``(reference, case, value, states)``: writes the best known likelihood and its states. Tasks without it
        have an exact answer or none.
    """

    name: str
    heads: tuple[str, ...]
    cases: Callable[[Problem], Sequence[Asked]]
    parse: "Callable[[bytes, Sequence[Case], str], list[Answer]]"
    trivial: "Callable[[Case], Any]"
    measure: "Callable[[Case, Answer, Any], Measured]"
    stored: Mapping[str, Any]
    known: "Callable[[Reference, Case], Any]"
    solve: "Callable[[Case, Reference], None]"
    keep: "Callable[[Reference, Case, float | None, list[int] | None], None] | None" = None


@dataclass(frozen=True)
class Case:
    """One thing to be answered and scored.

    Parameters
    ----------
    row : Task
        What is asked.
    instance : str
        Name of the problem; NAME#K for line K of the MLC task, counted from 0.
    problem : Problem
        What it is about.
    evidence : dict of int to int
        What is observed.
    query : tuple of int
        Variables to be assigned; empty for PR and MAR.
    """

    row: Task
    instance: str
    problem: Problem
    evidence: Evidence
    query: tuple[int, ...] = ()

    @property
    def task(self) -> str:
        """Name of the task."""
        return self.row.name
