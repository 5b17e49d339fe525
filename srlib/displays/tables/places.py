"""Who is best in which property: mean points over the datasets that test it, and the answer in words."""

from typing import Any

import pandas as pd

from srlib.displays.tables.aspects import as_points, property_aspect
from srlib.prose import listed


def property_places(judgement: Any) -> pd.DataFrame:
    """Rank the methods in each property.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the ranks come from.

    Returns
    -------
    pandas.DataFrame
        `property`, `method`, `datasets`, `all_tied` (on how many of them all methods are level), `value` (mean over
        the datasets), `direction`, `mean_rank` (of the property aspect; higher is better), `place` (1 is best; ties
        share it), by property and place.
    """
    own = judgement.aspects[judgement.aspects["aspect"] == property_aspect(judgement)]
    own = own.merge(judgement.datasets[["method", "dataset", "property"]], on=["method", "dataset"])
    ranks = own.groupby(["property", "dataset"])["aspect_rank"]
    level = ranks.transform("min") == ranks.transform("max")
    own["tied"] = level & (ranks.transform("size") > 1)
    table = own.groupby(["property", "method"], as_index=False).agg(
        datasets=("dataset", "count"), all_tied=("tied", "sum"), value=("value", "mean"),
        direction=("direction", "first"), mean_rank=("aspect_rank", "mean"),
    )  # fmt: skip
    places = (
        table["mean_rank"].round(9).groupby(table["property"]).rank(method="min", ascending=False)
    )
    table = table.assign(place=places.astype("int64"))
    return as_points(table.sort_values(["property", "place", "method"], ignore_index=True))


def property_answer(places: pd.DataFrame) -> str:
    """Say who leads in how many properties, from a table of `property_places`; where all are tied nobody leads.

    Examples
    --------
    >>> places = pd.DataFrame({"property": ["solution", "solution"], "method": ["a", "b"], "place": [1, 2]})
    >>> property_answer(places.assign(datasets=2, all_tied=1))
    'By mean points a leads in 1 of 1 property (solution).'
    >>> property_answer(places.assign(datasets=2, all_tied=1, place=1))
    'By mean points a and b each lead in 1 of 1 property (solution).'
    >>> property_answer(places.assign(datasets=2, all_tied=2))
    'All methods tie in solution.'
    """
    idle = places["all_tied"] == places["datasets"]
    first = places[(places["place"] == 1) & ~idle].groupby("method")["property"]
    led = first.agg(count="size", names=lambda names: ", ".join(names).replace("_", " "))
    most, total = led[led["count"] == led["count"].max()], places["property"].nunique()
    best, n_more = most.head(3), len(most) - 3
    parts = []
    for (names, count), some in best.groupby(["names", "count"], sort=False):
        verb = "leads" if len(some) == 1 else "each lead"
        of = f"{count} of {total} propert{'ies' if total > 1 else 'y'} ({names})"
        parts.append(f"{listed(list(some.index))} {verb} in {of}")
    if n_more > 0:
        parts.append(f"{n_more} other{'s' * (n_more > 1)} lead{'s' * (n_more == 1)} in as many")
    tied = ", ".join(places["property"][idle].unique()).replace("_", " ")
    return " ".join(
        [f"By mean points {'; '.join(parts)}."] * bool(parts)
        + [f"All methods tie in {tied}."] * bool(tied)
    )
