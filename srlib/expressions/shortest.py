"""The size of a model without sympy: its text, or the shortest writing of its normal form where that is shorter."""

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import chain

from srlib.expressions.algebra import Algebra
from srlib.expressions.operators import OPERATORS, Tape
from srlib.expressions.simplify import Simplified
from srlib.expressions.sums_of_products import (
    UNIT,
    Atom,
    Factors,
    Sum,
    compute,
    make_atom,
    product_key,
    scale,
)
from srlib.expressions.tree import Expression, count_text, number, to_text

REWRITES = 5  # raised where a count can change, so that no old count is taken from a cache
ROUNDS = 4
HALF = Fraction(1, 2)
POWERS = {2: "square", 3: "cube", HALF: "sqrt"}


def shortest(expression: Expression) -> Simplified:
    """Write a model as short as its normal form can be written, or as it stands where that is no longer.

    Operators, features and constants are counted (`count_text`), in the operators of the table: ``x*x``, ``x**2`` and
    ``square(x)`` are 2. What is promised:

    - it is never longer than the text;
    - the names of features, the order of operands and brackets in sums and products change no count;
    - the result is not longer when it is written again;
    - a text that holds the imaginary unit, nests functions more than 60 deep or leaves the floats stands as it is;
    - it has the text's value, to the rounding of constants, wherever the text has one; it may have more (``x/x`` is 1);
    - it reads the text alone: no clock, no random number, no order of sets.

    Like terms and equal factors are collected; nothing is multiplied out or factored: ``x*y + x*z`` stays.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> shortest(parse("x*y + y*x - 0*w"))
    Simplified(text='2*x*y', expression=Expression(2*x*y), complexity=5, features_used=('x', 'y'))
    >>> [shortest(parse(t)).complexity for t in ("x*x", "square(x)", "sqrt(x**4)", "exp(2*log(x))")]
    [2, 2, 2, 2]
    """
    for _ in range(ROUNDS):
        try:
            rewritten = Expression(write_sum(Algebra(short=True).read(expression)))
        except ArithmeticError:
            break
        if count_text(rewritten) >= count_text(expression):
            break
        expression = rewritten
    features = tuple(sorted(expression.features))
    return Simplified(to_text(expression), expression, count_text(expression), features)


def write_sum(terms: Sum) -> Tape:
    """Write a sum; terms with coefficients of one size stand in brackets behind it."""
    groups: dict[Fraction, Sum] = defaultdict(dict)
    for factors in sorted(terms, key=product_key):
        groups[abs(terms[factors]) if factors else Fraction(0)][factors] = terms[factors]
    added: list[Tape] = []
    subtracted: list[tuple[Tape, Tape]] = []  # negative terms, and their opposites
    for size, group in sorted(groups.items(), key=lambda pair: not pair[0]):  # the constant last
        write = write_product
        if size != 1 and len(group) > 1:
            coefficient = size if max(group.values()) > 0 else -size
            bracket = make_atom("sum", scale(group, 1 / coefficient))
            group, write = {((bracket, UNIT),): coefficient}, write_factors
        added += [write(f, c) for f, c in group.items() if c > 0]
        subtracted += [(write(f, c), write(f, -c)) for f, c in group.items() if c < 0]
    if subtracted and not added:
        first = min(subtracted, key=lambda pair: len(pair[0]) - len(pair[1]))
        subtracted.remove(first)
        added.append(first[0])
    zero: Tape = (0,)
    return apply("sub", apply("add", *added or [zero]), *(tape for _, tape in subtracted))


def write_product(factors: Factors, c: Fraction) -> Tape:
    """Write a product; its number may go into one of its sums."""
    options = [write_factors(factors, c)]
    for i, (atom, p) in enumerate(factors):
        if atom.name == "sum" and abs(c) != 1:
            inner = scale(atom.arguments[0], compute("pow", abs(c), 1 / p))
            powers = (*factors[:i], (make_atom("sum", inner), p), *factors[i + 1 :])
            options.append(write_factors(powers, c / abs(c)))
    return min(options, key=len)


def write_factors(factors: Factors, c: Fraction) -> Tape:
    """Write a product; a sign goes into its number, else into a factor where it costs nothing."""
    above: list[Tape] = []
    below: list[Tape] = []
    if abs(c) != 1:
        above.append((number(float(c)),))
    negative = c == -1
    for atom, p in factors:
        base, mirrored = write_atom(atom)
        if negative and p % 2 == 1 and len(mirrored) <= len(base):
            base, negative = mirrored, False
        (above if p > 0 else below).append(write_power(base, abs(p)))
    if not above and (negative or not below):
        above.append((-1 if negative else 1,))
        negative = False
    if not above:
        return (*apply("mul", *below), OPERATORS["inv"])
    quotient = apply("div", apply("mul", *above), *below)
    return (*quotient, OPERATORS["neg"]) if negative else quotient


def write_power(base: Tape, exponent: Fraction) -> Tape:
    """Write a power."""
    if exponent == 1:
        return base
    if exponent == HALF and base[-1] == OPERATORS["abs"]:
        return (*base[:-1], OPERATORS["sqrtabs"])
    if exponent in POWERS:
        return (*base, OPERATORS[POWERS[exponent]])
    return apply("pow", base, (number(float(exponent)),))


@lru_cache(maxsize=4096)
def write_atom(atom: Atom) -> tuple[Tape, Tape]:
    """Write an atom, and minus the atom."""
    if not atom.arguments:
        return (atom.name,), (atom.name, OPERATORS["neg"])
    tapes = [write_sum(argument) for argument in atom.arguments]
    mirrored = write_sum(scale(atom.arguments[0], -UNIT))
    if atom.name == "sum":
        return tapes[0], mirrored
    operator = OPERATORS[atom.name]
    plus: Tape = (*chain(*tapes), operator)
    minus = (*plus, OPERATORS["neg"])
    return plus, min((*mirrored, operator), minus, key=len) if operator.parity == -1 else minus


def apply(name: str, *tapes: Tape) -> Tape:
    """Apply an operator of two arguments to one argument after the other, from the left."""
    return reduce(lambda left, right: (*left, *right, OPERATORS[name]), tapes)
