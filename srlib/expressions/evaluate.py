"""Evaluation of a model: on data in float64 and bounded memory, with many digits, and with derivatives at points.

`differentiate` makes one pass forwards for the values, and one pass backwards for the derivatives by every constant and
a first-order bound of the rounding error in float64. Derivatives of functions are central differences.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from srlib import limits
from srlib.errors import InputError
from srlib.expressions.operators import Function, Operator, Tape
from srlib.expressions.parse import tape_of
from srlib.expressions.tree import Array, Columns, Expression, run_tape

MOST_CELLS = 2**22  # limit of numbers on the stack: 32 MiB
CHUNK_ROWS = 2**15  # rows per chunk: more would not fit into the processor's cache
DIGITS = 60
EPSILON = float(np.finfo(float).eps)
STEP_SHARE = 1e-6  # step of central differences, as a share of the argument
MOST_ANGLE_STEP = 1e-4  # largest step of an angle
ANGLES = ("sin", "cos", "tan", "cot", "sec", "csc")  # functions of angles
# bits of an argument; larger ones are evaluated in float64, because exp(exp(exp(9))) takes too long
LARGEST_ARGUMENT = 1000


def evaluate(expression: Expression, columns: Columns, rows: int) -> Array:
    """Return the values of a model on data.

    Parameters
    ----------
    expression : Expression
        The model.
    columns : mapping of str to ndarray of shape (rows,)
        The data, by feature name.
    rows : int
        Number of rows; a constant model returns its value for each row.

    Returns
    -------
    ndarray of float64, shape (rows,)
        Values; NaN where the model is complex or undefined; infinities are kept.

    Raises
    ------
    InputError
        When a feature of the model is not among the columns, or length of the formula times rows exceeds the limit.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> evaluate(parse("sqrt(x) + 1"), {"x": np.array([4.0, -4.0])}, 2)
    array([ 3., nan])
    """
    missing = sorted(expression.features - set(columns))
    if missing:
        listed = ", ".join(columns)
        raise InputError(
            f"the model uses {missing[0]!r}, which is no column of the data ({listed})"
        )
    steps = len(expression.tape) * rows
    if steps > limits.STEPS:
        raise InputError(
            f"a formula's length times its rows of at most {limits.STEPS} was expected, got {steps}"
        )
    data = {name: np.asarray(columns[name], dtype=np.float64) for name in expression.features}
    result = np.empty(rows)
    chunk = min(CHUNK_ROWS, max(256, MOST_CELLS // len(expression.tape)))
    with np.errstate(all="ignore"):
        for start in range(0, rows, chunk):
            part = {name: values[start : start + chunk] for name, values in data.items()}
            result[start : start + chunk] = run_tape(expression.tape, part)
    return result


def r2_score(y: Array, prediction: Array) -> float:
    """Return the coefficient of determination, 1 - residual sum of squares / total sum of squares; higher is better.

    Equal to `sklearn.metrics.r2_score` (a constant target gives 1 for a perfect prediction and 0 otherwise),
    except that a prediction with a value that is not finite gives NaN instead of an error.

    Parameters
    ----------
    y, prediction : ndarray of shape (rows,)
        The target, and the predictions of the model.

    Examples
    --------
    >>> r2_score(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    0.5
    """
    y = np.asarray(y, dtype=np.float64)
    prediction = np.asarray(prediction, dtype=np.float64)
    if len(y) < 2 or not np.all(np.isfinite(prediction)):
        return float("nan")
    with np.errstate(all="ignore"):
        residual = float(np.sum((y - prediction) ** 2))
        total = float(np.sum((y - np.mean(y)) ** 2))
    return 1.0 - residual / total if total else float(residual == 0.0)


def evaluate_precisely(
    tape: Tape, columns: Mapping[str, Any], count: int, digits: int = DIGITS
) -> Array:
    """Return the values of a tape at points, with many digits.

    Parameters
    ----------
    tape : sequence of Item
        Tape of an `Expression`; constants may be numbers of `arithmetic`.
    columns : mapping of str to ndarray of shape (count,)
        Coordinates by feature, as float64 or numbers of `arithmetic`.
    count : int
        Number of points.
    digits : int
        Significant decimal digits.

    Returns
    -------
    ndarray of object, shape (count,)
        Numbers of mpmath, NaN where the model is undefined or complex.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> str(evaluate_precisely(parse("1e17 + x - 1e17").tape, {"x": np.array([0.5])}, 1)[0])
    '0.5'
    """
    mp = arithmetic(digits)
    features = {item for item in tape if isinstance(item, str)}
    data = {name: [mp.mpf(value) for value in columns[name].tolist()] for name in features}
    values = np.full(count, mp.nan, dtype=object)
    function_of = partial(_precise_function, mp)
    with np.errstate(all="ignore"):
        for i in range(count):
            point = {name: column[i] for name, column in data.items()}
            with suppress(TypeError, ValueError, ArithmeticError):  # undefined
                values[i] = run_tape(tape, point, function_of, mp.mpf)
    return values


@cache
def arithmetic(digits: int) -> Any:
    """Return an mpmath context with this many significant decimal digits."""
    import mpmath

    mp = mpmath.MPContext()
    mp.dps = digits
    return mp


@cache
def _precise_function(mp: Any, item: Operator) -> Function:
    """Return the function that computes an operator with many digits; with numpy's precision if mpmath has none."""
    name = item.name
    if name in _BOUNDED:
        compute = partial(_bounded, mp, item)
    elif name in _PRECISE:
        compute = partial(_PRECISE[name], mp)
    elif item.meaning:
        return partial(_apply_meaning, mp, tape_of(item.meaning))
    else:
        compute = getattr(mp, name, item.numpy)

    def apply(*arguments: Any) -> Any:
        value = compute(*arguments)
        if isinstance(value, mp.mpf):
            return value
        return mp.nan if isinstance(value, mp.mpc) else mp.mpf(np.array(value).item())

    return apply


def _apply_meaning(mp: Any, meaning: Tape, *arguments: Any) -> Any:
    """Return the value of an operator that is defined by a formula of `a` and `b`."""
    columns = dict(zip("ab", arguments, strict=False))
    return run_tape(meaning, columns, partial(_precise_function, mp), mp.mpf)


def _power(mp: Any, a: Any, b: Any) -> Any:
    """Return a power; computed in float64 if its binary exponent is too large (`LARGEST_ARGUMENT`)."""
    if a and b and mp.isfinite(a * b) and mp.mag(b) + mp.mag(a).bit_length() > LARGEST_ARGUMENT:
        return mp.mpf(float(np.power(float(a), float(b))))
    return a**b


def _bounded(mp: Any, item: Operator, a: Any) -> Any:
    """Return the value of an mpmath function; computed in float64 for arguments beyond `LARGEST_ARGUMENT` bits."""
    if mp.isfinite(a) and mp.mag(a) > LARGEST_ARGUMENT:
        return mp.mpf(float(item.numpy(float(a))))
    return getattr(mp, item.name)(a)


_BOUNDED = {"exp", "expm1", "sinh", "cosh", "tanh", "erf", "erfc", "gamma", *ANGLES}
# operators for which mpmath has no suitable function of the same name
_PRECISE: dict[str, Function] = {
    "pi": lambda mp: +mp.pi,
    "E": lambda mp: +mp.e,
    "pow": _power,
    "cbrt": lambda mp, a: mp.sign(a) * mp.cbrt(abs(a)),
    "log2": lambda mp, a: mp.log(a, 2),
    "log1p": lambda mp, a: mp.log1p(a),  # more exact than its defining formula
    "round": lambda mp, a: mp.nint(a),
    "mod": lambda mp, a, b: a % b if mp.mag(a / b) < LARGEST_ARGUMENT else mp.nan,
}


class Sensitivity(NamedTuple):
    """Values (points,), derivatives by constants (points, constants), and bounds of the rounding errors (points,)."""

    value: Array
    jacobian: Array
    noise: Array


def differentiate(
    tape: Tape,
    columns: Columns,
    places: Sequence[Sequence[int]],
    count: int,
) -> Sensitivity:
    """Return the values of a tape at points, the derivatives by its constants, and bounds of rounding errors.

    Parameters
    ----------
    tape : sequence of Item
        The function.
    columns : mapping of str to ndarray of shape (points,)
        Coordinates of the points.
    places : sequence of sequence of int
        Positions of each constant on the tape.
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
        # forwards: the value of each item, and the positions of its arguments
        for i, item in enumerate(tape):
            first = len(stack) - (item.arity if isinstance(item, Operator) else 0)
            arguments.append(stack[first:])
            stack[first:] = [i]
            if isinstance(item, Operator):
                result = item.numpy(*(results[j] for j in arguments[i]))
                results.append(np.asarray(result, dtype=float))
            else:
                results.append(columns[item] if isinstance(item, str) else np.float64(item))
        # backwards: the derivative of the last value by each other value
        adjoint: list[Any] = [0.0] * (len(tape) - 1) + [np.ones(count)]
        for i in range(len(tape) - 1, -1, -1):
            item = tape[i]
            if i in constant_at:
                jacobian[:, constant_at[i]] += adjoint[i]
            if not isinstance(item, str):
                noise += np.abs(adjoint[i] * results[i])
            if isinstance(item, Operator):
                inputs = [results[j] for j in arguments[i]]
                for position, j in enumerate(arguments[i]):
                    is_term = item.name in ("add", "sub") and not isinstance(tape[j], str)
                    if is_term or isinstance(tape[j], Operator) or j in constant_at:
                        adjoint[j] = adjoint[i] * slope(item, inputs, results[i], position)
    value = np.broadcast_to(np.asarray(results[-1], dtype=float), count)
    return Sensitivity(value, jacobian, noise * EPSILON)


def slope(operator: Operator, arguments: list[Any], result: Any, position: int) -> Any:
    """Return the derivative of an operator by the argument at this position."""
    argument = arguments[position]
    match operator.name, position:
        case ("add", _):
            return 1.0
        case ("mul", _):
            return arguments[1 - position]
        case ("pow", 1):
            return result * np.log(np.abs(arguments[0]))
    step = STEP_SHARE * np.where(argument == 0, 1.0, np.abs(argument))
    if operator.name in ANGLES:
        step = np.minimum(step, MOST_ANGLE_STEP)
    low, high = argument - step, argument + step
    ends = [
        operator.numpy(*arguments[:position], end, *arguments[position + 1 :])
        for end in (low, high)
    ]
    return (ends[1] - ends[0]) / (high - low)
