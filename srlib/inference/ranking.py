"""From scores to a ranking: the mean over a task's instances, then over time limits by their weights."""

import re
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
    counted, keys = evaluated(scores), ["task", "solver"]
    means = counted.groupby([*keys, "time_limit_s"], dropna=False)["score"].mean().reset_index()
    weight = weights_of(means["time_limit_s"], weights)
    sums = means.assign(score=means["score"] * weight, weight=weight).groupby(keys).sum()
    table = (sums["score"] / sums["weight"]).rename("score").reset_index()
    table.insert(2, "n_instances", table["task"].map(counted.groupby("task")["instance"].nunique()))
    places = table["score"].round(9).groupby(table["task"]).rank(method="min", ascending=False)
    tasks = list(scores["task"].unique())
    table = table.assign(rank=places.astype("int64"), order=table["task"].map(tasks.index))
    return table.sort_values(["order", "rank", "solver"], ignore_index=True).drop(columns="order")


def family(instance: str) -> str:
    """Name of the family of an instance: its name up to the last number.

    Examples
    --------
    >>> family("u14_Grids_12"), family("or_chain_7.fg"), family("Grids_18_mlc#3"), family("42")
    ('u14_Grids', 'or_chain', 'Grids', '42')
    """
    return re.sub(r"[_.-]*\d+[^\d]*$", "", instance.partition("#")[0]) or instance


def evaluated(scores: pd.DataFrame) -> pd.DataFrame:
    """Keep the instances that could be evaluated for every solver."""
    lost = scores["score"].isna().groupby([scores["task"], scores["instance"]]).transform("any")
    return scores[~lost]


def weights_of(limits: pd.Series, weights: Mapping[str, float] | None) -> pd.Series:
    """Weight of each time limit; 1 without weights."""
    if not weights:
        return pd.Series(1.0, index=limits.index)
    try:
        weight_of = {float(limit): float(weight) for limit, weight in weights.items()}
    except (TypeError, ValueError):
        weight_of = {}
    expected, values = sorted(set(limits.dropna())), weight_of.values()
    if sorted(weight_of) != expected or not any(values) or min(values) < 0:
        listed = ", ".join(f"{limit:g}" for limit in expected) or "(there is none)"
        raise InputError(
            f"weights: one for each of the time limits {listed} was expected, not all of them zero and none "
            f"negative; got {weights!r}"
        )
    return limits.map(weight_of)
