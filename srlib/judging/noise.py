"""Sensitivity to noise: how a quality changes with the noise level, for each pair of levels and overall.

Source: dataset properties, sensitivity to noise: |Q1 - Q2| / |n1 - n2|, lower is better, without an upper bound; Q is a
quality aggregated over repetitions. `srlib.judging.scoring.noise_sensitivity` computes it here and in the score. Who
is equally bad at all levels would look robust; the guard (rules, `noise_guard`) finds it: its quality is below
`min_accuracy` at both levels of a pair, overall at every level.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.metrics import METRICS
from srlib.errors import InputError
from srlib.expressions import evaluate, parse, r2_score
from srlib.judging.judgement import Judgement, judge_runs
from srlib.judging.properties import score_property
from srlib.judging.run_values import KEY
from srlib.judging.scoring import (
    Array,
    aggregate,
    fill_absent,
    noise_sensitivity,
    round_significant,
    worst_values,
)
from srlib.problems import partitions
from srlib.readers import read_results
from srlib.rules import Judge, Rules, load_rules

TRUTH = "(the truth)"
QUALITIES = ("r2_test", "solution", "accuracy_solution", "complexity")
CELL = ["method", "group", "noise_level"]
PAIR = ["group", "method"]


@dataclass(frozen=True)
class NoisyMeasures:
    """Measures at several noise levels, and the rules by which they are judged.

    Parameters
    ----------
    measures : pandas.DataFrame
        Columns of the measures contract (`group` is a family or group of datasets), `series` (what the noise levels of
        one dataset share) and `noise_level`; the truth stands among the methods where its R2 is known.
    rules : Rules
        Published rates are of one repetition, whatever the rules expect.
    counts : dict
        Rows `read`, `scored` and `excluded`, which add up.
    judgement : Judgement or None
        None for published rates.
    """

    measures: pd.DataFrame
    rules: Rules
    counts: dict[str, int]
    judgement: Judgement | None


def read_noisy(
    runs: str | Path,
    problems: str | Path,
    rules: str | Path,
    qualified: str | Path = "",
    names: Mapping[str, str] = {},
) -> NoisyMeasures:
    """Judge a run table and measure its runs, or read published measures, such as SRBench's ground-truth table.

    Parameters
    ----------
    runs, problems, rules : str or Path
        As for `srlib.judging.judge_runs`; measures of datasets named `NAME@LEVEL` need no problems.
    qualified, names
        As there; who did not qualify takes no part.

    Raises
    ------
    InputError
        When nothing is at two noise levels, and whatever `read_results` and `judge_runs` refuse.
    """
    published, judgement = read_results(runs), None
    if published.measured:
        table, chosen = published.frame, load_rules(rules)
        once = chosen.judge.model_copy(update={"repetitions": 1})
        chosen = chosen.model_copy(update={"judge": once})
        parts = table["dataset"].str.rpartition("@")
        levels = pd.to_numeric(parts[2], errors="coerce")
        table = table.assign(
            series=parts[0], noise_level=levels, group=table.get("group", "published")
        )
    else:
        judgement = judge_runs(runs, problems, rules, qualified=qualified, names=names)
        table, chosen = _measure_levels(judgement), judgement.rules
    levels = table.groupby(["series", "aspect"])["noise_level"].transform("nunique")
    measures = table[levels > 1]
    if measures.empty:
        raise InputError(
            f"{runs}: a dataset at two noise levels was expected (noise_reference, or NAME@LEVEL), got none"
        )
    has_value = measures.groupby("aspect")["value"].transform("count") > 0
    measures = measures[has_value].reset_index(drop=True)
    if judgement:
        return NoisyMeasures(measures, chosen, judgement.counts, judgement)
    read, scored = (len(frame[KEY].drop_duplicates()) for frame in (table, measures))
    counts = {"read": read, "scored": scored, "excluded": read - scored}
    return NoisyMeasures(measures, chosen, counts, None)


def _measure_levels(judgement: Judgement) -> pd.DataFrame:
    """Measures of the usable runs, and R2 of the truth by data seed, which no model can be expected to exceed."""
    runs, problems = judgement.screened.usable, judgement.problems
    table = runs[KEY].assign(
        r2_test=runs["r2_test"].astype("float64"),
        complexity=runs["complexity"].astype("float64"),
        solution=score_property(runs, problems, "solution", "frequency")["value"],
    )
    table = table.melt(KEY, var_name="aspect")
    datasets = sorted(runs["dataset"].unique())
    by_name = {name: problem for name in datasets if (problem := problems.find(name))}
    truth_rows = []
    for name, problem in by_name.items():
        for seed in problem.data_seeds if problem.known_truth else ():
            if data := partitions(problem, seed):
                columns = dict(zip(data.features, data.test.X.T, strict=True))
                truth = parse(str(problem.known_truth), problem.features)
                with suppress(InputError):  # too much work, as it would be for models
                    r2 = r2_score(data.test.y, evaluate(truth, columns, len(data.test.y)))
                    truth_rows.append((TRUTH, name, seed, "r2_test", r2))
    truths = pd.DataFrame(truth_rows, columns=table.columns).astype(table.dtypes)
    table = pd.concat([table, truths], ignore_index=True)
    listed = {problem.dataset for problem in problems.problems}
    series = {
        name: problem.noise_reference or (name if name in listed else name.rpartition("@")[0])
        for name, problem in by_name.items()
    }
    family = {series[name]: problem.family for name, problem in by_name.items() if problem.family}
    table["series"] = table["dataset"].map(series).astype("str")
    table["group"] = table["series"].map(lambda name: family.get(name, name)).astype("str")
    levels = {name: problem.noise_level for name, problem in by_name.items()}
    return table.assign(noise_level=table["dataset"].map(levels).astype("float64"))


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
        (lower is better), `guarded`; over the series that the method has at both levels. Where runs are absent the
        quality lies between the two that their floor and the best value in their place give; the largest difference
        counts, as in the official scorer.
    overall : pandas.DataFrame
        `group`, `method`, `pairs`, `sensitivity` (mean over the pairs), `guarded`, `distance` (of the
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


def sensitivity(measures: pd.DataFrame, judge: Judge, metric: str = "r2_test") -> Sensitivity:
    """Compare a metric's aggregates between noise levels.

    Parameters
    ----------
    measures : pandas.DataFrame
        As in `NoisyMeasures`.
    judge : Judge
        How repetitions are aggregated, the value of absent runs, and the guard.
    metric : str
        One of `QUALITIES`.

    Raises
    ------
    InputError
        Names the metrics that are there.
    """
    allowed = [name for name in QUALITIES if name in set(measures["aspect"])]
    if metric not in allowed:
        raise InputError(f"metric: one of {', '.join(allowed)} was expected, got {metric!r}")
    table = measures[measures["aspect"] == metric]
    cells = _aggregate_runs(table, judge, metric)
    runs = table.groupby(CELL)["value"]
    quality = cells.groupby(CELL)["value"].agg(series="count", value="mean")
    quality.insert(1, "runs", runs.count().reindex(quality.index, fill_value=0))
    quality = _with_quartiles(quality, runs)
    wide = cells.pivot_table(["value", "best"], [*PAIR, "series"], "noise_level")
    pairs = [
        _compare_pair(wide, *pair, metric, judge.noise_guard.min_accuracy)
        for pair in combinations(sorted(cells["noise_level"].unique()), 2)
    ]
    pairs = pd.concat(pairs).sort_values([*PAIR, "level_1", "level_2"], ignore_index=True)
    cell = ["method", "noise_level"]
    across = quality.groupby(cell).agg(
        series=("series", "sum"), runs=("runs", "sum"), value=("value", "mean")
    )
    groups = quality.groupby(cell).size()
    complete = groups == groups.groupby("noise_level").transform("max")
    across = across[complete | (across.index.get_level_values("method") != TRUTH)]
    across = _with_quartiles(across, table.groupby(cell)["value"])
    return Sensitivity(metric, quality, pairs, _rank_overall(pairs, quality), across)


def _with_quartiles(table: Any, runs: Any) -> pd.DataFrame:
    """Put the quartiles of grouped runs around the column `value`."""
    table.insert(2, "low", runs.quantile(0.25))
    return table.assign(high=runs.quantile(0.75)).reset_index()


def _aggregate_runs(table: pd.DataFrame, judge: Judge, metric: str) -> pd.DataFrame:
    """One row a dataset and method: `value` and `best`, with absent runs at their worst and best.

    Runs are aggregated as the official scorer does it; where a method has none, one run at the limit or beyond stands
    in, whatever the rules say. The truth has no absent runs.
    """
    level, truth = ["group", "series", "noise_level"], table["method"] == TRUTH
    wide = table[~truth].pivot_table("value", level, ["method", "repetition"])
    methods, repetitions = (wide.columns.unique(name) for name in ("method", "repetition"))
    runs = wide.reindex(columns=pd.MultiIndex.from_product([methods, repetitions]))
    runs = runs.to_numpy(float).reshape(len(wide), len(methods), len(repetitions))
    limits, idle, values = METRICS[metric], np.isnan(runs).all(axis=-1), dict[str, Array]()
    sign = np.full(len(wide), limits.sign)
    for name, direction, limit in (("value", sign, limits.floor), ("best", -sign, limits.best)):
        worst = worst_values(runs, direction, limit, judge.incomplete)
        filled = fill_absent(runs, worst, 0, judge).copy()
        worst = worst_values(runs, direction, limit, "floor")[:, None]
        filled[..., 0] = np.where(idle, worst, filled[..., 0])
        values[name] = aggregate(filled, judge.aggregate).ravel()
    rows = wide.index.repeat(len(methods)).to_frame(index=False)
    rows = rows.assign(method=np.tile(methods, len(wide)), **values)
    ceiling = table[truth].groupby([*level, "method"], as_index=False)["value"].mean()
    ceiling = ceiling.assign(best=ceiling["value"])
    return pd.concat([rows, ceiling], ignore_index=True) if len(ceiling) else rows


def _compare_pair(
    wide: pd.DataFrame, low: float, high: float, metric: str, least: float
) -> pd.DataFrame:
    """Rows of `Sensitivity.pairs` for two noise levels."""
    complete = wide.dropna(subset=[("value", low), ("value", high)])
    cells = complete.groupby(PAIR)
    mean = cells.mean()
    worst, best = (mean[name][[low, high]].to_numpy(copy=True).T for name in ("value", "best"))
    if metric == "r2_test":  # of other metrics it is not known how much the truth loses
        bad_reference = worst[0] - best[1] < (high - low) / 2  # as in the official scorer
        best[0] = np.where(bad_reference, METRICS[metric].best, best[0])
    ratio = noise_sensitivity(worst[1], worst[0], best[1], best[0], high - low)
    guarded = (worst < least).all(axis=0) & (METRICS[metric].sign > 0)
    return pd.DataFrame(
        {
            "level_1": low,
            "level_2": high,
            "series": cells.size(),
            "quality_1": worst[0],
            "quality_2": worst[1],
            "best_1": best[0],
            "best_2": best[1],
            "sensitivity": round_significant(ratio),
            "guarded": guarded,
        }
    ).reset_index()


def _rank_overall(pairs: pd.DataFrame, quality: pd.DataFrame) -> pd.DataFrame:
    """`Sensitivity.overall`: means over the pairs of levels, the distance from the truth, and places."""
    truth = quality[quality["method"] == TRUTH].set_index(["group", "noise_level"])["value"]
    levels = pd.MultiIndex.from_frame(quality[["group", "noise_level"]])
    distance = (quality["value"] - truth.reindex(levels).to_numpy()).abs()
    cells = quality.assign(distance=distance, missing=quality["runs"] == 0).groupby(PAIR)
    table = pairs[pairs["method"] != TRUTH].groupby(PAIR)
    table = table.agg(
        pairs=("sensitivity", "count"),
        sensitivity=("sensitivity", "mean"),
        guarded=("guarded", "all"),
    )
    table["distance"] = cells["distance"].mean()
    table["missing"] = cells["missing"].sum()
    for name in ("sensitivity", "distance"):
        table[name] = round_significant(table[name].to_numpy())
    guarded_last = table["sensitivity"].mask(table["guarded"], np.inf)
    for name, values in (("flag", table["sensitivity"]), ("worst_rank", guarded_last)):
        order = values.rank(method="dense") + table["missing"] * len(table)
        table[f"place_{name}"] = order.groupby("group").rank(method="min").astype("int64")
    return table.reset_index().sort_values(["group", "place_flag", "method"], ignore_index=True)
