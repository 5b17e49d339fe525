"""Fit of the free constants of a truth to a model."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from srlib.expressions.fitting import KINDS, Side, best_factor_and_offset, upper_median
from srlib.expressions.normal_form import NormalForm
from srlib.expressions.points import Ranges, draw_points, evaluate_at
from srlib.expressions.tree import Array, Expression

N_POINTS = 96
N_STARTS = 40
MOST_EVALUATIONS = 80  # limit of evaluations of the truth from each start
N_AGREEING = 12  # fits with the same residual after which it is taken for the smallest
REACHED_RESIDUAL = 1e-9  # relative residual at which the search ends
SAME_RESIDUAL = 1e-4  # relative difference up to which two residuals are the same
VANISHED_SHARE = 1e-9  # share of the size of the values below which a constant contributes nothing
MOST_RESIDUAL = 1e6


class Form(NamedTuple):
    """A truth with values for its free constants.

    Constants whose best value is 0 are set to 1 in `truth`, which may then still equal the model up to an offset.
    `certain` is true if the residual vanishes or many starts end at the same residual.
    """

    truth: Expression
    values: dict[str, float]
    certain: bool = True


def nearest_form(
    truth: Expression, model: Expression, ranges: Ranges, free: Collection[str], seed: int = 0
) -> Form:
    """Return the truth with the values of its free constants that fit a model best.

    They are fitted from many starts; half of the starts use constants of the model.

    Parameters
    ----------
    truth, model : Expression
        The free constants are features of the truth.
    ranges : mapping of str to (low, high)
        Range of each feature.
    free : collection of str
        Names of the free constants.
    seed : int
        Seed of the generator of points and starts.

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


def draw_starts(count: int, model: Expression, rng: np.random.Generator) -> Iterator[Array]:
    """Yield start values of the constants: ones, then in turn random magnitudes (0.001 to 1000) and model constants."""
    pool = [1.0, *(float(item) for item in model.tape if isinstance(item, int | float))]
    yield np.ones(count)
    for _ in range(N_STARTS // 2):
        yield rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-3, 3, count)
        yield rng.choice([-1.0, 1.0], count) * rng.choice(pool, count)


def fit_values(side: Side, target: Array, start: Array, kind: str) -> tuple[float, Array]:
    """Fit from one start; return the largest residual, relative to the size of the values, and the constants."""
    from scipy.optimize import least_squares

    sample = side.sample
    size = np.abs(target)
    weight = 1.0 / (size + (upper_median(size) or 1.0))

    def residual(constants: Array) -> Array:
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
