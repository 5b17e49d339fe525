"""Values of a truth's free constants, fitted to a model."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from srlib.expressions.fitting import KINDS, Side, best_factor_and_offset, upper_median
from srlib.expressions.normal_form import NormalForm
from srlib.expressions.points import Ranges, draw_points, evaluate_at
from srlib.expressions.tree import Expression

N_POINTS = 96
N_STARTS = 40
MOST_EVALUATIONS = 80  # of the truth, from each start
N_AGREEING = 12  # fits that end at the same residual before it is taken for the smallest
REACHED_RESIDUAL = 1e-9  # relative residual at which the search ends
SAME_RESIDUAL = 1e-4  # relative difference up to which two residuals are the same
VANISHED_SHARE = 1e-9  # share of the size of the values below which a constant contributes nothing
MOST_RESIDUAL = 1e6


class Form(NamedTuple):
    """A truth with values for its free constants.

    Constants that would have to be 0 are 1 in `truth`: it may still equal the model up to an offset. `certain` says
    whether many starts agree that no other values come nearer.
    """

    truth: Expression
    values: dict[str, float]
    certain: bool = True


def nearest_form(
    truth: Expression, model: Expression, ranges: Ranges, free: Collection[str], seed: int = 0
) -> Form:
    """Return the truth with those values of its free constants that come nearest to a model's values.

    They are fitted from many starts, half of them at the model's constants.

    Parameters
    ----------
    truth, model : Expression
        The truth has the free constants as features.
    ranges : mapping of str to (low, high)
        Range of each feature.
    free : collection of str
        Names of the free constants.
    seed : int
        Of the generator of points and starts.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> form = nearest_form(parse("c*x**k"), parse("7*x**3"), {"x": (1, 5)}, ["c", "k"])
    >>> {name: round(value, 6) for name, value in form.values.items()}
    {'c': 7.0, 'k': 3.0}
    """
    names = [name for name in free if name in truth.features]
    places = [tuple(i for i, item in enumerate(truth.tape) if item == name) for name in names]
    rng = np.random.default_rng(seed)
    sample = draw_points(model.tape, model.tape, ranges, N_POINTS, rng)
    side = Side(NormalForm(truth.tape, tuple(places)), sample)
    if not names or not sample.count:
        return Form(Expression(side.tape_with([1.0] * len(names))), dict.fromkeys(names, 1.0))
    target = evaluate_at(model.tape, sample.columns, sample.count)
    best, constants = np.inf, np.ones(len(names))
    n_agreeing = 0
    certain = False
    for start in draw_starts(len(names), model, rng):
        for kind in KINDS:
            error, fitted = fit_values(side, target, start, kind)
            if error < (1 - SAME_RESIDUAL) * best:
                best, constants = error, fitted
                n_agreeing = 0
            elif abs(error - best) <= SAME_RESIDUAL * best:
                n_agreeing += 1
        certain = best <= REACHED_RESIDUAL or n_agreeing >= N_AGREEING
        if certain:
            break
    with np.errstate(all="ignore"):
        reach = np.nan_to_num(np.abs(side.at(constants).jacobian * constants), nan=np.inf)
        is_vanished = np.max(reach, axis=0) < VANISHED_SHARE * upper_median(np.abs(target))
    return Form(
        Expression(side.tape_with(np.where(is_vanished, 1.0, constants).tolist())),
        dict(zip(names, np.where(is_vanished, 0.0, constants).tolist(), strict=True)),
        certain,
    )


def draw_starts(count: int, model: Expression, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield values to start from: any size from 0.001 to 1000, and constants of the model, in turn."""
    hints = [float(item) for item in model.tape if isinstance(item, int | float)]
    pool = np.array([1.0, *hints])
    yield np.ones(count)
    for _ in range(N_STARTS // 2):
        yield rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-3, 3, count)
        yield rng.choice([-1.0, 1.0], count) * rng.choice(pool, count)


def fit_values(
    side: Side, target: np.ndarray, start: np.ndarray, kind: str
) -> tuple[float, np.ndarray]:
    """Return the largest residual of a fit from one start, relative to the size of the values, and the constants."""
    from scipy.optimize import least_squares

    sample = side.sample
    size = np.abs(target)
    weight = 1.0 / (size + (upper_median(size) or 1.0))

    def residual(constants: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            truth_values = evaluate_at(
                side.tape_with(constants.tolist()), sample.columns, sample.count
            )
            factor, offset = best_factor_and_offset(truth_values, target, kind)
            gap = (target - factor * truth_values - offset) * weight
        return np.nan_to_num(gap, nan=MOST_RESIDUAL).clip(-MOST_RESIDUAL, MOST_RESIDUAL)

    try:
        fitted = least_squares(
            residual,
            start,
            ftol=1e-15,
            xtol=1e-15,
            gtol=1e-15,
            x_scale="jac",
            max_nfev=MOST_EVALUATIONS,
        )
    except (ValueError, np.linalg.LinAlgError):
        return np.inf, start
    return float(np.max(np.abs(fitted.fun))), fitted.x
