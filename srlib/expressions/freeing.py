"""The values of a truth's free constants with which it comes nearest to a model."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.matching import Side, between
from srlib.expressions.normal_form import NormalForm as Gathered
from srlib.expressions.sampling import DEFAULT_RANGE, draw
from srlib.expressions.sensitivity import movable, sensitivity
from srlib.expressions.tree import Expression

POINTS = 96
STARTS = 40
EVALUATIONS = 80  # of the truth, from one start
AGAIN = 4  # starts from which the same fit is reached, after which it is taken for the nearest
FOUND = 1e-9  # relative residual at which no other start is tried
VANISHED = 1e-9  # share of the size of the values below which a constant contributes nothing
MOST_HINTS = 30


class Fitted(NamedTuple):
    """Result of `nearest_form`: the truth with the values found; `vanished` names those that would have to be 0."""

    truth: Expression
    values: dict[str, float]
    vanished: tuple[str, ...] = ()


def nearest_form(
    truth: Expression,
    model: Expression,
    domain: Mapping[str, tuple[float, float]],
    free: Collection[str],
    seed: int = 0,
) -> Fitted:
    """Fit the free constants of a truth to a model's values, from many starts, some at the model's own constants.

    A constant that would have to be 0 is 1 in the truth that is returned: the two may still be equal up to an offset.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> found = nearest_form(parse("c*x**k"), parse("7*x**3"), {}, ["c", "k"])
    >>> {name: round(value, 6) for name, value in found.values.items()}
    {'c': 7.0, 'k': 3.0}
    """
    names = [name for name in free if name in truth.features]
    if not names:
        return Fitted(truth, {})
    features = sorted((truth.features | model.features) - set(names))
    ranges = {name: domain.get(name, DEFAULT_RANGE) for name in features}
    rng = np.random.default_rng(seed)
    sample = draw(model.tape, model.tape, ranges, POINTS, rng)
    target = sensitivity(model.tape, sample.columns, [], sample.count).value
    side = Side(_with(truth, names, np.ones(len(names))), sample.columns, sample.count)
    best, values, again = np.inf, np.ones(len(names)), 0
    starts = _starts(len(names), model, rng)
    if not sample.count:  # the model has no values to come near to
        starts, target = [], np.ones(1)
    for start in starts:
        for kind in ("identical", "offset", "scale"):
            error, found = _fitted(side, target, start, kind)
            again += abs(error - best) <= 1e-4 * best
            if error < (1 - 1e-4) * best:
                best, values, again = error, found, 0
            if best <= FOUND:
                break
        if best <= FOUND or again >= AGAIN * 3:
            break
    return _finished(truth, names, side, target, values)


def _finished(
    truth: Expression, names: list[str], side: Side, target: np.ndarray, values: np.ndarray
) -> Fitted:
    with np.errstate(all="ignore"):
        reach = np.nan_to_num(np.abs(side.at(values).jacobian * values), nan=np.inf)
        share = np.max(reach, axis=0, initial=0.0) / np.median(np.abs(target))
        nothing = (share <= VANISHED) & (len(reach) > 0)
    gone = tuple(name for name, zero in zip(names, nothing, strict=True) if zero)
    found = {n: float(v) * (n not in gone) for n, v in zip(names, values, strict=True)}
    return Fitted(Expression(_with(truth, names, np.where(nothing, 1.0, values)).tape), found, gone)


def _with(truth: Expression, names: list[str], values: np.ndarray) -> Gathered:
    """Write values for names; each name is one constant, wherever it stands."""
    known = dict(zip(names, values.tolist(), strict=True))
    tape = tuple(known.get(item, item) for item in truth.tape)  # type: ignore[arg-type]
    places = tuple(tuple(i for i, item in enumerate(truth.tape) if item == name) for name in names)
    return Gathered(tape, places, tuple(names))


def _starts(count: int, model: Expression, rng: np.random.Generator) -> Sequence[np.ndarray]:
    hints = [float(model.tape[i]) for i in movable(model.tape)[:MOST_HINTS]]  # type: ignore[arg-type]
    pool = np.array([1.0, -1.0, *hints, *(-v for v in hints)])
    found = [np.ones(count)]
    for i in range(STARTS):
        near = rng.choice(pool, count)
        wide = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-3, 3, count)
        found.append((wide, near)[i % 2])
    return found


def _fitted(
    side: Side, target: np.ndarray, start: np.ndarray, kind: str
) -> tuple[float, np.ndarray]:
    """Fit from one start; the residual is relative to the size of the values."""
    from scipy.optimize import least_squares

    size = np.abs(target)
    weight = 1.0 / (size + (np.median(size) or 1.0))

    def residual(values: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            left = between(target, side.at(values).value, kind)[1] * weight
        return np.nan_to_num(left, nan=1e6, posinf=1e6, neginf=-1e6).clip(-1e6, 1e6)

    settings: dict[str, Any] = {"x_scale": "jac", "max_nfev": EVALUATIONS, "xtol": 1e-15}
    settings |= {"ftol": 1e-15, "gtol": 1e-15}
    try:
        found = least_squares(residual, start, **settings)
    except (ValueError, np.linalg.LinAlgError):
        return np.inf, start
    return float(np.max(np.abs(found.fun))), found.x
