"""A verdict on two functions with its evidence: constants that moved, how far the two are apart, a witness."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srlib.expressions.evaluate import DIGITS, arithmetic, evaluate_precisely
from srlib.expressions.fitting import KINDS, Fit
from srlib.expressions.tree import Expression

SOLUTIONS = (*KINDS, "form")
DEFAULT_READING = "3 decimals"  # how constants are compared by default
SAME_CONSTANT = 1e-9  # relative difference up to which constants are the same
MOST_LISTED = 3  # constants that a sentence lists
FLOAT_DIGITS = 15


@dataclass(frozen=True)
class Equivalence:
    """A verdict and its evidence.

    Parameters
    ----------
    kind : {'identical', 'offset', 'scale', 'form', 'different', 'constant', 'unknown'}
        The first four are solutions; form: with the values in `free`.
    constant : float or None
        The additive (offset) or multiplicative (scale) constant: model = truth + constant, model = constant *
        truth.
    proof : {'symbolic', 'numerical', 'witness'} or None
        The same tree, or the same normal form, of the two as they stand; agreement at points; a point that refutes.
        None where a form does not fit: no point refutes all values.
    points : int
        Number of points at which both were compared; 0 where the trees are the same.
    digits : int
        Significant digits: to which both agree (solutions), or certain digits of the witness's values.
    witness : dict or None
        ``{"point": {feature: value}, "truth": value, "model": value, "difference": value}`` where they differ
        most, confirmed with 60 digits; the model's value is None where it is undefined.
    detail : str
        Sentence for the reader: which constants moved, where the model is undefined, how far the two are apart.
    moved : list of dict
        Of solutions: ``{"constant": name, "truth": value, "model": value, "percent": of the truth's}`` of each
        constant in which the two differ.
    constants : str
        Under which reading of equal constants the verdict holds.
    free : dict of str to float
        Under `free`, the values of the constants that may have any, with which the truth comes nearest.
    """

    kind: str
    constant: float | None = None
    proof: str | None = None
    points: int = 0
    digits: int = 0
    witness: dict[str, Any] | None = None
    detail: str = ""
    moved: list[dict[str, Any]] = field(default_factory=list)
    constants: str = DEFAULT_READING
    free: dict[str, float] = field(default_factory=dict)


def list_moves(solution: Fit) -> list[dict[str, Any]]:
    """List the constants in which model and truth differ, the largest share first, as `Equivalence.moved` has them.

    Those of a multiple of the truth are in the truth's unit.
    """
    side = solution.mover
    moves = []
    is_scaled = side.form.outer if solution.moved == "model" else False
    units = np.where(is_scaled, float(solution.gap.factor), 1.0)
    before, after = side.constants / units, np.array(solution.constants, dtype=float) / units
    truth, model = (before, after) if solution.moved == "truth" else (after, before)
    for i in np.flatnonzero(np.abs(after - before) > SAME_CONSTANT * np.abs(before)).tolist():
        moves.append(describe_move(side.form.describe_constant(i), truth[i], model[i]))
    moves.sort(key=lambda move: -abs(move["percent"]))
    for name, value in solution.model.left_out:
        moves.append({"constant": name, "model": value, "truth": 0.0, "percent": None})
    return moves


def describe_move(name: str, truth: float, model: float) -> dict[str, Any]:
    """Return an entry of `Equivalence.moved`."""
    percent = float(f"{100.0 * (model - truth) / abs(truth):.3g}")
    return {"constant": name, "truth": float(truth), "model": float(model), "percent": percent}


def list_in_words(moved: list[dict[str, Any]]) -> str:
    """Return a sentence's list of the constants in which truth and model differ, and by how many percent.

    Examples
    --------
    >>> list_in_words([{"constant": "the exponent of x", "truth": 2.0, "model": 2.0003, "percent": 0.015}])
    'the exponent of x is 2.0003 for 2 (+0.015%)'
    """
    parts = [
        f"{move['constant']} is {move['model']:.7g} for {move['truth']:.7g} ({move['percent']:+.2g}%)"
        if move["percent"] is not None
        else f"{move['constant']}, {move['model']:.3g}, is left out"
        for move in moved[:MOST_LISTED]
    ]
    more = f", and {len(moved) - MOST_LISTED} more" if len(moved) > MOST_LISTED else ""
    return ", ".join(parts) + more


def describe_distance(truth: np.ndarray, model: np.ndarray) -> str:
    """Say how far the values of a truth and a model are apart."""
    intervals = []
    with np.errstate(all="ignore"):
        for numbers in (model - truth, model / truth):
            usable = numbers[np.isfinite(numbers)]
            intervals.append(
                f"{usable.min():.6g} to {usable.max():.6g}" if len(usable) else "undefined"
            )
    return (
        f"on the domain the difference runs from {intervals[0]} and the ratio from {intervals[1]}"
    )


def confirm_witness(
    truth: Expression, model: Expression, points: Iterable[dict[str, float]]
) -> dict[str, Any] | None:
    """Return the first point at which 60 digits confirm that the two differ; None: there is none.

    A difference is confirmed where it is far above what 60 digits leave open: a small share of what 30 digits do.
    """
    numbers = arithmetic(DIGITS)
    for point in points:
        columns = {name: np.array([value]) for name, value in point.items()}
        truth_value, model_value, rough_truth, rough_model = (
            evaluate_precisely(side.tape, columns, 1, digits)[0]
            for digits in (DIGITS, DIGITS // 2)
            for side in (truth, model)
        )
        if numbers.isfinite(truth_value) and not numbers.isfinite(model_value):
            return {"point": point, "truth": float(truth_value), "model": None}
        uncertainty = 1e-20 * (
            abs(truth_value - numbers.mpf(rough_truth))
            + abs(model_value - numbers.mpf(rough_model))
        )
        if abs(model_value - truth_value) > max(
            10.0**FLOAT_DIGITS * uncertainty, 1e-45 * abs(truth_value)
        ):
            return {
                "point": point,
                "truth": float(truth_value),
                "model": float(model_value),
                "difference": float(model_value - truth_value),
            }
    return None
