"""What a check says, and what every check needs of the data."""

from typing import Literal, NamedTuple

import numpy as np

from srlib.expressions import evaluate, parse
from srlib.problems import Partitions, Problem

Verdict = Literal["pass", "warn", "fail"]
SEVERITY: tuple[Verdict, ...] = ("pass", "warn", "fail")
EXACT = 1e-6  # share of the target's variance below which nothing is left to explain


class Finding(NamedTuple):
    """One row of an audit.

    Attributes
    ----------
    dataset, check : str
        What was checked, and how.
    verdict : {'pass', 'warn', 'fail'}
        warn: worth a look, or it could not be decided.
    value : float
        The number that the verdict depends on; what it is, the check's docstring says.
    detail : str
        One line.
    """

    dataset: str
    check: str
    verdict: Verdict
    value: float
    detail: str


def graded(value: float, passes: float, warns: float) -> Verdict:
    """Grade a number that should be small; NaN fails.

    Examples
    --------
    >>> [graded(value, 0.1, 0.2) for value in (0.0, 0.15, float("nan"))]
    ['pass', 'warn', 'fail']
    """
    if value <= passes:
        return "pass"
    if value <= warns:
        return "warn"
    return "fail"


def pooled(data: Partitions) -> tuple[np.ndarray, np.ndarray]:
    """Stack training and test rows: features (rows x features) and target (rows)."""
    parts = [part for part in (data.train, data.test) if part is not None]
    return np.vstack([part.X for part in parts]), np.concatenate([part.y for part in parts])


def truth_at(problem: Problem, X: np.ndarray) -> np.ndarray:
    """Values of the stated truth at points (rows x features), shape (rows,); without a truth zeros."""
    columns = dict(zip(problem.features, X.T, strict=True))
    return evaluate(parse(problem.known_truth or "0", problem.features), columns, len(X))


def refitted(values: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Fit offset and scale of some columns to the target by least squares; values that are not finite count as 0."""
    design = np.column_stack([np.ones(len(y)), np.where(np.isfinite(values), values, 0.0)])
    return design @ np.linalg.lstsq(design, y, rcond=None)[0]


def chance(level: float, rows: int) -> float:
    """How far R2 may lie below the ceiling 1 - level by chance: five standard deviations of the noise's share."""
    return EXACT + 5 * level * np.sqrt(2 / rows)
