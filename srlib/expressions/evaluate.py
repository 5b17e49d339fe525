"""Evaluation of the light tree on data: an explicit stack of arrays, in bounded memory."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from srlib import limits
from srlib.errors import InputError
from srlib.expressions.operators import Operator
from srlib.expressions.tree import Expression, Item

CELLS = 2**22  # numbers that may stand on the stack at once: 32 MiB
CHUNK = 2**15  # rows at once: more would not stay in the processor's cache


def evaluate(expression: Expression, columns: Mapping[str, np.ndarray], rows: int) -> np.ndarray:
    """Values of a model on data.

    Parameters
    ----------
    expression : Expression
        The model.
    columns : mapping of str to ndarray of shape (rows,)
        The data, by feature name.
    rows : int
        Number of rows; a constant model gives as many equal values.

    Returns
    -------
    ndarray of float64, shape (rows,)
        NaN where the model is complex or undefined; infinities are kept.

    Raises
    ------
    InputError
        When a feature of the model is not among the columns, or the work is more than any competition needs.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> evaluate(parse("sqrt(x) + 1"), {"x": np.array([4.0, -4.0])}, 2)
    array([ 3., nan])
    """
    missing = sorted(expression.features - set(columns))
    if missing:
        known = ", ".join(columns)
        raise InputError(f"the model uses {missing[0]!r}, which is no column of the data ({known})")
    if (steps := len(expression.tape) * rows) > limits.STEPS:
        raise InputError(
            f"a formula's length times its rows of at most {limits.STEPS} was expected, got {steps}"
        )
    data = {name: np.asarray(columns[name], dtype=np.float64) for name in expression.features}
    result = np.empty(rows)
    chunk = min(CHUNK, max(256, CELLS // stack_depth(expression.tape)))
    with np.errstate(all="ignore"):
        for start in range(0, rows, chunk):
            part = {name: values[start : start + chunk] for name, values in data.items()}
            result[start : start + chunk] = run_tape(expression.tape, part)
    return result


def run_tape(tape: tuple[Item, ...], columns: Mapping[str, Any]) -> Any:
    """Value of a tape on one chunk: an array, or a number without features; the caller silences warnings."""
    stack: list[Any] = []
    for item in tape:
        if isinstance(item, Operator):
            if item.arity == 2:
                right = stack.pop()
                stack[-1] = item.numpy(stack[-1], right)
            elif item.arity == 1:
                stack[-1] = item.numpy(stack[-1])
            else:
                arguments = stack[len(stack) - item.arity :]
                del stack[len(stack) - item.arity :]
                value = item.numpy(*arguments)
                if item.arity == 0:
                    value = np.float64(value)
                stack.append(value)
        else:
            stack.append(columns[item] if isinstance(item, str) else np.float64(item))
    return stack[0]


def stack_depth(tape: tuple[Item, ...]) -> int:
    """Largest number of values that stand on the stack at once."""
    depth = deepest = 0
    for item in tape:
        depth += 1 - item.arity if isinstance(item, Operator) else 1
        deepest = max(deepest, depth)
    return deepest


def r2_score(y: np.ndarray, prediction: np.ndarray) -> float:
    """Coefficient of determination, 1 - residual sum of squares / total sum of squares; higher is better.

    Equal to `sklearn.metrics.r2_score` (a constant target gives 1 for a perfect prediction and 0 otherwise),
    except that a prediction with a value that is not finite gives NaN instead of an error.

    Parameters
    ----------
    y, prediction : ndarray of shape (rows,)
        The target and what the model says.

    Examples
    --------
    >>> r2_score(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    0.5
    """
    y, prediction = np.asarray(y, dtype=np.float64), np.asarray(prediction, dtype=np.float64)
    if len(y) < 2 or not np.all(np.isfinite(prediction)):
        return float("nan")
    with np.errstate(all="ignore"):
        residual = float(np.sum((y - prediction) ** 2))
        total = float(np.sum((y - np.mean(y)) ** 2))
    if total == 0.0:
        return 1.0 if residual == 0.0 else 0.0
    return 1.0 - residual / total
