"""From a tape to a sum of products: exact rules that gather the constants of a model.

Every rule keeps the value wherever the text has one; the sum may have more values (``x/x`` is 1).
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache

from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.parse import parse
from srlib.expressions.sums_of_products import (
    Atom,
    Factors,
    NoNormalFormError,
    Number,
    Sum,
    add_term,
    all_positive,
    compute,
    constant_sum,
    constant_value,
    has_positive_terms,
    leading_coefficient,
    scale,
    sum_key,
)
from srlib.expressions.tree import Item

MOST_TERMS = 80  # of a product of sums that is multiplied out
MOST_WORK = 20_000  # products of two terms in all
LARGEST_EXPONENT = 300  # the exponential of a larger one may leave the range of floats


class Algebra:
    """Sums of products: reads a tape with a stack of sums.

    Parameters
    ----------
    positive : frozenset of str
        Features that are positive.
    expand : bool
        Multiply products of sums out, up to `most_terms` terms.
    whole : float
        As in `normal_form`.
    short : bool
        Make the form that `shortest` writes: nothing is multiplied out, no depth is too large, and functions stay as
        they are where the expanded meaning or a constant split off would be longer.
    """

    def __init__(
        self,
        positive: frozenset[str],
        *,
        expand: bool,
        whole: float = 0.0,
        most_terms: int = MOST_TERMS,
        short: bool = False,
    ) -> None:
        self.positive, self.whole, self.short = positive, whole, short
        self.most_terms = most_terms if expand else 1
        self.takes_content = expand or short
        self.work = 0
        self.rounded: list[float] = []
        self.functions: list[Atom] = []

    def read(self, tape: tuple[Item, ...], values: dict[str, Sum] | None = None) -> Sum:
        """Return the sum of products of a tape, in which some names stand for sums."""
        stack: list[Sum] = []
        for item in tape:
            if isinstance(item, Operator):
                first = len(stack) - item.arity
                stack[first:] = [self.apply(item, stack[first:])]
            elif values and item in values:
                stack.append(values[item])  # type: ignore[index]
            elif isinstance(item, str):
                feature = Atom(f"`{item}`", item, (), item in self.positive)
                stack.append({((feature, 1),): 1})
            else:
                stack.append(constant_sum(item if isinstance(item, int) else Fraction(repr(item))))
        return stack[0]

    def apply(self, operator: Operator, arguments: list[Sum]) -> Sum:
        """Apply an operator to sums."""
        name = operator.name
        if name in RULES and (result := RULES[name](self, *arguments)) is not None:
            return result
        meaning = _meaning(operator, self.short)
        if meaning:
            return self.read(meaning, dict(zip("ab", arguments, strict=False)))
        numbers = [constant_value(argument) for argument in arguments]
        if None not in numbers:
            return constant_sum(compute(name, *numbers))  # type: ignore[arg-type]
        if operator.parity and leading_coefficient(arguments[0]) < 0:
            return scale(self.function(name, scale(arguments[0], -1)), operator.parity)
        return self.function(name, *arguments)

    def function(self, name: str, *arguments: Sum) -> Sum:
        """Return a function of sums as one term."""
        parts = (sum_key(argument) for argument in arguments)
        key = f"{name}({';'.join(parts)})"
        if len(key) > 200:
            key = name + hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()
        positive = has_positive_terms(arguments[0]) if name == "sum" else OPERATORS[name].positive
        self.functions.append(Atom(key, name, arguments, positive))
        return {((self.functions[-1], 1),): 1}

    def plus(self, a: Sum, b: Sum) -> Sum:
        """Add two sums, the shorter into the longer, in place."""
        if len(a) < len(b):
            a, b = b, a
        for factors, value in b.items():
            add_term(a, factors, value)
        return a

    def times(self, a: Sum, b: Sum) -> Sum:
        """Multiply two sums; a product that is too long to be multiplied out has sums as factors."""
        for one, other in ((a, b), (b, a)):
            value = constant_value(one)
            if value is not None and (self.takes_content or len(other) < 2 or value in (0, 1, -1)):
                return scale(other, value)
        if len(a) * len(b) > self.most_terms:
            a, b = self.as_factor(a), self.as_factor(b)
        self.work += len(a) * len(b)
        if self.work > MOST_WORK:
            raise NoNormalFormError
        product: Sum = {}
        for f, c in a.items():
            for g, d in b.items():
                for factors, value in self.join((*f, *g), c * d).items():
                    add_term(product, factors, value)
        return product

    def as_factor(self, terms: Sum, *, signed: bool = True) -> Sum:
        """Return a sum as one term; where products are multiplied out it gives up its leading coefficient."""
        if len(terms) < 2:
            return terms
        content: Number = 1
        if self.short:  # a constant term is as short with any coefficient
            content = leading_coefficient({factors: c for factors, c in terms.items() if factors})
        elif self.takes_content:
            content = leading_coefficient(terms)
        content = content if signed else abs(content)
        return scale(self.function("sum", scale(terms, 1 / Fraction(content))), content)

    def join(self, factors: Iterable[tuple[Atom, Number]], value: Number) -> Sum:
        """Return a product of factors: powers of one base joined, exponentials too."""
        exponent: Sum = {}
        plain: list[tuple[Atom, Number]] = []
        for atom, p in factors:
            if atom.name == "exp":
                exponent = self.plus(exponent, scale(atom.arguments[0], p))
            else:
                plain.append((atom, p))
        product: Sum = {}
        for extra, c in (self.exp(exponent) if exponent else {(): 1}).items():
            product = self.plus(product, self._collect([*plain, *extra], value * c))
        return product

    def _collect(self, factors: list[tuple[Atom, Number]], value: Number) -> Sum:
        """Join powers of one base; even powers of a magnitude are those of what it is taken of."""
        powers: dict[Atom, Number] = defaultdict(int)
        for atom, p in factors:
            powers[atom] += p
        for atom in [atom for atom, p in powers.items() if atom.name == "abs" and p % 2 == 0]:
            ((inside, _),) = atom.arguments[0].items()
            p = powers.pop(atom)
            for inner, q in inside:
                powers[inner] += p * q
        pairs = sorted(((a, p) for a, p in powers.items() if p), key=lambda pair: pair[0].key)
        if self.short and len(pairs) == 1 and pairs[0][0].name == "sum" and pairs[0][1] == 1:
            return scale(pairs[0][0].arguments[0], value)
        return {tuple(pairs): value} if value else {}

    def power(self, base: Sum, n: Number) -> Sum:
        """Raise to a constant power, where that is exact on the whole domain."""
        if n == 1:
            return base
        nearest = round(n)
        rounds = nearest != n and abs(n - nearest) <= min(self.whole, abs(nearest) / 200)
        if rounds and not has_positive_terms(base):
            self.rounded.append(float(n))
            n = nearest
        if not base:
            raise NoNormalFormError
        integral = n == round(n)
        if len(base) > 1:
            if (
                integral
                and 2 <= n <= 12
                and math.comb(len(base) + int(n) - 1, int(n)) <= self.most_terms
            ):
                product = base
                for _ in range(int(n) - 1):
                    product = self.times(product, base)
                return product
            base = self.as_factor(base, signed=integral)
        ((factors, c),) = base.items()
        if not integral:
            if c < 0:
                base = self.function("sum", base)
                ((factors, c),) = base.items()
            magnitudes = self._magnitudes(factors)
            if all_positive(magnitudes):
                factors = magnitudes
            elif [p for _, p in factors] != [1]:
                ((factors, _),) = self.function("sum", {factors: 1}).items()
        return self.join(((atom, p * n) for atom, p in factors), compute("pow", c, n))

    def _magnitudes(self, factors: Factors) -> Factors:
        """Write even powers as those of magnitudes, whose roots are real."""
        pairs: list[tuple[Atom, Number]] = []
        for atom, p in factors:
            if p % 2 == 0 and not atom.positive:
                ((((atom, _),), _),) = self.function("abs", {((atom, 1),): 1}).items()
            pairs.append((atom, p))
        return tuple(pairs)

    def raise_to(self, base: Sum, exponent: Sum) -> Sum:
        """Raise to a sum; a number to the power of a sum is an exponential."""
        n, c = constant_value(exponent), constant_value(base)
        if n is not None:
            if c is not None:
                return constant_sum(compute("pow", c, n))
            return self.power(base, n) if n else constant_sum(1)
        if c is not None and c > 0 and not self.short:
            return self.exp(scale(exponent, compute("log", c)))
        return self.function("pow", base, exponent)

    def exp(self, terms: Sum) -> Sum:
        """Take the exponential: constants become factors, logarithms powers."""
        left, product = dict(terms), constant_sum(1)
        for factors, c in terms.items():
            if not factors and abs(c) < LARGEST_EXPONENT:
                factor = constant_sum(compute("exp", c))
            elif len(factors) == 1 and factors[0][0].name == "log" and factors[0][1] == 1:
                factor = self.power(factors[0][0].arguments[0], c)
            else:
                continue
            del left[factors]
            product = self.times(product, factor)
        if not left:
            return product
        ((alone, _),) = self.function("exp", left).items()
        result: Sum = {}
        for factors, c in product.items():
            result = self.plus(result, self._collect([*factors, *alone], c))
        return result

    def log(self, terms: Sum) -> Sum:
        """Take the logarithm: a number becomes a term, and factors do where all are positive."""
        value = constant_value(terms)
        if value is not None:
            return constant_sum(compute("log", value))
        terms = self.as_factor(terms, signed=False)
        ((factors, c),) = terms.items()
        result = constant_sum(compute("log", abs(c)))
        if c < 0 or not all_positive(factors):
            return self.plus(self.function("log", {factors: 1 if c > 0 else -1}), result)
        for atom, p in factors:
            term = (
                dict(atom.arguments[0])
                if atom.name == "exp"
                else self.function("log", {((atom, 1),): 1})
            )
            result = self.plus(result, scale(term, p))
        return result

    def abs(self, terms: Sum) -> Sum:
        """Take the magnitude: numbers and positive factors stand outside."""
        terms = self.as_factor(terms, signed=False)
        ((factors, c),) = terms.items() or (((), 0),)
        if all(atom.positive or p % 2 == 0 for atom, p in factors):
            return {factors: abs(c)} if c else {}
        return scale(self.function("abs", {factors: 1}), abs(c))

    def clear_denominators(self, left: Sum, right: Sum) -> tuple[Sum, Sum]:
        """Multiply two sums by the sums that occur in their denominators."""
        while denominators := [
            atom
            for factors in (*left, *right)
            for atom, p in factors
            if atom.name == "sum" and p < 0 and p.denominator == 1
        ]:
            left, right = (self._multiply_by(terms, denominators[0]) for terms in (left, right))
        return left, right

    def _multiply_by(self, terms: Sum, atom: Atom) -> Sum:
        product: Sum = {}
        for factors, c in terms.items():
            if dict(factors).get(atom, 0) < 0:
                term = self.join((*factors, (atom, 1)), c)
            else:
                term = self.times({factors: c}, atom.arguments[0])
            product = self.plus(product, term)
        return product


@cache
def _meaning(operator: Operator, short: bool) -> tuple[Item, ...]:
    """Tape of the meaning of an operator, where that is a formula without cases, and in a short form no longer."""
    text = MEANINGS.get(operator.name, operator.meaning)
    if not text or short and operator.name in LONG_MEANINGS:
        return ()
    tape = parse(text).tape
    return () if OPERATORS["where"] in tape else tape


def _divide(protected: float) -> Callable[[Algebra, Sum, Sum], Sum | None]:
    """Divide as an operator that gives 1 up to a `protected` divisor, where the divisor is a number or the dividend."""

    def divide(algebra: Algebra, a: Sum, b: Sum) -> Sum | None:
        divisor = constant_value(b)
        if a == b or divisor is not None and abs(divisor) <= protected:
            return constant_sum(1)
        return None if divisor is None else algebra.times(a, constant_sum(1 / Fraction(divisor)))

    return divide


MEANINGS = {
    "sub": "a + -1*b",
    "neg": "-1*a",
    "div": "a*b**-1",
    "sqrt": "a**0.5",
    "gt": "lt(b, a)",
    "ge": "le(b, a)",
}
LONG_MEANINGS = ("log1p", "expm1", "sigmoid", "gauss", "aq")
RULES: dict[str, Callable[..., Sum | None]] = {
    "add": Algebra.plus,
    "mul": Algebra.times,
    "pow": Algebra.raise_to,
    "exp": Algebra.exp,
    "log": Algebra.log,
    "log2": lambda algebra, a: scale(algebra.log(a), 1 / Fraction(compute("log", 2))),
    "log10": lambda algebra, a: scale(algebra.log(a), 1 / Fraction(compute("log", 10))),
    "abs": Algebra.abs,
    "gplearn_div": _divide(0.001),
    "deap_div": _divide(0.0),
}
