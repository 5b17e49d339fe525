"""The shortest writing of a normal form, and what it counts: one function makes both, so that they cannot differ."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from srlib.errors import SrlibError
from srlib.expressions.normal import ONE, Forms, Value, folded
from srlib.expressions.operators import OPERATORS
from srlib.expressions.pieces import (
    CALLED,
    Both,
    Piece,
    assembled,
    chained,
    joined,
    scaled,
    shortest,
    summed,
    written,
)
from srlib.expressions.rewrites import HALF, RULES


class Writing(Forms):
    """Forms that know of each unit the shortest writing."""

    rules = RULES

    def __init__(self) -> None:
        super().__init__()
        self.bodies: dict[int, tuple[Fraction, Both]] = {}
        self.terms_known: dict[Value, Piece] = {}

    def made(self, unit: int) -> None:
        """Write a new unit: a factor, and the rest with either sign."""
        entry = self.units[unit]
        one = Fraction(1)
        if entry[0] == "feature":
            piece = Piece(1, (entry[1],))
            self.bodies[unit] = one, (piece, joined("neg", piece))
        elif entry[0] == "minus":
            factor, (plus, minus) = self.bodies[entry[1]]
            self.bodies[unit] = factor, (minus, plus)
        elif entry[0] == "call":
            self.bodies[unit] = one, self._call(entry[1], entry[2])
        elif entry[0] == "sum":
            scale = max(abs(c) * self.bodies[u][0] for u, c in entry[1] if u != ONE)
            self.bodies[unit] = scale, self._sum([(u, c / scale) for u, c in entry[1]])
        else:
            self.bodies[unit] = self._body(entry[1], {})

    def piece(self, value: Value) -> Piece:
        """Write a value."""
        if value.unit == ONE:
            return written(value.coef)
        if value not in self.terms_known:
            self.terms_known[value] = self._term(*value)
        return self.terms_known[value]

    def _term(self, coef: Fraction, unit: int) -> Piece:
        factor, both = self.bodies[unit]
        outer = coef * factor
        if abs(outer) == 1:
            return both[outer < 0]
        found = [scaled(outer, both)]
        entry = self.units[unit]
        if entry[0] == "sum":
            found.insert(0, self._sum([(u, c * coef) for u, c in entry[1]])[0])
        elif entry[0] == "product":
            found[:0] = self._absorbed(outer, entry[1])
        return shortest(*found)

    def _absorbed(self, outer: Fraction, items: Iterable[tuple[int, Fraction]]) -> list[Piece]:
        """Write a product without a coefficient, which goes into one of its sums."""
        found = []
        for base, exponent in items:
            if self.units[base][0] == "sum":
                into = folded("pow", abs(outer), 1 / exponent)
                if into is not None and folded("pow", into, exponent) == abs(outer):
                    found.append(self._body(items, {base: into})[1][outer < 0])
        return found

    def _sum(self, items: Sequence[tuple[int, Fraction]]) -> Both:
        """Write a sum; terms that have one coefficient stand in brackets behind it."""
        groups: dict[Fraction, list[tuple[Piece, Piece, bool]]] = defaultdict(list)
        constant = sum((c for u, c in items if u == ONE), Fraction(0))
        for unit, coef in items:
            if unit == ONE:
                continue
            argument = self.called(unit, "exp")
            if argument is not None and constant and coef == -constant:
                piece, constant = joined("expm1", self.piece(argument)), Fraction(0)
                groups[abs(coef)].append((piece, joined("neg", piece), coef < 0))
                continue
            outer = self.bodies[unit][0] * abs(coef)
            plus, minus = self.bodies[unit][1]
            groups[outer].append((plus, minus, coef < 0))
        terms = []
        for size, members in groups.items():
            if size == 1:
                terms += members
                continue
            plus, minus, negative = members[0]
            if len(members) > 1:
                plus, minus = summed(members, False), summed(members, True)
                negative = minus.cost < plus.cost
                if negative:
                    plus, minus = minus, plus
            terms.append((scaled(size, (plus, minus)), scaled(-size, (plus, minus)), negative))
        if constant:
            terms.append((written(abs(constant)), written(-abs(constant)), constant < 0))
        return summed(terms, False), summed(terms, True)

    def _call(self, name: str, arguments: Sequence[Value]) -> Both:
        pieces = [self.piece(value) for value in arguments]
        operator = OPERATORS[name]
        if operator.parity and name != "abs":
            other = self.piece(self.times(arguments[0], Fraction(-1)))
            one, two = joined(name, pieces[0]), joined(name, other)
            if operator.parity < 0:
                return shortest(one, joined("neg", two)), shortest(two, joined("neg", one))
            pieces = [shortest(pieces[0], other)]
        plus = self._shortened(name, arguments)
        if plus is None:
            plus = chained(name, pieces)
            if len(pieces) == operator.arity:
                plus = joined(name, *pieces)
        return plus, joined("neg", plus)

    def _shortened(self, name: str, arguments: Sequence[Value]) -> Piece | None:
        """Write a call by another operator of the table, where that is shorter."""
        first, *_ = (*arguments, Value(Fraction(0), ONE))
        if name == "log":
            terms = self.terms(first)
            if (Fraction(1), ONE) in terms and len(terms) > 1:
                rest = [(u, c) for c, u in terms if u != ONE]
                return joined("log1p", self._sum(rest)[0])
        if name == "abs":
            other = self.piece(self.times(first, Fraction(-1)))
            return joined("abs", shortest(self.piece(first), other))
        if name == "where" and arguments[2] == (0, ONE):
            condition = self.units[arguments[1].unit]
            if (
                arguments[1].coef == 1
                and condition[:2] == ("call", "lt")
                and condition[2][0] == (0, ONE)
            ):
                return joined("cond", self.piece(condition[2][1]), self.piece(first))
        if name == "exp":
            return self._exp(first)
        return None

    def _exp(self, argument: Value) -> Piece:
        found = [joined("exp", self.piece(argument))]
        for exponent, name in CALLED.items():
            inner = self.piece(self.times(argument, 1 / exponent))
            found.append(joined(name, joined("exp", inner)))
        factors = self.factors(argument.unit)
        if (
            argument.coef < 0
            and factors
            and all(e.denominator == 1 and e % 2 == 0 for _, e in factors)
        ):
            size = folded("pow", -argument.coef, HALF)
            if size is not None:
                halves = defaultdict(Fraction, {base: e / 2 for base, e in factors})
                found.append(joined("gauss", self.piece(self._product(size, halves))))
        below = joined("exp", self.piece(self.times(argument, Fraction(-1))))
        best = shortest(*found, joined("inv", below))
        if best.cost > below.cost:
            best.below = below
        return best

    def _body(
        self, items: Iterable[tuple[int, Fraction]], into: dict[int, Fraction]
    ) -> tuple[Fraction, Both]:
        """Write a product with sums scaled as is shortest, times what is `into` them: a factor, and the rest."""
        factor, parts, roots = Fraction(1), [], []
        for both, exponent in self._angles(dict(items)):
            parts.append((both, exponent))
        for base, exponent in dict(items).items():
            entry = self.units[base]
            if entry[0] == "call" and entry[1] in ("sin", "cos") and exponent.denominator == 1:
                continue
            if entry[0] == "call" and entry[1] == "abs" and exponent == HALF:
                root = joined("sqrtabs", self.piece(entry[2][0]))
                parts.append(((root, joined("neg", root)), Fraction(1)))
                continue
            scale, both = self.bodies[base]
            known = None
            if base not in into:
                known = self._known_sum(entry, exponent)
            if known is not None:
                scale, piece = known
                if exponent == -HALF:
                    roots.append(piece)
                else:
                    parts.append(((piece, joined("neg", piece)), -exponent))
            elif base in into:
                size = into[base] / scale
                both = self._sum([(u, c * size) for u, c in self.units[base][1]])
                parts.append((both, exponent))
            else:
                parts.append((both, exponent))
            size = folded("pow", scale, exponent)
            if size is None:
                raise SrlibError("a constant is beyond the range of floats")
            factor *= size
        return factor, (assembled(parts, roots, False), assembled(parts, roots, True))

    def _angles(self, items: dict[int, Fraction]) -> Iterable[tuple[Both, Fraction]]:
        """Write powers of sines and cosines, the quotient of two as a tangent."""
        powers: dict[Value, dict[str, int]] = defaultdict(lambda: {"sin": 0, "cos": 0})
        for base, exponent in items.items():
            entry = self.units[base]
            if entry[0] == "call" and entry[1] in ("sin", "cos") and exponent.denominator == 1:
                powers[entry[2][0]][entry[1]] = int(exponent)
        for angle, both in powers.items():
            s, c = both["sin"], both["cos"]
            turns = (s * c < 0) * min(abs(s), abs(c)) * (-1) ** (s < 0)
            for name, times in (("tan", turns), ("sin", s - turns), ("cos", c + turns)):
                used = name
                if times < 0:
                    used = {"tan": "cot", "sin": "csc", "cos": "sec"}[name]
                if times:
                    yield self._call(used, [angle]), Fraction(abs(times))

    def _known_sum(
        self, entry: tuple[Any, ...], exponent: Fraction
    ) -> tuple[Fraction, Piece] | None:
        """Write 1/(1 + exp(-a)) as a sigmoid, and 1/sqrt(1 + b**2) for an analytic quotient: a scale, and the piece."""
        if entry[0] != "sum" or len(entry[1]) != 2 or entry[1][0][0] != ONE or exponent >= 0:
            return None
        (_, constant), (unit, coef) = entry[1]
        argument = self.called(unit, "exp")
        if argument is not None and coef == constant and coef > 0:
            return coef, joined("sigmoid", self.piece(self.times(argument, Fraction(-1))))
        factors = self.factors(unit)
        if (
            exponent == -HALF
            and constant > 0
            and coef > 0
            and all(e.denominator == 1 and e % 2 == 0 for _, e in factors)
        ):
            size = folded("pow", coef / constant, HALF)
            halves = defaultdict(Fraction, {base: e / 2 for base, e in factors})
            if size is not None:
                return constant, self.piece(self._product(size, halves))
        return None
