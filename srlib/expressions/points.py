"""Points of a domain: at random, at corners, and on both sides of poles and steps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srlib.expressions.evaluate import run_tape
from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.tree import Item

Ranges = Mapping[str, tuple[float, float]]
Columns = dict[str, np.ndarray]
DEFAULT_RANGE = (1.0, 5.0)
# how many points are tried per point that is needed, until there are enough
ROUNDS = (1, 4, 40)
NUDGE = 1e-6  # share of the way from a corner to a point inside
# Functions of an operator's arguments that pass zero at its poles and steps.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "inv gplearn_inv gplearn_log gomea_log square abs sign sqrtabs": np.positive,
    "div gplearn_div gomea_div deap_div": lambda a, b: b,
    "pow cond": lambda a, b: a,
    "lt le gt ge eq ne max min": np.subtract,
    "tan sec": np.cos,
    "cot csc": np.sin,
    "floor ceil gamma": lambda a: np.sin(np.pi * a),
    "round": lambda a: np.cos(np.pi * a),
    "mod": lambda a, b: np.sin(np.pi * a / b),
}
ZEROS = {
    name: Operator(f"zeros of {name}", OPERATORS[name].arity, function)
    for names, function in FUNCTIONS.items()
    for name in names.split()
}
PAIRS = 8  # places that are looked for, for each such argument
HALVINGS = 52
# distances from a place, in shares of the way between the two points
LADDER = np.concatenate([10.0 ** -np.arange(2.0, 13.0), -(10.0 ** -np.arange(2.0, 13.0))])
MOST_ITEMS = 20_000  # of all such arguments together; short ones come first


@dataclass(frozen=True)
class Sample:
    """Points at which truth and model are both finite.

    `columns` maps each feature to its (points,) coordinates and `count` is the number of points; `skipped` counts the
    points at which only the truth is finite, and `outside` is the first of these.
    """

    columns: Columns
    count: int
    skipped: int = 0
    outside: dict[str, float] | None = None


def draw(
    truth: Sequence[Item],
    model: Sequence[Item],
    ranges: Ranges,
    count: int,
    rng: np.random.Generator,
) -> Sample:
    """Draw points uniformly from the domain and keep those at which both are finite.

    Parameters
    ----------
    truth, model : sequence of Item
        Postfix tapes.
    ranges : mapping of str to (low, high)
        Range of every feature of either.
    count : int
        Number of points; fewer come back where the two are rarely defined together.
    rng : Generator
        Source of the points.
    """
    inside = undefined = np.empty((0, len(ranges)))
    for times in ROUNDS:
        x = draw_uniform(ranges, times * count, rng)
        columns = split_columns(ranges, x)
        in_truth, in_model = (np.isfinite(values(tape, columns, len(x))) for tape in (truth, model))
        undefined = np.concatenate([undefined, x[in_truth & ~in_model]])
        inside = np.concatenate([inside, x[in_truth & in_model]])[:count]
        if len(inside) >= count * 3 // 4:
            break
    outside = point(split_columns(ranges, undefined), 0) if len(undefined) else None
    return Sample(split_columns(ranges, inside), len(inside), len(undefined), outside)


def bounds(ranges: Ranges) -> np.ndarray:
    """Return the lowest and the highest coordinates of a domain, shape (2, features)."""
    return np.array(list(ranges.values()), dtype=float).reshape(-1, 2).T


def draw_uniform(ranges: Ranges, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draw points of a domain, shape (count, features)."""
    low, high = bounds(ranges)
    return low + (high - low) * rng.random((count, len(ranges)))


def draw_special(ranges: Ranges, count: int, rng: np.random.Generator) -> Columns:
    """Draw points beside corners of a domain and beside whole coordinates, `count` of each, a little inside."""
    low, high = bounds(ranges)
    inside = draw_uniform(ranges, 2 * count, rng)
    corners = np.where(rng.random((count, len(ranges))) < 0.5, low, high)
    exact = np.concatenate([corners, np.clip(np.round(inside[:count]), low, high)])
    return split_columns(ranges, exact + NUDGE * (inside - exact))


def draw_beside_steps(
    tapes: Sequence[Sequence[Item]], ranges: Ranges, columns: Columns, rng: np.random.Generator
) -> Columns:
    """Bisect for poles and steps, and return points on both sides of each.

    A pole can be narrower than the gaps between random points, as in ``x + 1e-12/(x - 2.5)``. It stands where a
    denominator passes zero, which lies between two points at which its signs differ.

    Parameters
    ----------
    tapes : sequence of tapes
        The functions.
    ranges : mapping of str to (low, high)
        The domain.
    columns : mapping of str to ndarray of shape (points,)
        Random points of it.
    rng : Generator
        Chooses among them.
    """
    x = np.column_stack([columns[name] for name in ranges])
    points = [np.empty((0, len(ranges)))]
    items = 0
    parts = dict.fromkeys(part for tape in tapes for part in list_zeros(tuple(tape)))
    for part in sorted(parts, key=len):  # no set, whose order would choose the points
        items += len(part)
        if items > MOST_ITEMS:
            break
        height = values(part, columns, len(x))
        below, above = np.flatnonzero(height < 0), np.flatnonzero(height > 0)
        if len(below) and len(above):
            ends = x[rng.choice(below, PAIRS)], x[rng.choice(above, PAIRS)]
            points.append(bisect_zero(part, ranges, *ends))
    return split_columns(ranges, np.concatenate(points))


def list_zeros(tape: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    """Yield tapes of what passes zero at the poles and steps of a tape."""
    starts: list[int] = []  # of the arguments on the stack
    for i, item in enumerate(tape):
        starts.append(i)
        if isinstance(item, Operator) and item.arity:
            del starts[-item.arity :]  # its own place and all starts but that of its first argument
            if item.name in ZEROS and i - starts[-1] < MOST_ITEMS:
                yield (*tape[starts[-1] : i], ZEROS[item.name])


def bisect_zero(
    part: tuple[Item, ...], ranges: Ranges, below: np.ndarray, above: np.ndarray
) -> np.ndarray:
    """Return points, shape (points, features), on both sides of where a tape passes zero on the way between two."""
    way = above - below
    low, high = np.zeros(PAIRS), np.ones(PAIRS)  # shares of the way
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        height = values(part, split_columns(ranges, below + middle[:, None] * way), PAIRS)
        low, high = np.where(height < 0, middle, low), np.where(height < 0, high, middle)
    shares = np.clip(np.add.outer(LADDER, high), 0.0, 1.0)
    return (below + shares[:, :, None] * way).reshape(-1, len(ranges))


def values(tape: Sequence[Item], columns: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    """Evaluate a tape at points, shape (count,), without warnings."""
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(run_tape(tape, columns), dtype=float), count)


def split_columns(ranges: Ranges, x: np.ndarray) -> Columns:
    """Return the columns of points of shape (points, features) by the features' names."""
    return {name: x[:, i] for i, name in enumerate(ranges)}


def point(columns: Mapping[str, np.ndarray], i: int) -> dict[str, float]:
    """Return the coordinates of one point, as plain numbers."""
    return {name: float(column[i]) for name, column in columns.items()}
