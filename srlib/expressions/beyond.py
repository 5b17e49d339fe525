"""Truth and model where float64 has no values for both: read with 60 digits.

``1 - cos(x)`` is 0 in float64 for an x of 1e-9, and ``x**400`` infinite for an x of 1000. Constants do not move here:
the two are equal as they stand, to the digits of texts.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.evaluate import DIGITS
from srlib.expressions.evaluate import arithmetic as context
from srlib.expressions.evaluate import evaluate_precisely as precise
from srlib.expressions.narrow import NARROW
from srlib.expressions.probing import probes
from srlib.expressions.sampling import Ranges
from srlib.expressions.tree import Item

POINTS = 60
FEWEST = 40
AS_PRINTED = (
    1e-12  # relative difference that constants of 15 digits, some of which cancel, may leave
)


class Beyond(NamedTuple):
    """Two functions that are equal up to a constant: its kind, the constant, and the points."""

    kind: str
    constant: float | None
    points: int


def equal_beyond(
    truth: Sequence[Item], model: Sequence[Item], ranges: Ranges, rng: np.random.Generator
) -> Beyond | None:
    """Whether two tapes, which have hardly a point with values of both in float64, are equal all the same.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> t, m = (parse(text).tape for text in ("x**400*y", "y*x**399*x"))
    >>> equal_beyond(t, m, {"x": (900, 999), "y": (1, 2)}, np.random.default_rng(0)).kind
    'identical'
    """
    columns = {name: rng.uniform(*ends, POINTS) for name, ends in ranges.items()}
    t, m = (precise(tape, columns, POINTS) for tape in (truth, model))
    finite = [np.array([context(DIGITS).isfinite(v) for v in side]) for side in (t, m)]
    both = finite[0] & finite[1]
    if np.count_nonzero(both) < FEWEST or np.any(finite[0] != finite[1]):
        return None
    for kind in ("identical", "offset", "scale"):
        constant = _between(t[both], m[both], kind)
        if constant is not None:
            if not _holds((truth, model), (kind, constant), ranges, columns):
                return None
            known = None if kind == "identical" else float(constant)
            return Beyond(kind, known, int(np.count_nonzero(both)))
    return None


def _holds(
    tapes: tuple[Sequence[Item], Sequence[Item]],
    between: tuple[str, Any],
    ranges: Ranges,
    columns: dict[str, np.ndarray],
) -> bool:
    """Whether the two are equal beside poles and steps, too."""
    places = probes(tapes, ranges, columns, np.random.default_rng(1))
    count = len(next(iter(places.values()), ()))
    kind, constant = between
    factor = constant if kind == "scale" else 1
    offset = constant if kind == "offset" else 0
    finite = context(DIGITS).isfinite
    for t, m in zip(*(precise(tape, places, count) for tape in tapes), strict=True):
        if finite(t) and finite(m):
            expected = t * factor + offset
            if abs(m - expected) > NARROW * (abs(m) + abs(expected)):
                return False
    return True


def _between(t: np.ndarray, m: np.ndarray, kind: str) -> Any:
    """Return the constant of that kind between two functions that differ in nothing else; None where they do."""
    if kind == "scale" and not all(t):
        return None
    middle = len(t) // 2
    constant = {"identical": 0, "offset": sorted(m - t)[middle], "scale": 1}[kind]
    factor = 1
    if kind == "scale":
        constant = factor = sorted(m / t)[middle]
    offset = constant * (kind == "offset")
    varies = max(m) - min(m)
    # beside what varies: a large constant hides nothing
    size = varies if kind == "offset" else abs(m) + abs(t * factor)
    if factor and varies > 0 and max(abs(m - t * factor - offset) / size) <= AS_PRINTED:
        return constant
    return None
