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

from srlib.judging.design import Array
from srlib.judging.ranking import Stages, combine, score, stages
from srlib.judging.robustness.competition import Competition, places
from srlib.judging.verdict import Judgement
from srlib.words import listed, percent

AT_ONCE = 200_000  # values that are scored at a time: they fit into a processor's cache, and the memory is bounded
SPLITS = 1000


@dataclass(frozen=True)
class Resampling:
    """Final scores of resampled competitions.

    Parameters
    ----------
    methods : tuple of str
        In the order of the last axis of all scores.
    scores : dict of str to array, resamples x methods
        By what was drawn: 'repetitions', 'datasets' or 'both'; higher is better.
    halves : dict of str to array, 2 x splits x methods
        Scores in two halves of the 'repetitions' or of the 'datasets', split at random; absent where there is but one.
    announced : tuple of str
        Who wins the competition as it is; the sentence is about them first.
    """

    methods: tuple[str, ...]
    scores: dict[str, Array]
    halves: dict[str, Array]
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

    @cached_property
    def head_to_head(self) -> pd.DataFrame:
        """Probability `p` that `method` scores higher than `opponent`; equal scores count half."""
        parts = []
        for kind, final in self.scores.items():
            place = places(final)
            for i, name in enumerate(self.methods):
                ahead = (np.sign(place - place[:, [i]]).mean(axis=0) + 1) / 2
                pairs = {"resampled": kind, "method": name, "opponent": self.methods, "p": ahead}
                parts.append(pd.DataFrame(pairs).drop(index=i))
        return pd.concat(parts, ignore_index=True)

    def place_shares(self, kind: str) -> pd.DataFrame:
        """Share of the resamples in which each `method` takes each place."""
        place = places(self.scores[kind])
        shares = {f"place {k}": (place == k).mean(axis=0) for k in range(1, len(self.methods) + 1)}
        table = pd.DataFrame({"method": self.methods} | shares).assign(mean=place.mean(axis=0))
        return table.sort_values("mean", kind="stable", ignore_index=True).drop(columns="mean")

    @cached_property
    def stability(self) -> pd.DataFrame:
        """Agreement of halves: `split`, `n_splits`, mean Spearman `correlation` of places, share of `same_winner`."""
        rows = []
        for kind, halves in self.halves.items():
            place = places(halves)
            centred = place - place.mean(axis=-1, keepdims=True)
            size = np.sqrt((centred**2).sum(axis=-1).prod(axis=0))
            # all tied: no agreement
            correlation = centred.prod(axis=0).sum(axis=-1) / np.where(size > 0, size, 1)
            rows.append(
                (kind, len(size), correlation.mean(), (place == 1).all(axis=0).any(axis=-1).mean())
            )
        return pd.DataFrame(rows, columns=["split", "n_splits", "correlation", "same_winner"])

    @property
    def sentence(self) -> str:
        """Say how often the winner wins again, who wins more often, and how far the rankings of two halves agree."""
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
        text = f"Resampled {len(self.scores['both']):,} times, {'; '.join(first[:3] + others[:2])}"
        agree = self.stability.set_index("split")["same_winner"].to_dict()
        halves = [f"{percent(share)} for halves of the {kind}" for kind, share in agree.items()]
        return (
            f"{text}{'; both halves have the same winner in ' + listed(halves) if halves else ''}."
        )


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
    (values, design), judge, methods = whole.arranged, whole.judge, whole.screened.methods
    ran, scored = np.any(np.isfinite(values), axis=0), np.flatnonzero(design.scored)
    usable = ran
    if judge.rank_per == "repetition":
        usable = np.any(ran, axis=1, keepdims=True)
    scores = {
        kind: np.empty((resamples, len(methods))) for kind in ("repetitions", "datasets", "both")
    }
    for part in chunks(resamples, values.size):
        n = part.stop - part.start
        runs = stages(_taken(values, _drawn(usable, n, rng)), design, judge)
        datasets = scored[rng.integers(len(scored), size=(n, len(scored)))]
        scores["repetitions"][part] = runs.final
        scores["datasets"][part] = _over(whole.stages, datasets, whole)
        scores["both"][part] = _over(runs, datasets, whole)
    halves, splits, half = {}, min(resamples, SPLITS), values.shape[-1] // 2
    if half:
        fewer = judge.model_copy(update={"repetitions": max(judge.repetitions // 2, 1)})
        half_design = replace(design, extra=np.asarray(design.extra) // 2)
        halves["repetitions"] = np.empty((2, splits, len(methods)))
        for part in chunks(splits, values.size):
            order = rng.random((part.stop - part.start, *usable.shape)).argsort(axis=-1)
            for i in (0, 1):
                one = _taken(values, order[..., i * half : (i + 1) * half])
                halves["repetitions"][i, part] = score(one, half_design, fewer)
    if half := len(scored) // 2:
        order = scored[rng.random((splits, len(scored))).argsort(axis=-1)]
        halves["datasets"] = np.empty((2, splits, len(methods)))
        for part in chunks(splits, values.size):
            for i in (0, 1):
                chosen = order[part, i * half : (i + 1) * half]
                halves["datasets"][i, part] = _over(whole.stages, chosen, whole)
    announced = tuple(np.array(methods)[places(whole.stages.final) == 1].tolist())
    return Resampling(methods, scores, halves, announced)


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


def _over(scored: Stages, datasets: NDArray[np.int_], whole: Competition) -> Array:
    """Carry out the scorer's last step over chosen datasets, (..., chosen): ranks on one do not depend on others."""
    steps = (step[None] if step.ndim == 3 else step for step in (scored.rank, scored.rounded))
    rank, rounded = (
        np.take_along_axis(step, datasets[:, None, :, None], axis=-2) for step in steps
    )
    given = whole.arranged[1]
    design = replace(
        given,
        scored=np.ones(datasets.shape[1], dtype=bool),
        sign=np.moveaxis(given.sign[:, datasets], 0, 1),
        weight=np.broadcast_to(given.weight, given.scored.shape)[datasets],
    )
    final = combine(rank, rounded, design, whole.judge)[1]
    return np.where(np.isfinite(scored.final), final, np.nan)
