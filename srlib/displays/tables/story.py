"""Where a winner wins, and where it loses, in a sentence or two for the first screen."""

from typing import Any

import pandas as pd

from srlib.prose import listed

# of one winner, and of several of whom the same is true
ONE, EACH = ("leads", "it", "is"), ("each lead", "each", "are")


def story(judgement: Any) -> list[str]:
    """Say on how many datasets the winners lead, which properties they lose, and which aspects separate nobody.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Its `datasets` have `method`, `dataset`, `property` and `score` (higher is better).
    """
    scores, ranking = judgement.datasets, judgement.ranking.dropna()
    said: dict[str, list[str]] = {}
    for name in ranking.loc[ranking["rank"] == 1, "method"] if len(ranking) > 1 else ():
        said.setdefault(_of(name, scores, judgement.aspects), []).append(name)
    said.pop("", None)
    lines = [
        f"{listed(names, 3)} {text.format(*(EACH if len(names) > 1 else ONE))}"
        for text, names in said.items()
    ]
    return [*lines, *_idle(judgement.aspects)]


def _of(name: str, scores: pd.DataFrame, aspects: pd.DataFrame) -> str:
    """Tell of one winner, with room for the verbs; empty where no dataset tells anybody from anybody."""
    wide = scores.pivot_table("score", "dataset", "method", dropna=False)
    if name not in wide:
        return ""
    best, worst = wide.max(axis=1), wide.min(axis=1)
    own, tell = wide[name], best > worst
    if not tell.any():
        return ""
    leads, last = (tell & (own == best)), (tell & ((own == worst) | own.isna()))
    shared = leads & (wide.eq(best, axis=0).sum(axis=1) > 1)
    of = f"{leads.sum() or 'none'} of {len(wide)} datasets"
    if leads.all():
        of = _all(len(wide))
    text = f"{{0}} on {of}{f' ({shared.sum()} shared)' * bool(shared.any())}"
    tested = scores.drop_duplicates("dataset").set_index("dataset")["property"].dropna()
    lost = []
    for kind, where in tested.groupby(tested).groups.items():
        if last.reindex(where).all():
            reached = _reached(name, str(kind), where, aspects)
            lost.append(f"{_all(len(where))} of {_literal(kind)}{reached}")
    if lost:
        return f"{text}; {{1}} is last on {listed(lost)}."
    if named := sorted(last.index[last]):
        return f"{text}; {{1}} is last on {_literal(listed(named, 5))}."
    place = wide.gt(own, axis=0).sum(axis=1)[tell] + 1
    if place.max() == 1:
        return f"{text}."
    low = _literal(listed(sorted(place.index[place == place.max()]), 3))
    return f"{text}, and {{2}} last on none; the lowest place is {place.max()}, on {low}."


def _literal(name: Any) -> str:
    return str(name).replace("{", "{{").replace("}", "}}")


def _all(count: int) -> str:
    if count == 1:
        return "the one dataset"
    return {2: "both datasets"}.get(count, f"all {count} datasets")


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
            if len(tied) == len(datasets):
                where = _all(len(tied))
            said.append(f"No information, all tied: {name} on {where} ({listed(tied, 5)}).")
    return said
