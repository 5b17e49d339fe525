"""Checks of one dataset, each of one statement of a problem file; a value of NaN, as of a constant target, fails.

Each check returns None if it does not apply.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from srlib.expressions import evaluate, parse, r2_score
from srlib.problems import Partitions, Problem

Verdict = Literal["pass", "warn", "fail"]
SEVERITY = ("fail", "warn", "pass")
EXACT_SHARE = 1e-6  # share of the target's variance that counts as rounding
SAME_SHARE = 1e-9  # unexplained share of the variance up to which a column is linear in others
MOST_DEVIATIONS = 4.0  # standard deviations up to which a deviation can be chance


class Finding(NamedTuple):
    """Result of a check.

    Attributes
    ----------
    verdict : {'pass', 'warn', 'fail'}
        'warn' means that the statement should be looked at, or could not be checked.
    value : float
        Number on which the verdict depends, as defined by the check's docstring.
    detail : str
        One line about the finding.
    """

    verdict: Verdict
    value: float
    detail: str


def grade(value: float, pass_limit: float, warn_limit: float) -> Verdict:
    """Return the verdict on a number that should be small, by two upper limits; NaN fails.

    Examples
    --------
    >>> [grade(value, 0.1, 0.2) for value in (0.0, 0.15, float("nan"))]
    ['pass', 'warn', 'fail']
    """
    if value <= pass_limit:
        return "pass"
    return "warn" if value <= warn_limit else "fail"


def take_worst(findings: list[Finding]) -> Finding:
    """Return the first finding of the worst verdict."""
    return min(findings, key=lambda finding: SEVERITY.index(finding.verdict))


def pool_rows(data: Partitions) -> tuple[np.ndarray, np.ndarray]:
    """Return the features (rows x features) and the target (rows) of the training and test rows together."""
    parts = [part for part in (data.train, data.test) if part is not None]
    return np.vstack([part.X for part in parts]), np.concatenate([part.y for part in parts])


def evaluate_truth(problem: Problem, X: np.ndarray) -> np.ndarray:
    """Return the values of the stated truth at points X (rows x features), shape (rows,)."""
    columns = dict(zip(problem.features, X.T, strict=True))
    return evaluate(parse(str(problem.known_truth), problem.features), columns, len(X))


def list_truth_features(problem: Problem) -> frozenset[str]:
    """Return the features in the stated truth; an empty set if no truth is stated."""
    return parse(problem.known_truth or "0", problem.features).features


def refit(columns: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the least-squares fit of the target by the columns and an offset; infinite values and NaN count as 0."""
    columns = np.where(np.isfinite(columns), columns, 0.0).reshape(len(y), -1)
    design = np.column_stack([np.ones(len(y)), columns])
    size = np.abs(design).max(axis=0)
    design = design / np.where(size > 0, size, 1.0)
    return design @ np.linalg.lstsq(design, y, rcond=None)[0]


def chance_limit(level: float, rows: int) -> float:
    """Return the largest error of a share of noise that can be chance: four standard deviations of normal noise."""
    return EXACT_SHARE + MOST_DEVIATIONS * level * np.sqrt(2 / rows)


def check_truth(problem: Problem, data: Partitions) -> Finding | None:
    """Check that the truth's R2 is 1 minus the share of noise, also on extrapolation rows; value: R2.

    Extrapolation rows have as much noise as the others but another variance, so that their share of noise differs.
    """
    if problem.known_truth is None:
        return None
    pooled = pool_rows(data)
    rows = {"training and test": pooled}
    if data.extrapolation is not None:
        rows["extrapolation"] = data.extrapolation.X, data.extrapolation.y
    findings = []
    for name, (X, y) in rows.items():
        values = evaluate_truth(problem, X)
        noise = float(problem.noise_level * np.var(pooled[1]) / np.var(y))
        r2 = r2_score(y, values)
        slack = chance_limit(noise, len(y))
        verdict = grade(1 - noise - r2, slack, slack + 0.01)
        detail = f"R2 {r2:.6g} on {name} rows where the noise ceiling is {1 - noise:.6g}"
        if not np.isfinite(values).all():
            detail = f"the truth is not finite on {(~np.isfinite(values)).sum()} of {len(y)} rows"
        elif verdict != "pass":
            detail += f"; with offset and scale refitted {r2_score(y, refit(values, y)):.6g}"
        findings.append(Finding(verdict, r2, detail))
    return take_worst(findings)


def check_noise(problem: Problem, data: Partitions) -> Finding | None:
    """Check the stated noise level against the residuals of the truth; value: their share of the variance.

    Offset and scale are refitted. The share refers to the variance of the training rows, which
    methods see, and may differ from the stated level by a tenth or by chance. A larger share is only a warning, because
    a wrong truth leaves residuals that are not noise.
    """
    if problem.known_truth is None:
        return None
    X, y = pool_rows(data)
    values = evaluate_truth(problem, X)
    if not np.isfinite(values).all():  # `check_truth` reports it
        return None
    fitted = refit(values, y)
    level = problem.noise_level
    signal = np.var(fitted if data.train is None else fitted[: len(data.train.y)])
    noise = np.mean((y - fitted) ** 2)
    share = float(noise / (noise + signal))
    verdict = "pass"
    if not abs(share - level) <= max(chance_limit(level, len(y)), 0.1 * level):
        verdict = "warn" if share > level else "fail"
    # a share from rounding alone depends on the machine
    detail = (
        f"{share if share >= EXACT_SHARE else 0:.3g} of the variance is noise; {level:g} is stated"
    )
    return Finding(verdict, share, detail)


def check_features(problem: Problem, data: Partitions) -> Finding | None:
    """Check that the stated relevant features are those of the truth; value: number of differences.

    If the problem tests the property relevant_features, it fails without irrelevant features. Whether the data follow
    the truth is checked by `check_truth`.
    """
    if problem.property == "relevant_features" and not problem.irrelevant:
        return Finding("fail", np.nan, "no feature is irrelevant: state the relevant ones")
    if problem.relevant is None or problem.known_truth is None:
        return None
    used = list_truth_features(problem)
    relevant = {*problem.relevant}
    differences = {
        "stated, not in the truth": sorted(relevant - used),
        "in the truth, not stated": sorted(used - relevant),
    }
    count = len(relevant ^ used)
    detail = join_names(differences) or f"the {len(used)} of the truth are stated"
    return Finding(grade(count, 0, 0), count, detail)


def join_names(groups: Mapping[str, list[str]]) -> str:
    """Join groups as 'problem: name, name; ...'; return an empty text if all groups are empty."""
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in groups.items() if names)


def check_surrogates(problem: Problem, data: Partitions) -> Finding | None:
    """Check that each surrogate correlates with the target, and that together they leave a part of it unexplained.

    The value is the R2 of their joint fit.
    """
    if not problem.surrogates:
        return None
    X, y = pool_rows(data)
    surrogates = pd.DataFrame(X, columns=pd.Index(problem.features))[list(problem.surrogates)]
    correlations = surrogates.corrwith(pd.Series(y)).abs()
    r2 = r2_score(y, refit(surrogates.to_numpy(), y))
    faults = {
        "no temptation": [*surrogates.columns[~(correlations > MOST_DEVIATIONS / np.sqrt(len(y)))]],
        "in the truth": sorted(list_truth_features(problem) & {*problem.surrogates}),
    }
    verdict = grade(r2 - (1 - problem.noise_level), -0.01, -0.001)
    detail = f"correlations with the target {correlations.min():.2f} to {correlations.max():.2f}; "
    detail += f"together R2 {r2:.4f}"
    if fault_text := join_names(faults):
        verdict, detail = "fail", f"{detail}; {fault_text}"
    return Finding(verdict, r2, detail)


def check_leakage(problem: Problem, data: Partitions) -> Finding | None:
    """Check that no test or extrapolation rows are training rows; value: share of such rows, which fails above 1%."""
    if data.train is None:
        return None
    train, *tests = (
        [row.tobytes() for row in np.column_stack([part.X, part.y])]
        for part in (data.train, data.test, data.extrapolation)
        if part is not None
    )
    train_rows = set(train)
    rows = sum(tests, [])
    n_shared = sum(row in train_rows for row in rows)
    detail = f"{n_shared} of {len(rows)} test rows are training rows"
    return Finding(grade(n_shared / len(rows), 0, 0.01), n_shared / len(rows), detail)


def check_extrapolation(problem: Problem, data: Partitions) -> Finding | None:
    """Check that extrapolation rows are outside the training range; value: share inside the range of every feature.

    Only relevant features count, if they are stated. A problem that tests the property extrapolation and has no
    extrapolation partition is checked on its test rows.
    """
    part = data.extrapolation or (data.test if problem.property == "extrapolation" else None)
    if part is None or data.train is None:
        return None
    columns = [problem.features.index(name) for name in problem.relevant or problem.features]
    train = data.train.X[:, columns]
    rows = part.X[:, columns]
    share_inside = float(
        np.all((rows >= train.min(axis=0)) & (rows <= train.max(axis=0)), axis=1).mean()
    )
    detail = f"{share_inside:.1%} of {len(rows)} extrapolation rows lie within the training range of every feature"
    return Finding(grade(share_inside, 0, 0.01), share_inside, detail)


def check_target(problem: Problem, data: Partitions) -> Finding | None:
    """Check that no feature is a monotonic function of the target; value: largest absolute rank correlation with it.

    Such a feature reveals the target; it is allowed if the truth depends on this feature alone. The check also fails
    if the test rows have fewer than two different targets, which R2 requires.
    """
    X, y = pool_rows(data)
    if len(np.unique(data.test.y)) < 2:
        return Finding("fail", np.nan, "the test rows have fewer than two different targets")
    features = pd.DataFrame(X, columns=pd.Index(problem.features))
    correlations = features.corrwith(pd.Series(y), method="spearman").abs().fillna(0.0)
    nearest = problem.features[int(correlations.argmax())]
    detail = f"no feature is a function of the target; the nearest is {nearest}"
    functions = [
        name
        for name in problem.features
        if 1 - correlations[name] <= SAME_SHARE and {name} != list_truth_features(problem)
    ]
    if functions:
        detail = f"a function of the target: {', '.join(functions)}"
    return Finding("fail" if functions else "pass", float(correlations.max()), detail)


def check_columns(problem: Problem, data: Partitions) -> Finding | None:
    """Check that no feature is constant and no irrelevant one is linear in the relevant ones; value: number of such.

    A feature that repeats a relevant one cannot be distinguished from it, so using it would be no mistake. Surrogates
    are checked by `check_surrogates`.
    """
    columns = pd.DataFrame(pool_rows(data)[0], columns=pd.Index(problem.features))
    constant_names = [name for name in problem.features if np.ptp(columns[name]) == 0]
    linear_names = []
    for name in problem.irrelevant if problem.relevant else ():
        if name not in (*constant_names, *(problem.surrogates or ())):
            relevant = columns[list(problem.relevant or ())].to_numpy()
            column = columns[name].to_numpy()
            if 1 - r2_score(column, refit(relevant, column)) <= SAME_SHARE:
                linear_names.append(name)
    faults = {
        "constant": constant_names,
        "linear in the relevant features, though stated as irrelevant": linear_names,
    }
    count = len(constant_names) + len(linear_names)
    detail = join_names(faults) or "no feature is constant or repeats relevant ones"
    return Finding(grade(count, 0, 0 if problem.relevant else np.inf), count, detail)


def check_domain(problem: Problem, data: Partitions) -> Finding | None:
    """Check that the data are within the stated domain; value: number of features with values outside.

    Test rows of a problem that extrapolates to them are not checked.
    """
    if not problem.domain:
        return None
    X = pool_rows(data)[0]
    if problem.property == "extrapolation" and not data.extrapolation and data.train:
        X = data.train.X
    outside = []
    for name, (low, high) in problem.domain.items():
        column = X[:, problem.features.index(name)]
        tolerance = SAME_SHARE * (high - low)  # for rounding
        n_outside = int(np.sum((column < low - tolerance) | (column > high + tolerance)))
        if n_outside:
            outside.append(f"{name} (on {n_outside} of {len(column)} rows)")
    detail = f"all {len(X)} rows lie within it"
    if outside:
        detail = f"the data leave the stated domain: {', '.join(outside)}"
    return Finding(grade(len(outside), 0, 0), len(outside), detail)


CHECKS: dict[str, Callable[[Problem, Partitions], Finding | None]] = {
    "truth": check_truth,
    "noise": check_noise,
    "features": check_features,
    "surrogates": check_surrogates,
    "leakage": check_leakage,
    "extrapolation": check_extrapolation,
    "target": check_target,
    "columns": check_columns,
    "domain": check_domain,
}
