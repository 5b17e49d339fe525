"""Values of a model to many digits, where those of float64 do not tell."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from srlib.expressions.operators import Operator
from srlib.expressions.tree import Item

DIGITS = 60
_METHODS = "log log10 log1p sqrt arcsin arccos arctan arctan2 arcsinh arccosh arctanh"


@cache
def context(digits: int) -> Any:
    """Arithmetic of mpmath with that many digits, whose numbers NumPy's functions of objects accept."""
    import mpmath

    arithmetic = mpmath.MPContext()
    arithmetic.dps = digits
    arithmetic.beyond = False  # whether something became infinite or zero since this was last set
    for name in _METHODS.split():
        setattr(
            arithmetic.mpf, name, _real(arithmetic, getattr(arithmetic, name.replace("arc", "a")))
        )
    arithmetic.mpf.log2 = _real(arithmetic, lambda x: arithmetic.log(x, 2))
    return arithmetic


def as_made() -> None:
    """Make the arithmetics again what they were when they were made, as something may have ended amid a function."""
    for digits in (DIGITS // 2, DIGITS):
        context(digits).dps = digits
        context(digits).beyond = False


def _real(arithmetic: Any, function: Any) -> Any:
    def apply(*arguments: Any) -> Any:
        value = function(*arguments)
        if isinstance(value, arithmetic.mpf):
            return value
        return arithmetic.nan

    return apply


def precise(
    tape: Sequence[Item], columns: Mapping[str, Any], count: int, digits: int = DIGITS
) -> np.ndarray:
    """Evaluate at points with mpmath.

    Constants of the tape may be numbers of `context(digits)`, coordinates have shape (count,). The result, an
    ndarray of object of shape (count,), holds numbers of mpmath, NaN where the model is undefined or complex.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> str(precise(parse("1e17 + x - 1e17").tape, {"x": np.array([0.5])}, 1)[0])
    '0.5'
    """
    numbers = context(digits)
    used = {item for item in tape if isinstance(item, str)}
    data = {name: exact(columns[name], digits) for name in used}
    try:
        with np.errstate(all="ignore"):
            return np.array(np.broadcast_to(_run(tape, data, numbers), count), dtype=object)
    except (TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
        if count <= 1:
            return np.full(count, numbers.nan, dtype=object)
    parts = [precise(tape, {name: values[i : i + 1] for name, values in columns.items()}, 1, digits)
             for i in range(count)]  # fmt: skip
    return np.concatenate(parts)


def exact(values: np.ndarray, digits: int = DIGITS) -> np.ndarray:
    """Coordinates as numbers of `context(digits)`, which they may be already."""
    if values.dtype == object:
        return values
    mpf = context(digits).mpf
    return np.array([mpf(value) for value in values.tolist()], dtype=object)


def certain(tape: Sequence[Item], at: Mapping[str, float]) -> tuple[float | None, int]:
    """Value at one point, None where undefined, and how many of its digits are certain (at most 15).

    They are those to which the arithmetics with 30 and with 60 digits agree.
    """
    columns = {name: np.array([value]) for name, value in at.items()}
    rough, fine = (precise(tape, columns, 1, digits)[0] for digits in (DIGITS // 2, DIGITS))
    numbers = context(DIGITS)
    if not numbers.isfinite(fine):
        return None, 15
    error = abs(fine - numbers.mpf(rough)) / (abs(fine) or 1)
    return float(fine), 15 if error < 1e-15 else max(
        0, int(-numbers.log10(error))
    ) if error < 1 else 0


def spread(tape: Sequence[Item], columns: Mapping[str, Any], count: int) -> float:
    """Largest value less the smallest, at up to 24 points."""
    few = precise(tape, {name: values[:24] for name, values in columns.items()}, min(count, 24))
    return float(max(few) - min(few))


def _run(tape: Sequence[Item], data: Mapping[str, Any], numbers: Any) -> Any:
    stack: list[Any] = []
    for item in tape:
        if not isinstance(item, Operator):
            stack.append(data[item] if isinstance(item, str) else numbers.mpf(item))
            continue
        arguments = stack[len(stack) - item.arity :]
        del stack[len(stack) - item.arity :]
        if item.precise is None:
            stack.append(item.numpy(*arguments))
        elif item.arity == 0:
            stack.append(item.precise(numbers))
        else:
            stack.append(np.frompyfunc(partial(item.precise, numbers), item.arity, 1)(*arguments))
    return np.frompyfunc(
        lambda v: v if isinstance(v, numbers.mpf) else numbers.mpf(float(v)), 1, 1
    )(stack[0])
