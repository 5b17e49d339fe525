"""Sums of products with exact coefficients, and the numbers in them.

Numbers are fractions: the decimals that are written, and 30 digits of the value of a function of numbers.
"""

from fractions import Fraction
from typing import Any, NamedTuple

from srlib.expressions.evaluate import arithmetic, evaluate_precisely
from srlib.expressions.operators import OPERATORS

DIGITS = 40  # of functions of numbers
BITS = 2000  # of a power of a number that is exact
LARGEST_MAGNITUDE = 1000  # bits; floats have 1024
SMALL_CONSTANT = (
    1e-3  # a constant term that small beside the largest coefficient does not lead a sum
)
TIE = 1e-9  # coefficients that near to the largest count as equally large

Number = int | Fraction


class Atom(NamedTuple):
    """A factor that is no product: a feature, a function of sums, or a sum that is not multiplied out ('sum')."""

    key: str
    name: str
    arguments: tuple[Any, ...] = ()
    positive: bool = False

    def __hash__(self) -> int:
        """Hash the key, which identifies the atom."""
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        """Compare the keys."""
        return isinstance(other, Atom) and self.key == other.key


Factors = tuple[
    tuple[Atom, Number], ...
]  # atoms and their exponents, sorted by key; no exponent is 0
Sum = dict[Factors, Number]  # the coefficient of each product


class NoNormalFormError(Exception):
    """The model has no normal form within the limits, or no value."""


FAILURES = (NoNormalFormError, RecursionError, ArithmeticError, ValueError, TypeError)


def compute(name: str, *arguments: Number) -> Number:
    """Value of an operator of numbers; a value that is a short number to 25 digits is that number.

    Raises
    ------
    NoNormalFormError
        When the value is not finite or not real.
    """
    if name == "pow" and arguments[1].denominator == 1 and arguments[0]:
        base, exponent = Fraction(arguments[0]), int(arguments[1])
        if abs(exponent) * (base.numerator * base.denominator).bit_length() <= BITS:
            return base**exponent
    n = arithmetic(DIGITS)
    tape: list[Any] = [n.mpf(a.numerator) / a.denominator for a in arguments]
    value = evaluate_precisely((*tape, OPERATORS[name]), {}, 1, DIGITS)[0]
    if not value:
        return 0
    if not n.isfinite(value) or abs(n.mag(value)) > LARGEST_MAGNITUDE:
        raise NoNormalFormError
    exact, short = (Fraction(n.nstr(value, digits)) for digits in (30, 14))
    return short if abs(short / exact - 1) < Fraction(1, 10**25) else exact


def constant_value(terms: Sum) -> Number | None:
    """Value of a sum without factors; None for any other sum."""
    return terms.get((), 0) if not terms or terms.keys() == {()} else None


def constant_sum(value: Number) -> Sum:
    """Return a number as a sum."""
    return {(): value} if value else {}


def add_term(terms: Sum, factors: Factors, value: Number) -> None:
    """Add a term to a sum, in place."""
    total = terms.get(factors, 0) + value
    if total:
        terms[factors] = total
    else:
        terms.pop(factors, None)


def scale(terms: Sum, by: Number) -> Sum:
    """Multiply a sum by a number."""
    return {factors: c * by for factors, c in terms.items()} if by else {}


def product_key(factors: Factors) -> str:
    """Name a product, the same for all texts."""
    return "*".join(f"{atom.key}^{p}" for atom, p in factors)


def sorted_terms(terms: Sum) -> list[tuple[Factors, Number]]:
    """Terms in an order that does not depend on the text; the constant is the first."""
    return sorted(terms.items(), key=lambda term: product_key(term[0]))


def leading_coefficient(terms: Sum) -> Number:
    """Return the constant term unless it is small, else the largest coefficient: no name decides its size."""
    largest = max(map(abs, terms.values()), default=1)
    if abs(terms.get((), 0)) >= SMALL_CONSTANT * largest:
        return terms.get((), 1)
    return next(c for _, c in sorted_terms(terms) if abs(c) >= (1 - TIE) * largest)


def unit_product(terms: Sum) -> Factors | None:
    """Return the product whose coefficient is 1 by agreement: a factor beside the sum has the scale of all."""
    return next((factors for factors, c in sorted_terms(terms) if abs(c) == 1), None)


def all_positive(factors: Factors) -> bool:
    """Whether all atoms of a product are positive."""
    return all(atom.positive for atom, _ in factors)


def has_positive_terms(terms: Sum) -> bool:
    """Whether a sum has positive terms only."""
    return all(c > 0 and all_positive(factors) for factors, c in terms.items())


def sum_key(terms: Sum) -> str:
    """Name a sum, the same for all texts."""
    return ",".join(f"{product_key(factors)}:{c}" for factors, c in sorted_terms(terms))
