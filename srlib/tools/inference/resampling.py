"""Ranks of inference solvers on resampled instances."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.robustness import summarise_draws
from srlib.judging.scoring import places
from srlib.tools.inference.scoring import weigh_scores


def resample_instances(
    scores: pd.DataFrame,
    weights: Mapping[str, float] | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return how often each solver wins each task, and its ranks, when the task's instances are resampled.

    Instances are drawn with replacement; a score on an instance is the weighted mean over the time limits.

    Parameters
    ----------
    scores : pandas.DataFrame
        Scores as returned by `srlib.tools.inference.score_answers`.
    weights : mapping of str to float, optional
        Weights of the time limits; see `srlib.tools.inference.scoring.weigh_scores`.
    resamples : int
        Number of draws for each task.
    seed : int
        Seed of all random numbers.

    Returns
    -------
    pandas.DataFrame
        `task`, `solver`, `p_win` (a win shared by n solvers counts 1/n for each), `p_top_3`, and the median and 95%
        interval of the rank.
    """
    if resamples < 1:
        raise InputError(f"resamples must be 1 or more, got {resamples}")
    weighted_scores = weigh_scores(scores, weights)
    if weighted_scores.empty:
        raise InputError("no instance can be evaluated for every solver, so nobody can be ranked")
    rng, parts = np.random.default_rng(seed), []
    for task, rows in weighted_scores.groupby("task", sort=False):
        means = rows.pivot_table("score", "instance", "solver")
        draw_counts = rng.multinomial(
            len(means), np.full(len(means), 1 / len(means)), size=resamples
        )
        by_draw = places(draw_counts @ means.to_numpy() / len(means))
        table = summarise_draws([*map(str, means)], by_draw)
        parts.append(table.drop(columns="n_resamples").assign(task=task))
    return pd.concat(parts, ignore_index=True).rename(columns={"method": "solver"})
