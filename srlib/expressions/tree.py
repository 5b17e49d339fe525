"""A model as a frozen postfix tape, never nested Python objects: its text, its count, its subtrees."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from srlib.expressions.operators import Item, Operator, Tape

COMPARISON_PRECEDENCE = 30
CONDITION_PRECEDENCE = 40  # comparisons and their junctions bind less tightly than arithmetic
LARGEST_INTEGER = 10**15
NONFINITE = frozenset(
    ["nan", "inf", "infinity", "zoo", "oo", "none", "null", "complexinfinity", "na"]
)
RESERVED = frozenset(["pi", "True", "False", "true", "false", "and", "or", "not"])
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ATOM, _NEGATIVE = 100, 70  # binding strengths of what stands alone, and of a number with a minus


@dataclass(frozen=True)
class Expression:
    """A model as a postfix tape.

    Parameters
    ----------
    tape : tuple of Operator, str, int or float
        Arguments first, then their operator: ``a - 2*b`` is ``("a", 2, "b", mul, sub)``. A str is a feature's
        name, a number is a constant (int where it is integral, see `number`), everything else an operator of
        the table.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> parse("a - 2*b").tape
    ('a', 2, 'b', mul, sub)
    >>> sorted(parse("a - 2*b").features)
    ['a', 'b']
    """

    tape: Tape

    @cached_property
    def features(self) -> frozenset[str]:
        """Names of the features that occur in the text (not: that matter)."""
        return frozenset(item for item in self.tape if isinstance(item, str))

    @cached_property
    def model_id(self) -> str:
        """Hash of the canonical tree (16 bytes of blake2b, hexadecimal), the same on every machine."""
        parts = (
            f"o{item.name}"
            if isinstance(item, Operator)
            else f"f{len(item)}:{item}"
            if isinstance(item, str)
            else f"c{item!r}"
            for item in self.tape
        )
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()

    def __repr__(self) -> str:
        """Show the text, shortened."""
        text = to_text(self)
        return f"Expression({text if len(text) <= 80 else text[:77] + '...'})"


def number(value: int | float) -> int | float:
    """Constant in its canonical type: an int where it is integral and at most 10**15, else a float.

    Examples
    --------
    >>> number(2.0), number(0.5), number(1e300)
    (2, 0.5, 1e+300)
    """
    integral = isinstance(value, int) or value.is_integer()
    return int(value) if integral and abs(value) <= LARGEST_INTEGER else float(value)


def count_text(expression: Expression) -> int:
    """Count operators, features and constants as they are written.

    ``a - b`` is 3 and ``-0.5*x`` is 3: a minus before a number belongs to the number, before anything else it
    is an operator. Named constants count one, calls of sympy functions (``factor_terms``) nothing.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> [count_text(parse(t)) for t in ("a - b", "-0.5*x", "-x", "sin(x)**2", "x")]
    [3, 3, 2, 4, 1]
    """
    return sum(item.nodes if isinstance(item, Operator) else 1 for item in expression.tape)


def subtree_sizes(tape: Sequence[Item]) -> list[int]:
    """Count the items of the subtree that ends at each place of the tape."""
    sizes: list[int] = []
    for place, item in enumerate(tape):
        start = place
        if isinstance(item, Operator):
            for _ in range(item.arity):
                start -= sizes[start - 1]
        sizes.append(place - start + 1)
    return sizes


def is_condition(item: Item) -> bool:
    """Whether the subtree with this root is a comparison, a junction or negation of such, or a truth value."""
    if isinstance(item, Operator):
        return item.precedence <= CONDITION_PRECEDENCE or item.name == "not"
    return type(item) is not float and item in (0, 1)


def quoted(name: str) -> str:
    """Feature name as it stands in a text: odd names in backquotes."""
    if _PLAIN_NAME.fullmatch(name) and name not in RESERVED and name.lower() not in NONFINITE:
        return name
    return "`" + name.replace("`", "``") + "`"


def to_text(expression: Expression) -> str:
    """Print a model in our notation, which `parse` reads back to the same tree.

    Infix with ``**``, functions as calls, odd names in backquotes.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> to_text(parse("add(sub(x0, mul(-1.5, `cell size`)), div(x0, 2))"))
    'x0 - -1.5*`cell size` + gplearn_div(x0, 2)'
    """
    stack: list[tuple[Item, Any]] = []  # of each value its root, and its text: pieces within pieces
    for item in expression.tape:
        if isinstance(item, Operator):
            first = len(stack) - item.arity
            template = _template(item, [root for root, _ in stack[first:]])
            if template == "pi()" and "pi" not in expression.features:  # no feature has that name
                template = "pi"
            start, *between = template.split("@")
            pieces: list[Any] = [start]
            for (_, argument), text in zip(stack[first:], between, strict=True):
                pieces += [argument, text]
            stack[first:] = [(item, pieces)]
        else:
            stack.append((item, quoted(item) if isinstance(item, str) else repr(item)))
    texts: list[str] = []
    waiting = [stack[0][1]]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            texts.append(piece)
        else:
            waiting.extend(reversed(piece))
    return "".join(texts)


def _template(operator: Operator, arguments: list[Item]) -> str:
    """Text of an operator, with @ in the place of each argument, whose root is given."""
    name, symbol, precedence = operator.name, operator.symbol, operator.precedence
    if name == "where":
        return "Piecewise((@, @), (@, True))"
    if name == "only":
        return "Piecewise((@, @))"
    if name in ("or", "and") and not all(map(is_condition, arguments)):
        return f"logical_{name}(@, @)"  # their signs are for conditions only
    if not symbol:
        return f"{name}({', '.join('@' * operator.arity)})"
    first, last = _binding(arguments[0]), _binding(arguments[-1])
    if operator.arity == 1:
        brackets = first < precedence or isinstance(arguments[0], int | float)
        return f"{symbol}(@)" if brackets else f"{symbol}@"
    # a - b - c is (a - b) - c, but a**b**c is a**(b**c); comparisons do not chain
    power, comparison = name == "pow", precedence == COMPARISON_PRECEDENCE
    left = "(@)" if first < precedence + (power or comparison) else "@"
    right = "(@)" if last < precedence + (not power) or last == _NEGATIVE else "@"
    return f"{left}{symbol}{right}" if precedence >= 60 else f"{left} {symbol} {right}"


def _binding(item: Item) -> int:
    """Binding strength of the subtree with this root."""
    if isinstance(item, Operator):
        return item.precedence
    return _NEGATIVE if not isinstance(item, str) and repr(item)[0] == "-" else _ATOM
