"""Robustness of a verdict: the certainty of the winner, and all results that `srlib robustness` shows.

`resample` estimates how often each method wins in resampled competitions. Sources of scored datasets are drawn with
replacement, as many as there are; a drawn source includes all its datasets. Within each cell (method and dataset, also
references of noisy datasets) as many runs as are usable are drawn with replacement, each with the values of all its
aspects; absent runs stay absent. If the rules rank each repetition, whole repetitions are drawn instead of runs.
"""

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
from srlib.judging.scoring import Array, places, score
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


@dataclass(frozen=True)
class Resampling:
    """Final scores of resampled competitions.

    Parameters
    ----------
    methods : tuple of str
        The methods, in the order of the last axis of `final`.
    final : array, draws x methods
        Final scores; higher is better.
    """

    methods: tuple[str, ...]
    final: Array

    @cached_property
    def table(self) -> pd.DataFrame:
        """Places by `method`: `n_resamples`, `p_win` (ties share a win), `p_top_3`, median rank with 95% interval."""
        place = places(self.final)
        first = place == 1
        low, middle, high = np.quantile(place, [0.025, 0.5, 0.975], axis=0, method="inverted_cdf")
        return pd.DataFrame(
            {
                "method": self.methods,
                "n_resamples": len(self.final),
                "p_win": (first / first.sum(axis=-1, keepdims=True)).mean(axis=0),
                "p_top_3": (place <= 3).mean(axis=0),
                "rank_low": low,
                "rank_median": middle,
                "rank_high": high,
            }
        )

    def place_shares(self) -> pd.DataFrame:
        """Return the share of draws in which each `method` has each place; methods with the best mean place first."""
        place = places(self.final)
        shares = {f"place {k}": (place == k).mean(axis=0) for k in range(1, len(self.methods) + 1)}
        table = pd.DataFrame({"method": self.methods} | shares)
        return table.iloc[np.argsort(place.mean(axis=0), kind="stable")].reset_index(drop=True)


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
    resampling : Resampling
        The resampled competitions.
    """

    judgement: Judgement
    comparison: Comparison
    readings: Readings
    resampling: Resampling

    @property
    def winners(self) -> tuple[str, ...]:
        """Methods on the first place."""
        return self.readings.winners

    @property
    def scores(self) -> pd.DataFrame:
        """The final scores in the draws, one row per draw and one column per method."""
        return pd.DataFrame(self.resampling.final, columns=list(self.resampling.methods))

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places of the methods of `resampling` in the readings (those of the rules first) and in the draws."""
        columns = [f"score of {name}" for name in self.resampling.methods]
        return places(self.readings.table[columns].to_numpy(float)), places(self.resampling.final)

    @cached_property
    def places(self) -> pd.DataFrame:
        """The table of `resampling` with `rank`, `p_rank` (share of draws at it), `reading_low` and `reading_high`."""
        by_reading, by_draw = self._places
        return self.resampling.table.assign(
            rank=by_reading[0],
            p_rank=(by_draw == by_reading[0]).mean(axis=0),
            reading_low=by_reading.min(axis=0),
            reading_high=by_reading.max(axis=0),
        )

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
    def _wins(self) -> tuple[float, str, float]:
        """Share of the draws that the winner wins, the method that wins most, and its share; ties share a win."""
        shares = self.resampling.table.set_index("method")["p_win"].round(12)
        return shares[list(self.winners)].max(), str(shares.idxmax()), shares.max()

    @property
    def rival(self) -> Statement:
        """Clause that names the method that wins more re-draws than the winner; empty if none does."""
        share, rival, most = self._wins
        template = "{rival} wins more often, in {rival_share}" if most > share else ""
        return state("rival", template, rival=rival, rival_share=Fact(most, percent(most)))

    @property
    def headline(self) -> Statement:
        """The verdict, and who wins more re-draws than its winner."""
        template = "{verdict} In re-draws {rival}." if self.rival else "{verdict}"
        return state("verdict", template, verdict=self.judgement.headline, rival=self.rival)

    @property
    def sentence(self) -> Statement:
        """Statement about draws, test and readings that change the winner, and places; empty for one method."""
        names = self.winners
        template, changed = (
            "{winners} share the first place; {places}.",
            self.readings.singles["changed"],
        )
        all_winners, values = self.readings.table["winners"].tolist(), dict[str, Any]()
        if len(self.places) < 2:
            return Statement()
        if len(names) == 1:
            n_lost = len(all_winners) - all_winners.count(names)
            verb = "changes" if changed.sum() + n_lost < 2 else "change"
            template = (
                "{winners} wins in {share} of {draws:,} re-draws of {resampled}"
                f"{', but {rival}' if self.rival else ''}; {{test}}; {{changed}} of {{settings}} settings of single "
                f"switches and {{lost}} of {{readings:,}} open readings {verb} the winner; {{places}}."
            )
            behind = self.places[self.places["rank"] > 1]
            followers = behind["method"][behind["rank"] == behind["rank"].min()].tolist()
            these = "these datasets and their runs"
            values = {
                "share": Fact(self._wins[0], percent(self._wins[0])),
                "resampled": "sources and runs" if self.comparison.tested else these,
                "test": self.comparison.describe_test(names[0], followers),
                "changed": Fact(changed.sum(), str(changed.sum() or "none")),
                "lost": Fact(n_lost, f"{n_lost:,}" if n_lost else "none"),
            }
        return state(
            "certainty",
            template,
            winners=Fact(names, listed(names, 3)),
            draws=len(self.resampling.final),
            rival=self.rival,
            settings=len(changed),
            readings=len(all_winners),
            places=self._state_places(),
            **values,
        )

    def _state_places(self) -> Statement:
        """Return a clause: the first place that is sure, and the first that is open with those who take it."""
        table, (by_reading, by_draw) = self.places, self._places
        is_sure = (table["p_rank"] >= SURE_SHARE) & table["reading_low"].eq(table["reading_high"])
        is_sure = is_sure.groupby(table["rank"]).transform("all")
        if is_sure.all():
            return state("places", "every place is sure")
        template, sure_place = "no place is sure", table.loc[is_sure, "rank"].min()
        if is_sure.any():
            template = "place {sure_place:.0f} is sure ({holders})"
        holders = table["method"][table["rank"] == sure_place].tolist()
        place = int(table.loc[~is_sure, "rank"].min())
        shares, counts = (by_draw == place).mean(axis=0), (by_reading == place).sum(axis=0)
        takers = [
            state(
                "taker",
                "{taker} in {place_share}"
                + (" and {place_readings:,} readings" if counts[i] else ""),
                taker=name,
                place_share=Fact(shares[i], percent(shares[i])),
                place_readings=counts[i],
            )
            for i in np.lexsort([-counts, -shares])
            if (counts[i] or shares[i] >= LEAST_SHARE)
            and (((name := table["method"][i]),) != self.winners or place > 1)
        ]
        return state(
            "places",
            template + "; place {place} is open" + (": {takers}" if takers else ""),
            sure_place=sure_place,
            holders=Fact(tuple(holders), listed(holders, 3)),
            place=place,
            takers=join_statements(takers, most=3),
        )


@dataclass(frozen=True, repr=False)
class Robustness(Result):
    """All examinations of a verdict; the classes of the attributes describe them.

    Parameters
    ----------
    judgement : Judgement
        The verdict.
    certainty : Certainty
        Certainty of the winner and of every place.
    readings : Readings
        Winner, margin and scores under each reading of the rules.
    resampling : Resampling
        How often each method wins, and its places, when sources and runs are resampled.
    left_out : LeaveOneOut
        Rankings without each dataset, property, method and repetition.
    comparison : Comparison
        Tests of the difference between each pair of methods.
    gains : Improvements
        The smallest improvements with which each method gains a place.
    beaten : pandas.DataFrame
        Places with and without the methods that each method beats everywhere.
    """

    judgement: Judgement
    certainty: Certainty
    readings: Readings
    resampling: Resampling
    left_out: LeaveOneOut
    comparison: Comparison
    gains: Improvements
    beaten: pd.DataFrame

    title = "How sure is the winner?"
    command = "robustness"

    @property
    def headline(self) -> Statement:
        """The certainty of the winner; for a single method, the readings that it wins."""
        return self.certainty.sentence or self.readings.sentence

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
            "Places when sources and runs are resampled": self.certainty.places,
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


def resample(judgement: Judgement, draws: int = 10_000, seed: int = 0) -> Resampling:
    """Return final scores of competitions whose sources and runs are drawn with replacement.

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
    weight *= plan.weight
    final, step = np.empty((draws, values.shape[-2])), max(1, BATCH_VALUES // values.size)
    for start in range(0, draws, step):
        batch = slice(start, min(start + step, draws))
        runs = _draw_runs(usable, batch.stop - start, rng)
        resampled = np.take_along_axis(values[None], runs[:, None], axis=-1)
        final[batch] = score(resampled, replace(plan, weight=weight[batch]), judge_rules).final
    return Resampling(scoring.methods, final)


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
    sure = certainty(judgement, draws, seed)
    return Robustness(
        judgement,
        sure,
        sure.readings,
        sure.resampling,
        leave_one_out(judgement),
        sure.comparison,
        improvements(judgement),
        rank_without_beaten(judgement),
    )


def certainty(judgement: Judgement, draws: int = 0, seed: int = 0) -> Certainty:
    """Return how sure a judgement's places are; by default with fewer draws in a large competition (`draws` 0)."""
    draws = draws or min(
        N_DRAWS, max(FEWEST_DRAWS, MOST_RUNS_DRAWN // len(judgement.screened.usable))
    )
    readings, resampling = score_readings(judgement), resample(judgement, draws, seed)
    return Certainty(judgement, compare_scores(judgement), readings, resampling)


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
