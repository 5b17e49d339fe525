"""The official scorer: arrays in, arrays out, with free leading batch axes.

Source: judging criteria, synthetic track, steps 2 to 5; the switches where they are silent are in the rules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from srlib.judging.design import Array, Design
from srlib.judging.values import (
    aggregate,
    below_minimum,
    fill_absent,
    high_accuracy,
    mean_present,
    noise_guard,
    round_aspects,
    with_noise_ratio,
)
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
        Final score, higher is better; NaN for a method without a usable run on a scored dataset.
    below : array of int, (..., datasets, methods)
        How many of a cell's repetitions (or aggregates) are below the minimal accuracy.
    filled : array, (..., aspects, datasets, methods, repetitions)
        The values with absent runs filled in, as they were aggregated.
    run_rank : array, (..., aspects, datasets, methods, repetitions), or None
        Ranks of each repetition where the rules rank per repetition; NaN where a dataset lacks a repetition.
    """

    value: Array
    rounded: Array
    rank: Array
    flagged: NDArray[np.bool_]
    dataset: Array
    final: Array
    below: NDArray[np.int_]
    filled: Array
    run_rank: Array | None


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
    """
    return stages(values, design, judge).final


def stages(values: Array, design: Design, judge: Judge) -> Stages:
    """Score with every intermediate step kept; see `score` for the parameters."""
    found = prepared(values, design, judge)
    return combined(found, ranked(found, design, judge), design, judge)


@dataclass(frozen=True)
class Prepared:
    """What the ranks are made of.

    `ran`, (..., methods), says who has a usable run on a scored dataset; `single` has the values of each repetition,
    which is its first axis, where the rules rank per repetition, and `single_rounded` what is ranked then. For the
    others see `Stages`.
    """

    value: Array
    rounded: Array
    flagged: NDArray[np.bool_]
    filled: Array
    ran: NDArray[np.bool_]
    single: Array | None
    single_rounded: Array | None


@dataclass(frozen=True)
class Ranked:
    """Aspect ranks, before they are combined; see `Stages`."""

    rank: Array
    run_rank: Array | None
    below: NDArray[np.int_]


def prepared(values: Array, design: Design, judge: Judge) -> Prepared:
    """Fill in absent runs, bring repetitions together and round; see `score` for the parameters."""
    filled = fill_absent(values, design, judge)
    high = high_accuracy(values, design, judge)
    value = with_noise_ratio(
        aggregate(filled, judge.aggregate), aggregate(high, judge.aggregate), design
    )
    rounded = round_aspects(value, design)
    flagged = noise_guard(value, design, judge.noise_guard.min_accuracy)
    ran = np.any(np.isfinite(values[..., design.scored, :, :]), axis=(-4, -3, -1))
    single = rounded_single = None
    if judge.rank_per == "repetition":
        short = filled.shape[-1] - high.shape[-1]  # some other dataset has more runs
        ends = [(0, 0)] * (high.ndim - 1) + [(0, short)]
        high = np.pad(high, ends, constant_values=np.nan)
        single = with_noise_ratio(np.moveaxis(filled, -1, 0), np.moveaxis(high, -1, 0), design)
        rounded_single = round_aspects(single, design)
    return Prepared(value, rounded, flagged, filled, np.asarray(ran), single, rounded_single)


def ranked(found: Prepared, design: Design, judge: Judge) -> Ranked:
    """Rank what was prepared; how the ranks are combined plays no part in it."""
    if found.single is None or found.single_rounded is None:
        low = _below(found.value, design, judge)
        rank = aspect_ranks(found.rounded, design, judge, found.flagged, low, found.ran)
        return Ranked(rank, None, low.astype(int))
    low = _below(found.single, design, judge)
    ranks = aspect_ranks(found.single_rounded, design, judge, found.flagged, low, found.ran)
    taken = np.any(np.isfinite(found.filled), axis=(-4, -2), keepdims=True)
    run_rank = np.where(taken, np.moveaxis(ranks, 0, -1), np.nan)
    return Ranked(mean_present(run_rank, axis=-1), run_rank, low.sum(axis=0).astype(int))


def combined(found: Prepared, ranks: Ranked, design: Design, judge: Judge) -> Stages:
    """Combine ranks to scores, and keep every step."""
    dataset, final = combine(ranks.rank, found.rounded, design, judge)
    final = np.where(found.ran, final, np.nan)
    steps = (found.value, found.rounded, ranks.rank, found.flagged, dataset, final, ranks.below)
    return Stages(*steps, found.filled, ranks.run_rank)


def _below(value: Array, design: Design, judge: Judge) -> NDArray[np.bool_]:
    if judge.minimal_accuracy is None:
        return np.zeros((*value.shape[:-3], *value.shape[-2:]), dtype=bool)
    return below_minimum(value, design, judge.minimal_accuracy)


def aspect_ranks(
    rounded: Array,
    design: Design,
    judge: Judge,
    flagged: NDArray[np.bool_],
    below: NDArray[np.bool_] | None = None,
    ran: NDArray[np.bool_] | None = None,
) -> Array:
    """Rank the methods in each aspect: n - rankdata(-value) + rank_start, higher is better.

    n counts the methods that `ran`, (..., methods): all of them where that is not said.

    An aspect in which no method has a value, where other aspects have some, does not apply: NaN. Cells `below`
    the minimal accuracy get the worst possible rank, rank_start, in every aspect. With `missing: as_published` what
    has no value gets rank n, as the published code of 2022 did: better than any rank that a value can earn there.

    Examples
    --------
    Values .9 .9 .5 .1 with dense ties from 1 give 4 4 3 2.
    """
    methods: Any = rounded.shape[-1]
    if ran is not None:
        counted = np.where(ran.any(axis=-1), ran.sum(axis=-1), methods)
        methods = counted[..., None, None, None]
    empty = np.isnan(rounded)
    oriented = np.where(empty, -np.inf, rounded * design.sign[..., None])
    rank = methods - rankdata(-oriented, method=judge.ties, axis=-1) + judge.rank_start
    rank = np.maximum(rank, judge.rank_start)  # who takes no part may stand behind all who do
    rank = np.where(empty, methods if judge.missing == "as_published" else judge.rank_start, rank)
    if design.prop >= 0 and judge.noise_guard.action == "worst_rank":
        prop = rank[..., design.prop, :, :]
        rank[..., design.prop, :, :] = np.where(flagged, judge.rank_start, prop)
    if below is not None:
        rank = np.where(below[..., None, :, :], judge.rank_start, rank)
    if judge.missing == "as_published":
        return rank
    unused = empty.all(axis=-1, keepdims=True)
    return np.where(unused & ~np.all(unused, axis=-3, keepdims=True), np.nan, rank)


def combine(rank: Array, rounded: Array, design: Design, judge: Judge) -> tuple[Array, Array]:
    """Scores of the datasets, and the final score over those that are scored."""
    what = rank
    if judge.missing != "worst_rank":
        what = np.where(np.isnan(rounded).all(axis=-3, keepdims=True), np.nan, what)
    what = np.where(design.scored[:, None], what, np.nan)
    weights = [aspect.weight for aspect in judge.aspects.values()]
    aspects = np.ones(1) if set(weights) == {1.0} else np.array(weights)[:, None, None]
    datasets = (np.ones(design.scored.shape) * design.weight)[..., None]
    inside, mean, over_all = COMBINATIONS[judge.combine]
    dataset = inside(what, -3, aspects)
    if over_all:
        return dataset, mean(what, (-3, -2), aspects * datasets[..., None, :, :])
    return dataset, mean(dataset, -2, datasets)


def weighted_mean(
    values: Array, axis: int | tuple[int, ...], weights: Array | float = 1.0
) -> Array:
    """Mean over an axis without NaN, by weights that broadcast to the values; NaN where there is none.

    Examples
    --------
    >>> float(weighted_mean(np.array([1.0, 4.0, np.nan]), 0, np.array([2.0, 1.0, 5.0])))
    2.0
    """
    counted = np.where(np.isnan(values), 0.0, weights)
    total = counted.sum(axis=axis)
    with np.errstate(invalid="ignore", divide="ignore"):
        summed = np.nansum(values * counted, axis=axis)
        return np.where(total > 0, summed / total, np.nan)


def harmonic_mean(rank: Array, axis: int | tuple[int, ...], weights: Array | float = 1.0) -> Array:
    """Harmonic mean over an axis without NaN, by weights; 0 when any rank that counts is 0, NaN when there is none.

    Examples
    --------
    >>> float(harmonic_mean(np.array([1.0, 2.0, 2.0]), axis=0))
    1.5
    >>> float(harmonic_mean(np.array([1.0, 2.0]), 0, np.array([1.0, 2.0])))
    1.5
    """
    counted = np.where(np.isnan(rank), 0.0, weights)
    total = counted.sum(axis=axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = np.where(counted > 0, counted / rank, 0.0).sum(axis=axis)
        return np.where(total > 0, total / inverse, np.nan)


# The mean on a dataset, the mean over the datasets, and whether the final score is one mean over both.
COMBINATIONS: dict[str, tuple[Callable, Callable, bool]] = {
    "harmonic_then_mean": (harmonic_mean, weighted_mean, False),
    "one_harmonic": (harmonic_mean, harmonic_mean, True),
    "mean": (weighted_mean, weighted_mean, False),
}
