"""Checks that the stated truth reaches the noise ceiling, and that there is as much noise as stated."""

import numpy as np
from scipy.stats import chi2, ks_2samp

from srlib.audit.finding import EXACT, Finding, chance, graded, pooled, refitted, truth_at
from srlib.audit.importance import structure
from srlib.expressions import r2_score
from srlib.problems import Partitions, Problem


def reaches_ceiling(problem: Problem, data: Partitions) -> list[Finding]:
    """Compare the truth's R2 on training and test rows with 1 - noise level; value: R2."""
    if problem.known_truth is None:
        return []
    X, y = pooled(data)
    values = truth_at(problem, X)
    reached, ceiling, slack = (
        r2_score(y, values),
        1 - problem.noise_level,
        chance(problem.noise_level, len(y)),
    )
    verdict = graded(ceiling - reached, slack, slack + 0.01)
    detail = f"R2 {reached:.6g} where the noise ceiling is {ceiling:g}"
    if not np.isfinite(values).all():
        detail = f"the truth is not finite on {(~np.isfinite(values)).sum()} of {len(y)} rows"
    elif verdict != "pass":
        detail += f"; with offset and scale refitted {r2_score(y, refitted(values, y)):.6g}"
    return [Finding(problem.dataset, "truth", verdict, reached, detail)]


def noise_as_stated(problem: Problem, data: Partitions) -> list[Finding]:
    """Measure the noise on training and on test rows apart; value: the share of variance that is farthest off.

    Measured on what the truth leaves with offset and scale refitted, as a share of the variance of training and
    test rows together or of the training rows alone; where the test rows are drawn from elsewhere, of the latter
    only, which is what a method sees. Where the truth leaves more than the stated noise and a
    forest finds a pattern in it, the truth is wrong and the noise cannot be told.
    """
    X, y = pooled(data)
    if problem.known_truth is None or not np.isfinite(values := truth_at(problem, X)).all():
        return []
    fitted, stated = refitted(values, y), problem.noise_level
    trained = len(y) - len(data.test.y)
    apart = _drawn_apart(data)
    scales = [fitted[:trained]] if apart else [fitted] + [fitted[:trained]] * bool(trained)
    errors = np.split((y - fitted) ** 2, [trained])
    parts = {name: part for name, part in zip(("train", "test"), errors, strict=True) if len(part)}
    shares: dict[str, float] = {}
    wrong: dict[str, bool] = {}
    for values in scales:
        signal = float(np.var(values, ddof=1))
        shares = {n: float(np.mean(part) / (np.mean(part) + signal)) for n, part in parts.items()}
        wrong = {n: _differs(parts[n], share, stated, signal) for n, share in shares.items()}
        if not any(wrong.values()):
            break
    worst = max(shares, key=lambda name: (wrong[name], abs(shares[name] - stated)))
    detail = (
        ", ".join(f"{share:.3g} on {name} rows" for name, share in shares.items())
        + f"; {stated:g} is stated"
        + ", of the training rows' variance, as the test rows are drawn from elsewhere" * apart
    )
    verdict = "fail" if wrong[worst] else "pass"
    if wrong[worst] and shares[worst] > stated and structure(X, y - fitted).score > 0.05:
        verdict, detail = "warn", f"cannot be told, as what the truth leaves is no noise: {detail}"
    return [Finding(problem.dataset, "noise", verdict, shares[worst], detail)]


def _drawn_apart(data: Partitions) -> bool:
    """Whether some feature's test rows are not drawn as its training rows are (Kolmogorov-Smirnov, p < 1e-6)."""
    if data.train is None:
        return False
    pairs = zip(data.train.X.T, data.test.X.T, strict=True)
    return any(float(ks_2samp(train, test).pvalue) < 1e-6 for train, test in pairs)  # type: ignore[attr-defined]


def _differs(error: np.ndarray, share: float, stated: float, signal: float) -> bool:
    """Whether squared errors are not those of normal noise of the stated share (two-sided, p < 1e-4, by over 10%)."""
    if stated == 0 or share < EXACT:
        return abs(share - stated) > EXACT
    below = float(chi2.cdf(error.sum() / (signal * stated / (1 - stated)), len(error)))
    return min(below, 1 - below) < 5e-5 and abs(share / stated - 1) > 0.1
