"""Points where a narrow difference would show: where a part of a function is largest, smallest, or changes its sign.

Random points miss what is narrower than the gaps between them, ``x + 1e9*exp(-1e6*(x - 3.14)**2)`` for ``x``. But
what is narrow in a function is wide in one of its parts: the spike stands where the exponent, a parabola, is
largest; a pole or a step where a denominator or an argument passes zero. These places are found by searching
from random points, for the arguments of all operators that are not linear and for the size of products. No such
search is a proof: it finds what can be reached by climbing from a random point.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srlib.expressions.expression import Item
from srlib.expressions.operators import Operator
from srlib.expressions.truth.parts import LINEAR, Parts
from srlib.expressions.truth.sampling import Ranges

MOST_PARTS = 400
LONGEST = 4000  # items of all tapes that are searched, together
STARTS = 3
SWEEPS = 14
FIRST_STEP, SHRINK = 0.1, 0.3  # of the range
PAIRS = 8
SECTIONS, DIVISIONS = 16, 12
LADDER = np.concatenate([[0.0], 10.0 ** -np.arange(2.0, 13.0), -(10.0 ** -np.arange(2.0, 13.0))])
CROSSES = 256
MOST_POINTS = 20_000


class UnsearchedError(Exception):
    """The functions have more parts than are searched."""


class Search:
    """The search on the parts of some tapes; of those that are equal at the first points only one is kept.

    `x` has shape (points, features), in units of the ranges: 0 is the lower end, 1 the upper.
    """

    def __init__(
        self,
        tapes: Sequence[Sequence[Item]],
        ranges: Ranges,
        x: np.ndarray,
        rng: np.random.Generator,
    ) -> None:
        self.program, self.names, self.rng = Parts(tapes), list(ranges), rng
        self.low = np.array([ranges[name][0] for name in self.names], dtype=float)
        self.width = np.array([ranges[name][1] for name in self.names], dtype=float) - self.low
        self.x = x
        everything = self.parts(x, range(len(self.program.found)))
        # NaN equals nothing, and 0 is -0
        undefined = np.any(np.isnan(everything), axis=1)
        first: dict[Any, int] = {}
        for i, row in enumerate(everything + 0.0):
            first.setdefault(i if undefined[i] else row.tobytes(), i)
        if len(first) > MOST_PARTS:
            raise UnsearchedError(f"{len(first)} parts, and at most {MOST_PARTS} are searched")
        self.chosen = np.array([*first.values()], dtype=int)
        self.seen = everything[self.chosen]

    def parts(self, x: np.ndarray, asked: Sequence[int]) -> np.ndarray:
        """Values, shape (parts, points)."""
        with np.errstate(all="ignore"):
            found = dict(self.program.at(self.low + x * self.width, self.names, asked))
        return np.array([found[i] for i in asked]).reshape(-1, len(x))

    def rows(self, which: np.ndarray) -> dict[int, np.ndarray]:
        """Return the points, by part, at which a part is asked for: `which` names the part of each point."""
        return {int(self.chosen[k]): np.flatnonzero(which == k) for k in np.unique(which)}

    def own(self, x: np.ndarray, rows: Mapping[int, np.ndarray]) -> np.ndarray:
        """Values, shape (points,): at each point those of its own part."""
        result = np.empty(len(x))
        with np.errstate(all="ignore"):
            at = self.low + x * self.width
            for i, part in self.program.at(at, self.names, [*rows]):
                result[rows[i]] = part[rows[i]]
        return result

    def alone(self) -> np.ndarray:
        """Return the feature that each part depends on alone, -1 where there are several."""
        few = self.x[:16]
        chosen = self.chosen.tolist()
        before = self.parts(few, chosen)
        feature = np.full(len(before), -1)
        for i in range(few.shape[1]):
            others = few[::-1].copy()
            others[:, i] = few[:, i]
            after = self.parts(others, chosen)
            feature[np.all((after == before) | (np.isnan(after) & np.isnan(before)), axis=1)] = i
        return feature

    def extremes(self) -> tuple[np.ndarray, np.ndarray]:
        """Points, shape (points, features), at which parts are largest or smallest nearby, and which parts."""
        signs = np.repeat([1.0, -1.0], len(self.seen))
        which = np.tile(np.arange(len(self.seen)), 2)
        climbed = _finite(signs[:, None] * self.seen[which])
        thirds = np.array_split(self.rng.permutation(len(self.x)), STARTS)
        starts = [third[np.argmax(climbed[:, third], axis=1)] for third in thirds]
        which, signs = np.tile(which, STARTS), np.tile(signs, STARTS)
        at = self.x[np.concatenate(starts)]
        best = _finite(signs * self.seen[which, np.concatenate(starts)])

        step = FIRST_STEP
        count = at.shape[1]
        rows = [self.rows(np.tile(which, times)) for times in (2 * count, count + 1)]
        axes = np.eye(count)[:, None, :]
        for _ in range(SWEEPS):
            sides = np.clip(np.concatenate([at - step * axes, at + step * axes]), 0.0, 1.0)
            beside = _finite(
                self.own(sides.reshape(-1, count), rows[0]).reshape(2 * count, -1) * signs
            )
            moves = _vertex(beside[:count], best, beside[count:], step)
            tops = np.concatenate([at + moves[:, :, None] * axes, (at + moves.T)[None]])
            tops = np.clip(tops, 0.0, 1.0)
            reached = _finite(
                self.own(tops.reshape(-1, count), rows[1]).reshape(count + 1, -1) * signs
            )
            trials = np.concatenate([at[None], tops, sides])
            heights = np.concatenate([best[None], reached, beside])
            highest = np.argmax(heights, axis=0)
            at = trials[highest, np.arange(len(at))]
            best = heights[highest, np.arange(len(at))]
            step *= SHRINK
        return at, which

    def crossings(self) -> tuple[np.ndarray, np.ndarray]:
        """Points on both sides of where parts change their sign, from the closest to a hundredth of the way.

        The closest, on which the others follow, stand first; the parts are theirs.
        """
        from_, to, which = [], [], []
        for part, seen in enumerate(self.seen):
            below, above = np.flatnonzero(seen < 0), np.flatnonzero(seen > 0)
            if len(below) and len(above):
                from_ += self.rng.choice(below, PAIRS).tolist()
                to += self.rng.choice(above, PAIRS).tolist()
                which += [part] * PAIRS
        if not which:
            return np.empty((0, len(self.names))), np.empty(0, dtype=int)
        a, way = self.x[from_], self.x[to] - self.x[from_]
        low, high = np.zeros(len(which)), np.ones(len(which))
        inner = np.arange(1, SECTIONS) / SECTIONS
        rows = self.rows(np.repeat(which, len(inner)))
        for _ in range(DIVISIONS):
            shares = low[:, None] + np.multiply.outer(high - low, inner)
            along = a[:, None, :] + shares[:, :, None] * way[:, None, :]
            is_above = ~(self.own(along.reshape(-1, a.shape[1]), rows).reshape(shares.shape) < 0)
            steps = np.where(np.any(is_above, axis=1), np.argmax(is_above, axis=1), len(inner))
            low, high = (
                low + steps * (high - low) / SECTIONS,
                low + (steps + 1) * (high - low) / SECTIONS,
            )
        share = np.clip(np.add.outer(LADDER, high).ravel(), 0.0, 1.0)
        rungs = np.tile(a, (len(LADDER), 1)) + share[:, None] * np.tile(way, (len(LADDER), 1))
        return np.concatenate([rungs, a + low[:, None] * way]), np.array(which)


def probes(
    tapes: Sequence[Sequence[Item]],
    ranges: Ranges,
    columns: dict[str, np.ndarray],
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Search for the points at which functions may be narrow.

    Parameters
    ----------
    tapes : sequence of tapes
        The functions.
    ranges : mapping of str to (low, high)
        The domain.
    columns : mapping of str to ndarray of shape (points,)
        Random points of it, from which the search starts.
    rng : Generator
        Chooses among them.

    Returns
    -------
    dict of str to ndarray
        Coordinates of the points found; none where the functions have no such parts.

    Raises
    ------
    UnsearchedError
        Where the functions are longer, or have more parts, than are searched.
    """
    names = list(ranges)
    tapes = [tape for tape in tapes if any(_bends(item) for item in tape)]
    if (length := sum(map(len, tapes))) > LONGEST:
        raise UnsearchedError(
            f"{length} operators, features and constants, and at most {LONGEST} are searched"
        )
    if not tapes:
        return {name: np.empty(0) for name in names}
    low = np.array([ranges[name][0] for name in names], dtype=float)
    width = np.array([ranges[name][1] for name in names], dtype=float) - low
    width_or_one = np.where(width > 0, width, 1.0)
    start = (np.column_stack([columns[name] for name in names]) - low) / width_or_one
    search = Search(tapes, ranges, start, rng)
    if not len(search.seen) or len(start) < STARTS:
        return {name: np.empty(0) for name in names}
    tops, top_of = search.extremes()
    crossings, crossing_of = search.crossings()
    # a part of one feature tells where that one has to be: the places of several are put together
    places = np.concatenate([tops, crossings[: len(crossing_of)]])
    feature = search.alone()[np.concatenate([top_of, crossing_of])]
    crossed = start[rng.integers(len(start), size=CROSSES)]
    for i in range(len(names)):
        if np.any(feature == i):
            crossed[:, i] = rng.choice(np.unique(places[feature == i, i]), CROSSES)
    found = _each_once(np.concatenate([tops, crossings, crossed]))
    if len(found) > MOST_POINTS:
        found = found[rng.choice(len(found), MOST_POINTS, replace=False)]
    at = low + np.clip(found, 0.0, 1.0) * width
    return {name: at[:, i] for i, name in enumerate(names)}


def _each_once(rows: np.ndarray) -> np.ndarray:
    """`np.unique` of rows, in a fraction of its time."""
    rows = rows[np.lexsort(rows.T[::-1])]
    return rows[np.append(True, np.any(rows[1:] != rows[:-1], axis=1))]


def _bends(item: Item) -> bool:
    """Whether a function with this operator may be narrow; sums, differences and products of features are not."""
    return isinstance(item, Operator) and item.arity > 0 and item.name not in LINEAR


def _finite(height: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(height), height, -np.inf)


def _vertex(left: np.ndarray, middle: np.ndarray, right: np.ndarray, step: float) -> np.ndarray:
    """Move to the top of the parabola through three heights, if it is not further than a few steps away."""
    with np.errstate(all="ignore"):
        bent = 2 * middle - left - right
        move = 0.5 * step * (right - left) / bent
    return np.where((bent > 0) & np.isfinite(move), np.clip(move, -8 * step, 8 * step), 0.0)
