"""The lines below a verdict: which places are open, why the winner wins, where it fails, who is not ranked."""

from itertools import combinations, pairwise, product
from typing import Any

import pandas as pd

from srlib.displays.tables.aspects import aspect_names
from srlib.displays.tables.qualification import describe_barred
from srlib.displays.tables.runs import describe_runs
from srlib.judging.qualification import read_margins
from srlib.prose import listed, percent

SURE = 0.95  # share of the draws with an order of two places; below it they are open
MOST = 3  # winners, pairs of places and methods that are named
MOST_DRAWN = 5  # methods in the figure of the first screen


def first_screen(judgement: Any, draws: pd.DataFrame, qualified: Any = "") -> list[str]:
    """Say in a line each what a reader has to know beside the winner and its certainty.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Its `datasets` and `aspects` have the scores and ranks (higher is better).
    draws : pandas.DataFrame
        Final scores of resampled competitions, a column for each method: `Certainty.scores`.
    qualified : str, Path or DataFrame
        What `srlib.judging.judge_runs` took.
    """
    ranking = judgement.ranking.dropna(subset="rank")
    winners = ranking.loc[ranking["rank"] == 1, "method"] if len(ranking) > 1 else []
    lines = [describe_open_places(ranking, draws)]
    for winner in list(winners)[:MOST]:
        lines += [describe_strengths(judgement, winner), describe_failures(judgement, winner)]
    lines += describe_idle_aspects(judgement)
    margins = read_margins(qualified, judgement.rules)
    barred = [
        describe_barred(judgement, name, margins) for name in sorted(judgement.screened.barred)
    ]
    if barred:
        lines.append(f"Not ranked: {'; '.join(barred)}.")
    if judgement.screened.idle:
        lines.append(f"Without a usable run: {listed(sorted(judgement.screened.idle), MOST)}.")
    return [line for line in [*lines, describe_runs(judgement)] if line]


def describe_open_places(ranking: pd.DataFrame, draws: pd.DataFrame) -> str:
    """Name the methods whose order is not sure in the draws; empty where all are, or share a place.

    Examples
    --------
    >>> ranking = pd.DataFrame({"method": ["A", "B"], "rank": [1, 2]})
    >>> describe_open_places(ranking, pd.DataFrame({"A": [2, 2, 2, 1], "B": [1, 1, 2, 2]}))
    'Open places (below 95% of the re-draws): 1 and 2 (A before B in 62%).'
    """
    pairs = []
    for (place, before), (next_place, after) in pairwise(ranking.groupby("rank")["method"]):
        share = min(share_before(draws, *pair) for pair in product(before, after))
        if share < SURE:
            order = f"{listed(list(before))} before {listed(list(after))}"
            pairs.append(f"{place} and {next_place} ({order} in {percent(share)})")
    text = f"Open places (below {SURE:.0%} of the re-draws): "
    return f"{text}{listed(pairs, MOST)}." if pairs else ""


def share_before(draws: pd.DataFrame, first: str, second: str) -> float:
    """Share of the draws in which one method is before another; an equal score counts half."""
    return float(((draws[first] > draws[second]) + 0.5 * (draws[first] == draws[second])).mean())


def describe_strengths(judgement: Any, winner: str) -> str:
    """Say in which aspects a winner has most points, and on how many datasets it is first."""
    ranks = judgement.aspects.groupby(["aspect", "method"])["aspect_rank"].mean()
    most = [
        f"{name} ({ranks[name][winner]:.2f})"
        for name in aspect_names(judgement)
        if ranks[name][winner] == ranks[name].max() > ranks[name].min()
    ]
    scores = judgement.datasets.pivot_table("score", "dataset", "method", dropna=False)
    own, best = scores[winner], scores.max(axis=1)
    first = (own == best) & (best > scores.min(axis=1))
    shared = first & (scores.eq(best, axis=0).sum(axis=1) > 1)
    count = f"first on {(first & ~shared).sum()} of {len(scores)} datasets alone"
    count += f", on {shared.sum()} with others" * bool(shared.any())
    aspects = f"most points in {listed(most)}; " * bool(most)
    return f"Why {winner} wins: {aspects}{count}." if first.any() else ""


def describe_failures(judgement: Any, winner: str) -> str:
    """Say on which datasets a winner is last, and whether it leads without them."""
    scores = judgement.datasets.pivot_table("score", "dataset", "method", dropna=False)
    own, best, worst = scores[winner], scores.max(axis=1), scores.min(axis=1)
    last = (best > worst) & ((own == worst) | own.isna())
    if not (best > worst).any():
        return ""
    if not last.any():
        place = scores.gt(own, axis=0).sum(axis=1) + 1
        names = listed(sorted(place.index[place == place.max()]), MOST)
        lowest = f"; its lowest place is {place.max()}, on {names}" * bool(place.max() > 1)
        return f"Where {winner} fails: it is last on no dataset{lowest}."
    kinds = judgement.datasets.groupby("dataset")["property"].first()
    lost = [name for name, part in last.groupby(kinds) if part.all()]
    names = [
        f"all {(kinds == name).sum()} datasets of {str(name).replace('_', ' ')}" for name in lost
    ]
    names += sorted(last.index[last & ~kinds.isin(lost)])
    values = judgement.aspects.query("method == @winner and dataset in @last.index[@last]")["value"]
    depth = f" (lowest value of an aspect {values.min():,.0f})" * bool(values.min() < -100)
    return f"Where {winner} fails: last on {listed(names, 5)}{depth}.{_without(judgement, winner, last)}"


def _without(judgement: Any, winner: str, last: pd.Series) -> str:
    """Say who leads by the mean score of the datasets on which the winner is not last."""
    left = judgement.datasets[~judgement.datasets["dataset"].map(last)]
    if left.empty or judgement.rules.judge.combine == "one_harmonic":
        return ""
    weight = left.get("weight", pd.Series(1.0, left.index))
    sums = (left["score"] * weight).groupby(left["method"]).sum()
    means = (sums / weight.where(left["score"].notna()).groupby(left["method"]).sum()).round(12)
    datasets = "them" if last.sum() > 1 else "it"
    if means[winner] == means.max():
        return f" It leads without {datasets}, too."
    return (
        f" Without {datasets} {listed(list(means.index[means == means.max()]), MOST)} would lead."
    )


def describe_idle_aspects(judgement: Any) -> list[str]:
    """Name the aspects that decide nothing, or count twice, on some datasets."""
    aspects, lines = judgement.aspects, []
    total = judgement.datasets["dataset"].nunique()
    ranks = aspects.groupby(["aspect", "dataset"])["aspect_rank"]
    idle = (ranks.min() == ranks.max()) & (ranks.count() > 1)
    for name, datasets in idle[idle].groupby("aspect"):
        lines.append(
            f"On {len(datasets)} of {total} datasets all methods tie in {name}, so {name} decides nothing there."
        )
    values = aspects.pivot_table("value", ["dataset", "method"], "aspect", dropna=False)
    for name, other in combinations(aspect_names(judgement), 2):
        both = values[[name, other]].dropna()
        same = both[name].sub(both[other]).abs().lt(1e-12).groupby("dataset").all()
        same &= ~idle.get(name, pd.Series(dtype=bool)).reindex(same.index, fill_value=False)
        if same.any():
            lines.append(
                f"On {same.sum()} of {total} datasets {name} and {other} are the same numbers, so they count twice "
                f"there ({listed(list(same.index[same]), 3)})."
            )
    return lines


def score_intervals(judgement: Any, draws: pd.DataFrame) -> pd.DataFrame:
    """Arrange final scores and their 95% ranges in the draws for a `DotsDisplay`, of the best methods.

    The column `before_next` is the share of the draws in which a method is before the next one.
    """
    ranked = judgement.ranking.dropna(subset="rank")
    ranking = ranked.head(MOST_DRAWN)
    first = f", the first {len(ranking)} of {len(ranked)} methods" * (len(ranked) > len(ranking))
    low, high = draws.quantile(0.025), draws.quantile(0.975)
    before_next = [share_before(draws, *pair) for pair in pairwise(ranked["method"])]
    return pd.DataFrame(
        {
            "panel": f"final score and its 95% range in the re-draws{first}",
            "series": "",
            "method": ranking["method"].to_numpy(),
            "n_datasets": judgement.datasets["dataset"].nunique(),
            "value": ranking["score"].to_numpy(),
            "low": low.reindex(ranking["method"]).to_numpy(),
            "high": high.reindex(ranking["method"]).to_numpy(),
            "before_next": [*before_next, None][: len(ranking)],
        }
    )
