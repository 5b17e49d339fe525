"""The normal form of a model: an exact sum of products in which constants are gathered and have names.

``0.0005*(80*1000*x*y)`` is ``40*x*y`` and ``exp(x + log(3))`` is ``3*exp(x)``: numbers in products are multiplied, like
terms added, scales inside functions put together, powers of one base joined. Texts of one function come to one form,
so that a tolerance belongs to the function and not to its text, and equal forms prove that two models are equal.

Every rule keeps the value wherever the text has one; the form may have more values (``x/x`` is 1). Numbers are
fractions: the decimals that are written, and 30 digits of what a function makes of them.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple

from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.parse import parse
from srlib.expressions.precise import context, precise
from srlib.expressions.tree import Expression, Item

MOST_TERMS = 80  # of a product of sums that is multiplied out
MOST_PROOF_TERMS = 5000  # the same where only the terms are compared
MOST_WORK = 20_000  # products of two terms in all
MOST_CONSTANTS = 500
DEEPEST = 60  # functions within functions
LARGEST_EXPONENT = 300  # the exponential of a larger one may leave the range of floats
DIGITS = 40  # of functions of numbers
BITS = 2000  # of a power of a number that is exact
LARGEST_MAGNITUDE = 1000  # bits; floats have 1024
ROUNDING = 1e-9  # relative difference of two constants that is rounding
SMALL_CONSTANT = (
    1e-3  # a constant term that small beside the largest coefficient does not lead a sum
)
TIE = 1e-9  # coefficients that near to the largest count as equally large

HALF = Fraction(1, 2)
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


class NormalForm(NamedTuple):
    """A model in normal form.

    Parameters
    ----------
    tape : tuple of Operator, str, int or float
        The form as a tape. Its constants are floats; ints are exact by agreement.
    places : tuple of tuple of int
        Places of each constant on the tape; a factor that occurs twice has its constants twice.
    names : tuple of str
        A name in words for each constant.
    outer : tuple of bool
        Whether a constant is a coefficient of the outermost sum.
    rounded : tuple of float
        Exponents that were rounded to whole numbers.
    """

    tape: tuple[Item, ...]
    places: tuple[tuple[int, ...], ...] = ()
    names: tuple[str, ...] = ()
    outer: tuple[bool, ...] = ()
    rounded: tuple[float, ...] = ()


class NoNormalFormError(Exception):
    """The model has no normal form within the limits, or no value."""


FAILURES = (NoNormalFormError, RecursionError, ArithmeticError, ValueError, TypeError)


@lru_cache(maxsize=512)
def normal_form(
    expression: Expression,
    positive: frozenset[str] = frozenset(),
    *,
    expand: bool = True,
    whole: float = 0.0,
) -> NormalForm | None:
    """Return the normal form of a model; None beyond the limits.

    Whether its values are those of the text at float64's precision is for the caller to check at points.

    Parameters
    ----------
    expression : Expression
        Truth or model.
    positive : frozenset of str
        Features that are positive on the domain: only their powers and logarithms are split.
    expand : bool
        Multiply products of sums out (up to `MOST_TERMS` terms), and take the leading coefficient out of every sum
        that is left. Else the form keeps the products of sums that the text has.
    whole : float
        Round exponents that are this near to a whole number, where the base may be negative.

    Examples
    --------
    >>> form = normal_form(parse("0.5*(80*x*y) + 2*exp(x + 1)*0 - x*y"))
    >>> form.tape, form.places, form.names
    ((39.0, 'x', 'y', mul, mul), ((0,),), ('the coefficient of x*y',))
    """
    try:
        algebra = Algebra(positive, expand=expand, whole=whole)
        form = write_tape(algebra.read(expression.tape))
        return form._replace(rounded=tuple(algebra.rounded))
    except FAILURES:
        return None


def same_normal_form(
    truth: Expression,
    model: Expression,
    positive: frozenset[str],
    kind: str,
    constant: float | None,
) -> bool:
    """Whether a model is proved equal to the truth by equal normal forms.

    Every step is exact on the domain; only constants are compared as rounded numbers, to `ROUNDING`. False says no more
    than that the forms differ.

    Parameters
    ----------
    truth, model : Expression
    positive : frozenset of str
        Features that are positive on the domain.
    kind : {'identical', 'offset', 'scale'}
        With 'offset', `constant` is added to the truth; with 'scale', the truth is multiplied by it.
    constant : float or None

    Examples
    --------
    >>> same_normal_form(parse("(x + 1)*(y - 1)"), parse("x*y - x + y"), frozenset(), "offset", 1.0)
    True
    >>> same_normal_form(parse("1/x + 1/(y + 1)"), parse("(x + y + 1)/(x*(y + 1))"), frozenset(), "identical", None)
    True
    """
    try:
        algebra = Algebra(positive, expand=True, most_terms=MOST_PROOF_TERMS)
        left, right = (algebra.read(e.tape) for e in (truth, model))
        if kind == "scale" and constant:
            left = scale(left, Fraction(repr(constant)))
        if kind == "offset" and constant:
            add_term(left, (), Fraction(repr(constant)))
        return _same_terms(left, right) or _same_terms(*algebra.clear_denominators(left, right))
    except FAILURES:
        return False


def _same_terms(left: Sum, right: Sum) -> bool:
    return left.keys() == right.keys() and all(
        abs(left[factors] - c) <= ROUNDING * abs(c) for factors, c in right.items()
    )


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
    arithmetic = context(DIGITS)
    tape: list[Any] = [arithmetic.mpf(a.numerator) / a.denominator for a in arguments]
    value = precise((*tape, OPERATORS[name]), {}, 1, DIGITS)[0]
    if not value:
        return 0
    if not arithmetic.isfinite(value) or abs(arithmetic.mag(value)) > LARGEST_MAGNITUDE:
        raise NoNormalFormError
    exact, short = (Fraction(arithmetic.nstr(value, digits)) for digits in (30, 14))
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
        parts = (_sum_key(argument) for argument in arguments)
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
            elif len(factors) > 1 or factors[0][1] != 1:
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
        lowest: dict[Atom, Number] = {}
        for factors in (*left, *right):
            for atom, p in factors:
                if atom.name == "sum" and p < 0 and p.denominator == 1:
                    lowest[atom] = min(p, lowest.get(atom, 0))
        for atom, least in lowest.items():
            left, right = (self._multiply_by(terms, atom, -least) for terms in (left, right))
        return left, right

    def _multiply_by(self, terms: Sum, atom: Atom, n: Number) -> Sum:
        product: Sum = {}
        for factors, c in terms.items():
            p = dict(factors).get(atom, 0) + n
            without = {tuple(pair for pair in factors if pair[0] != atom): c}
            by = self.raise_to(dict(atom.arguments[0]), constant_sum(p))
            product = self.plus(product, self.times(without, by))
        return product


def _sum_key(terms: Sum) -> str:
    return ",".join(f"{product_key(factors)}:{c}" for factors, c in sorted_terms(terms))


@cache
def _meaning(operator: Operator, short: bool) -> tuple[Item, ...]:
    """Tape of the meaning of an operator, where that is a formula without cases; in a short form only a power."""
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
    "log2": lambda algebra, a: scale(algebra.log(a), 1 / compute("log", 2)),
    "log10": lambda algebra, a: scale(algebra.log(a), 1 / compute("log", 10)),
    "abs": Algebra.abs,
    "gplearn_div": _divide(0.001),
    "deap_div": _divide(0.0),
}


def write_tape(terms: Sum) -> NormalForm:
    """Write a sum as a tape in which each constant has its places and its name."""
    tape: list[Item] = []
    places: dict[str, list[int]] = defaultdict(list)
    names: dict[str, str] = {}

    def write_constant(value: Number, key: str, name: str) -> None:
        if not float(value) or len(places) > MOST_CONSTANTS:  # below the range of floats
            raise NoNormalFormError
        if key:
            places[key].append(len(tape))
            names.setdefault(key, name)
        tape.append(float(value))

    def write_sum(terms: Sum, path: str, place: str, unit: Factors | None, depth: int) -> None:
        """Write a sum; the coefficient of the product `unit` is 1 or -1 by agreement and does not move."""
        if depth > DEEPEST:
            raise NoNormalFormError
        if not terms:
            tape.append(0)
        for i, (factors, c) in enumerate(sorted_terms(terms)):
            sums = [atom.arguments[0] for atom, _ in factors if atom.name == "sum"]
            if factors == unit:
                tape.append(int(c))
            elif any(unit_product(inner) is None for inner in sums):
                write_constant(c, "", "")  # all constants of that sum move already
            else:
                name = (
                    f"the coefficient of {describe_product(factors)}"
                    if factors
                    else "the constant term"
                )
                write_constant(c, f"{path}/{product_key(factors)}", name + place)
            for atom, p in factors:
                write_atom(atom, depth + 1)
                if p != 1:
                    write_exponent(atom, p)
            tape.extend([OPERATORS["mul"]] * len(factors))
            if i:
                tape.append(OPERATORS["add"])

    def write_atom(atom: Atom, depth: int) -> None:
        if not atom.arguments:
            tape.append(atom.name)
        elif atom.name == "sum":
            (inner,) = atom.arguments
            write_sum(inner, atom.key, " in a factor", unit_product(inner), depth)
        else:
            for i, inner in enumerate(atom.arguments):
                unit = (
                    unit_product(inner) if atom.name in ("log", "abs") and len(inner) == 1 else None
                )
                write_sum(inner, f"{atom.key}{i}", f" in {atom.name}", unit, depth)
            tape.append(OPERATORS[atom.name])

    def write_exponent(atom: Atom, p: Number) -> None:
        if p.denominator == 1 and (p == -1 or not atom.positive):
            tape.append(int(p))
        else:
            name = f"the exponent of {describe_product(((atom, 1),))}"
            write_constant(p, f"{atom.key}^{p}", name)
        tape.append(OPERATORS["pow"])

    write_sum(terms, "", "", None, 0)
    outer = tuple(key.startswith("/") for key in places)
    return NormalForm(tuple(tape), tuple(map(tuple, places.values())), tuple(names.values()), outer)


def describe_product(factors: Factors) -> str:
    """Describe a product for the reader, in at most 60 letters."""
    parts = []
    for atom, p in factors:
        text = atom.name
        if atom.arguments:
            inner = ", ".join(map(_describe_sum, atom.arguments))
            text = f"({inner})" if atom.name == "sum" else f"{atom.name}({inner})"
        parts.append(text if p == 1 else f"{text}**{float(p):.6g}")
    text = "*".join(parts)
    return text if len(text) <= 60 else text[:57] + "..."


def _describe_sum(terms: Sum) -> str:
    parts = []
    for factors, c in sorted_terms(terms)[:4]:
        number = "-" if c == -1 else "" if c == 1 else f"{float(c):.6g}*"
        parts.append(number + describe_product(factors) if factors else f"{float(c):.6g}")
    return " + ".join(parts).replace("+ -", "- ") + (" + ..." if len(terms) > 4 else "")
