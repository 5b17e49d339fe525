"""Points beside the places where a denominator or what is compared changes its sign: poles, and both sides of steps.

Random points miss a pole that is narrower than the gaps between them, ``x + 1e-12/(x - 2.5)`` for ``x``. It stands
where the denominator passes zero, which two points with values of both signs have between them.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.sampling import Ranges, values
from srlib.expressions.tree import Item

# the argument that may be zero in a denominator, by operator; squares and sizes do not change their sign themselves
DIVISORS = {"div": 1, "inv": 0, "pow": 0, "square": 0, "abs": 0, "sign": 0}
DIVISORS |= {"gplearn_div": 1, "gplearn_inv": 0, "gomea_div": 1, "deap_div": 1}
COMPARING = {"lt", "le", "gt", "ge", "eq", "ne", "max", "min"}
PAIRS = 8
HALVINGS = 48
LADDER = np.concatenate([[0.0], 10.0 ** -np.arange(2.0, 13.0), -(10.0 ** -np.arange(2.0, 13.0))])
MOST_POINTS = 20_000
LONGEST = 200  # items of a part that is looked at
TOGETHER = 20_000  # items of all parts, short ones first


def probes(
    tapes: Sequence[Sequence[Item]],
    ranges: Ranges,
    columns: dict[str, np.ndarray],
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Bisect for the places where functions may have poles or steps.

    Parameters
    ----------
    tapes : sequence of tapes
        The functions.
    ranges : mapping of str to (low, high)
        The domain.
    columns : mapping of str to ndarray of shape (points,)
        Random points of it, between which the places are.
    rng : Generator
        Chooses among them.

    Returns
    -------
    dict of str to ndarray
        Coordinates of points on both sides, from the closest to a hundredth of the way; none where nothing changes
        its sign.
    """
    names = list(ranges)
    x = np.column_stack([columns[name] for name in names])
    found = [np.empty((0, len(names)))]
    parts = dict.fromkeys(part for tape in tapes for part in _changing(tuple(tape)))
    ordered = sorted(parts, key=len)
    for part, together in zip(ordered, accumulate(map(len, ordered)), strict=True):
        if together > TOGETHER:
            break
        seen = values(part, columns, len(x))
        below, above = np.flatnonzero(seen < 0), np.flatnonzero(seen > 0)
        if len(below) and len(above):
            ends = x[rng.choice(below, PAIRS)], x[rng.choice(above, PAIRS)]
            found.append(_around(part, names, *ends))
    at = np.concatenate(found)
    if len(at) > MOST_POINTS:
        at = at[rng.choice(len(at), MOST_POINTS, replace=False)]
    return {name: at[:, i] for i, name in enumerate(names)}


def _changing(tape: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    """Yield the parts of a tape whose changes of sign are looked for."""
    starts: list[int] = []
    for i, item in enumerate(tape):
        if not isinstance(item, Operator):
            starts.append(i)
            continue
        ends = [*starts[len(starts) - item.arity :], i]
        del starts[len(starts) - item.arity :]
        starts.append(ends[0])
        if i - ends[0] > LONGEST:
            continue
        if item.name in DIVISORS:
            which = DIVISORS[item.name]
            yield tape[ends[which] : ends[which + 1]]
        if item.name in COMPARING:
            yield (*tape[ends[0] : i], OPERATORS["sub"])


def _around(
    part: tuple[Item, ...], names: Sequence[str], below: np.ndarray, above: np.ndarray
) -> np.ndarray:
    """Points, shape (points, features), about where a part changes its sign on the way between two."""
    way, low, high = above - below, np.zeros(PAIRS), np.ones(PAIRS)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        at = below + middle[:, None] * way
        rises = ~(values(part, {name: at[:, i] for i, name in enumerate(names)}, PAIRS) < 0)
        low, high = np.where(rises, low, middle), np.where(rises, middle, high)
    shares = np.concatenate([np.clip(np.add.outer(LADDER, high), 0.0, 1.0), low[None]])
    return (below + shares[:, :, None] * way).reshape(-1, len(names))
