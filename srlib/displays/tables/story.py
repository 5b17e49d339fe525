"""Where a winner wins, and where it loses, in a sentence or two for the first screen."""

from typing import Any

import pandas as pd

from srlib.words import listed


def story(judgement: Any) -> list[str]:
    """Say on how many datasets the winners lead, which properties they lose, and which aspects separate nobody.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Its `datasets` have `method`, `dataset`, `property` and `score` (higher is better).
    """
    scores, ranking = judgement.datasets, judgement.ranking.dropna()
    winners = list(ranking.loc[ranking["rank"] == 1, "method"].head(3))
    said = [_of(name, scores, judgement.aspects) for name in winners if len(ranking) > 1]
    return [*filter(None, said), *_idle(judgement.aspects)]


def _of(name: str, scores: pd.DataFrame, aspects: pd.DataFrame) -> str:
    wide = scores.pivot_table("score", "dataset", "method", dropna=False)
    if name not in wide:
        return ""
    best, worst = wide.max(axis=1), wide.min(axis=1)
    own, tell = wide[name], best > worst
    leads, last = (tell & (own == best)), (tell & ((own == worst) | own.isna()))
    text = f"{name} leads on {leads.sum()} of {len(wide)} datasets"
    tested = scores.drop_duplicates("dataset").set_index("dataset")["property"].dropna()
    lost = []
    for kind, where in tested.groupby(tested).groups.items():
        if last.reindex(where).all():
            lost.append(f"{_all(len(where))} of {kind}{_reached(name, str(kind), where, aspects)}")
    if lost:
        return f"{text}; it is last on {listed(lost)}."
    named = sorted(last.index[last])
    if named:
        return f"{text}; it is last on {listed(named, 5)}."
    return f"{text}, and is last on none."


def _all(count: int) -> str:
    if count == 1:
        return "the one dataset"
    return f"all {count} datasets"


def _reached(name: str, kind: str, where: Any, aspects: pd.DataFrame) -> str:
    """How far down the winner is, where the property is an R2 that everybody can read."""
    here = aspects[(aspects["method"] == name) & aspects["dataset"].isin(where)]
    least = here.loc[here["aspect"] == "property", "value"].min()
    if kind != "extrapolation" or pd.isna(least):
        return ""
    digits = ".0f" if abs(least) >= 1000 else ".3g"
    return f" (R² down to {least:,{digits}})"


def _idle(aspects: pd.DataFrame) -> list[str]:
    """Name the aspects in which all methods are tied on a dataset: they tell nothing there."""
    ranks = aspects.groupby(["aspect", "dataset"], sort=False)["aspect_rank"]
    idle = (ranks.min() == ranks.max()) & (ranks.count() > 1)
    said = []
    for name, datasets in idle.groupby("aspect", sort=False):
        tied = sorted(datasets.index.get_level_values("dataset")[datasets])
        if tied:
            where = f"{len(tied)} of {len(datasets)} datasets"
            said.append(f"No information, all tied: {name} on {where} ({listed(tied, 5)}).")
    return said
