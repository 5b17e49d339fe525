"""Sums of products as dictionaries: a coefficient by the factors that it multiplies, with exact numbers."""

import math
from fractions import Fraction
from typing import Any, NamedTuple

LONGEST = 2000  # bits of an exact fraction; beyond it is a float
TINY = 1e-3  # a constant term that small beside the largest coefficient is never the one that is taken out
TIE = (
    1e-9  # coefficients that near to the largest are as large: digits that were lost decide nothing
)

Number = int | Fraction | float  # exact where it can be


class Atom(NamedTuple):
    """A factor that is taken as a whole: a feature, a function of sums, or a sum that is not multiplied out."""

    key: str
    name: str
    arguments: tuple[Any, ...] = ()
    positive: bool = False
    depth: int = 0

    def __hash__(self) -> int:
        """Hash the key, which says all."""
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        """Compare the keys."""
        return isinstance(other, Atom) and self.key == other.key


Factors = tuple[tuple[Atom, Number], ...]  # sorted by key; exponents are not 0
Sum = dict[Factors, Number]


class TooMuchError(Exception):
    """The function has no such form within the limits."""


def exact(value: int | float) -> Number:
    """Return the decimal number that was written, as a fraction."""
    if isinstance(value, int):
        return value
    if 1e-60 < abs(value) < 1e60:
        return Fraction(repr(value))
    return value


def as_float(value: Number) -> float:
    """Return a finite float."""
    found = float(value)
    if not math.isfinite(found):
        raise TooMuchError
    return found


def lean(value: Number) -> Number:
    """Keep a fraction exact while it is short."""
    if isinstance(value, float):
        return as_float(value)
    long = value.numerator.bit_length() + value.denominator.bit_length() > LONGEST
    return as_float(value) if long else value


def plus(a: Number, b: Number) -> Number:
    """Add two numbers."""
    return lean(a + b)


def times(a: Number, b: Number) -> Number:
    """Multiply two numbers; what vanishes is not written as 0."""
    if a and b and not a * b:
        raise TooMuchError
    return lean(a * b)


def raised(c: Number, n: Number) -> Number:
    """Raise a number to a power."""
    if c == 1:
        return c
    if not isinstance(c, float) and n == round(n):
        bits = c.numerator.bit_length() + c.denominator.bit_length()
        if abs(n) * bits <= LONGEST:
            return Fraction(c) ** int(n)
    return as_float(float(c) ** (int(n) if n == round(n) and abs(n) < 2**53 else float(n)))


def share(a: Number, b: Number) -> Number:
    """Divide two numbers; what is divided by itself is 1."""
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return Fraction(a) / b


def constant(value: Number) -> Sum:
    """Return a number as a sum."""
    value = lean(value)
    return {(): value} if value else {}


def single(atom: Atom) -> Sum:
    """Return one factor as a sum."""
    return {((atom, 1),): 1}


def number(a: Sum) -> Number | None:
    """Return the value of a sum without factors."""
    if not a or (len(a) == 1 and () in a):
        return a.get((), 0)
    return None


def put(a: Sum, factors: Factors, value: Number) -> None:
    """Add a term to a sum, in place."""
    total = plus(a.get(factors, 0), value)
    if total:
        a[factors] = total
    else:
        a.pop(factors, None)


def scaled(a: Sum, by: Number) -> Sum:
    """Multiply a sum by a number."""
    if by:
        return {f: times(c, by) for f, c in a.items()}
    return {}


def key(factors: Factors) -> str:
    """Name a product, the same for all texts."""
    return "*".join(f"{atom.key}^{p}" for atom, p in factors)


def ordered(a: Sum) -> list[tuple[Factors, Number]]:
    """Return the terms in an order that no text changes; the constant is the first."""
    return sorted(a.items(), key=lambda pair: key(pair[0]))


def first(a: Sum) -> tuple[Factors, Number]:
    """Return the constant term unless it is tiny, else the one with the largest coefficient: no name decides."""
    largest = max((abs(c) for c in a.values()), default=1)
    if a.get((), 0) and abs(a[()]) >= TINY * largest:
        return (), a[()]
    return next((pair for pair in ordered(a) if abs(pair[1]) >= (1 - TIE) * largest), ((), 1))


def unit(a: Sum) -> Factors | None:
    """Return the term whose coefficient is 1 by agreement: a factor beside it has the scale of all."""
    return next((f for f, c in ordered(a) if abs(c) == 1), None)


def is_positive(a: Sum) -> bool:
    """Whether a sum has positive terms only."""
    return all(c > 0 and all(atom.positive for atom, _ in f) for f, c in a.items())
