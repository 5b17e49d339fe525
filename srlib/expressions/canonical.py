"""A bounded measure of simplicity: the shortest writing that a fixed list of exact rewrites finds.

Without sympy and without a clock: rational numbers, and tables in the order of the text. Like terms and equal factors
are collected; nothing is multiplied out or factored.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from srlib.errors import SrlibError
from srlib.expressions.normal import Value
from srlib.expressions.operators import Operator
from srlib.expressions.pieces import Piece
from srlib.expressions.simplify import Simplified
from srlib.expressions.tree import Expression, count_text, to_text
from srlib.expressions.writing import Writing

REWRITES = 3  # raised where a count can change, so that none is taken from a cache
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
    - it reads the text alone: no clock, no random number, no order of sets.

    It is the shortest that its rewrites reach, not the shortest there is: ``x*y + x*z`` stays.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> canonical(parse("x*y + y*x - 0*w"))
    Simplified(text='2*(x*y)', expression=Expression(2*(x*y)), complexity=5, features_used=('x', 'y'))
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


class Canonical(Writing):
    """Forms of a model, and its shortest writing."""

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
            return self.add([self.times(value, sign) for value, sign in parts])
        return self.multiply([self.power(value, sign) for value, sign in parts])
