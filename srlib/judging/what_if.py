"""Rankings after one change: a part of the competition is left out, or one value of a method is improved.

A part may also be all methods that another one beats or equals everywhere, such as worsened copies of it.

The competition is judged again without each dataset, property, method and repetition; without a repetition, one run
fewer is expected. An improvement replaces the value of a method in one aspect on one dataset by each better value that
another method has there, or by one a step beyond it, up to the best possible value of the aspect.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
import pandas as pd

from srlib.judging.scoring import (
    aggregate,
    fill_absent,
    list_winners,
    places,
    score,
)
from srlib.judging.scoring_input import Kind
from srlib.metrics import metric_of
from srlib.prose import Fact, Statement, listed, state, winner_sentence

if TYPE_CHECKING:
    from srlib.judging.judgement import Judgement

SIZE_COLUMNS = ("complexity", "complexity_raw")
MOST_VALUES = 2_000_000_000  # most values scored in all trials; takes tens of seconds


@dataclass(frozen=True)
class LeaveOneOut:
    """Rankings of the competition with one thing left out.

    Parameters
    ----------
    table : pandas.DataFrame
        `kind` of the part that is left out (nothing, dataset, property, method, repetition), `left_out` (its name),
        `method`, `score` (higher is better), `rank` (1 is best; ties share the best place).
    """

    table: pd.DataFrame

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Winners, a row for each part left out.

        Columns `kind`, `left_out`, `winners`, `expected` (the best methods in the full ranking that are not left out),
        both tuples, `changed` (whether the two differ) and `lead` (score of the first expected winner minus the best
        other score).
        """
        rows = []
        ranks = self.table[self.table["kind"] == "nothing"].set_index("method")["rank"]
        for (kind, name), part in self.table.groupby(["kind", "left_out"], sort=False):
            ranks_before, ranking = ranks.loc[part["method"]], part.set_index("method")
            expected = tuple(ranks_before.index[ranks_before == ranks_before.min()])
            winners = tuple(ranking.index[ranking["rank"] == 1])
            lead = ranking["score"][expected[0]] - ranking["score"].drop(expected[0]).max()
            rows.append((kind, name, winners, expected, set(winners) != set(expected), lead))
        columns = ["kind", "left_out", "winners", "expected", "changed", "lead"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def sentence(self) -> Statement:
        """Statement that lists the parts that change the winner when one of them is left out."""
        cases = self.summary[self.summary["kind"] != "nothing"]
        changed_cases = cases[cases["changed"]]
        if changed_cases.empty:
            counts = cases.groupby("kind", sort=False).size().to_dict()
            counts_text = ", ".join(f"{kind} ({count})" for kind, count in counts.items())
            return state(
                "left-out",
                "Leaving out any one thing changes no winner: {counts}.",
                counts=Fact(counts, counts_text or "there is only one of each"),
            )
        parts = [
            state(
                "case",
                f"{{winners}} without {row['kind']} {{left_out}}",
                winners=winner_sentence(row["winners"]),
                left_out=row["left_out"],
            )
            for row in changed_cases.to_dict("records")
        ]
        return state(
            "left-out",
            "Leaving out one thing gives an unexpected winner in {changed} of {total} cases: {cases}.",
            changed=len(changed_cases),
            total=len(cases),
            cases=Fact(tuple(parts), listed(parts, 3)),
        )


def rank_without_beaten(judgement: Judgement) -> pd.DataFrame:
    """Return the place of each method with and without the methods that it beats or equals everywhere.

    A place that is worse without them depends on entries that could not win, which a team may have sent itself.

    Returns
    -------
    pandas.DataFrame
        `method`, `beaten` (tuple of the methods whose rank is not better in any aspect on any scored dataset), `rank`
        and `new_rank` (1 is best). Methods that beat nobody everywhere have no row.
    """
    scoring, judge_rules, steps = judgement.scoring, judgement.rules.judge, judgement.steps
    ranks = np.nan_to_num(steps.ranks[:, scoring.plan.scored])
    rows = []
    for position, method in enumerate(scoring.methods):
        is_beaten: Any = np.all(ranks[..., [position]] >= ranks, axis=(0, 1))
        is_beaten[position] = False
        if is_beaten.any() and np.isfinite(steps.final[position]):
            beaten = tuple(compress(scoring.methods, is_beaten))
            reduced = scoring.without("method", *beaten)
            new_places = places(reduced.score(judge_rules).final)
            new_rank = new_places[reduced.methods.index(method)]
            rows.append((method, beaten, places(steps.final)[position], new_rank))
    return pd.DataFrame(rows, columns=["method", "beaten", "rank", "new_rank"])


def describe_beaten(table: pd.DataFrame) -> list[Statement]:
    """Return a statement for each method in `rank_without_beaten` whose place is worse without those that it beats."""
    return [
        state(
            f"beaten-{method}",
            "{method} is {rank} with, and {new_rank} without, {beaten}, which it beats everywhere.",
            method=method,
            rank=Fact(rank, ordinal(rank)),
            new_rank=Fact(new_rank, ordinal(new_rank)),
            beaten=Fact(beaten, listed(beaten)),
        )
        for method, beaten, rank, new_rank in table[table["new_rank"] > table["rank"]].to_numpy()
    ]


def ordinal(number: int) -> str:
    """Return a place in words.

    Examples
    --------
    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


class Improvements(NamedTuple):
    """The smallest improvements with which each method gains a place.

    Parameters
    ----------
    table : pandas.DataFrame
        `method`, `aspect`, `dataset`, `value` (before) and `target` (after the improvement), `improvement` (absolute
        difference of these), `rank` and `new_rank`; best methods first. A method and aspect have no row if no value
        that was tried gains a place.
    note : Statement
        Statement that says how many improvements were tried; empty if all were.
    """

    table: pd.DataFrame
    note: Statement


def leave_one_out(judgement: Judgement) -> LeaveOneOut:
    """Return the rankings of the competition without each dataset, property, method and repetition."""
    scoring, judge_rules = judgement.scoring, judgement.rules.judge
    parts = {("nothing", "nothing"): scoring}
    for kind in get_args(Kind):
        names = scoring.parts(kind)
        parts |= {(kind, name): scoring.without(kind, name) for name in names if len(names) > 1}
    tables = []
    for (kind, name), part in parts.items():
        final = part.score(judge_rules).final
        columns = {"kind": kind, "left_out": name, "method": part.methods}
        tables.append(pd.DataFrame(columns | {"score": final, "rank": places(final)}))
    return LeaveOneOut(pd.concat(tables, ignore_index=True))


def improvements(judgement: Judgement, method: str = "") -> Improvements:
    """Return, for each method and aspect, the smallest improvement that gains a place.

    All other values stay the same. Noise sensitivity follows from accuracy and is not improved by itself. In a large
    competition only the smallest improvements of each method and aspect are tried, as each one scores all runs again.

    Parameters
    ----------
    judgement : Judgement
        The competition.
    method : str
        Only this method is improved; empty: all methods.
    """
    judge_rules, plan = judgement.rules.judge, judgement.scoring.plan
    values = fill_absent(judgement.scoring.values, np.full(1, np.nan), plan.expected, "rest")
    trials, note = list_improvements(judgement, method), Statement()
    most, n_all = MOST_VALUES // judgement.steps.filled.size, len(trials)
    if n_all > most:
        groups = trials.groupby(["method", "aspect"])["improvement"]
        trials = trials[groups.rank(method="first") <= most // groups.ngroups]
        note = state(
            "tried",
            "Only the {tried:,} smallest of {improvements:,} improvements were tried: a larger one, which is not "
            "listed, may gain a place, too.",
            tried=len(trials),
            improvements=n_all,
        )
    runs_exist: Any = np.ones(values[0, :, 0].shape, dtype=bool)
    if judge_rules.rank_per == "repetition":  # only repetitions that exist are ranked
        runs_exist = np.isfinite(values).any(axis=(0, 2))
    rows: list[tuple[int, ...]] = []
    for (aspect, dataset, position), target in trials[["cell", "target"]].to_numpy():
        changed = values.copy()
        changed[aspect, dataset, position] = np.where(runs_exist[dataset], target, np.nan)
        finals = judgement.steps.final, score(changed, plan, judge_rules).final
        rows.append(tuple(int(places(final)[position]) for final in finals))
    table = trials.drop(columns="cell").reset_index(drop=True)
    table = table.join(pd.DataFrame(rows, columns=["rank", "new_rank"], dtype=int))
    table = table[table["new_rank"] < table["rank"]]
    table = table.sort_values(["rank", "method", "aspect", "improvement", "dataset"])
    return Improvements(table.drop_duplicates(["method", "aspect"], ignore_index=True), note)


@dataclass(frozen=True)
class WithoutFailures:
    """Scores of a method if its failed and absent runs had the value of its usable runs.

    Parameters
    ----------
    n_absent : int
        Number of failed and absent runs on datasets on which the method has a usable run.
    changes : pandas.DataFrame
        `dataset`, `score` and `new_score` where these differ, in the order of the judgement.
    final, new_final : float
        Final scores.
    """

    n_absent: int
    changes: pd.DataFrame
    final: float
    new_final: float


def score_without_failures(judgement: Judgement, method: str) -> WithoutFailures:
    """Return the scores of a method if its failed and absent runs had the value of its usable runs on each dataset."""
    scoring, judge_rules, steps = judgement.scoring, judgement.rules.judge, judgement.steps
    position, expected = scoring.methods.index(method), scoring.plan.expected
    lacking = expected - judgement.screened.count(judgement.screened.usable)
    is_judged = scoring.plan.scored & (lacking < expected)[:, position]
    means = aggregate(scoring.values, judge_rules.aggregate)
    means = np.where(np.arange(means.shape[-1]) == position, means, np.nan)
    values = fill_absent(scoring.values, means, expected, "floor")
    new_steps = replace(scoring, values=values).score(judge_rules)
    old_scores, new_scores = (part.dataset_scores[:, position] for part in (steps, new_steps))
    changes = {"dataset": scoring.datasets, "score": old_scores, "new_score": new_scores}
    return WithoutFailures(
        n_absent=int(lacking[is_judged, position].sum()),
        changes=pd.DataFrame(changes)[is_judged & (np.abs(new_scores - old_scores) > 1e-9)],
        final=float(steps.final[position]),
        new_final=float(new_steps.final[position]),
    )


def leaders_without(judgement: Judgement, datasets: Collection[str]) -> tuple[str, ...]:
    """Return the methods with the highest final score if these datasets had no weight; empty if none has weight."""
    scoring = judgement.scoring
    weight = np.where(np.isin(scoring.datasets, list(datasets)), 0.0, scoring.plan.weight)
    reduced = replace(scoring, plan=replace(scoring.plan, weight=weight))
    final = reduced.score(judgement.rules.judge).final
    return list_winners(final, scoring.methods) if np.isfinite(final).any() else ()


def list_improvements(judgement: Judgement, method: str = "") -> pd.DataFrame:
    """Return all improvements to try: to a better value that another method has, or a step beyond it.

    A step is the smallest change of a value that can matter: one unit in the last digit that the rules keep. For counts
    (sizes, and runs with a solution) and values that are rounded run by run, it is a change of a single run.

    Returns
    -------
    pandas.DataFrame
        Columns of `Improvements.table` without `rank` and `new_rank`, and `cell` (positions of aspect, dataset and
        method).
    """
    plan, screened = judgement.scoring.plan, judgement.screened
    judge_rules, methods = judgement.rules.judge, np.array(screened.methods)
    is_behind = (places(judgement.steps.final) > 1) & ((methods == method) | (method == ""))
    rows = []
    for index, (name, aspect) in enumerate(judge_rules.aspects.items()):
        of_property = aspect.from_ == "property"
        metric = metric_of("r2_test" if of_property else aspect.from_, aspect.direction)
        is_ratio = (plan.reference >= 0) & (index == plan.prop)
        for cell in zip(repeat(index), np.flatnonzero(plan.scored & ~is_ratio), strict=False):
            sign, values = plan.sign[cell], judgement.steps.rounded[cell]
            dataset = screened.datasets[cell[1]]
            is_count = aspect.from_ in SIZE_COLUMNS or (
                of_property
                and screened.problems[dataset].property == "solution"
                and judge_rules.properties.solution == "frequency"
            )
            is_count &= aspect.digits is None and aspect.round != "before"
            n_runs = screened.expected[dataset] if is_count or aspect.round == "before" else 1
            digits = 0 if is_count else 3 if aspect.digits is None else aspect.digits
            best = sign * metric.best if sign == metric.sign else np.inf
            if aspect.transform == "neg_log":
                best = 0.0
            reached = np.unique(values[np.isfinite(values)] * sign)
            beyond = np.round(reached + 10.0**-digits / n_runs, 12)
            # leave out steps that end, up to rounding errors, on a value already in the list
            is_new = ~np.isclose(beyond[:, None], reached, rtol=1e-9, atol=1e-9).any(axis=1)
            targets = np.unique(np.append(reached, beyond[is_new]))
            targets = targets[~(targets > best)] * sign
            rows += [
                (methods[position], name, dataset, value, target, gain, (*cell, position))
                for position in np.flatnonzero(np.isfinite(values) & is_behind)
                for target in targets
                if (gain := (target - (value := values[position])) * sign) > 0
            ]
    columns = ["method", "aspect", "dataset", "value", "target", "improvement", "cell"]
    return pd.DataFrame(rows, columns=columns)


def describe_gains(table: pd.DataFrame) -> list[Statement]:
    """Return a statement for each method in `Improvements.table` that lists the improvements that gain a place."""
    statements = []
    for method, part in table.groupby("method", sort=False):
        way = "{aspect} {target:.6g} instead of {value:.6g} on {dataset} (place {new_rank})"
        rows: Any = part.to_dict("records")
        ways = [state("way", way, **row) for row in rows]
        facts: dict[str, Any] = {"method": method, "place": int(part["rank"].iloc[0])}
        template = "{method}, place {place}, would gain with {ways}."
        facts["ways"] = Fact(tuple(ways), listed(ways, separator=" or "))
        statements.append(state(f"gain-{method}", template, **facts))
    return statements
