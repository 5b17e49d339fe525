"""Sensitivity to noise: how a quality changes with the noise level, for each pair of levels and overall.

Source: dataset properties, sensitivity to noise: |Q1 - Q2| / |n1 - n2|, lower is better, without an upper bound; Q is a
quality aggregated over repetitions. `srlib.judging.values.noise_sensitivity` computes it here and in the score. Who
is equally bad at all levels would look robust; the guard (rules, `noise_guard`) finds it: its quality is below
`min_accuracy` at both levels of a pair, overall at every level. `flag` only marks it, `worst_rank` puts it last;
`Sensitivity.overall` has both places.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from srlib.comparing.metrics import METRICS, Metric
from srlib.errors import InputError
from srlib.judging.noise_measures import TRUTH
from srlib.judging.values import (
    Array,
    aggregate,
    fill_absent,
    find_bad_references,
    noise_sensitivity,
    round_significant,
    worst_values,
)
from srlib.rules import Judge

QUALITIES = ("r2_test", "solution", "accuracy_solution", "complexity")
CELL = ["method", "group", "noise_level"]
LEVEL = ["group", "series", "noise_level"]  # a dataset


@dataclass(frozen=True)
class Sensitivity:
    """Sensitivity of one metric to noise.

    Parameters
    ----------
    metric : str
        One of `QUALITIES`; `srlib.comparing.metrics` says which way is better, and what an absent run is worth.
    quality : pandas.DataFrame
        `method`, `group`, `noise_level`, `series` (how many datasets), `runs`, `low`, `value`, `high`: the mean over
        the series of what is aggregated over repetitions, and the quartiles of the runs. A dataset without any usable
        run of a method counts as the floor, whatever the rules do with single runs that are absent.
    pairs : pandas.DataFrame
        `group`, `method`, `level_1`, `level_2`, `series`, `quality_1`, `quality_2`, `best_1`, `best_2`, `sensitivity`
        (lower is better), `guarded`, `absent` (guarded, though the usable runs alone are not so bad); over the series
        that the method has at both levels. Where runs are absent the quality lies between the two that their floor and
        the best value in their place give; the largest difference counts, as in the official scorer.
    overall : pandas.DataFrame
        `group`, `method`, `pairs`, `sensitivity` (mean over the pairs), `guarded`, `absent`, `distance` (of the
        quality from the truth's own, mean over the levels; NaN where that is not known), `missing` (levels without any
        usable run: who has fewer stands before who has more), `place_flag`, `place_worst_rank` (1 = least sensitive),
        best first. The truth has no place; it stands in the other tables.
    across : pandas.DataFrame
        `quality` over all groups, each as heavy as the others: `method`, `noise_level`, `series`, `runs`, `low`,
        `value`, `high`. The truth is there at the levels at which all groups know it.
    """

    metric: str
    quality: pd.DataFrame
    pairs: pd.DataFrame
    overall: pd.DataFrame
    across: pd.DataFrame


def sensitivity(
    measures: pd.DataFrame,
    judge: Judge,
    metric: str = "r2_test",
    *,
    levels: list[float] | None = None,
    methods: list[str] | str | None = None,
    least: float | None = None,
) -> Sensitivity:
    """Compare a metric's aggregates between noise levels.

    Parameters
    ----------
    measures : pandas.DataFrame
        As in `NoisyMeasures`.
    judge : Judge
        How repetitions are aggregated, the value of absent runs, and the guard.
    metric : str
        One of `QUALITIES`.
    levels, methods : list, optional
        Those that are compared; all when left out or empty. The truth is always kept.
    least : float, optional
        Quality below which the guard finds a method, instead of the rules' `min_accuracy`.

    Raises
    ------
    InputError
        Names the metric, level or method that is not there, and those that are.
    """
    methods = [methods] if isinstance(methods, str) else methods
    table = measures[measures["aspect"] == metric]
    _check_chosen("metric", [metric], [n for n in QUALITIES if n in set(measures["aspect"])])
    _check_chosen("level", levels, sorted(table["noise_level"].unique()))
    _check_chosen("method", methods, sorted(set(table["method"]) - {TRUTH}))
    cells = _aggregate_runs(table, judge, METRICS[metric])
    if levels:
        cells = cells[cells["noise_level"].isin(levels)]
    if methods:
        cells = cells[cells["method"].isin([*methods, TRUTH])]
    used = sorted(cells["noise_level"].unique())
    if len(used) < 2:
        raise InputError(
            f"levels: two noise levels or more were expected, got {', '.join(map(str, used)) or 'none'}"
        )
    quality = cells.groupby(CELL)["value"].agg(series="count", value="mean")
    runs = table.groupby(CELL)["value"]
    quality = quality.assign(
        runs=runs.count().reindex(quality.index, fill_value=0),
        low=runs.quantile(0.25),
        high=runs.quantile(0.75),
    ).reset_index()
    quality = quality[[*CELL, "series", "runs", "low", "value", "high"]]
    if least is None:
        least = judge.noise_guard.min_accuracy
    wide = cells.pivot_table(
        ["value", "best", "alone"], ["group", "method", "series"], "noise_level"
    )
    pairs = [_compare_pair(wide, *pair, metric, least) for pair in combinations(used, 2)]
    order = ["group", "method", "level_1", "level_2"]
    table_of_pairs = pd.concat(pairs).sort_values(order, ignore_index=True)
    overall = _rank_overall(table_of_pairs, quality)
    return Sensitivity(metric, quality, table_of_pairs, overall, _mean_over_groups(quality, table))


def _check_chosen(option: str, chosen: list | None, allowed: list) -> None:
    for name in chosen or []:
        if name not in allowed:
            raise InputError(
                f"{option}: one of {', '.join(map(str, allowed)) or 'none'} was expected, got {name!r}"
            )


def _aggregate_runs(table: pd.DataFrame, judge: Judge, metric: Metric) -> pd.DataFrame:
    """One row a dataset and method: `value` and `best`, with absent runs at their worst and best, and `alone`.

    Runs are aggregated as the official scorer does it; the truth has no absent runs.
    """
    truth = table["method"] == TRUTH
    wide = table[~truth].pivot_table("value", LEVEL, ["method", "repetition"])
    axes = [wide.columns.unique("method"), wide.columns.unique("repetition")]
    runs = wide.reindex(columns=pd.MultiIndex.from_product(axes)).to_numpy(float)
    runs = runs.reshape(len(wide), len(axes[0]), len(axes[1]))
    sign = np.full(len(wide), 1 if metric.direction == "higher" else -1)
    filled = {
        "value": _fill_runs(runs, sign, metric.floor, judge),
        "best": _fill_runs(runs, -sign, metric.best, judge),
        "alone": runs,
    }
    rows = wide.index.repeat(len(axes[0])).to_frame(index=False)
    rows = rows.assign(
        method=np.tile(axes[0], len(wide)),
        **{name: aggregate(array, judge.aggregate).ravel() for name, array in filled.items()},
    )
    ceiling = table[truth].groupby([*LEVEL, "method"], as_index=False)["value"].mean()
    ceiling = ceiling.assign(best=ceiling["value"], alone=ceiling["value"])
    return pd.concat([rows, ceiling], ignore_index=True) if len(ceiling) else rows


def _fill_runs(runs: Array, sign: Array, limit: float, judge: Judge) -> Array:
    """Fill in absent runs; where a method has none, one run at the limit or beyond, whatever the rules say."""
    replacement = worst_values(runs, sign, limit, judge.incomplete)
    filled = fill_absent(runs, replacement, 0, judge).copy()
    nothing = np.isnan(runs).all(axis=-1)
    worst = worst_values(runs, sign, limit, "floor")[:, None]
    filled[..., 0] = np.where(nothing, worst, filled[..., 0])
    return filled


def _compare_pair(
    wide: pd.DataFrame, low: float, high: float, metric: str, least: float
) -> pd.DataFrame:
    """Rows of `Sensitivity.pairs` for two noise levels."""
    complete = wide[wide[[("value", low), ("value", high)]].notna().all(axis=1)]
    ends = complete.groupby(["group", "method"])
    mean = ends.mean()
    columns = {
        f"{name}_{end}": mean[kind, level]
        for name, kind in (("quality", "value"), ("best", "best"))
        for end, level in ((1, low), (2, high))
    }
    table = pd.DataFrame({"level_1": low, "level_2": high, "series": ends.size(), **columns})
    worst_1, worst_2 = table["quality_1"].to_numpy(float), table["quality_2"].to_numpy(float)
    best_1, best_2 = table["best_1"].to_numpy(float), table["best_2"].to_numpy(float)
    if metric == "r2_test":  # of other metrics it is not known how much the truth loses
        reference_worse = find_bad_references(worst_1, best_2, high - low)
        best_1 = np.where(reference_worse, METRICS[metric].best, best_1)
    ratio = noise_sensitivity(worst_2, worst_1, best_2, best_1, gap=high - low)
    table["best_1"] = best_1
    table["sensitivity"] = round_significant(ratio)
    bad = table[["quality_1", "quality_2"]].max(axis=1) < least
    table["guarded"] = bad & (METRICS[metric].direction == "higher")
    alone = mean[[("alone", low), ("alone", high)]].max(axis=1)
    table["absent"] = table["guarded"] & ~(alone < least)
    return table.reset_index()


def _rank_overall(pairs: pd.DataFrame, quality: pd.DataFrame) -> pd.DataFrame:
    """`Sensitivity.overall`: means over the pairs of levels, the distance from the truth, and places."""
    truth = quality[quality["method"] == TRUTH].set_index(["group", "noise_level"])["value"]
    levels = pd.MultiIndex.from_frame(quality[["group", "noise_level"]])
    apart = quality.assign(
        distance=(quality["value"] - truth.reindex(levels).to_numpy()).abs(),
        missing=quality["runs"] == 0,
    ).groupby(["group", "method"])
    table = pairs[pairs["method"] != TRUTH].groupby(["group", "method"])
    table = table.agg(
        pairs=("sensitivity", "count"),
        sensitivity=("sensitivity", "mean"),
        guarded=("guarded", "all"),
        absent=("absent", "any"),
    )
    table["absent"] &= table["guarded"]
    table["sensitivity"] = round_significant(table["sensitivity"].to_numpy())
    distance = apart["distance"].mean().reindex(table.index)
    table["distance"] = round_significant(distance.to_numpy())
    table["missing"] = apart["missing"].sum().reindex(table.index).astype("int64")
    guarded_last = table["sensitivity"].mask(table["guarded"], np.inf)
    by_action = {"place_flag": table["sensitivity"], "place_worst_rank": guarded_last}
    for name, values in by_action.items():
        order = values.rank(method="dense") + table["missing"] * len(table)
        table[name] = order.groupby("group").rank(method="min").astype("int64")
    return table.reset_index().sort_values(["group", "place_flag", "method"], ignore_index=True)


def _mean_over_groups(quality: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """`Sensitivity.across`: the quality over all groups, each as heavy as the others."""
    cell = ["method", "noise_level"]
    runs = table.groupby(cell)["value"]
    mean = quality.groupby(cell).agg(
        series=("series", "sum"),
        runs=("runs", "sum"),
        value=("value", "mean"),
        groups=("group", "size"),
    )
    mean = mean.assign(low=runs.quantile(0.25), high=runs.quantile(0.75)).reset_index()
    all_groups = mean.groupby("noise_level")["groups"].transform("max")
    mean = mean[(mean["method"] != TRUTH) | (mean["groups"] == all_groups)]
    return mean[[*cell, "series", "runs", "low", "value", "high"]].reset_index(drop=True)
