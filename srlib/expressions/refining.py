"""A fit improved with 60 digits: the residual of equal functions falls without end, that of others stays."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srlib.expressions.evaluate import DIGITS, arithmetic, evaluate_precisely, precise_numbers
from srlib.expressions.fitting import Fit, factor_and_offset, finite
from srlib.expressions.tree import Item

VANISHED = (
    1e-30  # residual, relative to the size of the values, below which two functions are equal
)
NEGLIGIBLE = 1e-20  # of the median size: values so small are nothing
STEPS = 14
FEWEST_POINTS = 12  # and two more for each constant
MPF = arithmetic(DIGITS).mpf


def refine(start: Fit) -> Fit:
    """Improve a fit with 60 digits, by steps with float64's derivatives.

    Both sides are evaluated at the same points, with constants as they are written in decimals.
    """
    mover, still = start.mover, start.truth if start.moved == "model" else start.model
    count = min(still.sample.count, FEWEST_POINTS + 2 * len(mover.constants))
    first = np.argsort(start.model.start.value == 0, kind="stable")[:count]
    columns = {
        name: precise_numbers(column[first]) for name, column in still.sample.columns.items()
    }
    fixed = evaluate_precisely(as_written(still.form.tape), columns, count)
    room = np.maximum(start.allowance, 1e-15 * np.abs(mover.constants))
    slopes = finite(mover.at(np.array(start.constants)).jacobian[first] * room)
    constants = [MPF(repr(value)) for value in start.constants]
    constant, error, least, explained = None, np.inf, np.inf, True
    for _ in range(STEPS):
        moving = evaluate_precisely(as_written(mover.tape_with(constants)), columns, count)
        m, t = (moving, fixed) if start.moved == "model" else (fixed, moving)
        if constant is None:
            constant = precise_constant(m, t, start.kind)
        factor, offset = factor_and_offset(start.kind, constant)
        residual = m - t * factor - offset
        size = abs(m) + abs(t * factor)
        usual = sorted(size, key=sort_key)[count // 2]
        relative = residual / np.array([v or 1 for v in size + NEGLIGIBLE * usual])
        error = float(np.max(np.abs(relative.astype(float))))
        if error <= VANISHED or not error < 0.5 * least:
            break
        least = error
        size = np.array([v or 1 for v in size + usual])
        sign = 1 if start.moved == "model" else -factor
        matrix = slopes * (sign / size)[:, None]
        if constant is not None:
            matrix = np.column_stack([matrix, (-t if start.kind == "scale" else -1) / size])
        steps, explained = solve_step(finite(matrix.astype(float)), -residual / size)
        for i, allowed in enumerate(room.tolist()):
            constants[i] += steps[i] * allowed
        if constant is not None:
            constant += steps[-1]
    moves = np.array([float(value) for value in constants]) - mover.constants
    undecided = explained and VANISHED < min(error, least) < 1e-14
    if error <= VANISHED and np.any(np.abs(moves) > 1.001 * room):
        error, undecided = np.inf, False
    elif error > VANISHED:
        error = min(error, least)
    return replace(start, constants=constants, constant=constant, error=error, undecided=undecided)


def precise_constant(m: np.ndarray, t: np.ndarray, kind: str) -> Any:
    """Return the middle one of the constants that each point asks for."""
    if kind == "identical":
        return None
    each = [
        a / b if kind == "scale" else a - b
        for a, b in zip(m, t, strict=True)
        if b or kind == "offset"
    ]
    return sorted(each, key=sort_key)[len(each) // 2] if each else MPF(1)


def solve_step(matrix: np.ndarray, target: np.ndarray) -> tuple[list[Any], bool]:
    """Return the shortest step that explains most of a target, and whether it explains nine tenths of it."""
    unit = max(abs(target)) or MPF(1)
    aim = (target / unit).astype(float)
    lengths = np.linalg.norm(matrix, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    shares = np.linalg.lstsq(matrix / lengths, aim, rcond=1e-9)[0] if matrix.size else lengths
    gap = aim - (matrix / lengths) @ shares
    steps = [MPF(step) * unit for step in (shares / lengths).tolist()]
    return steps, bool(np.linalg.norm(gap) <= 0.1 * np.linalg.norm(aim))


def as_written(tape: Sequence[Any]) -> tuple[Any, ...]:
    """Return a tape whose floats are the decimal numbers that are written, with 60 digits."""
    return tuple(MPF(repr(float(item))) if isinstance(item, float) else item for item in tape)


def as_floats(tape: Sequence[Any]) -> tuple[Item, ...]:
    """Return a tape whose numbers with 60 digits are floats."""
    return tuple(float(item) if isinstance(item, MPF) else item for item in tape)


def sort_key(value: Any) -> tuple[bool, Any]:
    """Sort numbers, undefined ones last."""
    return value != value, value
