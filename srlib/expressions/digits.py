"""Functions of mpmath's numbers for the table of operators, where NumPy's take floats only or have no bounds.

Each takes the arithmetic (see `truth.precise.context`) first. Beyond a size values are infinite, zero or undefined
before any digit is made, so that ``exp(exp(exp(9)))`` takes no time and no memory.
"""

from collections.abc import Callable
from typing import Any

# bits of a value's exponent (315,000 decimal digits): beyond is infinite, below zero
LARGEST = 2.0**20
TURNS = 2**14  # bits of an angle beyond which its turns are not counted

Precise = Callable[..., Any]


def exp(n: Any, a: Any) -> Any:
    """Exponential."""
    bits = _size(n, a) / 0.6931471805599453
    if abs(bits) < LARGEST or bits != bits:
        return n.exp(a)
    n.beyond = n.beyond or n.isfinite(a)
    return n.inf if bits > 0 else n.zero


def expm1(n: Any, a: Any) -> Any:
    """Exponential less 1."""
    if n.mag(a) < 1:
        return n.expm1(a)
    return exp(n, a) - 1


def sinh(n: Any, a: Any) -> Any:
    """Hyperbolic sine."""
    if n.mag(a) < 8:
        return n.sinh(a)
    return (exp(n, a) - exp(n, -a)) / 2


def cosh(n: Any, a: Any) -> Any:
    """Hyperbolic cosine."""
    return (exp(n, a) + exp(n, -a)) / 2


def power(n: Any, a: Any, b: Any) -> Any:
    """Power; undefined where it would be complex."""
    if not isinstance(a, n.mpf):
        a = n.mpf(a)
    if not isinstance(b, n.mpf):
        b = n.mpf(b)
    if a and n.isfinite(a) and n.isfinite(b) and (abs(n.mag(a)) + 1) * abs(_size(n, b)) > LARGEST:
        bits = float(n.log(abs(a), 2)) * _size(n, b) if abs(a) != 1 else 0.0
        if abs(bits) > LARGEST:
            n.beyond = True
            return _beyond(n, a, b, bits)
    return a**b


def _beyond(n: Any, a: Any, b: Any, bits: float) -> Any:
    if a < 0 and not n.isint(b):
        return n.nan
    if bits < 0:
        return n.zero
    odd = a < 0 and n.mag(b) < TURNS and int(b) % 2
    return -n.inf if odd else n.inf


def bounded(name: str, most: float, beyond: Precise) -> Precise:
    """Return a function of mpmath that is `beyond` for arguments of more than `most` bits."""

    def apply(n: Any, a: Any) -> Any:
        a = n.mpf(a)
        if n.isfinite(a) and n.mag(a) > most:
            return beyond(n, a)
        return getattr(n, name)(a)

    return apply


def turning(name: str) -> Precise:
    """Return a trigonometric function of mpmath, undefined where the angle has too many turns."""
    return bounded(name, TURNS, lambda n, a: n.nan)


def saturating(name: str) -> Precise:
    """Return a function of mpmath that is the sign of large arguments."""
    return bounded(name, 10, lambda n, a: n.sign(a))


def _size(n: Any, a: Any) -> float:
    """Value as a float, infinite beyond its range."""
    if not a:
        return 0.0
    if not n.isfinite(a) or n.mag(a) < 1000:
        return float(a)
    return float("inf") * n.sign(a)
