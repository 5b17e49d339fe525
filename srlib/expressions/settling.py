"""Whether two functions that float64 cannot tell apart are equal: their constants, found to many digits."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.evaluate import DIGITS
from srlib.expressions.evaluate import arithmetic as context
from srlib.expressions.evaluate import evaluate_precisely as precise
from srlib.expressions.evaluate import precise_numbers as exact
from srlib.expressions.matching import Match

FEWEST_POINTS = 24
# relative residual of equal functions, once their constants are known to many digits
VANISHED = 1e-30
# of the median size: values so small are nothing; above, each point counts by itself
NOTHING = 1e-20
STEPS = 14


class Settled(NamedTuple):
    """Result of `settle`.

    `error` is the largest relative residual that is left, NaN without precise values; `improving` says that
    it was still falling, or is too small for float64 to have brought the constants near enough; `constant` and
    `constants` are those found: between the two, and of the side that moved.
    """

    error: float
    improving: bool
    constant: float | None
    constants: np.ndarray


@dataclass
class _Way:
    """The constants of the side that moves on their way, and all that a step of theirs needs.

    `fixed` are values of the other side, `room` how far each constant may move, `free` the constant between the
    two; `least` is the smallest error so far. `chosen` are constants with an effect of their own, `redundant` the
    others; `explained` says whether moving constants could take away what was left.
    """

    match: Match
    columns: dict[str, np.ndarray]
    count: int
    fixed: np.ndarray
    room: np.ndarray
    jacobian: np.ndarray
    constants: list[Any]
    free: Any
    least: float = np.inf
    chosen: list[int] | None = None
    redundant: set[int] = field(default_factory=set)
    explained: bool = True

    @classmethod
    def of(cls, match: Match) -> "_Way":
        """Begin where float64 came to."""
        mover, start = match.mover, match.constants
        still = match.truth if match.moved == "model" else match.model
        count = min(still.count, FEWEST_POINTS + 2 * len(start))
        columns = {name: exact(column[:count]) for name, column in still.columns.items()}
        mpf = context(DIGITS).mpf
        return cls(
            match,
            columns,
            count,
            fixed=precise(still.tape, columns, count),
            room=np.maximum(mover.room, 1e-15 * abs(start)),
            jacobian=np.nan_to_num(mover.at(start).jacobian[:count], posinf=0.0, neginf=0.0),
            constants=[mpf(value) for value in start.tolist()],
            free=mpf(match.constant or 0),
        )

    def left(self, first: bool) -> "_Left":
        """Compare both sides with the constants as they stand."""
        kind, moving = self.match.kind, self.match.mover.tape_of(self.constants)
        m, t = precise(moving, self.columns, self.count), self.fixed
        if self.match.moved == "truth":
            m, t = t, m
        # float64 may not even see an offset of large values
        if kind == "offset" and first:
            self.free = sorted(m - t, key=lambda v: (v != v, v))[self.count // 2]
        factor = self.free if kind == "scale" else context(DIGITS).mpf(1)
        residual = m - t * factor - (self.free if kind == "offset" else 0)
        size = np.array([float(v) for v in abs(m) + abs(t * factor)])
        with np.errstate(all="ignore"):  # what is undefined settles nothing: NaN
            error = float(max(abs(residual / (size + NOTHING * np.median(size)))))
            size = size + np.median(size)
            return _Left(error, size, residual / size, t * factor, factor)

    def again(self) -> None:
        """Let constants start again which float64 may have moved though they do the same against each other."""
        for i in self.redundant:
            self.constants[i] = context(DIGITS).mpf(float(self.match.mover.constants[i]))
        self.least, self.redundant = np.inf, set()

    def step(self, left: "_Left") -> None:
        """Move the constants, and that between the two, by float64's derivatives."""
        own = self.jacobian if self.match.moved == "model" else -float(left.factor) * self.jacobian
        columns = [own * self.room]
        if self.match.kind == "offset":
            columns.append(-np.ones((self.count, 1)))
        if self.match.kind == "scale":
            columns.append(-left.truth.astype(float)[:, None])
        with np.errstate(all="ignore"):
            matrix = np.hstack(columns) / left.size[:, None]
            matrix = np.nan_to_num(matrix, posinf=0.0, neginf=0.0)
            if self.chosen is None:
                self.chosen = _independent(matrix)
                self.redundant = set(range(len(self.constants))) - set(self.chosen)
            norms = np.linalg.norm(matrix[:, self.chosen], axis=0)
            step = np.zeros(matrix.shape[1])
            unit = float(max(abs(left.relative))) or 1.0
            target = (-left.relative / unit).astype(float)
            self.explained = _explains(matrix, target)
            shares = np.linalg.lstsq(matrix[:, self.chosen] / norms, target, rcond=None)[0]
            step[self.chosen] = shares / norms
        moves = [context(DIGITS).mpf(value) * unit for value in step.tolist()]
        self.constants = [
            constant + move * by
            for constant, move, by in zip(self.constants, moves, self.room.tolist(), strict=False)
        ]
        if self.match.kind == "offset":
            self.free += moves[-1]
        if self.match.kind == "scale":
            self.free += moves[-1] * self.free

    def within_room(self) -> bool:
        """Whether no constant has left its room."""
        moves = np.array([float(c) for c in self.constants]) - self.match.mover.constants
        return bool(np.all(np.abs(moves) <= 1.001 * self.room))

    def settled(self, error: float, improving: bool) -> Settled:
        """Say where the way ended."""
        constant = None if self.match.kind == "identical" else float(self.free)
        return Settled(error, improving, constant, np.array([float(c) for c in self.constants]))


class _Left(NamedTuple):
    """What is left between both sides: the largest error, the residual relative to sizes, the truth times `factor`."""

    error: float
    size: np.ndarray
    relative: np.ndarray
    truth: np.ndarray
    factor: Any


def settle(match: Match) -> Settled:
    """Improve a match in high precision, by steps with float64's derivatives.

    The residual of equal functions falls by many digits a step, without end; that of an excellent
    approximation, however close, stays where it is. Both sides are evaluated at the same points; constants
    that leave their room do not count.
    """
    way = _Way.of(match)
    for turn in range(STEPS):
        left = way.left(first=turn == 0)
        falls = left.error < 0.5 * way.least
        told = way.explained and left.error < 1e-14
        if not falls and told and way.redundant:
            way.again()
            continue
        if not falls:
            return way.settled(min(left.error, way.least), told)
        way.least = left.error
        if left.error <= VANISHED:
            return way.settled(left.error if way.within_room() else np.inf, False)
        way.step(left)
    return way.settled(way.least, True)


def _explains(matrix: np.ndarray, target: np.ndarray) -> bool:
    """Whether moving constants could take a residual away, but for a tenth of it."""
    lengths = np.linalg.norm(matrix, axis=0)
    if not np.any(lengths):
        return False
    unit = matrix[:, lengths > 0] / lengths[lengths > 0]
    left = target - unit @ np.linalg.lstsq(unit, target, rcond=1e-13)[0]
    return bool(np.linalg.norm(left) <= 0.1 * np.linalg.norm(target))


def _independent(matrix: np.ndarray) -> list[int]:
    """Columns that span all of them, long ones first: of constants in one product the one with most effect."""
    rest, lengths = matrix.copy(), np.linalg.norm(matrix, axis=0)
    chosen: list[int] = []
    for _ in range(min(matrix.shape)):
        left = np.linalg.norm(rest, axis=0)
        left[(left <= 1e-8 * lengths) | ~np.isfinite(left)] = 0.0
        best = int(np.argmax(left))
        if left[best] == 0.0:
            break
        side = rest[:, best] / left[best]
        rest = rest - np.outer(side, side @ rest)
        chosen.append(best)
    return chosen
