"""Checks of one dataset, each of one statement of a problem file; a value of NaN, as of a constant target, fails.

Each check returns None if it does not apply. Rows of different partitions are never pooled, as they may be drawn
differently; noise is a share of the variance of the training rows, and has the same variance on all others.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import chi2, ks_2samp

from srlib.expressions import Expression, evaluate, parse, r2_score
from srlib.expressions.tree import subtree_sizes
from srlib.problems import Partition, Partitions, Problem
from srlib.problems.leaks import share_found

Verdict = Literal["pass", "warn", "fail"]
SEVERITY = ("fail", "warn", "pass")
EXACT_SHARE = 1e-6  # share of the target's variance that counts as rounding
SAME_R2 = 0.0005  # difference of R2 that three decimals do not show: a column repeats others, or tells the target
CHANCE = 1e-7  # probability of a deviation that is taken for a fault
SHIFT = 0.3  # difference of two distribution functions that is taken for another column or unit


class Finding(NamedTuple):
    """Result of a check.

    Attributes
    ----------
    verdict : {'pass', 'warn', 'fail'}
        'warn' means that the statement should be looked at, or could not be checked.
    value : float
        Number on which the verdict depends, as defined by the check's docstring.
    detail : str
        One line about the finding, which names the rows that it is about.
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


def name_parts(data: Partitions) -> dict[str, Partition]:
    """Return the partitions that there are, by the words that name their rows."""
    parts = {"training": data.train, "test": data.test, "extrapolation": data.extrapolation}
    return {name: part for name, part in parts.items() if part is not None}


def table_of(problem: Problem, part: Partition) -> pd.DataFrame:
    """Return the features of a partition as a table with their names."""
    return pd.DataFrame(part.X, columns=pd.Index(problem.features))


def evaluate_text(problem: Problem, model: Expression, X: np.ndarray) -> np.ndarray:
    """Return the values of a model at points X (rows x features), shape (rows,)."""
    return evaluate(model, dict(zip(problem.features, X.T, strict=True)), len(X))


def parse_truth(problem: Problem) -> Expression:
    """Return the stated truth; the constant 0 if none is stated."""
    return parse(problem.known_truth or "0", problem.features)


def refit(columns: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the least-squares fit of the target by the columns and an offset; infinite values and NaN count as 0."""
    columns = np.where(np.isfinite(columns), columns, 0.0).reshape(len(y), -1)
    design = np.column_stack([np.ones(len(y)), columns])
    size = np.abs(design).max(axis=0)
    design = design / np.where(size > 0, size, 1.0)
    return design @ np.linalg.lstsq(design, y, rcond=None)[0]


def noise_variance(problem: Problem, data: Partitions) -> tuple[float, float]:
    """Return the variance of the signal on the rows that methods train on, and of the stated noise on all rows."""
    part = data.train or data.test
    fitted = refit(evaluate_text(problem, parse_truth(problem), part.X), part.y)
    signal, level = float(np.var(fitted)), problem.noise_level
    return signal, signal * level / (1 - level)


def check_truth(problem: Problem, data: Partitions) -> Finding | None:
    """Check on each partition that the truth's R2 is 1 minus the share of the noise there; value: R2."""
    if problem.known_truth is None:
        return None
    _, noise = noise_variance(problem, data)
    findings = []
    for name, part in name_parts(data).items():
        values = evaluate_text(problem, parse_truth(problem), part.X)
        share, n_rows = noise / np.var(part.y), len(part.y)
        r2 = r2_score(part.y, values)
        slack = EXACT_SHARE + share * (chi2.isf(CHANCE, n_rows) / n_rows - 1)
        verdict = grade(float(1 - share - r2), float(slack), float(slack) + 0.01)
        detail = f"R2 {r2:.6g} on the {name} rows where the noise ceiling is {1 - share:.6g}"
        if not np.isfinite(values).all():
            detail = (
                f"the truth is not finite on {(~np.isfinite(values)).sum()} of {n_rows} {name} rows"
            )
        elif verdict != "pass":
            detail += (
                f"; with offset and scale refitted {r2_score(part.y, refit(values, part.y)):.6g}"
            )
        findings.append(Finding(verdict, r2, detail))
    return take_worst(findings)


def check_noise(problem: Problem, data: Partitions) -> Finding | None:
    """Check the stated noise level on each partition against the residuals of the truth; value: their share.

    Offset and scale are refitted. The share refers to the variance of the training rows, which methods see, and may
    differ from the stated level by a tenth or by chance. A larger share is only a warning, because a wrong truth leaves
    residuals that are not noise.
    """
    if problem.known_truth is None:
        return None
    signal, _ = noise_variance(problem, data)
    level, findings = problem.noise_level, []
    for name, part in name_parts(data).items():
        values = evaluate_text(problem, parse_truth(problem), part.X)
        if not np.isfinite(values).all():  # `check_truth` reports it
            continue
        noise = np.mean((part.y - refit(values, part.y)) ** 2)
        share, n_rows = float(noise / (noise + signal)), len(part.y)
        low, high = chi2.ppf([CHANCE, 1 - CHANCE], n_rows) / n_rows * level
        verdict = grade(share, max(high, 1.1 * level) + EXACT_SHARE, np.inf)
        if share < min(low, 0.9 * level) - EXACT_SHARE:
            verdict = "fail"
        # a share from rounding alone depends on the machine
        detail = f"{share if share >= EXACT_SHARE else 0:.3g} of the variance is noise on the {name} rows"
        findings.append(Finding(verdict, share, f"{detail}; {level:g} is stated"))
    return take_worst(findings) if findings else None


def check_features(problem: Problem, data: Partitions) -> Finding | None:
    """Check that the stated relevant features are those that change the truth; value: number of differences.

    If the problem tests the property relevant_features, it fails without irrelevant features. Whether the data follow
    the truth is checked by `check_truth`.
    """
    if problem.property == "relevant_features" and not problem.irrelevant:
        return Finding("fail", np.nan, "no feature is irrelevant: state the relevant ones")
    if problem.relevant is None or problem.known_truth is None:
        return None
    truth, X = parse_truth(problem), (data.train or data.test).X
    values, used = evaluate_text(problem, truth, X), set[str]()
    for name in truth.features:
        column = problem.features.index(name)
        changed = X.copy()
        changed[:, column] = np.roll(X[:, column], 1)
        moved = evaluate_text(problem, truth, changed)
        if not np.mean((moved - values) ** 2) <= EXACT_SHARE**2 * np.var(values):
            used.add(name)
    relevant = {*problem.relevant}
    differences = {
        "stated, not in the truth or without effect there": sorted(relevant - used),
        "in the truth, not stated": sorted(used - relevant),
    }
    count = len(relevant ^ used)
    detail = join_names(differences) or f"the {len(used)} of the truth are stated"
    return Finding(grade(count, 0, 0), count, detail)


def join_names(groups: Mapping[str, list[str]]) -> str:
    """Join groups as 'problem: name, name; ...'; return an empty text if all groups are empty."""
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in groups.items() if names)


def check_surrogates(problem: Problem, data: Partitions) -> Finding | None:
    """Check on the largest partition that each surrogate tempts, and that none stands for a part of the truth.

    A surrogate fails that does not follow the target, is in the truth, or is nearly linear in parts of the truth, as it
    makes a simpler model that is as accurate beside the other parts. All together have to leave a part of the target
    unexplained; the value is the R2 of their joint fit.
    """
    if not problem.surrogates:
        missing = "the property local_optima needs surrogates, and none are stated"
        return Finding("fail", np.nan, missing) if problem.property == "local_optima" else None
    rows, part = max(name_parts(data).items(), key=lambda item: len(item[1].y))
    y, truth = part.y, parse_truth(problem)
    surrogates = table_of(problem, part)[list(problem.surrogates)]
    correlations = surrogates.corrwith(pd.Series(y)).abs()
    r2 = r2_score(y, refit(surrogates.to_numpy(), y))
    ends = enumerate(subtree_sizes(truth.tape), start=1)
    tapes = [truth.tape[end - size : end] for end, size in ends]
    parts = np.column_stack([evaluate_text(problem, Expression(t), part.X) for t in tapes])
    unexplained = surrogates.apply(lambda column: 1 - r2_score(column, refit(parts, column)))
    faults = {
        "no temptation": [*surrogates.columns[~(correlations > 4 / np.sqrt(len(y)))]],
        "in the truth": sorted(truth.features & {*problem.surrogates}),
        "as good as a part of the truth": [*surrogates.columns[unexplained <= SAME_R2]],
    }
    verdict = grade(r2 - (1 - problem.noise_level), -0.01, -0.001)
    detail = f"on the {rows} rows, correlations with the target {correlations.min():.2f} to {correlations.max():.2f}"
    detail += f"; together R2 {r2:.4f}"
    if fault_text := join_names(faults):
        verdict, detail = "fail", f"{detail}; {fault_text}"
    return Finding(verdict, r2, detail)


def check_leakage(problem: Problem, data: Partitions) -> Finding | None:
    """Check that no test or extrapolation rows are training rows, up to rounding; value: share of such rows."""
    if data.train is None:
        return None
    train, *tests = (np.column_stack([part.X, part.y]) for part in name_parts(data).values())
    share = share_found(np.vstack(tests), train)
    detail = f"{share:.1%} of the rows that are not for training are training rows"
    return Finding(grade(share, 0, 0.01), share, detail)


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
    """Check that no feature alone reveals the target; value: largest R2 of a curve through one feature.

    No feature may exceed the noise ceiling, and none that is not in the truth may reach it, unless the truth depends on
    this feature alone. The check also fails if the test rows have fewer than two different targets, which R2 requires.
    """
    if len(np.unique(data.test.y)) < 2:
        return Finding("fail", np.nan, "the test rows have fewer than two different targets")
    truth_features, noise = parse_truth(problem).features, noise_variance(problem, data)[1]
    best, faults = 0.0, dict[str, list[str]]()
    for rows, part in name_parts(data).items():
        share, n_rows = noise / np.var(part.y), len(part.y)
        chance = share * (1 - chi2.ppf(CHANCE, n_rows) / n_rows)
        for name, column in table_of(problem, part).items():
            rank = column.rank() / n_rows
            curve = refit(np.column_stack([column, rank, rank**2, rank**3]), part.y)
            best = max(best, r2 := r2_score(part.y, curve))
            limit = 1 - share + (chance if name in truth_features else -SAME_R2)
            is_monotonic = abs(column.corr(pd.Series(part.y), method="spearman")) >= 1 - 1e-9
            if {name} != truth_features and (is_monotonic or r2 > limit):
                faults.setdefault(f"reveal the target on the {rows} rows", []).append(str(name))
    detail = join_names(faults) or "no feature alone reaches the noise ceiling"
    return Finding("fail" if faults else "pass", best, detail)


def check_columns(problem: Problem, data: Partitions) -> Finding | None:
    """Check that no feature is constant and no irrelevant one is linear in the relevant ones; value: number of such.

    A feature that repeats a relevant one cannot be distinguished from it, so using it would be no mistake. Surrogates
    are checked by `check_surrogates`. Without a truth, which would show it, columns whose test rows are nowhere near
    the training rows are a warning.
    """
    part = data.train or data.test
    columns = table_of(problem, part)
    constant_names = [name for name in problem.features if np.ptp(columns[name]) == 0]
    linear_names = []
    for name in problem.irrelevant if problem.relevant else ():
        if name not in (*constant_names, *(problem.surrogates or ())):
            relevant = columns[list(problem.relevant or ())].to_numpy()
            column = columns[name].to_numpy()
            if 1 - r2_score(column, refit(relevant, column)) <= SAME_R2:
                linear_names.append(name)
    faults = {
        "constant on the training rows": constant_names,
        "on the training rows linear in the relevant features, though stated as irrelevant": linear_names,
    }
    count = len(constant_names) + len(linear_names)
    verdict = grade(count, 0, 0 if problem.relevant else np.inf)
    if problem.known_truth is None and problem.property != "extrapolation":
        after = table_of(problem, data.test).assign(**{"the target": data.test.y})
        shifted = find_shifts(columns.assign(**{"the target": part.y}), after, SHIFT)
        faults["distributed otherwise on the test rows"] = shifted
        verdict = "warn" if shifted and verdict == "pass" else verdict
    detail = join_names(faults) or "no feature is constant or repeats relevant ones"
    return Finding(verdict, count, detail)


def find_shifts(before: pd.DataFrame, after: pd.DataFrame, least: float) -> list[str]:
    """Return the columns whose distribution functions differ by more than `least`, and more than by chance."""
    tests = {str(name): tuple(ks_2samp(before[name], after[name])) for name in before}
    return [name for name, (gap, p_value) in tests.items() if gap > least and p_value < CHANCE]


def check_domain(problem: Problem, data: Partitions) -> Finding | None:
    """Check that training and test rows are within the stated domain; value: number of features with values outside.

    Test rows of a problem that extrapolates to them are not checked.
    """
    if not problem.domain:
        return None
    parts = name_parts(data)
    parts.pop("extrapolation", None)
    if problem.property == "extrapolation" and not data.extrapolation and data.train:
        del parts["test"]
    outside = []
    for name, (low, high) in problem.domain.items():
        tolerance = EXACT_SHARE * (high - low)  # for rounding
        for rows, part in parts.items():
            column = part.X[:, problem.features.index(name)]
            n_outside = int(np.sum((column < low - tolerance) | (column > high + tolerance)))
            if n_outside:
                outside.append(f"{name} (on {n_outside} of {len(column)} {rows} rows)")
    detail = f"all {' and '.join(parts)} rows lie within it"
    if outside:
        detail = f"the data leave the stated domain: {', '.join(outside)}"
    return Finding(grade(len(outside), 0, 0), len(outside), detail)


def check_reference(
    problem: Problem, data: Partitions, reference: Problem, other: Partitions
) -> Finding:
    """Check that a noise reference has the same truth, and rows drawn in the same way; value: differences."""
    if problem.features != reference.features:
        return Finding("fail", 1, f"{reference} has other features")
    faults = []
    for rows, part in name_parts(data).items():
        truths = [evaluate_text(p, parse_truth(p), part.X) for p in (problem, reference)]
        if np.ptp(truths[0] - truths[1]) > EXACT_SHARE * np.ptp(truths[0]):
            faults.append(f"another truth, as on the {rows} rows")
        counterpart = name_parts(other).get(rows)
        if counterpart is None or len(counterpart.y) != len(part.y):
            faults.append(f"another number of {rows} rows")
        elif shifts := find_shifts(table_of(problem, part), table_of(problem, counterpart), 0.0):
            faults.append(f"{rows} rows drawn otherwise: {', '.join(shifts)}")
    detail = (
        f"{reference} has {'; '.join(faults) or 'the same truth, and rows drawn in the same way'}"
    )
    return Finding(grade(len(faults), 0, 0), len(faults), detail)


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
