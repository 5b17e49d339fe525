"""Checks on single columns: copies of the target, columns that say nothing or the same twice, and the stated domain."""

import numpy as np

from srlib.audit.finding import Finding, graded, pooled, refitted, truth_at
from srlib.expressions import r2_score
from srlib.problems import Partitions, Problem

SAME = 1e-9  # share of the variance below which one column is another, scaled and shifted
FILLED = 0.5  # share of a stated range that the data have to fill


def no_copies(problem: Problem, data: Partitions) -> list[Finding]:
    """Find features that are the target, scaled and shifted; value: the largest R2 of one feature alone.

    Where the stated truth itself is such a feature, it is the task and no fault.
    """
    X, y = pooled(data)
    if np.ptp(y) == 0:
        return []
    reached = {name: _alone(X[:, i], y) for i, name in enumerate(problem.features)}
    copies = [name for name, r2 in reached.items() if 1 - r2 <= SAME]
    if copies and problem.known_truth is not None and 1 - _alone(truth_at(problem, X), y) <= SAME:
        copies = []
    best = max(reached, key=lambda name: reached[name])
    detail = f"no feature is the target, scaled and shifted; the nearest is {best}, R2 {reached[best]:.4g}"
    if copies:
        detail = f"the target, scaled and shifted, is among the features: {', '.join(copies)}"
    verdict = "fail" if copies else "pass"
    return [Finding(problem.dataset, "target", verdict, reached[best], detail)]


def distinct_columns(problem: Problem, data: Partitions) -> list[Finding]:
    """Find constant features, and irrelevant ones that are linear in the relevant; value: how many.

    A feature that equals a relevant one cannot be told from it, so that using it is no mistake. Surrogates have a
    check of their own.
    """
    X, _ = pooled(data)
    constant = [name for i, name in enumerate(problem.features) if np.ptp(X[:, i]) == 0]
    found = {"constant": constant}
    irrelevant = [
        name for name in problem.irrelevant or () if name not in (problem.surrogates or ())
    ]
    if problem.relevant and irrelevant:
        relevant = X[:, [problem.features.index(name) for name in problem.relevant]]
        found["linear in the relevant features, though stated as irrelevant"] = [
            name
            for name in irrelevant
            if name not in constant
            and 1 - _fit(relevant, X[:, problem.features.index(name)]) <= SAME
        ]
    wrong = sum(map(len, found.values()))
    detail = "; ".join(f"{story}: {', '.join(names)}" for story, names in found.items() if names)
    looked = "no feature is constant"
    if problem.relevant and problem.irrelevant:
        looked += (
            f", and none of the {len(problem.irrelevant)} irrelevant ones is linear in the relevant"
        )
    verdict = graded(wrong, 0, 0 if problem.relevant else np.inf)
    return [Finding(problem.dataset, "columns", verdict, wrong, detail or looked)]


def within_domain(problem: Problem, data: Partitions) -> list[Finding]:
    """Check that the data lie in the stated domain and fill it; value: the smallest share of a range that is filled.

    Test rows that are there to extrapolate are not looked at.
    """
    if not problem.domain:
        return []
    apart = problem.property == "extrapolation" and data.extrapolation is None
    X = data.train.X if apart and data.train is not None else pooled(data)[0]
    outside, filled = [], {}
    for name, (low, high) in problem.domain.items():
        column = X[:, problem.features.index(name)]
        room = SAME * (high - low)
        beyond = int(np.sum((column < low - room) | (column > high + room)))
        outside += [f"{name} (on {beyond} of {len(column)} rows)"] if beyond else []
        filled[name] = float(np.ptp(np.clip(column, low, high)) / (high - low))
    least = min(filled, key=lambda name: filled[name])
    detail = f"all {len(X)} rows lie within it; {least} fills {filled[least]:.0%} of its range, the least"
    if outside:
        detail = f"the data leave the stated domain: {', '.join(outside)}"
    verdict = "fail" if outside or filled[least] < FILLED else "pass"
    return [Finding(problem.dataset, "domain", verdict, filled[least], detail)]


def _alone(column: np.ndarray, y: np.ndarray) -> float:
    return _fit(column[:, None], y)


def _fit(columns: np.ndarray, y: np.ndarray) -> float:
    """R2 of a linear fit, columns brought to one scale first."""
    scale = np.std(columns, axis=0)
    standard = (columns - columns.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    return float(r2_score(y, refitted(standard, y)))
