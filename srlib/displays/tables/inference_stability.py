"""Scores of inference solvers: tables by task, instance or family, and the ranking on other instances."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from srlib.displays.tables.aspects import headed
from srlib.errors import InputError
from srlib.inference.scoring import evaluated, weights_of
from srlib.judging.robustness.resampling import Resampling, batches
from srlib.judging.scoring import weighted_mean


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
    counted = counted.assign(
        weight=weights_of(counted["time_limit_s"], weights), limit=counted["time_limit_s"].fillna(0)
    )
    for task in dict.fromkeys(counted["task"]):
        rows = counted[counted["task"] == task]
        table = rows.pivot_table("score", "solver", ["limit", "instance"])
        limit_weights = rows.groupby("limit")["weight"].first()
        solvers, instances = tuple(table.index), len(table.columns) // len(limit_weights)
        values = table.to_numpy().T.reshape(len(limit_weights), instances, len(solvers))
        worst = np.fmin.reduce(values, axis=-1, keepdims=True)
        values = np.where(np.isnan(values), worst, values)
        each = weighted_mean(values, 0, limit_weights.to_numpy()[:, None, None])
        final = np.empty((resamples, len(solvers)))
        for part in batches(resamples, values.size):
            draws = rng.integers(instances, size=(part.stop - part.start, instances))
            final[part] = each[draws].mean(axis=1)
        ranges = Resampling(solvers, final).table.drop(columns="n_resamples")
        ranges = ranges.rename(columns={"method": "solver"}).assign(score=each.mean(axis=0))
        parts.append(ranges.sort_values("score", ascending=False, kind="stable").assign(task=task))
    table = pd.concat(parts, ignore_index=True)
    return table[
        ["task", "solver", "score", "p_win", "p_top_3", "rank_low", "rank_median", "rank_high"]
    ]
