"""A bounded measure of simplicity: the shortest writing that a fixed list of exact rewrites finds.

Without sympy and without a clock: rational numbers, tables in the order of the text, and limits that are counts. What
is a choice between equals is made so that the count is the same whichever is taken, or all are tried.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from srlib.errors import SrlibError
from srlib.expressions.algebra.complexity import count_text
from srlib.expressions.algebra.normal import Value
from srlib.expressions.algebra.pieces import Piece
from srlib.expressions.algebra.simplify import Simplified
from srlib.expressions.algebra.writing import Writing
from srlib.expressions.expression import Expression, to_text
from srlib.expressions.operators import Operator

REWRITES = 2  # raised where a count can change, so that none is taken from a cache
TERMS = 24  # of a sum that is multiplied out or factored
SIZE = 200  # components of such a sum
HIGHEST = 3  # power of a sum that is multiplied out
BRANCHES = 32  # equally good factors that are all tried
GAINS = 4  # sizes of factors, the largest first, of which one has to make a sum shorter
ROUNDS = 4


def canonical(expression: Expression) -> Simplified:
    """Write a model as short as a fixed list of exact rewrites can.

    Operators, features and constants are counted (`count_text`), in the operators of the table: ``x*x``, ``x**2`` and
    ``square(x)`` are 2. What is promised:

    - it is never longer than the text;
    - the names of features, the order of operands and brackets in sums and products change no count;
    - what comes out is no longer when it is put in again;
    - a text that holds the imaginary unit stands as it is, for the rewrites are of real numbers;
    - it has the text's value, to the rounding of constants, wherever the text has one; it may have more (``x/x`` is 1);
    - it reads the text alone: no clock, no random number, no order of sets;
    - a sum of over `TERMS` terms or `SIZE` components is collected only, not multiplied out and not factored, so
      that the work for a node is bounded.

    It is the shortest that its rewrites reach, not the shortest there is: ``x**2 + 2*x*y + y**2`` stays.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> canonical(parse("x*y + z*x - 0*w"))
    Simplified(text='x*(y + z)', expression=Expression(x*(y + z)), complexity=5, features_used=('x', 'y', 'z'))
    >>> [canonical(parse(t)).complexity for t in ("x*x", "x**2", "square(x)", "sqrt(x**4)", "exp(2*log(x))")]
    [2, 2, 2, 2, 2]
    """
    found = expression
    try:
        for _ in range(ROUNDS):
            piece = Canonical().read(found)
            if piece.cost > count_text(found):
                break
            shorter, found = piece.cost < count_text(found), Expression(piece.tape())
            if not shorter:
                break
    except SrlibError:  # a constant that no float holds, or the imaginary unit: the text stands
        pass
    return Simplified(to_text(found), found, count_text(found), tuple(sorted(found.features)))


@dataclass
class Chain:
    """Operands of a sum or product that is not yet complete: values with exponents or signs of 1 or -1."""

    kind: str
    values: list[tuple[Value, int]] = field(default_factory=list)
    sign: int = 1

    def take(self, other: "Chain", sign: int) -> "Chain":
        """Join two chains; the shorter is put to the longer."""
        if len(other.values) > len(self.values):
            other.sign *= sign
            return other.take(self, 1)
        self.values += [(v, s * other.sign * sign * self.sign) for v, s in other.values]
        return self


CHAINS = {"add": ("sum", 1), "sub": ("sum", -1), "mul": ("product", 1), "div": ("product", -1)}


class TooManyError(Exception):
    """More equally good ways than are tried."""


class Canonical(Writing):
    """Forms that are multiplied out or factored where that is shorter."""

    def __init__(self) -> None:
        super().__init__()
        self.factored: dict[Value, Value] = {}
        self.branches = BRANCHES

    def read(self, expression: Expression) -> Piece:
        """Find the shortest writing of a model."""
        stack: list[Chain | Value] = []
        for item in expression.tape:
            if not isinstance(item, Operator):
                feature = isinstance(item, str)
                stack.append(
                    Value(Fraction(1), self.unit("feature", item))
                    if feature
                    else self.constant(item)
                )
            elif item.name in CHAINS:
                kind, sign = CHAINS[item.name]
                right = self._chain(stack.pop(), kind)
                stack.append(self._chain(stack.pop(), kind).take(right, sign))
            elif item.name == "neg":
                chain = self._chain(stack.pop(), "sum")
                chain.sign = -chain.sign
                stack.append(chain)
            else:
                start = len(stack) - item.arity
                arguments = [self._settled(one) for one in stack[start:]]
                stack[start:] = [self.call(item.name, arguments)]
        return self.piece(self._settled(stack[0]))

    def _chain(self, operand: Chain | Value, kind: str) -> Chain:
        if isinstance(operand, Chain) and operand.kind == kind:
            return operand
        return Chain(kind, [(self._settled(operand), 1)])

    def _settled(self, operand: Chain | Value) -> Value:
        if isinstance(operand, Value):
            return operand
        parts = [(value, Fraction(sign * operand.sign)) for value, sign in operand.values]
        if operand.kind == "sum":
            return self._shortest_sum([self.times(value, sign) for value, sign in parts])
        return self._shortest_product([self.power(value, sign) for value, sign in parts])

    def _small(self, value: Value) -> bool:
        return len(self.terms(value)) <= TERMS and self.cost(value) <= SIZE

    def _shortest_sum(self, values: list[Value]) -> Value:
        plain = self.add(values)
        if not self._small(plain):
            return plain
        found = [plain]
        wide = self._multiplied_out(plain)
        if wide is not None:
            found.insert(0, wide)
        found += [self._factored(value) for value in found]
        return min(found, key=self.cost)

    def _shortest_product(self, values: list[Value]) -> Value:
        plain = self.multiply(values)
        if self.units[plain.unit][0] != "product" or not self._small(plain):
            return plain
        wide = self._multiplied_out(plain)
        if wide is None:
            return plain
        return min(plain, wide, self._factored(wide), key=self.cost)

    def _multiplied_out(self, value: Value) -> Value | None:
        """Multiply out all powers of sums; None where there is none, or where it makes too many terms."""
        done, work = list[Value](), self.terms(value)
        while work:
            term = work.pop()
            entry = self.units[term.unit]
            sums = [
                (base, e)
                for base, e in self.factors(term.unit)
                if self.units[base][0] == "sum" and e.denominator == 1 and 0 < e <= HIGHEST
            ]
            if not sums or entry[0] == "sum":
                done += self.terms(term)
            else:
                base, e = sums[0]
                rest = {b: x - (b == base) for b, x in self.factors(term.unit)}
                other = self._product(term.coef, defaultdict(Fraction, rest))
                work += [
                    self.multiply([other, inner]) for inner in self.terms(Value(Fraction(1), base))
                ]
            if len(done) + len(work) > 2 * TERMS:
                return None
        found = self.add(done)
        if found == value or not self._small(found):
            return None
        return found

    def _factored(self, value: Value) -> Value:
        """Put common factors before brackets, the one that saves most first."""
        if value not in self.factored:
            terms, self.branches = self.terms(value), BRANCHES
            try:
                self.factored[value] = self.add(self._grouped(terms))
            except TooManyError:
                self.factored[value] = value
        return self.factored[value]

    def _grouped(self, terms: list[Value]) -> list[Value]:
        while len(terms) > 1:
            ways = self._ways(terms)
            if not ways:
                break
            taken: set[int] = set()
            apart = all(not taken & set(w) and not taken.update(w) for w, _ in ways)
            if not apart:
                self.branches -= len(ways)
                if self.branches < 0:
                    raise TooManyError
                every = [self._grouped(self._rest(terms, [way])) for way in ways]
                return min(every, key=lambda found: self.cost(self.add(found)))
            terms = self.terms(self.add(self._rest(terms, ways)))
        return terms

    def _rest(self, terms: list[Value], ways: list[tuple[tuple[int, ...], Value]]) -> list[Value]:
        taken = {place for places, _ in ways for place in places}
        return [t for i, t in enumerate(terms) if i not in taken] + [new for _, new in ways]

    def _ways(self, terms: list[Value]) -> list[tuple[tuple[int, ...], Value]]:
        """Find the factors that save most: the terms that have it, and what these become."""
        holding: dict[tuple[int, Fraction], list[int]] = defaultdict(list)
        having: dict[tuple[int, bool], list[tuple[Fraction, int]]] = defaultdict(list)
        for place, term in enumerate(terms):
            for base, e in self.factors(term.unit):
                having[base, e > 0].append((abs(e), place))
        for (base, positive), found in having.items():
            for e in {e for e, _ in found}:
                places = [place for size, place in found if size == e]
                if e == min(found)[0]:
                    places = [place for _, place in found]
                if len(places) > 1:
                    holding[base, e * (-1) ** (not positive)] = places
        groups: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(dict)
        for (base, e), places in holding.items():
            groups[tuple(places)][base] = e
        gains: dict[int, list[tuple[tuple[int, ...], dict[int, Fraction]]]] = defaultdict(list)
        for places, powers in groups.items():
            factor = self._product(Fraction(1), defaultdict(Fraction, powers))
            gains[(len(places) - 1) * (self.cost(factor) + 1)].append((places, powers))
        before = self.cost(self.add(terms))
        for gain in sorted(gains, reverse=True)[:GAINS]:
            ways = [
                (places, self._bracketed(terms, places, powers)) for places, powers in gains[gain]
            ]
            costs = [self.cost(self.add(self._rest(terms, [way]))) for way in ways]
            if min(costs) < before:
                return [way for way, cost in zip(ways, costs, strict=True) if cost == min(costs)]
        return []

    def _bracketed(
        self, terms: list[Value], places: tuple[int, ...], powers: dict[int, Fraction]
    ) -> Value:
        factor = self._product(Fraction(1), defaultdict(Fraction, powers))
        inverse = self.power(factor, Fraction(-1))
        inside = self.add([self.multiply([terms[place], inverse]) for place in places])
        inside = self.add(self._grouped(self.terms(inside)))
        return self.multiply([factor, inside])
