"""Comparison of truth and model with gathered constants: the fits that may be a solution, and tolerances of constants.

The tolerance of each constant follows from the rule by which constants count as equal (`srlib.rules.Constants`):

- decimals: a constant of the truth may move by half a unit of the last decimal, and by at most `MOST_SHARE` = 0.49% of
  itself. This is just below half a unit of the third digit of 1.00, so that the ratio of two constants that move in
  opposite directions changes by less than 1%. With 3 decimals the decimals decide from about 0.1 upwards, the share
  below. No constant can vanish, and a coefficient that is 1% off is always refused.
- The truth may itself be rounded (``12.6`` for 4*pi): under decimals, a constant that has exactly as many digits as the
  rule has decimals may move by half a unit of its last digit, and by at most the share.
- significant: half a unit of the last significant digit.
- srbench: the constants of the model are first rounded as SRBench does, and do not move.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import compress
from typing import Any

import numpy as np

from srlib.expressions.evaluate import evaluate_precisely
from srlib.expressions.evidence import Moves, describe_move
from srlib.expressions.fitting import (
    CLOSE_RESIDUAL,
    EQUAL_RESIDUAL,
    KINDS,
    STEPS,
    Fit,
    Gap,
    Side,
    as_decimals,
    compare_values,
    finite_or_zero,
    fit,
    invert,
    is_within_reach,
    upper_median,
    variation,
)
from srlib.expressions.normal_form import NormalForm, normal_form, same_normal_form
from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.points import Ranges, Sample, draw_points, evaluate_at
from srlib.expressions.tree import Array, Expression, Item
from srlib.rules import Constants

N_POINTS = 96
MOST_POINTS = 1500
MOST_SHARE = 0.0049  # largest relative change of a constant
HALF_UNIT = 0.499  # less than half, so that two constants cannot hide a difference of a whole unit
PRINTING_LOSS = 5e-15  # largest relative error of a constant printed with 15 digits
SRBENCH_ZERO = 1e-4  # SRBench's code treats smaller constants as 0
MOST_GROWN = 5.0  # the range of evenly spread values is at most 4 times their variation
LEAST_REACH = 1e-2  # share of a constant that a number of the truth has to reach, for it to inherit its tolerance
# steps as smooth functions of the same arguments, whose derivatives show thresholds
SMOOTH: dict[Any, Operator] = {
    step: Operator(
        f"smooth {step}", step.arity, lambda *sides: np.arctan(reduce(np.subtract, sides))
    )
    for step in STEPS
}


@dataclass(frozen=True)
class EqualityTest:
    """Truth and model at the points of a sample: as written, and in the forms in which constants may move.

    `rounded` lists the constants of the model that were rounded before the comparison, like `Equivalence.moved`. A
    gathered form whose values differ from those of the text is not used.
    """

    truth: Expression
    model: Expression
    ranges: Ranges
    reading: Constants
    sample: Sample
    rounded: Moves

    @cached_property
    def truth_text(self) -> Side:
        """The truth as written; its constants do not move."""
        return Side(NormalForm(self.truth.tape), self.sample)

    @cached_property
    def model_text(self) -> Side:
        """The model as written; its constants do not move."""
        return Side(NormalForm(self.model.tape), self.sample)

    @cached_property
    def truth_forms(self) -> list[Side]:
        """The truth with gathered constants: with products kept, then multiplied out; as written if neither agrees."""
        return self.gather_side(self.truth_text, self.truth, False, True)

    @cached_property
    def truth_allowances(self) -> list[Array]:
        """How far the constants of each form of the truth may move."""
        return [
            self.inherit(form, allowance(form.constants, self.reading, of_truth=True))
            for form in self.truth_forms
        ]

    @cached_property
    def written(self) -> Side:
        """The truth as written, with a 1 before every feature; each of its numbers may move."""
        return Side(write_ones(self.truth), self.sample)

    @cached_property
    def written_allowance(self) -> Array:
        """How far each number of the truth's text may move."""
        return allowance(self.written.constants, self.reading, of_truth=True)

    def inherit(self, form: Side, rule: Array) -> Array:
        """Return how far the numbers of the truth's text move the constants of a form, each number by itself.

        Constants that are whole, stand for a number of the text itself, have no effect or are out of reach of these
        numbers keep their own tolerance `rule`, and so do all under the rule srbench.
        """
        if self.reading.rule == "srbench":
            return rule
        size = np.abs(form.constants)
        with np.errstate(all="ignore"):
            # how far the constants move with each number of the text, shape (constants, numbers)
            effects = np.abs(invert(self.weigh(form)) @ self.weigh(self.written))
        room = (effects * self.written_allowance).max(axis=1, initial=0.0)
        room = np.where(form.is_hidden, np.minimum(room, rule), room)  # smooth steps are a model
        room = np.clip(room, PRINTING_LOSS * size, largest_share(self.reading) * size)
        reach = (effects * np.abs(self.written.constants)).max(axis=1, initial=0.0)
        distances = np.abs(size[:, None] - np.abs(self.written.constants))
        is_written = distances.min(axis=1, initial=np.inf) <= room
        keeps_rule = (size == np.round(size)) | is_written | (reach <= LEAST_REACH * size)
        return np.where(keeps_rule, rule, room)

    def weigh(self, side: Side) -> Array:
        """Return the derivatives of a form by its constants, relative to how the truth varies; steps are smoothed."""
        tape = tuple(SMOOTH.get(item, item) for item in side.form.tape)
        smooth = Side(side.form._replace(tape=tape), self.sample)
        with np.errstate(all="ignore"):
            size = variation(self.truth_text.start.value)
            return finite_or_zero(smooth.start.jacobian / size[:, None])

    @cached_property
    def has_steps(self) -> bool:
        """Whether the truth has steps, whose thresholds no derivative shows."""
        return not STEPS.isdisjoint(self.truth.tape)

    @cached_property
    def matched_shares(self) -> Array:
        """Shares of their allowance by which inner constants of the truth move to constants of the model.

        A constant moves to the nearest one of the same name. A constant in a step without one within its allowance
        moves to the nearest of the same role in a step, or to the nearest ratio of such a constant to another: the
        threshold of ``2*x > 5`` is 2.5.
        """
        form, room = self.truth_forms[0], self.truth_allowances[0]
        model = Side(gather(self.model, self.ranges, expand=False), self.sample)
        roles = np.array([role for role, *_ in model.form.roles], dtype=object)
        shares = np.zeros(len(room))
        for i in np.flatnonzero((room > 0) & ~np.array(form.form.outer, dtype=bool)).tolist():
            pools = [model.constants[[name == form.form.names[i] for name in model.form.names]]]
            if form.is_hidden[i]:
                has_role = roles == form.form.roles[i][0]
                steps = model.constants[model.is_hidden & has_role]
                scales = model.constants[model.is_hidden & ~has_role]
                pools += [steps, -steps, *np.divide.outer(steps, [*scales, *-scales]).T]
            for values in pools:
                distances = (values - form.constants[i]) / room[i]
                if np.any(np.abs(distances) <= 1):
                    shares[i] = min(distances, key=abs)
                    break
        return shares

    @cached_property
    def model_form(self) -> Side:
        """The model with gathered constants and products multiplied out; as written if its values would change."""
        return self.gather_side(self.model_text, self.model, True)[0]

    def gather_side(self, text: Side, expression: Expression, *expand: bool) -> list[Side]:
        """Return the gathered forms that have the values of the text; the text if there is none."""
        forms = dict.fromkeys(gather(expression, self.ranges, expand=e) for e in expand)
        sides = [Side(form, self.sample) for form in forms]
        gaps = [compare_values(side.start, text.start, "identical") for side in sides]
        agreeing = [gap.excess <= EQUAL_RESIDUAL for gap in gaps]
        return [*compress(sides, agreeing)] or [text]


def write_ones(expression: Expression) -> NormalForm:
    """Return a function as written, with a 1 before every feature, in which every number is a constant.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> write_ones(parse("2.5*x")).tape, write_ones(parse("2.5*x")).places
    ((2.5, 1.0, 'x', mul, mul), ((0,), (1,)))
    """
    items: list[Item] = []
    for item in expression.tape:
        items += [1.0, item, OPERATORS["mul"]] if isinstance(item, str) else [item]
    places = ((i,) for i, item in enumerate(items) if isinstance(item, int | float))
    return NormalForm(tuple(items), tuple(places))


def list_positive(ranges: Ranges) -> frozenset[str]:
    """Return the features that are positive on the domain, except that they may be 0 at its lower end."""
    return frozenset(name for name, (low, _) in ranges.items() if low >= 0)


def gather(expression: Expression, ranges: Ranges, *, expand: bool = True) -> NormalForm:
    """Return a function with gathered constants; if that exceeds the limits, as written with no movable constant."""
    return normal_form(expression, list_positive(ranges), expand=expand)


def round_as_srbench(model: Expression, ranges: Ranges) -> tuple[Expression, Moves]:
    """Round a model's constants as SRBench's code does: to 3 decimals, then to 3 digits; to 0 below 1e-4.

    Returns
    -------
    Expression
        The rounded model.
    list of dict
        Changed constants as in `Equivalence.moved`, without those that became 0.
    """
    form = gather(model, ranges, expand=False)
    items, changes = list(form.tape), []
    for i, places in enumerate(form.places):
        value = float(items[places[0]])  # type: ignore[arg-type]
        rounded = 0.0 if abs(value) < SRBENCH_ZERO else float(f"{round(value, 3):.3g}")
        for place in places:
            items[place] = rounded
        if rounded not in (0.0, value):
            name = f"{form.describe_constant(i)}, rounded,"
            changes.append(describe_move(name, rounded, value))
    return Expression(tuple(items)), changes


def is_constant(model: Expression, sample: Sample) -> bool:
    """Return whether the smallest and the largest value of a model at the sample agree, with 60 digits."""
    order = np.argsort(evaluate_at(model.tape, sample.columns, sample.count))[[0, -1]]
    extreme_points = {name: column[order] for name, column in sample.columns.items()}
    low, high = evaluate_precisely(as_decimals(model.tape), extreme_points, 2)
    return bool(abs(high - low) <= 1e-25 * max(abs(low), abs(high)))


def fit_texts(comparison: EqualityTest) -> list[Fit]:
    """Return the fits of truth and model as written, one for each kind that may become a solution.

    Under the rule of decimals, a kind is left out if moved constants cannot close the gap, to first order: no constant
    moves by more than a share of itself, and terms that are left out of a model are small.
    """
    truth, model, reading = comparison.truth_text, comparison.model_text, comparison.reading
    close_fits = []
    for kind in KINDS:
        unmoved_fit = fit(truth, model, kind, "truth", truth.constants)  # of a text: there are none
        gap = unmoved_fit.gap
        # the median factor or offset of noise is meaningless, and no derivative shows a threshold
        is_noise = upper_median(gap.noise) > CLOSE_RESIDUAL
        if (
            is_noise
            or comparison.has_steps
            or reading.rule != "decimals"  # moves may be larger
            or is_within_tolerance(comparison, gap, negligible_change(model, reading))
        ):
            close_fits.append(unmoved_fit)
    return close_fits


def enlarge_sample(comparison: EqualityTest, rng: np.random.Generator) -> EqualityTest:
    """Return the comparison with at least three points per movable constant, up to `MOST_POINTS`."""
    truth, model, ranges = comparison.truth, comparison.model, comparison.ranges
    constants = max(len(gather(side, ranges).places) for side in (truth, model))
    if constants <= comparison.sample.count // 3:
        return comparison
    count = min(3 * constants, MOST_POINTS)
    return replace(comparison, sample=draw_points(truth.tape, model.tape, ranges, count, rng))


def list_fits(comparison: EqualityTest, text_fits: Iterable[Fit]) -> Iterator[Fit]:
    """Yield, for each fit of the texts, this fit, then fits with constants of the truth and of the model moved.

    If the truth has steps, the first fit starts from thresholds of the model.
    """
    model_text, forms = comparison.model_text, comparison.truth_forms
    for unmoved_fit in text_fits:
        kind = unmoved_fit.kind
        if comparison.has_steps:
            room, start = comparison.truth_allowances[0], comparison.matched_shares
            yield fit(forms[0], model_text, kind, "truth", room, start)
        yield unmoved_fit
        model, model_allowances = prepare_model(comparison, unmoved_fit.gap.factor)
        models = [model_text, model] if model.left_out else [model_text]
        for side in models:
            for form, allowances in zip(forms, comparison.truth_allowances, strict=True):
                yield fit(form, side, kind, "truth", allowances)
        yield fit(comparison.truth_text, model, kind, "model", model_allowances)


def prepare_model(comparison: EqualityTest, unit: float) -> tuple[Side, Array]:
    """Return the gathered model without negligible constants, and how far each constant may move.

    Whole and negligible constants do not move. For a multiple of the truth, `unit` is the factor between the two; outer
    constants are divided by it before their allowance is computed.
    """
    side, reading = comparison.model_form, comparison.reading
    constants = side.constants
    units = np.where(side.form.outer, unit if unit and np.isfinite(unit) else 1.0, 1.0)
    rule = allowance(constants / units, reading, of_truth=False)
    allowances = comparison.inherit(side, rule) * np.abs(units)
    allowances = np.where(constants == np.round(constants), 0.0, allowances)
    is_small = rounds_to_zero(constants / units, reading)
    with np.errstate(all="ignore"):
        most_change = negligible_change(side, reading)
        reach = np.nan_to_num(np.abs(side.start.jacobian * constants), nan=np.inf)
        is_small &= np.all(reach <= most_change[:, None], axis=0)
        if np.any(is_small) and not np.all(is_small):
            tape = side.tape_with(np.where(is_small, 0.0, constants).tolist())
            places = np.flatnonzero(is_small).tolist()
            left_out = tuple((side.form.describe_constant(i), float(constants[i])) for i in places)
            shorter = Side(side.form._replace(tape=tape), side.sample, left_out)
            if np.all(np.abs(shorter.start.value - side.start.value) <= most_change):
                return shorter, np.where(is_small, 0.0, allowances)
    return side, allowances


def negligible_change(model: Side, reading: Constants) -> Array:
    """Return the largest change of values when constants are left out: half a unit of the last digit of their range.

    Near a pole the range is large; elsewhere, `MOST_GROWN` times the `variation` limits what counts as negligible.
    """
    values = model.start.value
    size = np.minimum(np.ptp(values), MOST_GROWN * variation(values))
    return HALF_UNIT * 10.0**-reading.digits * size


def is_allowed(comparison: EqualityTest, attempt: Fit) -> bool:
    """Return whether a model differs from the truth by no more than the numbers of the truth's text may move it.

    No derivative shows what thresholds of steps move; where the truth has
    steps, its moved constants are limited one by one.
    """
    truth_text = comparison.truth_text
    if attempt.moved == "truth" and (comparison.has_steps or attempt.truth is truth_text):
        return True
    gap = compare_values(truth_text.start, attempt.model.start, attempt.kind)
    return is_within_tolerance(comparison, gap)


def is_within_tolerance(comparison: EqualityTest, gap: Gap, change: Any = 0.0) -> bool:
    """Return whether tolerances of the truth's numbers, and a further `change` of values, may close a gap."""
    jacobian = comparison.written.start.jacobian
    slopes = gap.slopes("truth", jacobian, comparison.written_allowance)
    return is_within_reach(slopes, gap, 1.0, change * gap.weight)


def is_proved(comparison: EqualityTest, solution: Fit) -> bool:
    """Return whether truth and model as written have equal normal forms, up to the factor and offset of the fit."""
    if (solution.truth, solution.model) != (comparison.truth_text, comparison.model_text):
        return False
    positive, relation = list_positive(comparison.ranges), solution.relation
    return same_normal_form(
        comparison.truth, comparison.model, positive, float(relation.factor), float(relation.offset)
    )


def largest_share(reading: Constants) -> float:
    """Return the largest relative change of a constant that is allowed."""
    is_significant = reading.rule == "significant"
    return MOST_SHARE * 10.0 ** (3 - reading.digits) if is_significant else MOST_SHARE


def half_unit(reading: Constants) -> float:
    """Return half a unit of the last decimal; under the rule significant, for a number from 1 to 10."""
    return HALF_UNIT * 10.0 ** -(reading.digits - (reading.rule == "significant"))


def allowance(constants: Array, reading: Constants, *, of_truth: bool) -> Array:
    """Return how far each constant may move, shape (constants,).

    Parameters
    ----------
    constants : ndarray of shape (constants,)
        Gathered constants.
    reading : Constants
        The rule by which constants count as equal.
    of_truth : bool
        Whether the constants belong to the truth, which may itself be rounded.
    """
    size = np.abs(constants)
    moves = np.full(len(constants), half_unit(reading))
    if reading.rule == "srbench":
        return moves * of_truth
    for i, value in enumerate(size.tolist()):
        digits, exponent = f"{value:.14e}".replace(".", "").split("e")
        if reading.rule == "significant":
            moves[i] *= 10.0 ** int(exponent)
        elif of_truth and len(digits.strip("0")) == reading.digits:
            moves[i] = max(moves[i], HALF_UNIT * 10.0 ** (int(exponent) + 1 - reading.digits))
    # at least the precision of the text: 1.22143287602835e13 has no decimals
    return np.clip(moves, PRINTING_LOSS * size, largest_share(reading) * size)


def rounds_to_zero(constants: Array, reading: Constants) -> Array:
    """Return which constants round to zero; under the rule significant, relative to the largest constant."""
    size = np.abs(constants)
    if reading.rule == "significant":
        return size < HALF_UNIT * 10.0**-reading.digits * np.max(size, initial=0.0)
    return size < half_unit(reading)
