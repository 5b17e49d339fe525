"""The ranking by experts' trust, how far experts agree, and who is ahead of whom.

Source: judging criteria, real-world track, steps 2 and 3. In the tables of ballots and in `places`, 1 is best.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata

from srlib.errors import InputError
from srlib.judging.scoring import harmonic_mean
from srlib.rules import Judge
from srlib.tables import Contract, conform

TRUST = Contract(
    "judgement",
    {
        "expert": "str",
        "method": "str",
        "dataset": "str",
        "rank": "float",
        "trust": "float",
        "code": "str",
        "comment": "str",
    },
    required=("expert", "method", "dataset", "rank", "trust"),
    key=("expert", "method", "dataset", "code"),
    nullable=("rank", "trust", "comment"),
)
ONE = ["expert", "dataset"]


@dataclass(frozen=True)
class TrustRanking:
    """Who is trusted most, and what that rests on.

    Attributes
    ----------
    ranking : DataFrame
        `method`, `score`, `rank` (1 is best), best first. The score is the mean place (lower is better), or by
        `harmonic_mean` the mean of the harmonic means of aspect ranks (higher is better).
    places : DataFrame
        `expert`, `dataset`, `method`, `place` (1 is best), `trust`, `sheets` (how often the expert saw the model) and
        `apart` (the largest difference of the ranks of the same model; 0 is consistent; NaN for one sheet).
    agreement : DataFrame
        `dataset`, `experts`, `methods`, `kendall_w`: 1 where all experts rank alike, 0 where they cancel out; NaN for
        fewer than two experts or three methods.
    ahead : DataFrame
        Each ordered pair `method_a`, `method_b`: on how many of `compared` (expert, dataset) a is `ahead` of b.
    """

    ranking: pd.DataFrame
    places: pd.DataFrame
    agreement: pd.DataFrame
    ahead: pd.DataFrame


def rank_by_trust(
    trust: pd.DataFrame, judge: Judge, aspects: pd.DataFrame | None = None
) -> TrustRanking:
    """Rank methods by what experts said.

    Without ranks, the places follow from the trust scores, ties as in the rules. Sheets that an expert saw twice count
    once, by the mean of their ranks. A method without a model on a dataset has the last place there, or with
    `missing: drop` none.

    Parameters
    ----------
    trust : DataFrame
        `expert`, `method`, `dataset`, `rank` (1 is best; may be empty), `trust` (1 to 5, higher is better; may be
        empty), and `code` where sheets were repeated.
    judge : Judge
        The rules' judge block: `real_world.ranking`, `ties`, `rank_start`, `missing`.
    aspects : DataFrame, optional
        From `representatives`; needed by `real_world.ranking: harmonic_mean`.

    Raises
    ------
    InputError
        When a judgement has neither rank nor trust, or what the rules need is not there.

    Examples
    --------
    >>> from srlib.rules import load_rules
    >>> said = pd.DataFrame({"expert": "E", "method": ["a", "b"], "dataset": "d", "rank": [2, 1], "trust": [3, 4]})
    >>> rank_by_trust(said, load_rules("judging-2022").judge).ranking.values.tolist()
    [['b', 1.0, 1], ['a', 2.0, 2]]
    """
    given = trust if "code" in trust else trust.assign(code="")
    said = conform(given.fillna({"code": ""}), TRUST, "trust")
    none = said["rank"].isna() & (
        said["trust"].isna() | said.groupby(ONE)["rank"].transform("count").gt(0)
    )
    if none.any():
        one = said[none].iloc[0]
        lacks = "no rank, but ranked others"
        if pd.isna(one["trust"]):
            lacks = "neither rank nor trust"
        raise InputError(f"trust: {one['expert']} gave {one['method']} on {one['dataset']} {lacks}")
    said["rank"] = said["rank"].fillna(-said["trust"])
    cells = said.groupby([*ONE, "method"])
    places = cells.agg(
        place=("rank", "mean"), trust=("trust", "mean"), sheets=("rank", "size")
    ).reset_index()
    places["apart"] = (cells["rank"].max() - cells["rank"].min()).to_numpy()
    places.loc[places["sheets"] == 1, "apart"] = np.nan
    places["place"] = places.groupby(ONE)["place"].transform(
        lambda ranks: rankdata(ranks, method=judge.ties)
    )
    table = places.pivot(index=ONE, columns="method", values="place")  # noqa: PD010
    if judge.missing == "worst_rank":
        table = table.fillna(float(table.shape[1]))
    if judge.real_world.ranking == "harmonic_mean":
        score, best_first = _harmonic(table, judge, aspects), -1
    else:
        score, best_first = table.groupby("dataset").mean().mean(), 1
    ranking = score.rename("score").rename_axis("method").reset_index()
    ranking["rank"] = (best_first * ranking["score"]).round(12).rank(method="min").astype("int64")
    return TrustRanking(
        ranking.sort_values(["rank", "method"], ignore_index=True),
        places,
        _agreement(table),
        _ahead(table),
    )


def _harmonic(table: pd.DataFrame, judge: Judge, aspects: pd.DataFrame | None) -> pd.Series:
    """Mean over datasets of the harmonic mean of the ranks in accuracy, simplicity and trust; higher is better."""
    names = [name for name, aspect in judge.aspects.items() if aspect.from_ != "property"]
    if aspects is None or not set(names) <= set(aspects):
        raise InputError(
            f"real_world.ranking: harmonic_mean needs the values of {', '.join(names)} beside the trust"
        )
    sign = {name: -1 if judge.aspects[name].direction == "lower" else 1 for name in names}
    values = aspects.set_index(["dataset", "method"])[names].astype("float64") * pd.Series(sign)
    values["trust"] = -table.groupby("dataset").mean().stack()  # noqa: PD013
    ranks = values.groupby("dataset").transform(
        lambda column: table.shape[1] - rankdata(-column, method=judge.ties) + judge.rank_start
    )
    score = harmonic_mean(ranks.to_numpy(dtype=float), axis=1)
    scores = pd.Series(score, index=ranks.index).unstack()  # noqa: PD010
    if judge.missing == "worst_rank":
        scores = scores.fillna(float(judge.rank_start))
    return scores.mean()


def _agreement(table: pd.DataFrame) -> pd.DataFrame:
    """Kendall's W = Friedman's chi-squared / (experts x (methods - 1)), corrected for ties."""
    rows = []
    for dataset, part in table.dropna(how="all").groupby("dataset"):
        ranks = part.dropna(axis="columns").to_numpy()
        experts, methods = ranks.shape
        w = np.nan
        if min(experts, methods - 1) > 1:
            w = friedmanchisquare(*ranks.T).statistic / (experts * (methods - 1))
        rows.append((dataset, experts, methods, w))
    columns = pd.Index(["dataset", "experts", "methods", "kendall_w"])
    return pd.DataFrame(rows, columns=columns).astype({"kendall_w": "float64"})


def _ahead(table: pd.DataFrame) -> pd.DataFrame:
    pairs = [(a, b) for a in table for b in table if a != b]
    rows = [
        (a, b, int((table[a] < table[b]).sum()), int((table[a].notna() & table[b].notna()).sum()))
        for a, b in pairs
    ]
    return pd.DataFrame(rows, columns=pd.Index(["method_a", "method_b", "ahead", "compared"]))
