"""The official scorer: from values of runs to scores and places. Arrays alone; leading axes are free.

    values -> filled (absent runs) -> aggregated -> rounded -> ranks -> dataset scores -> final score -> places

Source: judging criteria, synthetic track, steps 2 to 5. Where they are silent a switch of the rules decides.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from srlib.judging.values import (
    Array,
    Mask,
    ScoringPlan,
    aggregate,
    fill_absent,
    find_below_minimum,
    flag_references,
    guard_noise,
    mean_present,
    measure_noise,
    optimistic_accuracy,
    round_aspects,
    worst_values,
)
from srlib.rules import Judge

SCORE_DECIMALS = 12  # scores that agree to these share a place


@dataclass(frozen=True)
class ScoreSteps:
    """Every step from values to scores; leading axes are those of the values.

    Parameters
    ----------
    filled : array, (..., aspects, datasets, methods, repetitions)
        The values with absent runs filled in, as they are aggregated.
    aggregated : array, (..., aspects, datasets, methods)
        One value a cell; NaN where it has no usable run.
    rounded : array, (..., aspects, datasets, methods)
        What is ranked.
    guarded : array of bool, (..., datasets, methods)
        Cells that the noise guard points at.
    reference_worse : array of bool, (..., datasets, methods)
        Cells whose clean reference is too bad to be believed; see `srlib.judging.values.find_bad_references`.
    run_ranks : array, (..., aspects, datasets, methods, repetitions), or None
        Ranks of each repetition where the rules rank per repetition; NaN where a dataset lacks a repetition.
    ranks : array, (..., aspects, datasets, methods)
        Aspect ranks, higher is better; NaN where an aspect does not apply to a dataset.
    below : array of int, (..., datasets, methods)
        How many of a cell's repetitions (or aggregates) are below the minimal accuracy.
    dataset_scores : array, (..., datasets, methods)
        Higher is better; NaN where a dataset does not enter the final score.
    final : array, (..., methods)
        Higher is better; NaN for a method without a usable run on a scored dataset.
    """

    filled: Array
    aggregated: Array
    rounded: Array
    guarded: Mask
    reference_worse: Mask
    run_ranks: Array | None
    ranks: Array
    below: NDArray[np.int_]
    dataset_scores: Array
    final: Array


def score(values: Array, plan: ScoringPlan, judge: Judge) -> ScoreSteps:
    """Score the methods of a competition.

    Parameters
    ----------
    values : array, (..., aspects, datasets, methods, repetitions)
        One measured value a run; NaN = no usable run. Leading axes are free (resamples, variants).
    plan : ScoringPlan
        Directions, rounding and references.
    judge : Judge
        The rules' judge block.

    Returns
    -------
    ScoreSteps
        `final` has one score a method, higher is better.
    """
    worst = worst_values(values, plan.sign, plan.floor, judge.incomplete)
    filled = fill_absent(values, worst, plan.extra, judge)
    best_accuracy = optimistic_accuracy(values, plan, judge)
    took_part: Mask = np.any(np.isfinite(values[..., plan.scored, :, :]), axis=(-4, -3, -1))

    aggregated = aggregate(filled, judge.aggregate)
    best = aggregate(best_accuracy, judge.aggregate)
    reference_worse = flag_references(aggregated, best, plan)
    aggregated = measure_noise(aggregated, best, plan, reference_worse)
    rounded = round_aspects(aggregated, plan)
    guarded = guard_noise(aggregated, plan, judge.noise_guard.min_accuracy)
    if judge.rank_per == "aggregate":
        run_ranks = None
        below = find_below_minimum(aggregated, plan, judge.minimal_accuracy)
        ranks = rank_aspects(rounded, guarded, below, took_part, plan, judge)
    else:
        runs, best_runs = np.moveaxis(filled, -1, 0), np.moveaxis(best_accuracy, -1, 0)
        runs = measure_noise(runs, best_runs, plan, reference_worse)
        below = find_below_minimum(runs, plan, judge.minimal_accuracy)
        ranks = rank_aspects(round_aspects(runs, plan), guarded, below, took_part, plan, judge)
        exists = np.isfinite(filled).any(axis=(-4, -2), keepdims=True)
        run_ranks = np.where(exists, np.moveaxis(ranks, 0, -1), np.nan)
        ranks, below = mean_present(run_ranks), below.sum(axis=0)
    dataset_scores, final = combine_ranks(ranks, rounded, plan, judge)
    return ScoreSteps(
        filled=filled,
        aggregated=aggregated,
        rounded=rounded,
        guarded=guarded,
        reference_worse=reference_worse,
        run_ranks=run_ranks,
        ranks=ranks,
        below=below.astype(int),
        dataset_scores=dataset_scores,
        final=np.where(took_part, final, np.nan),
    )


def places(final: Array) -> NDArray[np.int64]:
    """Rank final scores: 1 is best, equal scores share the best place, a method without a score is last.

    Parameters
    ----------
    final : array, (..., methods)
        Higher is better.

    Examples
    --------
    >>> places(np.array([[2.0, 3.0, 3.0, np.nan]])).tolist()
    [[3, 1, 1, 4]]
    """
    rounded = np.round(np.where(np.isnan(final), -np.inf, final), SCORE_DECIMALS)
    return rankdata(-rounded, method="min", axis=-1).astype(np.int64)


def rank_aspects(
    rounded: Array,
    guarded: Mask,
    below: Mask,
    took_part: Mask,
    plan: ScoringPlan,
    judge: Judge,
) -> Array:
    """Rank the methods in each aspect: n - rankdata(-value) + rank_start, higher is better.

    n counts the methods that took part, or all where none did. An aspect in which no method has a value, where other
    aspects have some, does not apply: NaN. Cells below the minimal accuracy get the worst possible rank, rank_start,
    in every aspect. With `missing: as_published` a missing value gets rank n, as the published code of 2022 did:
    better than any rank that a value can earn there.

    Examples
    --------
    Values .9 .9 .5 .1 with dense ties from 1 give 4 4 3 2.
    """
    number = np.where(took_part.any(axis=-1), took_part.sum(axis=-1), rounded.shape[-1])
    methods = number[..., None, None, None]
    empty = np.isnan(rounded)
    oriented = np.where(empty, -np.inf, rounded * plan.sign[..., None])
    ranks = methods - rankdata(-oriented, method=judge.ties, axis=-1) + judge.rank_start
    ranks = np.maximum(ranks, judge.rank_start)  # an idle method may stand behind all others
    published = judge.missing == "as_published"
    ranks = np.where(empty, methods if published else judge.rank_start, ranks)
    if plan.prop >= 0 and judge.noise_guard.action == "worst_rank":
        property_ranks = ranks[..., plan.prop, :, :]
        ranks[..., plan.prop, :, :] = np.where(guarded, judge.rank_start, property_ranks)
    ranks = np.where(below[..., None, :, :], judge.rank_start, ranks)
    if published:
        return ranks
    unused = empty.all(axis=-1, keepdims=True)
    return np.where(unused & ~np.all(unused, axis=-3, keepdims=True), np.nan, ranks)


def combine_ranks(
    ranks: Array, rounded: Array, plan: ScoringPlan, judge: Judge
) -> tuple[Array, Array]:
    """Scores of the datasets, and the final score over those that are scored; higher is better."""
    if judge.missing != "worst_rank":
        ranks = np.where(np.isnan(rounded).all(axis=-3, keepdims=True), np.nan, ranks)
    ranks = np.where(plan.scored[:, None], ranks, np.nan)
    aspect_weights = np.array([aspect.weight for aspect in judge.aspects.values()])[:, None, None]
    dataset_weights = (np.ones(plan.scored.shape) * plan.weight)[..., None]
    return COMBINATIONS[judge.combine](ranks, aspect_weights, dataset_weights)


def weighted_mean(
    values: Array, axis: int | tuple[int, ...], weights: Array | float = 1.0
) -> Array:
    """Mean over an axis without NaN, by weights that broadcast to the values; NaN where there is none.

    Examples
    --------
    >>> float(weighted_mean(np.array([1.0, 4.0, np.nan]), 0, np.array([2.0, 1.0, 5.0])))
    2.0
    """
    weights = np.where(np.isnan(values), 0.0, weights)
    total = weights.sum(axis=axis)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, np.nansum(values * weights, axis=axis) / total, np.nan)


def harmonic_mean(ranks: Array, axis: int | tuple[int, ...], weights: Array | float = 1.0) -> Array:
    """Harmonic mean over an axis without NaN, by weights; 0 when any rank that counts is 0, NaN when there is none.

    Examples
    --------
    >>> float(harmonic_mean(np.array([1.0, 2.0, 2.0]), axis=0))
    1.5
    >>> float(harmonic_mean(np.array([1.0, 2.0]), 0, np.array([1.0, 2.0])))
    1.5
    """
    weights = np.where(np.isnan(ranks), 0.0, weights)
    total = weights.sum(axis=axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = np.where(weights > 0, weights / ranks, 0.0).sum(axis=axis)
        return np.where(total > 0, total / inverse, np.nan)


def _harmonic_then_mean(ranks: Array, aspects: Array, datasets: Array) -> tuple[Array, Array]:
    scores = harmonic_mean(ranks, -3, aspects)
    return scores, weighted_mean(scores, -2, datasets)


def _one_harmonic(ranks: Array, aspects: Array, datasets: Array) -> tuple[Array, Array]:
    weights = aspects * datasets[..., None, :, :]
    return harmonic_mean(ranks, -3, aspects), harmonic_mean(ranks, (-3, -2), weights)


def _mean(ranks: Array, aspects: Array, datasets: Array) -> tuple[Array, Array]:
    scores = weighted_mean(ranks, -3, aspects)
    return scores, weighted_mean(scores, -2, datasets)


# The switch `combine`: from ranks and the weights of aspects and datasets to scores of datasets and final scores.
COMBINATIONS: dict[str, Callable[[Array, Array, Array], tuple[Array, Array]]] = {
    "harmonic_then_mean": _harmonic_then_mean,
    "one_harmonic": _one_harmonic,
    "mean": _mean,
}
