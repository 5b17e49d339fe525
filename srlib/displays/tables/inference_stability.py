"""Scores of inference solvers: tables by task, instance or family, and the ranking on other instances."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from srlib.displays.tables.aspects import headed
from srlib.errors import InputError
from srlib.inference.scoring import evaluated, weights_of
from srlib.judging.robustness.examination import Resampling


def mean_scores(scores: pd.DataFrame, rows: list[str]) -> pd.DataFrame:
    """Mean of `score` for each value of the columns `rows`, with a column for each solver."""
    return headed(scores.pivot_table("score", rows, "solver", sort=False))


def resample_instances(
    scores: pd.DataFrame,
    weights: Mapping[str, float] | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Draw the instances of each task with replacement and rank the solvers on each draw.

    A score is the mean over the instances of the weighted mean over the time limits.

    Parameters
    ----------
    scores : pandas.DataFrame
        As `srlib.inference.score_answers` makes them.
    weights : mapping of str to float, optional
        Of the time limits.
    resamples : int
        For each task.
    seed : int
        Of all random numbers.

    Returns
    -------
    pandas.DataFrame
        task, solver, final `score`, `p_win` (a shared win counts in parts), `p_top_3`, and the median and the 95 %
        interval of the rank.
    """
    if resamples < 1:
        raise InputError(f"resamples must be 1 or more, got {resamples}")
    rng, parts, counted = np.random.default_rng(seed), [], evaluated(scores)
    if counted.empty:
        raise InputError("no instance can be evaluated for every solver, so nobody can be ranked")
    weight = weights_of(counted["time_limit_s"], weights)
    counted = counted.assign(score=counted["score"] * weight, weight=weight)
    for task, rows in counted.groupby("task", sort=False):
        sums = rows.groupby(["instance", "solver"])[["score", "weight"]].sum()
        each = (sums["score"] / sums["weight"]).unstack("solver")  # noqa: PD010
        times = rng.multinomial(len(each), np.full(len(each), 1 / len(each)), size=resamples)
        ranges = Resampling(tuple(map(str, each)), times @ each.to_numpy() / len(each)).table
        ranges = ranges.rename(columns={"method": "solver"})
        ranges = ranges.assign(task=task, score=each.mean().to_numpy())
        parts.append(ranges.sort_values("score", ascending=False, kind="stable"))
    table = pd.concat(parts, ignore_index=True)
    return table[
        ["task", "solver", "score", "p_win", "p_top_3", "rank_low", "rank_median", "rank_high"]
    ]
