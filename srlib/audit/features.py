"""Checks that the relevant features are those that the data need, and the surrogates what they should be."""

import numpy as np

from srlib.audit.columns import SAME
from srlib.audit.finding import Finding, chance, graded, pooled, refitted, truth_at
from srlib.audit.importance import structure
from srlib.expressions import Expression, evaluate, parse, r2_score
from srlib.expressions.operators import Operator
from srlib.expressions.tree import Item, subtree_sizes
from srlib.problems import Partitions, Problem

SHUFFLES = 20
NEEDED = 4.0  # standard deviations by which a feature's own values must beat shuffled ones
FOLLOWED = 0.02  # loss of R2 in a forest that counts


def needed_as_stated(problem: Problem, data: Partitions) -> list[Finding]:
    """Compare the features that the data need with those stated as relevant; value: how many differ.

    Needed by the truth: with the feature's column shuffled (20 times) the truth, its offset and scale refitted,
    fits the data worse, by over 4 standard deviations. Needed beside the truth, where it leaves more
    than the stated noise: a forest on what it leaves loses R2 when the feature is shuffled, and one on the target
    loses as much variance. Without a truth the forests tell alone.
    """
    if problem.relevant is None:
        return []
    X, y = pooled(data)
    rest = y - refitted(truth_at(problem, X), y)
    used = parse(problem.known_truth or "0", problem.features).features
    needed = {name for name in used if _gain(problem, X, y, name) > NEEDED}
    share = np.var(rest) / np.var(y)
    if share > problem.noise_level + chance(problem.noise_level, len(y)):
        lost = np.minimum(structure(X, rest).importance, structure(X, y).importance / share)
        needed |= {
            name for name, loss in zip(problem.features, lost, strict=True) if loss > FOLLOWED
        }
    idle = [name for name in problem.relevant if name not in needed]
    unstated = [
        name for name in problem.features if name in needed and name not in problem.relevant
    ]
    stories = {"stated, no sign of them": idle, "needed, not stated": unstated}
    detail = "; ".join(f"{story}: {', '.join(names)}" for story, names in stories.items() if names)
    wrong = len(idle) + len(unstated)
    detail = detail or f"the {len(needed)} that the data need are stated"
    return [Finding(problem.dataset, "features", graded(wrong, 0, 0), wrong, detail)]


def _gain(problem: Problem, X: np.ndarray, y: np.ndarray, name: str) -> float:
    """Count the standard deviations by which the truth fits better than with one feature shuffled."""
    random, column, points = np.random.default_rng(0), problem.features.index(name), X.copy()
    errors = []
    for _ in range(SHUFFLES + 1):
        errors.append(np.mean((y - refitted(truth_at(problem, points), y)) ** 2))
        points[:, column] = random.permutation(X[:, column])
    return float((np.mean(errors[1:]) - errors[0]) / max(np.std(errors[1:]), 1e-9 * np.var(y)))


def surrogates_tempt(problem: Problem, data: Partitions) -> list[Finding]:
    """Check that each surrogate follows the target and all together fall short of it; value: R2 of their linear fit.

    A surrogate that is a term of the truth, or a sum of its terms, does not tempt away from the truth.
    """
    if not problem.surrogates:
        return []
    X, y = pooled(data)
    S = X[:, [problem.features.index(name) for name in problem.surrogates]]
    follows = np.abs(np.corrcoef(S.T, y)[-1, :-1])
    weak = [
        name
        for name, r in zip(problem.surrogates, follows, strict=True)
        if not r > 4 / np.sqrt(len(y))
    ]
    reached = r2_score(y, refitted(S, y))
    terms = _terms_at(problem, X)
    exact = [
        name
        for name, column in zip(problem.surrogates, S.T, strict=True)
        if terms.shape[1] and 1 - r2_score(column, refitted(terms, column)) <= SAME
    ]
    verdict = "fail"
    if not (weak or exact):
        verdict = graded(reached - (1 - problem.noise_level), -0.01, -0.001)
    detail = f"correlations with the target {follows.min():.2f} to {follows.max():.2f}; together R2 {reached:.4f}"
    detail += f"; no temptation: {', '.join(weak)}" * bool(weak)
    detail += f"; equal to terms of the truth: {', '.join(exact)}" * bool(exact)
    return [Finding(problem.dataset, "surrogates", verdict, reached, detail)]


def _terms_at(problem: Problem, X: np.ndarray) -> np.ndarray:
    """Values of the terms of the truth's sum (rows x terms), those that are finite and no constant."""
    columns = dict(zip(problem.features, X.T, strict=True))
    tape = parse(problem.known_truth or "0", problem.features).tape
    parts = [evaluate(Expression(part), columns, len(X)) for part in summands(tape)]
    kept = [part for part in parts if np.isfinite(part).all() and np.ptp(part) > 0]
    if kept:
        return np.column_stack(kept)
    return np.empty((len(X), 0))


def summands(tape: tuple[Item, ...]) -> list[tuple[Item, ...]]:
    """Split a formula's tape at its outermost sums and differences; signs are left out.

    Examples
    --------
    >>> [Expression(part) for part in summands(parse("a*b - (2*c + 1)").tape)]
    [Expression(a*b), Expression(2*c), Expression(1)]
    """
    sizes, parts = subtree_sizes(tape), []
    waiting = [len(tape) - 1]
    while waiting:
        end = waiting.pop()
        item = tape[end]
        if isinstance(item, Operator) and item.name in ("add", "sub"):
            waiting += [end - 1, end - 1 - sizes[end - 1]]
        elif isinstance(item, Operator) and item.name == "neg":
            waiting.append(end - 1)
        else:
            parts.append(tape[end - sizes[end] + 1 : end + 1])
    return parts
