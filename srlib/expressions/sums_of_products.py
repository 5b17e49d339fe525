"""Sums of products with exact coefficients: the data type of the algebra, and the numbers in it.

Numbers are fractions: the decimals that are written, and the float64 value of a function of numbers.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from srlib.expressions.operators import OPERATORS

MOST_DIGITS = 600  # of a power of a number that is exact
DEEPEST = 60  # functions within functions
SMALL_CONSTANT = 1e-3  # beside the largest coefficient: a smaller constant term does not lead a sum
UNIT = Fraction(1)


@dataclass(frozen=True)
class Atom:
    """A factor that is no product: a feature, a function of sums, or a sum that is not multiplied out ('sum').

    The key identifies the atom; `depth` counts functions within functions.
    """

    key: str
    name: str = field(compare=False)  # the key holds all
    arguments: tuple[Any, ...] = field(default=(), compare=False)
    positive: bool = field(default=False, compare=False)
    depth: int = field(default=0, compare=False)


# atoms and their exponents, sorted by key; no exponent is 0
Factors = tuple[tuple[Atom, Fraction], ...]
Sum = dict[Factors, Fraction]  # the coefficient of each product


class NoNormalFormError(ArithmeticError):
    """The model has no normal form within the limits, or no value."""


def make_atom(name: str, *arguments: Sum) -> Atom:
    """Return a function of sums as an atom.

    Raises
    ------
    NoNormalFormError
        When functions are nested deeper than `DEEPEST`.
    """
    atoms = [atom for terms in arguments for factors in terms for atom, _ in factors]
    depth = 1 + max((atom.depth for atom in atoms), default=0)
    if depth > DEEPEST:
        raise NoNormalFormError
    positive = (
        OPERATORS[name].positive
        if name in OPERATORS
        else all(c > 0 for c in arguments[0].values()) and all(atom.positive for atom in atoms)
    )
    keys = (
        ",".join(f"{product_key(f)}:{c}" for f, c in sorted_terms(terms)) for terms in arguments
    )
    return Atom(f"{name}({';'.join(keys)})", name, arguments, positive, depth)


def monomial(atom: Atom) -> Sum:
    """Return an atom as a sum."""
    return {((atom, UNIT),): UNIT}


def constant_sum(value: Fraction) -> Sum:
    """Return a number as a sum."""
    return {(): value} if value else {}


def constant_value(terms: Sum) -> Fraction | None:
    """Value of a sum without factors; None for any other sum."""
    return terms.get((), Fraction(0)) if terms.keys() <= {()} else None


def add_up(sums: Iterable[Sum]) -> Sum:
    """Add sums, and collect the terms of each product."""
    total: dict[Factors, Fraction] = defaultdict(Fraction)
    for terms in sums:
        for factors, c in terms.items():
            total[factors] += c
    return {factors: c for factors, c in total.items() if c}


def scale(terms: Sum, by: Fraction) -> Sum:
    """Multiply a sum by a number."""
    return {factors: c * by for factors, c in terms.items() if by}


def product_key(factors: Factors) -> str:
    """Name a product, the same for all texts."""
    return "*".join(f"{atom.key}^{p}" for atom, p in factors)


def sorted_terms(terms: Sum) -> list[tuple[Factors, Fraction]]:
    """Terms in an order that does not depend on the text; the constant is the first."""
    return sorted(terms.items(), key=lambda term: product_key(term[0]))


def leading_coefficient(terms: Sum) -> Fraction:
    """Return the constant term unless it is small, else the largest coefficient: no name decides its size."""
    largest = max((c for _, c in sorted_terms(terms)), key=abs)
    constant = terms.get((), Fraction(0))
    return constant if abs(constant) >= SMALL_CONSTANT * abs(largest) else largest


def unit_product(terms: Sum) -> Factors | None:
    """Return the product whose coefficient is 1 by agreement: a factor beside the sum has the scale of all."""
    return next((factors for factors, c in sorted_terms(terms) if abs(c) == 1), None)


def compute(name: str, *arguments: Fraction) -> Fraction:
    """Value of an operator of numbers; what is a number of 13 digits but for rounding is that number.

    Raises
    ------
    NoNormalFormError
        When the value is not finite or not real.
    """
    if name == "pow" and arguments[1].denominator == 1 and arguments[0]:
        base, exponent = arguments[0], int(arguments[1])
        if abs(exponent) * len(str(base)) <= MOST_DIGITS:
            return base**exponent
    with np.errstate(all="ignore"):
        value = float(OPERATORS[name].numpy(*map(np.float64, arguments)))
    if not math.isfinite(value):
        raise NoNormalFormError
    short = f"{value:.13g}"
    return Fraction(short if math.isclose(float(short), value, rel_tol=5e-16) else repr(value))
