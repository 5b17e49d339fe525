"""The constants with which one side comes closest to the other, each kept within what the tolerance allows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from srlib.expressions.normal_form import NormalForm as Gathered
from srlib.expressions.sampling import Sample
from srlib.expressions.sensitivity import Sensitivity, sensitivity
from srlib.expressions.tree import Item

EQUAL = 1e-9  # residual, relative to the size of the values, below which two functions are equal
DIFFERENT = 1e-7  # above which they are not
STEPS = 8


class Side:
    """Truth or model at the points: its tape, the constants that may move, how far, and its first evaluation.

    `left_out` are names and values of constants that are not on the tape, `by` is what the function was divided by.
    """

    def __init__(self, form: Gathered, columns: Mapping[str, np.ndarray], count: int) -> None:
        self.form, self.tape, self.columns, self.count = form, form.tape, columns, count
        self.constants = np.array([float(form.tape[places[0]]) for places in form.places])  # type: ignore[arg-type]
        self.room = np.zeros(len(form.places))
        self.left_out: list[tuple[str, float]] = []
        self.by = 1.0

    @cached_property
    def start(self) -> Sensitivity:
        """Evaluation with the constants as they stand."""
        return self.at(self.constants)

    def tape_of(self, constants: Sequence[Any]) -> tuple[Item, ...]:
        """Tape with other constants."""
        items: list[Any] = list(self.tape)
        for places, value in zip(self.form.places, constants, strict=True):
            for place in places:
                items[place] = value
        return tuple(items)

    def at(self, constants: np.ndarray) -> Sensitivity:
        """Values and derivatives with other constants."""
        places = [place for group in self.form.places for place in group]
        found = sensitivity(self.tape_of(constants.tolist()), self.columns, places, self.count)
        if len(places) == len(constants):
            return found
        firsts = np.cumsum([0, *map(len, self.form.places[:-1])])
        return found._replace(jacobian=np.add.reduceat(found.jacobian, firsts, axis=1))


@dataclass(frozen=True)
class Match:
    """The closest that model and truth come in one kind, by moving the constants of one of them.

    `error` is the largest residual relative to the values' size, `residual` (points,) all of them; `equal`
    and `doubtful` say what follows, `told` whether float64 is sharp enough to say it alone; `moved` says which
    side's constants could move, `constants` are those found.
    """

    kind: str
    constant: float | None
    error: float
    residual: np.ndarray
    equal: bool
    doubtful: bool
    truth: Side
    model: Side
    moved: str
    constants: np.ndarray
    told: bool = False

    @property
    def mover(self) -> Side:
        """The side whose constants could move."""
        if self.moved == "model":
            return self.model
        return self.truth

    @property
    def tapes(self) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
        """Tapes of truth and model with the constants found."""
        found = self.mover.tape_of(self.constants.tolist())
        if self.moved == "model":
            return (self.truth.tape, found)
        return (found, self.model.tape)


@dataclass(frozen=True)
class Gap:
    """What stands between model and truth after some moves of the constants; arrays have shape (points,).

    `moves` (constants,) are in units of each constant's room; `constant` is the best one of the kind, `scale` what
    the truth is multiplied by, `residual` what remains, `size` that of the values, `noise` the bound of their
    rounding errors, and `usable` says where all of these are finite.
    """

    kind: str
    moves: np.ndarray
    truth: np.ndarray
    constant: float | None
    scale: float
    residual: np.ndarray
    size: np.ndarray
    noise: np.ndarray
    usable: np.ndarray

    @classmethod
    def of(cls, m: Sensitivity, t: Sensitivity, kind: str, moves: np.ndarray) -> "Gap":
        """Compare values of the model with values of the truth."""
        constant, residual = between(m.value, t.value, kind)
        scale = constant if kind == "scale" and constant is not None else 1.0
        size = np.abs(m.value) + np.abs(scale * t.value)
        size = size + _median(size)
        noise = _tamed(m.noise + np.abs(scale) * t.noise, nan=np.inf)
        usable = np.isfinite(residual) & np.isfinite(size) & (size > 0)
        return cls(kind, moves, t.value, constant, scale, residual, size, noise, usable)

    def _relative(self, values: np.ndarray) -> np.ndarray:
        return np.where(self.usable, values / np.where(self.usable, self.size, 1.0), 0.0)

    @cached_property
    def excess(self) -> np.ndarray:
        """The residual relative to the size of the values."""
        return self._relative(np.abs(self.residual))

    @cached_property
    def allowed(self) -> np.ndarray:
        """How much of it rounding explains."""
        return self._relative(16 * self.noise)

    @cached_property
    def beyond(self) -> float:
        """The largest excess that rounding does not explain."""
        return float(np.max(self.excess - self.allowed))

    @property
    def told(self) -> bool:
        """Whether float64 is sharp enough to tell equality."""
        return bool(np.all(self.allowed <= DIFFERENT))

    @property
    def left(self) -> np.ndarray:
        """The residual, 0 where it says nothing."""
        return np.where(self.usable, self.residual, 0.0)

    def step(self, jacobian: np.ndarray) -> np.ndarray:
        """One Gauss-Newton step within the box |moves| <= 1; what would leave it stays at its side."""
        weight, count = self._relative(np.ones(len(self.size))), len(self.moves)
        residual = self.left * weight
        matrix = np.hstack([jacobian, _free(self.truth, self.kind)]) * weight[:, None]
        matrix = _tamed(matrix, posinf=0.0, neginf=0.0)
        norms = np.linalg.norm(matrix, axis=0)
        norms = np.where((norms > 0) & np.isfinite(norms), norms, 1.0)
        # constants that do the same share the step, so that none of them goes astray
        unit = matrix / norms
        low, high = np.full(matrix.shape[1], -np.inf), np.full(matrix.shape[1], np.inf)
        low[:count], high[:count] = -1.0 - self.moves, 1.0 - self.moves
        free, step = np.ones(len(low), dtype=bool), np.zeros(len(low))
        for _ in range(2 * len(low) + 2):
            rest = -residual - matrix[:, ~free] @ step[~free]
            step[free] = np.linalg.lstsq(unit[:, free], rest, rcond=1e-8)[0] / norms[free]
            outside = free & ((step < low) | (step > high))
            step = np.clip(step, low, high)
            if np.any(outside):
                free &= ~outside
                continue
            towards = np.where(step >= high, 1.0, -1.0)
            pull = (matrix.T @ (matrix @ step + residual)) * towards * ~free
            if np.max(pull) <= 1e-14 * np.max(np.abs(matrix)):
                break
            free[np.argmax(pull)] = True
        return np.clip(self.moves + step[:count], -1.0, 1.0)

    def promising(self, jacobian: np.ndarray) -> bool:
        """Whether constants moved by twice their room could explain the residual (first order)."""
        reach = 2.0 * _tamed(np.sum(np.abs(jacobian), axis=1), nan=np.inf) + 16 * self.noise
        residual = self.left
        if self.kind == "offset":
            ends = (residual - reach, residual + reach)
            return bool(np.max(ends[0][self.usable]) <= np.min(ends[1][self.usable]))
        if self.kind == "identical":
            return bool(np.all((np.abs(residual) <= reach)[self.usable]))
        usable = self.usable & (np.abs(self.truth) > 0)
        if not np.any(usable):
            return True
        with np.errstate(all="ignore"):
            low, high = (residual - reach) / self.truth, (residual + reach) / self.truth
        return bool(np.max(np.minimum(low, high)[usable]) <= np.min(np.maximum(low, high)[usable]))


def worst(match: Match, sample: Sample) -> int | None:
    """Point of a sample at which a match that was found at other points fails most; None: it holds."""
    t, m = (sensitivity(tape, sample.columns, [], sample.count) for tape in match.tapes)
    factor = 1.0
    if match.kind == "scale" and match.constant is not None:
        factor = match.constant
    offset = 0.0
    if match.kind == "offset" and match.constant is not None:
        offset = match.constant
    with np.errstate(all="ignore"):
        size = np.abs(m.value) + np.abs(factor * t.value)
        size = size + np.nanmedian(size) if sample.count else size
        allowed = EQUAL * size + 16 * _tamed(m.noise + abs(factor) * t.noise, nan=np.inf)
        beyond = np.abs(m.value - factor * t.value - offset) / (10 * allowed)
    beyond = _tamed(beyond, posinf=0.0)
    if sample.count and np.max(beyond) > 1:
        return int(np.argmax(beyond))
    return None


def closest(truth: Side, model: Side, kind: str, moved: str) -> Match:
    """Move the constants of one side within their room until the residual vanishes or stays.

    Parameters
    ----------
    truth, model : Side
        At the same points.
    kind : {'identical', 'offset', 'scale'}
        What may stand between them: nothing, an additive or a multiplicative constant.
    moved : {'truth', 'model'}
        Whose constants move.
    """
    with np.errstate(all="ignore"):
        return _fit(truth, model, kind, moved)


def held(truth: Side, model: Side, kind: str, room: np.ndarray) -> bool:
    """Whether the constants with which the truth comes nearest to a model, unbounded, are within a room.

    To first order, and but for what the residual that is left leaves undetermined (three standard errors).
    """
    m, t = model.start.value, truth.start.value
    with np.errstate(all="ignore"):
        constant, residual = between(m, t, kind)
        scale = constant if kind == "scale" and constant is not None else 1.0
        size = np.abs(m) + np.abs(scale * t)
        ok = np.isfinite(residual) & np.isfinite(size) & (size > 0)
        weight = np.where(ok, 1.0 / np.where(ok, size + _median(size[ok]), 1.0), 0.0)
        matrix = np.hstack([scale * truth.start.jacobian * room, _free(t, kind)]) * weight[:, None]
        matrix = _tamed(matrix, posinf=0.0, neginf=0.0)
    target = np.where(ok, residual, 0.0) * weight
    inverse = np.linalg.pinv(matrix, rcond=1e-10)
    z = inverse @ target
    left = np.sqrt(np.sum((target - matrix @ z) ** 2) / max(1, len(m) - matrix.shape[1]))
    error = left * np.linalg.norm(inverse, axis=1)
    return bool(np.all((np.abs(z) - 3 * error)[: len(room)] <= 1.001))


def _fit(truth: Side, model: Side, kind: str, moved: str) -> Match:
    mover, still = (model, truth) if moved == "model" else (truth, model)
    moves, current = np.zeros(len(mover.room)), mover.start
    best: Gap | None = None
    for step in range(STEPS):
        m, t = (current, still.start) if moved == "model" else (still.start, current)
        gap = Gap.of(m, t, kind, moves)
        if np.count_nonzero(gap.usable) < len(gap.usable) // 2:
            break
        if best is None or gap.beyond < best.beyond:
            best = gap
        if gap.beyond <= EQUAL * 1e-2 or not len(moves):
            break
        jacobian = current.jacobian * mover.room
        if moved == "truth":
            jacobian = -gap.scale * current.jacobian * mover.room
        if step == 0 and not gap.promising(jacobian):
            break
        moves = gap.step(jacobian)
        if np.max(np.abs(moves - gap.moves)) < 1e-13:
            break
        current = mover.at(mover.constants + mover.room * moves)
    sides: dict[str, Any] = {"kind": kind, "truth": truth, "model": model, "moved": moved}
    if best is None:
        return Match(
            **sides,
            constant=None,
            error=math.inf,
            residual=np.ones(truth.count),
            equal=False,
            doubtful=True,
            constants=mover.constants,
        )
    return Match(
        **sides,
        constant=best.constant,
        error=float(np.max(best.excess)),
        residual=best.excess,
        equal=best.beyond <= EQUAL and (best.constant != 0.0 or kind == "offset"),
        doubtful=EQUAL < best.beyond <= DIFFERENT,
        constants=mover.constants + mover.room * best.moves,
        told=best.told,
    )


def between(m: np.ndarray, t: np.ndarray, kind: str) -> tuple[float | None, np.ndarray]:
    """Best constant of that kind, and what remains."""
    if kind == "identical":
        return None, m - t
    ok = np.isfinite(m) & np.isfinite(t)
    if kind == "offset":
        constant = float(_median((m - t)[ok])) if np.any(ok) else math.nan
        return constant, m - t - constant
    weight = 1.0 / (np.abs(t) + _median(np.abs(t[ok]))) if np.any(ok) else np.zeros(len(t))
    w2 = np.where(ok, weight, 0.0) ** 2
    with np.errstate(all="ignore"):
        constant = float(np.sum((w2 * m * t)[ok]) / np.sum((w2 * t * t)[ok]))
    return constant, m - constant * t


def _free(t: np.ndarray, kind: str) -> np.ndarray:
    """Column of the constant between model and truth, scaled so that it is free to move."""
    if kind == "identical":
        return np.zeros((len(t), 0))
    column = -np.ones(len(t)) * (np.std(t) or 1.0) if kind == "offset" else -t
    return _tamed(column)[:, None] * 10.0


def _tamed(values: np.ndarray, **instead: Any) -> np.ndarray:
    """`np.nan_to_num`, which takes its time also where all is finite."""
    if np.isfinite(values).all():
        return values
    return np.nan_to_num(values, **instead)


def _median(values: np.ndarray) -> Any:
    """`np.median` of one dimension, to the last bit, in a quarter of its time."""
    half, odd = divmod(values.size, 2)
    if not half:
        return np.median(values)
    places = [half - 1, half, -1][odd:]
    ordered = np.partition(values, places)
    if np.isnan(ordered[-1]):
        return ordered[-1]
    middle = ordered[half - 1 + odd : half + 1]
    return np.add.reduce(middle) / middle.size
