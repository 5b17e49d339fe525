"""Verdict on whether a model equals the truth, with evidence: moved constants, distance, a refuting point."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srlib.expressions.evaluate import DIGITS, arithmetic, evaluate_precisely
from srlib.expressions.fitting import KINDS, Fit
from srlib.expressions.points import Point
from srlib.expressions.tree import Array, Expression

SOLUTIONS = (*KINDS, "form")
DEFAULT_READING = "3 decimals"  # default rule by which constants count as equal
SAME_CONSTANT = 1e-9  # relative difference up to which constants are the same
MOST_LISTED = 3  # limit of constants in a sentence
FLOAT_DIGITS = 15
Moves = list[dict[str, Any]]  # entries of `Equivalence.moved`
Witness = dict[str, Any]


@dataclass(frozen=True)
class Equivalence:
    """A verdict and its evidence.

    Parameters
    ----------
    kind : {'identical', 'offset', 'scale', 'form', 'different', 'constant', 'unknown'}
        The first four are solutions; 'form' means that the truth equals the model with the constants in `free`.
    constant : float or None
        The additive (offset) or multiplicative (scale) constant: model = truth + constant, model = constant *
        truth.
    proof : {'symbolic', 'numerical', 'witness'} or None
        'symbolic': equal trees or normal forms; 'numerical': agreement at points; 'witness': a point at which truth and
        model differ. None if the verdict is unknown or constant, or if free constants were fitted without success.
    points : int
        Number of points at which both were compared; 0 if the trees are equal.
    digits : int
        Of solutions, the significant digits to which truth and model agree; else those of the witness's values.
    witness : dict or None
        ``{"point": {feature: value}, "truth": value, "model": value, "difference": value}`` for a point at which truth
        and model differ, confirmed with 60 digits. If the model is undefined there, "model" is None and there is no
        "difference".
    detail : str
        Sentence for the reader: which constants moved, where the model is undefined, how far the values differ.
    moved : list of dict
        Of solutions, an entry ``{"constant": name, "truth": value, "model": value, "percent": change}`` for each
        constant in which truth and model differ; "percent" is None if the constant was left out.
    constants : str
        Rule of equal constants under which the verdict holds.
    free : dict of str to float
        Under the rule free, the values of the free constants with which the truth fits the model best.
    """

    kind: str
    constant: float | None = None
    proof: str | None = None
    points: int = 0
    digits: int = 0
    witness: Witness | None = None
    detail: str = ""
    moved: Moves = field(default_factory=list)
    constants: str = DEFAULT_READING
    free: dict[str, float] = field(default_factory=dict)


def list_moves(solution: Fit) -> Moves:
    """Return the constants in which model and truth differ as entries of `Equivalence.moved`, the largest share first.

    If the model is a multiple of the truth, outer constants of the model are divided by the factor.
    """
    side = solution.mover
    is_scaled = side.form.outer if solution.moved == "model" else False
    units = np.where(is_scaled, float(solution.gap.factor), 1.0)
    before, after = side.constants / units, np.array(solution.constants, dtype=float) / units
    truth, model = (before, after) if solution.moved == "truth" else (after, before)
    places = np.flatnonzero(np.abs(after - before) > SAME_CONSTANT * np.abs(before)).tolist()
    moves = [describe_move(side.form.describe_constant(i), truth[i], model[i]) for i in places]
    moves.sort(key=lambda move: -abs(move["percent"]))
    return moves + [
        {"constant": name, "model": value, "truth": 0.0, "percent": None}
        for name, value in solution.model.left_out
    ]


def describe_move(name: str, truth: float, model: float) -> dict[str, Any]:
    """Return an entry of `Equivalence.moved`."""
    percent = float(f"{100.0 * (model - truth) / abs(truth):.3g}")
    return {"constant": name, "truth": float(truth), "model": float(model), "percent": percent}


def list_in_words(moved: Moves) -> str:
    """Return a list in words of the constants in which truth and model differ, with the changes in percent.

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


def describe_distance(truth: Array, model: Array) -> str:
    """Return a sentence with the ranges of difference and ratio of model and truth."""
    intervals = []
    with np.errstate(all="ignore"):
        for numbers in (model - truth, model / truth):
            usable = numbers[np.isfinite(numbers)]
            interval = f"{usable.min():.6g} to {usable.max():.6g}" if len(usable) else "undefined"
            intervals.append(interval)
    return "at these points the difference runs from {} and the ratio from {}".format(*intervals)


def confirm_witness(
    truth: Expression, model: Expression, points: Iterable[Point]
) -> Witness | None:
    """Return a witness for the first point at which 60 digits confirm that truth and model differ; None without one.

    A difference is confirmed if it is far larger than the error with 60 digits, which is estimated as a small share of
    the error with 30 digits.
    """
    numbers = arithmetic(DIGITS)
    for point in points:
        columns = {name: np.array([value]) for name, value in point.items()}
        exact, rough = (
            np.append(*(evaluate_precisely(side.tape, columns, 1, n) for side in (truth, model)))
            for n in (DIGITS, DIGITS // 2)
        )
        truth_value, model_value = exact
        witness = {"point": point, "truth": float(truth_value)}
        if numbers.isfinite(truth_value) and not numbers.isfinite(model_value):
            return witness | {"model": None}
        difference = model_value - truth_value
        uncertainty = 1e-20 * sum(abs(exact - rough))
        if abs(difference) > max(10.0**FLOAT_DIGITS * uncertainty, 1e-45 * abs(truth_value)):
            return witness | {"model": float(model_value), "difference": float(difference)}
    return None
