"""Judgements: the tables of a verdict, made from assessed runs, problems and rules."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from srlib.judging.notices import cell_lines, coverage_notices, describe_ranking
from srlib.judging.properties import KEY
from srlib.judging.qualification import Gate
from srlib.judging.quirks import apply_defects
from srlib.judging.scoring import ScoreSteps, places
from srlib.judging.scoring_input import ScoringInput, arrange
from srlib.judging.screening import Screened, screen
from srlib.ledger import MEANINGS, check_run_counts, excluded_runs, to_frame
from srlib.problems import Problems
from srlib.prose import Fact, Statement, counted, state
from srlib.result import Result
from srlib.rules import Rules


@dataclass(frozen=True, repr=False)
class Judgement(Result):
    """All tables of a verdict, and the inputs that they were computed from.

    Parameters
    ----------
    ranking : pandas.DataFrame
        `method`, `score` (higher is better), `rank` (1 is best; ties share the best place), best first. Methods without
        a usable run are last, without score and rank.
    ledger : pandas.DataFrame
        Runs and cells that were excluded, replaced or noted, with the reason.
    assessments : pandas.DataFrame
        The assessments that were passed, one row per run.
    counts : dict
        Numbers of runs: `read` = `scored` + `excluded`.
    rules, problems
        As they were passed.
    notices : tuple of str
        Sentences shown before the ranking, such as which methods sent few or no usable runs or did not qualify.
    ranking_of_all : pandas.DataFrame or None
        Ranking of all methods, also those that did not qualify, with a column `qualified`; None if no
        method was barred.
    screened
        The runs that were judged.
    scoring : ScoringInput
        What was scored: values of runs, and directions, rounding and references of the datasets.
    steps
        Every step of the score, as arrays (aspects x datasets x methods, in the order of `scoring`).
    gate : Gate
        Methods that qualified and methods that did not.
    """

    ranking: pd.DataFrame
    ledger: pd.DataFrame
    assessments: pd.DataFrame
    counts: dict[str, int]
    rules: Rules
    problems: Problems
    screened: Screened
    scoring: ScoringInput
    steps: ScoreSteps
    gate: Gate
    notices: tuple[str, ...] = ()
    ranking_of_all: pd.DataFrame | None = None

    title = "Verdict"
    command = "judge"

    @property
    def sentences(self) -> list[str]:
        """The headline, the number of runs behind it, and the notices."""
        counts = state(
            "counts",
            "{rules}: {read} runs read = {scored} scored + {excluded} excluded.",
            rules=self.rules.name,
            **self.counts,
        )
        return [self.headline, counts, *self.notices]

    @property
    def headline(self) -> Statement:
        """Statement that names the winner and the methods on the next place."""
        datasets = self.datasets["dataset"].nunique()
        scope = state(
            "scope",
            "over {datasets} ({problems})",
            datasets=Fact(datasets, counted(datasets, "dataset")),
            problems=self.problems.name,
        )
        qualifier = ""
        if self.screened.barred:
            qualifier = " that qualified"
        elif self.notices or len(self.ranking) > 1:
            qualifier = " with a usable run"
        return describe_ranking(self.ranking, scope, qualifier)

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """Ranking, dataset scores, aspects and ledger."""
        return {
            "Ranking": self.ranking,
            "Scores by dataset": self.datasets,
            "Aspects": self.aspects,
            "Ledger": self.ledger,
        }

    @property
    def _files(self) -> dict[str, pd.DataFrame]:
        """Tables that `srlib judge` writes, by file name, sorted by key.

        If methods did not qualify, `ranking-all` is the ranking of all methods.
        """
        tables = {"ranking": self.ranking.sort_values("method")}
        tables |= {"aspects": self.aspects, "datasets": self.datasets, "ledger": self.ledger}
        if self.ranking_of_all is not None:
            tables["ranking-all"] = self.ranking_of_all.sort_values("method")
        return tables

    @cached_property
    def aspects(self) -> pd.DataFrame:
        """Values and ranks, one row per method, dataset and aspect; a higher `aspect_rank` is better."""
        steps, plan = self.steps, self.scoring.plan
        columns = {
            "aspect": np.array(list(self.rules.judge.aspects))[:, None, None],
            "n_runs": self.screened.count(self.screened.usable),
            "value": steps.aggregated,
            "value_rounded": steps.rounded,
            "direction": np.where(plan.sign > 0, "higher", "lower")[..., None],
            "aspect_rank": steps.ranks,
        }
        applies = np.isfinite(steps.ranks).any(axis=-1, keepdims=True) & plan.scored[:, None]
        return self.screened.table_of(columns, applies)

    @cached_property
    def datasets(self) -> pd.DataFrame:
        """Scores, one row per method and dataset; a higher `score` is better."""
        plan = self.scoring.plan
        problems = [self.screened.problems[name] for name in self.screened.datasets]
        columns = {
            "property": np.array([problem.property for problem in problems])[:, None],
            "n_runs": self.screened.count(self.screened.usable),
            "score": self.steps.dataset_scores,
        }
        if np.any(plan.weight != 1):  # a column of ones would say nothing
            columns["weight"] = plan.weight[:, None]
        table = self.screened.table_of(columns, plan.scored[:, None])
        return table.astype({"property": "str"})

    @cached_property
    def run_values(self) -> pd.DataFrame:
        """Values of usable runs, one row per run, sorted by key, with a column for each aspect."""
        runs = self.scoring.runs.query("is_usable")[KEY]
        for name, values in zip(self.rules.judge.aspects, self.scoring.run_values, strict=True):
            runs[f"aspect: {name}"] = values
        return runs.sort_values(KEY, ignore_index=True)

    @property
    def failure(self) -> Statement:
        """Statement that says why no run could be scored, with counts; empty if a run was scored."""
        if self.counts["scored"]:
            return Statement()
        counts = excluded_runs(self.ledger)["code"].value_counts()
        reasons = [f"{count} x {MEANINGS[str(code)]} ({code})" for code, count in counts.items()]
        return state(
            "failure",
            "No run could be scored, so there is no ranking. {read} runs read: {reasons}.",
            read=self.counts["read"],
            reasons=Fact(counts.to_dict(), "; ".join(reasons)),
        )


def judge(
    assessments: pd.DataFrame,
    problems: Problems,
    rules: Rules,
    gate: Gate | None = None,
    notices: tuple[str, ...] = (),
) -> Judgement:
    """Judge assessed runs by problems and rules.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Columns of the assessments contract, in any order of rows.
    problems : Problems
        Descriptions of the datasets.
    rules : Rules
        Only the judge block is read.
    gate : Gate, optional
        Methods that did not qualify get no place; None: all methods are ranked.
    notices : tuple of str
        Sentences to put before the judgement's own notices.

    Raises
    ------
    InputError
        When no run is on a dataset that the rules score, or the rules ask for an aspect that the runs do not have.
    """
    gate = gate or Gate()
    judge_block = rules.judge
    judged_rows, published_problems, lines = apply_defects(
        assessments, problems, judge_block, gate.barred
    )
    screened = screen(judged_rows, published_problems, judge_block, gate.barred)
    scoring = arrange(screened, judge_block)
    steps = scoring.score(judge_block)
    lines += screened.ledger + cell_lines(screened, scoring, steps, judge_block)
    ledger = to_frame(lines)
    final = np.append(steps.final, np.full(len(screened.idle), np.nan))
    ranking = pd.DataFrame(
        {
            "method": pd.Series([*screened.methods, *screened.idle], dtype="str"),
            "score": final,
            "rank": pd.Series(places(final), dtype="Int64").where(np.isfinite(final)),
        }
    )
    ranking_of_all = None
    if screened.barred:
        ranking_of_all = judge(assessments, problems, rules).ranking.assign(
            qualified=lambda table: ~table["method"].isin(screened.barred)
        )
    return Judgement(
        ranking=ranking.sort_values(["rank", "method"], ignore_index=True),
        ledger=ledger,
        assessments=assessments,
        counts=check_run_counts(len(assessments), screened.n_scored, ledger),
        rules=rules,
        problems=problems,
        screened=screened,
        scoring=scoring,
        steps=steps,
        gate=gate,
        notices=(
            *notices,
            *coverage_notices(assessments, screened, published_problems, judge_block),
        ),
        ranking_of_all=ranking_of_all,
    )
