"""Sensitivity to noise: how a quality changes with the noise level, for each pair of levels and overall.

Source: dataset properties, sensitivity to noise: |Q1 - Q2| / |n1 - n2|, lower is better, without an upper bound; Q is a
quality aggregated over repetitions. A method that is equally bad at all levels would look robust; the guard
(rules, `noise_guard`) finds it: its quality is below `min_accuracy` at both levels of a pair, overall at every level.
`flag` only marks it, `worst_rank` puts it last; `Sensitivity.overall` has both places.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from srlib.comparing.metrics import METRICS, Metric
from srlib.errors import InputError
from srlib.judging.tracks.noisy import TRUTH
from srlib.judging.values import Array, aggregate, fill_absent, round_significant, worst_values
from srlib.rules import Judge

QUALITIES = ("r2_test", "solution", "accuracy_solution", "complexity")
CELL = ["method", "group", "noise_level"]


@dataclass(frozen=True)
class Sensitivity:
    """What noise does to one metric.

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
        As in `srlib.judging.tracks.noisy.Noisy`.
    judge : Judge
        How repetitions are aggregated, what stands for absent runs, and the guard.
    metric : str
        One of `QUALITIES`.
    levels, methods : list, optional
        What is compared; all when left out or empty. The truth is always kept.
    least : float, optional
        Quality below which the guard finds a method, instead of the rules' `min_accuracy`.

    Raises
    ------
    InputError
        Names the metric, level or method that is not there, and what is.
    """
    methods = [methods] if isinstance(methods, str) else methods
    table = measures[measures["aspect"] == metric]
    _known("metric", [metric], [name for name in QUALITIES if name in set(measures["aspect"])])
    _known("level", levels or [], sorted(table["noise_level"].unique()))
    _known("method", methods or [], sorted(set(table["method"]) - {TRUTH}))
    cells = _cells(table, judge, METRICS[metric])
    cells = cells[cells["noise_level"].isin(levels or cells["noise_level"])]
    cells = cells[cells["method"].isin([*methods, TRUTH] if methods else cells["method"])]
    spread = table.groupby(CELL)["value"]
    quality = cells.groupby(CELL)["value"].agg(series="count", value="mean")
    quality = quality.assign(
        runs=spread.count().reindex(quality.index, fill_value=0),
        low=spread.quantile(0.25),
        high=spread.quantile(0.75),
    ).reset_index()
    wide = cells.pivot_table(
        ["value", "best", "alone"], ["group", "method", "series"], "noise_level"
    )
    used = sorted(cells["noise_level"].unique())
    if len(used) < 2:
        raise InputError(
            f"levels: two noise levels or more were expected, got {', '.join(map(str, used)) or 'none'}"
        )
    pairs = pd.concat([_pair(wide, *pair) for pair in combinations(used, 2)], ignore_index=True)
    least = judge.noise_guard.min_accuracy if least is None else least
    pairs["guarded"] = (pairs[["quality_1", "quality_2"]].max(axis=1) < least) & (
        METRICS[metric].direction == "higher"
    )
    pairs["absent"] = pairs["guarded"] & ~(pairs.pop("alone") < least)
    pairs = pairs.sort_values(["group", "method", "level_1", "level_2"], ignore_index=True)
    return Sensitivity(
        metric,
        quality[[*CELL, "series", "runs", "low", "value", "high"]],
        pairs,
        _overall(pairs, _distance(quality), _missing(quality)),
        _across(quality, table),
    )


def _known(what: str, chosen: list, allowed: list) -> None:
    for name in chosen:
        if name not in allowed:
            raise InputError(
                f"{what}: one of {', '.join(map(str, allowed)) or 'none'} was expected, got {name!r}"
            )


def _cells(table: pd.DataFrame, judge: Judge, metric: Metric) -> pd.DataFrame:
    """Aggregate over repetitions as the official scorer does; the truth has no absent runs."""
    keys = ["group", "series", "noise_level"]
    truth = table["method"] == TRUTH
    wide = table[~truth].pivot_table("value", [*keys, "method"], "repetition")
    datasets, methods = wide.droplevel("method").index.unique(), wide.index.unique("method")
    order = pd.MultiIndex.from_tuples(
        [(*d, m) for d in datasets for m in methods], names=wide.index.names
    )
    values = wide.reindex(order).to_numpy(float).reshape(len(datasets), len(methods), -1)
    sign = np.full(len(datasets), 1 if metric.direction == "higher" else -1)
    low, high = (
        _whole(values, end * sign, limit, judge)
        for end, limit in ((1, metric.floor), (-1, metric.best))
    )
    parts = {
        name: aggregate(part, judge.aggregate).ravel()
        for name, part in (("value", low), ("best", high), ("alone", values))
    }
    mean = table[truth].groupby(wide.index.names)["value"].mean()
    known = pd.DataFrame(dict.fromkeys(parts, mean))
    return pd.concat([pd.DataFrame(parts, index=order), known]).reset_index()


def _whole(values: Array, sign: Array, limit: float, judge: Judge) -> Array:
    """Put in what stands for absent runs; where a method has none, the limit or what is beyond, whatever the rules."""
    replacement = worst_values(values, sign, limit, judge.incomplete)
    filled = fill_absent(values, replacement, 0, judge).copy()
    nothing = np.isnan(values).all(axis=-1)
    worst = worst_values(values, sign, limit, "floor")[:, None]
    filled[nothing, 0] = np.broadcast_to(worst, nothing.shape)[nothing]
    return filled


def _pair(wide: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    ends = [("value", low), ("value", high), ("best", low), ("best", high)]
    complete = wide[wide[ends].notna().all(axis=1)]
    both = complete[ends].groupby(["group", "method"])
    table = (
        both.mean().set_axis(["quality_1", "quality_2", "best_1", "best_2"], axis=1).reset_index()
    )
    alone = complete[[("alone", low), ("alone", high)]].groupby(["group", "method"]).mean()
    table["alone"] = alone.max(axis=1).to_numpy()
    table.insert(2, "level_1", low)
    table.insert(3, "level_2", high)
    table.insert(4, "series", both.size().to_numpy())
    worst, best = (
        table[["quality_1", "quality_2"]].to_numpy(float),
        table[["best_2", "best_1"]].to_numpy(float),
    )
    return table.assign(
        sensitivity=round_significant(np.abs(worst - best).max(axis=1) / abs(high - low))
    )


def _distance(quality: pd.DataFrame) -> pd.Series:
    """By group and method: how far the quality lies from that of the truth, which no model can be expected to pass."""
    truth = quality[quality["method"] == TRUTH].set_index(["group", "noise_level"])["value"]
    levels = pd.MultiIndex.from_frame(quality[["group", "noise_level"]])
    away = (quality["value"] - truth.reindex(levels).to_numpy()).abs()
    return away.groupby([quality["group"], quality["method"]]).mean()


def _missing(quality: pd.DataFrame) -> pd.Series:
    """By group and method: at how many levels it has no usable run."""
    none = (quality["runs"] == 0).groupby([quality["group"], quality["method"]])
    return none.sum().astype("int64")


def _across(quality: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    cell = ["method", "noise_level"]
    spread = table.groupby(cell)["value"]
    mean = quality.groupby(cell).agg(
        series=("series", "sum"),
        runs=("runs", "sum"),
        value=("value", "mean"),
        groups=("group", "size"),
    )
    mean = mean.assign(low=spread.quantile(0.25), high=spread.quantile(0.75)).reset_index()
    every = mean.groupby("noise_level")["groups"].transform("max")
    known = mean[(mean["method"] != TRUTH) | (mean["groups"] == every)]
    return known[[*cell, "series", "runs", "low", "value", "high"]].reset_index(drop=True)


def _overall(pairs: pd.DataFrame, distance: pd.Series, missing: pd.Series) -> pd.DataFrame:
    ranked = pairs[pairs["method"] != TRUTH].groupby(["group", "method"])
    table = ranked.agg(
        pairs=("sensitivity", "count"),
        sensitivity=("sensitivity", "mean"),
        guarded=("guarded", "all"),
        absent=("absent", "any"),
    )
    table["absent"] &= table["guarded"]
    table["sensitivity"] = round_significant(table["sensitivity"].to_numpy())
    table["distance"] = round_significant(distance.reindex(table.index).to_numpy())
    table["missing"] = missing.reindex(table.index)
    guarded = table["sensitivity"].mask(table["guarded"], np.inf)
    for name, values in {"place_flag": table["sensitivity"], "place_worst_rank": guarded}.items():
        order = values.rank(method="dense") + table["missing"] * len(table)
        table[name] = order.groupby("group").rank(method="min").astype("int64")
    return table.reset_index().sort_values(["group", "place_flag", "method"], ignore_index=True)
