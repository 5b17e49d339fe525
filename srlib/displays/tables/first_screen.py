"""Sentences below a verdict: why the winner wins, where it fails, who is not ranked; and who qualifies."""

from itertools import combinations
from typing import Any

import numpy as np

from srlib.comparing.profiles import RANGE_ENDS
from srlib.displays.tables.aspects import aspect_names, scores_by_dataset
from srlib.displays.tables.runs import describe_runs
from srlib.judging import Judgement
from srlib.judging.qualification import Qualification
from srlib.judging.screening import NOT_SIMPLIFIED
from srlib.judging.standing import describe_barred
from srlib.judging.what_if import leaders_without
from srlib.prose import Fact, Statement, join_statements, listed, state
from srlib.tables import KEY

MOST_NAMED = 3  # most winners and methods that are named


def first_screen(judgement: Judgement) -> list[Statement]:
    """Return what a reader has to know besides the winner and its certainty, as a list of sentences.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        The judgement; scores in `datasets` and ranks in `aspects` are better if higher.

    Examples
    --------
    >>> from srlib import Competition
    >>> first_screen(Competition.read("demo", "synthetic-2022", qualified="demo").judge())[0]
    'Not ranked: LinearRegression is the baseline of the qualification; ...'
    """
    ranking = judgement.ranking.dropna(subset="rank")
    winners = ranking.loc[ranking["rank"] == 1, "method"] if len(ranking) > 1 else []
    lines = describe_absentees(judgement)
    for winner in list(winners)[:MOST_NAMED]:
        lines += [describe_strengths(judgement, winner), describe_failures(judgement, winner)]
    lines += describe_idle_aspects(judgement)
    return [
        line
        for line in [*lines, *describe_replaced_runs(judgement), describe_runs(judgement)]
        if line
    ]


def describe_absentees(judgement: Judgement) -> list[Statement]:
    """Return sentences about methods without a place: those that did not qualify, and those without a usable run."""
    lines, screened = list[Statement](), judgement.screened
    if screened.barred:
        reasons = [describe_barred(judgement, name) for name in sorted(screened.barred)]
        reason_list = join_statements(reasons, "; ")
        lines.append(state("not_ranked", "Not ranked: {reasons}.", reasons=reason_list))
    if screened.idle:
        idle = listed(sorted(screened.idle), MOST_NAMED)
        lines.append(state("idle_methods", "Without a usable run: {methods}.", methods=idle))
    return lines


def describe_replaced_runs(judgement: Judgement) -> list[Statement]:
    """Return sentences about ranked runs that are counted as written, and about the minimal accuracy."""
    ledger, lines = judgement.ledger, list[Statement]()
    is_replaced = ledger["level"].eq("run") & ledger["action"].eq("replaced")
    codes = {code for code, _ in NOT_SIMPLIFIED.values()}
    as_written = ledger[is_replaced & ledger["code"].isin(codes)].drop_duplicates([*KEY])
    if len(as_written):
        template = "Of the ranked runs {count:,} are counted as written: simplifying them failed or took too much work."
        lines.append(state("as_written", template, count=len(as_written)))
    below: Any = judgement.steps.n_below_minimum[judgement.scoring.plan.scored] > 0
    if below.any():
        template = (
            "Below the minimal accuracy on some datasets: {methods}. There they get the last place in all aspects, so "
            "that others gain places."
        )
        names = np.array(judgement.scoring.methods)[below.any(axis=0)].tolist()
        lines.append(state("low", template, methods=listed(names, MOST_NAMED)))
    return lines


def describe_strengths(judgement: Judgement, winner: str) -> Statement:
    """Return a sentence: in which aspects a winner has most points, and on how many datasets it is first.

    It is empty if the winner is first on no dataset.
    """
    ranks = judgement.aspects.groupby(["aspect", "method"])["aspect_rank"].mean()
    strengths = [
        state("strength", "{aspect} ({points:.2f})", aspect=name, points=ranks[name][winner])
        for name in aspect_names(judgement)
        if ranks[name][winner] == ranks[name].max() > ranks[name].min()
    ]
    scores = scores_by_dataset(judgement)
    winner_scores, best = scores[winner], scores.max(axis=1)
    is_first = (winner_scores == best) & (best > scores.min(axis=1))
    if not is_first.any():
        return Statement()
    is_shared = is_first & (scores.eq(best, axis=0).sum(axis=1) > 1)
    template = "Why {winner} wins: "
    if strengths:
        template += "most points in {strengths}; "
    template += "first on {alone} of {datasets} datasets alone"
    if is_shared.any():
        template += ", on {shared} with others"
    return state(
        "strengths",
        template + ".",
        winner=winner,
        strengths=join_statements(strengths),
        alone=(is_first & ~is_shared).sum(),
        datasets=len(scores),
        shared=is_shared.sum(),
    )


def describe_failures(judgement: Judgement, winner: str) -> Statement:
    """Return a sentence: on which datasets a winner is last, and whether it would lead without them.

    It is empty if all methods have the same score on every dataset.
    """
    scores = scores_by_dataset(judgement)
    winner_scores, best, worst = scores[winner], scores.max(axis=1), scores.min(axis=1)
    is_last = (best > worst) & ((winner_scores == worst) | winner_scores.isna())
    if not (best > worst).any():
        return Statement()
    if not is_last.any():
        return state("failures", "Where {winner} fails: it is last on no dataset.", winner=winner)
    aspects, last = judgement.aspects, is_last.index[is_last]
    rows = aspects[(aspects["method"] == winner) & aspects["dataset"].isin(last)]
    template = "Where {winner} fails: last on {count} of {total} datasets ({datasets})"
    lowest = rows["value"].min()
    if lowest < -100:
        template += ", lowest value of an aspect {lowest:,.0f}"
    template, leaders = template + ".", leaders_without(judgement, last)
    pronoun = "them" if len(last) > 1 else "it"
    if winner in leaders:
        template += f" It leads without {pronoun}, too."
    elif leaders:
        template += f" Without {pronoun} {{leaders}} would lead."
    return state(
        "failures",
        template,
        winner=winner,
        count=len(last),
        total=len(scores),
        datasets=listed(sorted(last), 5),
        lowest=lowest,
        leaders=listed(leaders, MOST_NAMED),
    )


def describe_idle_aspects(judgement: Judgement) -> list[Statement]:
    """Return sentences about aspects in which all methods tie, or two aspects with equal values, on some datasets."""
    aspects, lines = judgement.aspects, []
    total = judgement.datasets["dataset"].nunique()
    ranks = aspects.groupby(["aspect", "dataset"])["aspect_rank"].agg(["min", "max", "count"])
    idle = ranks.query("min == max and count > 1")
    for name, count in idle.groupby("aspect").size().items():
        template = "On {count} of {datasets} datasets all methods tie in {aspect}, so {aspect} decides nothing there."
        lines.append(state("idle_aspect", template, count=count, datasets=total, aspect=name))
    values = aspects.pivot_table("value", ["dataset", "method"], "aspect", dropna=False)
    for name, twin in combinations(aspect_names(judgement), 2):
        differences = values[name].sub(values[twin]).abs().dropna()
        largest = differences.groupby("dataset").max()
        if len(identical := largest.index[largest < 1e-12]):
            template = (
                "On {count} of {datasets} datasets {aspect} and {twin} are the same numbers, so they count twice "
                "there ({named})."
            )
            lines.append(
                state(
                    "equal_aspects",
                    template,
                    count=len(identical),
                    datasets=total,
                    aspect=name,
                    twin=twin,
                    named=listed(list(identical), 3),
                )
            )
    return lines


def qualification_sentence(result: Qualification) -> Statement:
    """Return sentences: who qualifies, who does not, and for whom the readings of the rules disagree.

    Examples
    --------
    >>> from srlib import Competition
    >>> qualification_sentence(Competition.read("demo", "qualification-2022").qualify())
    'Qualified against LinearRegression on 20 datasets (qualification-2022): ...'
    """
    table = result.verdicts
    qualified, unqualified = (
        listed(table["method"][table["qualified"] == value].tolist(), 8) for value in (True, False)
    )
    template = "Qualified against {baseline} on {datasets} datasets ({problems}): {qualified}"
    template += "; not qualified: {unqualified}." if unqualified else "."
    if result.disputed:
        template += " The readings disagree on {disputed}."
    if result.unsure:
        template += (
            " Within {level:.0%} of re-draws of the sources the verdict changes for {unsure}."
        )
    if (result.assessments["r2_source"] == "reported").any():
        template += " R² is taken from the runs; it was not computed again."
    return state(
        "verdict",
        template,
        baseline=result.rules.judge.qualification.baseline,
        datasets=result.cells["dataset"].nunique(),
        problems=result.problems.name,
        qualified=qualified or Fact("", "nobody"),
        unqualified=unqualified,
        disputed=listed(result.disputed, 8),
        level=RANGE_ENDS[1] - RANGE_ENDS[0],
        unsure=listed(result.unsure, 8),
    )
