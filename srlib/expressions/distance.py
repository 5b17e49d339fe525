"""How far the tree of a model is from that of the truth."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from srlib.errors import SrlibError
from srlib.expressions.simplify import simplify
from srlib.expressions.tree import Expression, Item, subtree_sizes

STEPS = 4_000_000  # pairs of nodes that are compared: some seconds
WORK = 50_000  # objects that sympy may construct for a truth


def tree_apart(truth: Expression, model: Expression) -> float:
    """Distance of a model's tree from the truth's: 0 where they are equal, at most 1; lower is closer.

    The number of nodes to insert, remove or relabel between the two simplified trees, per node of the truth's. The
    trees are those that sympy's simplification happens to give, so that equal functions may be apart (``sin(x)**2``,
    ``1 - cos(x)**2``), and a wrong constant costs one node however wrong it is: only `compare` says what is a solution.

    Parameters
    ----------
    truth : Expression
        A truth whose simplifying takes too much work is taken as it stands.
    model : Expression
        Simplified already. A model so large that counting would take longer than seconds is at distance 1.

    References
    ----------
    Tree edit distance: Zhang and Shasha (1989); normalised by the truth: Matsubara et al. (2022), SRSD.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> round(tree_apart(parse("x*y + 1"), parse("x*y + 2")), 2)
    0.2
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
