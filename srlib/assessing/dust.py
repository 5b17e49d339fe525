"""Dust: terms too small to change a prediction, such as the ``-3.54e-16*x1**2*x9`` that a linear fit leaves behind."""

from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any

import numpy as np

from srlib.expressions import Expression, evaluate
from srlib.expressions.evaluate import MOST_CELLS
from srlib.expressions.operators import OPERATORS, Operator, Tape
from srlib.expressions.tree import subtree_sizes

SUM_OPERATORS = frozenset(OPERATORS[name] for name in ("add", "sub", "neg"))
DUST_SHARE = 1e-12  # share of a sum below which a term is dust: rounding noise of sums
PREDICTION_TOLERANCE = 1e-9  # tolerance of predictions without dust, as a share of the largest

Columns = Mapping[str, np.ndarray]
Terms = list[tuple[int, Any]]  # the position where each ends, and its magnitude on each row


def split_dust(
    model: Expression, parts: Collection[tuple[Columns, np.ndarray]]
) -> tuple[Expression, list[Expression]]:
    """Return a model without its dust, and the terms left out.

    A term of a sum is dust if on every row its magnitude is at most 1e-12 of the summed magnitudes of all terms of
    that sum: a sum of rounded products has about 12 significant digits in double precision. Nothing is left out if
    the model without all dust predicts something else, as may happen when large terms cancel.

    Each term is compared with its own sum, row by row, and not with the largest prediction. So a term that matters on
    a few rows only, as y in ``x**10 + y``, is not dust. The result depends on how a model is written: the order and
    nesting of a sum, names and signs do not matter, but a term that is split into parts may become dust (all dust
    together changes predictions by less than 1e-9 of the largest). Outside sums, as in ``x*exp(1e-17*y)``, nothing is
    dust.

    Parameters
    ----------
    model : Expression
        The model.
    parts : collection of (columns, target)
        The rows on which the model is judged; only the length of the target is used.

    Returns
    -------
    model : Expression
        The model without dust.
    dust : list of Expression
        The terms left out, in the order of the text, including tiny terms nested within another.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> columns = {"x": np.array([1.0, 2.0]), "y": np.array([1.0, 3.0])}
    >>> split_dust(parse("x - 3e-17*y*x + 1e-17"), [(columns, np.array([1.0, 2.0]))])
    (Expression(x), [Expression(3e-17*y*x), Expression(1e-17)])
    """
    tape = model.tape
    tiny_terms = []
    chunk_rows = max(
        256, MOST_CELLS // len(tape)
    )  # rows at a time, as all terms of a sum are in memory
    for columns, target in parts:
        for start in range(0, len(target), chunk_rows):
            chunk = {name: columns[name][start : start + chunk_rows] for name in model.features}
            tiny_terms.append(find_tiny_terms(tape, chunk))
    dust = set.intersection(*tiny_terms)
    if not dust:
        return model, []
    remaining = Expression(drop_terms(tape, dust))
    for columns, target in parts:
        if not predicts(
            remaining, columns, evaluate(model, columns, len(target)), PREDICTION_TOLERANCE
        ):
            return model, []
    sizes = subtree_sizes(tape)
    return remaining, [Expression(tape[end + 1 - sizes[end] : end + 1]) for end in sorted(dust)]


def find_tiny_terms(tape: Tape, columns: Columns) -> set[int]:
    """Return the positions on the tape of the last item of each term that is tiny beside its sum on every row."""
    values: list[Any] = []
    groups: list[Terms] = []  # for each value on the stack, the terms whose sum it is
    sums: list[Terms] = []
    tiny_terms: set[int] = set()
    with np.errstate(all="ignore"):
        for end, item in enumerate(tape):
            operands: list[Terms] = []
            if isinstance(item, Operator):
                value = item.numpy(*pop_arguments(values, item))
                operands = pop_arguments(groups, item)
            else:
                value = columns[item] if isinstance(item, str) else np.float64(item)
            if item in SUM_OPERATORS:
                terms = operands[0]
                for operand in operands[1:]:
                    terms.extend(operand)  # in place, as a sum may have 100,000 terms
            else:
                terms = [(end, np.abs(value))]
                sums += operands
            values.append(value)
            groups.append(terms)
        for terms in (*sums, *groups):
            limit = DUST_SHARE * sum(size for _, size in terms)
            if len(terms) > 1:
                tiny_terms.update(end for end, size in terms if np.all(size <= limit))
    return tiny_terms


def drop_terms(tape: Tape, dust: set[int]) -> Tape:
    """Return a tape without the terms that end at these positions; an operator with one operand left is dropped."""
    stack: list[Tape] = []  # for each value its items; empty if it was dropped
    for end, item in enumerate(tape):
        items: Tape = (item,)
        if isinstance(item, Operator):
            arguments = pop_arguments(stack, item)
            items = (*chain.from_iterable(arguments), item)
            if not all(arguments):
                items = next(filter(None, arguments), (0,))
                if item is OPERATORS["sub"] and arguments[1]:
                    items = (*items, OPERATORS["neg"])
        stack.append(() if end in dust else items)
    return stack[0]


def pop_arguments(stack: list[Any], operator: Operator) -> list[Any]:
    """Remove the arguments of an operator from the end of a stack, and return them."""
    arguments = stack[len(stack) - operator.arity :]
    del stack[len(stack) - operator.arity :]
    return arguments


def predicts(
    model: Expression, columns: Columns, expected: np.ndarray, share: float, relative: float = 0.0
) -> bool:
    """Return whether a model predicts the expected values on every row, within tolerances.

    Parameters
    ----------
    model : Expression
        The model.
    columns : mapping of str to ndarray, shape (rows,)
        Features of the model.
    expected : ndarray, shape (rows,)
        Expected values; NaN equals NaN, and an infinite value equals itself.
    share : float
        Tolerance, as a share of the largest finite magnitude in `expected`.
    relative : float
        Tolerance that is added to it, as a share of the expected value of the row.
    """
    largest = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
    prediction = evaluate(model, columns, len(expected))
    return np.allclose(prediction, expected, rtol=relative, atol=share * largest, equal_nan=True)
