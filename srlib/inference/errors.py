"""The error of one answer, by task, and the score that an error gets; source: UAI evaluation criteria."""

import math
from typing import Any

import numpy as np

from srlib.inference.cases import Answer, Case, Measured, Reference
from srlib.inference.elimination import TooWideError, log10_partition
from srlib.inference.model import log10_likelihood

NOTHING = 1e-9  # an error up to this is none
SUM_TOLERANCE = 0.01  # of a distribution
IMPOSSIBLE = "the evidence contradicts the model"


def measured(case: Case, answer: Answer, reference: Reference) -> Measured:
    """Measure an answer. Evidence that contradicts the model leaves nothing to be answered, whatever the task.

    Returns
    -------
    float, str, str
        The error (PR, MAR), or the log10 likelihood of the assignment (MPE, MMAP, MLC); status; note.
    """
    if answer.value is None:
        return math.nan, "invalid", answer.note
    if reference.get("log10_Z") == -math.inf and case.evidence == case.problem.evidence:
        return math.nan, "not_evaluable", IMPOSSIBLE
    truth = case.row.known(reference, case)
    if case.row.keep is None and truth is None:
        return math.nan, "not_evaluable", "no exact reference"
    return case.row.measure(case, answer, truth)


def assignment(case: Case, answer: Answer, known: Any) -> Measured:
    """Likelihood of states of all variables."""
    if wrong := _wrong_state(case, answer):
        return math.nan, "invalid", wrong
    states = [answer.value[variable] for variable in case.query]
    return _likelihood(float(log10_likelihood(case.problem.model, states)), answer)


def summed(case: Case, answer: Answer, known: Any) -> Measured:
    """Likelihood of states of some variables, summed over the others."""
    if wrong := _wrong_state(case, answer):
        return math.nan, "invalid", wrong
    try:
        value = log10_partition(case.problem.model, case.evidence | answer.value)
    except TooWideError as error:
        return math.nan, "not_evaluable", str(error)
    return _likelihood(value, answer)


def _likelihood(value: float, answer: Answer) -> Measured:
    return value, "zero_likelihood" if value == -math.inf else "ok", answer.note


def _wrong_state(case: Case, answer: Answer) -> str:
    """Name the first state that a variable does not have, or was not observed in."""
    for variable, state in answer.value.items():
        if state >= case.problem.model.cardinalities[variable]:
            return f"variable {variable} has no state {state}"
        if case.evidence.get(variable, state) != state:
            return f"variable {variable} has no observed state {state}"
    return ""


def partition_error(case: Case, answer: Answer, truth: float) -> Measured:
    """Distance of two logarithms to base 10."""
    value = answer.value
    if math.isnan(value) or value == math.inf:
        return math.nan, "invalid", f"log10 Z must be a number, got {value}"
    if value == truth:
        return 0.0, "ok", answer.note
    if value == -math.inf:
        return math.inf, "zero_likelihood", answer.note
    error = abs(truth - value)
    natural = abs(value / math.log(10) - truth) < 1e-4 * max(1, abs(truth)) and error > 1e-3
    note = "right if it were a natural logarithm" if natural else ""
    return error, "ok", "; ".join(filter(None, (answer.note, note)))


def hellinger(case: Case, answer: Answer, truth: Any) -> Measured:
    """Mean Hellinger distance over the unobserved variables, for distributions one after the other."""
    sizes = case.problem.model.cardinalities
    starts = np.cumsum([0, *sizes[:-1]])
    free = np.array([variable not in case.evidence for variable in range(len(sizes))])
    if not (np.isfinite(answer.value) & (answer.value >= 0)).all():
        return math.nan, "invalid", "a probability is negative or no number"
    if (np.abs(np.add.reduceat(answer.value, starts) - 1)[free] > SUM_TOLERANCE).any():
        return (
            math.nan,
            "invalid",
            f"probabilities of a variable do not sum to 1 within {SUM_TOLERANCE}",
        )
    squares = (np.sqrt(answer.value) - np.sqrt(np.concatenate(truth))) ** 2
    distances = np.sqrt(np.add.reduceat(squares, starts) / 2)[free]
    return float(distances.mean()) if free.any() else 0.0, "ok", answer.note


def score(error: float, max_error: float) -> float:
    """Normalise an error by that of the trivial solver.

    Errors up to 1e-9 are none. Where the trivial solver is right already, only what is right too scores 100; where
    its error is infinite, every finite error does.

    Examples
    --------
    >>> score(1.0, 4.0), score(5.0, 4.0), score(0.0, 0.0), score(0.1, 0.0), score(3.0, math.inf)
    (75.0, 0.0, 100.0, 0.0, 100.0)
    """
    if error <= NOTHING:
        return 100.0
    if max_error <= NOTHING or error == math.inf:
        return 0.0
    return max(0.0, 100.0 * (1 - error / max_error))
