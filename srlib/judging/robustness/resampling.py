"""How often each method wins again when sources of datasets and runs are drawn anew.

Sources of scored datasets are drawn with replacement, as many as there are; each brings all its datasets. Within a
cell (method and dataset) runs are drawn with replacement, each with all its aspects, as many as are usable there:
absent runs stay absent, and references of noisy datasets are drawn along. Where the rules rank each repetition, whole
repetitions are drawn.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.metrics import source_of
from srlib.judging.judgement import Judgement
from srlib.judging.run_values import arrange
from srlib.judging.scoring import Array, places, score

AT_ONCE = 200_000  # values scored at a time: they fit into a processor's cache


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


def resample(judgement: Judgement, draws: int = 10_000, seed: int = 0) -> Resampling:
    """Draw sources and runs with replacement, and score each draw.

    Parameters
    ----------
    judgement : Judgement
        The competition.
    draws : int
        Number of resampled competitions.
    seed : int
        Of all random numbers.
    """
    rng, judge = np.random.default_rng(seed), judgement.rules.judge
    values, plan = arrange(judgement.screened, judge)
    usable = np.any(np.isfinite(values), axis=0)
    if judge.rank_per == "repetition":
        usable = np.any(usable, axis=1, keepdims=True)
    datasets = pd.Index(judgement.screened.datasets)
    codes, names = pd.factorize(dataset_sources(judgement).reindex(datasets[plan.scored]))
    weight = np.zeros((draws, len(datasets)))
    times = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=draws)
    weight[:, plan.scored] = times[:, codes]
    weight *= plan.weight
    final = np.empty((draws, values.shape[-2]))
    for batch in batches(draws, values.size):
        runs = _draw_runs(usable, batch.stop - batch.start, rng)
        resampled = np.take_along_axis(values[None], runs[:, None], axis=-1)
        final[batch] = score(resampled, replace(plan, weight=weight[batch]), judge).final
    return Resampling(judgement.screened.methods, final)


def dataset_sources(judgement: Judgement) -> pd.Series:
    """Source of each scored dataset, the unit of every comparison (`srlib.comparing.metrics.source_of`)."""
    problems, scored = judgement.problems, judgement.screened.scored
    sources = {name: source_of(*problems.origin(name)) for name in scored}
    return pd.Series(sources, dtype="str").sort_index()


def batches(total: int, size: int) -> list[slice]:
    """Cut competitions of a size into parts that are scored at a time."""
    step = max(1, AT_ONCE // size)
    return [slice(start, min(start + step, total)) for start in range(0, total, step)]


def _draw_runs(usable: NDArray[np.bool_], draws: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """Positions of runs: for each usable one a usable one of its cell; the others keep their positions."""
    order = np.argsort(~usable, axis=-1, kind="stable")
    count = usable.sum(axis=-1, keepdims=True)
    chosen = (rng.random((draws, *usable.shape)) * count).astype(int)
    resampled = np.take_along_axis(order[None], chosen, axis=-1)
    return np.where(np.arange(usable.shape[-1]) < count, resampled, order)
