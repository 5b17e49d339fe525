"""Values of a model at points, how they move with its constants, and how many of their digits are certain.

One pass forwards over the tape and one backwards give the partial derivatives with respect to every constant
and a first-order bound of the rounding error, so no second evaluation in higher precision is needed where the
bound is small.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.operators import Operator
from srlib.expressions.partials import PARTIALS
from srlib.expressions.tree import Item

EPSILON = float(np.finfo(float).eps)


class Sensitivity(NamedTuple):
    """Result of `sensitivity`.

    `value` has shape (points,), `jacobian` (points, constants), `noise` (points,): the first-order bound of
    the rounding error of each value in float64.
    """

    value: np.ndarray
    jacobian: np.ndarray
    noise: np.ndarray


def movable(tape: Sequence[Item]) -> list[int]:
    """Places of the constants that may have been fitted: those that are not integral."""
    return [i for i, item in enumerate(tape) if isinstance(item, float)]


def sensitivity(
    tape: Sequence[Item], columns: Mapping[str, np.ndarray], places: Sequence[int], points: int
) -> Sensitivity:
    """Evaluate a tape with its derivatives with respect to the constants at `places`.

    Parameters
    ----------
    tape : sequence of Item
        The model.
    columns : mapping of str to ndarray of shape (points,)
        Coordinates of the points.
    places : sequence of int
        Places of the tape whose constants are differentiated.
    points : int
        Number of points.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> s = sensitivity(parse("0.5*x + 1.5").tape, {"x": np.array([2.0, 4.0])}, [0, 3], 2)
    >>> s.value.tolist(), s.jacobian.tolist()
    ([2.5, 3.5], [[2.0, 1.0], [4.0, 1.0]])
    """
    values: list[Any] = []
    arguments: list[tuple[int, ...]] = []
    stack: list[int] = []
    with np.errstate(all="ignore"):
        for i, item in enumerate(tape):
            if isinstance(item, Operator):
                at = tuple(stack[len(stack) - item.arity :])
                del stack[len(stack) - item.arity :]
                values.append(
                    np.float64(item.numpy())
                    if item.arity == 0
                    else item.numpy(*[values[j] for j in at])
                )
            else:
                at = ()
                values.append(columns[item] if isinstance(item, str) else np.float64(item))
            arguments.append(at)
            stack.append(i)
        noise, gradient = _backwards(tape, values, arguments, set(places), points)
    jacobian = np.empty((points, len(places)))
    for column, place in enumerate(places):
        jacobian[:, column] = gradient.get(place, 0.0)
    value = np.broadcast_to(np.asarray(values[-1], dtype=float), points)
    return Sensitivity(value, jacobian, np.broadcast_to(noise, points) * EPSILON)


def _backwards(
    tape: Sequence[Item],
    values: list[Any],
    arguments: list[tuple[int, ...]],
    wanted: set[int],
    points: int,
) -> tuple[Any, dict[int, Any]]:
    """Accumulate adjoints from the root; return the rounding bound in units of eps and those wanted."""
    adjoint: list[Any] = [0.0] * len(tape)
    adjoint[-1] = np.ones(points)
    noise: Any = np.zeros(points)
    gradient: dict[int, Any] = {}
    for i in range(len(tape) - 1, -1, -1):
        item, own = tape[i], adjoint[i]
        adjoint[i] = None
        if isinstance(item, Operator):
            noise = noise + np.abs(own * values[i])
            if item.name in PARTIALS:
                asked = [j for j in arguments[i] if j in wanted or isinstance(tape[j], Operator)]
                if not asked:
                    continue
                partials = PARTIALS[item.name](*[values[j] for j in arguments[i]], values[i])
                for j, partial in zip(arguments[i], partials, strict=True):
                    if j not in asked:
                        continue
                    adjoint[j] = own
                    if not isinstance(partial, float) or partial != 1.0:
                        adjoint[j] = own * partial
        elif i in wanted:
            # 0, not -0
            gradient[i] = own + 0.0
    return noise, gradient
