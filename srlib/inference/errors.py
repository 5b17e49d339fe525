"""The error of one answer, by task, and the score that an error gets; source: UAI evaluation criteria."""

import math
from typing import Any

import numpy as np

from srlib.inference.answers import Answer, Case
from srlib.inference.elimination import TooWideError, log10_partition
from srlib.inference.model import log10_likelihood
from srlib.inference.reference import Reference, value_of

NOTHING = 1e-9  # an error up to this is none
SUM_TOLERANCE = 0.01  # of a distribution
IMPOSSIBLE = "the evidence contradicts the model"


def measured(case: Case, answer: Answer, reference: Reference) -> tuple[float, str, str]:
    """Measure an answer. Evidence that contradicts the model leaves nothing to be answered, whatever the task.

    Returns
    -------
    float, str, str
        The error (PR, MAR), or the log10 likelihood of the assignment (MPE, MMAP, MLC); status; note.
    """
    if answer.value is None:
        return math.nan, "invalid", answer.note
    truth, model = value_of(reference, case), case.problem.model
    if reference.get("log10_Z") == -math.inf and case.evidence == case.problem.evidence:
        return math.nan, "not_evaluable", IMPOSSIBLE
    if case.task in ("PR", "MAR") and truth is None:
        return math.nan, "not_evaluable", "no exact reference"
    if case.task == "PR":
        return _partition_error(answer, truth)
    if case.task == "MAR":
        free = np.array(
            [variable not in case.evidence for variable in range(len(model.cardinalities))]
        )
        return _hellinger(
            answer, np.concatenate(truth), np.cumsum([0, *model.cardinalities[:-1]]), free
        )
    for variable, state in answer.value.items():
        if state >= model.cardinalities[variable] or case.evidence.get(variable, state) != state:
            wrong = "observed state"
            if state >= model.cardinalities[variable]:
                wrong = "state"
            return math.nan, "invalid", f"variable {variable} has no {wrong} {state}"
    if case.task == "MPE":
        value = float(log10_likelihood(model, [answer.value[v] for v in case.query]))
    else:
        try:
            value = log10_partition(model, case.evidence | answer.value)
        except TooWideError as error:
            return math.nan, "not_evaluable", str(error)
    return value, "zero_likelihood" if value == -math.inf else "ok", answer.note


def _partition_error(answer: Answer, truth: float) -> tuple[float, str, str]:
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


def _hellinger(answer: Answer, truth: Any, starts: Any, free: Any) -> tuple[float, str, str]:
    """Mean Hellinger distance over the unobserved variables, for distributions one after the other."""
    if not (np.isfinite(answer.value) & (answer.value >= 0)).all():
        return math.nan, "invalid", "a probability is negative or no number"
    if (np.abs(np.add.reduceat(answer.value, starts) - 1)[free] > SUM_TOLERANCE).any():
        return (
            math.nan,
            "invalid",
            f"probabilities of a variable do not sum to 1 within {SUM_TOLERANCE}",
        )
    squares = (np.sqrt(answer.value) - np.sqrt(truth)) ** 2
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
