"""Examination of a verdict: the certainty of the winner, and all that `srlib robustness` and its notebook show.

How often each method wins again when sources of datasets and runs are drawn anew (`resample`):
Sources of scored datasets are drawn with replacement, as many as there are; each brings all its datasets. Within a
cell (method and dataset) runs are drawn with replacement, each with all its aspects, as many as are usable there:
absent runs stay absent, and references of noisy datasets are drawn along. Where the rules rank each repetition, whole
repetitions are drawn.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare
from srlib.comparing.metrics import source_of
from srlib.comparing.paired_tests import FEWEST_UNITS
from srlib.errors import require
from srlib.judging.judgement import Judgement
from srlib.judging.properties import arrange
from srlib.judging.robustness.readings import Readings, score_readings
from srlib.judging.robustness.what_if import (
    Improvements,
    LeaveOneOut,
    describe_gains,
    improvements,
    leave_one_out,
)
from srlib.judging.scoring import Array, places, score
from srlib.prose import listed, percent
from srlib.result import Result

N_DRAWS, FEWEST_DRAWS = 10_000, 200
# runs drawn in all for a first page; a large competition gets fewer draws
MOST_RUNS_DRAWN = 50_000_000
BATCH_VALUES = 200_000  # values scored at a time: they fit into a processor's cache
SCORE_METRIC = "dataset_score"  # a metric of srlib.comparing


@dataclass(frozen=True)
class Resampling:
    """Final scores of resampled competitions.

    Parameters
    ----------
    methods : tuple of str
        In the order of the last axis of `final`.
    final : array, draws x methods
        Higher is better.
    """

    methods: tuple[str, ...]
    final: Array

    @cached_property
    def table(self) -> pd.DataFrame:
        """By `method`: `n_resamples`, `p_win` (a shared win counts in parts), `p_top_3`, 95% interval of the rank."""
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
        """Share of the draws in which each `method` takes each place, best mean place first."""
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
    share : float
        Share of the draws that the winner wins; a shared win counts in parts.
    draws : int
        Resampled competitions.
    resampled : str
        Clause about the things drawn: sources and runs, or, where the sources are too few to test, these datasets and
        their runs.
    test : str
        Result of the test of the scores between the winner and the next places, as a clause; empty where nobody has a
        next place.
    readings : Readings
        The competition scored under every open reading, and with each switch turned alone.
    places : pandas.DataFrame
        The places of each method in the draws: `Resampling.table`.
    scores : pandas.DataFrame
        The final scores in the draws, a row a draw and a column a method.
    """

    winners: tuple[str, ...]
    share: float
    draws: int
    resampled: str
    test: str
    readings: Readings = field(compare=False, repr=False)
    places: pd.DataFrame = field(compare=False, repr=False)
    scores: pd.DataFrame = field(compare=False, repr=False)

    @property
    def sentence(self) -> str:
        """Sentence about the draws, the test and the readings behind the certainty; empty where nobody follows."""
        if len(self.winners) > 1:
            return f"{listed(self.winners, 3)} share the first place."
        if not self.test:
            return ""
        is_changed, table = self.readings.singles["changed"], self.readings.table
        n_lost = int((table["winner"] != self.readings.winner).sum())
        verb = "changes" if is_changed.sum() + n_lost < 2 else "change"
        return (
            f"{listed(self.winners)} wins in {percent(self.share)} of {self.draws:,} re-draws of {self.resampled}; "
            f"{self.test}; {is_changed.sum() or 'none'} of {len(is_changed)} settings of single switches and "
            f"{f'{n_lost:,}' if n_lost else 'none'} of {len(table):,} open readings {verb} the winner."
        )


@dataclass(frozen=True, repr=False)
class Examination(Result):
    """Every examination of a verdict; the class of each result has the details.

    Parameters
    ----------
    judgement : Judgement
        The verdict.
    certainty : Certainty
        Of the winner.
    readings : Readings
        Its `table` has a row for each reading of the rules: a column a switch, winner, margin, scores.
    resampling : Resampling
        Its `table` says how often each method wins, and its places, with sources and runs resampled.
    left_out : LeaveOneOut
        Its `table` has the ranking without each dataset, property, method and repetition.
    comparison : Comparison
        Tests of whether methods differ, pair by pair.
    gains : Improvements
        Its `table` has the smallest improvement that would gain each method a place.
    """

    judgement: Judgement
    certainty: Certainty
    readings: Readings
    resampling: Resampling
    left_out: LeaveOneOut
    comparison: Comparison
    gains: Improvements

    title = "How sure is the winner?"
    command = "robustness"

    @property
    def sentences(self) -> list[str]:
        """Sentences that a reader can quote; the first is the answer in short."""
        lines = [
            self.certainty.sentence,
            self.readings.sentence,
            self.readings.singles_sentence,
            self.left_out.sentence,
            self.comparison.headline,
            *describe_gains(self.gains.table),
            self.gains.note,
        ]
        return [line for line in lines if line]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table, the resampled places first."""
        return {
            "Places when sources and runs are resampled": self.resampling.table,
            "One thing left out": self.left_out.table,
            "Pairs of methods": self.comparison.pairs,
            "What would gain a place": self.gains.table,
            "Readings of the rules": self.readings.table,
        }

    @property
    def files(self) -> dict[str, pd.DataFrame]:
        """Tables that `srlib robustness` writes, by file name."""
        names = ("resampling", "leave_one_out", "significance", "improvements", "switchboard")
        return dict(zip(names, self.tables.values(), strict=True))

    def _draw(self, displays: Any) -> Any:
        """Draw the shares of the draws in which each method has each place."""
        return displays.MatrixDisplay(self.resampling.place_shares())


def resample(judgement: Judgement, draws: int = 10_000, seed: int = 0) -> Resampling:
    """Draw sources and runs with replacement, and score each draw.

    Parameters
    ----------
    judgement : Judgement
        The competition.
    draws : int
        Number of resampled competitions.
    seed : int
        Seed of all random numbers.
    """
    rng, judge = np.random.default_rng(seed), judgement.rules.judge
    values, plan = arrange(judgement.screened, judge)
    usable = np.any(np.isfinite(values), axis=0)
    if judge.rank_per == "repetition":
        usable = np.any(usable, axis=1, keepdims=True)
    datasets = pd.Index(judgement.screened.datasets)
    source_codes, sources = pd.factorize(dataset_sources(judgement).reindex(datasets[plan.scored]))
    weight = np.zeros((draws, len(datasets)))
    n_drawn = rng.multinomial(len(sources), np.full(len(sources), 1 / len(sources)), size=draws)
    weight[:, plan.scored] = n_drawn[:, source_codes]
    weight *= plan.weight
    final = np.empty((draws, values.shape[-2]))
    for batch in batches(draws, values.size):
        runs = _draw_runs(usable, batch.stop - batch.start, rng)
        resampled = np.take_along_axis(values[None], runs[:, None], axis=-1)
        final[batch] = score(resampled, replace(plan, weight=weight[batch]), judge).final
    return Resampling(judgement.screened.methods, final)


def dataset_sources(judgement: Judgement) -> pd.Series:
    """Source of each scored dataset, the unit of every comparison (`srlib.comparing.metrics.source_of`)."""
    problems, scored_datasets = judgement.problems, judgement.screened.scored
    sources = {name: source_of(*problems.origin(name)) for name in scored_datasets}
    return pd.Series(sources, dtype="str").sort_index()


def batches(total: int, size: int) -> list[slice]:
    """Cut `total` competitions of `size` values into slices that are scored at a time."""
    step = max(1, BATCH_VALUES // size)
    return [slice(start, min(start + step, total)) for start in range(0, total, step)]


def _draw_runs(usable: NDArray[np.bool_], draws: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """Draw positions of runs: for each usable run a usable one of its cell; the others keep their positions."""
    order = np.argsort(~usable, axis=-1, kind="stable")
    n_usable = usable.sum(axis=-1, keepdims=True)
    positions = (rng.random((draws, *usable.shape)) * n_usable).astype(int)
    resampled = np.take_along_axis(order[None], positions, axis=-1)
    return np.where(np.arange(usable.shape[-1]) < n_usable, resampled, order)


def examine(judgement: Judgement, draws: int = N_DRAWS, seed: int = 0) -> Examination:
    """Score a competition again under other rules, with other sources and runs, and without each part of it."""
    for name, number, least in (("resamples", draws, 1), ("seed", seed, 0)):
        require(
            isinstance(number, int) and number >= least,
            f"{name}: a whole number of at least {least} was expected, got {number!r}",
        )
    readings, resampling = score_readings(judgement), resample(judgement, draws, seed)
    comparison = compare_scores(judgement)
    return Examination(
        judgement,
        _certainty(judgement, readings, resampling, comparison),
        readings,
        resampling,
        leave_one_out(judgement),
        comparison,
        improvements(judgement),
    )


def certainty(judgement: Judgement) -> Certainty:
    """Certainty of the winner of a judgement, quick enough for the first page."""
    draws = min(N_DRAWS, max(FEWEST_DRAWS, MOST_RUNS_DRAWN // len(judgement.screened.usable)))
    resampling = resample(judgement, draws)
    return _certainty(judgement, score_readings(judgement), resampling, compare_scores(judgement))


def compare_scores(judgement: Judgement) -> Comparison:
    """Compare the methods by their dataset scores, with the sources of the datasets as units."""
    scores = judgement.datasets
    measures = scores[["method", "dataset"]].assign(
        repetition=0,
        aspect=SCORE_METRIC,
        value=scores["score"],
        group=scores["property"].fillna("no property").astype("str"),
        source=scores["dataset"].map(dataset_sources(judgement)).fillna("").astype("str"),
    )
    return compare(Benchmark(measures), SCORE_METRIC)


def _certainty(
    judgement: Judgement, readings: Readings, resampling: Resampling, comparison: Comparison
) -> Certainty:
    """Certainty of the winner from other readings, other runs and the test of the scores."""
    ranks = judgement.ranking.dropna(subset="rank").set_index("method")["rank"]
    winners, other_ranks = tuple(ranks.index[ranks == 1]), ranks[ranks > 1]
    followers = other_ranks.index[other_ranks == other_ranks.min()].tolist()
    few_units = len(comparison.unit_values) < FEWEST_UNITS
    return Certainty(
        winners=winners,
        share=float(resampling.table.set_index("method")["p_win"][winners[0]]),
        draws=len(resampling.final),
        resampled="these datasets and their runs" if few_units else "sources and runs",
        test=comparison.describe_test(winners[0], followers) if followers else "",
        readings=readings,
        places=resampling.table,
        scores=pd.DataFrame(resampling.final, columns=list(resampling.methods)),
    )
