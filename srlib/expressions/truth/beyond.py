"""Truth and model where float64 has no values for both: read with 60 digits, and with complex values that cancel.

``1 - cos(x)`` is 0 in float64 for an x of 1e-9, ``x**400`` infinite for an x of 1000, and ``sqrt(-x)*sqrt(-y)`` has no
real value on the way to one. Constants do not move here: the two are equal as they stand, to the digits of texts.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.expression import Item
from srlib.expressions.operators import Operator
from srlib.expressions.truth.narrow import NARROW
from srlib.expressions.truth.precise import DIGITS, context, precise
from srlib.expressions.truth.probing import UnsearchedError, probes
from srlib.expressions.truth.sampling import Ranges

POINTS = 60
FEWEST = 40
AS_PRINTED = (
    1e-12  # relative difference that constants of 15 digits, some of which cancel, may leave
)
REAL = 1e-40  # share of a value that is imaginary, below which it is rounding
LARGEST = 1e6  # argument of a function, base or exponent of a power, of complex values
SMALL = ("log", "sqrt", "pi", "e", "j")  # never large themselves, whatever the argument
Values = Callable[[Sequence[Item], Mapping[str, np.ndarray], int], np.ndarray]


class Beyond(NamedTuple):
    """Two functions that are equal up to a constant: its kind, the constant, the points, and how they were read."""

    kind: str
    constant: float | None
    points: int
    how: str


def equal_beyond(
    truth: Sequence[Item], model: Sequence[Item], ranges: Ranges, rng: np.random.Generator
) -> Beyond | None:
    """Whether two tapes, which have hardly a point with values of both in float64, are equal all the same.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> t, m = (parse(text).tape for text in ("sqrt(-x)*sqrt(-y)", "-sqrt(x*y)"))
    >>> equal_beyond(t, m, {"x": (1, 2), "y": (1, 2)}, np.random.default_rng(0)).kind
    'identical'
    """
    columns = {name: rng.uniform(*ends, POINTS) for name, ends in ranges.items()}
    readings: dict[str, Values] = {
        "with 60 digits, as float64 has no values there": precise,
        "with complex values on the way, which cancel": complex_values,
    }
    for how, values in readings.items():
        t, m = (values(tape, columns, POINTS) for tape in (truth, model))
        finite = [np.array([context(DIGITS).isfinite(v) for v in side]) for side in (t, m)]
        both = finite[0] & finite[1]
        if np.count_nonzero(both) < FEWEST or np.any(finite[0] != finite[1]):
            continue
        for kind in ("identical", "offset", "scale"):
            constant = _between(t[both], m[both], kind)
            if constant is not None:
                if not _holds(values, (truth, model), (kind, constant), ranges, columns):
                    return None
                known = None if kind == "identical" else float(constant)
                return Beyond(kind, known, int(np.count_nonzero(both)), how)
    return None


def _holds(
    values: Values,
    tapes: tuple[Sequence[Item], Sequence[Item]],
    between: tuple[str, Any],
    ranges: Ranges,
    columns: dict[str, np.ndarray],
) -> bool:
    """Whether the two are equal where they may be narrow, too; not where there are too many such places."""
    try:
        places = probes(tapes, ranges, columns, np.random.default_rng(1))
    except UnsearchedError:
        return False
    count = len(next(iter(places.values()), ()))
    kind, constant = between
    factor = constant if kind == "scale" else 1
    offset = constant if kind == "offset" else 0
    finite = context(DIGITS).isfinite
    for t, m in zip(*(values(tape, places, count) for tape in tapes), strict=True):
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


def complex_values(
    tape: Sequence[Item], columns: Mapping[str, np.ndarray], count: int
) -> np.ndarray:
    """Evaluate with complex numbers; NaN where a value is not real after all, or an operator has no such reading."""
    numbers = context(DIGITS)
    found = []
    for i in range(count):
        stack: list[Any] = []
        try:
            for item in tape:
                if isinstance(item, Operator):
                    arguments = stack[len(stack) - item.arity :]
                    del stack[len(stack) - item.arity :]
                    if item.complex is None:
                        raise ArithmeticError
                    stack.append(item.complex(_Bounded(numbers), *arguments))
                else:
                    number = columns[item][i] if isinstance(item, str) else item
                    stack.append(numbers.mpc(float(number)))
            value = numbers.mpc(stack[0])
            real = abs(value.imag) <= REAL * abs(value.real)
            found.append(value.real if real else numbers.nan)
        except (ValueError, ArithmeticError, TypeError):
            found.append(numbers.nan)
    return np.array(found, dtype=object)


class _Bounded:
    """mpmath's functions of complex numbers, where it can be said that their arithmetic ends."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.numbers, name)
        if name in SMALL:
            return function
        return partial(_bounded, function)


def _bounded(function: Callable[..., Any], *arguments: Any) -> Any:
    if any(abs(a) > LARGEST for a in arguments):
        raise ArithmeticError
    return function(*arguments)
