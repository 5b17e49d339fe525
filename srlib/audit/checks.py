"""The checks of one dataset: each looks at one statement of a problem file; NaN, as of a constant target, fails."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.stats import chi2, ks_2samp, rankdata

from srlib.expressions import Expression, evaluate, parse, r2_score
from srlib.expressions.tree import Item, subtree_sizes
from srlib.problems import Partitions, Problem

Verdict = Literal["pass", "warn", "fail"]
Data = dict[str, dict[int, Partitions]]  # by dataset and data seed
EXACT = 1e-6  # share of the target's variance below which nothing is left to explain
SAME = 1e-9  # share of the variance below which one column is another, scaled and shifted
FILLED = 0.5  # share of a stated range that the data have to fill
SHUFFLES = 20
NEEDED = 4.0  # standard deviations by which a feature's own values must beat shuffled ones
FOLLOWED = 0.02  # loss of R2 in a forest that counts
FOREST_ROWS = 2000


class Finding(NamedTuple):
    """Result of a check.

    Attributes
    ----------
    verdict : {'pass', 'warn', 'fail'}
        warn: worth a look, or it could not be decided.
    value : float
        The number that the verdict depends on; the check's docstring says which.
    detail : str
        One line.
    """

    verdict: Verdict
    value: float
    detail: str


def grade(value: float, passes: float, warns: float) -> Verdict:
    """Grade a number that should be small; NaN fails.

    Examples
    --------
    >>> [grade(value, 0.1, 0.2) for value in (0.0, 0.15, float("nan"))]
    ['pass', 'warn', 'fail']
    """
    return "pass" if value <= passes else "warn" if value <= warns else "fail"


def pool(data: Partitions) -> tuple[np.ndarray, np.ndarray]:
    """Stack training and test rows: features (rows x features) and target (rows)."""
    parts = [part for part in (data.train, data.test) if part is not None]
    return np.vstack([part.X for part in parts]), np.concatenate([part.y for part in parts])


def evaluate_truth(problem: Problem, X: np.ndarray) -> np.ndarray:
    """Values of the stated truth at points (rows x features), shape (rows,); without a truth zeros."""
    columns = dict(zip(problem.features, X.T, strict=True))
    return evaluate(parse(problem.known_truth or "0", problem.features), columns, len(X))


def refit(columns: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Fit offset and scales of columns to the target by least squares; values that are not finite count as 0."""
    columns = np.where(np.isfinite(columns), columns, 0.0).reshape(len(y), -1)
    design = np.column_stack([np.ones(len(y)), columns])
    size = np.abs(design).max(axis=0)
    design = design / np.where(size > 0, size, 1.0)
    return design @ np.linalg.lstsq(design, y, rcond=None)[0]


def chance(level: float, rows: int) -> float:
    """How far R2 may lie below the ceiling 1 - level by chance: five standard deviations of the noise's share."""
    return EXACT + 5 * level * np.sqrt(2 / rows)


def fit_forest(X: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """Fit a seeded forest to half of at most 2000 rows and shuffle each feature on the other half.

    Returns
    -------
    float
        R2 on the other half; noise alone gives 0 or less.
    ndarray of shape (features,)
        Lower end (mean - 3 standard deviations) of the loss of R2 when a feature is shuffled.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> score, importance = fit_forest(X, X[:, 0])
    >>> score > 0.8, (importance > 0.05).tolist()
    (True, [True, False])
    """
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.inspection import permutation_importance

    rows = np.random.default_rng(0).permutation(len(target))[:FOREST_ROWS]
    fitted, held = rows[::2], rows[1::2]
    forest = RandomForestRegressor(50, min_samples_leaf=3, max_features=0.5, random_state=0)
    forest.fit(X[fitted], target[fitted])
    loss: Any = permutation_importance(forest, X[held], target[held], n_repeats=5, random_state=0)
    score = float(forest.score(X[held], target[held]))
    return score, loss.importances_mean - 3 * loss.importances_std


def check_truth(problem: Problem, data: Partitions) -> Finding | None:
    """Compare the truth's R2 on training and test rows with 1 - noise level; value: R2."""
    if problem.known_truth is None:
        return None
    X, y = pool(data)
    values, ceiling = evaluate_truth(problem, X), 1 - problem.noise_level
    r2, slack = r2_score(y, values), chance(problem.noise_level, len(y))
    verdict = grade(ceiling - r2, slack, slack + 0.01)
    detail = f"R2 {r2:.6g} where the noise ceiling is {ceiling:g}"
    if not np.isfinite(values).all():
        detail = f"the truth is not finite on {(~np.isfinite(values)).sum()} of {len(y)} rows"
    elif verdict != "pass":
        detail += f"; with offset and scale refitted {r2_score(y, refit(values, y)):.6g}"
    return Finding(verdict, r2, detail)


def check_noise(problem: Problem, data: Partitions) -> Finding | None:
    """Measure the noise on training and on test rows; value: the share of variance that is farthest off.

    Measured on what the truth leaves with offset and scale refitted, as a share of the variance of training and
    test rows together or of the training rows alone; where the test rows are drawn from elsewhere, of the latter
    only, which is what a method sees. Where the truth leaves more than the stated noise and a
    forest finds a pattern in it, the truth is wrong and the noise cannot be told.
    """
    X, y = pool(data)
    if problem.known_truth is None or not np.isfinite(values := evaluate_truth(problem, X)).all():
        return None
    fitted, level = refit(values, y), problem.noise_level
    trained = len(y) - len(data.test.y)
    shifted = data.train is not None and any(  # Kolmogorov and Smirnov's test
        float(ks_2samp(train, test).pvalue) < 1e-6  # type: ignore[attr-defined]
        for train, test in zip(data.train.X.T, data.test.X.T, strict=True)
    )
    scales = [fitted[:trained]] if shifted else [fitted, fitted[:trained]][: 1 + bool(trained)]
    errors = dict(zip(("train", "test"), np.split((y - fitted) ** 2, [trained]), strict=True))
    shares: dict[str, float] = {}
    wrong: dict[str, bool] = {}
    for scale in scales:
        signal = float(np.var(scale, ddof=1))
        for name, error in errors.items():
            if len(error):
                shares[name] = float(np.mean(error) / (np.mean(error) + signal))
                wrong[name] = differs(error, shares[name], level, signal)
        if not any(wrong.values()):
            break
    worst = max(shares, key=lambda name: (wrong[name], abs(shares[name] - level)))
    detail = ", ".join(  # a share that is rounding alone depends on the machine
        f"{share if share >= EXACT else 0:.3g} on {name} rows" for name, share in shares.items()
    )
    detail += f"; {level:g} is stated"
    if shifted:
        detail += ", of the training rows' variance, as the test rows are drawn from elsewhere"
    verdict = "fail" if wrong[worst] else "pass"
    if wrong[worst] and shares[worst] > level and fit_forest(X, y - fitted)[0] > 0.05:
        verdict, detail = "warn", f"cannot be told, as what the truth leaves is no noise: {detail}"
    return Finding(verdict, shares[worst], detail)


def differs(error: np.ndarray, share: float, level: float, signal: float) -> bool:
    """Whether squared errors are not those of normal noise of a level (two-sided, p < 1e-4, by over 10%)."""
    if level == 0 or share < EXACT:
        return abs(share - level) > EXACT
    below = float(chi2.cdf(error.sum() / (signal * level / (1 - level)), len(error)))
    return min(below, 1 - below) < 5e-5 and abs(share / level - 1) > 0.1


def check_features(problem: Problem, data: Partitions) -> Finding | None:
    """Compare the features that the data need with those stated as relevant; value: how many differ.

    Needed by the truth: with the feature's column shuffled (20 times) the truth, its offset and scale refitted,
    fits the data worse, by over 4 standard deviations. Needed beside the truth, where it leaves more
    than the stated noise: a forest on what it leaves loses R2 when the feature is shuffled, and one on the target
    loses as much variance. Without a truth the forests tell alone.
    """
    if problem.relevant is None:
        return None
    X, y = pool(data)
    residual = y - refit(evaluate_truth(problem, X), y)
    used = parse(problem.known_truth or "0", problem.features).features
    needed = {name for name in used if count_deviations(problem, X, y, name) > NEEDED}
    share = np.var(residual) / np.var(y)
    if share > problem.noise_level + chance(problem.noise_level, len(y)):
        loss = np.minimum(fit_forest(X, residual)[1], fit_forest(X, y)[1] / share)
        needed |= {problem.features[index] for index in np.flatnonzero(loss > FOLLOWED)}
    differing = {
        "stated, no sign of them": [name for name in problem.relevant if name not in needed],
        "needed, not stated": [n for n in problem.features if n in needed - {*problem.relevant}],
    }
    number = sum(map(len, differing.values()))
    detail = join_names(differing) or f"the {len(needed)} that the data need are stated"
    return Finding(grade(number, 0, 0), number, detail)


def count_deviations(problem: Problem, X: np.ndarray, y: np.ndarray, name: str) -> float:
    """Count the standard deviations by which the truth fits better than with one feature shuffled."""
    random, column, points = np.random.default_rng(0), problem.features.index(name), X.copy()
    errors = []
    for _ in range(SHUFFLES + 1):
        errors.append(np.mean((y - refit(evaluate_truth(problem, points), y)) ** 2))
        points[:, column] = random.permutation(X[:, column])
    return float((np.mean(errors[1:]) - errors[0]) / max(np.std(errors[1:]), 1e-9 * np.var(y)))


def join_names(groups: Mapping[str, list[str]]) -> str:
    """List names by what is wrong with them; without any an empty text."""
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in groups.items() if names)


def check_surrogates(problem: Problem, data: Partitions) -> Finding | None:
    """Check that each surrogate follows the target and all together fall short of it; value: R2 of their linear fit.

    A surrogate that is a term of the truth, or a sum of its terms, does not tempt away from the truth.
    """
    if not problem.surrogates:
        return None
    X, y = pool(data)
    S = X[:, [problem.features.index(name) for name in problem.surrogates]]
    correlations = np.abs(np.corrcoef(S.T, y)[-1, :-1])
    r2 = r2_score(y, refit(S, y))
    columns = dict(zip(problem.features, X.T, strict=True))
    tapes = split_sum(parse(problem.known_truth or "0", problem.features).tape)
    terms = np.column_stack([evaluate(Expression(tape), columns, len(X)) for tape in tapes])
    distances = [1 - r2_score(column, refit(terms, column)) for column in S.T]
    faults = {
        "no temptation": ~(correlations > 4 / np.sqrt(len(y))),
        "equal to terms of the truth": np.array(distances) <= SAME,
    }
    verdict = grade(r2 - (1 - problem.noise_level), -0.01, -0.001)
    if any(map(np.any, faults.values())):
        verdict = "fail"
    detail = f"correlations with the target {correlations.min():.2f} to {correlations.max():.2f}; "
    detail += f"together R2 {r2:.4f}"
    names = np.array(problem.surrogates)
    faulty = join_names({words: names[faulty].tolist() for words, faulty in faults.items()})
    return Finding(verdict, r2, f"{detail}; {faulty}" if faulty else detail)


def split_sum(tape: tuple[Item, ...]) -> list[tuple[Item, ...]]:
    """Split a formula's tape at its outermost sums and differences; signs are left out.

    Examples
    --------
    >>> [Expression(part) for part in split_sum(parse("a*b - (2*c + 1)").tape)]
    [Expression(a*b), Expression(2*c), Expression(1)]
    """
    name = getattr(tape[-1], "name", None)
    if name == "neg":
        return split_sum(tape[:-1])
    if name not in ("add", "sub"):
        return [tape]
    middle = len(tape) - 1 - subtree_sizes(tape)[-2]
    return split_sum(tape[:middle]) + split_sum(tape[middle:-1])


def check_leakage(problem: Problem, data: Partitions) -> Finding | None:
    """Find rows of the test or extrapolation partition that also train; value: their share, above 1 % it fails."""
    if data.train is None:
        return None
    parts = [part for part in (data.train, data.test, data.extrapolation) if part is not None]
    train, *tests = ([row.tobytes() for row in np.column_stack([p.X, p.y])] for p in parts)
    rows, trained = sum(tests, []), set(train)
    shared = sum(row in trained for row in rows)
    detail = f"none of the {len(rows)} test rows is a training row"
    if shared:
        detail = f"{shared} of {len(rows)} test rows are training rows"
    share = shared / len(rows)
    return Finding(grade(share, 0, 0.01), share, detail)


def check_extrapolation(problem: Problem, data: Partitions) -> Finding | None:
    """Check that extrapolation rows leave the training range; value: share inside the range of every feature.

    The features are the relevant ones, where they are stated. A problem of the property extrapolation without
    an extrapolation partition extrapolates to its test rows.
    """
    part = data.extrapolation or (data.test if problem.property == "extrapolation" else None)
    if part is None or data.train is None:
        return None
    columns = [problem.features.index(name) for name in problem.relevant or problem.features]
    train, rows = data.train.X[:, columns], part.X[:, columns]
    inside = float(np.all((rows >= train.min(axis=0)) & (rows <= train.max(axis=0)), axis=1).mean())
    detail = f"{inside:.1%} of {len(rows)} extrapolation rows lie within the training range of every feature"
    return Finding(grade(inside, 0, 0.01), inside, detail)


def check_target(problem: Problem, data: Partitions) -> Finding | None:
    """Find features that are functions of the target; value: the largest R2 of one feature alone.

    A copy of the target, scaled and shifted, fails, another monotonic function of it is named with a warning. Where
    the truth itself depends on such a feature alone, it is the task and no fault. R2 needs two different targets.
    """
    X, y = pool(data)
    if len(np.unique(data.test.y)) < 2:
        return Finding("fail", np.nan, "the test rows have fewer than two different targets")
    names, used = (
        np.array(problem.features),
        {*parse(problem.known_truth or "0", problem.features).features},
    )
    unrelated = np.array([{name} != used for name in problem.features])
    r2, monotonic = (
        np.nan_to_num(np.corrcoef(columns.T, target)[-1, :-1] ** 2)
        for columns, target in ((X, y), (rankdata(X, axis=0), rankdata(y)))
    )
    copies = unrelated & (1 - r2 <= SAME)
    functions = unrelated & (1 - monotonic <= SAME)
    best = int(np.argmax(r2))
    detail = f"no feature is the target, scaled and shifted; the nearest is {names[best]}, R2 {r2[best]:.4g}"
    verdict = "pass"
    if functions.any():
        verdict, detail = "warn", f"a function of the target: {', '.join(names[functions])}"
    if copies.any():
        copied = ", ".join(names[copies])
        verdict = "fail"
        detail = f"the target, scaled and shifted, is among the features: {copied}"
    return Finding(verdict, float(r2[best]), detail)


def check_columns(problem: Problem, data: Partitions) -> Finding | None:
    """Find constant features, and irrelevant ones that are linear in the relevant; value: how many.

    A feature that equals a relevant one cannot be told from it, so that using it is no mistake. Surrogates have a
    check of their own.
    """
    columns = dict(zip(problem.features, pool(data)[0].T, strict=True))
    constant = [name for name, column in columns.items() if np.ptp(column) == 0]
    irrelevant, linear = problem.irrelevant if problem.relevant else (), []
    for name in {*irrelevant} - {*constant, *(problem.surrogates or ())}:
        relevant = np.column_stack([columns[other] for other in problem.relevant or ()])
        if 1 - r2_score(columns[name], refit(relevant, columns[name])) <= SAME:
            linear.append(name)
    stories = {
        "constant": constant,
        "linear in the relevant features, though stated as irrelevant": sorted(linear),
    }
    detail = join_names(stories) or "no feature is constant"
    number = len(constant) + len(linear)
    if irrelevant and not number:
        detail += f", and none of the {len(irrelevant)} irrelevant ones is linear in the relevant"
    return Finding(grade(number, 0, 0 if problem.relevant else np.inf), number, detail)


def check_domain(problem: Problem, data: Partitions) -> Finding | None:
    """Check that the data lie in the stated domain and fill it; value: the smallest share of a range that is filled.

    Test rows that are there to extrapolate are not looked at.
    """
    if not problem.domain:
        return None
    X = pool(data)[0]
    if problem.property == "extrapolation" and not data.extrapolation and data.train:
        X = data.train.X
    outside, filled = [], {}
    for name, (low, high) in problem.domain.items():
        column = X[:, problem.features.index(name)]
        room = SAME * (high - low)
        if beyond := int(np.sum((column < low - room) | (column > high + room))):
            outside.append(f"{name} (on {beyond} of {len(column)} rows)")
        filled[name] = float(np.ptp(np.clip(column, low, high)) / (high - low))
    least = min(filled, key=lambda name: filled[name])
    detail = f"all {len(X)} rows lie within it; {least} fills {filled[least]:.0%} of its range, the least"
    if outside:
        detail = f"the data leave the stated domain: {', '.join(outside)}"
    return Finding("fail" if outside or filled[least] < FILLED else "pass", filled[least], detail)


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
