"""The ranking as pages show it."""

from typing import Any

import pandas as pd

from srlib.displays.tables.aspects import as_points, aspect_names


def final_ranking(judgement: Any) -> pd.DataFrame:
    """Rank the methods, best first, with the mean aspect ranks behind each score.

    Returns
    -------
    pandas.DataFrame
        `rank` (1 is best), `method`, `score`, each aspect's mean rank over the datasets (higher is better). Below the
        line, without a rank, stand methods without a usable run and those that did not qualify; then a column
        `below the line` says why.
    """
    ranks = judgement.aspects.pivot_table(
        "aspect_rank", index="method", columns="aspect", aggfunc="mean"
    )
    ranks = ranks[aspect_names(judgement)].add_prefix("mean ").add_suffix(" rank").reset_index()
    table = judgement.ranking[["rank", "method", "score"]].merge(ranks, on="method", how="left")
    table = table.sort_values(["rank", "method"]).reset_index(drop=True)
    placed, ranking_of_all = table["rank"].notna(), judgement.ranking_of_all
    if ranking_of_all is None and placed.all():
        return as_points(table)
    table["below the line"] = pd.Series("no usable run", table.index).where(~placed, "")
    if ranking_of_all is None:
        return as_points(table)
    out = ranking_of_all.loc[~ranking_of_all["qualified"], ["method"]].assign(
        **{"below the line": "not qualified"}
    )
    return as_points(pd.concat([table, out], ignore_index=True).astype({"rank": "Int64"}))
