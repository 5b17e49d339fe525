"""Rows that tell hidden values of others: where two problems of one truth share rows, the one with less noise tells."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from srlib.problems.data import Partition, partitions
from srlib.problems.problem import Problem

SAME_ROWS = 1e-8  # distance of equal rows, in standard deviations


def is_open(problem: Problem) -> bool:
    """Return whether everybody can have the rows: those of 2022, of scikit-learn and of PMLB."""
    data = problem.data
    return bool(data and (data.pmlb or data.generator not in (None, "formula")))


def find_leaks(problems: Sequence[Problem]) -> Iterator[tuple[Problem, Problem, str]]:
    """Yield problems of whose rows training rows of another or the same problem tell what is hidden, with a sentence.

    These are training rows that another problem of the same truth has with less noise, and more than 1% of the rows
    that are not for training that a problem of the same truth has for training. Features are equal up to rounding.
    """
    rows = {problem.dataset: _stack_rows(problem) for problem in problems}
    for problem, other in product(problems, repeat=2):
        is_related = problem is other or problem.noise_reference == other.dataset
        is_related |= problem.truth is not None and problem.truth == other.truth
        if not is_related or problem.features != other.features:
            continue
        (train, hidden), (published, _) = rows[problem.dataset], rows[other.dataset]
        if other.noise_level < problem.noise_level and share_found(train, published) > 0:
            yield problem, other, f"training rows are those of {other}, which has less noise"
        if share_found(hidden, published) > 0.01:
            yield problem, other, f"test rows are training rows of {other}"


def _stack_rows(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of the training rows of all seeds, and those of all other rows."""
    stacks = ([np.empty((0, len(problem.features)))], [np.empty((0, len(problem.features)))])
    for seed in (problem.data_seeds or (problem.first_seed,)) if problem.data else ():
        for name, part in vars(partitions(problem, seed)).items():
            if isinstance(part, Partition):
                stacks[name != "train"].append(part.X)
    return np.vstack(stacks[0]), np.vstack(stacks[1])


def share_found(rows: np.ndarray, table: np.ndarray) -> float:
    """Return the share of rows that are rows of a table, up to rounding; 0 if either is empty."""
    if not len(rows) or not len(table):
        return 0.0
    from scipy.spatial import KDTree

    size = np.where(np.ptp(table, axis=0) > 0, table.std(axis=0), 1.0)
    distances, _ = KDTree(table / size).query(rows / size, distance_upper_bound=SAME_ROWS)
    return float(np.mean(np.isfinite(distances)))
