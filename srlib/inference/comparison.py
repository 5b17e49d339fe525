"""A question about a table of scores: what is the best of all solvers worth."""

import re

import pandas as pd

from srlib.inference.ranking import evaluated


def virtual_best(scores: pd.DataFrame) -> pd.DataFrame:
    """Compare each solver with the best score on every instance and time limit, whoever reached it.

    Parameters
    ----------
    scores : pandas.DataFrame
        As `srlib.inference.score_answers` makes them.

    Returns
    -------
    pandas.DataFrame
        task, solver, mean `score`, that of the virtual best solver, the `gap` between them, the share of instances
        where the solver has the best score, and how often nobody else has it (`unique_wins`).
    """
    counted = evaluated(scores)
    cell = [counted["task"], counted["instance"], counted["time_limit_s"].fillna(-1)]
    best = counted["score"].groupby(cell).transform("max")
    wins = counted["score"] >= best - 1e-9
    alone = wins & (wins.groupby(cell).transform("sum") == 1)
    found = counted.assign(virtual_best=best, wins=wins, unique_wins=alone).groupby(
        ["task", "solver"], sort=False
    )
    table = (
        found[["score", "virtual_best", "wins"]]
        .mean()
        .assign(unique_wins=found["unique_wins"].sum())
    )
    table.insert(2, "gap", table["virtual_best"] - table["score"])
    return table.reset_index()


def family(instance: str) -> str:
    """Name of the family of an instance: its name up to the last number.

    Examples
    --------
    >>> family("u14_Grids_12"), family("or_chain_7.fg"), family("Grids_18_mlc#3"), family("42")
    ('u14_Grids', 'or_chain', 'Grids', '42')
    """
    return re.sub(r"[_.-]*\d+[^\d]*$", "", instance.partition("#")[0]) or instance
