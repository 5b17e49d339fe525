"""The official scorer: computes scores and places from values of runs, as arrays that may have leading axes.

    values -> filled (absent runs) -> aggregated -> rounded -> ranks -> dataset scores -> final score -> places

Source: judging criteria, synthetic track, steps 2 to 5. What they leave open is a switch of the rules.
"""

from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from srlib.metrics import count_places, round_significant
from srlib.rules import JudgeRules

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Axis = int | tuple[int, ...]


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
        Positions of the aspects from `r2_test` and from `property`; -1 if the rules have no such aspect.
    scored : array of bool, datasets
        False for datasets that only serve as a reference.
    reference : array of int, datasets
        Position of the dataset with less noise that a noisy dataset is compared with; -1 if there is none.
    gap : array, datasets
        Difference between the noise levels of a dataset and its reference, |n1 - n2|; NaN without a reference.
    floor : array, aspects x datasets
        Best value that an absent run can count as; NaN: no limit.
    best : float
        The best possible accuracy; NaN: not limited.
    expected : array of int, datasets x methods
        Number of runs that each cell should have; absent runs are filled in.
    weight : array, datasets, or (..., datasets) with the leading axes of the values
        Weight of each dataset in the final score. It is 0 for a dataset that a re-draw left out: its runs still
        count as usable, and as references. A final score without any weight is NaN.
    """

    sign: Array
    digits: tuple[int | None, ...]
    accuracy: int
    prop: int
    scored: Mask
    reference: NDArray[np.int_]
    gap: Array
    floor: Array
    best: float
    expected: NDArray[np.int_]
    weight: Array


@dataclass(frozen=True)
class Cells:
    """Values of cells, and the values of runs behind them; leading axes (...) are those of the values.

    Parameters
    ----------
    absent : array, (..., aspects, datasets, methods or 1)
        What an absent run counts as, from `value_absent_runs`.
    filled : array, (..., aspects, datasets, methods, repetitions)
        The values with absent runs filled in.
    optimistic : array, (..., datasets, methods, repetitions)
        Accuracies with absent runs at their best possible value: the other end of the range of a noise sensitivity.
    aggregated : array, (..., aspects, datasets, methods)
        One value per cell; NaN if the cell has no usable run.
    rounded : array, (..., aspects, datasets, methods)
        The aggregated values with the decimals of the rules, which are ranked. Where the rules do not round, they have
        12 significant digits, and the aggregated values are ranked; those that differ by rounding errors alone tie.
    sizes : array, (..., aspects, datasets, methods)
        Largest absolute value that each cell was computed from, as in `merge_ties`.
    guarded : array of bool, (..., datasets, methods)
        Cells on noisy datasets whose accuracy is below `noise_guard.min_accuracy` at both noise levels.
    reference_worse : array of bool, (..., datasets, methods)
        Cells whose accuracy on the reference is too low to measure a sensitivity; see the comment in `_fill`.
    """

    absent: Array
    filled: Array
    optimistic: Array
    aggregated: Array
    rounded: Array
    sizes: Array
    guarded: Mask
    reference_worse: Mask


@dataclass(frozen=True)
class ScoreSteps(Cells):
    """Every step from values to scores.

    Parameters
    ----------
    run_ranks : array, (..., aspects, datasets, methods, repetitions), or None
        Ranks of each repetition, NaN if a dataset lacks the repetition; None unless the rules rank per repetition.
    ranks : array, (..., aspects, datasets, methods)
        Aspect ranks, higher is better; NaN if an aspect does not apply to a dataset.
    n_below_minimum : array of int, (..., datasets, methods)
        Number of repetitions of a cell below the minimal accuracy; if aggregates are ranked, 1 if the aggregate is.
    dataset_scores : array, (..., datasets, methods)
        Higher is better; NaN if a dataset does not enter the method's final score.
    final : array, (..., methods)
        Higher is better; NaN for a method without a usable run on a scored dataset.
    """

    run_ranks: Array | None
    ranks: Array
    n_below_minimum: NDArray[np.int_]
    dataset_scores: Array
    final: Array


# a mean of values near the largest number is infinite, and ranked so
@np.errstate(over="ignore", invalid="ignore")
def score(values: Array, plan: ScoringPlan, judge_rules: JudgeRules) -> ScoreSteps:
    """Score the methods of a competition.

    Parameters
    ----------
    values : array, (..., aspects, datasets, methods, repetitions)
        One measured value per run; NaN = no usable run. Leading axes (...) are scored independently.
    plan : ScoringPlan
        Directions, rounding and references.
    judge_rules : JudgeRules
        The rules' judge block.

    Returns
    -------
    ScoreSteps
        All steps; `final` has one score per method, higher is better.
    """
    has_usable_run: Mask = np.any(np.isfinite(values[..., plan.scored, :, :]), axis=(-4, -3, -1))
    n_methods = has_usable_run.sum(axis=-1)[..., None, None, None]
    cells = _fill(values, plan, judge_rules)
    ranked_cells = cells.aggregated, cells.rounded, cells.sizes
    if per_run := judge_rules.rank_per == "repetition":
        runs, best_runs = (np.moveaxis(part, -1, 0) for part in (cells.filled, cells.optimistic))
        ranked_cells = measure_noise(runs, best_runs, np.abs(runs), plan, cells.reference_worse)
    ranks, is_low = _rank(*ranked_cells, cells.guarded, n_methods, plan, judge_rules)
    run_ranks = None
    if per_run:
        exists = np.isfinite(cells.filled).any(axis=(-4, -2), keepdims=True)
        run_ranks = np.where(exists, np.moveaxis(ranks, 0, -1), np.nan)
        ranks, is_low = weighted_mean(run_ranks, -1), is_low.sum(axis=0)
    dataset_scores, final = _combine(ranks, cells.rounded, plan, judge_rules)
    return ScoreSteps(
        **vars(cells),
        run_ranks=run_ranks,
        ranks=ranks,
        n_below_minimum=is_low.astype(int),
        dataset_scores=dataset_scores,
        final=np.where(has_usable_run, final, np.nan),
    )


def _fill(values: Array, plan: ScoringPlan, judge_rules: JudgeRules) -> Cells:
    """Return the values with absent runs filled in, one value per cell, and noise sensitivities."""
    switch, statistic = judge_rules.incomplete, judge_rules.aggregate
    absent = value_absent_runs(values, plan.sign, plan.floor, switch)
    filled = fill_absent(values, absent, plan.expected, switch)
    accuracies, sign = values[..., [plan.accuracy], :, :, :], plan.sign[[plan.accuracy]]
    best = value_absent_runs(accuracies, -sign, plan.best, switch)
    optimistic = fill_absent(accuracies, best, plan.expected, switch)[..., 0, :, :, :]

    means, best_accuracy = aggregate(filled, statistic), aggregate(optimistic, statistic)
    accuracy, is_noisy = means[..., plan.accuracy, :, :], plan.reference[:, None] >= 0
    clean_accuracy = accuracy[..., plan.reference, :]
    is_low = accuracy < judge_rules.noise_guard.min_accuracy
    # A method with a bad model on the clean data would seem insensitive to noise. The truth has an R2 of 1 - n at noise
    # level n, so noise costs it |n1 - n2|, and a model with an R2 of 0.5 half of that. If less than this half is lost,
    # the clean accuracy is no reference: it counts as unknown, up to the best possible one.
    reference_worse = is_noisy & (clean_accuracy - best_accuracy < plan.gap[:, None] / 2)
    guarded = is_noisy & is_low & is_low[..., plan.reference, :]
    sizes = np.fmax.reduce(np.abs(filled), axis=-1)
    cells = measure_noise(means, best_accuracy, sizes, plan, reference_worse)
    return Cells(absent, filled, optimistic, *cells, guarded, reference_worse)


def _rank(
    unrounded: Array,
    rounded: Array,
    sizes: Array,
    guarded: Mask,
    n_methods: NDArray[np.int_],
    plan: ScoringPlan,
    judge_rules: JudgeRules,
) -> tuple[Array, Mask]:
    """Return the aspect ranks of values, and the cells whose accuracy is below the minimum.

    The first three are as `aggregated`, `rounded` and `sizes` of `Cells`; `n_methods` (..., 1, 1, 1) took part.
    """
    accuracy = unrounded[..., plan.accuracy, :, :]
    below_minimum: Mask = np.zeros(accuracy.shape, dtype=bool)
    if judge_rules.minimal_accuracy is not None:
        # A product instead of a ratio is right for every sign: without a positive R2 no method reaches the minimum.
        # Source: proposal, minimal accuracy.
        highest_accuracy = np.fmax.reduce(accuracy, axis=-1, keepdims=True, initial=np.nan)
        below_minimum = accuracy <= judge_rules.minimal_accuracy * highest_accuracy

    # Rank: n - place + rank_start, where n counts the methods that took part; higher is better. Values
    # .9 .9 .5 .1 with dense ties from 1 give 4 4 3 2. By `missing: as_published` a missing value gets rank n, as the
    # published code of 2022 did: better than any rank that a value can earn there.
    is_missing, worst_rank = np.isnan(rounded), judge_rules.rank_start
    as_published = judge_rules.missing == "as_published"
    has_digits = np.array([digits is not None for digits in plan.digits])[:, None, None]
    signed_values = np.where(has_digits, rounded, unrounded) * plan.sign[..., None]
    signed_values = np.where(is_missing, -np.inf, signed_values)
    ranks = n_methods - count_places(signed_values, judge_rules.ties, sizes) + worst_rank
    ranks = np.maximum(ranks, worst_rank)  # a method without usable runs may be last
    ranks = np.where(is_missing, n_methods if as_published else worst_rank, ranks)
    ranks = np.where(below_minimum[..., None, :, :], worst_rank, ranks)
    if judge_rules.noise_guard.action == "worst_rank":
        ranks[..., plan.prop, :, :][np.broadcast_to(guarded, accuracy.shape)] = worst_rank
    # An aspect does not apply to a dataset if no method has a value in it, while other aspects have values.
    not_applicable = np.all(is_missing, axis=-1, keepdims=True) & (not as_published)
    not_applicable &= ~np.all(not_applicable, axis=-3, keepdims=True)
    return np.where(not_applicable, np.nan, ranks), below_minimum


def _combine(
    ranks: Array, rounded: Array, plan: ScoringPlan, judge_rules: JudgeRules
) -> tuple[Array, Array]:
    """Return the scores on the datasets and the final scores, from aspect ranks and the values that were ranked."""
    is_counted = np.broadcast_to(plan.scored[:, None], ranks.shape)
    if judge_rules.missing != "worst_rank":  # a dataset on which a method has nothing is left out
        is_counted = is_counted & ~np.isnan(rounded).all(axis=-3, keepdims=True)
    counted_ranks = np.where(is_counted, ranks, np.nan)
    weights = np.array([aspect.weight for aspect in judge_rules.aspects.values()])[:, None, None]
    dataset_weights = plan.weight[..., None]
    dataset_scores = COMBINATIONS[judge_rules.combine](counted_ranks, -3, weights)
    if judge_rules.combine == "one_harmonic":
        all_weights = weights * dataset_weights[..., None, :, :]
        return dataset_scores, harmonic_mean(counted_ranks, (-3, -2), all_weights)
    return dataset_scores, weighted_mean(dataset_scores, -2, dataset_weights)


def places(final: Array) -> NDArray[np.int64]:
    """Return the places of final scores, (..., methods): 1 is best, equal ones share the best place, NaN is last.

    Examples
    --------
    >>> places(np.array([[2.0, 3.0, 3.0, np.nan]])).tolist()
    [[3, 1, 1, 4]]
    """
    return count_places(np.where(np.isnan(final), -np.inf, final), "min").astype(np.int64)


def list_winners(final: Array, methods: tuple[str, ...]) -> tuple[str, ...]:
    """Return the methods on the first place."""
    return tuple(compress(methods, places(final) == 1))


def value_absent_runs(values: Array, sign: Array, floor: Array | float, incomplete: str) -> Array:
    """Return what an absent run counts as by the switch `incomplete`, (..., aspects, datasets, methods or 1).

    With `floor` it is each method's own worst value, or the floor if that is worse; else the worst value of any method,
    NaN if the aspect has none on the dataset. With the opposite signs it is the best one.

    Parameters
    ----------
    values : array, (..., aspects, datasets, methods, repetitions)
        One measured value per run.
    sign : array, aspects x datasets
        1 where higher is better, -1 where lower is better.
    floor : array, aspects x datasets, or one number for all
        Best value that an absent run can count as; NaN: no limit. It is the result where a method has no value.
    incomplete : str
        The switch of the rules.

    Examples
    --------
    >>> value_absent_runs(np.array([[[[0.4, 0.9], [-2.0, np.nan]]]]), np.array([[1.0]]), 0.0, "floor").tolist()
    [[[0.0, -2.0]]]
    >>> value_absent_runs(np.array([[[[0.4, 0.9], [np.nan, 3.0]]]]), np.array([[-1.0]]), 1.0, "floor").tolist()
    [[[1.0, 3.0]]]
    """
    worst = np.fmin.reduce(values * sign[..., None, None], axis=-1, initial=np.nan)
    if incomplete == "floor":
        worst = np.fmin(worst, (sign * floor)[..., None])
    else:
        worst = np.fmin.reduce(worst, axis=-1, initial=np.nan, keepdims=True)
    return worst * sign[..., None] + 0.0


def fill_absent(
    values: Array, absent: Array, expected: NDArray[np.int_] | int, incomplete: str
) -> Array:
    """Return the values with absent runs filled in, in each cell that has at least one value.

    Parameters
    ----------
    values
        As in `value_absent_runs`; NaN: the run is absent, or the aspect is not defined for it.
    absent : array, (..., aspects, datasets, methods or 1)
        What an absent run counts as, from `value_absent_runs`.
    expected : array of int, datasets x methods, or one number
        Number of values that a cell should have; further absent runs stay NaN.
    incomplete : str
        The switch `incomplete` of the rules; with `rest` nothing is filled in.

    Returns
    -------
    array, (..., aspects, datasets, methods, at least the expected repetitions)
        Cells without any value stay NaN; the switch `missing` decides how they count.

    Examples
    --------
    >>> fill_absent(np.array([[[[0.4, np.nan], [np.nan, np.nan]]]]), np.zeros((1, 1, 2)), 3, "floor").tolist()
    [[[[0.4, 0.0, 0.0], [nan, nan, nan]]]]
    """
    expected = np.broadcast_to(expected, values.shape[-3:-1])[..., None]
    n_added = max(int(expected.max(initial=0)) - values.shape[-1], 0)
    values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, n_added)], constant_values=np.nan)
    is_absent = np.isnan(values)
    n_present = values.shape[-1] - is_absent.sum(axis=-1, keepdims=True)
    n_lacking = np.where(n_present > 0, expected - n_present, 0)
    if incomplete == "rest" or n_lacking.max(initial=0) <= 0:
        return values
    is_filled = is_absent & (np.cumsum(is_absent, axis=-1) <= n_lacking)
    return np.where(is_filled, absent[..., None], values)


def aggregate(values: Array, statistic: str) -> Array:
    """Return the mean or median over the last axis without NaN; it does not depend on the order of repetitions."""
    ordered = np.sort(values, axis=-1)
    if statistic == "median":
        n_values = np.isfinite(ordered).sum(axis=-1, keepdims=True)
        middle = np.concatenate([(n_values - 1) // 2, n_values // 2], axis=-1)
        ordered = np.take_along_axis(ordered, middle, axis=-1)
    return weighted_mean(ordered, -1)


def measure_noise(
    cells: Array, best_accuracy: Array, sizes: Array, plan: ScoringPlan, reference_worse: Mask
) -> tuple[Array, Array, Array]:
    """Return cells with noise sensitivity as the property of datasets with a reference: unrounded, rounded, and sizes.

    The sensitivity is |Q1 - Q2| / |n1 - n2|; lower is better, without an upper bound. If runs are absent, an accuracy Q
    is only known to lie in a range. The largest possible difference counts, so that absent runs never make a method
    seem less sensitive. Source: dataset properties, sensitivity to noise.

    The cells have absent runs at their worst, `best_accuracy` at their best; other parameters as in `Cells`.
    """
    noisy, reference = cells[..., plan.accuracy, :, :], plan.reference
    best_clean = np.where(reference_worse, plan.best, np.nan)
    best_clean = np.fmax(best_accuracy[..., reference, :], best_clean)
    clean, size = noisy[..., reference, :], sizes[..., plan.accuracy, :, :]
    difference = np.maximum(np.abs(best_accuracy - clean), np.abs(best_clean - noisy))
    bounds = size, size[..., reference, :], np.abs(best_accuracy), np.abs(best_clean)
    cells, sizes, has_reference = cells.copy(), sizes.copy(), reference >= 0
    for table, part in ((cells, difference), (sizes, np.fmax.reduce(bounds))):
        sensitivity = part / plan.gap[:, None]
        table[..., plan.prop, has_reference, :] = sensitivity[..., has_reference, :]
    rounded = round_significant(cells)
    for position, digits in enumerate(plan.digits):
        if digits is not None:
            rounded[..., position, :, :] = np.round(rounded[..., position, :, :], digits)
    return cells, rounded + 0.0, sizes


def weighted_mean(values: Array, axis: Axis, weights: Array | float = 1.0) -> Array:
    """Return the weighted mean over an axis without NaN; NaN if there is no value. Weights broadcast to the values."""
    weights = np.where(np.isnan(values), 0.0, weights)
    with np.errstate(invalid="ignore", over="ignore"):  # 0 / 0, huge values
        return np.nansum(values * weights, axis=axis) / weights.sum(axis=axis)


def harmonic_mean(ranks: Array, axis: Axis, weights: Array | float = 1.0) -> Array:
    """Return the weighted harmonic mean over an axis without NaN; 0 if a rank with weight is 0, NaN without ranks.

    Examples
    --------
    >>> float(harmonic_mean(np.array([1.0, 2.0, 2.0]), axis=0))
    1.5
    >>> float(harmonic_mean(np.array([1.0, 2.0]), 0, np.array([1.0, 2.0])))
    1.5
    """
    weights = np.where(np.isnan(ranks), 0.0, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        return weights.sum(axis=axis) / np.nansum(weights / ranks, axis=axis)


# Function that combines the aspect ranks on a dataset, by the switch `combine`. The final score is the mean over the
# datasets; with `one_harmonic` it is the harmonic mean of all aspect ranks on all datasets.
COMBINATIONS = {
    "harmonic_then_mean": harmonic_mean,
    "one_harmonic": harmonic_mean,
    "mean": weighted_mean,
}
