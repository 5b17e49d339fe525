"""From values of runs to one value a cell: absent runs, aggregation, noise ratio, rounding. Arrays only."""

import numpy as np
from numpy.typing import NDArray

from srlib.judging.design import Array, Design
from srlib.rules import Judge

SIGNIFICANT = 12


def fill_absent(values: Array, design: Design, judge: Judge) -> Array:
    """Give every cell with some usable runs the number of runs that the rules expect.

    With `incomplete: worst_value` each absent run gets the worst value seen on that dataset and aspect, by
    any method; with `rest` it stays NaN and the others' mean stands. Cells without any usable run stay empty.
    """
    short = judge.repetitions - values.shape[-1]
    if short > 0:
        values = np.concatenate([values, np.full((*values.shape[:-1], short), np.nan)], axis=-1)
    if judge.incomplete == "rest":
        return values
    absent = np.isnan(values)
    present = (~absent).sum(axis=-1, keepdims=True)
    oriented = np.where(absent, np.inf, values * design.sign[..., None, None])
    worst = oriented.min(axis=(-2, -1), keepdims=True) * design.sign[..., None, None]
    wanted = np.where(present > 0, np.maximum(judge.repetitions - present, 0), 0)
    return np.where(absent & (np.cumsum(absent, axis=-1) <= wanted), worst, values)


def aggregate(values: Array, how: str) -> Array:
    """Mean or median over the last axis without NaN; the same for every order of the repetitions."""
    ordered = np.sort(values, axis=-1)
    count = np.isfinite(ordered).sum(axis=-1)
    if how == "median":
        low = np.take_along_axis(ordered, np.maximum((count - 1) // 2, 0)[..., None], axis=-1)[..., 0]
        high = np.take_along_axis(ordered, np.minimum(count // 2, ordered.shape[-1] - 1)[..., None], axis=-1)[..., 0]
        return np.where(count > 0, (low + high) / 2, np.nan)
    return mean_present(ordered, axis=-1)


def with_noise_ratio(value: Array, design: Design) -> Array:
    """Put |Q1 - Q2| / |n1 - n2| in the place of the property of every dataset with a noise reference."""
    noisy = np.flatnonzero(design.reference >= 0)
    if not len(noisy) or design.prop < 0:
        return value
    quality = value[..., design.accuracy, :, :]
    loss = np.abs(quality[..., noisy, :] - quality[..., design.reference[noisy], :])
    value = value.copy()
    value[..., design.prop, noisy, :] = loss / design.gap[noisy, None]
    return value


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
    flagged[..., noisy, :] = (quality[..., noisy, :] < least) & (quality[..., design.reference[noisy], :] < least)
    return flagged


def mean_present(values: Array, axis: int) -> Array:
    """Mean over an axis of what is not NaN; NaN where nothing is."""
    count = np.isfinite(values).sum(axis=axis)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, np.nansum(values, axis=axis) / count, np.nan)
