"""Truth and model with their constants gathered, and all fits of the two that may be a solution."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srlib.expressions.evaluate import evaluate_precisely
from srlib.expressions.evidence import describe_move
from srlib.expressions.fitting import (
    EQUAL,
    KINDS,
    Fit,
    Side,
    allows,
    as_written,
    compare_values,
    fit,
)
from srlib.expressions.normal_form import NormalForm, normal_form, same_normal_form
from srlib.expressions.points import Ranges, Sample, draw, values
from srlib.expressions.tolerance import (
    HALF,
    allowance,
    expanded_allowance,
    round_as_srbench,
    rounds_to_zero,
)
from srlib.expressions.tree import Expression
from srlib.rules.constants import Constants

POINTS, MOST_POINTS = 96, 1500


@dataclass(frozen=True)
class Comparison:
    """Truth and model at the points of a sample, as text and in all forms in which constants may move.

    The last of `truth_forms` has its products multiplied out; `rounded` lists constants of the model that were rounded
    before, as `Equivalence.moved` does.
    """

    truth: Expression
    model: Expression
    ranges: Ranges
    reading: Constants
    sample: Sample
    truth_text: Side
    model_text: Side
    truth_forms: list[Side]
    model_form: Side
    rounded: list[dict[str, Any]]


def list_positive(ranges: Ranges) -> frozenset[str]:
    """Return the features that are positive on the domain, but for its corner."""
    return frozenset(name for name, (low, _) in ranges.items() if low >= 0)


def gather(expression: Expression, ranges: Ranges, *, expand: bool = True) -> NormalForm:
    """Return a function with its constants gathered; where that takes too much, none of them may move."""
    form = normal_form(expression, list_positive(ranges), expand=expand)
    return form or NormalForm(expression.tape)


def draw_sample(
    truth: Expression,
    model: Expression,
    ranges: Ranges,
    reading: Constants,
    rng: np.random.Generator,
) -> tuple[Expression, Sample, list[dict[str, Any]]]:
    """Draw a sample; return the model with those constants rounded that have to be, the sample, and these."""
    rounded: list[dict[str, Any]] = []
    if reading.rule == "srbench":
        form, changes = round_as_srbench(gather(model, ranges, expand=False))
        model = Expression(form.tape)
        rounded = [describe_move(f"{name}, rounded,", a, b) for name, a, b in changes if a]
    constants = max(len(gather(side, ranges).places) for side in (truth, model))
    count = min(max(POINTS, 3 * constants), MOST_POINTS)
    sample = draw(truth.tape, model.tape, ranges, count, rng)
    return model, sample, rounded


def is_constant(model: Expression, sample: Sample) -> bool:
    """Whether a model has the same value, with 60 digits, where it is least and where it is greatest."""
    order = np.argsort(values(model.tape, sample.columns, sample.count))
    ends = {name: column[order[[0, -1]]] for name, column in sample.columns.items()}
    low, high = evaluate_precisely(as_written(model.tape), ends, 2)
    return bool(abs(high - low) <= 1e-25 * max(abs(low), abs(high)))


def gather_constants(
    truth: Expression,
    model: Expression,
    ranges: Ranges,
    reading: Constants,
    sample: Sample,
    rounded: list[dict[str, Any]],
) -> Comparison:
    """Gather the constants of both sides; a form that has not the values of the text is not used."""
    truth_text, model_text = (Side(NormalForm(side.tape), sample) for side in (truth, model))
    forms = dict.fromkeys(gather(truth, ranges, expand=expand) for expand in (False, True))
    truth_forms = [side for form in forms if agrees(side := Side(form, sample), truth_text)]
    model_form = Side(gather(model, ranges), sample)
    return Comparison(
        truth,
        model,
        ranges,
        reading,
        sample,
        truth_text,
        model_text,
        truth_forms or [truth_text],
        model_form if agrees(model_form, model_text) else model_text,
        rounded,
    )


def agrees(side: Side, text: Side) -> bool:
    """Whether a gathered form has the values of the text."""
    return compare_values(side.start, text.start, "identical").excess <= EQUAL


def list_fits(comparison: Comparison) -> Iterator[Fit]:
    """Yield what may be a solution: both as they stand, with the truth's constants moved, with the model's moved."""
    truth, text = comparison.truth_text, comparison.model_text
    for kind in KINDS:
        unmoved = fit(truth, text, kind, "truth", truth.constants)
        yield unmoved
        model, model_room = prepare_model(comparison, unmoved.gap.factor)
        for side in (text, model) if model.left_out else (text,):
            for form in comparison.truth_forms:
                room = allowance(form.constants, comparison.reading, of_truth=True)
                yield fit(form, side, kind, "truth", room)
        yield fit(truth, model, kind, "model", model_room)


def prepare_model(comparison: Comparison, unit: float) -> tuple[Side, np.ndarray]:
    """Return the gathered model without negligible constants, and allowances of the others; whole ones do not move.

    A multiple of the truth is compared in the truth's unit: its outer constants are `unit` times as large.
    """
    side, reading = comparison.model_form, comparison.reading
    constants = side.constants
    units = np.where(side.form.outer, unit if unit and np.isfinite(unit) else 1.0, 1.0)
    room = allowance(constants / units, reading, of_truth=False) * np.abs(units)
    room = np.where(constants == np.round(constants), 0.0, room)
    small = rounds_to_zero(constants / units, reading)
    with np.errstate(all="ignore"):
        most = HALF * 10.0**-reading.digits * float(np.ptp(side.start.value))
        reach = np.nan_to_num(np.abs(side.start.jacobian * constants), nan=np.inf)
        small &= np.max(reach, axis=0, initial=0.0) <= most
        if np.any(small) and not np.all(small):
            tape = side.tape_with(np.where(small, 0.0, constants).tolist())
            left_out = [(side.form.names[i], float(constants[i])) for i in np.flatnonzero(small)]
            shorter = Side(side.form._replace(tape=tape), side.sample, tuple(left_out))
            if np.max(np.abs(shorter.start.value - side.start.value)) <= most:
                return shorter, np.where(small, 0.0, room)
    return side, room


def is_allowed(comparison: Comparison, attempt: Fit) -> bool:
    """Whether the constants of the truth that come nearest to the model are within their tolerance.

    Constants of the model, or of a truth with products of sums, may hide how far the function itself has moved.
    """
    forms, reading, kind = comparison.truth_forms, comparison.reading, attempt.kind
    model = attempt.model
    if attempt.moved == "truth":
        if attempt.truth in (comparison.truth_text, forms[-1]):
            return True
        model = comparison.model_text
    elif not any(
        allows(form, model, kind, allowance(form.constants, reading, of_truth=True))
        for form in forms
    ):
        return False
    return allows(forms[-1], model, kind, expanded_allowance(forms[-1].constants, reading))


def is_proved(comparison: Comparison, solution: Fit) -> bool:
    """Whether the normal forms of both, as they stand, are equal up to the constant between them."""
    if (solution.truth, solution.model) != (comparison.truth_text, comparison.model_text):
        return False
    constant, positive = solution.constant, list_positive(comparison.ranges)
    return same_normal_form(comparison.truth, comparison.model, positive, solution.kind, constant)
