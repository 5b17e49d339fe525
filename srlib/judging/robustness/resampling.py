"""How often the winner wins again with other runs, or on other datasets.

Runs are drawn within a cell (method and dataset) with replacement, each with all its aspects, as many as are usable
there: absent runs stay absent, and references of noisy datasets are drawn along. Where the rules rank each
repetition, whole repetitions are drawn. Datasets that are scored are drawn with replacement, as many as there are.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.judging.judgement import Judgement
from srlib.judging.robustness.competition import Competition
from srlib.judging.scoring import ScoreSteps, combine_ranks, places, score
from srlib.judging.values import Array
from srlib.prose import listed, percent

AT_ONCE = 200_000  # values that are scored at a time: they fit into a processor's cache, and the memory is bounded


@dataclass(frozen=True)
class Resampling:
    """Final scores of resampled competitions.

    Parameters
    ----------
    methods : tuple of str
        In the order of the last axis of all scores.
    scores : dict of str to array, resamples x methods
        By what was drawn: 'repetitions', 'datasets' or 'both'; higher is better.
    announced : tuple of str
        Who wins the competition as it is; the sentence is about them first.
    """

    methods: tuple[str, ...]
    scores: dict[str, Array]
    announced: tuple[str, ...] = ()

    @cached_property
    def table(self) -> pd.DataFrame:
        """By `resampled` and `method`: P(win) (a shared win counts in parts), P(top 3), interval of ranks (95 %)."""
        parts = []
        for kind, final in self.scores.items():
            place = places(final)
            first = place == 1
            low, middle, high = np.quantile(
                place, [0.025, 0.5, 0.975], axis=0, method="inverted_cdf"
            )
            columns = {
                "p_win": (first / first.sum(axis=-1, keepdims=True)).mean(axis=0),
                "p_top_3": (place <= 3).mean(axis=0),
                **{"rank_low": low, "rank_median": middle, "rank_high": high},
            }
            parts.append(
                pd.DataFrame(
                    {"resampled": kind, "method": self.methods, "n_resamples": len(final)} | columns
                )
            )
        return pd.concat(parts, ignore_index=True)

    def place_shares(self, kind: str) -> pd.DataFrame:
        """Share of the resamples in which each `method` takes each place."""
        place = places(self.scores[kind])
        shares = {f"place {k}": (place == k).mean(axis=0) for k in range(1, len(self.methods) + 1)}
        table = pd.DataFrame({"method": self.methods} | shares).assign(mean=place.mean(axis=0))
        return table.sort_values("mean", kind="stable", ignore_index=True).drop(columns="mean")

    @property
    def sentence(self) -> str:
        """Say how often the winner wins again, and who wins more often."""
        shares = self.table.set_index(["resampled", "method"])["p_win"].to_dict()
        said = {
            "repetitions": "with other runs",
            "datasets": "on other datasets",
            "both": "with both",
        }
        often = {
            name: listed([f"{percent(shares[kind, name])} {words}" for kind, words in said.items()])
            for name in self.methods
        }
        first = [f"{name} wins {often[name]}" for name in self.announced]
        ahead = max(shares["both", name] for name in self.announced)
        others = [
            f"{name}, who does not win the competition, wins more often with both: {often[name]}"
            for name in sorted(self.methods, key=lambda name: -shares["both", name])
            if name not in self.announced and shares["both", name] > ahead
        ]
        return f"Resampled {len(self.scores['both']):,} times, {'; '.join(first[:3] + others[:2])}."


def resample(judgement: Judgement, resamples: int = 10_000, seed: int = 0) -> Resampling:
    """Draw runs, datasets and both with replacement, and score each draw.

    Parameters
    ----------
    judgement : Judgement
        What is drawn from.
    resamples : int
        Of each kind; the same draws of runs and of datasets serve for both.
    seed : int
        Of all random numbers.
    """
    whole, rng = Competition.from_judgement(judgement), np.random.default_rng(seed)
    (values, plan), judge, methods = whole.arranged, whole.judge, whole.screened.methods
    ran, scored = np.any(np.isfinite(values), axis=0), np.flatnonzero(plan.scored)
    usable = ran
    if judge.rank_per == "repetition":
        usable = np.any(ran, axis=1, keepdims=True)
    scores = {
        kind: np.empty((resamples, len(methods))) for kind in ("repetitions", "datasets", "both")
    }
    for part in chunks(resamples, values.size):
        n = part.stop - part.start
        runs = score(_taken(values, _drawn(usable, n, rng)), plan, judge)
        datasets = scored[rng.integers(len(scored), size=(n, len(scored)))]
        scores["repetitions"][part] = runs.final
        scores["datasets"][part] = _over(whole.steps, datasets, whole)
        scores["both"][part] = _over(runs, datasets, whole)
    announced = tuple(np.array(methods)[places(whole.steps.final) == 1].tolist())
    return Resampling(methods, scores, announced)


def chunks(total: int, size: int) -> list[slice]:
    """Cut competitions of a size into parts that are scored at a time."""
    step = max(1, AT_ONCE // size)
    return [slice(start, min(start + step, total)) for start in range(0, total, step)]


def _drawn(usable: NDArray[np.bool_], n: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """Draw for each usable run a usable one of its cell; the others stay where they are."""
    order = np.argsort(~usable, axis=-1, kind="stable")
    count = usable.sum(axis=-1, keepdims=True)
    drawn = np.take_along_axis(
        order[None], (rng.random((n, *usable.shape)) * count).astype(int), axis=-1
    )
    return np.where(np.arange(usable.shape[-1]) < count, drawn, order)


def _taken(values: Array, runs: NDArray[np.int_]) -> Array:
    return np.take_along_axis(values[None], runs[:, None], axis=-1)


def _over(scored: ScoreSteps, datasets: NDArray[np.int_], whole: Competition) -> Array:
    """Carry out the scorer's last step over chosen datasets, (..., chosen): ranks on one do not depend on others."""
    steps = (step[None] if step.ndim == 3 else step for step in (scored.ranks, scored.rounded))
    rank, rounded = (
        np.take_along_axis(step, datasets[:, None, :, None], axis=-2) for step in steps
    )
    plan = whole.arranged[1]
    plan = replace(
        plan,
        scored=np.ones(datasets.shape[1], dtype=bool),
        sign=np.moveaxis(plan.sign[:, datasets], 0, 1),
        weight=np.broadcast_to(plan.weight, plan.scored.shape)[datasets],
    )
    final = combine_ranks(rank, rounded, plan, whole.judge)[1]
    return np.where(np.isfinite(scored.final), final, np.nan)
