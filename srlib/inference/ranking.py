"""From scores to a ranking: the mean over a task's instances, then over time limits by their weights."""

from collections.abc import Mapping

import pandas as pd

from srlib.errors import InputError


def rank_solvers(scores: pd.DataFrame, weights: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Rank the solvers of each task.

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns solver, task, instance, time_limit_s and score. An instance with a score that is NaN could not be
        evaluated and counts for no solver.
    weights : mapping of str to float, optional
        Of the time limits, as in {"20": 1, "1200": 4}; equal by default.

    Returns
    -------
    pandas.DataFrame
        task, solver, n_instances, score (0 to 100, higher is better), rank (1 is best; ties share the place).

    Raises
    ------
    InputError
        When a weight is missing or belongs to no time limit.

    Examples
    --------
    >>> columns = ["solver", "task", "instance", "time_limit_s", "score"]
    >>> rows = [("a", "PR", "x", 1.0, 50.0), ("a", "PR", "x", 9.0, 80.0)]
    >>> rank_solvers(pd.DataFrame(rows, columns=columns), {"1": 1, "9": 2})["score"].tolist()
    [70.0]
    """
    counted = evaluated(scores)
    parts = (
        counted.groupby(["task", "solver", "time_limit_s"], sort=False, dropna=False)["score"]
        .mean()
        .reset_index()
    )
    parts["weight"] = weights_of(parts["time_limit_s"], weights)
    parts["part"] = parts["score"] * parts["weight"]
    sums = parts.groupby(["task", "solver"], sort=False)[["part", "weight"]].sum()
    table = (sums["part"] / sums["weight"]).rename("score").reset_index()
    table.insert(2, "n_instances", table["task"].map(counted.groupby("task")["instance"].nunique()))
    place = table["score"].round(9).groupby(table["task"]).rank(method="min", ascending=False)
    table["rank"] = place.astype("int64")
    order = {task: number for number, task in enumerate(dict.fromkeys(scores["task"]))}
    table = table.sort_values(["rank", "solver"])
    return table.sort_values("task", key=lambda tasks: tasks.map(order), kind="stable").reset_index(
        drop=True
    )


def evaluated(scores: pd.DataFrame) -> pd.DataFrame:
    """Keep the instances that could be evaluated for every solver."""
    lost = scores["score"].isna().groupby([scores["task"], scores["instance"]]).transform("any")
    return scores[~lost]


def weights_of(limits: pd.Series, weights: Mapping[str, float] | None) -> pd.Series:
    """Weight of each time limit; 1 without weights."""
    if not weights:
        return pd.Series(1.0, index=limits.index)
    try:
        given = {float(limit): float(weight) for limit, weight in weights.items()}
    except (TypeError, ValueError):
        raise InputError(
            f"weights: a number for each time limit was expected, got {weights!r}"
        ) from None
    there = set(limits.dropna())
    if set(given) != there or min(given.values()) < 0 or not sum(given.values()):
        raise InputError(
            f"weights: one for each of the time limits {_listed(there)} was expected, not all of them zero and none "
            f"negative; got {', '.join(f'{limit:g}: {weight:g}' for limit, weight in sorted(given.items()))}"
        )
    return limits.map(given)


def _listed(limits: set[float]) -> str:
    return ", ".join(f"{limit:g}" for limit in sorted(limits)) or "(there is none)"
