"""Truth and model at the points, in every form in which constants of one of them may move."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from srlib.expressions.matching import (
    EQUAL,
    Match,
    Side,
    between,
    closest,
    held,
)
from srlib.expressions.normal_form import MOST_CONSTANTS
from srlib.expressions.normal_form import NormalForm as Gathered
from srlib.expressions.normal_form import normal_form as gathered
from srlib.expressions.normal_form import same_normal_form as same_terms
from srlib.expressions.sampling import Ranges, Sample
from srlib.expressions.sensitivity import Sensitivity, movable
from srlib.expressions.tolerance import HALF, as_srbench, half, room, strict, vanishing
from srlib.expressions.tree import Expression
from srlib.rules.constants import Constants

PREPARED = 4  # truths at points that are kept
LONG = 2000  # items of a tape beyond which its gathered form stands for it


class Forms:
    """The sides of one comparison.

    `plain` and `still` are model and truth as they stand; `truths` the gathered forms of the truth, the last with
    products multiplied out; `rounded` are exponents and constants of the model that are rounded already. `matches`
    yields what may be a solution, `allows` says whether it may.
    """

    def __init__(
        self,
        truth: Expression,
        model: Expression,
        ranges: Ranges,
        sample: Sample,
        by: Constants,
        rounded: tuple[Any, Any] = ((), ()),
    ) -> None:
        self.truth, self.model, self.by, self.rounded = truth, model, by, rounded
        self.sample, self.positive = sample, positive_features(ranges)
        self.still, self.truths = _truths(truth, sample.columns, sample.count, self.positive, by)
        self.plain = Side(Gathered(model.tape), sample.columns, sample.count)
        if len(model.tape) > LONG and (
            whole := _gathered(model, self.plain, self.positive, expand=True)
        ):
            # what has few terms need not be read in full each time
            self.plain = self._side(Gathered(whole.tape))

    def matches(self, kind: str) -> Iterator[Match]:
        """Yield the closest that both come: constants of the truth move, then those of the model."""
        for truth in self.truths:
            yield closest(truth, self.plain, kind, "truth")
        model = self._in_proportion if kind == "scale" else self._own
        if model.left_out:
            for truth in self.truths:
                yield closest(truth, model, kind, "truth")
        yield closest(self.still, model, kind, "model")

    def same_terms(self, match: Match) -> bool:
        """Whether there are too many constants to move them, but all the terms are the same."""
        if match.truth is not self.truths[0] or match.model is not self.plain:
            return False
        if self.truths[0].form.places and self._whole_model.form.places:
            return False
        return same_terms(self.truth, self.model, self.positive, match.kind, match.constant)

    def allows(self, match: Match) -> bool:
        """Whether the constants of the truth that come nearest to the model are within their tolerance."""
        last = self.truths[-1]
        if match.truth is last:
            return True
        model = self.plain if match.moved == "truth" else match.model
        if match.moved == "model" and not any(
            held(truth, model, match.kind, truth.room) for truth in self.truths
        ):
            return False
        return held(last, model, match.kind, strict(last.constants, self.by))

    @cached_property
    def _whole_model(self) -> Side:
        form = _gathered(self.model, self.plain, self.positive, expand=True)
        return form or self._side(_ungathered(self.model))

    @cached_property
    def _own(self) -> Side:
        """The gathered model without what is negligible."""
        side = self._whole_model
        side.room = self._fitted(side.constants)
        return without_negligible(side, self.by)

    def _fitted(self, constants: np.ndarray) -> np.ndarray:
        """How far constants of the model may move: those that are whole in its gathered form do not."""
        whole = self._whole_model.constants == np.round(self._whole_model.constants)
        return np.where(whole, 0.0, room(constants, self.by, stated=False))

    @cached_property
    def _in_proportion(self) -> Side:
        """The same, divided by what it is of the truth."""
        side, outer = self._whole_model, np.array(self._whole_model.form.outer, dtype=bool)
        with np.errstate(all="ignore"):
            by = between(self.plain.start.value, self.still.start.value, "scale")[0]
        if not by or not np.isfinite(by) or not np.any(outer):
            return self._own
        constants = np.where(outer, side.constants / by, side.constants)
        scaled = self._side(side.form._replace(tape=side.tape_of(constants.tolist())))
        value, jacobian, noise = side.start
        scaled.start = Sensitivity(
            value / by, np.where(outer, jacobian, jacobian / by), noise / abs(by)
        )
        scaled.by, scaled.room = by, self._fitted(constants)
        return without_negligible(scaled, self.by)

    def _side(self, form: Gathered) -> Side:
        return Side(form, self.sample.columns, self.sample.count)


_prepared: list[tuple[Any, tuple[Side, list[Side]]]] = []


def _truths(
    truth: Expression,
    columns: dict[str, np.ndarray],
    count: int,
    positive: frozenset[str],
    by: Constants,
) -> tuple[Side, list[Side]]:
    """Prepare a truth: as it stands, and its gathered forms. They serve the next models at the same points, too."""
    points = [(name, values.tobytes()) for name, values in columns.items()]
    key = (truth.model_id, count, positive, by, points)
    for known, sides in _prepared:
        if known == key:
            return sides
    still = Side(Gathered(truth.tape), columns, count)
    found = [_gathered(truth, still, positive, expand=expand) for expand in (False, True)]
    sides = [side for side in found if side] or [Side(_ungathered(truth), columns, count)]
    sides = sides[-1:] if sides[0].tape == sides[-1].tape else sides
    for side in sides:
        side.room = room(side.constants, by, stated=True)
    _prepared.insert(0, (key, (still, sides)))
    del _prepared[PREPARED:]
    return still, sides


def _gathered(
    expression: Expression, text: Side, positive: frozenset[str], *, expand: bool
) -> Side | None:
    """Return a gathered form, if it has the values of the text."""
    form = gathered(expression, positive, expand=expand)
    if form is None:
        return None
    side = Side(form, text.columns, text.count)
    with np.errstate(all="ignore"):
        apart = np.abs(side.start.value - text.start.value)
        size = np.abs(text.start.value)
        allowed = EQUAL * (size + np.median(size)) + 16 * (side.start.noise + text.start.noise)
    if np.all(apart <= allowed):
        return side
    return None


def without_negligible(side: Side, by: Constants) -> Side:
    """Leave out the constants that round to zero, if all that they contribute together is negligible."""
    small = vanishing(side.constants, by)
    if not np.any(small) or np.all(small):
        return side
    with np.errstate(all="ignore"):
        reach = np.max(np.abs(side.start.jacobian * side.constants), axis=0, initial=0.0)
    most = HALF * 10.0**-by.digits * float(np.ptp(side.start.value))
    gone = small & (np.nan_to_num(reach, nan=np.inf) <= most)
    if not np.any(gone):
        return side
    form = side.form._replace(tape=side.tape_of(np.where(gone, 0.0, side.constants).tolist()))
    without = Side(form, side.columns, side.count)
    if not np.max(np.abs(without.start.value - side.start.value)) <= most:
        return side
    without.room, without.by = np.where(gone, 0.0, side.room), side.by
    without.left_out = [
        (name, value)
        for name, value, out in zip(form.names, side.constants.tolist(), gone, strict=True)
        if out
    ]
    return without


def positive_features(ranges: Ranges) -> frozenset[str]:
    """Features that are positive on the domain, but for its corner."""
    return frozenset(name for name, (low, _) in ranges.items() if low >= 0)


def count_constants(expression: Expression, ranges: Ranges) -> int:
    """Count the gathered constants; those of the text where there are too many."""
    form = gathered(expression, positive_features(ranges), expand=True)
    return len(form.places if form else movable(expression.tape))


def whole_exponents(
    model: Expression, ranges: Ranges, by: Constants
) -> tuple[Expression, tuple[float, ...]]:
    """Round exponents that are nearly whole: of what is negative there are no other powers."""
    form = gathered(model, positive_features(ranges), expand=False, whole=0.5 * half(by) / HALF)
    if form and form.rounded:
        return (Expression(form.tape), form.rounded)
    return (model, ())


def rounded_as_srbench(
    model: Expression, ranges: Ranges
) -> tuple[Expression, list[tuple[str, float, float]]]:
    """Round a model's gathered constants as SRBench's code does, which simplifies first."""
    form = gathered(model, positive_features(ranges), expand=False)
    found, changed = as_srbench(form or _ungathered(model))
    return Expression(found.tape), changed


def _ungathered(expression: Expression) -> Gathered:
    places = movable(expression.tape)
    places = places if len(places) <= MOST_CONSTANTS else []
    names = tuple(f"the constant {expression.tape[i]!r}" for i in places)
    return Gathered(expression.tape, tuple((i,) for i in places), names)
