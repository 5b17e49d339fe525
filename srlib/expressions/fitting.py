"""The constants with which truth and model come closest in float64, which proposes; 60 digits decide (`refining`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.normal_form import NormalForm
from srlib.expressions.points import Sample
from srlib.expressions.sensitivity import Sensitivity, differentiate
from srlib.expressions.tree import Item

EQUAL = 1e-9  # residual, relative to the size of the values, below which two functions are equal
DIFFERENT = 1e-7  # above which they are not
NOISE = 16.0  # times the first-order bound of rounding errors
STEPS = 8
DAMPING = 1e-7  # of a step, so that constants with the same effect share it


@dataclass(frozen=True)
class Side:
    """Truth or model at the points of a sample, with the constants that may move.

    `form` has the tape and the places of its constants; `left_out` are names and values of negligible constants that
    are 0 on the tape.
    """

    form: NormalForm
    sample: Sample
    left_out: tuple[tuple[str, float], ...] = ()

    @cached_property
    def constants(self) -> np.ndarray:
        """The constants as they stand, shape (constants,)."""
        return np.array([float(self.form.tape[places[0]]) for places in self.form.places])  # type: ignore[arg-type]

    @cached_property
    def start(self) -> Sensitivity:
        """Values and derivatives with the constants as they stand."""
        return self.at(self.constants)

    def tape_with(self, constants: Sequence[Any]) -> tuple[Item, ...]:
        """Return the tape with other constants."""
        items: list[Any] = list(self.form.tape)
        for places, value in zip(self.form.places, constants, strict=True):
            for place in places:
                items[place] = value
        return tuple(items)

    def at(self, constants: np.ndarray) -> Sensitivity:
        """Evaluate with other constants, with derivatives."""
        groups, sample = self.form.places, self.sample
        places = [place for group in groups for place in group]
        tape = self.tape_with(constants.tolist())
        result = differentiate(tape, sample.columns, places, sample.count)
        if len(places) == len(groups):
            return result
        firsts = np.cumsum([0, *map(len, groups[:-1])])
        return result._replace(jacobian=np.add.reduceat(result.jacobian, firsts, axis=1))


class Gap(NamedTuple):
    """What stands between the values of model and truth, arrays of shape (points,).

    `constant` is the best one of the kind and `factor` multiplies the truth; `residual` and `noise` are relative to
    the size of the values, whose inverse is `weight`. Where a value is not usable, noise is infinite.
    """

    constant: float | None
    factor: float
    residual: np.ndarray
    noise: np.ndarray
    weight: np.ndarray

    @property
    def excess(self) -> float:
        """The largest residual that rounding does not explain."""
        return float(np.max(np.abs(self.residual) - self.noise, initial=0.0))


@dataclass(frozen=True)
class Fit:
    """The closest that model and truth come, with model = `constant` + truth (offset) or `constant` * truth (scale).

    `moved` says whose constants may have moved to `constants`, 'truth' or 'model', and `allowance` how far. `error` is
    the largest relative residual with 60 digits, after `refine`: infinite where constants left their allowance, NaN
    where there are no such values; `undecided` says that it may still fall.
    """

    kind: str
    truth: Side
    model: Side
    moved: str
    allowance: np.ndarray
    constants: Sequence[Any]
    constant: Any
    gap: Gap
    error: float = np.inf
    undecided: bool = False

    @property
    def mover(self) -> Side:
        """The side whose constants may move."""
        return self.model if self.moved == "model" else self.truth

    @property
    def is_equal(self) -> bool:
        """Whether float64 sees no difference."""
        return self.gap.excess <= EQUAL and (self.kind == "offset" or self.constant != 0)

    @property
    def is_close(self) -> bool:
        """Whether float64 sees no difference, or too small a difference to trust it."""
        return self.is_equal or EQUAL < self.gap.excess <= DIFFERENT

    @property
    def between(self) -> tuple[tuple[Item, ...], tuple[Item, ...], Any, Any]:
        """Truth and model with the constants of the fit, and factor and offset between them."""
        tape = self.mover.tape_with(self.constants)
        tapes = (self.truth.form.tape, tape)
        if self.moved == "truth":
            tapes = (tape, self.model.form.tape)
        return (*tapes, *factor_and_offset(self.kind, self.constant))


def factor_and_offset(kind: str, constant: Any) -> tuple[Any, Any]:
    """Return by what the truth is multiplied, and what is added to it."""
    return (constant if kind == "scale" else 1, constant if kind == "offset" else 0)


def fit(
    truth: Side,
    model: Side,
    kind: str,
    moved: str,
    allowance: np.ndarray,
    gap: Gap | None = None,
) -> Fit:
    """Move the constants of one side within their allowance until the residual vanishes or stays (Gauss-Newton).

    Parameters
    ----------
    truth, model : Side
        At the same points.
    kind : {'identical', 'offset', 'scale'}
        What may stand between them: nothing, an additive or a multiplicative constant.
    moved : {'truth', 'model'}
        Whose constants move.
    allowance : ndarray of shape (constants,)
        How far each of these may move.
    gap : Gap, optional
        Between the two as they stand, where it is known.
    """
    mover = model if moved == "model" else truth
    shares, current = np.zeros(len(allowance)), mover.start
    gap = gap or compare_values(model.start, truth.start, kind)
    best, best_shares = gap, shares
    for step in range(STEPS):
        if gap.excess <= EQUAL / 100 or not len(shares):
            break
        t, sign = (truth.start, 1.0) if moved == "model" else (current, -gap.factor)
        with np.errstate(all="ignore"):
            jacobian = finite(sign * current.jacobian * allowance * gap.weight[:, None])
        direction = free_direction(t.value, gap, kind)
        if step == 0 and not is_within_reach(jacobian, direction, gap, kind):
            break
        shares = bounded_step(jacobian, direction, gap.residual, shares)
        current = mover.at(mover.constants + allowance * shares)
        sides = (current, truth.start) if moved == "model" else (model.start, current)
        gap = compare_values(*sides, kind)
        falls = gap.excess < 0.5 * best.excess
        if gap.excess < best.excess:
            best, best_shares = gap, shares
        if step and not falls:
            break
    constants = (mover.constants + allowance * best_shares).tolist()
    return Fit(kind, truth, model, moved, allowance, constants, best.constant, best)


def compare_values(m: Sensitivity, t: Sensitivity, kind: str) -> Gap:
    """Return the gap between a model and the truth, with the best constant of a kind between them."""
    with np.errstate(all="ignore"):
        constant = best_constant(m.value, t.value, kind)
        factor, offset = factor_and_offset(kind, constant)
        residual = m.value - factor * t.value - offset
        size = np.abs(m.value) + np.abs(factor * t.value)
        size = size + middle(size)
        usable = np.isfinite(residual) & np.isfinite(size) & (size > 0)
        weight = np.where(usable, 1.0 / size, 0.0)
        noise = NOISE * (m.noise + abs(factor) * t.noise) * weight
        noise = np.where(usable & np.isfinite(noise), noise, np.inf)
        relative = finite(residual * weight)
    return Gap(constant, factor, relative, noise, weight)


def best_constant(m: np.ndarray, t: np.ndarray, kind: str) -> float | None:
    """Return the constant of a kind that explains most of a model's values `m` by the truth's values `t`."""
    if kind == "identical":
        return None
    if kind == "offset":
        return middle(m - t)
    size = np.abs(t)
    weighted = finite(t / (size + middle(size)))
    return float(np.sum(finite(m / (size + middle(size))) * weighted) / np.sum(weighted**2))


def free_direction(t: np.ndarray, gap: Gap, kind: str) -> np.ndarray:
    """Return how the residual changes with the constant between model and truth, shape (points, 0 or 1)."""
    if kind == "identical":
        return np.zeros((len(t), 0))
    with np.errstate(all="ignore"):
        column = -t if kind == "scale" else np.full(len(t), -float(np.ptp(t)) or 1.0)
        return finite(column * gap.weight)[:, None]


def is_within_reach(jacobian: np.ndarray, direction: np.ndarray, gap: Gap, kind: str) -> bool:
    """Whether constants moved by twice their allowance could explain the residual, to first order."""
    reach = 2.0 * np.sum(np.abs(jacobian), axis=1) + gap.noise
    free = np.ones(len(reach)) if kind == "identical" else direction[:, 0]
    usable = np.isfinite(reach) & (free != 0)
    ends = [((gap.residual + side * reach)[usable] / free[usable]) for side in (-1, 1)]
    low = np.max(np.minimum(*ends), initial=-np.inf)
    high = np.min(np.maximum(*ends), initial=np.inf)
    return bool(low <= 0 <= high if kind == "identical" else low <= high)


def bounded_step(
    jacobian: np.ndarray, direction: np.ndarray, residual: np.ndarray, shares: np.ndarray
) -> np.ndarray:
    """Take one Gauss-Newton step in which each constant stays within its allowance, |shares| <= 1."""
    from scipy.optimize import lsq_linear

    matrix = np.hstack([jacobian, direction])
    lengths = np.linalg.norm(matrix, axis=0)
    matrix = np.vstack([matrix, np.diag(DAMPING * np.where(lengths > 0, lengths, 1.0))])
    target = np.concatenate([-residual, np.zeros(len(lengths))])
    unbounded = np.full(direction.shape[1], np.inf)
    bounds = np.append(-1.0 - shares, -unbounded), np.append(1.0 - shares, unbounded)
    step = lsq_linear(matrix, target, bounds=bounds, method="bvls").x[: len(shares)]
    return np.clip(shares + step, -1.0, 1.0)


def allows(truth: Side, model: Side, kind: str, allowance: np.ndarray) -> bool:
    """Whether the constants with which the truth comes nearest to a model, unbounded, are within an allowance.

    To first order, and but for three standard errors, where the residual leaves constants undetermined.
    """
    gap = compare_values(model.start, truth.start, kind)
    with np.errstate(all="ignore"):
        jacobian = finite(gap.factor * truth.start.jacobian * allowance * gap.weight[:, None])
    matrix = np.hstack([jacobian, free_direction(truth.start.value, gap, kind)])
    inverse = np.linalg.pinv(matrix, rcond=1e-10)
    shares = inverse @ gap.residual
    squares = np.sum((gap.residual - matrix @ shares) ** 2) / max(1, len(matrix) - len(inverse))
    error = np.sqrt(squares) * np.linalg.norm(inverse, axis=1)
    return bool(np.all((np.abs(shares) - 3 * error)[: len(allowance)] <= 1.001))


def middle(values: np.ndarray) -> float:
    """Return the median of values, undefined ones last; the upper one of two."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def finite(values: np.ndarray) -> np.ndarray:
    """Return values with 0 for all that is not finite."""
    return np.where(np.isfinite(values), values, 0.0)
