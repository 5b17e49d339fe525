"""Dust: terms too small to change a prediction, such as the ``-3.54e-16*x1**2*x9`` that a linear fit leaves behind."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srlib.expressions import Expression, evaluate
from srlib.expressions.evaluate import CELLS
from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.tree import Item, subtree_sizes

_ADD, _SUB, _NEG = OPERATORS["add"], OPERATORS["sub"], OPERATORS["neg"]
_SUMS = frozenset({_ADD, _SUB, _NEG})
DIGITS = 1e-12  # of a sum: what the scorer, too, takes for summation noise
SAME = 1e-9  # of the largest prediction: what is left must predict what the model does

Columns = Mapping[str, np.ndarray]


def split_dust(
    model: Expression, parts: Sequence[tuple[Columns, int]]
) -> tuple[Expression, list[Expression]]:
    """Leave out the terms that change no prediction at double precision.

    Such is a term of a sum that on every row is less than 1e-12 of the magnitudes in that sum: it stands behind the
    12 significant digits that a sum of rounded products has in double precision. Where the model without all of them
    predicts otherwise, because large terms cancel, nothing is left out.

    Each term is held against its own sum, row by row, not its effect against the largest prediction: a term of the
    truth that matters on a few rows only, as y in ``x**10 + y``, is none. So the rule is one of the writing where
    writing differs: the order and nesting of a sum, renaming and signs change nothing; a term that is split into
    parts may become dust (together they are below 1e-9 of the largest prediction); in a factor, an exponent or a
    function that is no sum, as in ``x*exp(1e-17*y)``, nothing is dust.

    Parameters
    ----------
    model : Expression
        The model.
    parts : sequence of (columns, rows)
        The data on which it is judged, as for `evaluate`.

    Returns
    -------
    model : Expression
        What is left.
    dust : list of Expression
        The terms that are not.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> split_dust(parse("x - 3e-17*y*x + 1e-17"), [({"x": np.array([1.0, 2.0]), "y": np.array([1.0, 3.0])}, 2)])
    (Expression(x), [Expression(3e-17*y*x), Expression(1e-17)])
    """
    dust: set[int] | None = None
    for columns, rows in parts:
        step = max(256, CELLS // len(model.tape))
        for start in range(0, rows, step):
            chunk = {name: columns[name][start : start + step] for name in model.features}
            tiny = _tiny(model.tape, chunk)
            dust = tiny if dust is None else dust & tiny
    if not dust:
        return model, []
    left = Expression(_without(model.tape, dust))
    if not all(_same(model, left, columns, rows) for columns, rows in parts):
        return model, []
    sizes = subtree_sizes(model.tape)
    terms: list[Expression] = []
    start = len(model.tape)
    for end in sorted(dust, reverse=True):
        if end < start:  # else it lies within a term that is dust
            start = end + 1 - sizes[end]
            terms.append(Expression(model.tape[start : end + 1]))
    return left, terms[::-1]


def _tiny(tape: tuple[Item, ...], columns: Columns) -> set[int]:
    """Places at which the terms end that are tiny beside their sum on each of these rows."""
    found: set[int] = set()
    stack: list[
        tuple[Any, list[tuple[int, Any]]]
    ] = []  # a value, and the terms that it is the sum of

    def close(terms: list[tuple[int, Any]]) -> None:
        if len(terms) > 1:
            limit = DIGITS * sum(size for _, size in terms)
            found.update(end for end, size in terms if np.all(size <= limit))

    with np.errstate(all="ignore"):
        for end, item in enumerate(tape):
            if not isinstance(item, Operator):
                value = columns[item] if isinstance(item, str) else np.float64(item)
                stack.append((value, [(end, np.abs(value))]))
                continue
            arguments = stack[len(stack) - item.arity :]
            del stack[len(stack) - item.arity :]
            value = item.numpy(*(value for value, _ in arguments))
            if item in _SUMS:
                terms = arguments[0][1]
                terms.extend(arguments[-1][1] if item.arity == 2 else ())
            else:
                for _, parts in arguments:
                    close(parts)
                terms = [(end, np.abs(value))]
            stack.append((value, terms))
        close(stack[0][1])
    return found


def _without(tape: tuple[Item, ...], dust: set[int]) -> tuple[Item, ...]:
    """Rebuild the tape; an operator keeps the side that is left."""
    stack: list[tuple[Item, ...] | None] = []
    for end, item in enumerate(tape):
        if not isinstance(item, Operator):
            stack.append((item,))
        else:
            arguments = stack[len(stack) - item.arity :]
            del stack[len(stack) - item.arity :]
            stack.append(_joined(item, arguments))
        if end in dust:
            stack[-1] = None
    return stack[0] or tape


def _joined(item: Operator, arguments: list[tuple[Item, ...] | None]) -> tuple[Item, ...]:
    kept = [part for part in arguments if part is not None]
    if len(kept) == item.arity:
        return (*(piece for part in kept for piece in part), item)
    if not kept:
        return (0,)
    if item is _SUB and arguments[0] is None:
        return (*kept[0], _NEG)
    return kept[0]


def _same(one: Expression, other: Expression, columns: Columns, rows: int) -> bool:
    a, b = evaluate(one, columns, rows), evaluate(other, columns, rows)
    scale = np.max(np.abs(a), initial=0.0, where=np.isfinite(a))
    return bool(np.allclose(a, b, rtol=0.0, atol=SAME * scale, equal_nan=True))
