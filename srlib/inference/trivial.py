"""The trivial solver, whose error is a score of 0. The criteria do not define it; this is the documented default.

PR: the product of the functions' maxima times the number of assignments, an upper bound. MAR: uniform. MPE, MMAP and
MLC: each variable by itself, the state where the product of its one-variable functions is largest, else the first.
"""

import math

import numpy as np

from srlib.inference.cases import Case
from srlib.inference.elimination import certain, sliced
from srlib.inference.problems import Evidence


def upper_bound(case: Case) -> float:
    """Bound log10 Z: the product of the functions' maxima times the number of assignments."""
    model, evidence = case.problem.model, case.evidence
    free = sum(
        math.log(states) for v, states in enumerate(model.cardinalities) if v not in evidence
    )
    most = sum(float(table.max()) for _, table in sliced(model, evidence))
    return (free + most) / math.log(10)


def uniform(case: Case) -> np.ndarray:
    """Give each state of a variable that is not observed the same probability."""
    rows = [np.full(states, 1 / states) for states in case.problem.model.cardinalities]
    return np.concatenate(
        [
            certain(len(row), case.evidence[v]) if v in case.evidence else row
            for v, row in enumerate(rows)
        ]
    )


def each_alone(case: Case) -> Evidence:
    """Give each queried variable the state that its own functions prefer."""
    model = case.problem.model
    alone = {v: np.zeros(model.cardinalities[v]) for v in case.query}
    for function, scope in enumerate(model.scopes):
        if len(scope) == 1 and scope[0] in alone:
            alone[scope[0]] += model.log_table(function)
    return {v: case.evidence.get(v, int(np.argmax(alone[v]))) for v in case.query}
