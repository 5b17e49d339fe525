"""A competition of many methods and datasets: what has tables of its own, and all datasets in short."""

from typing import Any

import pandas as pd

from srlib.displays.tables.aspects import aspect_table, in_turn
from srlib.words import TIED, listed

CELLS = 400  # methods times datasets; beyond, one table for all datasets takes the place of one for each


def in_full(judgement: Any, dataset: str = "") -> list[str]:
    """Name the datasets that have tables of their own: all, but among very many only the one that was asked for.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Which methods and datasets there are.
    dataset : str
        One of them; empty: the first.
    """
    names = list(in_turn(judgement))
    few = len(names) * judgement.ranking["rank"].notna().sum() <= CELLS
    return names if few else [dataset or names[0]]


def datasets_in_short(judgement: Any) -> pd.DataFrame:
    """Say of each dataset in a row who leads, and what the methods reach there.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `property`, `difficulty`, `leads` (who has the best score; of many three), `best score` and
        `median score` over the methods, `median accuracy` or what else the first aspect is, and `solved by`, the number
        of methods with a symbolic solution (absent where no dataset has a known truth).
    """
    table = aspect_table(judgement)
    first = table.columns[3]  # after dataset, method and score
    facts, rows = in_turn(judgement), []
    for dataset in facts:
        part = table[table["dataset"] == dataset]
        best = part.loc[part["score"] == part["score"].max(), "method"].sort_values()
        leads = listed(list(best), 3)
        if 1 < len(best) == len(part):
            leads = TIED
        rows.append(
            {
                "dataset": dataset,
                "property": facts[dataset][0] or None,
                "difficulty": facts[dataset][1] or None,
                "leads": leads,
                "best score": part["score"].max(),
                "median score": part["score"].median(),
                f"median {first}": part[first].median(),
            }
        )
    short = pd.DataFrame(rows)
    runs = judgement.assessments
    if runs["solution"].notna().any():
        solved = runs[runs["solution"].fillna(False)].groupby("dataset")["method"].nunique()
        short["solved by"] = short["dataset"].map(solved).fillna(0).astype("int64")
    return short.dropna(axis="columns", how="all")
