"""Values of a model on data: in float64 on an explicit stack of arrays and in bounded memory, and with many digits."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from srlib import limits
from srlib.errors import InputError
from srlib.expressions.operators import Item, Operator
from srlib.expressions.tree import Expression

CELLS = 2**22  # numbers that may stand on the stack at once: 32 MiB
CHUNK = 2**15  # rows at once: more would not stay in the processor's cache
DIGITS = 60
# bits of a value's exponent (315,000 decimal digits): beyond is infinite, below zero
LARGEST_EXPONENT = 2.0**20
# functions of NumPy that call a method of this name
_METHODS = (
    "log", "log10", "log1p", "sqrt", "arcsin", "arccos", "arctan", "arctan2", "arcsinh", "arccosh", "arctanh",
)  # fmt: skip
TURNS = 2**14  # bits of an angle beyond which its turns are not counted


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
        known = ", ".join(columns)
        raise InputError(f"the model uses {missing[0]!r}, which is no column of the data ({known})")
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


def run_tape(tape: tuple[Item, ...], columns: Mapping[str, Any]) -> Any:
    """Value of a tape on one chunk: an array, or a number without features; the caller silences warnings."""
    stack: list[Any] = []
    for item in tape:
        if isinstance(item, Operator):
            if item.arity == 2:
                right = stack.pop()
                stack[-1] = item.numpy(stack[-1], right)
            elif item.arity == 1:
                stack[-1] = item.numpy(stack[-1])
            else:
                arguments = stack[len(stack) - item.arity :]
                del stack[len(stack) - item.arity :]
                value = item.numpy(*arguments)
                if item.arity == 0:
                    value = np.float64(value)
                stack.append(value)
        else:
            stack.append(columns[item] if isinstance(item, str) else np.float64(item))
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
    try:
        with np.errstate(all="ignore"):
            values = _run_precisely(tape, data, n)
            return np.array(np.broadcast_to(values, count), dtype=object)
    except (TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
        if count <= 1:
            return np.full(count, n.nan, dtype=object)
    points = [{name: values[i : i + 1] for name, values in data.items()} for i in range(count)]
    return np.concatenate([evaluate_precisely(tape, point, 1, digits) for point in points])


def precise_numbers(values: np.ndarray, digits: int = DIGITS) -> np.ndarray:
    """Coordinates as numbers of `arithmetic`, which they may be already."""
    if values.dtype == object:
        return values
    return np.array([arithmetic(digits).mpf(value) for value in values.tolist()], dtype=object)


def _run_precisely(tape: Sequence[Item], data: Mapping[str, Any], n: Any) -> Any:
    number = np.frompyfunc(lambda value: value if isinstance(value, n.mpf) else n.mpf(value), 1, 1)
    stack: list[Any] = []
    for item in tape:
        if not isinstance(item, Operator):
            stack.append(data[item] if isinstance(item, str) else n.mpf(item))
            continue
        arguments = stack[len(stack) - item.arity :]
        del stack[len(stack) - item.arity :]
        function = PRECISE.get(item.name)
        if function is None:
            stack.append(number(item.numpy(*arguments)))  # comparisons, for one, are floats
        elif item.arity == 0:
            stack.append(function(n))
        else:
            stack.append(np.frompyfunc(partial(function, n), item.arity, 1)(*arguments))
    return stack[0]


@cache
def arithmetic(digits: int) -> Any:
    """Arithmetic of mpmath with that many digits, whose numbers NumPy's functions of objects accept.

    Its attribute `beyond` says whether something became infinite or zero since it was last set to False.
    """
    import mpmath

    n = mpmath.MPContext()
    n.dps = digits
    n.beyond = False
    for name in _METHODS:
        setattr(n.mpf, name, _method(n, getattr(n, name.replace("arc", "a"))))
    n.mpf.log2 = _method(n, lambda a: n.log(a, 2))
    n.mpf.rint = _method(n, n.nint)
    for name, function in _BOUNDED.items():
        setattr(n.mpf, name, _method(n, partial(function, n)))
    return n


def _method(n: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of numbers whose complex values are NaN."""

    def method(*arguments: Any) -> Any:
        value = function(*arguments)
        return value if isinstance(value, n.mpf) else n.nan

    return method


# Functions of mpmath's numbers: beyond a size values are infinite, zero or undefined before any digit is made, so that
# exp(exp(exp(9))) takes no time and no memory.


def _as_float(n: Any, a: Any) -> float:
    """Value as a float, infinite beyond its range."""
    if not a:
        return 0.0
    if not n.isfinite(a) or n.mag(a) < 1000:
        return float(a)
    return float("inf") * n.sign(a)


def _exp(n: Any, a: Any) -> Any:
    bits = _as_float(n, a) / 0.6931471805599453
    if abs(bits) < LARGEST_EXPONENT or bits != bits:
        return n.exp(a)
    n.beyond = n.beyond or n.isfinite(a)
    return n.inf if bits > 0 else n.zero


def _power(n: Any, a: Any, b: Any) -> Any:
    a, b = n.mpf(a), n.mpf(b)
    large = (abs(n.mag(a)) + 1) * abs(_as_float(n, b)) > LARGEST_EXPONENT if a else False
    if large and n.isfinite(a) and n.isfinite(b):
        bits = float(n.log(abs(a), 2)) * _as_float(n, b) if abs(a) != 1 else 0.0
        if abs(bits) > LARGEST_EXPONENT:
            n.beyond = True
            if a < 0 and not n.isint(b):
                return n.nan
            if bits < 0:
                return n.zero
            return -n.inf if a < 0 and n.mag(b) < TURNS and int(b) % 2 else n.inf
    value = a**b
    return value if isinstance(value, n.mpf) else n.nan


def _bounded(name: str, bits: float, limit: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return a function of mpmath that is `limit` for arguments of more than so many bits."""

    def apply(n: Any, a: Any) -> Any:
        a = n.mpf(a)
        if n.isfinite(a) and n.mag(a) > bits:
            return limit(n, a)
        return getattr(n, name)(a)

    return apply


_BOUNDED: dict[str, Callable[..., Any]] = {
    "exp": _exp,
    "expm1": _bounded("expm1", 0, lambda n, a: _exp(n, a) - 1),
    "sinh": _bounded("sinh", 7, lambda n, a: (_exp(n, a) - _exp(n, -a)) / 2),
    "cosh": lambda n, a: (_exp(n, a) + _exp(n, -a)) / 2,
    "tanh": _bounded("tanh", 10, lambda n, a: n.sign(a)),
} | {name: _bounded(name, TURNS, lambda n, a: n.nan) for name in ("sin", "cos", "tan")}
# operators whose NumPy functions do not take numbers of mpmath
PRECISE: dict[str, Callable[..., Any]] = {
    "pi": lambda n: +n.pi,
    "E": lambda n: +n.e,
    "imaginary": lambda n: +n.nan,
    "pow": _power,
    "floor": lambda n, a: n.floor(a),  # NumPy's would round a to a float first
    "ceil": lambda n, a: n.ceil(a),
    "cbrt": lambda n, a: n.sign(a) * n.cbrt(abs(a)),
    "erf": _bounded("erf", 10, lambda n, a: n.sign(a)),
    "erfc": _bounded("erfc", 10, lambda n, a: n.zero if a > 0 else n.mpf(2)),
    "gamma": _bounded("gamma", 20, lambda n, a: n.inf if a > 0 else n.nan),
    "sigmoid": lambda n, a: 1 / (1 + _exp(n, -a)),
}
