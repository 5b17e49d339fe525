"""Sentences below a verdict: open places, why the winner wins, where it fails, who is not ranked; and who qualifies."""

from itertools import combinations, pairwise
from typing import Any

import pandas as pd

from srlib.displays.tables.aspects import aspect_names, scores_by_dataset
from srlib.displays.tables.runs import describe_runs
from srlib.judging import Judgement
from srlib.judging.qualification import COUNT_COLUMNS
from srlib.judging.scoring import places, weighted_mean
from srlib.prose import listed, percent

SURE_SHARE = 0.95  # two places are open if their order holds in a smaller share of the draws
MOST_NAMED = 3  # most winners, pairs of places and methods that are named
MOST_DRAWN = 5  # methods in the figure of the first screen


def first_screen(judgement: Judgement, draws: pd.DataFrame) -> list[str]:
    """Return what a reader has to know besides the winner and its certainty, as a list of sentences.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        The judgement; scores in `datasets` and ranks in `aspects` are better if higher.
    draws : pandas.DataFrame
        Final scores of resampled competitions, a column for each method: `Certainty.scores`.
    """
    ranking = judgement.ranking.dropna(subset="rank")
    winners = ranking.loc[ranking["rank"] == 1, "method"] if len(ranking) > 1 else []
    lines = [describe_open_places(ranking, draws)]
    for winner in list(winners)[:MOST_NAMED]:
        lines += [describe_strengths(judgement, winner), describe_failures(judgement, winner)]
    lines += describe_idle_aspects(judgement)
    reasons = [describe_barred(judgement, name) for name in sorted(judgement.screened.barred)]
    if reasons:
        lines.append(f"Not ranked: {'; '.join(reasons)}.")
    if judgement.screened.idle:
        lines.append(
            f"Without a usable run: {listed(sorted(judgement.screened.idle), MOST_NAMED)}."
        )
    return [line for line in [*lines, describe_runs(judgement)] if line]


def describe_open_places(ranking: pd.DataFrame, draws: pd.DataFrame) -> str:
    """Return a sentence about neighbouring places whose order is uncertain in the draws; empty if all are certain.

    An equal score in a draw counts half.

    Examples
    --------
    >>> ranking = pd.DataFrame({"method": ["A", "B"], "rank": [1, 2]})
    >>> describe_open_places(ranking, pd.DataFrame({"A": [2, 2, 2, 1], "B": [1, 1, 2, 2]}))
    'Open places (below 95% of the re-draws): 1 and 2 (A before B in 62%).'
    """
    pairs = []
    for (place, before), (next_place, after) in pairwise(ranking.groupby("rank")["method"]):
        worst, best = draws[before].min(axis="columns"), draws[after].max(axis="columns")
        share = ((worst > best) + (worst == best) / 2).mean()
        if share < SURE_SHARE:
            order = f"{listed(list(before))} before {listed(list(after))}"
            pairs.append(f"{place} and {next_place} ({order} in {percent(share)})")
    if not pairs:
        return ""
    return f"Open places (below {SURE_SHARE:.0%} of the re-draws): {listed(pairs, MOST_NAMED)}."


def describe_strengths(judgement: Judgement, winner: str) -> str:
    """Return a sentence: in which aspects a winner has most points, and on how many datasets it is first.

    It is empty if the winner is first on no dataset.
    """
    ranks = judgement.aspects.groupby(["aspect", "method"])["aspect_rank"].mean()
    strengths = [
        f"{name} ({ranks[name][winner]:.2f})"
        for name in aspect_names(judgement)
        if ranks[name][winner] == ranks[name].max() > ranks[name].min()
    ]
    scores = scores_by_dataset(judgement)
    winner_scores, best = scores[winner], scores.max(axis=1)
    is_first = (winner_scores == best) & (best > scores.min(axis=1))
    if not is_first.any():
        return ""
    is_shared = is_first & (scores.eq(best, axis=0).sum(axis=1) > 1)
    count = f"first on {(is_first & ~is_shared).sum()} of {len(scores)} datasets alone"
    if is_shared.any():
        count += f", on {is_shared.sum()} with others"
    aspects = f"most points in {listed(strengths)}; " if strengths else ""
    return f"Why {winner} wins: {aspects}{count}."


def describe_failures(judgement: Judgement, winner: str) -> str:
    """Return a sentence: on which datasets a winner is last, and whether it would lead without them.

    It is empty if all methods have the same score on every dataset.
    """
    scores = scores_by_dataset(judgement)
    winner_scores, best, worst = scores[winner], scores.max(axis=1), scores.min(axis=1)
    is_last = (best > worst) & ((winner_scores == worst) | winner_scores.isna())
    if not (best > worst).any():
        return ""
    if not is_last.any():
        return f"Where {winner} fails: it is last on no dataset."
    datasets = judgement.datasets.assign(weight=judgement.datasets.get("weight", 1.0))
    facts = datasets.groupby("dataset")[["property", "weight"]].first()
    whole_properties = {
        name: f"all {len(part)} datasets of {str(name).replace('_', ' ')}"
        for name, part in is_last.groupby(facts["property"])
        if part.all() and len(part) > 1
    }
    names = [
        *whole_properties.values(),
        *sorted(is_last.index[is_last & ~facts["property"].isin(whole_properties)]),
    ]
    values = judgement.aspects.query("method == @winner and dataset in @is_last.index[@is_last]")[
        "value"
    ]
    depth = ""
    if values.min() < -100:
        depth = f" (lowest value of an aspect {values.min():,.0f})"
    text = f"Where {winner} fails: last on {listed(names, 5)}{depth}."
    if is_last.all() or judgement.rules.judge.combine == "one_harmonic":
        return text
    final_scores = weighted_mean(
        scores[~is_last].to_numpy(), 0, facts.loc[~is_last, ["weight"]].to_numpy()
    )
    leaders = list(scores.columns[places(final_scores) == 1])
    pronoun = "them" if is_last.sum() > 1 else "it"
    if winner in leaders:
        return f"{text} It leads without {pronoun}, too."
    return f"{text} Without {pronoun} {listed(leaders, MOST_NAMED)} would lead."


def describe_idle_aspects(judgement: Judgement) -> list[str]:
    """Return sentences about aspects in which all methods tie, or two aspects with equal values, on some datasets."""
    aspects, lines = judgement.aspects, []
    total = judgement.datasets["dataset"].nunique()
    ranks = aspects.groupby(["aspect", "dataset"])["aspect_rank"].agg(["min", "max", "count"])
    idle = ranks.query("min == max and count > 1")
    for name, count in idle.groupby("aspect").size().items():
        lines.append(
            f"On {count} of {total} datasets all methods tie in {name}, so {name} decides nothing there."
        )
    values = aspects.pivot_table("value", ["dataset", "method"], "aspect", dropna=False)
    for name, other in combinations(aspect_names(judgement), 2):
        differences = values[name].sub(values[other]).abs().dropna()
        largest = differences.groupby("dataset").max()
        if len(identical := largest.index[largest < 1e-12]):
            lines.append(
                f"On {len(identical)} of {total} datasets {name} and {other} are the same numbers, so they count twice "
                f"there ({listed(list(identical), 3)})."
            )
    return lines


def score_intervals(judgement: Judgement, draws: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of a `DotsDisplay`: final scores of the best methods with their 95% ranges in the draws."""
    ranked = judgement.ranking.dropna(subset="rank")
    best = ranked.head(MOST_DRAWN)
    ranges = draws.quantile([0.025, 0.975]).T.set_axis(["low", "high"], axis="columns")
    panel = "final score and its 95% range in the re-draws"
    if len(best) < len(ranked):
        panel += f", the first {len(best)} of {len(ranked)} methods"
    table = best[["method", "score"]].rename(columns={"score": "value"}).join(ranges, on="method")
    return table.assign(panel=panel, series="")


def qualification_sentence(result: Any) -> str:
    """Return sentences: who qualifies, who does not, and for whom the readings of the rules disagree."""
    table, baseline = result.verdicts, result.rules.judge.qualification.baseline
    qualified, unqualified = (
        listed(table["method"][table["qualified"] == value].tolist(), 8) for value in (True, False)
    )
    datasets = f"{result.cells['dataset'].nunique()} datasets ({result.problems.name})"
    sentence = f"Qualified against {baseline} on {datasets}: {qualified or 'nobody'}"
    sentence += f"; not qualified: {unqualified}." if unqualified else "."
    if result.disputed:
        sentence += f" The readings disagree on {listed(result.disputed, 8)}."
    if (result.assessments["r2_source"] == "reported").any():
        sentence += " R² is taken from the runs; it was not computed again."
    return sentence


def describe_barred(judgement: Judgement, method: str) -> str:
    """Return why a method did not qualify, with its margin and the place that it would have among all methods."""
    if method == judgement.rules.judge.qualification.baseline:
        return f"{method} is the baseline of the qualification"
    parts = []
    row = judgement.gate.margins.reindex([method]).iloc[0].dropna()
    if "margin" in row:
        parts.append(f"margin {row['margin']:.2f}, above 0 is needed")
    if {*COUNT_COLUMNS} <= {*row.index}:
        count = row[[*COUNT_COLUMNS]].astype(int)
        parts.append(f"better on {count['better']} of {count.sum()} datasets")
    ranking = judgement.ranking_of_all.dropna(subset="rank").set_index("method")
    if method in ranking.index:
        place = ranking.loc[method, "rank"]
        parts.append(f"among all {len(ranking)} methods it would have place {place:.0f}")
    return f"{method} missed the qualification ({'; '.join(parts)})"
