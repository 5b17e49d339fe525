"""Checks of one dataset, each of one statement of a problem file; a value of NaN, as of a constant target, fails.

A check takes the problem and its rows and yields findings, none if it does not apply; the worst one counts. Rows of
different partitions are never pooled, as they may be drawn differently; noise is a share of the variance of the
training rows, and has the same variance on all others.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import chi2, ks_2samp

from srlib.expressions import Expression, evaluate, parse, r2_score
from srlib.expressions.tree import subtree_sizes
from srlib.problems import Partitions, Problem
from srlib.problems.leaks import share_found

Verdict = Literal["pass", "warn", "fail"]
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


class Rows(NamedTuple):
    """Rows of a partition, with what the problem file states about them.

    Attributes
    ----------
    X : DataFrame
        The features by their names.
    y : ndarray, shape (rows,)
        The target.
    truth : ndarray, shape (rows,)
        Values of the stated truth; 0 if none is stated.
    signal : float
        Variance of the target without its noise on the rows that methods train on.
    ceiling : float
        Largest R2 that the stated noise leaves to a model on these rows.
    """

    X: pd.DataFrame
    y: np.ndarray
    truth: np.ndarray
    signal: float
    ceiling: float


Parts = dict[
    str, Rows
]  # by the word that names them in details; the rows that methods train on are first
Check = Callable[[Problem, Parts], Iterator[Finding]]


def view_rows(problem: Problem, data: Partitions) -> Parts:
    """Return the rows of each partition; test rows count as extrapolation rows if the property needs these."""
    partitions = {"training": data.train, "test": data.test, "extrapolation": data.extrapolation}
    if problem.property == "extrapolation" and data.extrapolation is None:
        partitions["extrapolation"] = partitions.pop("test")
    parts, signal = Parts(), None
    for name, part in partitions.items():
        if part is not None:
            X = pd.DataFrame(part.X, columns=pd.Index(problem.features))
            truth = evaluate_table(parse_truth(problem), X)
            signal = float(np.var(refit(truth, part.y))) if signal is None else signal
            noise = signal * problem.noise_level / (1 - problem.noise_level)
            parts[name] = Rows(X, part.y, truth, signal, float(1 - noise / np.var(part.y)))
    return parts


def parse_truth(problem: Problem) -> Expression:
    """Return the stated truth; the constant 0 if none is stated."""
    return parse(problem.known_truth or "0", problem.features)


def evaluate_table(model: Expression, X: pd.DataFrame) -> np.ndarray:
    """Return the values of a model on a table of its features, shape (rows,)."""
    return evaluate(model, {name: X[name].to_numpy() for name in model.features}, len(X))


def refit(columns: np.ndarray | pd.DataFrame, y: np.ndarray) -> np.ndarray:
    """Return the least-squares fit of the target by the columns and an offset; infinite values and NaN count as 0."""
    columns = np.nan_to_num(np.asarray(columns).reshape(len(y), -1), posinf=0, neginf=0)
    columns /= np.abs(columns).max(axis=0).clip(np.finfo(float).tiny)
    design = np.column_stack([np.ones(len(y)), columns])
    return design @ np.linalg.lstsq(design, y, rcond=None)[0]


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


def list_names(
    groups: dict[str, list[str]], sound_detail: str, verdict: Verdict = "fail"
) -> Finding:
    """Return a finding with the verdict that lists the names of all groups, or passes if there are none."""
    count = sum(map(len, groups.values()))
    detail = "; ".join(f"{words}: {', '.join(names)}" for words, names in groups.items() if names)
    return Finding(verdict if count else "pass", count, detail or sound_detail)


def check_truth(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check on each partition that the truth's R2 is 1 minus the share of the noise there; value: R2."""
    for name, rows in parts.items() if problem.known_truth else ():
        r2, n_rows = r2_score(rows.y, rows.truth), len(rows.y)
        slack = (1 - rows.ceiling) * float(chi2.isf(CHANCE, n_rows) / n_rows - 1) + EXACT_SHARE
        detail = f"R2 {r2:.6g} on the {name} rows where the noise ceiling is {rows.ceiling:.6g}"
        if n_wrong := np.sum(~np.isfinite(rows.truth)):
            detail = f"the truth is not finite on {n_wrong} of {n_rows} {name} rows"
        yield Finding(grade(rows.ceiling - r2, slack, slack + 0.01), r2, detail)


def check_noise(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check the stated noise level on each partition against the residuals of the truth; value: their share.

    Offset and scale are refitted. The share refers to the variance of the training rows, which methods see, and may
    differ from the stated level by a tenth or by chance. A larger share is only a warning, because a wrong truth leaves
    residuals that are not noise.
    """
    level = problem.noise_level
    for name, rows in parts.items() if problem.known_truth else ():
        noise = np.mean((rows.y - refit(rows.truth, rows.y)) ** 2)
        share = float(noise / (noise + rows.signal))
        share = share if share >= EXACT_SHARE else 0.0  # rounding depends on the machine
        low, high = chi2.ppf([CHANCE, 1 - CHANCE], len(rows.y)) / len(rows.y) * level
        is_low = share < min(low, 0.9 * level) - EXACT_SHARE
        verdict = "fail" if is_low else grade(share, max(high, 1.1 * level) + EXACT_SHARE, np.inf)
        detail = f"{share:.3g} of the variance is noise on the {name} rows; {level:g} is stated"
        yield Finding(verdict, share, detail)


def check_features(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check that the stated relevant features are those that change the truth; value: number of differences.

    If the problem tests the property relevant_features, it fails without irrelevant features. Whether the data follow
    the truth is checked by `check_truth`.
    """
    if problem.property == "relevant_features" and not problem.irrelevant:
        yield Finding("fail", np.nan, "no feature is irrelevant: state the relevant ones")
    elif problem.relevant and problem.known_truth:
        truth, (rows, *_) = parse_truth(problem), parts.values()
        used = set[str]()
        for name in truth.features:
            moved = evaluate_table(truth, rows.X.assign(**{name: np.roll(rows.X[name], 1)}))
            if not np.mean((moved - rows.truth) ** 2) <= EXACT_SHARE**2 * np.var(rows.truth):
                used.add(name)
        differences = {
            "stated, not in the truth or without effect there": sorted({*problem.relevant} - used),
            "in the truth, not stated": sorted(used - {*problem.relevant}),
        }
        yield list_names(differences, f"the {len(used)} of the truth are stated")


def check_surrogates(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check on the largest partition that each surrogate tempts, and that none stands for a part of the truth.

    A surrogate fails that does not follow the target, is in the truth, or is nearly linear in parts of the truth, as it
    makes a simpler model that is as accurate beside the other parts. All together have to leave a part of the target
    unexplained, by the R2 of their joint fit; value: this R2, or the number of faulty surrogates.
    """
    if problem.surrogates:
        name, rows = max(parts.items(), key=lambda item: len(item[1].y))
        truth, surrogates = parse_truth(problem), rows.X[list(problem.surrogates)]
        ends = enumerate(subtree_sizes(truth.tape), start=1)
        subtrees = [Expression(truth.tape[end - size : end]) for end, size in ends]
        terms = np.column_stack([evaluate_table(subtree, rows.X) for subtree in subtrees])
        unexplained = surrogates.apply(lambda column: 1 - r2_score(column, refit(terms, column)))
        correlations = surrogates.corrwith(pd.Series(rows.y)).abs()
        faults = {
            "no temptation": [*surrogates.columns[~(correlations > 4 / np.sqrt(len(rows.y)))]],
            "in the truth": sorted(truth.features & {*problem.surrogates}),
            "as good as a part of the truth": [*surrogates.columns[unexplained <= SAME_R2]],
        }
        r2 = r2_score(rows.y, refit(surrogates, rows.y))
        detail = f"together R2 {r2:.4f} on the {name} rows"
        yield list_names(faults, detail)
        yield Finding(grade(r2 - (1 - problem.noise_level), -0.01, -0.001), r2, detail)
    elif problem.property == "local_optima":
        yield Finding("fail", np.nan, "the property local_optima needs surrogates: state them")


def check_leakage(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check that no test or extrapolation rows are training rows, up to rounding; value: share of such rows."""
    if "training" in parts:
        train, *tests = (np.column_stack([rows.X, rows.y]) for rows in parts.values())
        share = share_found(np.vstack(tests), train)
        detail = f"{share:.1%} of the rows that are not for training are training rows"
        yield Finding(grade(share, 0, 0.01), share, detail)


def check_extrapolation(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check that extrapolation rows are outside the training range; value: share inside the range of every feature.

    Only relevant features count, if they are stated.
    """
    if {"training", "extrapolation"} <= {*parts}:
        features = list(problem.relevant or problem.features)
        train, rows = (parts[name].X[features] for name in ("training", "extrapolation"))
        is_inside = (rows >= train.min()) & (rows <= train.max())
        share = float(is_inside.all(axis="columns").mean())
        detail = f"{share:.1%} of {len(rows)} extrapolation rows lie within the training range of every feature"
        yield Finding(grade(share, 0, 0.01), share, detail)


def check_target(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check on each partition that no feature alone reveals the target; value: number of features that do.

    A curve through one feature must not exceed the noise ceiling, nor reach it if the feature is not in the truth,
    unless the truth depends on this feature alone. A target that is constant fails, too, as R2 is not defined.
    """
    truth_features = parse_truth(problem).features
    for name, rows in parts.items():
        if np.ptp(rows.y) == 0:
            yield Finding("fail", np.nan, f"the {name} rows have fewer than two different targets")
            continue
        n_rows, revealing = len(rows.y), list[str]()
        chance = (1 - rows.ceiling) * (1 - chi2.ppf(CHANCE, n_rows) / n_rows)
        for feature, column in rows.X.items():
            rank = column.rank() / n_rows
            r2 = r2_score(rows.y, refit(pd.DataFrame([column, rank, rank**2, rank**3]).T, rows.y))
            limit = rows.ceiling + (chance if feature in truth_features else -SAME_R2)
            is_monotonic = abs(column.corr(pd.Series(rows.y), method="spearman")) >= 1 - 1e-9
            if {feature} != truth_features and (is_monotonic or r2 > limit):
                revealing.append(str(feature))
        words = f"reveal the target on the {name} rows"
        yield list_names({words: revealing}, "no feature alone reaches the noise ceiling")


def check_columns(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check that no feature is constant and no irrelevant one is linear in the relevant ones; value: number of such.

    A feature that repeats a relevant one cannot be distinguished from it, so using it would be no mistake. Surrogates
    are checked by `check_surrogates`. Without relevant features a constant one is a warning; so are, without a truth,
    which would show it, columns whose test rows are nowhere near the training rows.
    """
    rows, *_ = parts.values()
    is_constant = rows.X.max() == rows.X.min()
    constant, linear = [*is_constant.index[is_constant]], []
    for name in problem.irrelevant if problem.relevant else ():
        if name not in (*constant, *(problem.surrogates or ())):
            column = rows.X[name].to_numpy()
            fitted = refit(rows.X[list(problem.relevant or ())], column)
            if 1 - r2_score(column, fitted) <= SAME_R2:
                linear.append(name)
    faults = {
        "constant on the training rows": constant,
        "on the training rows linear in the relevant features, though stated as irrelevant": linear,
    }
    detail = "no feature is constant or repeats relevant ones"
    yield list_names(faults, detail, "fail" if problem.relevant else "warn")
    if not problem.known_truth and "test" in parts:
        before, after = (part.X.assign(**{"the target": part.y}) for part in (rows, parts["test"]))
        shifts = {"distributed otherwise on the test rows": find_shifts(before, after, SHIFT)}
        yield list_names(shifts, detail, "warn")


def find_shifts(before: pd.DataFrame, after: pd.DataFrame, least: float) -> list[str]:
    """Return the columns whose distribution functions differ by more than `least`, and more than by chance."""
    tests = {str(name): tuple(ks_2samp(before[name], after[name])) for name in before}
    return [name for name, (gap, p_value) in tests.items() if gap > least and p_value < CHANCE]


def check_domain(problem: Problem, parts: Parts) -> Iterator[Finding]:
    """Check that training and test rows are within the stated domain; value: number of features with values outside."""
    if problem.domain:
        low, high = pd.DataFrame(problem.domain).to_numpy()
        tolerance = EXACT_SHARE * (high - low)
        for name in sorted({"training", "test"} & {*parts}):
            X = parts[name].X[[*problem.domain]]
            is_outside = (X.lt(low - tolerance) | X.gt(high + tolerance)).any()
            faults = {f"the {name} rows leave the stated domain": [*X.columns[is_outside]]}
            yield list_names(faults, "training and test rows lie within it")


def check_reference(
    problem: Problem, parts: Parts, reference: Problem, reference_parts: Parts
) -> Iterator[Finding]:
    """Check that a noise reference has the same truth, and rows drawn in the same way; value: number of differences."""
    if problem.features != reference.features:
        yield Finding("fail", 1, f"{reference} has other features")
        return
    for name, rows in parts.items():
        gap = rows.truth - evaluate_table(parse_truth(reference), rows.X)
        is_other = np.ptp(gap) > EXACT_SHARE * np.ptp(rows.truth)
        faults = {"another truth on the rows": [name] if is_other else []}
        counterpart = reference_parts.get(name)
        if counterpart and len(counterpart.y) == len(rows.y):
            shifted = find_shifts(rows.X, counterpart.X, 0.0)
            faults[f"drawn otherwise on the {name} rows"] = shifted
        else:
            faults["another number of rows"] = [name]
        detail = f"{reference} has the same truth, and rows drawn in the same way"
        yield list_names(faults, detail)


CHECKS: dict[str, Check] = {
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
