"""What would change a method's rank: the smallest improvement of one aspect on one dataset that gains a place.

A method's value is moved to the value of each method above it there, and a step beyond, up to the best value that
the aspect can take; all else stays. The property of a noisy dataset follows from accuracy and is not moved alone. In a
large competition only the smallest improvements of each method and aspect are tried: each scores all once more.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from srlib.judging.ranking import score
from srlib.judging.robustness.competition import Competition, places
from srlib.judging.robustness.resampling import chunks
from srlib.judging.verdict import Judgement

CELLS = 2_000_000_000  # values that are scored again in all: some tens of seconds
COLUMNS = ["method", "aspect", "dataset", "value", "target", "improvement", "rank", "new_rank"]


Candidate = tuple[int, int, int, float, float]


def improvements(judgement: Judgement) -> pd.DataFrame:
    """Find, for each method and aspect, the smallest improvement that gains a place.

    Returns
    -------
    pandas.DataFrame
        `method`, `aspect`, `dataset`, `value` now and `target`, `improvement` (their distance, whatever the
        direction), `rank` and `new_rank`; best methods first. No row where no value that was tried suffices.
    """
    whole = Competition.from_judgement(judgement)
    (values, design), now, found = whole.arranged, places(whole.stages.final), []
    short = max(whole.judge.repetitions - values.shape[-1], 0)
    values = np.pad(values, [(0, 0)] * 3 + [(0, short)], constant_values=np.nan)
    ran = np.any(np.isfinite(values), axis=(0, 2)) | (whole.judge.rank_per == "aggregate")
    tried = _smallest(list(_candidates(whole)), CELLS // values.size)
    for part in chunks(len(tried), values.size):
        changed = np.repeat(values[None], part.stop - part.start, axis=0)
        for i, (a, d, m, _, target) in enumerate(tried[part]):
            changed[i, a, d, m] = np.where(ran[d], target, np.nan)
        new = places(score(changed, design, whole.judge))
        found += [(*case, place[case[2]]) for case, place in zip(tried[part], new, strict=True)]
    aspects, datasets = list(whole.judge.aspects), whole.screened.datasets
    methods = whole.screened.methods
    rows = [
        (methods[m], aspects[a], datasets[d], value, target, abs(target - value), now[m], new)
        for a, d, m, value, target, new in found
        if new < now[m]
    ]
    table = pd.DataFrame(rows, columns=COLUMNS).sort_values(
        ["rank", "method", "aspect", "improvement", "dataset"]
    )
    return table.drop_duplicates(["method", "aspect"]).reset_index(drop=True)


def _candidates(whole: Competition) -> Iterator[Candidate]:
    """Aspect, dataset, method, its value now, and a better value that another method has, or a step beyond it."""
    (_, design), now, rounded = whole.arranged, places(whole.stages.final), whole.stages.rounded
    for a, aspect in enumerate(whole.judge.aspects.values()):
        parts = whole.judge.repetitions if aspect.round == "before" else 1
        step = 10.0 ** -(3 if aspect.digits is None else aspect.digits) / parts
        best = 0.0 if aspect.transform == "neg_log" else 1.0
        for d in np.flatnonzero(design.scored & ~((design.reference >= 0) & (a == design.prop))):
            sign, row = design.sign[a, d], rounded[a, d]
            seen = np.unique(row[np.isfinite(row)] * sign)
            targets = np.unique(np.round(np.concatenate([seen, seen + step]), 12))
            for m in np.flatnonzero(np.isfinite(row) & (now > 1)):
                for target in targets[(targets > row[m] * sign) & (targets <= best * sign)]:
                    yield a, int(d), int(m), float(row[m]), float(target * sign)


def _smallest(tried: list[Candidate], most: int) -> list[Candidate]:
    """Keep about so many, the smallest improvements of each method and aspect."""
    if len(tried) <= most:
        return tried
    a, _, m, value, target = np.array(tried).T
    pairs = pd.Series(np.abs(target - value)).groupby([a, m])
    return [tried[i] for i in np.flatnonzero(pairs.rank(method="first") <= most // pairs.ngroups)]


def would_gain(table: pd.DataFrame) -> list[str]:
    """Say for each method in `improvements` what would gain it a place, aspect by aspect."""
    said = []
    for method, part in table.groupby("method", sort=False):
        ways = [
            f"{row.aspect} {row.target:.4g} instead of {row.value:.4g} on {row.dataset} (place {row.new_rank})"
            for row in part.itertuples()
        ]
        said.append(f"{method}, place {part['rank'].iloc[0]}, would gain with {' or '.join(ways)}.")
    return said
