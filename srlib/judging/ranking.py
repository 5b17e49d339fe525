"""The official scorer: arrays in, arrays out, with free leading batch axes.

Source: judging criteria, synthetic track, steps 2 to 5; the switches where they are silent are in the rules.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from srlib.errors import InputError
from srlib.judging.design import Array, Design
from srlib.judging.values import aggregate, fill_absent, mean_present, noise_guard, round_aspects, with_noise_ratio
from srlib.rules import Judge


@dataclass(frozen=True)
class Stages:
    """Every step from values to scores; leading axes are those of the values.

    Parameters
    ----------
    value : array, (..., aspects, datasets, methods)
        Aggregate over repetitions; NaN where a cell has no usable run.
    rounded : array, (..., aspects, datasets, methods)
        What is ranked.
    rank : array, (..., aspects, datasets, methods)
        Aspect ranks, higher is better; NaN where an aspect does not apply to a dataset.
    flagged : array of bool, (..., datasets, methods)
        Cells that the noise guard points at.
    dataset : array, (..., datasets, methods)
        Score of each dataset, higher is better; NaN where it does not enter the final score.
    final : array, (..., methods)
        Final score, higher is better.
    """

    value: Array
    rounded: Array
    rank: Array
    flagged: NDArray[np.bool_]
    dataset: Array
    final: Array


def score(values: Array, design: Design, judge: Judge) -> Array:
    """Score the methods.

    Parameters
    ----------
    values : array, (..., aspects, datasets, methods, repetitions)
        One measured value a run; NaN = no usable run. Leading axes are free (samples, variants).
    design : Design
        Directions, rounding and references.
    judge : Judge
        The rules' judge block.

    Returns
    -------
    array, (..., methods)
        Higher is better.

    Raises
    ------
    InputError
        When the rules combine switches that the scorer cannot carry out.
    """
    return stages(values, design, judge).final


def stages(values: Array, design: Design, judge: Judge) -> Stages:
    """Score with every intermediate step kept; see `score` for the parameters."""
    supported(judge)
    filled = fill_absent(values, design, judge)
    value = with_noise_ratio(aggregate(filled, judge.aggregate), design)
    rounded = round_aspects(value, design)
    flagged = noise_guard(value, design, judge.noise_guard.min_accuracy)
    if judge.rank_per == "repetition":
        single = np.moveaxis(filled, -1, 0)
        ranks = aspect_ranks(round_aspects(with_noise_ratio(single, design), design), design, judge, flagged)
        taken = np.any(np.isfinite(single), axis=(-3, -1), keepdims=True)
        rank = mean_present(np.where(taken, ranks, np.nan), axis=0)
    else:
        rank = aspect_ranks(rounded, design, judge, flagged)
    dataset, final = combine(rank, rounded, design, judge)
    return Stages(value, rounded, rank, flagged, dataset, final)


def supported(judge: Judge) -> None:
    """Refuse switches that the scorer does not carry out; `InputError` names the switch and what came."""
    if judge.minimal_accuracy is not None:
        raise InputError(f"judge.minimal_accuracy: only null is supported so far, got {judge.minimal_accuracy}")
    if judge.combine == "weighted_mean":
        allowed = "harmonic_then_mean, one_harmonic, mean"
        raise InputError(f"judge.combine: only {allowed} are supported so far, got weighted_mean")
    if judge.quirks:
        raise InputError(f"judge.quirks: none is supported so far, got {judge.quirks[0]}")


def aspect_ranks(rounded: Array, design: Design, judge: Judge, flagged: NDArray[np.bool_]) -> Array:
    """Rank the methods in each aspect: n - rankdata(-value) + rank_start, higher is better.

    An aspect in which no method has a value, where other aspects have some, does not apply: NaN.

    Examples
    --------
    Values .9 .9 .5 .1 with dense ties from 1 give 4 4 3 2.
    """
    methods = rounded.shape[-1]
    empty = np.isnan(rounded)
    oriented = np.where(empty, -np.inf, rounded * design.sign[..., None])
    rank = methods - rankdata(-oriented, method=judge.ties, axis=-1) + judge.rank_start
    rank = np.where(empty, methods if judge.missing == "as_published" else judge.rank_start, rank)
    if design.prop >= 0 and judge.noise_guard.action == "worst_rank":
        prop = rank[..., design.prop, :, :]
        rank[..., design.prop, :, :] = np.where(flagged, judge.rank_start, prop)
    unused = empty.all(axis=-1, keepdims=True)
    return np.where(unused & ~np.all(unused, axis=-3, keepdims=True), np.nan, rank)


def combine(rank: Array, rounded: Array, design: Design, judge: Judge) -> tuple[Array, Array]:
    """Scores of the datasets, and the final score over those that are scored."""
    rank = np.where(design.scored[:, None], rank, np.nan)
    if judge.missing != "worst_rank":
        rank = np.where(np.isnan(rounded).all(axis=-3, keepdims=True), np.nan, rank)
    dataset = mean_present(rank, axis=-3) if judge.combine == "mean" else harmonic_mean(rank, axis=-3)
    if judge.combine == "one_harmonic":
        return dataset, harmonic_mean(rank, axis=(-3, -2))
    return dataset, mean_present(dataset, axis=-2)


def harmonic_mean(rank: Array, axis: int | tuple[int, ...]) -> Array:
    """Harmonic mean over an axis without NaN; 0 when any rank is 0, NaN when there is none.

    Examples
    --------
    >>> float(harmonic_mean(np.array([1.0, 2.0, 2.0]), axis=0))
    1.5
    """
    count = np.isfinite(rank).sum(axis=axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(count > 0, count / np.nansum(1.0 / rank, axis=axis), np.nan)
