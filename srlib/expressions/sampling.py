"""Random points of a domain at which truth and model are both defined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srlib.expressions.evaluate import run_tape
from srlib.expressions.tree import Item

Ranges = Mapping[str, tuple[float, float]]
DEFAULT_RANGE = (1.0, 5.0)
# points are drawn that many times as often as they are wanted, until there are enough
ROUNDS = (1, 4, 40)


@dataclass(frozen=True)
class Sample:
    """Points, by coordinate, with what was seen while drawing them.

    `columns` maps each feature to its (points,) coordinates; `count` is the number of points; `skipped` how
    many were tried where the truth is defined and the model is not; `outside` is one of those, as a witness.
    """

    columns: dict[str, np.ndarray]
    count: int
    skipped: int
    outside: dict[str, Any] | None


def draw(
    truth: Sequence[Item],
    model: Sequence[Item],
    ranges: Ranges,
    wanted: int,
    rng: np.random.Generator,
    *,
    corners: bool = False,
) -> Sample:
    """Draw points uniformly from the domain and keep those at which both are finite.

    Parameters
    ----------
    truth, model : sequence of Item
        Postfix tapes.
    ranges : mapping of str to (low, high)
        Range of every feature of either.
    wanted : int
        Number of points; fewer come back where the two are rarely defined together.
    rng : Generator
        Where the points come from.
    corners : bool
        Add an eighth as many points whose coordinates are ends of their ranges; they do not count as skipped.
    """
    names = list(ranges)
    low = np.array([ranges[name][0] for name in names], dtype=float)
    high = np.array([ranges[name][1] for name in names], dtype=float)
    kept: list[np.ndarray] = []
    outside: dict[str, Any] | None = None
    found = skipped = 0
    for times in ROUNDS:
        x = low + (high - low) * rng.random((times * wanted, len(names)))
        columns = {name: x[:, i] for i, name in enumerate(names)}
        t, m = values(truth, columns, len(x)), values(model, columns, len(x))
        only_truth = np.flatnonzero(np.isfinite(t) & ~np.isfinite(m))
        skipped += len(only_truth)
        if outside is None and len(only_truth):
            i = int(only_truth[0])
            outside = {"point": point(columns, i), "truth": float(t[i]), "model": None}
        x = x[np.isfinite(t) & np.isfinite(m)][: wanted - found]
        kept.append(x)
        found += len(x)
        if found >= wanted * 3 // 4 or not names:
            break
    if corners and names:
        x = np.where(rng.random((wanted // 8, len(names))) < 0.5, low, high)
        columns = {name: x[:, i] for i, name in enumerate(names)}
        finite = [np.isfinite(values(tape, columns, len(x))) for tape in (truth, model)]
        kept.append(x[finite[0] & finite[1]])
    x = np.concatenate(kept)
    return Sample({name: x[:, i] for i, name in enumerate(names)}, len(x), skipped, outside)


def values(tape: Sequence[Item], columns: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    """Values of a tape at points, shape (count,), without warnings."""
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(run_tape(tuple(tape), columns), dtype=float), count)


def point(columns: Mapping[str, np.ndarray], i: int) -> dict[str, float]:
    """Coordinates of one point, as plain numbers."""
    return {name: float(column[i]) for name, column in columns.items()}
