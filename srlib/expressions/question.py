"""Truth and model with their constants gathered, and all fits of the two that may be a solution."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srlib.expressions.evaluate import evaluate_precisely
from srlib.expressions.evidence import (
    KINDS,
    describe_move,
)
from srlib.expressions.fitting import (
    EQUAL,
    NOISE,
    Fit,
    Side,
    allows,
    compare_values,
    fit,
)
from srlib.expressions.normal_form import NormalForm, normal_form, same_normal_form
from srlib.expressions.points import (
    Ranges,
    Sample,
    draw,
)
from srlib.expressions.refining import as_written
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
class Question:
    """Truth and model at the points of a sample, as text and in all forms in which constants may move.

    `positive` are features that are positive on the domain; the last of `truth_forms` has its products multiplied
    out; `rounded` lists constants of the model that were rounded before, as `Equivalence.moved` does.
    """

    truth: Expression
    model: Expression
    ranges: Ranges
    reading: Constants
    positive: frozenset[str]
    truth_text: Side
    model_text: Side
    truth_forms: list[Side]
    model_form: Side
    rounded: list[dict[str, Any]]


def draw_sample(
    truth: Expression,
    model: Expression,
    ranges: Ranges,
    reading: Constants,
    rng: np.random.Generator,
) -> tuple[Expression, Sample, list[dict[str, Any]]]:
    """Draw a sample; return the model with those constants rounded that have to be, the sample, and these."""
    positive = list_positive(ranges)
    rounded: list[dict[str, Any]] = []
    if reading.rule == "srbench":
        form, changes = round_as_srbench(gather(model, positive, expand=False))
        model = Expression(form.tape)
        rounded = [describe_move(f"{name}, rounded,", a, b) for name, a, b in changes if a]
    constants = [len(gather(side, positive).places) for side in (truth, model)]
    count = min(max(POINTS, 3 * max(constants)), MOST_POINTS)
    sample = draw(truth.tape, model.tape, ranges, count, rng)
    return model, sample, rounded


def ask(
    truth: Expression,
    model: Expression,
    ranges: Ranges,
    reading: Constants,
    sample: Sample,
    rounded: list[dict[str, Any]],
) -> Question:
    """Gather the constants of both sides; a form that has not the values of the text is not used."""
    positive = list_positive(ranges)
    text, own_text = (Side(NormalForm(side.tape), sample) for side in (truth, model))
    forms = [gather(truth, positive, expand=expand) for expand in (False, True)]
    truths = [Side(form, sample) for form in dict.fromkeys(forms)]
    truths = [side for side in truths if agrees(side, text)] or [text]
    own = Side(gather(model, positive), sample)
    own = own if agrees(own, own_text) else own_text
    return Question(truth, model, ranges, reading, positive, text, own_text, truths, own, rounded)


def list_positive(ranges: Ranges) -> frozenset[str]:
    """Return the features that are positive on the domain, but for its corner."""
    return frozenset(name for name, (low, _) in ranges.items() if low >= 0)


def gather(expression: Expression, positive: frozenset[str], *, expand: bool = True) -> NormalForm:
    """Return a function with its constants gathered; where that takes too much, none of them may move."""
    return normal_form(expression, positive, expand=expand) or NormalForm(expression.tape)


def agrees(side: Side, text: Side) -> bool:
    """Whether a gathered form has the values of the text."""
    with np.errstate(all="ignore"):
        size = np.abs(text.start.value)
        limit = EQUAL * (size + np.median(size)) + NOISE * (side.start.noise + text.start.noise)
        return bool(np.all(np.abs(side.start.value - text.start.value) <= limit))


def is_constant(side: Side) -> bool:
    """Whether a function is constant at the points, with 60 digits where float64 is not sure."""
    value, noise = side.start.value, side.start.noise
    with np.errstate(all="ignore"):
        spread = float(np.ptp(value))
    if spread > max(1e-13 * float(np.max(np.abs(value))), 2 * NOISE * float(np.max(noise))):
        return False
    few = {name: column[:24] for name, column in side.sample.columns.items()}
    exact = evaluate_precisely(as_written(side.form.tape), few, min(side.sample.count, 24))
    return bool(max(exact) - min(exact) <= 1e-25 * max(abs(exact)))


def list_fits(question: Question) -> Iterator[Fit]:
    """Yield what may be a solution: both as they stand, with the truth's constants moved, with the model's moved."""
    text, truths = question.model_text, question.truth_forms
    rooms = [allowance(side.constants, question.reading, stated=True) for side in truths]
    for kind in KINDS:
        gap = compare_values(text.start, question.truth_text.start, kind)
        yield fit(question.truth_text, text, kind, "model", text.constants, gap)
        for truth, room in zip(truths, rooms, strict=True):
            yield fit(truth, text, kind, "truth", room, gap)
        model, own_room = prepare_model(question, gap.factor)
        if model.left_out:
            for truth, room in zip(truths, rooms, strict=True):
                yield fit(truth, model, kind, "truth", room)
        yield fit(question.truth_text, model, kind, "model", own_room)


def prepare_model(question: Question, unit: float) -> tuple[Side, np.ndarray]:
    """Return the gathered model without negligible constants, and allowances of the others; whole ones do not move.

    A multiple of the truth is compared in the truth's unit: its outer constants are `unit` times as large.
    """
    side, reading = question.model_form, question.reading
    constants, units = side.constants, np.ones(len(side.constants))
    if unit and np.isfinite(unit):
        units = np.where(side.form.outer, unit, units) if side.form.outer else units
    room = allowance(constants / units, reading, stated=False) * np.abs(units)
    room = np.where(constants == np.round(constants), 0.0, room)
    small = rounds_to_zero(constants / units, reading)
    with np.errstate(all="ignore"):
        most = HALF * 10.0**-reading.digits * float(np.ptp(side.start.value))
        reach = np.abs(side.start.jacobian * constants)
        small &= np.max(np.nan_to_num(reach, nan=np.inf), axis=0, initial=0.0) <= most
        if np.any(small) and not np.all(small):
            tape = side.tape_with(np.where(small, 0.0, constants).tolist())
            left_out = [(side.form.names[i], float(constants[i])) for i in np.flatnonzero(small)]
            shorter = Side(side.form._replace(tape=tape), side.sample, tuple(left_out))
            if np.max(np.abs(shorter.start.value - side.start.value)) <= most:
                return shorter, np.where(small, 0.0, room)
    return side, room


def is_proved(question: Question, solution: Fit) -> bool:
    """Whether the normal forms of both, as they stand, are equal up to the constant between them."""
    if solution.truth is not question.truth_text or solution.model is not question.model_text:
        return False
    constant = None if solution.constant is None else float(solution.constant)
    return same_normal_form(
        question.truth, question.model, question.positive, solution.kind, constant
    )


def is_allowed(question: Question, attempt: Fit) -> bool:
    """Whether the constants of the truth that come nearest to the model are within their tolerance."""
    last, kind = question.truth_forms[-1], attempt.kind
    if attempt.truth is last or attempt.model is question.model_text and attempt.moved == "model":
        return True
    model = question.model_text if attempt.moved == "truth" else attempt.model
    within = (
        allows(t, model, kind, allowance(t.constants, question.reading, stated=True))
        for t in question.truth_forms
    )
    if attempt.moved == "model" and not any(within):
        return False
    return allows(last, model, kind, expanded_allowance(last.constants, question.reading))
