"""Values of a model on data: in float64 on an explicit stack of arrays and in bounded memory, and with many digits."""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from operator import attrgetter
from typing import Any

import numpy as np

from srlib import limits
from srlib.errors import InputError
from srlib.expressions.operators import Item, Operator
from srlib.expressions.parse import tape_of
from srlib.expressions.tree import Expression

CELLS = 2**22  # numbers that may stand on the stack at once: 32 MiB
CHUNK = 2**15  # rows at once: more would not stay in the processor's cache
DIGITS = 60
# bits of a value's exponent (315,000 decimal digits): beyond is infinite, below zero
LARGEST_EXPONENT = 2**20


def evaluate(expression: Expression, columns: Mapping[str, np.ndarray], rows: int) -> np.ndarray:
    """Values of a model on data.

    Parameters
    ----------
    expression : Expression
        The model.
    columns : mapping of str to ndarray of shape (rows,)
        The data, by feature name.
    rows : int
        Number of rows; a constant model gives as many equal values.

    Returns
    -------
    ndarray of float64, shape (rows,)
        NaN where the model is complex or undefined; infinities are kept.

    Raises
    ------
    InputError
        When a feature of the model is not among the columns, or the work is more than any competition needs.

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
    if (steps := len(expression.tape) * rows) > limits.STEPS:
        raise InputError(
            f"a formula's length times its rows of at most {limits.STEPS} was expected, got {steps}"
        )
    data = {name: np.asarray(columns[name], dtype=np.float64) for name in expression.features}
    result = np.empty(rows)
    chunk = min(CHUNK, max(256, CELLS // stack_depth(expression.tape)))
    with np.errstate(all="ignore"):
        for start in range(0, rows, chunk):
            part = {name: values[start : start + chunk] for name, values in data.items()}
            result[start : start + chunk] = run_tape(expression.tape, part)
    return result


def run_tape(
    tape: Sequence[Item],
    columns: Mapping[str, Any],
    function_of: Callable[[Operator], Callable[..., Any]] = attrgetter("numpy"),
    number: Callable[[Any], Any] = np.float64,
) -> Any:
    """Value of a tape on one chunk: an array, or a number without features; the caller silences warnings.

    Parameters
    ----------
    tape : sequence of Item
        Of an `Expression`.
    columns : mapping of str to object
        What features stand for.
    function_of : callable
        Gives the function that carries out an operator.
    number : callable
        Makes a value of a constant.
    """
    stack: list[Any] = []
    for item in tape:
        if isinstance(item, Operator):
            first = len(stack) - item.arity
            stack[first:] = [function_of(item)(*stack[first:])]
        else:
            stack.append(columns[item] if isinstance(item, str) else number(item))
    return stack[0]


def stack_depth(tape: Sequence[Item]) -> int:
    """Largest number of values that stand on the stack at once."""
    depth = deepest = 0
    for item in tape:
        depth += 1 - item.arity if isinstance(item, Operator) else 1
        deepest = max(deepest, depth)
    return deepest


def r2_score(y: np.ndarray, prediction: np.ndarray) -> float:
    """Coefficient of determination, 1 - residual sum of squares / total sum of squares; higher is better.

    Equal to `sklearn.metrics.r2_score` (a constant target gives 1 for a perfect prediction and 0 otherwise),
    except that a prediction with a value that is not finite gives NaN instead of an error.

    Parameters
    ----------
    y, prediction : ndarray of shape (rows,)
        The target and what the model says.

    Examples
    --------
    >>> r2_score(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    0.5
    """
    y, prediction = np.asarray(y, dtype=np.float64), np.asarray(prediction, dtype=np.float64)
    if len(y) < 2 or not np.all(np.isfinite(prediction)):
        return float("nan")
    with np.errstate(all="ignore"):
        residual = float(np.sum((y - prediction) ** 2))
        total = float(np.sum((y - np.mean(y)) ** 2))
    if total == 0.0:
        return 1.0 if residual == 0.0 else 0.0
    return 1.0 - residual / total


def evaluate_precisely(
    tape: Sequence[Item], columns: Mapping[str, Any], count: int, digits: int = DIGITS
) -> np.ndarray:
    """Values of a tape at points, with many digits.

    Parameters
    ----------
    tape : sequence of Item
        Of an `Expression`; constants may be numbers of `arithmetic`.
    columns : mapping of str to ndarray of shape (count,)
        Coordinates by feature, float64 or numbers of `arithmetic`.
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
    n = arithmetic(digits)
    features = {item for item in tape if isinstance(item, str)}
    data = {name: precise_numbers(columns[name], digits) for name in features}
    values = np.full(count, n.nan, dtype=object)
    function_of = partial(_precise_function, n)
    with np.errstate(all="ignore"):
        for i in range(count):
            point = {name: column[i] for name, column in data.items()}
            with suppress(TypeError, ValueError, ArithmeticError):  # undefined
                values[i] = run_tape(tape, point, function_of, n.mpf)
    return values


def precise_numbers(values: np.ndarray, digits: int = DIGITS) -> np.ndarray:
    """Coordinates as numbers of `arithmetic`, which they may be already."""
    if values.dtype == object:
        return values
    return np.array([arithmetic(digits).mpf(value) for value in values.tolist()], dtype=object)


@cache
def arithmetic(digits: int) -> Any:
    """Arithmetic of mpmath with that many digits."""
    import mpmath

    n = mpmath.MPContext()
    n.dps = digits
    return n


@cache
def _precise_function(n: Any, item: Operator) -> Callable[..., Any]:
    """Return an operator's function of numbers of `arithmetic`: its meaning, mpmath's of that name, else numpy's."""

    def apply_meaning(*arguments: Any) -> Any:
        columns = dict(zip("ab", arguments, strict=False))
        return run_tape(tape_of(item.meaning), columns, partial(_precise_function, n), n.mpf)

    def apply(*arguments: Any) -> Any:
        value = compute(*arguments)
        if isinstance(value, n.mpf):
            return value
        return n.nan if isinstance(value, n.mpc) else n.mpf(np.array(value).item())

    name, compute = item.name, item.numpy  # of comparisons, which mpmath's numbers have
    if name in _ARITHMETIC:
        return _ARITHMETIC[name]
    if name in _LIMITS:
        compute = partial(_bounded, n, name)
    elif name in _PRECISE:
        compute = partial(_PRECISE[name], n)
    elif item.meaning:
        return apply_meaning
    elif hasattr(n, name):
        compute = getattr(n, name)
    return apply


def _power(n: Any, a: Any, b: Any) -> Any:
    """Power; one whose exponent has more than `LARGEST_EXPONENT` bits is infinite or zero."""
    if a and n.isfinite(a) and n.isfinite(b) and (abs(n.mag(a)) + 1) * abs(b) > LARGEST_EXPONENT:
        bits = n.log(abs(a), 2) * b
        if abs(bits) > LARGEST_EXPONENT:
            if a < 0 and not n.isint(b):
                return n.nan
            if bits < 0:
                return n.zero
            return -n.inf if a < 0 and b % 2 else n.inf
    return a**b


def _bounded(n: Any, name: str, a: Any) -> Any:
    """Value of a function of mpmath, or its limit where an argument is so large that no digit is worth its time."""
    bits, lowest, highest = _LIMITS[name]
    if n.isfinite(a) and n.mag(a) > bits:
        return n.mpf(highest if a > 0 else lowest)
    return getattr(n, name)(a)


# bits of an argument from which a function is its limit, and its limits on both sides: exp(exp(exp(9))) takes no time
_LIMITS = {
    "exp": (19, 0, math.inf),
    "expm1": (19, -1, math.inf),
    "sinh": (19, -math.inf, math.inf),
    "cosh": (19, math.inf, math.inf),
    "tanh": (10, -1, 1),
    "erf": (10, -1, 1),
    "erfc": (10, 2, 0),
    "gamma": (20, math.nan, math.inf),
} | {name: (2**14, math.nan, math.nan) for name in ("sin", "cos", "tan", "cot", "sec", "csc")}
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}
# functions that are not mpmath's of that name
_PRECISE: dict[str, Callable[..., Any]] = {
    "pi": lambda n: +n.pi,
    "E": lambda n: +n.e,
    "pow": _power,
    "floor": lambda n, a: n.floor(a),  # NumPy's would round a to a float first
    "ceil": lambda n, a: n.ceil(a),
    "cbrt": lambda n, a: n.sign(a) * n.cbrt(abs(a)),
    "log2": lambda n, a: n.log(a, 2),
    "log1p": lambda n, a: n.log1p(a),  # with more digits than its meaning
    "round": lambda n, a: n.nint(a),
}
