"""From values of runs to one value a cell: absent runs, aggregation, noise ratio, rounding. Arrays only."""

import numpy as np
from numpy.typing import NDArray

from srlib.judging.design import Array, Design
from srlib.rules import Judge

SIGNIFICANT = 12


def fill_absent(values: Array, design: Design, judge: Judge) -> Array:
    """Give every cell with some usable runs the number of runs that the rules expect.

    With `incomplete: floor` each absent run, and each value that is not defined for a usable run, counts as the floor
    of `floors`; with `worst_value` as the worst value seen there by any method. With `rest` it stays NaN and the
    others' mean stands. Cells without any value stay empty: `missing` says what becomes of them.
    """
    worst = floors(values, design.sign, design.floor, judge)
    return filled(values, worst, judge, design.extra)


def floors(values: Array, sign: Array, limit: Array | float, judge: Judge) -> Array:
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

    Returns
    -------
    array, (..., aspects, datasets)
        NaN where the aspect has no value on the dataset.
    """
    worst = np.fmin.reduce(values * sign[..., None, None], axis=(-2, -1), initial=np.nan)
    if judge.incomplete == "floor":
        worst = np.where(np.isnan(worst), np.nan, np.fmin(worst, limit * sign))
    return worst * sign + 0.0


def filled(
    values: Array,
    stand_in: Array,
    judge: Judge,
    extra: NDArray[np.int_] | int = 0,
) -> Array:
    """Put a stand-in, (..., aspects, datasets), in the place of as many absent values as are expected of a cell."""
    expected = np.broadcast_to(judge.repetitions + extra, values.shape[-3:-1])[..., None]
    short = int(expected.max(initial=0)) - values.shape[-1]
    if short > 0:
        values = np.concatenate([values, np.full((*values.shape[:-1], short), np.nan)], axis=-1)
    absent = np.isnan(values)
    present = values.shape[-1] - absent.sum(axis=-1, keepdims=True)
    wanted = np.where(present > 0, np.maximum(expected - present, 0), 0)
    if judge.incomplete == "rest" or not wanted.any():
        return values
    counted = absent & (np.cumsum(absent, axis=-1) <= wanted)
    return np.where(counted, stand_in[..., None, None], values)


def high_accuracy(values: Array, design: Design, judge: Judge) -> Array:
    """Accuracy on the datasets of `noisy_pairs` with absent runs at their best instead of their worst.

    By `floor` that is the best possible value; by `worst_value` the best value seen on the dataset.

    Returns
    -------
    array, (..., 2 x noisy datasets, methods, repetitions)
        The noisy datasets, then their references.
    """
    both = np.concatenate(noisy_pairs(design))
    quality = values[..., [design.accuracy], :, :, :][..., both, :, :]
    best = floors(quality, -design.sign[[design.accuracy]][:, both], design.best, judge)
    extra = np.broadcast_to(design.extra, values.shape[-3:-1])[both]
    return filled(quality, best, judge, extra)[..., 0, :, :, :]


def noisy_pairs(design: Design) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Positions of the datasets whose property is a noise sensitivity, and of their references."""
    noisy = np.flatnonzero(design.reference >= 0) if design.prop >= 0 else np.zeros(0, dtype=int)
    return noisy, design.reference[noisy]


def aggregate(values: Array, how: str) -> Array:
    """Mean or median over the last axis without NaN; the same for every order of the repetitions."""
    ordered = np.sort(values, axis=-1)
    count = np.isfinite(ordered).sum(axis=-1)
    if how == "median":
        low = np.take_along_axis(ordered, np.maximum((count - 1) // 2, 0)[..., None], axis=-1)[
            ..., 0
        ]
        high = np.take_along_axis(
            ordered, np.minimum(count // 2, ordered.shape[-1] - 1)[..., None], axis=-1
        )[..., 0]
        return np.where(count > 0, (low + high) / 2, np.nan)
    return mean_present(ordered, axis=-1)


def with_noise_ratio(value: Array, high: Array, design: Design) -> Array:
    """Put |Q1 - Q2| / |n1 - n2| in the place of the property of every dataset with a noise reference.

    Where runs are absent Q is not known: it lies between its value in `value` and in `high` (of `high_accuracy`),
    and the largest difference counts, so that no absent run makes a method look less sensitive.
    """
    noisy, reference = noisy_pairs(design)
    if not len(noisy):
        return value
    low = value[..., design.accuracy, :, :]
    loss = np.maximum(
        high[..., : len(noisy), :] - low[..., reference, :],
        high[..., len(noisy) :, :] - low[..., noisy, :],
    )
    value = value.copy()
    value[..., design.prop, noisy, :] = loss / design.gap[noisy, None]
    return value


def below_minimum(value: Array, design: Design, share: float) -> NDArray[np.bool_]:
    """Cells whose accuracy is not above a share of the best method's on that dataset.

    The condition is a product, accuracy > share x best, and no ratio, so that it stands for every sign: where no
    method has a positive R2, nobody reaches the minimum. Source: proposal, minimal accuracy.

    Parameters
    ----------
    value : array, (..., aspects, datasets, methods)
        Not rounded; of one repetition or aggregated.

    Returns
    -------
    array of bool, (..., datasets, methods)
        False where there is no run.
    """
    quality = value[..., design.accuracy, :, :]
    best = np.fmax.reduce(quality, axis=-1, keepdims=True, initial=np.nan)
    return np.isfinite(quality) & ~(quality > share * best)


def round_aspects(value: Array, design: Design) -> Array:
    """Round each aspect as the rules say; all are freed of summation noise first (12 significant digits)."""
    result = significant(value)
    for position, digits in enumerate(design.digits):
        if digits is not None:
            result[..., position, :, :] = np.round(result[..., position, :, :], digits)
    return result + 0.0


def significant(value: Array, digits: int = SIGNIFICANT) -> Array:
    """Round to significant digits, so that equal means of equal values are equal numbers."""
    magnitude = np.where(np.isfinite(value) & (value != 0), np.abs(value), 1.0)
    exponent = np.floor(np.log10(magnitude)).astype(int)
    scale = np.power(10.0, np.clip(digits - 1 - exponent, -290, 290))
    return np.round(value * scale) / scale


def noise_guard(value: Array, design: Design, least: float) -> NDArray[np.bool_]:
    """Cells of noisy datasets where a method is below the least accuracy at both noise levels."""
    flagged = np.zeros((*value.shape[:-3], *value.shape[-2:]), dtype=bool)
    noisy = np.flatnonzero(design.reference >= 0)
    quality = value[..., design.accuracy, :, :]
    flagged[..., noisy, :] = (quality[..., noisy, :] < least) & (
        quality[..., design.reference[noisy], :] < least
    )
    return flagged


def mean_present(values: Array, axis: int) -> Array:
    """Mean over an axis of what is not NaN; NaN where nothing is."""
    count = np.isfinite(values).sum(axis=axis)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, np.nansum(values, axis=axis) / count, np.nan)
