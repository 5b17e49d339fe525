"""Parts of a tape with their counts, and how sums and products are put together from them with the fewest signs."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from srlib.errors import SrlibError
from srlib.expressions.normal import folded
from srlib.expressions.operators import OPERATORS, Item, Operator
from srlib.expressions.rewrites import HALF
from srlib.expressions.tree import number

CALLED = {Fraction(2): "square", Fraction(3): "cube", HALF: "sqrt"}
NAMED = {folded(name): name for name in ("pi", "E")}


class Piece:
    """A part of a tape, made of items and parts, and its count; `below` is the divisor where it is 1/`below`."""

    __slots__ = ("below", "cost", "parts")

    def __init__(self, cost: int, parts: tuple[Any, ...], below: "Piece | None" = None) -> None:
        self.cost, self.parts, self.below = cost, parts, below

    def tape(self) -> tuple[Item, ...]:
        """All items."""
        found: list[Item] = []
        work: list[Any] = [self]
        while work:
            part = work.pop()
            if isinstance(part, Piece):
                work.extend(reversed(part.parts))
            else:
                found.append(part)
        return tuple(found)


Both = tuple[Piece, Piece]  # of a value and of minus the value


def joined(name: str, *pieces: Piece) -> Piece:
    """Apply an operator."""
    operator: Operator = OPERATORS[name]
    return Piece(sum(p.cost for p in pieces) + operator.nodes, (*pieces, operator))


def chained(name: str, pieces: Sequence[Piece]) -> Piece:
    """Join from the left."""
    found = pieces[0]
    for piece in pieces[1:]:
        found = joined(name, found, piece)
    return found


def shortest(*pieces: Piece) -> Piece:
    """Take the first of the shortest."""
    return min(pieces, key=lambda p: p.cost)


def written(value: Fraction) -> Piece:
    """Write a number."""
    if value in NAMED:
        return Piece(1, (OPERATORS[NAMED[value]],))
    try:
        if value.denominator == 1:
            return Piece(1, (number(int(value)),))
        return Piece(1, (number(float(value)),))
    except OverflowError:
        raise SrlibError("a constant is beyond the range of floats") from None


def powered(piece: Piece, exponent: Fraction) -> Piece:
    """Raise to a positive power."""
    if exponent == 1:
        return piece
    if exponent in CALLED:
        return joined(CALLED[exponent], piece)
    return joined("pow", piece, written(exponent))


def scaled(factor: Fraction, both: Both) -> Piece:
    """Multiply by a number."""
    if abs(factor) == 1:
        return both[factor < 0]
    piece = shortest(*both)
    if piece is not both[0]:
        factor = -factor
    if piece.below is not None:
        return joined("div", written(factor), piece.below)
    if factor.numerator == 1 and factor.denominator % 3 == 0:
        return joined("div", piece, written(1 / factor))
    return joined("mul", written(factor), piece)


def summed(terms: Sequence[tuple[Piece, Piece, bool]], flip: bool) -> Piece:
    """Write the sum of terms (writing with either sign, whether negative), or minus the sum, with the fewest signs."""
    added, taken, lead = [], [], None
    for plus, minus, negative in terms:
        want, other = plus, minus
        if negative != flip:
            want, other = minus, plus
        # `want` is the term as it counts in this sum; `other` is what is subtracted instead
        if want.cost < other.cost or want.cost == other.cost and negative == flip:
            added.append(want)
            continue
        taken.append(other)
        if lead is None or want.cost - other.cost < lead[0]:
            lead = want.cost - other.cost, len(taken) - 1, want
    if not added and lead is not None:
        taken.pop(lead[1])
        added.append(lead[2])
    found = chained("add", added)
    for piece in taken:
        found = joined("sub", found, piece)
    return found


def assembled(
    parts: Sequence[tuple[Both, Fraction]], roots: Sequence[Piece], negative: bool
) -> Piece:
    """Write a product of powers, or minus it; signs go where they cost least."""
    chosen, odd = [], negative
    least: tuple[int, int] | None = None
    for place, ((plus, minus), exponent) in enumerate(parts):
        flips = exponent.denominator == 1 and exponent % 2 == 1
        use = plus
        if flips and minus.cost < plus.cost:
            use = minus
        if exponent.denominator == 1 and not flips:
            use = shortest(plus, minus)
        odd ^= flips and use is minus
        if flips and (least is None or abs(minus.cost - plus.cost) < least[0]):
            least = abs(minus.cost - plus.cost), place
        chosen.append(use)
    if odd and least is not None and least[0] < 1:
        plus, minus = parts[least[1]][0]
        chosen[least[1]] = (plus, minus)[chosen[least[1]] is plus]
        odd = False
    above = [powered(p, e) for p, (_, e) in zip(chosen, parts, strict=True) if e > 0]
    below = [powered(p, -e) for p, (_, e) in zip(chosen, parts, strict=True) if e < 0]
    if len(above) > 1:
        below += [p.below for p in above if p.below is not None]
        above = [p for p in above if p.below is None]
    if roots and not above:
        above = [written(Fraction((-1) ** odd))]
        odd = False
    for root in roots:
        above = [joined("aq", chained("mul", above), root)]
    if not above:
        divisor = chained("mul", below)
        found = joined("inv", divisor)
        found.below = divisor
        if odd:
            found = joined("neg", found)
        return found
    found = chained("mul", above)
    for piece in below:
        found = joined("div", found, piece)
    if odd:
        return joined("neg", found)
    return found
