"""Exact sums of products, read from a tape with rules that gather the constants of a model.

Every rule preserves the value wherever the text has one; the sum may be defined at more points (``x/x`` becomes 1).
Numbers are fractions: decimals as written, and float64 values of functions of numbers.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np

from srlib.expressions.operators import GPLEARN_THRESHOLD, OPERATORS, Function, Operator, Tape
from srlib.expressions.parse import tape_of
from srlib.expressions.tree import Expression, run_tape

MOST_PRODUCTS = 20_000  # limit of products of two terms, in total
HIGHEST_POWER = 12  # largest power of a sum that is multiplied out
LARGEST_EXPONENT = 300  # exponentials of larger numbers may overflow
MOST_DIGITS = 600  # limit of digits of an exact power of a number
DEEPEST_NESTING = 60  # functions within functions
# a constant term below this share of the largest coefficient does not lead a sum
SMALL_CONSTANT = 1e-3
UNIT = Fraction(1)


@dataclass(frozen=True)
class Atom:
    """Factor that is not a product: a feature, a function of sums, or a sum that is not multiplied out ('sum').

    `key` identifies the atom; `depth` counts nested functions.
    """

    key: str
    name: str = field(compare=False)  # `key` contains the other fields
    arguments: tuple[Any, ...] = field(default=(), compare=False)
    positive: bool = field(default=False, compare=False)
    depth: int = field(default=0, compare=False)


# atoms and their exponents, sorted by key; no exponent is 0
Factors = tuple[tuple[Atom, Fraction], ...]
Sum = dict[Factors, Fraction]  # the coefficient of each product


class NoNormalFormError(ArithmeticError):
    """Error for a model that has no value, or no normal form within the limits."""


# ValueError: Python does not print integers of more than 4300 digits
NO_FORM_ERRORS = ArithmeticError, ValueError


def make_atom(name: str, *arguments: Sum) -> Atom:
    """Return a function of sums as an atom.

    Raises
    ------
    NoNormalFormError
        When functions are nested deeper than `DEEPEST_NESTING`.
    """
    atoms = [atom for terms in arguments for factors in terms for atom, _ in factors]
    depth = 1 + max((atom.depth for atom in atoms), default=0)
    if depth > DEEPEST_NESTING:
        raise NoNormalFormError
    positive = (
        OPERATORS[name].positive
        if name in OPERATORS
        else all(coefficient > 0 for coefficient in arguments[0].values())
        and all(atom.positive for atom in atoms)
    )
    keys = (
        ",".join(f"{product_key(f)}:{coefficient}" for f, coefficient in sorted_terms(terms))
        for terms in arguments
    )
    return Atom(f"{name}({';'.join(keys)})", name, arguments, positive, depth)


def monomial(atom: Atom) -> Sum:
    """Return an atom as a sum."""
    return {((atom, UNIT),): UNIT}


def constant_sum(value: Fraction) -> Sum:
    """Return a number as a sum."""
    return {(): value} if value else {}


def constant_value(terms: Sum) -> Fraction | None:
    """Return the value of a sum that is a number; None for any other sum."""
    return terms.get((), Fraction(0)) if terms.keys() <= {()} else None


def add_up(sums: Iterable[Sum]) -> Sum:
    """Return the sum of sums, with like terms collected."""
    total: dict[Factors, Fraction] = defaultdict(Fraction)
    for terms in sums:
        for factors, coefficient in terms.items():
            total[factors] += coefficient
    return {factors: coefficient for factors, coefficient in total.items() if coefficient}


def scale(terms: Sum, factor: Fraction) -> Sum:
    """Return a sum multiplied by a number."""
    return {factors: coefficient * factor for factors, coefficient in terms.items() if factor}


def product_key(factors: Factors) -> str:
    """Return the key of a product, which does not depend on how the text was written."""
    return "*".join(f"{atom.key}^{power}" for atom, power in factors)


def sorted_terms(terms: Sum) -> list[tuple[Factors, Fraction]]:
    """Return the terms in an order that does not depend on the text, with the constant first."""
    return sorted(terms.items(), key=lambda term: product_key(term[0]))


def leading_coefficient(terms: Sum) -> Fraction:
    """Return the constant term unless it is small, else the largest coefficient; names only break ties."""
    largest = max((coefficient for _, coefficient in sorted_terms(terms)), key=abs)
    constant = terms.get((), Fraction(0))
    return constant if abs(constant) >= SMALL_CONSTANT * abs(largest) else largest


def unit_product(terms: Sum) -> Factors | None:
    """Return the first product with coefficient 1 or -1, which is fixed and cannot move; None if there is none."""
    units = (factors for factors, coefficient in sorted_terms(terms) if abs(coefficient) == 1)
    return next(units, None)


def compute(name: str, *arguments: Fraction) -> Fraction:
    """Return the value of an operator applied to numbers, rounded to 13 digits if that changes only rounding noise.

    Raises
    ------
    NoNormalFormError
        When the value is not finite and real.
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


@dataclass
class Algebra:
    """Rules of sums of products, and a reader of tapes with a stack of sums.

    Parameters
    ----------
    positive : frozenset of str
        Features that are positive.
    most_terms : int
        Largest number of terms up to which products of sums are multiplied out; 1 keeps products as in the text.
    short : bool
        Whether to make the form that `shortest` writes: numbers are multiplied into sums, and a function is kept if its
        definition by other operators is longer.
    work : int
        Number of products of two terms so far; limited by `MOST_PRODUCTS`.
    """

    positive: frozenset[str] = frozenset()
    most_terms: int = 1
    short: bool = False
    work: int = 0

    def read(self, expression: Expression) -> Sum:
        """Convert a model to a sum of products."""
        atoms = (Atom(f"`{f}`", f, (), f in self.positive) for f in expression.features)
        return self.run(expression.tape, {atom.name: monomial(atom) for atom in atoms})

    def run(self, tape: Tape, values: Mapping[str, Sum]) -> Sum:
        """Convert a tape to a sum of products, with `values` in place of its names."""
        return run_tape(
            tape,
            values,
            lambda operator: partial(self.apply, operator),
            lambda constant: constant_sum(Fraction(repr(constant))),
        )

    def apply(self, operator: Operator, *arguments: Sum) -> Sum:
        """Return an operator applied to sums."""
        name = operator.name
        if name in MEANINGS and not (self.short and name in LONG_MEANINGS):
            return self.run(MEANINGS[name], dict(zip("ab", arguments, strict=False)))
        numbers = [constant_value(argument) for argument in arguments]
        if None not in numbers and name not in ("add", "mul"):
            return constant_sum(compute(name, *numbers))  # type: ignore[arg-type]
        if name in RULES:
            result = RULES[name](self, *arguments)
            if result is not None:
                return result
        if operator.parity and leading_coefficient(arguments[0]) < 0:
            mirrored = make_atom(name, scale(arguments[0], -UNIT))
            return scale(monomial(mirrored), operator.parity * UNIT)
        return monomial(make_atom(name, *arguments))

    def times(self, a: Sum, b: Sum) -> Sum:
        """Return the product of two sums; if it is too long to multiply out, the sums become factors."""
        for factor, terms in ((a, b), (b, a)):
            value = constant_value(factor)
            if value is not None and (self.has_units or len(terms) < 2 or value in (0, 1, -1)):
                return scale(terms, value)
        if len(a) * len(b) > self.most_terms:
            a, b = self.as_factor(a), self.as_factor(b)
        self.work += len(a) * len(b)
        if self.work > MOST_PRODUCTS:
            raise NoNormalFormError
        pairs = product(a.items(), b.items())
        return add_up(self.join((*f, *g), c * d) for (f, c), (g, d) in pairs)

    @property
    def has_units(self) -> bool:
        """Whether the leading coefficient of a sum that is a factor is moved in front of it."""
        return self.short or self.most_terms > 1

    def as_factor(self, terms: Sum) -> Sum:
        """Return a sum as a single term, with the sum as a factor if it has several terms."""
        if len(terms) < 2:
            return terms
        content = UNIT
        if self.short:  # any coefficient of the constant term is equally short
            content = leading_coefficient({factors: c for factors, c in terms.items() if factors})
        elif self.has_units:
            content = leading_coefficient(terms)
        return scale(monomial(make_atom("sum", scale(terms, 1 / content))), content)

    def join(self, factors: Sequence[tuple[Atom, Fraction]], value: Fraction) -> Sum:
        """Return `value` times the factors, with powers of the same base and exponentials joined."""
        exponents = (
            scale(atom.arguments[0], power) for atom, power in factors if atom.name == "exp"
        )
        powers = [pair for pair in factors if pair[0].name != "exp"]
        return scale(self._multiply(self.exp(add_up(exponents)), powers), value)

    def _multiply(self, terms: Sum, factors: list[tuple[Atom, Fraction]]) -> Sum:
        """Return a sum multiplied by factors without exponentials, with powers of the same base joined."""
        products = []
        for own_factors, coefficient in terms.items():
            powers: dict[Atom, Fraction] = defaultdict(Fraction)
            for atom, power in (*own_factors, *factors):
                powers[atom] += power
            pairs = sorted(
                (pair for pair in powers.items() if pair[1]), key=lambda pair: pair[0].key
            )
            if self.short and [(atom.name, power) for atom, power in pairs] == [("sum", 1)]:
                products.append(scale(pairs[0][0].arguments[0], coefficient))
            else:
                products.append({tuple(pairs): coefficient})
        return add_up(products)

    def power(self, base: Sum, exponent: Fraction) -> Sum:
        """Return a sum raised to a number; multiplied out or split only if that is exact on the whole domain."""
        integral = exponent.denominator == 1
        is_sum = len(base) > 1 and integral and 1 <= exponent <= HIGHEST_POWER
        if is_sum and math.comb(len(base) + int(exponent) - 1, int(exponent)) <= self.most_terms:
            return reduce(self.times, [base] * int(exponent))
        ((factors, coefficient),) = self.as_factor(base).items()
        if not integral:
            factors, coefficient = separate_roots(factors, coefficient, exponent)
        return self.join(
            [(atom, power * exponent) for atom, power in factors],
            compute("pow", coefficient, exponent),
        )

    def raise_to(self, base: Sum, exponent: Sum) -> Sum:
        """Return a sum raised to a sum; a positive number to the power of a sum becomes an exponential."""
        exponent_value, base_value = constant_value(exponent), constant_value(base)
        if exponent_value is not None:
            return self.power(base, exponent_value)
        if base_value is not None and base_value > 0 and not self.short:
            return self.exp(scale(exponent, compute("log", base_value)))
        return monomial(make_atom("pow", base, exponent))

    def exp(self, terms: Sum) -> Sum:
        """Return the exponential of a sum: constant terms become factors, logarithms become powers."""
        exponent: Sum = {}
        result = constant_sum(UNIT)
        for factors, coefficient in terms.items():
            if not factors and abs(coefficient) < LARGEST_EXPONENT:
                result = scale(result, compute("exp", coefficient))
            elif [(atom.name, power) for atom, power in factors] == [("log", 1)]:
                result = self.times(result, self.power(factors[0][0].arguments[0], coefficient))
            else:
                exponent[factors] = coefficient
        factors = [(make_atom("exp", exponent), UNIT)] if exponent else []
        return self._multiply(result, factors)

    def log(self, terms: Sum) -> Sum:
        """Return the logarithm of a sum: its number becomes a term, and so do its factors if all are positive."""
        ((factors, coefficient),) = self.as_factor(terms).items()
        result = constant_sum(compute("log", abs(coefficient)))
        if coefficient < 0 or not all(atom.positive for atom, _ in factors):
            logarithm = make_atom("log", {factors: coefficient / abs(coefficient)})
            return add_up([monomial(logarithm), result])
        for atom, power in factors:
            is_exp = atom.name == "exp"
            term = atom.arguments[0] if is_exp else monomial(make_atom("log", monomial(atom)))
            result = add_up([result, scale(term, power)])
        return result

    def abs(self, terms: Sum) -> Sum:
        """Return the absolute value of a sum, with its number moved outside."""
        ((factors, coefficient),) = self.as_factor(terms).items()
        if is_never_negative(factors):
            return {factors: abs(coefficient)}
        return scale(monomial(make_atom("abs", {factors: UNIT})), abs(coefficient))

    def divide(self, a: Sum, b: Sum, protected: float) -> Sum | None:
        """Return a / b, or 1 if abs(b) <= `protected`; None unless b is a number or equals a."""
        divisor = constant_value(b)
        if a == b or (divisor is not None and abs(divisor) <= protected):
            return constant_sum(UNIT)
        return None if divisor is None else self.times(a, constant_sum(1 / divisor))


def separate_roots(
    factors: Factors, coefficient: Fraction, exponent: Fraction
) -> tuple[Factors, Fraction]:
    """Return factors and number of a nonnegative product such that each may be raised to a fraction separately."""
    if coefficient < 0:  # the sign moves to the factors
        return ((make_atom("sum", {factors: -UNIT}), UNIT),), -coefficient
    if is_never_negative(factors):  # sqrt(x**2*y**2) is abs(x)*abs(y)
        magnitudes = (
            (a if a.positive or power * exponent % 2 == 0 else make_atom("abs", monomial(a)), power)
            for a, power in factors
        )
        return tuple(magnitudes), coefficient
    if [power for _, power in factors] != [1]:  # sqrt(x*y) where both are negative
        factors = ((make_atom("sum", {factors: UNIT}), UNIT),)
    return factors, coefficient


def is_never_negative(factors: Factors) -> bool:
    """Return whether a product consists of positive factors and even powers only."""
    return all(atom.positive or power % 2 == 0 for atom, power in factors)


LONG_MEANINGS = frozenset(["log1p", "expm1", "sigmoid", "gauss", "aq", "log2", "log10"])
MEANINGS = {
    name: tape_of(text)
    for name, text in (
        {name: operator.meaning for name, operator in OPERATORS.items()}
        | {"sub": "a + -1*b", "neg": "-1*a", "div": "a*b**-1", "sqrt": "a**0.5"}
        | {name: OPERATORS[name].sympy for name in ("log2", "log10")}
    ).items()
    if text and "Piecewise" not in text
}
RULES: dict[str, Function] = {
    "add": lambda _, *terms: add_up(terms),
    "mul": Algebra.times,
    "pow": Algebra.raise_to,
    "exp": Algebra.exp,
    "log": Algebra.log,
    "abs": Algebra.abs,
    "gplearn_div": partial(Algebra.divide, protected=GPLEARN_THRESHOLD),
    "deap_div": partial(Algebra.divide, protected=0.0),
}
