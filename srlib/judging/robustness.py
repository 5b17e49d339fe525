"""Robustness of a verdict: the certainty of the winner, and all results that `srlib robustness` shows.

`resample` estimates how often each method wins in resampled competitions. Sources of scored datasets are drawn with
replacement, as many as there are; a drawn source includes all its datasets. Within each cell (method and dataset, also
references of noisy datasets) as many runs as are usable are drawn with replacement, each with the values of all its
aspects; absent runs stay absent. If the rules rank each repetition, whole repetitions are drawn instead of runs.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare_methods
from srlib.errors import require
from srlib.judging.judgement import Judgement
from srlib.judging.readings import Readings, score_readings
from srlib.judging.scoring import Array, places, score
from srlib.judging.what_if import (
    Improvements,
    LeaveOneOut,
    describe_beaten,
    describe_gains,
    improvements,
    leave_one_out,
    rank_without_beaten,
)
from srlib.metrics import source_of
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
    """Certainty of the winner, and the tables that it follows from.

    Parameters
    ----------
    winners : tuple of str
        Methods on the first place.
    resampled : str
        What was drawn, for the sentence: 'sources and runs', or 'these datasets and their runs' if there are too few
        sources for a test.
    test : str
        Clause with the result of the test between the winner and the methods on the next place; empty if no method is
        behind the winner.
    readings : Readings
        Scores under every open reading of the rules, and with each switch changed by itself.
    resampling : Resampling
        The resampled competitions.
    """

    winners: tuple[str, ...]
    resampled: str
    test: str
    readings: Readings = field(compare=False, repr=False)
    resampling: Resampling = field(compare=False, repr=False)

    @property
    def share(self) -> float:
        """Share of the draws that the (first) winner wins; tied methods share a win."""
        return float(self.resampling.table.set_index("method")["p_win"][self.winners[0]])

    @property
    def scores(self) -> pd.DataFrame:
        """The final scores in the draws, one row per draw and one column per method."""
        return pd.DataFrame(self.resampling.final, columns=list(self.resampling.methods))

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places of the methods of `resampling` in the readings (those of the rules first) and in the draws."""
        columns = [f"score of {name}" for name in self.resampling.methods]
        return places(self.readings.table[columns].to_numpy(float)), places(self.resampling.final)

    @property
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
    def open_place(self) -> Statement:
        """Clause that names the first place that is open, and who else takes it; empty if all places are sure."""
        table, (by_reading, by_draw) = self.places, self._places
        is_sure = (table["p_rank"] >= SURE_SHARE) & table["reading_low"].eq(table["reading_high"])
        if is_sure.all():
            return Statement()
        place = int(table.loc[~is_sure, "rank"].min())
        shares, counts = (by_draw == place).mean(axis=0), (by_reading == place).sum(axis=0)
        takers = [
            state(
                "taker",
                "{taker} in {place_share}"
                + (" and {place_readings:,} readings" if counts[i] else ""),
                taker=table["method"][i],
                place_share=Fact(shares[i], percent(shares[i])),
                place_readings=counts[i],
            )
            for i in np.lexsort([-counts, -shares])
            if (counts[i] or shares[i] >= LEAST_SHARE)
            and not (place == 1 and table["method"][i] in self.winners)
        ]
        template = "place {place} is open" + (": {takers}" if takers else "")
        return state("open", template, place=place, takers=join_statements(takers, most=3))

    @property
    def sentence(self) -> Statement:
        """Statement about draws, test and readings that change the winner, and open places; empty for one method."""
        winners = Fact(self.winners, listed(self.winners, 3))
        if len(self.winners) > 1:
            return state("certainty", "{winners} share the first place.", winners=winners)
        if not self.test:
            return Statement()
        is_changed = self.readings.singles["changed"]
        all_winners = self.readings.table["winners"].tolist()
        n_changed = int(is_changed.sum())
        n_lost = len(all_winners) - all_winners.count(self.readings.winners)
        verb = "changes" if n_changed + n_lost < 2 else "change"
        open_clause = "; {open_place}" if self.open_place else ""
        return state(
            "certainty",
            f"{{winners}} wins in {{share}} of {{draws:,}} re-draws of {{resampled}}; {{test}}; "
            "{changed} of {settings} settings of single switches and {lost} of {readings:,} open readings "
            f"{verb} the winner{open_clause}.",
            winners=winners,
            share=Fact(self.share, percent(self.share)),
            draws=len(self.resampling.final),
            resampled=self.resampled,
            test=self.test,
            changed=Fact(n_changed, str(n_changed or "none")),
            settings=len(is_changed),
            lost=Fact(n_lost, f"{n_lost:,}" if n_lost else "none"),
            readings=len(all_winners),
            open_place=self.open_place,
        )


@dataclass(frozen=True, repr=False)
class Robustness(Result):
    """All examinations of a verdict; the classes of the attributes describe them.

    Parameters
    ----------
    judgement : Judgement
        The verdict.
    certainty : Certainty
        Certainty of the winner.
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
        readings = (self.readings.sentence,) if self.certainty.sentence else ()
        return (
            *readings,
            self.readings.singles_sentence,
            self.left_out.sentence,
            *describe_beaten(self.beaten),
            self.comparison.headline,
        )

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
    datasets = pd.Index(scoring.datasets)
    source_codes, sources = pd.factorize(dataset_sources(judgement).reindex(datasets[plan.scored]))
    weight = np.zeros((draws, len(datasets)))
    n_drawn = rng.multinomial(len(sources), np.full(len(sources), 1 / len(sources)), size=draws)
    weight[:, plan.scored] = n_drawn[:, source_codes]
    weight *= plan.weight
    final = np.empty((draws, values.shape[-2]))
    for batch in batches(draws, values.size):
        runs = _draw_runs(usable, batch.stop - batch.start, rng)
        resampled = np.take_along_axis(values[None], runs[:, None], axis=-1)
        final[batch] = score(resampled, replace(plan, weight=weight[batch]), judge_rules).final
    return Resampling(scoring.methods, final)


def dataset_sources(judgement: Judgement) -> pd.Series:
    """Return the source of each scored dataset (`srlib.metrics.source_of`), the unit of comparisons."""
    problems, scored_datasets = judgement.problems, judgement.screened.scored
    sources = {name: source_of(*problems.origin(name)) for name in scored_datasets}
    return pd.Series(sources, dtype="str").sort_index()


def batches(total: int, size: int) -> list[slice]:
    """Return slices that divide `total` competitions of `size` values each into batches to be scored together."""
    step = max(1, BATCH_VALUES // size)
    return [slice(start, min(start + step, total)) for start in range(0, total, step)]


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
    readings, resampling = score_readings(judgement), resample(judgement, draws, seed)
    comparison = compare_scores(judgement)
    return Robustness(
        judgement,
        _certainty(judgement, readings, resampling, comparison),
        readings,
        resampling,
        leave_one_out(judgement),
        comparison,
        improvements(judgement),
        rank_without_beaten(judgement),
    )


def certainty(judgement: Judgement) -> Certainty:
    """Return the certainty of a judgement's winner, with fewer draws in a large competition than `examine`."""
    draws = min(N_DRAWS, max(FEWEST_DRAWS, MOST_RUNS_DRAWN // len(judgement.screened.usable)))
    resampling = resample(judgement, draws)
    return _certainty(judgement, score_readings(judgement), resampling, compare_scores(judgement))


def compare_scores(judgement: Judgement) -> Comparison:
    """Return the comparison of the methods by their dataset scores, with the sources of the datasets as units."""
    scores = judgement.datasets
    measures = scores[["method", "dataset"]].assign(
        repetition=0,
        aspect=SCORE_METRIC,
        value=scores["score"],
        group=scores["property"].fillna("no property").astype("str"),
        source=scores["dataset"].map(dataset_sources(judgement)).fillna("").astype("str"),
    )
    return compare_methods(Benchmark(measures), SCORE_METRIC)


def _certainty(
    judgement: Judgement, readings: Readings, resampling: Resampling, comparison: Comparison
) -> Certainty:
    """Return the certainty of the winner from the readings, the resampled scores and the tests of the scores."""
    ranks = judgement.ranking.dropna(subset="rank").set_index("method")["rank"]
    winners, other_ranks = tuple(ranks.index[ranks == 1]), ranks[ranks > 1]
    followers = other_ranks.index[other_ranks == other_ranks.min()].tolist()
    return Certainty(
        winners=winners,
        resampled="sources and runs" if comparison.tested else "these datasets and their runs",
        test=comparison.describe_test(winners[0], followers) if followers else "",
        readings=readings,
        resampling=resampling,
    )
