"""The light tree of a model: a frozen postfix tape, never nested Python objects."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from srlib.expressions.operators import SYMPY_CALLS, Item, Operator
from srlib.expressions.text import written

LARGEST_INTEGER = 10**15


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

    tape: tuple[Item, ...]

    def __hash__(self) -> int:
        """Hash the tape once."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.tape)

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

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """Sympy functions that the text calls (``factor_terms``), sorted; they stand for their argument."""
        return tuple(
            sorted(
                {
                    item.name
                    for item in self.tape
                    if isinstance(item, Operator) and item.name in SYMPY_CALLS
                }
            )
        )

    def __repr__(self) -> str:
        """Show the text, shortened."""
        text = to_text(self)
        return f"Expression({text if len(text) <= 80 else text[:77] + '...'})"


def to_text(expression: Expression) -> str:
    """Print a model in our notation, which `parse` reads back to the same tree."""
    return written(expression.tape)


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


def number(value: int | float) -> int | float:
    """Constant in its canonical type: an int where it is integral and at most 10**15, else a float.

    Examples
    --------
    >>> number(2.0), number(0.5), number(1e300)
    (2, 0.5, 1e+300)
    """
    if isinstance(value, int):
        if -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
            return value
        return float(value)
    if value.is_integer() and abs(value) <= LARGEST_INTEGER:
        return int(value)
    return float(value)
