"""The tasks of inference solvers: what is asked, the exact or best known values, and how good an answer is.

| task | asks for | error of an answer | trivial answer |
|---|---|---|---|
| PR | log10 Z | distance of the logarithms | product of the functions' maxima times the number of assignments |
| MAR | probabilities of each variable's states | mean Hellinger distance over unobserved variables | equal ones |
| MPE | most probable states of all variables | log10 likelihood below the best known one | best by own functions |
| MMAP | the same of the query file's variables, summed over the others | as MPE | as MPE |
| MLC | the same of each line of the tests | as MPE | as MPE |

A state that is best by own functions has the largest product of the variable's one-variable functions; without one it
is the first. Source: evaluation criteria of the UAI competitions. They do not define the trivial solver, whose error is
a score of 0; the last column is what this project takes where no solver sets the scale.

The file NAME.reference.json of a problem holds the values, with a digest of the problem's files. A best known
likelihood is only ever replaced by a larger one.
"""

import json
import math
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from srlib.errors import InputError
from srlib.files import contents, write_atomically
from srlib.inference.exact import (
    TooWideError,
    condition,
    log10_partition,
    most_probable,
    posterior,
)
from srlib.inference.uai_files import Evidence, Problem
from srlib.yaml_files import validate

TASKS = ("PR", "MAR", "MPE", "MMAP", "MLC")
EXACT_TASKS = ("PR", "MAR")  # compared with the exact value; the others with the best known one
SUM_TOLERANCE = 0.01  # of a distribution

Logarithm = Annotated[float, Field(lt=math.inf)]
Probability = Annotated[float, Field(ge=0, le=1 + 1e-6)]


class Case(NamedTuple):
    """One question that is answered and scored.

    Parameters
    ----------
    task : str
        One of `TASKS`.
    instance : str
        Name of the problem; NAME#K for line K of the MLC task, counted from 0.
    problem : Problem
        Model.
    evidence : dict of int to int
        Observed states.
    query : tuple of int
        Variables that are asked for.
    """

    task: str
    instance: str
    problem: Problem
    evidence: Evidence
    query: tuple[int, ...]

    @property
    def key(self) -> str:
        """Name of the case in a reference."""
        return f"{self.task} {self.instance}"


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
    solver : str
        Who gave it.
    limit : float or None
        Its time limit in seconds.
    """

    value: Any
    note: str = ""
    status: str = "ok"
    quality: float = math.nan
    solver: str = ""
    limit: float | None = None


def cases_of(problem: Problem) -> list[Case]:
    """All cases of a problem, in the order of the tasks."""
    every = tuple(range(len(problem.model.cardinalities)))
    queries = zip(TASKS, (every, every, every, problem.query), strict=False)
    cases = [
        Case(task, problem.name, problem, problem.evidence, query)
        for task, query in queries
        if query
    ]
    lines = enumerate(problem.tests)
    return cases + [Case("MLC", f"{problem.stem}#{line}", problem, *test) for line, test in lines]


class Reference(BaseModel):
    """All that is known about the cases of a problem.

    Parameters
    ----------
    digest : str
        Of the problem.
    log10_Z : float or None
        Logarithm of the partition function; None where it is out of reach.
    mar : list of list of float, or None
        Probabilities of each variable's states; None where they are out of reach or the evidence is impossible.
    best : dict of str to (float, list of int)
        By the case's key the best known log10 likelihood and the states that have it, in the query's order; without
        the cases that are out of reach and were not answered.
    """

    model_config = ConfigDict(extra="forbid")
    digest: str
    log10_Z: Logarithm | None = None  # noqa: N815 - its name in the field
    mar: list[list[Probability]] | None = None
    best: dict[str, tuple[Logarithm, list[int]]] = {}

    def value_of(self, case: Case) -> Any:
        """Exact value of a case, None where there is none, or the best known log10 likelihood."""
        if case.task in EXACT_TASKS:
            return self.log10_Z if case.task == "PR" else self.mar
        return self.best.get(case.key, (-math.inf, []))[0]

    def set_best(self, case: Case, likelihood: float, states: Evidence) -> None:
        """Keep a better likelihood of a case and the states that have it."""
        self.best[case.key] = likelihood, [states[v] for v in case.query]


def find_reference(problem: Problem, folder: str | Path | None = None) -> Reference:
    """Read a problem's reference from a folder, or compute it where there is none.

    Raises
    ------
    InputError
        When the file is not a reference, or belongs to another problem.
    """
    path = Path(folder or "") / f"{problem.name}.reference.json"
    if folder is None or not path.exists():
        return compute_reference(problem)
    reference = validate(Reference, contents(path), f"{path}: not a reference")
    sizes = None if reference.mar is None else tuple(map(len, reference.mar))
    if reference.digest != problem.digest or sizes not in (None, problem.model.cardinalities):
        raise InputError(
            f"{path}: belongs to another problem than {problem.name}; delete it, and it is computed again"
        )
    return reference


def compute_reference(problem: Problem) -> Reference:
    """Solve all cases of a problem that are within reach."""
    reference = Reference(digest=problem.digest)
    with suppress(TooWideError):
        reference.log10_Z, rows = posterior(problem.model, problem.evidence)
        reference.mar = None if rows is None else [row.tolist() for row in rows]
    for case in cases_of(problem):
        if case.task not in EXACT_TASKS:
            with suppress(TooWideError):
                best = most_probable(problem.model, case.evidence, case.query)
                reference.set_best(case, *best)
    return reference


def write_reference(problem: Problem, reference: Reference, folder: str | Path) -> None:
    """Write a problem's reference into a folder."""
    text = json.dumps(reference.model_dump(), sort_keys=True)
    write_atomically(Path(folder) / f"{problem.name}.reference.json", text + "\n")


def trivial_answer(case: Case) -> Any:
    """Value of the default trivial solver's answer."""
    cardinalities = case.problem.model.cardinalities
    if case.task == "MAR":
        return [np.full(states, 1 / states) for states in cardinalities]
    if case.task == "PR":
        sizes = [math.log(n) for v, n in enumerate(cardinalities) if v not in case.evidence]
        factors = condition(case.problem.model, case.evidence)
        return (sum(sizes) + sum(float(table.max()) for _, table, _ in factors)) / math.log(10)
    own = {v: np.zeros(cardinalities[v]) for v in case.query}
    for scope, table, _ in condition(case.problem.model, {}):
        if len(scope) == 1 and scope[0] in own:
            own[scope[0]] += table
    return {v: case.evidence.get(v, int(np.argmax(own[v]))) for v in case.query}


def measure(case: Case, answer: Answer, truth: Any) -> Answer:
    """Measure the quality of an answer; one that is no answer to the case loses its value and gets the reason.

    Parameters
    ----------
    case : Case
        What was asked.
    answer : Answer
        What was read; it stays as it is where it has no value.
    truth : float or list of list of float
        Exact value of PR or MAR; not used for other tasks.
    """
    value = answer.value
    if value is None:
        return answer
    try:
        if case.task == "MAR":
            quality = -_hellinger_distance(case, value, truth)
        elif case.task == "PR":
            if not value < math.inf:
                raise InputError(f"log10 Z must be a number, got {value}")
            quality = -abs(truth - value)
        else:
            quality = _log10_likelihood(case, value)
    except InputError as error:
        return answer._replace(value=None, note=str(error), status="invalid")
    status = "zero_likelihood" if math.isinf(quality) else "ok"
    return answer._replace(status=status, quality=quality)


def _hellinger_distance(case: Case, value: list[Any], truth: list[list[float]]) -> float:
    """Mean Hellinger distance over the unobserved variables."""
    distances = []
    for variable, (row, exact) in enumerate(zip(value, truth, strict=True)):
        if not 0 <= row.min() <= row.max() < math.inf:
            raise InputError(f"a probability of variable {variable} is negative or no number")
        if variable in case.evidence:
            continue
        if abs(row.sum() - 1) > SUM_TOLERANCE:
            raise InputError(f"probabilities of a variable do not sum to 1 within {SUM_TOLERANCE}")
        distances.append(np.linalg.norm(np.sqrt(row) - np.sqrt(exact)) / math.sqrt(2))
    return float(np.mean(distances or 0.0))


def _log10_likelihood(case: Case, states: Evidence) -> float:
    """Logarithm of the likelihood of the states, summed over the other variables."""
    if states.keys() != set(case.query):
        raise InputError("other variables are assigned than the query names")
    for variable, state in states.items():
        if state >= case.problem.model.cardinalities[variable]:
            raise InputError(f"variable {variable} has no state {state}")
        if case.evidence.get(variable, state) != state:
            raise InputError(f"variable {variable} has no observed state {state}")
    return log10_partition(case.problem.model, case.evidence | states)
