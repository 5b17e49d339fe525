"""Points of a domain: random points, points near corners, and points on both sides of poles and steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from srlib.expressions.operators import OPERATORS, Function, Item, Operator, Tape
from srlib.expressions.tree import Array, Columns, run_tape, subtree_sizes

Ranges = dict[str, tuple[float, float]]
Point = dict[str, float]  # coordinates by feature
DEFAULT_RANGE = (1.0, 5.0)
# points drawn per required point in each round; rounds end when there are enough
ROUND_SIZES = (1, 4, 40)
NUDGE_SHARE = 1e-6  # share of the way from a corner to a point inside
# Functions of an operator's arguments that change sign at its poles and steps.
ZERO_FUNCTIONS: dict[str, Function] = {
    "inv gplearn_inv gplearn_log gomea_log square abs sign sqrtabs": np.positive,
    "div gplearn_div gomea_div deap_div": lambda a, b: b,
    "pow cond heaviside": lambda a, b: a,
    "lt le gt ge eq ne max min": np.subtract,
    "tan sec": np.cos,
    "cot csc": np.sin,
    "floor ceil gamma trunc": lambda a: np.sin(np.pi * a),
    "round": lambda a: np.cos(np.pi * a),
    "mod fmod": lambda a, b: np.sin(np.pi * a / b),
}
ZERO_OPERATORS: dict[Item, Operator] = {
    OPERATORS[name]: Operator(f"zeros of {name}", OPERATORS[name].arity, function)
    for names, function in ZERO_FUNCTIONS.items()
    for name in names.split()
}
N_PAIRS = 8  # pairs of points that are bisected for each such function
N_HALVINGS = 52
# distances from the zero, as shares of the way between the two points
DISTANCES = np.outer([1.0, -1.0], 10.0 ** -np.arange(2.0, 13.0)).ravel()
MOST_ITEMS = 20_000  # limit of the total length of these functions; short ones come first


@dataclass(frozen=True)
class Sample:
    """Points at which truth and model are both finite.

    `columns` maps each feature to its coordinates, shape (count,). `skipped` is the number of drawn points at which
    only the truth is finite, and `outside` is the first of these.
    """

    columns: Columns
    count: int
    skipped: int = 0
    outside: Point | None = None


def draw_points(
    truth: Tape,
    model: Tape,
    ranges: Ranges,
    count: int,
    rng: np.random.Generator,
) -> Sample:
    """Return points drawn uniformly from the domain at which both functions are finite.

    Parameters
    ----------
    truth, model : sequence of Item
        Postfix tapes.
    ranges : mapping of str to (low, high)
        Range of every feature of truth and model.
    count : int
        Number of points; fewer are returned if both functions are rarely defined at the same point.
    rng : Generator
        Generator of the points.
    """
    inside = undefined = np.empty((0, len(ranges)))
    for factor in ROUND_SIZES:
        points = draw_uniform(ranges, factor * count, rng)
        columns = split_columns(ranges, points)
        in_truth, in_model = (
            np.isfinite(evaluate_at(tape, columns, len(points))) for tape in (truth, model)
        )
        undefined = np.concatenate([undefined, points[in_truth & ~in_model]])
        inside = np.concatenate([inside, points[in_truth & in_model]])[:count]
        if len(inside) >= count * 3 // 4:
            break
    outside = point_at(split_columns(ranges, undefined), 0) if len(undefined) else None
    return Sample(split_columns(ranges, inside), len(inside), len(undefined), outside)


def bounds(ranges: Ranges) -> Array:
    """Return the lowest and the highest coordinates of a domain, shape (2, features)."""
    return np.array(list(ranges.values()), dtype=float).reshape(-1, 2).T


def draw_uniform(ranges: Ranges, count: int, rng: np.random.Generator) -> Array:
    """Return points drawn uniformly from a domain, shape (count, features)."""
    low, high = bounds(ranges)
    return low + (high - low) * rng.random((count, len(ranges)))


def draw_special(ranges: Ranges, count: int, rng: np.random.Generator) -> Columns:
    """Return random points just inside corners of a domain, and next to whole coordinates, `count` of each."""
    low, high = bounds(ranges)
    inside = draw_uniform(ranges, 2 * count, rng)
    corners = np.where(rng.random((count, len(ranges))) < 0.5, low, high)
    exact = np.concatenate([corners, np.clip(np.round(inside[:count]), low, high)])
    return split_columns(ranges, exact + NUDGE_SHARE * (inside - exact))


def draw_beside_steps(
    tapes: Sequence[Tape], ranges: Ranges, columns: Columns, rng: np.random.Generator
) -> Columns:
    """Return points on both sides of poles and steps, which are found by bisection.

    A pole can be narrower than the gaps between random points, as in ``x + 1e-12/(x - 2.5)``. It lies where a
    denominator changes sign, so between two points at which the denominator has different signs.

    Parameters
    ----------
    tapes : sequence of tapes
        The functions.
    ranges : mapping of str to (low, high)
        The domain.
    columns : mapping of str to ndarray of shape (points,)
        Random points of the domain.
    rng : Generator
        Generator that chooses pairs of these points.
    """
    coordinates = np.column_stack([columns[name] for name in ranges])
    points = [np.empty((0, len(ranges)))]
    items = 0
    parts = dict.fromkeys(part for tape in tapes for part in list_zeros(tuple(tape)))
    for part in sorted(parts, key=len):  # not a set, whose order would affect the points
        items += len(part)
        if items > MOST_ITEMS:
            break
        part_values = evaluate_at(part, columns, len(coordinates))
        below, above = np.flatnonzero(part_values < 0), np.flatnonzero(part_values > 0)
        if len(below) and len(above):
            ends = coordinates[rng.choice(below, N_PAIRS)], coordinates[rng.choice(above, N_PAIRS)]
            points.append(bisect_zero(part, ranges, *ends))
    return split_columns(ranges, np.concatenate(points))


def list_zeros(tape: Tape) -> Iterator[Tape]:
    """Yield tapes of functions that change sign at the poles and steps of a tape."""
    for i, size in enumerate(subtree_sizes(tape)):
        zero_operator = ZERO_OPERATORS.get(tape[i])
        if zero_operator and size <= MOST_ITEMS:
            yield (*tape[i + 1 - size : i], zero_operator)


def bisect_zero(part: Tape, ranges: Ranges, below: Array, above: Array) -> Array:
    """Return points, shape (points, features), on both sides of zeros of a tape between `below` and `above`."""
    direction = above - below
    # the zeros are between `share` and `share + step` of the way
    share, step = np.zeros(N_PAIRS), 1.0
    for _ in range(N_HALVINGS):
        step /= 2
        middle = split_columns(ranges, below + (share + step)[:, None] * direction)
        share = np.where(evaluate_at(part, middle, N_PAIRS) < 0, share + step, share)
    shares = np.clip(np.add.outer(DISTANCES, share + step), 0.0, 1.0)
    return (below + shares[:, :, None] * direction).reshape(-1, len(ranges))


def evaluate_at(tape: Tape, columns: Columns, count: int) -> Array:
    """Return the values of a tape at points, shape (count,), without warnings."""
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(run_tape(tape, columns), dtype=float), count)


def split_columns(ranges: Ranges, points: Array) -> Columns:
    """Return points of shape (points, features) as columns by feature name."""
    return dict(zip(ranges, points.T, strict=True))


def point_at(columns: Columns, i: int) -> Point:
    """Return the coordinates of point number `i` as floats, by feature name."""
    return {name: float(column[i]) for name, column in columns.items()}
