"""Checks on shared rows: between partitions, between datasets, and of extrapolation with the training range."""

from collections.abc import Mapping
from hashlib import sha256

import numpy as np

from srlib.audit.finding import Finding, graded, pooled
from srlib.problems import Partitions, Problem, Problems


def no_leakage(problem: Problem, data: Partitions) -> list[Finding]:
    """Find rows of the test or extrapolation partition that also train; value: their share, above 1 % it fails."""
    if data.train is None:
        return []
    known = {row.tobytes() for row in np.column_stack([data.train.X, data.train.y])}
    parts = [part for part in (data.test, data.extrapolation) if part is not None]
    seen = [row.tobytes() in known for part in parts for row in np.column_stack([part.X, part.y])]
    share, detail = sum(seen) / len(seen), f"none of the {len(seen)} test rows is a training row"
    if share:
        detail = f"{sum(seen)} of {len(seen)} test rows are training rows"
    return [Finding(problem.dataset, "leakage", graded(share, 0, 0.01), share, detail)]


def outside_training(problem: Problem, data: Partitions) -> list[Finding]:
    """Check that extrapolation rows leave the training range; value: share inside the range of every feature.

    The features are the relevant ones, where they are stated. A problem of the property extrapolation without
    an extrapolation partition extrapolates to its test rows.
    """
    part = data.extrapolation or (data.test if problem.property == "extrapolation" else None)
    if part is None or data.train is None:
        return []
    columns = [problem.features.index(name) for name in problem.relevant or problem.features]
    train, rows = data.train.X[:, columns], part.X[:, columns]
    inside = float(np.all((rows >= train.min(axis=0)) & (rows <= train.max(axis=0)), axis=1).mean())
    detail = f"{inside:.1%} of {len(rows)} extrapolation rows lie within the training range of every feature"
    return [Finding(problem.dataset, "extrapolation", graded(inside, 0, 0.01), inside, detail)]


def no_duplicates(
    problems: Problems, data: Mapping[str, Mapping[int, Partitions]]
) -> list[Finding]:
    """Find datasets with the same columns and target, in whatever order of rows and columns; value: twins."""
    prints = {dataset: fingerprint(rows[min(rows)]) for dataset, rows in data.items()}
    findings = []
    for dataset, own in prints.items():
        same = [name for name, other in prints.items() if other == own and name != dataset]
        detail = "no other dataset has these data"
        if same:
            detail = f"the same data as {', '.join(same)}"
        findings.append(Finding(dataset, "duplicates", graded(len(same), 0, 0), len(same), detail))
    return findings


def fingerprint(data: Partitions) -> str:
    """Hash of the sorted values of every column (to single precision) and of the target.

    Independent of names and of the order of rows and columns.
    """
    X, y = pooled(data)
    *columns, target = (
        sha256(np.sort(c.astype(np.float32)).tobytes()).hexdigest() for c in [*X.T, y]
    )
    return " ".join([*sorted(columns), target])
