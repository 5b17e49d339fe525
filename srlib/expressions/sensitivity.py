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
    tape: Sequence[Item],
    columns: Mapping[str, np.ndarray],
    places: Sequence[Sequence[int]],
    count: int,
) -> Sensitivity:
    """Evaluate a tape at points with its derivatives by its constants.

    Parameters
    ----------
    tape : sequence of Item
        The function.
    columns : mapping of str to ndarray of shape (points,)
        Coordinates of the points.
    places : sequence of sequence of int
        Places of each constant on the tape.
    count : int
        Number of points.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> s = differentiate(parse("0.5*x + 1.5").tape, {"x": np.array([2.0, 4.0])}, [[0], [3]], 2)
    >>> s.value.tolist(), s.jacobian.tolist()
    ([2.5, 3.5], [[2.0, 1.0], [4.0, 1.0]])
    """
    results: list[Any] = []
    arguments: list[list[int]] = []
    stack: list[int] = []
    noise = np.zeros(count)
    jacobian = np.zeros((count, len(places)))
    constant_at = {place: column for column, group in enumerate(places) for place in group}
    with np.errstate(all="ignore"):
        for i, item in enumerate(tape):
            below: list[int] = []
            if isinstance(item, Operator):
                below = stack[len(stack) - item.arity :]
                del stack[len(stack) - item.arity :]
                results.append(np.asarray(item.numpy(*(results[j] for j in below)), dtype=float))
            else:
                results.append(columns[item] if isinstance(item, str) else np.float64(item))
            arguments.append(below)
            stack.append(i)
        adjoint: list[Any] = [0.0] * (len(tape) - 1) + [np.ones(count)]
        for i in range(len(tape) - 1, -1, -1):
            item = tape[i]
            if i in constant_at:
                jacobian[:, constant_at[i]] += adjoint[i]
            if not isinstance(item, str):
                noise += np.abs(adjoint[i] * results[i])
            if isinstance(item, Operator):
                inputs = [results[j] for j in arguments[i]]
                for which, j in enumerate(arguments[i]):
                    is_term = item.name in ("add", "sub") and not isinstance(tape[j], str)
                    if is_term or isinstance(tape[j], Operator) or j in constant_at:
                        adjoint[j] = adjoint[i] * slope(item, inputs, results[i], which)
    value = np.broadcast_to(np.asarray(results[-1], dtype=float), count)
    return Sensitivity(value, jacobian, noise * EPSILON)


def slope(operator: Operator, arguments: list[Any], result: Any, which: int) -> Any:
    """Return the derivative of an operator by one of its arguments."""
    argument = arguments[which]
    match operator.name, which:
        case ("add", _) | ("sub", 0):
            return 1.0
        case ("sub" | "neg", _):
            return -1.0
        case ("mul", _):
            return arguments[1 - which]
        case ("pow", 1):
            return result * np.log(np.abs(arguments[0]))
    step = STEP * np.where(argument == 0, 1.0, np.abs(argument))
    if operator.name in ANGLES:
        step = np.minimum(step, SMALL_STEP)
    low, high = argument - step, argument + step
    ends = [operator.numpy(*arguments[:which], end, *arguments[which + 1 :]) for end in (low, high)]
    return (ends[1] - ends[0]) / (high - low)
