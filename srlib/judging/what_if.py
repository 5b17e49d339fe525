"""Rankings after one change: a part of the competition is left out, or one value of a method is improved.

The competition is judged again without each dataset, property, method and repetition; without a repetition, one run
fewer is expected. An improvement replaces the value of a method in one aspect on one dataset by each better value that
another method has there, or by one a step beyond it, up to the best possible value of the aspect.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from srlib.judging.judgement import Judgement
from srlib.judging.properties import KEY, arrange, measure_aspects
from srlib.judging.scoring import (
    Array,
    ScoringPlan,
    aggregate,
    places,
    score,
    weighted_mean,
)
from srlib.metrics import metric_of
from srlib.prose import WINNER_SEPARATOR, listed, winner_sentence

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

        Columns `kind`, `left_out`, `winner`, `expected` (the best method in the full ranking that is not left out),
        `changed` (whether the two differ) and `lead` (score of the expected winner minus the best other score).
        """
        rows = []
        ranks = self.table[self.table["kind"] == "nothing"].set_index("method")["rank"]
        for (kind, name), part in self.table.groupby(["kind", "left_out"], sort=False):
            ranks_before, ranking = ranks.loc[part["method"]], part.set_index("method")
            expected = ranks_before.index[ranks_before == ranks_before.min()]
            winners = ranking.index[ranking["rank"] == 1]
            lead = ranking["score"][expected[0]] - ranking["score"].drop(expected[0]).max()
            winner_names = WINNER_SEPARATOR.join(winners), WINNER_SEPARATOR.join(expected)
            rows.append((kind, name, *winner_names, set(winners) != set(expected), lead))
        columns = ["kind", "left_out", "winner", "expected", "changed", "lead"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def sentence(self) -> str:
        """Sentence that lists the parts that change the winner when one of them is left out."""
        cases = self.summary[self.summary["kind"] != "nothing"]
        changed_cases = cases[cases["changed"]]
        if changed_cases.empty:
            counts = cases.groupby("kind", sort=False).size().items()
            counts_text = ", ".join(f"{kind} ({count})" for kind, count in counts)
            return f"Leaving out any one thing changes no winner: {counts_text or 'there is only one of each'}."
        parts = [
            f"{winner_sentence(str(row.winner))} without {row.kind} {row.left_out}"
            for row in changed_cases.itertuples()
        ]
        return (
            f"Leaving out one thing gives an unexpected winner in {len(changed_cases)} of {len(cases)} cases: "
            f"{listed(parts, 3)}."
        )


@dataclass(frozen=True)
class Improvements:
    """The smallest improvements with which each method gains a place.

    Parameters
    ----------
    table : pandas.DataFrame
        `method`, `aspect`, `dataset`, `value` (before) and `target` (after the improvement), `improvement` (absolute
        difference of these), `rank` and `new_rank`; best methods first. A method and aspect have no row if no value
        that was tried gains a place.
    note : str
        Sentence that says how many improvements were tried; empty if all were.
    """

    table: pd.DataFrame
    note: str

    def describe(self, method: str, rank: int) -> list[str]:
        """Return sentences that name the improvements that gain the method a place, or say that no single one does."""
        sentences = describe_gains(self.table[self.table["method"] == method])
        if rank == 1:
            sentences = ["There is no place above it."]
        elif not sentences:
            sentences = [
                "No better value in one aspect on one dataset alone would gain a place: it takes several."
            ]
        return [*sentences, self.note] if self.note else sentences


def leave_one_out(judgement: Judgement) -> LeaveOneOut:
    """Return the rankings of the competition without each dataset, property, method and repetition."""
    screened, judge_rules = judgement.screened, judgement.rules.judge
    run_values = measure_aspects(screened, judge_rules)
    properties = {name: screened.problems[name].property or "none" for name in screened.scored}
    usable, attempts = (
        runs[KEY].assign(property=runs["dataset"].map(properties))
        for runs in (screened.usable, screened.attempts)
    )
    entered_runs = attempts[
        attempts["property"].notna() & attempts["method"].isin(screened.methods)
    ]
    tables = [_ranking_rows("nothing", "nothing", screened.methods, judgement.steps.final)]
    for kind in ("dataset", "property", "method", "repetition"):
        names = sorted(entered_runs[kind].unique())
        for name in names if len(names) > 1 else ():
            remaining = entered_runs[entered_runs[kind] != name]
            row_mask = (usable[kind] != name).to_numpy()
            scored_datasets = frozenset(remaining["dataset"])
            removed_datasets = screened.scored - scored_datasets
            expected = dict(screened.expected)
            if kind == "repetition":  # one run fewer is expected on datasets with it
                shorter_datasets = set(attempts.loc[attempts[kind] == name, "dataset"])
                expected = {
                    dataset: max(runs - (dataset in shorter_datasets), 1)
                    for dataset, runs in expected.items()
                }
            reduced = replace(
                screened,
                usable=usable[row_mask],
                methods=tuple(sorted(remaining["method"].unique())),
                datasets=tuple(
                    dataset for dataset in screened.datasets if dataset not in removed_datasets
                ),
                scored=scored_datasets,
                attempts=attempts[attempts[kind] != name],
                expected=expected,
            )
            final = score(
                *arrange(reduced, judge_rules, run_values[:, row_mask]), judge_rules
            ).final
            tables.append(_ranking_rows(kind, str(name), reduced.methods, final))
    return LeaveOneOut(pd.concat(tables, ignore_index=True))


def _ranking_rows(kind: str, left_out: str, methods: tuple[str, ...], final: Array) -> pd.DataFrame:
    """Return the rows of `LeaveOneOut.table` for one part that is left out."""
    columns = {"kind": kind, "left_out": left_out, "method": methods}
    return pd.DataFrame(columns | {"score": final, "rank": places(final)})


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
    judge_rules = judgement.rules.judge
    values, plan = arrange(judgement.screened, judge_rules)
    candidates = list_improvements(judgement)
    if method:
        candidates = candidates[candidates["method"] == method]
    groups = candidates.groupby(["method", "aspect"])["improvement"]
    most_trials = MOST_VALUES // values.size
    trials, note = candidates, ""
    if len(candidates) > most_trials:
        trials = candidates[groups.rank(method="first") <= most_trials // groups.ngroups]
        note = (
            f"Only the {len(trials):,} smallest of {len(candidates):,} improvements were tried: "
            "a larger one, which is not listed, may gain a place, too."
        )
    values = add_repetitions(values, plan)
    runs_exist: Any = np.ones(values[0, :, 0].shape, dtype=bool)
    if judge_rules.rank_per == "repetition":  # only repetitions that exist are ranked
        runs_exist = np.isfinite(values).any(axis=(0, 2))
    place: Any = places(judgement.steps.final)
    new_places: list[Any] = []
    for (aspect, dataset, position), target in zip(trials["cell"], trials["target"], strict=True):
        changed_values = values.copy()
        changed_values[aspect, dataset, position] = np.where(runs_exist[dataset], target, np.nan)
        new_places.append(places(score(changed_values, plan, judge_rules).final)[position])
    table = trials.assign(
        rank=[place[position] for _, _, position in trials["cell"]], new_rank=new_places
    )
    table = table[table["new_rank"] < table["rank"]]
    order = ["rank", "method", "aspect", "improvement", "dataset"]
    table = table.sort_values(order).drop_duplicates(["method", "aspect"])
    return Improvements(table.drop(columns="cell").reset_index(drop=True), note)


def add_repetitions(values: Array, plan: ScoringPlan) -> Array:
    """Return the values with NaN appended to the last axis, up to the largest number of runs expected of a cell."""
    n_added = max(int(np.max(plan.expected)) - values.shape[-1], 0)
    return np.pad(values, [(0, 0)] * 3 + [(0, n_added)], constant_values=np.nan)


def list_improvements(judgement: Judgement) -> pd.DataFrame:
    """Return all improvements to try: to a better value that another method has, or a step beyond it.

    A step is the smallest change of a value that can matter: one unit in the last digit that the rules keep. For counts
    (sizes, and runs with a solution) and values that are rounded run by run, it is a change of a single run.

    Returns
    -------
    pandas.DataFrame
        Columns of `Improvements.table` without `rank` and `new_rank`, and `cell` (positions of aspect, dataset and
        method).
    """
    plan, screened, judge_rules = judgement.plan, judgement.screened, judgement.rules.judge
    is_behind = places(judgement.steps.final) > 1
    rows = []
    for aspect_index, (name, aspect) in enumerate(judge_rules.aspects.items()):
        of_property = aspect.from_ == "property"
        metric = metric_of("r2_test" if of_property else aspect.from_)
        is_ratio = (plan.reference >= 0) & (aspect_index == plan.prop)
        for dataset_index in np.flatnonzero(plan.scored & ~is_ratio):
            cell = aspect_index, dataset_index
            sign, values = plan.sign[cell], judgement.steps.rounded[cell]
            dataset = screened.datasets[dataset_index]
            is_solution = screened.problems[dataset].property == "solution" and of_property
            n_runs, digits = 1, aspect.digits
            if aspect.round == "before":
                n_runs = screened.expected[dataset]
            elif digits is None and (
                aspect.from_ in SIZE_COLUMNS
                or (is_solution and judge_rules.properties.solution == "frequency")
            ):
                n_runs, digits = screened.expected[dataset], 0
            best = sign * metric.best if sign == metric.sign else np.inf
            if aspect.transform == "neg_log":
                best = 0.0
            values_reached = np.unique(values[np.isfinite(values)] * sign)
            values_beyond = values_reached + 10.0 ** -(3 if digits is None else digits) / n_runs
            # leave out steps that end, up to rounding errors, on a value already in the list
            is_new = ~np.isclose(values_beyond[:, None], values_reached, rtol=1e-9, atol=1e-9).any(
                axis=1
            )
            targets = np.unique(
                np.concatenate([values_reached, np.round(values_beyond[is_new], 12)])
            )
            targets = targets[~(targets > best)]
            rows += [
                (
                    screened.methods[method],
                    name,
                    dataset,
                    values[method],
                    target * sign,
                    (*cell, method),
                )
                for method in np.flatnonzero(np.isfinite(values) & is_behind)
                for target in targets[targets > values[method] * sign]
            ]
    table = pd.DataFrame(rows, columns=["method", "aspect", "dataset", "value", "target", "cell"])
    table.insert(5, "improvement", (table["target"] - table["value"]).abs())
    return table


def describe_gains(table: pd.DataFrame) -> list[str]:
    """Return a sentence for each method in `Improvements.table` that lists the improvements that gain a place."""
    sentences = []
    for method, part in table.groupby("method", sort=False):
        ways = []
        for row in part.itertuples():
            values = f"{row.target:.6g} instead of {row.value:.6g}"
            ways.append(f"{row.aspect} {values} on {row.dataset} (place {row.new_rank})")
        place = part["rank"].iloc[0]
        sentences.append(f"{method}, place {place}, would gain with {' or '.join(ways)}.")
    return sentences


@dataclass(frozen=True)
class WithoutFailures:
    """Scores of a method if the value of its usable runs stood in place of its failed and absent ones.

    Parameters
    ----------
    n_absent : int
        Number of failed and absent runs on datasets on which it has a usable run.
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
    """Return what a method would score if its usable runs' values replaced those of its failed and absent runs."""
    judge_rules, screened, steps = judgement.rules.judge, judgement.screened, judgement.steps
    values, plan = arrange(screened, judge_rules)
    position = screened.methods.index(method)
    expected, usable = plan.expected[:, position], screened.count(screened.usable)[:, position]
    judged = plan.scored & (usable > 0)
    values = add_repetitions(values, plan)
    method_values = values[:, :, position]
    is_absent = np.isnan(method_values) & (np.arange(method_values.shape[-1]) < expected[:, None])
    means = aggregate(method_values, judge_rules.aggregate)[..., None]
    values[:, :, position] = np.where(is_absent, means, method_values)
    new_steps = score(values, plan, judge_rules)
    old_scores = steps.dataset_scores[:, position]
    new_scores = new_steps.dataset_scores[:, position]
    columns = {"dataset": screened.datasets, "score": old_scores, "new_score": new_scores}
    is_changed = judged & (np.abs(new_scores - old_scores) > 1e-9)
    return WithoutFailures(
        int((expected - usable)[judged].sum()),
        pd.DataFrame(columns)[is_changed],
        float(steps.final[position]),
        float(new_steps.final[position]),
    )


def leaders_without(judgement: Judgement, datasets: Collection[str]) -> list[str]:
    """Return the methods with the best mean of the scores on the other datasets; empty if none is left.

    It is also empty if the rules do not average scores of datasets (`combine: one_harmonic`).
    """
    scores = judgement.datasets.pivot_table("score", "dataset", "method", dropna=False)
    scores = scores[~scores.index.isin(datasets)]
    if scores.empty or judgement.rules.judge.combine == "one_harmonic":
        return []
    weights = judgement.datasets.assign(weight=judgement.datasets.get("weight", 1.0))
    weights = weights.groupby("dataset")[["weight"]].first().loc[scores.index]
    final = weighted_mean(scores.to_numpy(), 0, weights.to_numpy())
    return list(scores.columns[places(final) == 1])
