"""The size of a model without sympy: its text, or the shortest writing of its normal form where that is shorter."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

from srlib.expressions.algebra import Algebra
from srlib.expressions.operators import OPERATORS, Item
from srlib.expressions.simplify import Simplified
from srlib.expressions.sums_of_products import (
    FAILURES,
    Atom,
    Factors,
    Number,
    Sum,
    compute,
    product_key,
    scale,
)
from srlib.expressions.tree import Expression, count_text, number, to_text

REWRITES = 4  # raised where a count can change, so that no old count is taken from a cache
ROUNDS = 4
HALF = Fraction(1, 2)
POWERS = {Fraction(2): "square", Fraction(3): "cube", HALF: "sqrt"}


def shortest(expression: Expression) -> Simplified:
    """Write a model as short as its normal form can be written, or as it stands where that is no longer.

    Operators, features and constants are counted (`count_text`), in the operators of the table: ``x*x``, ``x**2`` and
    ``square(x)`` are 2. What is promised:

    - it is never longer than the text;
    - the names of features, the order of operands and brackets in sums and products change no count;
    - the result is not longer when it is written again;
    - a text that holds the imaginary unit, or has no normal form within the limits, stands as it is;
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
            rewritten = _rewrite(expression)
        except FAILURES:
            break
        if count_text(rewritten) >= count_text(expression):
            break
        expression = rewritten
    features = tuple(sorted(expression.features))
    return Simplified(to_text(expression), expression, count_text(expression), features)


def _rewrite(expression: Expression) -> Expression:
    """Write the normal form of a model; atoms are written before those that contain them, without recursion."""
    algebra, writer = Algebra(frozenset(), expand=False, short=True), Writer()
    terms = algebra.read(expression.tape)
    for atom in algebra.functions:
        writer.write_atom(atom)
    return Expression(writer.write_sum(terms).tape())


class Piece(NamedTuple):
    """A part of a tape: its count, and the items and pieces that it consists of."""

    cost: int
    parts: tuple[Any, ...]

    def tape(self) -> tuple[Item, ...]:
        """Return all items."""
        items: list[Item] = []
        waiting: list[Any] = [self]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Piece):
                waiting.extend(reversed(part.parts))
            else:
                items.append(part)
        return tuple(items)


Signed = tuple[Piece, Piece]  # the writing of a value and that of minus the value


def apply(name: str, *pieces: Piece) -> Piece:
    """Apply an operator."""
    operator = OPERATORS[name]
    return Piece(sum(piece.cost for piece in pieces) + operator.nodes, (*pieces, operator))


def write_number(value: Number) -> Piece:
    """Write a constant."""
    return Piece(1, (number(int(value) if value.denominator == 1 else float(value)),))


def cheapest(*pieces: Piece) -> Piece:
    """Return the first of the shortest."""
    return min(pieces, key=lambda piece: piece.cost)


class Writer:
    """Writes sums and products of atoms with the fewest items; signs go where they cost least."""

    def __init__(self) -> None:
        self.atoms: dict[Atom, Signed] = {}

    def write_atom(self, atom: Atom) -> Signed:
        """Write an atom with either sign."""
        if atom not in self.atoms:
            self.atoms[atom] = self._write_atom(atom.name, atom.arguments)
        return self.atoms[atom]

    def _write_atom(self, name: str, arguments: tuple[Sum, ...]) -> Signed:
        if not arguments:
            feature = Piece(1, (name,))
            return feature, apply("neg", feature)
        pieces = [self.write_sum(argument) for argument in arguments]
        if name == "sum":
            return pieces[0], self.write_sum(arguments[0], -1)
        plus = apply(name, *pieces)
        minus = apply("neg", plus)
        parity = 1 if name == "abs" else OPERATORS[name].parity
        if parity:
            mirrored = apply(name, self.write_sum(arguments[0], -1))
            if parity < 0:
                return cheapest(plus, apply("neg", mirrored)), cheapest(mirrored, minus)
            plus = cheapest(plus, mirrored)
            minus = apply("neg", plus)
        return plus, minus

    def write_sum(self, terms: Sum, sign: int = 1) -> Piece:
        """Write a sum, or minus the sum; terms with one coefficient stand in brackets behind it."""
        groups: dict[Number, list[Factors]] = defaultdict(list)
        for factors in sorted(terms, key=product_key):
            groups[abs(terms[factors]) if factors else 0].append(factors)
        pairs: list[Signed] = []
        for size, members in sorted(groups.items(), key=lambda group: not group[0]):
            if size in (0, 1) or len(members) == 1:
                pairs += [self.write_product(f, terms[f] * sign) for f in members]
            else:
                inner: Sum = {f: terms[f] / Fraction(size) * sign for f in members}
                both = self.write_sum(inner), self.write_sum(inner, -1)
                pairs.append((_assemble([(both, 1)], size), _assemble([(both, 1)], -size)))
        return _add_up(pairs)

    def write_product(self, factors: Factors, c: Number) -> Signed:
        """Write a product with either sign; its coefficient may go into one of its sums."""
        powers = [self._write_power(atom, p) for atom, p in factors]
        options = [(powers, c)]
        for i, (atom, p) in enumerate(factors):
            if atom.name == "sum" and abs(c) != 1:
                size = compute("pow", abs(c), 1 / Fraction(p))
                if size and compute("pow", size, p) == abs(c):
                    inner = scale(atom.arguments[0], size)
                    both = self.write_sum(inner), self.write_sum(inner, -1)
                    options.append(([*powers[:i], (both, p), *powers[i + 1 :]], 1 if c > 0 else -1))
        plus, minus = (
            cheapest(*(_assemble(parts, by * s) for parts, by in options)) for s in (1, -1)
        )
        return plus, minus

    def _write_power(self, atom: Atom, p: Number) -> tuple[Signed, Number]:
        """Return the base of a power and its exponent: roots of magnitudes have an operator, exp(-x) is 1/exp(x)."""
        if atom.name == "abs" and abs(p) == HALF:
            root = apply("sqrtabs", self.write_atom(atom)[0].parts[0])
            return (root, apply("neg", root)), p * 2
        if atom.name == "exp" and p == 1:
            inverse = apply("exp", self.write_sum(atom.arguments[0], -1))
            if inverse.cost < self.write_atom(atom)[0].cost:
                return (inverse, apply("neg", inverse)), -1
        return self.write_atom(atom), p


def _add_up(pairs: Iterable[Signed]) -> Piece:
    """Write the sum of terms: each is added, or its opposite subtracted, whichever is shorter."""
    added: list[Piece] = []
    subtracted: list[Signed] = []
    for plus, minus in pairs:
        negative = minus.cost < plus.cost or minus.cost == plus.cost and _starts_with_minus(plus)
        if negative:
            subtracted.append((plus, minus))
        else:
            added.append(plus)
    if not added:
        if not subtracted:
            return write_number(0)
        first = min(subtracted, key=lambda pair: pair[0].cost - pair[1].cost)
        subtracted.remove(first)
        added.append(first[0])
    total = reduce(lambda left, right: apply("add", left, right), added)
    return reduce(lambda left, pair: apply("sub", left, pair[1]), subtracted, total)


def _starts_with_minus(piece: Piece) -> bool:
    first: Any = piece
    while isinstance(first, Piece):
        first = first.parts[0]
    return not isinstance(first, str) and first < 0


def _assemble(powers: Sequence[tuple[Signed, Number]], c: Number) -> Piece:
    """Write a coefficient times powers."""
    above: list[Piece] = []
    below: list[Piece] = []
    negative, free = c < 0, None
    for (plus, minus), p in powers:
        base, odd = plus, p % 2 == 1
        if p % 2 == 0:
            base = cheapest(plus, minus)
        elif odd and minus.cost < plus.cost:
            base, negative = minus, not negative
        side = above if p > 0 else below
        if odd and minus.cost == plus.cost:
            free = side, len(side), minus, abs(p)
        side.append(_write_exponent(base, abs(p)))
    if abs(c) != 1:
        size, negative = -abs(c) if negative else abs(c), False
        if above and size.numerator in (1, -1) and size.denominator % 3 == 0:
            below.append(write_number(1 / Fraction(size)))
        else:
            above.insert(0, write_number(size))
    elif negative and free is not None:
        side, place, minus, exponent = free
        side[place], negative = _write_exponent(minus, exponent), False
    if not above and not negative and below:
        return apply("inv", reduce(lambda left, right: apply("mul", left, right), below))
    if not above:
        above, negative = [write_number(-1 if negative else 1)], False
    product = reduce(lambda left, right: apply("mul", left, right), above)
    product = reduce(lambda left, right: apply("div", left, right), below, product)
    return apply("neg", product) if negative else product


def _write_exponent(base: Piece, exponent: Number) -> Piece:
    if exponent == 1:
        return base
    if exponent in POWERS:
        return apply(POWERS[Fraction(exponent)], base)
    return apply("pow", base, write_number(exponent))
