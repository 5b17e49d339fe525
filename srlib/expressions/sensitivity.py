"""Values of a tape at points, how they move with its constants, and how far rounding may move them.

One pass forwards gives the values; one pass backwards gives the derivatives by every constant and a first-order bound
of the rounding error in float64. Derivatives of functions are central differences.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.operators import Operator
from srlib.expressions.tree import Item

EPSILON = float(np.finfo(float).eps)
STEP = 1e-6  # of an argument, for differences
SMALL_STEP = 1e-4  # of an angle at most
ANGLES = ("sin", "cos", "tan", "cot", "sec", "csc")


class Sensitivity(NamedTuple):
    """Values (points,), derivatives (points, constants), and the bound of each value's rounding error (points,)."""

    value: np.ndarray
    jacobian: np.ndarray
    noise: np.ndarray


def differentiate(
    tape: Sequence[Item], columns: Mapping[str, np.ndarray], places: Sequence[int], count: int
) -> Sensitivity:
    """Evaluate a tape at points with its derivatives by the constants at some places of the tape.

    Parameters
    ----------
    tape : sequence of Item
        The function.
    columns : mapping of str to ndarray of shape (points,)
        Coordinates of the points.
    places : sequence of int
        Places of the constants.
    count : int
        Number of points.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> s = differentiate(parse("0.5*x + 1.5").tape, {"x": np.array([2.0, 4.0])}, [0, 3], 2)
    >>> s.value.tolist(), s.jacobian.tolist()
    ([2.5, 3.5], [[2.0, 1.0], [4.0, 1.0]])
    """
    results: list[Any] = []
    arguments: list[tuple[int, ...]] = []
    stack: list[int] = []
    adjoint: list[Any] = [0.0] * len(tape)
    noise: Any = np.zeros(count)
    movable = set(places)
    with np.errstate(all="ignore"):
        for i, item in enumerate(tape):
            below: tuple[int, ...] = ()
            if isinstance(item, Operator):
                below = tuple(stack[len(stack) - item.arity :])
                del stack[len(stack) - item.arity :]
                results.append(np.asarray(item.numpy(*(results[j] for j in below)), dtype=float))
            else:
                results.append(columns[item] if isinstance(item, str) else np.float64(item))
            arguments.append(below)
            stack.append(i)
        adjoint[-1] = np.ones(count)
        for i in range(len(tape) - 1, -1, -1):
            item = tape[i]
            if not isinstance(item, Operator):
                continue
            noise = noise + np.abs(adjoint[i] * results[i])
            inputs = [results[j] for j in arguments[i]]
            for which, j in enumerate(arguments[i]):
                if isinstance(tape[j], Operator) or j in movable:
                    adjoint[j] = adjoint[i] * slope(item, inputs, results[i], which)
    jacobian = np.empty((count, len(places)))
    for column, place in enumerate(places):
        jacobian[:, column] = adjoint[place] + 0.0  # 0, not -0
    value = np.broadcast_to(np.asarray(results[-1], dtype=float), count)
    return Sensitivity(value, jacobian, np.broadcast_to(noise, count) * EPSILON)


def slope(operator: Operator, arguments: list[Any], result: Any, which: int) -> Any:
    """Return the derivative of an operator by one of its arguments."""
    name, argument = operator.name, arguments[which]
    if name in ("add", "sub", "neg"):
        return 1.0 if name == "add" or (name == "sub" and not which) else -1.0
    if name == "mul":
        return arguments[1 - which]
    if name == "div":
        return -result / argument if which else 1.0 / arguments[1]
    if name == "pow":
        base, power = arguments
        return result * np.log(np.abs(base)) if which else power * base ** (power - 1.0)
    step = STEP * np.where(argument == 0, 1.0, np.abs(argument))
    if name in ANGLES:
        step = np.minimum(step, SMALL_STEP)
    ends = [argument - step, argument + step]
    low, high = (operator.numpy(*arguments[:which], end, *arguments[which + 1 :]) for end in ends)
    return (high - low) / (ends[1] - ends[0])
