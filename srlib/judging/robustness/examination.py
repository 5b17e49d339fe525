"""How sure a verdict is: the certainty of the winner, and all that `srlib robustness` and its notebook show."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare
from srlib.comparing.paired_tests import FEWEST_UNITS
from srlib.errors import InputError
from srlib.folders import result_folder
from srlib.judging.judgement import Judgement
from srlib.judging.robustness.readings import Readings, score_readings
from srlib.judging.robustness.resampling import Resampling, dataset_sources, resample
from srlib.judging.robustness.what_if import (
    Improvements,
    LeaveOneOut,
    describe_gains,
    improvements,
    leave_one_out,
)
from srlib.prose import listed, percent
from srlib.table_files import write_frame

DRAWS, FEWEST_DRAWS = 10_000, 200
MOST_RUNS = 50_000_000  # runs drawn in all for a first page; a large competition gets fewer draws
SCORE = "dataset_score"  # a metric of srlib.comparing
FIRM = 0.95  # share of the draws
RULE = (
    f"Firm: the winner wins at least {FIRM:.0%} of the re-draws, the test tells it apart from who follows, and no "
    "switch and no open reading crowns another; open: all else."
)


@dataclass(frozen=True)
class Certainty:
    """How sure the winner is.

    Parameters
    ----------
    winners, followers : tuple of str
        Who has the first place, and who has the next.
    share : float
        Of the draws that the winner wins; a shared win counts in parts.
    draws : int
        Resampled competitions.
    drawn : str
        What is drawn: sources and runs, or only the runs of these datasets where there are too few sources to test.
    test : str
        What the test of the scores says about the winner and its followers, as a clause.
    distinct : bool
        Whether it calls the winner better than each of them.
    switches, switches_lost : int
        Ways to turn one switch alone, and how many of them crown another.
    readings, readings_lost : int
        Open readings, and how many of them crown another.
    places : pandas.DataFrame
        The places of each method in the draws: `Resampling.table`.
    """

    winners: tuple[str, ...]
    followers: tuple[str, ...]
    share: float
    draws: int
    drawn: str
    test: str
    distinct: bool
    switches: int
    switches_lost: int
    readings: int
    readings_lost: int
    places: pd.DataFrame = field(compare=False, repr=False)

    @property
    def word(self) -> str:
        """`firm` or `open`, by `RULE`."""
        unchanged = self.switches_lost == self.readings_lost == 0
        if len(self.winners) == 1 and self.share >= FIRM and self.distinct and unchanged:
            return "firm"
        return "open"

    @property
    def sentence(self) -> str:
        """What the certainty rests on; empty where nobody follows."""
        if len(self.winners) > 1:
            return f"{listed(self.winners, 3)} share the first place."
        if not self.followers:
            return ""
        verb = "crowns" if self.switches_lost + self.readings_lost < 2 else "crown"
        return (
            f"{listed(self.winners)} wins in {percent(self.share)} of {self.draws:,} re-draws of {self.drawn}; "
            f"{self.test}; {self.switches_lost or 'none'} of {self.switches} switches and "
            f"{self.readings_lost or 'none'} of {self.readings:,} open readings {verb} another."
        )

    @property
    def badge(self) -> dict[str, str]:
        """The `word`, the sentence as `said`, and the `rule`; empty where nobody follows."""
        if not self.sentence:
            return {}
        return {"word": self.word, "said": self.sentence, "rule": RULE}


@dataclass(frozen=True)
class Examination:
    """How sure a verdict is, seen from all sides; see the class or function of each."""

    certainty: Certainty
    readings: Readings
    resampling: Resampling
    left_out: LeaveOneOut
    comparison: Comparison
    gains: Improvements

    @property
    def sentences(self) -> list[str]:
        """What a reader can quote; the first is the answer in short."""
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

    def write(self, folder: str | Path) -> None:
        """Write switchboard, resampling, leave_one_out, significance and improvements as CSV."""
        tables = {
            "switchboard": self.readings.table,
            "resampling": self.resampling.table,
            "leave_one_out": self.left_out.table,
            "significance": self.comparison.pairs,
            "improvements": self.gains.table,
        }
        with result_folder(folder, "robustness") as new:
            for name, table in tables.items():
                write_frame(table, new / f"{name}.csv")


def examine(judgement: Judgement, draws: int = DRAWS, seed: int = 0) -> Examination:
    """Score a competition again under other rules, with other sources and runs, and without each part of it."""
    if draws < 1:
        raise InputError(f"resamples must be 1 or more, got {draws}")
    readings, resampling = score_readings(judgement), resample(judgement, draws, seed)
    comparison = compare_scores(judgement)
    return Examination(
        _certainty(judgement, readings, resampling, comparison),
        readings,
        resampling,
        leave_one_out(judgement),
        comparison,
        improvements(judgement),
    )


def certainty(judgement: Judgement, seed: int = 0) -> Certainty:
    """How sure the winner of a judgement is, quick enough for the first page."""
    runs = max(len(judgement.screened.usable), 1)
    draws = min(DRAWS, max(FEWEST_DRAWS, MOST_RUNS // runs))
    resampling = resample(judgement, draws, seed)
    return _certainty(judgement, score_readings(judgement), resampling, compare_scores(judgement))


def compare_scores(judgement: Judgement) -> Comparison:
    """Compare the methods by their dataset scores, with the sources of the datasets as units."""
    scores = judgement.datasets
    measures = scores[["method", "dataset"]].assign(
        repetition=0,
        aspect=SCORE,
        value=scores["score"],
        group=scores["property"].fillna("no property").astype("str"),
        source=scores["dataset"].map(dataset_sources(judgement)).fillna("").astype("str"),
    )
    return compare(Benchmark(measures), SCORE)


def _certainty(
    judgement: Judgement, readings: Readings, resampling: Resampling, comparison: Comparison
) -> Certainty:
    ranking = judgement.ranking.dropna(subset=["rank"])
    winners = tuple(ranking["method"][ranking["rank"] == 1].tolist())
    after = ranking[ranking["rank"] > 1]
    followers = tuple(after["method"][after["rank"] == after["rank"].min()].tolist())
    drawn, test, distinct = "sources and runs", "", False
    if len(comparison.unit_values) < FEWEST_UNITS:
        drawn = "these datasets and their runs"
    if followers:
        test = comparison.describe_test(winners[0], followers)
        distinct = comparison.tells_apart(winners[0], followers)
    return Certainty(
        winners=winners,
        followers=followers,
        share=float(resampling.table.set_index("method")["p_win"].get(winners[0], np.nan)),
        draws=len(resampling.final),
        drawn=drawn,
        test=test,
        distinct=distinct,
        switches=len(readings.singles),
        switches_lost=int(readings.singles["changed"].sum()),
        readings=len(readings.open),
        readings_lost=int((readings.open["winner"] != readings.winner).sum()),
        places=resampling.table,
    )
