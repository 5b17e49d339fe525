"""What would change a method's rank: the smallest improvement of one aspect on one dataset that gains a place.

A method's value is moved to the value of each method above it there, and a step beyond, up to the best value that
the aspect can take; all else stays. The property of a noisy dataset follows from accuracy and is not moved alone. In a
large competition only the smallest improvements of each method and aspect are tried: each scores all once more.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.comparing.metrics import METRICS
from srlib.judging.judgement import Judgement
from srlib.judging.robustness.competition import Competition
from srlib.judging.robustness.resampling import chunks
from srlib.judging.scoring import places, score
from srlib.rules import Aspect

SIZES = ("complexity", "complexity_raw")
CELLS = 2_000_000_000  # values that are scored again in all: some tens of seconds
COLUMNS = ["method", "aspect", "dataset", "value", "target", "improvement", "rank", "new_rank"]


@dataclass(frozen=True)
class Improvements:
    """What gains a place, and how much of what could be tried was tried.

    Parameters
    ----------
    table : pandas.DataFrame
        `method`, `aspect`, `dataset`, `value` now and `target`, `improvement` (their distance, whatever the
        direction), `rank` and `new_rank`; best methods first. No row where no value that was tried suffices.
    possible, tried : int
        Values, each of one method, aspect and dataset.
    """

    table: pd.DataFrame
    possible: int
    tried: int

    @property
    def note(self) -> str:
        """Say what was left out; empty: nothing."""
        if self.tried == self.possible:
            return ""
        if not self.tried:
            return (
                f"None of {self.possible:,} improvements was tried, as each scores all runs once more and there are "
                "too many of them: what would gain a place is not known."
            )
        return (
            f"Only the {self.tried:,} smallest of {self.possible:,} improvements (of each method and aspect) were "
            "tried: a larger one, which is not listed, may gain a place, too."
        )


def improvements(judgement: Judgement, method: str = "") -> Improvements:
    """Find, for each method and aspect, the smallest improvement that gains a place; `method`: for this one alone."""
    whole = Competition.from_judgement(judgement)
    now, aspects = places(whole.steps.final), list(whole.judge.aspects)
    possible = _candidates(whole)
    if method:
        possible = possible[possible["m"] == whole.screened.methods.index(method)]
    tried = _smallest(possible, CELLS // whole.arranged[0].size)
    tried = tried.assign(rank=now[tried["m"]], new_rank=_places_after(whole, tried))
    gained = tried[tried["new_rank"] < tried["rank"]]
    named = {
        "method": np.array(whole.screened.methods, dtype=object)[gained["m"]],
        "aspect": np.array(aspects, dtype=object)[gained["a"]],
        "dataset": np.array(whole.screened.datasets, dtype=object)[gained["d"]],
        "improvement": (gained["target"] - gained["value"]).abs(),
    }
    table = gained.assign(**named)[COLUMNS].sort_values(
        ["rank", "method", "aspect", "improvement", "dataset"]
    )
    table = table.drop_duplicates(["method", "aspect"]).reset_index(drop=True)
    return Improvements(table, len(possible), len(tried))


def _places_after(competition: Competition, tried: pd.DataFrame) -> NDArray[np.int64]:
    """Place of each method after its value on one dataset is moved; everything is scored again."""
    (values, plan), judge = competition.arranged, competition.judge
    short = max(judge.repetitions - values.shape[-1], 0)
    values = np.pad(values, [(0, 0)] * 3 + [(0, short)], constant_values=np.nan)
    exists = np.ones((values.shape[1], values.shape[-1]), dtype=bool)
    if judge.rank_per == "repetition":  # only repetitions that exist are ranked
        exists = np.any(np.isfinite(values), axis=(0, 2))
    new_places = [np.empty(0, dtype=np.int64)]
    for part in chunks(len(tried), values.size):
        a, d, m, target = (tried[name].to_numpy()[part] for name in ("a", "d", "m", "target"))
        n = np.arange(len(target))
        changed = np.repeat(values[None], len(n), axis=0)
        changed[n, a, d, m] = np.where(exists[d], target[:, None], np.nan)
        new_places.append(places(score(changed, plan, judge).final)[n, m])
    return np.concatenate(new_places)


def _candidates(whole: Competition) -> pd.DataFrame:
    """Aspect, dataset, method, its value now, and a better value that another method has, or a step beyond it."""
    (_, plan), now, rounded = whole.arranged, places(whole.steps.final), whole.steps.rounded
    found: list[np.ndarray] = [np.empty((5, 0))]
    for a, aspect in enumerate(whole.judge.aspects.values()):
        for d in np.flatnonzero(plan.scored & ~((plan.reference >= 0) & (a == plan.prop))):
            sign, row = plan.sign[a, d], rounded[a, d]
            seen = np.unique(row[np.isfinite(row)] * sign)
            beyond = seen + _step(whole, aspect, int(d))
            # a step that ends on another's value, but for the last digits, is that value
            new = ~np.isclose(beyond[:, None], seen, rtol=1e-9, atol=1e-9).any(axis=1)
            targets = np.unique(np.concatenate([seen, np.round(beyond[new], 12)]))
            better = (targets > row[:, None] * sign) & (targets <= _best(aspect, sign))
            m, which = np.nonzero(better & (np.isfinite(row) & (now > 1))[:, None])
            place = [np.full(len(m), a), np.full(len(m), d), m]
            found.append(np.vstack([*place, row[m], targets[which] * sign]))
    table = pd.DataFrame(np.hstack(found).T, columns=["a", "d", "m", "value", "target"])
    return table.astype(dict.fromkeys("adm", np.int32))


def _step(whole: Competition, aspect: Aspect, d: int) -> float:
    """Give the smallest difference of an aspect's values that counts: of a whole number, that of one run."""
    parts, digits = 1, aspect.digits
    problem = whole.screened.problems[whole.screened.datasets[d]]
    shares = problem.property == "solution" and whole.judge.properties.solution == "frequency"
    if aspect.round == "before":
        parts = whole.judge.repetitions
    elif digits is None and (aspect.from_ in SIZES or (aspect.from_ == "property" and shares)):
        parts, digits = whole.judge.repetitions, 0
    return 10.0 ** -(3 if digits is None else digits) / parts


def _best(aspect: Aspect, sign: float) -> float:
    """Give the best value there can be, its sign turned where lower is better; infinite where there is no limit."""
    if aspect.transform == "neg_log":
        return 0.0
    metric = METRICS.get(aspect.from_, METRICS["r2_test"] if aspect.from_ == "property" else None)
    if (
        metric is None
        or np.isnan(metric.best)
        or sign != (1 if metric.direction == "higher" else -1)
    ):
        return np.inf
    return sign * metric.best


def _smallest(tried: pd.DataFrame, most: int) -> pd.DataFrame:
    """Keep about so many, the smallest improvements of each method and aspect."""
    if len(tried) <= most:
        return tried
    pairs = (tried["target"] - tried["value"]).abs().groupby([tried["a"], tried["m"]])
    return tried[pairs.rank(method="first") <= most // pairs.ngroups]


def would_gain(table: pd.DataFrame) -> list[str]:
    """Say for each method in `improvements` what would gain it a place, aspect by aspect."""
    said = []
    for method, part in table.groupby("method", sort=False):
        ways = []
        for row in part.itertuples():
            now, then = float(row.value), float(row.target)  # pyright: ignore
            digits = next((n for n in range(4, 12) if f"{then:.{n}g}" != f"{now:.{n}g}"), 12)
            # what is said suffices: no digit is rounded to the side of the present value
            toward = [ROUND_FLOOR, ROUND_CEILING][then > now]
            then = float(Context(digits, toward).create_decimal(f"{then:.12g}"))
            values = f"{then:.{digits}g} instead of {now:.{digits}g}"
            ways.append(f"{row.aspect} {values} on {row.dataset} (place {row.new_rank})")
        said.append(f"{method}, place {part['rank'].iloc[0]}, would gain with {' or '.join(ways)}.")
    return said
