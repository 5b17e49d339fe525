"""From values of runs to one value a cell: absent runs, aggregation, sensitivity to noise, rounding. Arrays alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from srlib.rules import Judge

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SIGNIFICANT_DIGITS = 12  # equal means of equal values are equal numbers to these


@dataclass(frozen=True)
class ScoringPlan:
    """Directions, rounding and references of a competition, as arrays.

    Parameters
    ----------
    sign : array, aspects x datasets
        1 where higher is better, -1 where lower is better.
    digits : tuple of int or None, one for each aspect
        Decimals to which the aggregate is rounded before it is ranked; None leaves it as it is.
    accuracy, prop : int
        Positions of the aspects accuracy and property; -1 where there is none.
    scored : array of bool, datasets
        False for datasets that only serve as a reference.
    reference : array of int, datasets
        Position of the dataset that a noisy one is compared with; -1 where the property is measured per run.
    gap : array, datasets
        Difference of the two noise levels, |n1 - n2|.
    floor : array, aspects x datasets, or one number for all
        What an absent run is worth at most; NaN: the worst value seen, whatever it is.
    best : float
        The best accuracy that there can be; NaN: the best one seen.
    extra : array of int, datasets x methods, or one number for all
        Runs that a method made beyond those that the rules expect; all of them count.
    weight : array, datasets, or one number for all
        How often a dataset counts in the final score.
    """

    sign: Array
    digits: tuple[int | None, ...]
    accuracy: int
    prop: int
    scored: Mask
    reference: NDArray[np.int_]
    gap: Array
    floor: Array | float = np.nan
    best: float = np.nan
    extra: NDArray[np.int_] | int = 0
    weight: Array | float = 1.0

    @property
    def noisy(self) -> NDArray[np.int_]:
        """Positions of the datasets whose property is a sensitivity to noise."""
        return np.flatnonzero((self.reference >= 0) & (self.prop >= 0))


def worst_values(values: Array, sign: Array, limit: Array | float, incomplete: str) -> Array:
    """Find what an absent run counts as: the worst value seen on the dataset, by `floor` at most the limit.

    A run that would have been worse than that, worse than all that anybody returned, is the one case in which its
    absence helps: what it would have been is not known.

    Parameters
    ----------
    values : array, (..., aspects, datasets, methods, repetitions)
        One measured value a run.
    sign : array, aspects x datasets
        1 where higher is better, -1 where lower is better; with a minus before it, the best value is found.
    limit : array, aspects x datasets, or one number for all
        What an absent run is worth at most; NaN: the worst value seen.
    incomplete : str
        The switch `incomplete` of the rules.

    Returns
    -------
    array, (..., aspects, datasets)
        NaN where the aspect has no value on the dataset.
    """
    worst = np.fmin.reduce(values * sign[..., None, None], axis=(-2, -1), initial=np.nan)
    if incomplete == "floor":
        worst = np.where(np.isnan(worst), np.nan, np.fmin(worst, limit * sign))
    return worst * sign + 0.0


def fill_absent(
    values: Array, replacement: Array, extra: NDArray[np.int_] | int, judge: Judge
) -> Array:
    """Give every cell with some usable runs the number of runs that are expected of it.

    Parameters
    ----------
    values : array, (..., aspects, datasets, methods, repetitions)
        NaN = absent, or not defined for a usable run.
    replacement : array, (..., aspects, datasets)
        The value of each absent run, up to the number expected; with `incomplete: rest` it stays NaN.
    extra : array of int, datasets x methods, or one number
        Runs expected beyond the rules' repetitions.

    Returns
    -------
    array, (..., aspects, datasets, methods, at least the expected repetitions)
        Cells without any value stay empty: `missing` says what becomes of them.
    """
    expected = np.broadcast_to(judge.repetitions + extra, values.shape[-3:-1])[..., None]
    short = int(expected.max(initial=0)) - values.shape[-1]
    if short > 0:
        values = np.concatenate([values, np.full((*values.shape[:-1], short), np.nan)], axis=-1)
    absent = np.isnan(values)
    present = values.shape[-1] - absent.sum(axis=-1, keepdims=True)
    lacking = np.where(present > 0, np.maximum(expected - present, 0), 0)
    if judge.incomplete == "rest" or not lacking.any():
        return values
    replaced = absent & (np.cumsum(absent, axis=-1) <= lacking)
    return np.where(replaced, replacement[..., None, None], values)


def optimistic_accuracy(values: Array, plan: ScoringPlan, judge: Judge) -> Array:
    """Accuracy with absent runs at their best instead of their worst, (..., datasets, methods, repetitions).

    By `floor` that is the best possible value; by `worst_value` the best value seen on the dataset.
    """
    accuracy = values[..., [plan.accuracy], :, :, :]
    best = worst_values(accuracy, -plan.sign[[plan.accuracy]], plan.best, judge.incomplete)
    return fill_absent(accuracy, best, plan.extra, judge)[..., 0, :, :, :]


def aggregate(values: Array, how: str) -> Array:
    """Mean or median over the last axis without NaN; the same for every order of the repetitions."""
    ordered = np.sort(values, axis=-1)
    if how == "median":
        count = np.isfinite(ordered).sum(axis=-1, keepdims=True)
        middle = [np.maximum(count - 1, 0) // 2, np.minimum(count // 2, ordered.shape[-1] - 1)]
        ordered = np.take_along_axis(ordered, np.concatenate(middle, axis=-1), axis=-1)
    return mean_present(ordered)


def mean_present(values: Array) -> Array:
    """Mean over the last axis of what is not NaN; NaN where nothing is."""
    count = np.isfinite(values).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, np.nansum(values, axis=-1) / count, np.nan)


def noise_sensitivity(
    noisy: Array, clean: Array, best_noisy: Array, best_clean: Array, gap: Array | float
) -> Array:
    """Sensitivity to noise, |Q1 - Q2| / |n1 - n2|; lower is better, without an upper bound.

    Where runs are absent Q is not known: it lies between a lower and an upper end, and the largest difference counts,
    so that no absent run makes a method look less sensitive. Source: dataset properties, sensitivity to noise.

    Parameters
    ----------
    noisy, clean : array
        Accuracies at the two noise levels with absent runs at their worst.
    best_noisy, best_clean : array
        The same with absent runs at their best.
    gap : array or float
        Difference of the noise levels.
    """
    return np.maximum(np.abs(best_noisy - clean), np.abs(best_clean - noisy)) / gap


def find_bad_references(clean: Array, best_noisy: Array, gap: Array | float) -> Mask:
    """Where a clean result is too bad to be believed: a worse model on the clean data would look calm.

    The truth has an R2 of 1 - n at noise level n: it loses |n1 - n2|, and a model with an R2 of 0.5 half of it. A clean
    result that is not better than the noisy one by at least that half is no reference. It counts as not known, up to
    the best accuracy that there can be.
    """
    return clean - best_noisy < gap / 2


def measure_noise(
    cells: Array, best_accuracy: Array, plan: ScoringPlan, reference_worse: Mask
) -> Array:
    """Cells with the noise sensitivity in place of the property, on the datasets with a noise reference.

    Parameters
    ----------
    cells : array, (..., aspects, datasets, methods)
    best_accuracy : array, (..., datasets, methods)
    reference_worse : array of bool, (..., datasets, methods)
        Where the reference counts as the best accuracy that there can be.
    """
    noisy = plan.noisy
    if not len(noisy):
        return cells
    reference, accuracy = plan.reference[noisy], cells[..., plan.accuracy, :, :]
    best_clean = best_accuracy[..., reference, :]
    if np.isfinite(plan.best):
        best_clean = np.where(reference_worse[..., noisy, :], plan.best, best_clean)
    cells = cells.copy()
    cells[..., plan.prop, noisy, :] = noise_sensitivity(
        accuracy[..., noisy, :],
        accuracy[..., reference, :],
        best_accuracy[..., noisy, :],
        best_clean,
        plan.gap[noisy, None],
    )
    return cells


def guard_noise(cells: Array, plan: ScoringPlan, least: float) -> Mask:
    """Cells (..., datasets, methods) whose accuracy is below the least one at both noise levels."""
    low = cells[..., plan.accuracy, :, :] < least
    return low & low[..., plan.reference, :] & (plan.reference >= 0)[:, None]


def flag_references(cells: Array, best_accuracy: Array, plan: ScoringPlan) -> Mask:
    """Cells (..., datasets, methods) whose noise reference is too bad to be believed."""
    clean = cells[..., plan.accuracy, :, :][..., plan.reference, :]
    with np.errstate(invalid="ignore"):
        bad = find_bad_references(clean, best_accuracy, plan.gap[:, None])
    return bad & (plan.reference >= 0)[:, None] & (plan.prop >= 0)


def find_below_minimum(cells: Array, plan: ScoringPlan, share: float | None) -> Mask:
    """Cells (..., datasets, methods) whose accuracy is not above a share of the best method's on that dataset.

    The condition is a product, accuracy > share x best, and no ratio, so that it stands for every sign: where no
    method has a positive R2, nobody reaches the minimum. Cells without a run are False. Source: proposal, minimal
    accuracy.
    """
    accuracy = cells[..., plan.accuracy, :, :]
    if share is None:
        return np.zeros(accuracy.shape, dtype=bool)
    best = np.fmax.reduce(accuracy, axis=-1, keepdims=True, initial=np.nan)
    return np.isfinite(accuracy) & ~(accuracy > share * best)


def round_aspects(cells: Array, plan: ScoringPlan) -> Array:
    """Round each aspect as the rules say; all are freed of summation noise first (12 significant digits)."""
    result = round_significant(cells)
    for position, digits in enumerate(plan.digits):
        if digits is not None:
            result[..., position, :, :] = np.round(result[..., position, :, :], digits)
    return result + 0.0


def round_significant(values: Array, digits: int = SIGNIFICANT_DIGITS) -> Array:
    """Round to significant digits, so that equal means of equal values are equal numbers."""
    magnitude = np.where(np.isfinite(values) & (values != 0), np.abs(values), 1.0)
    exponent = np.floor(np.log10(magnitude)).astype(int)
    scale = np.power(10.0, np.clip(digits - 1 - exponent, -290, 290))
    return np.round(values * scale) / scale
