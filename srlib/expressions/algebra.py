"""Exact sums of products: reads them from a tape, with the rules that gather the constants of a model.

Every rule keeps the value wherever the text has one; the sum may have more values (``x/x`` is 1). Numbers are
fractions: the decimals that are written, and the float64 value of a function of numbers.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np

from srlib.expressions.operators import OPERATORS, THRESHOLD, Operator
from srlib.expressions.parse import parse
from srlib.expressions.tree import Expression, Item

MOST_PRODUCTS = 20_000  # products of two terms in all
HIGHEST_POWER = 12  # of a sum that is multiplied out
LARGEST_EXPONENT = 300  # the exponential of a larger one may leave the range of floats
MOST_DIGITS = 600  # of a power of a number that is exact
DEEPEST_NESTING = 60  # functions within functions
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


NO_FORM_ERRORS = (ArithmeticError, ValueError)  # Python writes no fraction of more than 4300 digits


def make_atom(name: str, *arguments: Sum) -> Atom:
    """Return a function of sums as an atom.

    Raises
    ------
    NoNormalFormError
        When functions are nested deeper than `DEEPEST`.
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
    """Return the value of a sum without factors; None for any other sum."""
    return terms.get((), Fraction(0)) if terms.keys() <= {()} else None


def add_up(sums: Iterable[Sum]) -> Sum:
    """Add sums, and collect the terms of each product."""
    total: dict[Factors, Fraction] = defaultdict(Fraction)
    for terms in sums:
        for factors, coefficient in terms.items():
            total[factors] += coefficient
    return {factors: coefficient for factors, coefficient in total.items() if coefficient}


def scale(terms: Sum, factor: Fraction) -> Sum:
    """Multiply a sum by a number."""
    return {factors: coefficient * factor for factors, coefficient in terms.items() if factor}


def product_key(factors: Factors) -> str:
    """Return the key of a product, the same for all texts."""
    return "*".join(f"{atom.key}^{power}" for atom, power in factors)


def sorted_terms(terms: Sum) -> list[tuple[Factors, Fraction]]:
    """Return the terms in an order that does not depend on the text; the constant is the first."""
    return sorted(terms.items(), key=lambda term: product_key(term[0]))


def leading_coefficient(terms: Sum) -> Fraction:
    """Return the constant term unless it is small, else the largest coefficient: no name decides its size."""
    largest = max((coefficient for _, coefficient in sorted_terms(terms)), key=abs)
    constant = terms.get((), Fraction(0))
    return constant if abs(constant) >= SMALL_CONSTANT * abs(largest) else largest


def unit_product(terms: Sum) -> Factors | None:
    """Return the product whose coefficient is 1 by agreement: a factor beside the sum has the scale of all."""
    return next(
        (factors for factors, coefficient in sorted_terms(terms) if abs(coefficient) == 1), None
    )


def compute(name: str, *arguments: Fraction) -> Fraction:
    """Return the value of an operator of numbers; a value that rounding alone keeps from 13 digits has 13.

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


@dataclass
class Algebra:
    """Rules of sums of products, and a reader of tapes with a stack of sums.

    Parameters
    ----------
    positive : frozenset of str
        Features that are positive.
    most_terms : int
        Products of sums are multiplied out up to so many terms; 1 keeps the products that the text has.
    short : bool
        Make the form that `shortest` writes: numbers are multiplied into sums, and functions stay as they are where
        their meaning would be longer.
    """

    positive: frozenset[str] = frozenset()
    most_terms: int = 1
    short: bool = False
    work: int = 0

    def read(self, expression: Expression) -> Sum:
        """Return the sum of products of a model."""
        atoms = (Atom(f"`{f}`", f, (), f in self.positive) for f in expression.features)
        return self.run(expression.tape, {atom.name: monomial(atom) for atom in atoms})

    def run(self, tape: tuple[Item, ...], values: Mapping[str, Sum]) -> Sum:
        """Return the sum of products of a tape whose names stand for sums."""
        stack: list[Sum] = []
        for item in tape:
            if isinstance(item, Operator):
                first = len(stack) - item.arity
                stack[first:] = [self.apply(item, stack[first:])]
            elif isinstance(item, str):
                stack.append(values[item])
            else:
                stack.append(constant_sum(Fraction(repr(item))))
        return stack[0]

    def apply(self, operator: Operator, arguments: list[Sum]) -> Sum:
        """Apply an operator to sums."""
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
        """Multiply two sums; a product that is too long to be multiplied out has sums as factors."""
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
        """Whether a sum that is a factor gives up its leading coefficient, and takes numbers beside it."""
        return self.short or self.most_terms > 1

    def as_factor(self, terms: Sum) -> Sum:
        """Return a sum as one term."""
        if len(terms) < 2:
            return terms
        content = UNIT
        if self.short:  # a constant term is as short with any coefficient
            content = leading_coefficient({factors: c for factors, c in terms.items() if factors})
        elif self.has_units:
            content = leading_coefficient(terms)
        return scale(monomial(make_atom("sum", scale(terms, 1 / content))), content)

    def join(self, factors: Sequence[tuple[Atom, Fraction]], value: Fraction) -> Sum:
        """Return a product of factors: powers of one base joined, exponentials too."""
        exponents = (
            scale(atom.arguments[0], power) for atom, power in factors if atom.name == "exp"
        )
        powers = [pair for pair in factors if pair[0].name != "exp"]
        return scale(self._multiply(self.exp(add_up(exponents)), powers), value)

    def _multiply(self, terms: Sum, factors: list[tuple[Atom, Fraction]]) -> Sum:
        """Multiply a sum by a product without exponentials."""
        return add_up(
            self._collect((*own_factors, *factors), coefficient)
            for own_factors, coefficient in terms.items()
        )

    def _collect(self, factors: Sequence[tuple[Atom, Fraction]], value: Fraction) -> Sum:
        """Join powers of one base."""
        powers: dict[Atom, Fraction] = defaultdict(Fraction)
        for atom, power in factors:
            powers[atom] += power
        pairs = sorted(
            ((atom, power) for atom, power in powers.items() if power), key=lambda pair: pair[0].key
        )
        if self.short and [(atom.name, power) for atom, power in pairs] == [("sum", 1)]:
            return scale(pairs[0][0].arguments[0], value)
        return {tuple(pairs): value}

    def power(self, base: Sum, exponent: Fraction) -> Sum:
        """Raise to a constant power, where that is exact on the whole domain."""
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
        """Raise to a sum; a number to the power of a sum is an exponential."""
        exponent_value, base_value = constant_value(exponent), constant_value(base)
        if exponent_value is not None:
            return self.power(base, exponent_value)
        if base_value is not None and base_value > 0 and not self.short:
            return self.exp(scale(exponent, compute("log", base_value)))
        return monomial(make_atom("pow", base, exponent))

    def exp(self, terms: Sum) -> Sum:
        """Take the exponential: constants become factors, logarithms powers."""
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
        """Take the logarithm: a number becomes a term, and factors do where all are positive."""
        ((factors, coefficient),) = self.as_factor(terms).items()
        result = constant_sum(compute("log", abs(coefficient)))
        if coefficient < 0 or not all(atom.positive for atom, _ in factors):
            return add_up(
                [monomial(make_atom("log", {factors: coefficient / abs(coefficient)})), result]
            )
        for atom, power in factors:
            is_exp = atom.name == "exp"
            term = atom.arguments[0] if is_exp else monomial(make_atom("log", monomial(atom)))
            result = add_up([result, scale(term, power)])
        return result

    def abs(self, terms: Sum) -> Sum:
        """Take the magnitude: numbers and positive factors stand outside."""
        ((factors, coefficient),) = self.as_factor(terms).items()
        if is_never_negative(factors):
            return {factors: abs(coefficient)}
        return scale(monomial(make_atom("abs", {factors: UNIT})), abs(coefficient))

    def divide(self, a: Sum, b: Sum, protected: float) -> Sum | None:
        """Divide as an operator that gives 1 up to a `protected` divisor; None where no rule applies."""
        divisor = constant_value(b)
        if a == b:
            return constant_sum(UNIT)
        if divisor is None:
            return None
        if abs(divisor) <= protected:
            return constant_sum(UNIT)
        return self.times(a, constant_sum(1 / divisor))


def separate_roots(
    factors: Factors, coefficient: Fraction, exponent: Fraction
) -> tuple[Factors, Fraction]:
    """Return a product, which is not negative, as factors that are raised to a fraction one by one."""
    if coefficient < 0:  # the minus stays with the factors
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
    """Whether a product consists of positive factors and even powers."""
    return all(atom.positive or power % 2 == 0 for atom, power in factors)


LONG_MEANINGS = frozenset(["log1p", "expm1", "sigmoid", "gauss", "aq", "log2", "log10"])
MEANINGS = {
    name: parse(text).tape
    for name, text in (
        {name: operator.meaning for name, operator in OPERATORS.items() if operator.meaning}
        | {"sub": "a + -1*b", "neg": "-1*a", "div": "a*b**-1", "sqrt": "a**0.5"}
        | {"log2": "log(a)/log(2)", "log10": "log(a)/log(10)"}
    ).items()
    if "Piecewise" not in text
}
RULES: dict[str, Callable[..., Sum | None]] = {
    "add": lambda _, *terms: add_up(terms),
    "mul": Algebra.times,
    "pow": Algebra.raise_to,
    "exp": Algebra.exp,
    "log": Algebra.log,
    "abs": Algebra.abs,
    "gplearn_div": partial(Algebra.divide, protected=THRESHOLD),
    "deap_div": partial(Algebra.divide, protected=0.0),
}
