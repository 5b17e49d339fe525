"""How sure a verdict is: the certainty of the winner, and all that `srlib robustness` and its notebook show."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.comparing.pairs import pairwise
from srlib.errors import InputError
from srlib.folders import result_folder
from srlib.judging.robustness.readings import Readings, score_readings
from srlib.judging.robustness.resampling import Resampling, dataset_sources, resample
from srlib.judging.robustness.what_if import (
    Improvements,
    LeaveOneOut,
    describe_gains,
    improvements,
    leave_one_out,
)
from srlib.judging.verdict import Judgement
from srlib.prose import listed, percent
from srlib.table_files import write_frame

DRAWS, FEWEST_DRAWS = 10_000, 200
MOST_RUNS = 50_000_000  # runs drawn in all for a first page; a large competition gets fewer draws
LEVEL = 0.05
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
    draws, sources : int
        Resampled competitions, and sources of the datasets.
    p_value : float or None
        Largest adjusted p-value of the winner against a follower; None where there are too few sources for a test.
    ahead : bool
        Whether the winner's mean score over the sources is above that of each follower.
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
    sources: int
    p_value: float | None
    ahead: bool
    switches: int
    switches_lost: int
    readings: int
    readings_lost: int
    places: pd.DataFrame = field(compare=False, repr=False)

    @property
    def word(self) -> str:
        """`firm` or `open`, by `RULE`."""
        distinct = self.p_value is not None and self.p_value < LEVEL and self.ahead
        unchanged = self.switches_lost == self.readings_lost == 0
        if len(self.winners) == 1 and self.share >= FIRM and distinct and unchanged:
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
        drawn = "sources and runs"
        if self.p_value is None:
            drawn = "these datasets and their runs"
        return (
            f"{listed(self.winners)} wins in {percent(self.share)} of {self.draws:,} re-draws of {drawn}; "
            f"{self._test_clause}; {self.switches_lost or 'none'} of {self.switches} switches and "
            f"{self.readings_lost or 'none'} of {self.readings:,} open readings {verb} another."
        )

    @property
    def _test_clause(self) -> str:
        if self.p_value is None:
            verb = "source is" if self.sources == 1 else "sources are"
            return f"{self.sources} {verb} too few to speak of others"
        rivals = listed(self.followers, 3)
        p_text = f"p = {self.p_value:.2g}"
        if self.p_value < 1e-300:
            p_text = "p < 1e-300"
        if self.p_value >= LEVEL:
            return f"the test does not tell it apart from {rivals} ({p_text})"
        if not self.ahead:
            return f"the test puts it behind {rivals} ({p_text})"
        return f"the test tells it apart from {rivals} ({p_text})"

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
    pairs: pd.DataFrame
    gains: Improvements

    @property
    def sentences(self) -> list[str]:
        """What a reader can quote; the first is the answer in short."""
        lines = [
            self.certainty.sentence,
            self.readings.sentence,
            self.readings.singles_sentence,
            self.left_out.sentence,
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
            "significance": self.pairs,
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
    pairs = compare_methods(judgement)
    return Examination(
        _certainty(judgement, readings, resampling, pairs),
        readings,
        resampling,
        leave_one_out(judgement),
        pairs,
        improvements(judgement),
    )


def certainty(judgement: Judgement, seed: int = 0) -> Certainty:
    """How sure the winner of a judgement is, quick enough for the first page."""
    runs = max(len(judgement.screened.usable), 1)
    draws = min(DRAWS, max(FEWEST_DRAWS, MOST_RUNS // runs))
    resampling = resample(judgement, draws, seed)
    return _certainty(judgement, score_readings(judgement), resampling, compare_methods(judgement))


def source_scores(judgement: Judgement) -> pd.DataFrame:
    """Mean dataset score by source (rows) and method (columns); a missing score counts as the worst there."""
    scores = judgement.datasets.pivot_table(
        "score", index="dataset", columns="method", dropna=False
    )
    scores = scores.T.fillna(scores.min(axis=1)).T.dropna()
    return scores.groupby(dataset_sources(judgement).reindex(scores.index).rename("source")).mean()


def compare_methods(judgement: Judgement) -> pd.DataFrame:
    """Test of each pair of methods over the sources, as `srlib.comparing` makes it, corrected for their number."""
    return pairwise(source_scores(judgement)).rename(columns={"n_datasets": "n_sources"})


def _certainty(
    judgement: Judgement, readings: Readings, resampling: Resampling, pairs: pd.DataFrame
) -> Certainty:
    ranking = judgement.ranking.dropna(subset=["rank"])
    winners = tuple(ranking["method"][ranking["rank"] == 1].tolist())
    after = ranking[ranking["rank"] > 1]
    followers = tuple(after["method"][after["rank"] == after["rank"].min()].tolist())
    scores = source_scores(judgement)
    means = scores.mean()
    rivals = pairs[
        (pairs["method_a"].isin(winners) & pairs["method_b"].isin(followers))
        | (pairs["method_a"].isin(followers) & pairs["method_b"].isin(winners))
    ]
    p_value = float(rivals["p_adjusted"].astype(float).max())
    return Certainty(
        winners=winners,
        followers=followers,
        share=float(resampling.table.set_index("method")["p_win"].get(winners[0], np.nan)),
        draws=len(resampling.final),
        sources=len(scores),
        p_value=None if np.isnan(p_value) else p_value,
        ahead=all(means[winners[0]] > means[name] for name in followers),
        switches=len(readings.singles),
        switches_lost=int(readings.singles["changed"].sum()),
        readings=len(readings.open),
        readings_lost=int((readings.open["winner"] != readings.winner).sum()),
        places=resampling.table,
    )
