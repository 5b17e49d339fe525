"""The verdict in words: who wins, by how much, and on how many runs."""

from typing import Any

import pandas as pd

from srlib.displays.tables.aspects import as_points, aspect_names
from srlib.prose import listed


def headline(judgement: Any) -> str:
    """Say in one sentence who wins, and who follows.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Its `ranking` has `method`, `score` (higher is better) and `rank` (1 is best; ties share a place).
    """
    ranking = judgement.ranking.dropna(subset=["rank", "score"]).sort_values(["rank", "method"])
    if ranking.empty:
        return "No method could be scored."
    datasets = judgement.datasets["dataset"].nunique()
    where = f"over {datasets} dataset{'s' if datasets != 1 else ''} ({judgement.problems.name})"
    winners = ranking.loc[ranking["rank"] == 1]
    best = f"{winners['score'].iloc[0]:.3f}"
    if len(ranking) == 1:
        alone = "the only method" + (
            " with a usable run" if len(judgement.ranking) > 1 or judgement.notices else ""
        )
        return f"{ranking['method'].iloc[0]} is {alone}, with a final score of {best} {where}."
    if len(winners) > 1:
        return f"{listed(list(winners['method']))} share the first place with a final score of {best} {where}."
    follower = ranking.iloc[1:2]
    second = ranking.loc[ranking["rank"] == follower["rank"].iloc[0], "method"]
    behind = f"{follower['score'].iloc[0]:.3f}"
    if behind == best:  # as they are shown, though not equal
        behind += f" ({winners['score'].iloc[0] - follower['score'].iloc[0]:.2g} less)"
    after = f"{listed(list(second))} follow{'s' * (len(second) == 1)} with {behind}"
    return f"{winners['method'].iloc[0]} wins with a final score of {best} {where}; {after}."


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
    placed, everyone = table["rank"].notna(), judgement.everyone
    if everyone is None and placed.all():
        return as_points(table)
    table["below the line"] = pd.Series("no usable run", table.index).where(~placed, "")
    if everyone is None:
        return as_points(table)
    out = everyone.loc[~everyone["qualified"], ["method"]].assign(
        **{"below the line": "not qualified"}
    )
    return as_points(pd.concat([table, out], ignore_index=True).astype({"rank": "Int64"}))
