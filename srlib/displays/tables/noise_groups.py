"""Noise on many groups of datasets: who comes first in each, and where the answer differs from that over all."""

from typing import Any

import pandas as pd

from srlib.prose import listed

GROUPS = 3  # of datasets; more have one figure over all, and figures of the groups where the answer differs most


def groups_led(overall: pd.DataFrame, best: list[str]) -> str:
    """Say in how many of several groups the answer is the same; empty where there is one group, or a tie."""
    known = overall[overall["distance"].notna()]
    groups = known["group"].nunique()
    if groups < 2 or len(best) > 1:
        return ""
    led = _first(known)["method"].value_counts()
    mine = int(led.get(best[0], 0))
    beside = ""
    if mine < led.max():
        beside = f" ({listed(sorted(led.index[led == led.max()]), 3)} in {led.max()})"
    return f", and the closest in {mine} of {groups} groups of datasets{beside}"


def noise_by_group(sensitivity: Any, ranking: pd.DataFrame) -> pd.DataFrame:
    """Put what decides into a row for each group, and the methods into columns, the first of the answer first.

    Parameters
    ----------
    sensitivity : srlib.judging.noise.Sensitivity
        Where the numbers come from. Where the truth's own quality is not known, sensitivity decides, and is left empty
        for whom the guard finds, unless it finds all.
    ranking : pandas.DataFrame
        As `noise_answer` makes it.
    """
    table = _wide(sensitivity)
    if table.isna().all(axis=None):
        table = sensitivity.overall.pivot_table("sensitivity", "group", "method")
    table = table[[name for name in ranking["method"] if name in table]].reset_index()
    table.columns.name = None
    table.attrs["lower"] = True
    return table


def noise_summary(sensitivity: Any, ranking: pd.DataFrame) -> pd.DataFrame:
    """Say of each method in a row what it reached over all groups, and in how many it comes first.

    Returns
    -------
    pandas.DataFrame
        `method`, `rank`, `distance` and `sensitivity` (means over the groups), `groups led`, `groups guarded`, in the
        order of the answer.
    """
    led = _first(sensitivity.overall)["method"].value_counts()
    parts = sensitivity.overall.groupby("method")
    guarded, away = parts["guarded"].sum(), parts["distance"].mean()
    table = ranking[["method", "rank"]].assign(
        distance=ranking["method"].map(away), sensitivity=ranking["sensitivity"]
    )
    table["groups led"] = table["method"].map(led).fillna(0).astype("int64")
    table["groups guarded"] = table["method"].map(guarded).astype("int64")
    return table.dropna(axis="columns", how="all")


def noise_decides(sensitivity: Any) -> str:
    """Say what stands in the cells of `noise_by_group`."""
    if _all_known(sensitivity.overall):
        return "how far each method lies from the truth's own curve, mean over the levels"
    if sensitivity.overall["guarded"].all():
        return "sensitivity of each method, all of which the guard finds"
    return "sensitivity of each method; empty where the guard finds it"


def noise_apart(sensitivity: Any, ranking: pd.DataFrame) -> list[str]:
    """Name the groups that the first of the answer does not lead, the few in which it is farthest behind."""
    wide = _wide(sensitivity)
    behind = wide[ranking["method"].iloc[0]] - wide.min(axis="columns")
    found = behind[behind.round(9) > 0].sort_values(ascending=False, kind="stable")
    return [str(name) for name in found.index[:GROUPS]]


def _all_known(overall: pd.DataFrame) -> bool:
    """Whether each method's distance from the truth's own curve is known in some group."""
    return bool(overall.groupby("method")["distance"].mean().notna().all())


def _deciding(overall: pd.DataFrame) -> pd.Series:
    """Give what is least where a method comes first, as in the answer over all groups."""
    if _all_known(overall):
        return overall["distance"]
    return overall["sensitivity"].mask(overall["guarded"])


def _wide(sensitivity: Any) -> pd.DataFrame:
    table = sensitivity.overall.assign(least=_deciding(sensitivity.overall))
    return table.pivot_table("least", "group", "method", dropna=False)


def _first(overall: pd.DataFrame) -> pd.DataFrame:
    """Rows of who comes first in each group: the least, among those that lack the fewest levels."""
    fewest = overall["missing"] == overall.groupby("group")["missing"].transform("min")
    least = _deciding(overall).round(9).where(fewest)
    return overall[least == least.groupby(overall["group"]).transform("min")]
