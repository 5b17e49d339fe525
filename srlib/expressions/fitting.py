"""The constants with which truth and model come closest: in float64, and then with 60 digits.

float64 proposes and 60 digits decide: the residual of equal functions falls by many digits a step without end, that
of an excellent approximation, however close, stays where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.gathered import Gathered
from srlib.expressions.points import Sample
from srlib.expressions.precise import DIGITS, context, exact, precise
from srlib.expressions.sensitivity import Sensitivity, differentiate
from srlib.expressions.tree import Item

EQUAL = 1e-9  # residual, relative to the size of the values, below which two functions are equal
DIFFERENT = 1e-7  # above which they are not
VANISHED = 1e-30  # the same with 60 digits
NEGLIGIBLE = 1e-20  # of the median size: values so small are nothing
NOISE = 16.0  # times the first-order bound of rounding errors
STEPS, PRECISE_STEPS = 8, 14
FEWEST_POINTS = 16  # with 60 digits, and two more for each constant
DAMPING = 1e-7  # of a step, so that constants with the same effect share it
MPF = context(DIGITS).mpf


@dataclass(frozen=True)
class Side:
    """Truth or model at the points of a sample, with the constants that may move.

    `form` has the tape and the places of its constants, `allowance` (constants,) says how far each may move;
    `left_out` are names and values of negligible constants that the tape has no more; `unit` is the number by which
    the function was divided.
    """

    form: Gathered
    sample: Sample
    allowance: np.ndarray
    left_out: tuple[tuple[str, float], ...] = ()
    unit: float = 1.0

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
        places = [place for group in self.form.places for place in group]
        tape, sample = self.tape_with(constants.tolist()), self.sample
        result = differentiate(tape, sample.columns, places, sample.count)
        if len(places) == len(constants):
            return result
        firsts = np.cumsum([0, *map(len, self.form.places[:-1])])
        return result._replace(jacobian=np.add.reduceat(result.jacobian, firsts, axis=1))


class Gap(NamedTuple):
    """What stands between the values of model and truth, arrays of shape (points,).

    `residual` and `noise` are relative to the size of the values, and 0 where a value is not usable; `constant` is
    the best one of the kind, `factor` multiplies the truth, `weight` is 1 / size.
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

    The constants of `moved`, 'truth' or 'model', may have moved to `constants`, floats or numbers with 60 digits.
    `excess` is the largest residual beyond rounding, `residual` (points,) all of them; `sharp` says whether float64
    has enough digits to see a difference. `error` is the largest residual with 60 digits, infinite before
    `refine` and NaN where these have no value; `undecided` says that it may still fall.
    """

    kind: str
    truth: Side
    model: Side
    moved: str
    constants: Sequence[Any]
    constant: Any
    excess: float
    residual: np.ndarray
    sharp: bool
    error: float = np.inf
    undecided: bool = False

    @property
    def mover(self) -> Side:
        """The side whose constants may move."""
        return self.model if self.moved == "model" else self.truth

    @property
    def is_equal(self) -> bool:
        """Whether float64 sees no difference."""
        return self.excess <= EQUAL and (self.kind == "offset" or self.constant != 0)

    @property
    def is_close(self) -> bool:
        """Whether float64 sees no difference, or too small a difference to trust it."""
        return self.is_equal or EQUAL < self.excess <= DIFFERENT

    @property
    def tapes(self) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
        """Tapes of truth and model with the constants of the fit."""
        tape = self.mover.tape_with(self.constants)
        return (
            (self.truth.form.tape, tape) if self.moved == "model" else (tape, self.model.form.tape)
        )

    @property
    def factor(self) -> Any:
        """The truth is multiplied by it."""
        return self.constant if self.kind == "scale" else 1

    @property
    def offset(self) -> Any:
        """It is added to the truth."""
        return self.constant if self.kind == "offset" else 0


def fit(truth: Side, model: Side, kind: str, moved: str) -> Fit:
    """Move the constants of one side within their allowance until the residual vanishes or stays (Gauss-Newton).

    Parameters
    ----------
    truth, model : Side
        At the same points.
    kind : {'identical', 'offset', 'scale'}
        What may stand between them: nothing, an additive or a multiplicative constant.
    moved : {'truth', 'model'}
        Whose constants move.
    """
    mover = model if moved == "model" else truth
    shares, current, best, best_shares = np.zeros(len(mover.constants)), mover.start, None, None
    for step in range(STEPS):
        m, t = (current, truth.start) if moved == "model" else (model.start, current)
        gap = compare_values(m, t, kind)
        if np.count_nonzero(gap.weight) < len(gap.weight) // 2:
            break
        if best is None or gap.excess < best.excess:
            best, best_shares = gap, shares
        if gap.excess <= EQUAL / 100 or not len(shares):
            break
        sign = 1.0 if moved == "model" else -gap.factor
        with np.errstate(all="ignore"):
            jacobian = finite(sign * current.jacobian * mover.allowance * gap.weight[:, None])
        direction = free_direction(t.value, gap, kind)
        if step == 0 and not within_reach(jacobian, gap, direction, kind):
            break
        previous, shares = shares, bounded_step(jacobian, direction, gap.residual, shares)
        if np.max(np.abs(shares - previous)) < 1e-13:
            break
        current = mover.at(mover.constants + mover.allowance * shares)
    if best is None or best_shares is None:
        nothing = np.ones(truth.sample.count)
        return Fit(kind, truth, model, moved, mover.constants.tolist(), None, 0.0, nothing, False)
    constants = (mover.constants + mover.allowance * best_shares).tolist()
    sharp = bool(np.all(best.noise <= DIFFERENT))
    residual = np.abs(best.residual)
    return Fit(kind, truth, model, moved, constants, best.constant, best.excess, residual, sharp)


def compare_values(m: Sensitivity, t: Sensitivity, kind: str) -> Gap:
    """Return the gap between a model and the truth, with the best constant of a kind between them."""
    with np.errstate(all="ignore"):
        constant = best_constant(m.value, t.value, kind)
        factor = constant if kind == "scale" and constant is not None else 1.0
        offset = constant if kind == "offset" and constant is not None else 0.0
        residual = m.value - factor * t.value - offset
        size = np.abs(m.value) + np.abs(factor * t.value)
        size = size + np.median(size)
        usable = np.isfinite(residual) & np.isfinite(size) & (size > 0)
        weight = np.where(usable, 1.0 / size, 0.0)
        noise = np.nan_to_num(NOISE * (m.noise + abs(factor) * t.noise), nan=np.inf)
        relative = [np.where(usable, array * weight, 0.0) for array in (residual, noise)]
    return Gap(constant, factor, *relative, weight)


def best_constant(m: np.ndarray, t: np.ndarray, kind: str) -> float | None:
    """Return the constant of a kind that explains most of a model's values `m` by the truth's values `t`."""
    usable = np.isfinite(m) & np.isfinite(t)
    m, t = m[usable], t[usable]
    if kind == "identical" or not len(t):
        return None if kind == "identical" else np.nan
    if kind == "offset":
        return float(np.median(m - t))
    weight = 1.0 / (np.abs(t) + np.median(np.abs(t)))
    weighted = np.nan_to_num(weight * t)
    return float(np.sum(weight * m * weighted) / np.sum(weighted * weighted))


def free_direction(t: np.ndarray, gap: Gap, kind: str) -> np.ndarray:
    """Return how the residual changes with the constant between model and truth, shape (points, 0 or 1)."""
    if kind == "identical":
        return np.zeros((len(t), 0))
    column = -np.ones(len(t)) * (np.ptp(t) or 1.0) if kind == "offset" else -t
    return finite(column * gap.weight)[:, None]


def within_reach(jacobian: np.ndarray, gap: Gap, direction: np.ndarray, kind: str) -> bool:
    """Whether constants moved by twice their allowance could explain the residual, to first order."""
    reach = 2.0 * np.sum(np.abs(jacobian), axis=1) + gap.noise
    usable = gap.weight > 0
    free = np.ones(len(reach)) if kind == "identical" else direction[:, 0]
    usable &= free != 0
    with np.errstate(all="ignore"):
        ends = [((gap.residual + side * reach) / free)[usable] for side in (-1, 1)]
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
    matrix = np.vstack([matrix, DAMPING * np.diag(np.where(lengths > 0, lengths, 1.0))])
    target = np.concatenate([-residual, np.zeros(len(lengths))])
    unbounded = np.full(direction.shape[1], np.inf)
    low, high = np.append(-1.0 - shares, -unbounded), np.append(1.0 - shares, unbounded)
    if not len(residual) or np.any(low >= high):
        return shares
    step = lsq_linear(matrix, target, bounds=(low, high), method="bvls").x[: len(shares)]
    return np.clip(shares + step, -1.0, 1.0)


def allows(truth: Side, model: Side, kind: str, allowance: np.ndarray) -> bool:
    """Whether the constants with which the truth comes nearest to a model, unbounded, are within an allowance.

    To first order, and but for three standard errors, where the residual leaves constants undetermined.
    """
    gap = compare_values(model.start, truth.start, kind)
    with np.errstate(all="ignore"):
        jacobian = finite(gap.factor * truth.start.jacobian * allowance * gap.weight[:, None])
    matrix = np.hstack([jacobian, -free_direction(truth.start.value, gap, kind)])
    inverse = np.linalg.pinv(matrix, rcond=1e-10)
    shares = inverse @ gap.residual
    squares = np.sum((gap.residual - matrix @ shares) ** 2)
    error = np.sqrt(squares / max(1, len(matrix) - matrix.shape[1])) * np.linalg.norm(
        inverse, axis=1
    )
    return bool(np.all((np.abs(shares) - 3 * error)[: len(allowance)] <= 1.001))


def refine(start: Fit) -> Fit:
    """Improve a fit with 60 digits, by steps with float64's derivatives.

    Both sides are evaluated at the same points, with constants as they are written in decimals. A fit whose constants
    leave their allowance has an infinite error.
    """
    mover, still = start.mover, start.truth if start.moved == "model" else start.model
    count = min(still.sample.count, FEWEST_POINTS + 2 * len(mover.constants))
    columns = {name: exact(column[:count]) for name, column in still.sample.columns.items()}
    fixed = precise(as_written(still.form.tape), columns, count)
    room = np.maximum(mover.allowance, 1e-15 * np.abs(mover.constants))
    slopes = finite(mover.at(np.array(start.constants)).jacobian[:count] * room)
    constants = [MPF(repr(value)) for value in start.constants]
    constant, error, least, explained = None, np.inf, np.inf, True
    for _ in range(PRECISE_STEPS):
        moving = precise(as_written(mover.tape_with(constants)), columns, count)
        m, t = (moving, fixed) if start.moved == "model" else (fixed, moving)
        if constant is None:
            constant = precise_constant(m, t, start.kind)
        factor = constant if start.kind == "scale" else 1
        residual = m - t * factor - (constant if start.kind == "offset" else 0)
        size = abs(m) + abs(t * factor)
        middle = sorted(size, key=sort_key)[count // 2]
        relative = residual / np.array([v or 1 for v in size + NEGLIGIBLE * middle])
        error = float(np.max(np.abs(relative.astype(float))))
        if error <= VANISHED or not error < 0.5 * least:
            break
        least = error
        size = np.array([v or 1 for v in size + middle])
        sign = 1 if start.moved == "model" else -factor
        matrix = slopes * (sign / size)[:, None]
        if constant is not None:
            matrix = np.column_stack([matrix, (-t if start.kind == "scale" else -1) / size])
        step, explained = solve_step(finite(matrix.astype(float)), -residual / size)
        for i, allowed in enumerate(room.tolist()):
            constants[i] += step[i] * allowed
        if constant is not None:
            constant += step[-1]
    moves = np.array([float(value) for value in constants]) - mover.constants
    undecided = explained and VANISHED < min(error, least) < 1e-14
    if error <= VANISHED and np.any(np.abs(moves) > 1.001 * room):
        error, undecided = np.inf, False
    elif not error <= VANISHED and not np.isnan(error):
        error = min(error, least)
    return replace(start, constants=constants, constant=constant, error=error, undecided=undecided)


def precise_constant(m: np.ndarray, t: np.ndarray, kind: str) -> Any:
    """Return the middle one of the constants that each point asks for."""
    if kind == "identical":
        return None
    pairs = zip(m, t, strict=True)
    each = [a / b for a, b in pairs if b] if kind == "scale" else [a - b for a, b in pairs]
    return sorted(each, key=sort_key)[len(each) // 2] if each else MPF(1)


def solve_step(matrix: np.ndarray, target: np.ndarray) -> tuple[list[Any], bool]:
    """Return the shortest step that explains most of a target, and whether it explains nine tenths of it."""
    unit = max(abs(target)) or MPF(1)
    aim = (target / unit).astype(float)
    lengths = np.linalg.norm(matrix, axis=0)
    matrix = matrix / np.where(lengths > 0, lengths, 1.0)
    shares = np.linalg.lstsq(matrix, aim, rcond=1e-9)[0] if matrix.size else np.zeros(0)
    explained = np.linalg.norm(aim - matrix @ shares) <= 0.1 * np.linalg.norm(aim)
    steps = shares / np.where(lengths > 0, lengths, 1.0)
    return [MPF(step) * unit for step in steps.tolist()], bool(explained)


def as_written(tape: Sequence[Any]) -> tuple[Any, ...]:
    """Return a tape whose floats are the decimal numbers that are written, with 60 digits."""
    return tuple(MPF(repr(float(item))) if isinstance(item, float) else item for item in tape)


def as_floats(tape: Sequence[Any]) -> tuple[Item, ...]:
    """Return a tape whose numbers with 60 digits are floats."""
    return tuple(float(item) if isinstance(item, MPF) else item for item in tape)


def sort_key(value: Any) -> tuple[bool, Any]:
    """Sort numbers, undefined ones last."""
    return value != value, value


def finite(values: np.ndarray) -> np.ndarray:
    """Return values with 0 for all that is not finite."""
    return np.where(np.isfinite(values), values, 0.0)
