"""Fits of truth and model: the constants with which their values are closest, first in float64, then with 60 digits.

`fit` takes Gauss-Newton steps in float64 within the tolerance of the constants. `refine` continues with 60 digits: the
residual of equal functions keeps falling, that of different functions stays. The residual is always
model - factor * truth - offset.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.evaluate import (
    DIGITS,
    Sensitivity,
    arithmetic,
    differentiate,
    evaluate_precisely,
)
from srlib.expressions.normal_form import NormalForm
from srlib.expressions.operators import OPERATORS, Operator, Tape
from srlib.expressions.points import Sample
from srlib.expressions.tree import Array, subtree_sizes

KINDS = ("identical", "offset", "scale")  # relations of a model to the truth
# residual, relative to the size of the values, below which float64 sees no difference
EQUAL_RESIDUAL = 1e-9
CLOSE_RESIDUAL = 1e-7  # below which 60 digits decide
VANISHED_RESIDUAL = 1e-30  # below which 60 digits see no difference
UNDECIDED_RESIDUAL = 1e-14  # below which a residual that constants can explain may still fall
NOISE_FACTOR = 16.0  # factor of the first-order bound of rounding errors
MOST_STEPS = 9
MOST_PRECISE_STEPS = 14
LEAST_SHARE = 1e-40  # of the largest deviation; smaller ones are rounding errors of 60 digits
DAMPING = 1e-7  # damping of a step, so that constants with the same effect share it
FEWEST_POINTS = 8  # of a comparison with 60 digits, plus one for each constant
STEPS: frozenset[Operator] = frozenset(
    OPERATORS[name]
    for name in ("floor", "ceil", "round", "sign", "lt", "le", "gt", "ge", "eq", "ne")
)
MPF = arithmetic(DIGITS).mpf


@dataclass(frozen=True, eq=False)
class Side:
    """Truth or model at the points of a sample, with the constants that may move.

    `form` holds the tape and the positions of its constants; `left_out` holds names and values of negligible constants
    that were set to 0 on the tape.
    """

    form: NormalForm
    sample: Sample
    left_out: tuple[tuple[str, float], ...] = ()

    @cached_property
    def constants(self) -> Array:
        """Unmoved constants, shape (constants,)."""
        return np.array([float(self.form.tape[places[0]]) for places in self.form.places])  # type: ignore[arg-type]

    @cached_property
    def is_hidden(self) -> Array:
        """Whether a constant is inside steps only, where the derivative is 0 and differences are jumps."""
        tape = self.form.tape
        inside: set[int] = set()
        for i, size in enumerate(subtree_sizes(tape)):
            if tape[i] in STEPS:
                inside.update(range(i + 1 - size, i))
        return np.array([inside.issuperset(places) for places in self.form.places], dtype=bool)

    @cached_property
    def start(self) -> Sensitivity:
        """Values and derivatives with unmoved constants."""
        return self.at(self.constants)

    def at(self, constants: Array) -> Sensitivity:
        """Return values and derivatives with other constants."""
        tape = self.tape_with(constants.tolist())
        values = differentiate(tape, self.sample.columns, self.form.places, self.sample.count)
        values.jacobian[:, self.is_hidden] = 0.0
        return values

    def tape_with(self, constants: Sequence[Any]) -> Tape:
        """Return the tape with other constants."""
        items: list[Any] = list(self.form.tape)
        for places, value in zip(self.form.places, constants, strict=True):
            for place in places:
                items[place] = value
        return tuple(items)


class Relation(NamedTuple):
    """Tapes of truth and model, and numbers of 60 digits such that model = factor * truth + offset.

    `centre` is the median of factor * truth, and `spread` the least of its `variation`, at the points of the fit.
    """

    truth: Tape
    model: Tape
    factor: Any
    offset: Any
    centre: Any
    spread: float


class Gap(NamedTuple):
    """Difference between the model's values and factor * truth + offset, in arrays of shape (points,).

    The kind offset fits `offset` with factor 1; the kind scale fits `factor` with offset 0. `residual` and `noise`
    are relative to the `variation` of factor * truth, `weight` is its inverse, and noise is infinite where a value is
    not usable. `direction` is the change of the residual with the fitted offset or factor; 0 if none is fitted.
    """

    factor: Any
    offset: Any
    residual: Array
    noise: Array
    weight: Array
    direction: Array

    @property
    def excess(self) -> float:
        """Largest residual beyond what rounding explains."""
        return float(np.max(np.abs(self.residual) - self.noise, initial=0.0))

    def slopes(self, moved: str, jacobian: Array, moves: Array) -> Array:
        """Return the change of the residual by each constant's move, shape (points, columns); `direction` is last."""
        with np.errstate(all="ignore"):
            slopes = jacobian * moves * self.weight[:, None]
            slopes = -self.factor * slopes if moved == "truth" else slopes
        return np.column_stack([finite_or_zero(slopes), self.direction])


@dataclass(frozen=True)
class Fit:
    """Truth and model with the constants of one of them moved so that their values are closest.

    `moved` is 'truth' or 'model', the side whose constants move; `allowance` is how far each may move. After `refine`,
    `error` is the largest relative residual with 60 digits: infinite if constants left their allowance, NaN if values
    are undefined. `undecided` is true if the residual may still fall. `centre` is the median of factor * truth with
    60 digits, and `spread` the least of its `variation`.
    """

    kind: str
    truth: Side
    model: Side
    moved: str
    allowance: Array
    constants: Sequence[Any]
    gap: Gap
    error: float = np.inf
    undecided: bool = False
    centre: Any = 0
    spread: float = np.inf

    @property
    def mover(self) -> Side:
        """Side whose constants move."""
        return self.truth if self.moved == "truth" else self.model

    @property
    def is_close(self) -> bool:
        """Whether float64 shows no difference that can be trusted; False for a multiple of the truth by 0."""
        return self.gap.excess <= CLOSE_RESIDUAL and self.gap.factor != 0

    @property
    def relation(self) -> Relation:
        """Tapes of truth and model with the fitted constants, and the factor and offset between them."""
        tapes = {"truth": self.truth.form.tape, "model": self.model.form.tape}
        tapes[self.moved] = self.mover.tape_with(self.constants)
        gap = self.gap
        return Relation(
            **tapes, factor=gap.factor, offset=gap.offset, centre=self.centre, spread=self.spread
        )


def fit(
    truth: Side,
    model: Side,
    kind: str,
    moved: str,
    allowance: Array,
    start: Array | float = 0.0,
) -> Fit:
    """Fit constants within their allowance by Gauss-Newton steps, until the residual vanishes or stops falling.

    Parameters
    ----------
    truth, model : Side
        Truth and model at the same points.
    kind : {'identical', 'offset', 'scale'}
        Allowed difference: none, an additive or a multiplicative constant.
    moved : {'truth', 'model'}
        Side whose constants move.
    allowance : ndarray of shape (constants,)
        How far each of these constants may move.
    start : ndarray of shape (constants,) or float
        Shares of their allowance by which they are moved before the first step.
    """
    mover = truth if moved == "truth" else model
    sides = {"truth": truth.start, "model": model.start}
    shares = best_shares = np.zeros(len(allowance)) + start
    if np.any(shares):
        sides[moved] = mover.at(mover.constants + allowance * shares)
    gap = best = compare_values(**sides, kind=kind)
    for step in range(MOST_STEPS):
        if gap.excess <= EQUAL_RESIDUAL / 100 or not len(shares):
            break
        slopes = gap.slopes(moved, sides[moved].jacobian, allowance)
        if step == 0 and not is_within_reach(slopes, gap):
            break
        shares = bounded_step(slopes, gap, shares)
        sides[moved] = mover.at(mover.constants + allowance * shares)
        gap = compare_values(**sides, kind=kind)
        is_halved = gap.excess < 0.5 * best.excess
        if gap.excess < best.excess:
            best, best_shares = gap, shares
        if step and not is_halved:
            break
    constants = (mover.constants + allowance * best_shares).tolist()
    return Fit(kind, truth, model, moved, allowance, constants, best)


def compare_values(truth: Sensitivity, model: Sensitivity, kind: str) -> Gap:
    """Return the gap between truth and model, with the best offset or factor of the kind."""
    with np.errstate(all="ignore"):
        factor, offset = best_factor_and_offset(truth.value, model.value, kind)
        multiple = factor * truth.value
        residual = model.value - multiple - offset
        size = variation(multiple)
        usable = np.isfinite(residual) & np.isfinite(size) & (size > 0)
        weight = np.where(usable, 1.0 / size, 0.0)
        noise = NOISE_FACTOR * (model.noise + abs(factor) * truth.noise) * weight
        noise = np.where(usable & np.isfinite(noise), noise, np.inf)
        fitted_part = {"offset": 1.0, "scale": truth.value}.get(kind, 0.0)
        direction = finite_or_zero(fitted_part * weight)
        direction /= np.max(np.abs(direction)) or 1.0
        return Gap(factor, offset, finite_or_zero(residual * weight), noise, weight, direction)


def best_factor_and_offset(truth: Array, model: Array, kind: str) -> tuple[Any, Any]:
    """Return factor and offset; the kind's constant is the median of its values at the points, the other is 1 or 0."""
    if kind == "offset":
        return 1, upper_median(model - truth)
    usable = truth != 0
    if kind == "scale" and np.any(usable):
        return upper_median(model[usable] / truth[usable]), 0
    return 1, 0


def is_within_reach(slopes: Array, gap: Gap, times: float = 2.0, slack: Any = 0.0) -> bool:
    """Return whether moves of up to `times` the allowance, and `slack`, could explain the residual, to first order."""
    columns = np.column_stack([slopes, gap.residual])
    fitted_parts = np.outer(gap.direction, gap.direction @ columns)
    columns = np.abs(columns - fitted_parts / (gap.direction @ gap.direction or 1.0))
    reach = times * np.sum(columns[:, :-1], axis=1) + np.max(finite_or_zero(gap.noise))
    return bool(np.all(columns[:, -1] <= reach + slack + EQUAL_RESIDUAL))


def bounded_step(slopes: Array, gap: Gap, shares: Array) -> Array:
    """Return the shares of their allowance by which constants move after one Gauss-Newton step, from -1 to 1."""
    from scipy.optimize import lsq_linear

    lengths = np.linalg.norm(slopes, axis=0)
    matrix = np.vstack([slopes, np.diag(DAMPING * np.where(lengths > 0, lengths, 1.0))])
    target = np.append(-gap.residual, np.zeros(len(lengths)))
    bounds = np.append(-1.0 - shares, -np.inf), np.append(1.0 - shares, np.inf)
    step = lsq_linear(matrix, target, bounds=bounds, method="bvls").x[:-1]
    return np.clip(shares + step, -1.0, 1.0)


def refine(start: Fit) -> Fit:
    """Return a fit improved with 60 digits, by steps with derivatives in float64.

    Both sides are evaluated at the same points; constants are taken as the decimal numbers that are printed.
    """
    mover, gap, sample = start.mover, start.gap, start.truth.sample
    fixed_side = start.model if start.moved == "truth" else start.truth
    count = min(sample.count, FEWEST_POINTS + len(mover.constants))
    rows = np.argsort(fixed_side.start.value == 0, kind="stable")[:count]  # nonzero values first
    columns = {name: column[rows] for name, column in sample.columns.items()}
    fixed_values = evaluate_precisely(as_decimals(fixed_side.form.tape), columns, count)
    values: dict[str, Array] = {"truth": fixed_values, "model": fixed_values}
    # constants without an allowance stay exactly, so that no other constant or offset is split with them
    least = 1e-15 * np.abs(mover.constants)
    allowance = np.where(start.allowance > 0, np.maximum(start.allowance, least), 0.0)
    slopes = gap.slopes(start.moved, mover.at(np.array(start.constants)).jacobian, allowance)[rows]
    inverse = invert(slopes)
    constants = np.array([MPF(repr(value)) for value in start.constants], dtype=object)
    error = least_error = np.inf
    multiple = size = fixed_values
    is_explained = True
    for _ in range(MOST_PRECISE_STEPS):
        tape = as_decimals(mover.tape_with(constants.tolist()))
        values[start.moved] = evaluate_precisely(tape, columns, count)
        factor, offset = best_factor_and_offset(**values, kind=start.kind)
        gap = gap._replace(factor=factor, offset=offset)
        multiple = values["truth"] * factor
        residual = values["model"] - multiple - offset
        if least_error == np.inf:  # as printed: moved constants may cancel with 17 digits only
            size = variation(multiple)
        relative_residual = residual / np.where(size == 0, MPF(1), size)
        error = float(np.max(np.abs(relative_residual.astype(float))))
        if error <= VANISHED_RESIDUAL or not error < 0.5 * least_error:
            break
        least_error = error
        change = -residual * gap.weight[rows]  # required change of the residual
        unit = max(abs(change)) or MPF(1)  # in this unit, a residual of 1e-25 is not tiny
        scaled_change = (change / unit).astype(float)
        shares = inverse @ scaled_change
        is_explained = bool(
            np.linalg.norm(scaled_change - slopes @ shares) <= 0.1 * np.linalg.norm(scaled_change)
        )
        constants = constants + allowance * shares[:-1] * unit
    undecided = is_explained and VANISHED_RESIDUAL < min(error, least_error) < UNDECIDED_RESIDUAL
    if error > VANISHED_RESIDUAL:
        error = min(error, least_error)
    elif np.any(np.abs(constants.astype(float) - mover.constants) > 1.001 * allowance):
        error = np.inf  # constants left their allowance
    return replace(
        start,
        constants=constants,
        gap=gap,
        error=error,
        undecided=undecided,
        centre=upper_median(multiple),
        spread=float(np.min(size)),
    )


def invert(slopes: Array) -> Array:
    """Return the pseudo-inverse of a matrix whose columns may have very different sizes."""
    lengths = np.linalg.norm(slopes, axis=0)
    has_effect = lengths > 0
    lengths[~has_effect] = 1.0
    inverse = np.linalg.pinv(slopes / lengths, rcond=1e-9) / lengths[:, None]
    inverse[~has_effect] = 0.0  # exactly: a threshold may not move at all
    return inverse


def variation(values: Array) -> Array:
    """Return how far values vary, at each point: the distance from their median plus the usual distance.

    The values are floats or numbers of mpmath; if they are all equal, their size takes the place of the usual distance.
    """
    deviations = abs(values - upper_median(values))
    usual = deviations[deviations > 0]
    usual = usual[usual > LEAST_SHARE * max(usual, default=0)]
    return deviations + (upper_median(usual) if len(usual) else abs(upper_median(values)))


def upper_median(numbers: Array) -> Any:
    """Return the median of numbers, the upper one of two middle numbers; NaN counts as largest."""
    return numbers[np.argsort(numbers.astype(float))[len(numbers) // 2]]


def finite_or_zero(numbers: Array) -> Array:
    """Return numbers with 0 in place of those that are not finite."""
    return np.where(np.isfinite(numbers), numbers, 0.0)


def as_decimals(tape: Tape) -> Tape:
    """Return a tape whose floats are replaced by their printed decimal numbers, with 60 digits."""
    return tuple(MPF(repr(float(item))) if isinstance(item, float) else item for item in tape)
