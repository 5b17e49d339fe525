"""How close a model comes to the truth, by degrees: for reports only, no ranking uses it."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from srlib.errors import SrlibError
from srlib.expressions.points import DEFAULT_RANGE, draw, values
from srlib.expressions.simplify import simplify
from srlib.expressions.tree import Expression, Item, subtree_sizes

POINTS = 1000
STEPS = 4_000_000  # pairs of nodes that are compared: some seconds
WORK = 200_000  # objects that sympy may construct for a truth


class Closeness(NamedTuple):
    """Two distances, each 0 where the model is the truth; lower is closer.

    `residual` is the root mean square of model - truth over the domain, in standard deviations of the truth
    (1: no better than its mean), NaN if the model is undefined on more than 1% of it. `tree` is the number of
    nodes to insert, remove or relabel between the simplified trees, per node of the truth's, at most 1.
    """

    residual: float
    tree: float


def distance(
    truth: Expression,
    model: Expression,
    domain: Mapping[str, tuple[float, float]],
) -> Closeness:
    """Measure how far a model is from the truth, in values and in form.

    The limits: the residual is that of evenly spread points, not of the data; an excellent approximation has
    next to none, and an offset or a scale, which solutions may have, counts in full. The trees are those that
    sympy's simplification happens to give, so that equal functions may be apart (``sin(x)**2``, ``1 -
    cos(x)**2``), and a wrong constant costs one node however wrong it is. Only `compare` says what is a
    solution.

    Parameters
    ----------
    truth : Expression
    model : Expression
        Simplified already.
    domain : mapping of str to (low, high)
        As in `compare`.

    References
    ----------
    Tree edit distance: Zhang and Shasha (1989); normalised by the truth: Matsubara et al. (2022), SRSD.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> far = distance(parse("x*y + 1"), parse("x*y + 2"), {"x": (0, 1), "y": (0, 1)})
    >>> round(far.tree, 2), round(far.residual)
    (0.2, 5)
    """
    ranges = {
        name: domain.get(name, DEFAULT_RANGE) for name in sorted(truth.features | model.features)
    }
    sample = draw(truth.tape, model.tape, ranges, POINTS, np.random.default_rng(0))
    residual = float("nan")
    if sample.skipped <= 0.01 * sample.count:
        t, m = (values(e.tape, sample.columns, sample.count) for e in (truth, model))
        with np.errstate(all="ignore"):
            residual = float(np.sqrt(np.mean((m - t) ** 2)) / np.std(t))
    return Closeness(residual, tree_apart(truth, model))


def tree_apart(truth: Expression, model: Expression) -> float:
    """Count the edits from a simplified model's tree to the truth's, simplified, per node of the latter, at most 1.

    1 where the trees are so large that counting would take longer than seconds. A truth whose simplifying takes
    too much work is taken as it stands.
    """
    a, b = _simplified(truth).tape, model.tape
    sizes = [(subtree_sizes(tape), key_roots(tape)) for tape in (a, b)]
    steps = math.prod(sum(counts[i] for i in roots) for counts, roots in sizes)
    if len(b) >= 2 * len(a) or steps > STEPS:
        return 1.0
    return min(1.0, edits(a, b) / len(a))


@lru_cache(maxsize=256)  # one truth meets many models
def _simplified(truth: Expression) -> Expression:
    try:
        return simplify(truth, work=WORK).expression
    except SrlibError:
        return truth


def edits(a: Sequence[Item], b: Sequence[Item]) -> int:
    """Fewest nodes to insert, remove or relabel between two ordered trees, given as postfix tapes.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> edits(parse("x + y*z").tape, parse("x + sin(y)").tape)
    2
    """
    first, second = leftmost_leaves(a), leftmost_leaves(b)
    trees = [[0] * len(b) for _ in a]
    for i, j in product(key_roots(a), key_roots(b)):
        p, q = first[i], second[j]
        forest = [[u + v for v in range(j - q + 2)] for u in range(i - p + 2)]
        for x, y in product(range(p, i + 1), range(q, j + 1)):
            u, v = x - p, y - q
            least = min(forest[u][v + 1], forest[u + 1][v]) + 1
            if first[x] == p and second[y] == q:
                trees[x][y] = least = min(least, forest[u][v] + (a[x] != b[y]))
            else:
                least = min(least, forest[first[x] - p][second[y] - q] + trees[x][y])
            forest[u + 1][v + 1] = least
    return trees[-1][-1]


def leftmost_leaves(tape: Sequence[Item]) -> list[int]:
    """Place of the leftmost leaf below each node."""
    return [i - size + 1 for i, size in enumerate(subtree_sizes(tape))]


def key_roots(tape: Sequence[Item]) -> list[int]:
    """Roots of the subtrees that are compared as wholes: the last node above each leftmost leaf."""
    return sorted({leaf: i for i, leaf in enumerate(leftmost_leaves(tape))}.values())
