"""The tasks of inference solvers: what is asked, how an answer is read, its quality, and the trivial answer.

Source: evaluation criteria of the UAI competitions. They do not define the trivial solver, whose error is a score of
0; each task says what this project takes where no solver sets the scale.

Each task has `name`; `exact`, whether answers are compared with the exact value, not with the best known one; `cases`,
all questions of the task about a problem; `read`, which takes one answer for each case from an answer file; `trivial`,
the value of the default trivial solver's answer; and `measure`, the quality of an answer (minus its error against the
exact value, or the log10 likelihood of its states) and a remark. `measure` raises `InputError` for what is no answer
to the case.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from srlib.errors import InputError
from srlib.inference.exact import condition, log10_partition
from srlib.inference.uai_files import Array, Evidence, NumberReader, Problem

SUM_TOLERANCE = 0.01  # of a distribution
LARGEST_STATE = 2**31


@dataclass(frozen=True)
class Case:
    """One question that is answered and scored.

    Parameters
    ----------
    task : Task
        What is asked.
    instance : str
        Name of the problem; NAME#K for line K of the MLC task, counted from 0.
    problem : Problem
        Model.
    evidence : dict of int to int
        Observed states.
    query : tuple of int
        Variables whose states are asked; empty for PR and MAR.
    """

    task: "Task"
    instance: str
    problem: Problem
    evidence: Evidence
    query: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """Name of the case in a reference."""
        return f"{self.task.name} {self.instance}"


class Answer(NamedTuple):
    """A solver's answer to a case.

    Parameters
    ----------
    value : float, list of array, dict of int to int, or None
        log10 Z (PR), the probabilities of each variable's states (MAR), the state of each query variable (MPE, MMAP,
        MLC), or None where there is no usable answer.
    note : str
        Remark about the answer, or why it is of no use.
    status : str
        As in the scores.
    quality : float
        Minus the error (PR, MAR) or log10 likelihood (MPE, MMAP, MLC); NaN before it is measured, and without a value.
    """

    value: Any
    note: str = ""
    status: str = "ok"
    quality: float = math.nan


class ExactTask:
    """A task about all variables of a problem, whose answers have an exact value."""

    name: str
    exact = True

    def cases(self, problem: Problem) -> list[Case]:
        """Take the problem."""
        return [Case(self, problem.name, problem, problem.evidence)]  # type: ignore[arg-type]


class PartitionFunction(ExactTask):
    """log10 Z; the error is the distance of the logarithms.

    The trivial answer is an upper bound: the product of the functions' maxima times the number of assignments.
    """

    name = "PR"

    def read(self, reader: NumberReader, cases: Sequence[Case]) -> list[Answer]:
        """Take one number for each case; a remark counts those that follow."""
        values, note = reader.floats(len(cases), "log10 Z").tolist(), ""
        if reader.remaining:
            note = f"{len(reader.values)} numbers came where {len(cases)} were expected; the first count"
            reader.floats(reader.remaining, "")
        return [Answer(value, note) for value in values]

    def trivial(self, case: Case) -> float:
        """Upper bound of log10 Z."""
        model = case.problem.model
        sizes = [n for v, n in enumerate(model.cardinalities) if v not in case.evidence]
        maxima = [float(factor.table.max()) for factor in condition(model, case.evidence)]
        return (sum(map(math.log, sizes)) + sum(maxima)) / math.log(10)

    def measure(self, case: Case, value: float, truth: float) -> tuple[float, str]:
        """Minus the distance of two logarithms to base 10; infinite for minus infinity."""
        if math.isnan(value) or value == math.inf:
            raise InputError(f"log10 Z must be a number, got {value}")
        error, converted = abs(truth - value), abs(truth - value / math.log(10))
        natural = error > 1e-3 and converted < 1e-4 * max(1, abs(truth))
        return -error, "right if it were a natural logarithm" * natural


class Marginals(ExactTask):
    """Probabilities of each variable's states; the error is the mean Hellinger distance over unobserved variables.

    The trivial answer gives all states of an unobserved variable the same probability.
    """

    name = "MAR"

    def read(self, reader: NumberReader, cases: Sequence[Case]) -> list[Answer]:
        """Take `n`, and for each variable its number of states and their probabilities."""
        answers = []
        for case in cases:
            sizes, rows = case.problem.model.cardinalities, []
            reader.integer("the number of variables", len(sizes), len(sizes))
            for variable, states in enumerate(sizes):
                reader.integer(f"the number of states of variable {variable}", states, states)
                rows.append(reader.floats(states, f"a probability of variable {variable}"))
            answers.append(Answer(rows))
        return answers

    def trivial(self, case: Case) -> list[Array]:
        """Equal probabilities; 0 and 1 for observed variables."""
        rows = [np.full(states, 1 / states) for states in case.problem.model.cardinalities]
        for variable, state in case.evidence.items():
            rows[variable] = (np.arange(len(rows[variable])) == state).astype(float)
        return rows

    def measure(
        self, case: Case, value: list[Array], truth: list[list[float]]
    ) -> tuple[float, str]:
        """Minus the mean Hellinger distance."""
        numbers = np.concatenate(value)
        if not ((numbers >= 0) & (numbers < np.inf)).all():
            raise InputError("a probability is negative or no number")
        distances = []
        for variable, (row, exact) in enumerate(zip(value, truth, strict=True)):
            if variable in case.evidence:
                continue
            if abs(row.sum() - 1) > SUM_TOLERANCE:
                raise InputError(
                    f"probabilities of a variable do not sum to 1 within {SUM_TOLERANCE}"
                )
            distances.append(np.linalg.norm(np.sqrt(row) - np.sqrt(exact)) / math.sqrt(2))
        return -float(np.mean(distances or [0.0])), ""


@dataclass(frozen=True)
class States:
    """Most probable states of the query variables, summed over the others; the best known likelihood has no error.

    MPE asks for all variables, MMAP for those of the query file, MLC for those of each line of the tests. The trivial
    answer takes for each variable the state where the product of its one-variable functions is largest, or else the
    first.
    """

    name: str
    exact = False

    def cases(self, problem: Problem) -> list[Case]:
        """Take the problem, or each line of its tests; nothing without a query."""
        if self.name == "MLC":
            return [
                Case(self, f"{problem.stem}#{line}", problem, evidence, query)
                for line, (evidence, query) in enumerate(problem.tests)
            ]
        query = problem.query
        if self.name == "MPE":
            query = tuple(range(len(problem.model.cardinalities)))
        return [Case(self, problem.name, problem, problem.evidence, query)] if query else []

    def read(self, reader: NumberReader, cases: Sequence[Case]) -> list[Answer]:
        """Take the number of query variables and pairs of variable and state, or states in the query's order."""
        count, note, answers = len(cases[0].query), "", []
        bare = self.name == "MPE"
        if not bare and reader.remaining == len(cases) * (1 + count):
            bare, note = True, "states without variables, in the query's order"
        for case in cases:
            reader.integer("the number of variables", count, count)
            if bare:
                variables = case.query
                states = reader.integers(count, "a state", 0, LARGEST_STATE)
            else:
                pairs = reader.integers(2 * count, "a variable or its state", 0, LARGEST_STATE)
                variables, states = pairs[::2], pairs[1::2]
            answers.append(Answer(dict(zip(variables, states, strict=True)), note))
        return answers

    def trivial(self, case: Case) -> Evidence:
        """State of each query variable that its own functions prefer."""
        model = case.problem.model
        alone = {v: np.zeros(model.cardinalities[v]) for v in case.query}
        for scope, table, _ in condition(model, {}):
            if len(scope) == 1 and scope[0] in alone:
                alone[scope[0]] += table
        return {v: case.evidence.get(v, int(np.argmax(alone[v]))) for v in case.query}

    def measure(self, case: Case, value: Evidence, truth: float) -> tuple[float, str]:
        """Logarithm to base 10 of the likelihood of the states, summed over the other variables."""
        if value.keys() != set(case.query):
            raise InputError("other variables are assigned than the query names")
        for variable, state in value.items():
            if state >= case.problem.model.cardinalities[variable]:
                raise InputError(f"variable {variable} has no state {state}")
            if case.evidence.get(variable, state) != state:
                raise InputError(f"variable {variable} has no observed state {state}")
        return log10_partition(case.problem.model, case.evidence | value), ""


Task = PartitionFunction | Marginals | States
TASKS: dict[str, Task] = {
    task.name: task
    for task in (PartitionFunction(), Marginals(), States("MPE"), States("MMAP"), States("MLC"))
}


def cases_of(problem: Problem) -> list[Case]:
    """All cases of a problem."""
    return [case for task in TASKS.values() for case in task.cases(problem)]


def exact_tasks() -> list[str]:
    """Names of the tasks whose answers are compared with an exact value, not with the best known one."""
    return [name for name, task in TASKS.items() if task.exact]
