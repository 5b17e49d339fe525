"""Does a ranking of solvers hold on other instances: the official scorer, and its resampling, on inference scores."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.inference.ranking import evaluated, weights_of
from srlib.judging.design import Design
from srlib.judging.ranking import score
from srlib.judging.robustness.resampling import Resampling, chunks
from srlib.rules import Aspect, Judge


def resample_instances(
    scores: pd.DataFrame,
    weights: Mapping[str, float] | None = None,
    resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Draw the instances of each task with replacement and rank the solvers on each draw.

    A solver is a method, an instance a dataset, a time limit an aspect with its weight, combined by the weighted
    mean: the same scorer as for symbolic regression.

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
    counted = counted.assign(
        weight=weights_of(counted["time_limit_s"], weights), limit=counted["time_limit_s"].fillna(0)
    )
    for task in dict.fromkeys(counted["task"]):
        rows = counted[counted["task"] == task]
        table = rows.pivot_table("score", "solver", ["limit", "instance"])
        given = rows.groupby("limit")["weight"].first()
        solvers, instances = tuple(table.index), len(table.columns) // len(given)
        values = table.to_numpy().T.reshape(len(given), instances, len(solvers), 1)
        judge = Judge(
            combine="values",
            repetitions=1,
            aspects={f"score@{limit:g}s": _aspect(weight) for limit, weight in given.items()},
        )
        design = Design.of_signs(np.ones((len(given), instances)))
        final = np.empty((resamples, len(solvers)))
        for part in chunks(resamples, values.size):
            drawn = rng.integers(instances, size=(part.stop - part.start, instances))
            final[part] = score(np.moveaxis(values[:, drawn], 1, 0), design, judge)
        found = Resampling(solvers, {"instances": final}, {}).table.drop(
            columns=["resampled", "n_resamples"]
        )
        found = found.rename(columns={"method": "solver"}).assign(
            score=score(values, design, judge)
        )
        parts.append(found.sort_values("score", ascending=False, kind="stable").assign(task=task))
    table = pd.concat(parts, ignore_index=True)
    return table[
        ["task", "solver", "score", "p_win", "p_top_3", "rank_low", "rank_median", "rank_high"]
    ]


def _aspect(weight: float) -> Aspect:
    return Aspect.model_validate({"from": "value", "direction": "higher", "weight": weight})
