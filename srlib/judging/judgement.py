"""Judgements: the tables of a verdict, made from assessed runs, problems and rules."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from srlib.errors import NothingScoredError, require, require_known
from srlib.judging.notices import cell_lines, coverage_notices, describe_ranking
from srlib.judging.properties import KEY
from srlib.judging.qualification import Gate
from srlib.judging.quirks import apply_defects
from srlib.judging.scoring import ScoreSteps, places
from srlib.judging.scoring_input import ScoringInput, arrange
from srlib.judging.screening import Screened, screen, select_problems
from srlib.judging.standing import Standing
from srlib.ledger import MEANINGS, check_run_counts, excluded_runs, to_frame
from srlib.problems import Problems
from srlib.prose import Fact, Statement, counted, listed, state
from srlib.result import Result
from srlib.rules import Rules

SCREENING = (
    "tracks",
    "repetitions",
    "quirks",
    "qualification",
)  # switches that decide which runs count


@dataclass(frozen=True, repr=False)
class Judgement(Result):
    """All tables of a verdict, and the inputs that they were computed from.

    Parameters
    ----------
    assessments : pandas.DataFrame
        The assessments that were passed, one row per run.
    problems, rules
        As they were passed.
    published : Problems
        The problems as the quirks of the rules change them.
    gate : Gate
        Methods that qualified and methods that did not.
    screened : Screened
        The runs that were judged.
    scoring : ScoringInput
        What was scored: values of runs, and directions, rounding and references of the datasets.
    steps : ScoreSteps
        Every step of the score, as arrays (aspects x datasets x methods, in the order of `scoring`).
    read_notices : tuple of str
        Sentences from reading the runs.
    read_lines : sequence of dict
        Ledger lines of files that could not be read.
    of_all : Judgement or None
        The judgement as if all methods had qualified; None if no method was barred.
    """

    assessments: pd.DataFrame
    problems: Problems
    rules: Rules
    published: Problems
    gate: Gate
    screened: Screened
    scoring: ScoringInput
    steps: ScoreSteps
    read_notices: tuple[str, ...] = ()
    read_lines: Sequence[dict[str, Any]] = ()
    of_all: "Judgement | None" = None

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

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """`method`, `score` (higher is better), `rank` (1 is best; ties share the best place), best first.

        Methods without a usable run are last, without score and rank.
        """
        final = np.append(self.steps.final, np.full(len(self.screened.idle), np.nan))
        columns = {
            "method": pd.Series([*self.screened.methods, *self.screened.idle], dtype="str"),
            "score": final,
            "rank": pd.Series(places(final), dtype="Int64").where(np.isfinite(final)),
        }
        return pd.DataFrame(columns).sort_values(["rank", "method"], ignore_index=True)

    @cached_property
    def ranking_of_all(self) -> pd.DataFrame | None:
        """Ranking of all methods, also those that did not qualify, with a column `qualified`; None without such."""
        if self.of_all is None:
            return None
        ranking = self.of_all.ranking
        return ranking.assign(qualified=~ranking["method"].isin(self.screened.barred))

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """Runs and cells that were excluded, replaced or noted, with the reason."""
        cells = cell_lines(self.screened, self.scoring, self.steps, self.rules.judge)
        tables = map(to_frame, (self.read_lines, self.screened.ledger + cells))
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Numbers of runs: `read` = `scored` + `excluded`."""
        return check_run_counts(len(self.assessments), self.screened.n_scored, self.ledger)

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """Sentences shown before the ranking, such as which methods sent few or no usable runs or did not qualify."""
        return (
            *self.read_notices,
            *self.gate.notices(set(self.assessments["method"].astype("str"))),
            *coverage_notices(self.assessments, self.screened, self.published, self.rules.judge),
        )

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

    def under(
        self, rules: Rules, methods: Collection[str] = (), datasets: Collection[str] = ()
    ) -> "Judgement":
        """Return the judgement by other switches, as if some methods and datasets had never been.

        The runs that count are scored again, and not screened again, so that it takes a fraction of the time of
        `Competition.judge`, to which it is equal. Notes of the ledger that count texts over all datasets stay.

        Parameters
        ----------
        rules : Rules
            These rules with other values of switches that are read after screening; see `Rules.with_switches`.
        methods, datasets : collection of str
            Names to leave out.

        Raises
        ------
        InputError
            When a switch is turned that decides which runs count or how they are measured, a name is unknown, or no
            run is left.
        NothingScoredError
            When no run can be scored.

        Examples
        --------
        >>> from srlib import Competition
        >>> judgement = Competition.read("demo", "synthetic-2022").judge()
        >>> rules = judgement.rules.with_switches({"ties": "min"})
        >>> judgement.under(rules, datasets=["noise_easy"]).headline
        'sparse-polynomial wins with a final score of ... over 15 datasets (synthetic-2022); gplearn follows with ...'
        """
        before, after = self.rules.settings, rules.settings
        measured = type(rules.measure).model_fields
        fixed = [path for path in before if path.partition(".")[0] in (*SCREENING, *measured)]
        turned = [path for path in fixed if before[path] != after.get(path)]
        require(
            not turned,
            f"under: {listed(turned)} decides which runs count: use Competition.with_switches or with_rules",
        )
        assessments, screened = self.assessments, self.screened
        if methods or datasets:
            assessments = leave_out(assessments, methods, datasets)
            screened = self._screen_part(assessments, methods, datasets)
        is_replaced = rules.judge.quirks and assessments is not self.assessments
        if is_replaced or not screened.n_scored:  # a quirk may have replaced runs by those left out
            reading = self.read_notices, self.read_lines
            return judge(assessments, self.problems, rules, self.gate, *reading).checked()
        scoring = arrange(screened, rules.judge)
        of_all = self.of_all if screened.barred else None
        return replace(
            self,
            assessments=assessments,
            rules=rules,
            screened=screened,
            scoring=scoring,
            steps=scoring.score(rules.judge),
            of_all=of_all and of_all.under(rules, methods, datasets),
        )

    def _screen_part(
        self, assessments: pd.DataFrame, methods: Collection[str], datasets: Collection[str]
    ) -> Screened:
        """Return what `screen` returns without these methods and datasets, from what it returned with them."""
        screened = self.screened
        on_track, entered_datasets = select_problems(
            assessments["dataset"].unique(), self.published, self.rules.judge
        )
        cells = assessments[["method", "dataset"]].drop_duplicates()
        entered = cells[cells["dataset"].isin(entered_datasets)]
        usable, attempts = (
            table[~(table["method"].isin(methods) | table["dataset"].isin(datasets))]
            for table in (screened.usable, screened.attempts)
        )
        ranked_methods = set(usable["method"][usable["dataset"].isin(screened.scored)])
        scored = frozenset(entered["dataset"][entered["method"].isin(ranked_methods)])
        references = {on_track[name].noise_reference or "" for name in entered_datasets}
        judged_datasets = (*sorted(scored), *sorted((references & {*on_track}) - scored))
        return replace(
            screened,
            usable=usable[usable["dataset"].isin(judged_datasets)],
            methods=tuple(sorted(ranked_methods)),
            datasets=judged_datasets,
            scored=scored,
            problems={name: on_track[name] for name in judged_datasets},
            n_scored=int(usable["dataset"].isin(scored).sum()),
            ledger=[
                line
                for line in screened.ledger
                if line["method"] not in methods and line["dataset"] not in datasets
            ],
            attempts=attempts,
            barred=screened.barred & set(cells["method"]),
            idle=tuple(sorted(set(entered["method"]) - ranked_methods - screened.barred)),
        )

    def standing(self, method: str) -> Standing:
        """Return where a method stands, why, and what would gain it a place.

        Parameters
        ----------
        method : str
            A method with runs, ranked or not.

        Raises
        ------
        InputError
            When the method has no run.

        Examples
        --------
        >>> from srlib import Competition
        >>> Competition.read("demo", "synthetic-2022").judge().standing("deap").place
        3
        """
        require_known(method, self.assessments["method"].unique(), "method")
        return Standing(self, method)

    def checked(self) -> Self:
        """Return the judgement, or raise NothingScoredError with the reasons if no run could be scored."""
        if self.failure:
            raise NothingScoredError(self.failure, self)
        return self

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


def leave_out(
    frame: pd.DataFrame, methods: Collection[str], datasets: Collection[str]
) -> pd.DataFrame:
    """Return the rows of a table of runs without those of some methods and on some datasets.

    Raises
    ------
    InputError
        When a name is unknown or no row is left.
    """
    for kind, names in (("method", methods), ("dataset", datasets)):
        for name in names:
            require_known(name, frame[kind].unique(), kind)
    frame = frame[~(frame["method"].isin(methods) | frame["dataset"].isin(datasets))]
    require(len(frame) > 0, "no run is left to be judged; leave out fewer methods or datasets")
    return frame


def judge(
    assessments: pd.DataFrame,
    problems: Problems,
    rules: Rules,
    gate: Gate | None = None,
    read_notices: tuple[str, ...] = (),
    read_lines: Sequence[dict[str, Any]] = (),
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
    read_notices, read_lines
        As in `Judgement`.

    Raises
    ------
    InputError
        When no run is on a dataset that the rules score, or the rules ask for an aspect that the runs do not have.
    """
    gate, judge_rules = gate or Gate(), rules.judge
    rows, published, lines = apply_defects(assessments, problems, judge_rules, gate.barred)
    screened = screen(rows, published, judge_rules, gate.barred)
    screened = replace(screened, ledger=lines + screened.ledger)
    scoring = arrange(screened, judge_rules)
    return Judgement(
        assessments=assessments,
        problems=problems,
        rules=rules,
        published=published,
        gate=gate,
        screened=screened,
        scoring=scoring,
        steps=scoring.score(judge_rules),
        read_notices=read_notices,
        read_lines=read_lines,
        of_all=judge(assessments, problems, rules) if screened.barred else None,
    )
