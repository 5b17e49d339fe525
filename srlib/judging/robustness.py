"""Robustness of a verdict: the certainty of the winner, and all results that `srlib robustness` shows.

`resample` estimates how often each method wins in resampled competitions. Sources of scored datasets are drawn with
replacement, as many as there are; a drawn source includes all its datasets. Within each cell (method and dataset, also
references of noisy datasets) as many runs as are usable are drawn with replacement, each with the values of all its
aspects; absent runs stay absent. If the rules rank each repetition, whole repetitions are drawn instead of runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare_methods
from srlib.errors import require
from srlib.judging.judgement import Judgement
from srlib.judging.readings import Readings, score_readings
from srlib.judging.scoring import places, score
from srlib.judging.screening import list_sources
from srlib.judging.what_if import (
    Improvements,
    LeaveOneOut,
    describe_beaten,
    describe_gains,
    improvements,
    leave_one_out,
    rank_without_beaten,
)
from srlib.prose import Fact, Statement, join_statements, listed, percent, state
from srlib.result import Result

N_DRAWS, FEWEST_DRAWS = 10_000, 200
# most runs drawn in total for a first page; a large competition gets fewer draws
MOST_RUNS_DRAWN = 50_000_000
BATCH_VALUES = 200_000  # values scored at a time, so that they fit into a processor's cache
# a place is sure if its method has it in this share of the draws and in all readings
SURE_SHARE = 0.95
LEAST_SHARE = 0.01  # of the draws, for a method to be named at an open place
SCORE_METRIC = "dataset_score"  # a metric of srlib.comparing


def summarise_draws(methods: Sequence[str], by_draw: NDArray[np.int64]) -> pd.DataFrame:
    """Return the places of each `method` (draws x methods) in few numbers; see `Certainty.places`."""
    first = by_draw == 1
    low, middle, high = np.quantile(by_draw, [0.025, 0.5, 0.975], 0, method="inverted_cdf")
    return pd.DataFrame(
        {
            "method": methods,
            "n_resamples": len(by_draw),
            "p_win": (first / first.sum(axis=-1, keepdims=True)).mean(axis=0),
            "p_top_3": (by_draw <= 3).mean(axis=0),
            "rank_low": low,
            "rank_median": middle,
            "rank_high": high,
        }
    )


@dataclass(frozen=True)
class Certainty:
    """Certainty of the winner and of every place, and what it follows from.

    Parameters
    ----------
    judgement : Judgement
        The verdict.
    comparison : Comparison
        Tests of the difference between each pair of methods.
    readings : Readings
        Scores under every open reading of the rules, and with each switch changed by itself.
    scores : pandas.DataFrame
        Final scores in resampled competitions, one row per draw and one column per method; higher is better.
    """

    judgement: Judgement
    comparison: Comparison
    readings: Readings
    scores: pd.DataFrame

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places of the methods in the readings (those of the rules first) and in the draws."""
        return places(self.readings.scores), places(self.scores.to_numpy())

    @cached_property
    def places(self) -> pd.DataFrame:
        """Places by `method`, in the draws and in the readings.

        Columns `n_resamples`, `p_win` (ties share a win), `p_top_3`, median place in the draws with 95% interval
        (`rank_low`, `rank_median`, `rank_high`), `rank` (by the rules), `p_rank` (share of draws at it), `reading_low`
        and `reading_high`.
        """
        by_reading, by_draw = self._places
        return summarise_draws(self.readings.methods, by_draw).assign(
            rank=by_reading[0],
            p_rank=(by_draw == by_reading[0]).mean(axis=0),
            reading_low=by_reading.min(axis=0),
            reading_high=by_reading.max(axis=0),
        )

    @property
    def place_shares(self) -> pd.DataFrame:
        """Share of the draws in which each `method` has each place; methods with the best mean place first."""
        methods, by_draw = self.readings.methods, self._places[1]
        shares = {f"place {k}": (by_draw == k).mean(axis=0) for k in range(1, len(methods) + 1)}
        table = pd.DataFrame({"method": methods} | shares)
        return table.iloc[np.argsort(by_draw.mean(axis=0), kind="stable")].reset_index(drop=True)

    @property
    def columns(self) -> pd.DataFrame:
        """Columns beside a ranking, by method: `share at its place` (of the draws), and two ranges of places."""
        table = self.places.sort_values(["rank", "method"]).set_index("method")
        columns = {"share at its place": table["p_rank"]}
        for name, prefix in (("re-draws", "rank"), ("readings", "reading")):
            low, high = (table[f"{prefix}_{end}"].map("{:.0f}".format) for end in ("low", "high"))
            columns[f"places in {name}"] = low.where(low == high, low + " to " + high)
        return pd.DataFrame(columns)

    @cached_property
    def _win_shares(self) -> pd.Series:
        """Share of the draws that each method wins; ties share a win."""
        return self.places.set_index("method")["p_win"].round(12)

    @property
    def rival(self) -> Statement:
        """Clause that names the method that wins more re-draws than the winner; empty if none does."""
        shares = self._win_shares
        most, name = shares.max(), str(shares.idxmax())
        if most <= shares[list(self.readings.winners)].max():
            return Statement()
        template, share = "{rival} wins more often, in {rival_share}", Fact(most, percent(most))
        return state("rival", template, rival=name, rival_share=share)

    @property
    def headline(self) -> Statement:
        """The verdict, and who wins more re-draws than its winner."""
        template = "{verdict} In re-draws {rival}." if self.rival else "{verdict}"
        return state("verdict", template, verdict=self.judgement.headline, rival=self.rival)

    @property
    def sentence(self) -> Statement:
        """Statement about draws, test and readings that change the winner, and places; empty for one method."""
        readings, table = self.readings, self.places
        names, changed = readings.winners, readings.singles["changed"]
        if len(table) < 2:
            return Statement()
        values: dict[str, Any] = {
            "winners": Fact(names, listed(names, 3)),
            "places": self._state_places(),
        }
        if len(names) > 1:
            return state("certainty", "{winners} share the first place; {places}.", **values)
        n_readings, n_won = (
            len(self._places[0]),
            self.readings.table["winners"].tolist().count(names),
        )
        n_changes = {"changed": changed.sum(), "lost": n_readings - n_won}
        verb = "changes" if sum(n_changes.values()) < 2 else "change"
        values |= {key: Fact(n, f"{n:,}" if n else "none") for key, n in n_changes.items()}
        share, followers = self._win_shares[readings.winners[0]], table[table["rank"] == 2]
        return state(
            "certainty",
            "{winners} wins in {share} of {draws:,} re-draws of {resampled}"
            f"{', but {rival}' if self.rival else ''}; {{test}}; {{changed}} of {{settings}} settings of single "
            f"switches and {{lost}} of {{readings:,}} open readings {verb} the winner; {{places}}.",
            share=Fact(share, percent(share)),
            draws=len(self.scores),
            resampled="sources and runs"
            if self.comparison.tested
            else "these datasets and their runs",
            rival=self.rival,
            test=self.comparison.describe_test(readings.winners[0], followers["method"].tolist()),
            settings=len(changed),
            readings=n_readings,
            **values,
        )

    def _state_places(self) -> Statement:
        """Return a clause: the first place that is sure, and the first that is open with those who take it."""
        table, (by_reading, by_draw) = self.places, self._places
        is_sure = (table["p_rank"] >= SURE_SHARE) & table["reading_low"].eq(table["reading_high"])
        is_sure = is_sure.groupby(table["rank"]).transform("all")
        if is_sure.all():
            return state("places", "every place is sure")
        sure_place, place = table["rank"][is_sure].min(), int(table["rank"][~is_sure].min())
        holders = table["method"][table["rank"] == sure_place].tolist()
        takers = pd.DataFrame({"method": table["method"], "share": (by_draw == place).mean(axis=0)})
        takers["readings"] = (by_reading == place).sum(axis=0)
        is_taker = (takers["readings"] > 0) | (takers["share"] >= LEAST_SHARE)
        if place == 1 and len(self.readings.winners) == 1:
            is_taker &= takers["method"] != self.readings.winners[0]
        takers = takers[is_taker].sort_values(["share", "readings"], ascending=False)
        clauses = [
            state(
                "taker",
                "{taker} in {place_share}" + (" and {place_readings:,} readings" if count else ""),
                taker=name,
                place_share=Fact(share, percent(share)),
                place_readings=count,
            )
            for name, share, count in takers.itertuples(index=False)
        ]
        return state(
            "places",
            ("place {sure_place:.0f} is sure ({holders})" if holders else "no place is sure")
            + ("; place {place} is open: {takers}" if clauses else "; place {place} is open"),
            sure_place=sure_place,
            holders=Fact(tuple(holders), listed(holders, 3)),
            place=place,
            takers=join_statements(clauses, most=3),
        )


@dataclass(frozen=True, repr=False)
class Robustness(Certainty, Result):
    """All examinations of a verdict: its certainty, and what changes it; the classes of the attributes describe them.

    Parameters
    ----------
    judgement, comparison, readings, scores
        As in `Certainty`.
    left_out : LeaveOneOut
        Rankings without each dataset, property, method and repetition.
    gains : Improvements
        The smallest improvements with which each method gains a place.
    beaten : pandas.DataFrame
        Places with and without the methods that each method beats everywhere.
    """

    left_out: LeaveOneOut
    gains: Improvements
    beaten: pd.DataFrame

    title = "How sure is the winner?"
    command = "robustness"

    @property
    def headline(self) -> Statement:
        """The certainty of the winner; for a single method, the readings that it wins."""
        return self.sentence or self.readings.sentence

    @property
    def details(self) -> tuple[str, ...]:
        """Statements about the readings, the parts left out and the test, besides the headline."""
        lines = (
            self.readings.sentence,
            self.readings.singles_sentence,
            self.left_out.sentence,
            *describe_beaten(self.beaten),
            self.comparison.headline,
        )
        return tuple(line for line in lines if line != self.headline)

    @property
    def sentences(self) -> list[str]:
        """The headline, the details, and statements about improvements that gain a place."""
        gains = [*describe_gains(self.gains.table), self.gains.note]
        return [line for line in (self.headline, *self.details, *gains) if line]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """Tables of all examinations by title, the resampled places first."""
        return {
            "Places when sources and runs are resampled": self.places,
            "One thing left out": self.left_out.table,
            "Pairs of methods": self.comparison.pairs,
            "What would gain a place": self.gains.table,
            "Readings of the rules": self.readings.table,
        }

    @property
    def _files(self) -> dict[str, pd.DataFrame]:
        """Tables that `srlib robustness` writes, by file name."""
        names = ("resampling", "leave_one_out", "significance", "improvements", "switchboard")
        return dict(zip(names, self._tables.values(), strict=True))


def resample(judgement: Judgement, draws: int = N_DRAWS, seed: int = 0) -> pd.DataFrame:
    """Return final scores of competitions whose sources and runs are drawn with replacement, draws x methods.

    Parameters
    ----------
    judgement : Judgement
        The competition.
    draws : int
        Number of resampled competitions.
    seed : int
        Seed of all random numbers.
    """
    rng, judge_rules = np.random.default_rng(seed), judgement.rules.judge
    scoring, plan = judgement.scoring, judgement.scoring.plan
    values = scoring.values  # noqa: PD011
    usable = np.any(np.isfinite(values), axis=0)
    if judge_rules.rank_per == "repetition":
        usable = np.any(usable, axis=1, keepdims=True)
    names = np.array(scoring.datasets)[plan.scored]
    source_codes, sources = pd.factorize(list_sources(judgement.problems, names))
    weight = np.zeros((draws, len(plan.scored)))
    n_drawn = rng.multinomial(len(sources), np.full(len(sources), 1 / len(sources)), size=draws)
    weight[:, plan.scored] = n_drawn[:, source_codes]
    final, step = [], max(1, BATCH_VALUES // values.size)
    for start in range(0, draws, step):
        batch = plan.weight * weight[start : start + step]
        runs = _draw_runs(usable, len(batch), rng)
        resampled = np.take_along_axis(values[None], runs[:, None], axis=-1)
        final.append(score(resampled, replace(plan, weight=batch), judge_rules).final)
    return pd.DataFrame(np.concatenate(final), columns=list(scoring.methods))


def _draw_runs(usable: NDArray[np.bool_], draws: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """Return positions of drawn runs: a random usable run of the cell for each usable run; others stay unusable."""
    order = np.argsort(~usable, axis=-1, kind="stable")
    n_usable = usable.sum(axis=-1, keepdims=True)
    positions = (rng.random((draws, *usable.shape)) * n_usable).astype(int)
    resampled = np.take_along_axis(order[None], positions, axis=-1)
    return np.where(np.arange(usable.shape[-1]) < n_usable, resampled, order)


def examine(judgement: Judgement, draws: int = N_DRAWS, seed: int = 0) -> Robustness:
    """Return all examinations of a judgement: other readings, resampled runs, parts left out, tests, improvements."""
    for name, number, least in (("resamples", draws, 1), ("seed", seed, 0)):
        require(
            isinstance(number, int) and number >= least,
            f"{name}: a whole number of at least {least} was expected, got {number!r}",
        )
    return Robustness(
        **vars(certainty(judgement, draws, seed)),
        left_out=leave_one_out(judgement),
        gains=improvements(judgement),
        beaten=rank_without_beaten(judgement),
    )


def certainty(judgement: Judgement, draws: int = 0, seed: int = 0) -> Certainty:
    """Return how sure a judgement's places are; by default with fewer draws in a large competition (`draws` 0)."""
    draws = draws or min(
        N_DRAWS, max(FEWEST_DRAWS, MOST_RUNS_DRAWN // len(judgement.screened.usable))
    )
    readings, scores = score_readings(judgement), resample(judgement, draws, seed)
    return Certainty(judgement, compare_scores(judgement), readings, scores)


def compare_scores(judgement: Judgement) -> Comparison:
    """Return the comparison of the methods by their dataset scores, with the sources of the datasets as units."""
    scores = judgement.datasets
    sources = list_sources(judgement.problems, scores["dataset"].unique())
    measures = scores[["method", "dataset"]].assign(
        repetition=0,
        aspect=SCORE_METRIC,
        value=scores["score"],
        group="",
        source=scores["dataset"].map(sources),
    )
    return compare_methods(Benchmark(measures), SCORE_METRIC)
