"""Printing: the light tree as text that `parse` reads back to the same tree."""

import re

from srlib.expressions.calls import NONFINITE
from srlib.expressions.operators import Item, Operator

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
CONDITIONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne", "or", "and", "not"})
_RESERVED = frozenset({"pi", "True", "False", "true", "false", "and", "or", "not"})


def written(tape: tuple[Item, ...]) -> str:
    """Print a tape in our notation: infix with ``**``, functions as calls, odd names in backquotes.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> written(parse("add(sub(x0, mul(-1.5, `cell size`)), div(x0, 2))").tape)
    'x0 - -1.5*`cell size` + gplearn_div(x0, 2)'
    """
    sizes, pi = subtree_sizes(tape), "pi()" if "pi" in tape else "pi"
    pieces: list[str] = []
    work: list[str | int] = [len(tape) - 1]
    while work:
        entry = work.pop()
        if isinstance(entry, str):
            pieces.append(entry)
            continue
        item = tape[entry]
        if not isinstance(item, Operator):
            pieces.append(quoted(item) if isinstance(item, str) else repr(item))
        else:
            work.extend(reversed(_layout(tape, item, pi, children(sizes, entry, item.arity))))
    return "".join(pieces)


def subtree_sizes(tape: tuple[Item, ...]) -> list[int]:
    """Count the items of the subtree that ends at each place of the tape."""
    sizes: list[int] = []
    for i, item in enumerate(tape):
        size, child = 1, i - 1
        if isinstance(item, Operator):
            for _ in range(item.arity):
                size += sizes[child]
                child -= sizes[child]
        sizes.append(size)
    return sizes


def children(sizes: list[int], index: int, arity: int) -> list[int]:
    """Places at which the arguments of the operator at `index` end, first argument first."""
    ends, end = [], index - 1
    for _ in range(arity):
        ends.append(end)
        end -= sizes[end]
    return ends[::-1]


def quoted(name: str) -> str:
    """Feature name as it stands in a text: odd names in backquotes."""
    if _PLAIN_NAME.fullmatch(name) and name not in _RESERVED and name.lower() not in NONFINITE:
        return name
    return "`" + name.replace("`", "``") + "`"


def _layout(
    tape: tuple[Item, ...],
    operator: Operator,
    pi: str,
    ends: list[int],
) -> list[str | int]:
    name = operator.name
    if operator.arity == 0:
        return [pi if name == "pi" else f"{name}()"]
    if name == "where":
        return ["Piecewise((", ends[0], ", ", ends[1], "), (", ends[2], ", True))"]
    if name == "only":
        return ["Piecewise((", ends[0], ", ", ends[1], "))"]
    if not operator.symbol:
        parts: list[str | int] = [f"{name}("]
        for end in ends:
            parts += [end, ", "]
        return [*parts[:-1], ")"]
    if operator.arity == 1:
        number = isinstance(tape[ends[0]], int | float)
        return [
            operator.symbol,
            *_wrapped(ends[0], number or _binding(tape[ends[0]]) < operator.precedence),
        ]
    left, right = ends
    if name in ("or", "and") and not all(_is_condition(tape[end]) for end in ends):
        return [f"logical_{name}(", left, ", ", right, ")"]  # the signs are for conditions only
    power, comparison = name == "pow", operator.precedence == 30
    wrap_left = _binding(tape[left]) < operator.precedence + (power or comparison)
    wrap_right = (
        _binding(tape[right]) < operator.precedence + (not power) or _binding(tape[right]) == 70
    )
    symbol = operator.symbol if operator.precedence >= 60 else f" {operator.symbol} "
    return [*_wrapped(left, wrap_left), symbol, *_wrapped(right, wrap_right)]


def _is_condition(item: Item) -> bool:
    if type(item) is int:
        return item in (0, 1)
    return getattr(item, "name", "") in CONDITIONS


def _binding(item: Item) -> int:
    if isinstance(item, Operator):
        return item.precedence
    if not isinstance(item, str) and (item < 0 or repr(item)[0] == "-"):
        return 70
    return 100


def _wrapped(index: int, wrap: bool) -> list[str | int]:
    return ["(", index, ")"] if wrap else [index]
