"""The real-world track: the one model that experts see of each method, and the ranking by their trust.

Source: judging criteria, real-world track, steps 1 to 3. In the tables of ballots and in `places`, 1 is best.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata

from srlib.errors import InputError
from srlib.judging.run_values import KEY, measures_table
from srlib.judging.scoring import harmonic_mean
from srlib.judging.screening import screen
from srlib.judging.values import round_significant
from srlib.ledger import conserve, to_frame
from srlib.problems import Problems
from srlib.rules import Judge
from srlib.tables import Contract, conform

CELL = ["method", "dataset"]
BALLOT = ["expert", "dataset"]
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


def representatives(
    assessments: pd.DataFrame, problems: Problems, judge: Judge
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, int]]:
    """Pick each method's most accurate run (or the median one, by the rules) on each dataset of the track real-world.

    Of equally accurate runs the simpler counts, then the earlier. The median of an even number of runs is the better
    of the two in the middle, as an expert can only look at a model that exists. Absent runs stand at the end of the
    order by `incomplete: floor`: where the median is one of them, the worst model is shown.

    Parameters
    ----------
    assessments : DataFrame
        Assessments contract.
    problems : Problems
        Where the datasets are described.
    judge : Judge
        The rules' judge block; the aspects but for the property are shown to the expert.

    Returns
    -------
    chosen : DataFrame
        The rows of the assessments that were chosen, sorted by dataset and method, with a column for each aspect
        (transformed and rounded as the rules say) and the spread of all of the method's runs: `n_runs`, `r2_lowest`,
        `r2_median`, `r2_highest`, `complexity_lowest`, `complexity_highest`.
    ledger : DataFrame
        Every run that could not be used.
    counts : dict
        Runs `read`, `scored` (usable) and `excluded`, which add up.

    Raises
    ------
    InputError
        When no run is on such a dataset, or none can be used.
    """
    screened = screen(assessments, problems, judge.model_copy(update={"tracks": ("real-world",)}))
    if screened.usable.empty:
        raise InputError(
            f"no run of the track real-world can be used; first: {screened.ledger[0]['detail']}"
        )
    aspects = {name: aspect for name, aspect in judge.aspects.items() if aspect.from_ != "property"}
    table = measures_table(screened, judge.model_copy(update={"aspects": aspects}))
    values = table.pivot(index=KEY, columns="aspect", values="value")  # noqa: PD010
    for name, aspect in aspects.items():
        if aspect.digits is not None:
            values[name] = round_significant(values[name].to_numpy()).round(aspect.digits) + 0.0
    runs = screened.usable.merge(values[list(aspects)].reset_index(), on=KEY)
    runs = runs.sort_values(["r2_test", "complexity", "repetition"], ascending=[False, True, True])
    cells = runs.groupby(CELL)
    spread = cells.agg(
        n_runs=("r2_test", "size"),
        r2_lowest=("r2_test", "min"),
        r2_median=("r2_test", "median"),
        r2_highest=("r2_test", "max"),
        complexity_lowest=("complexity", "min"),
        complexity_highest=("complexity", "max"),
    ).reset_index()
    position = 0
    if judge.real_world.representative == "median":
        usable = cells["r2_test"].transform("size")
        made = usable
        if judge.incomplete == "floor":
            attempts = screened.attempts.groupby(CELL).size().rename("attempts").reset_index()
            made = runs[CELL].merge(attempts, on=CELL, how="left")["attempts"].set_axis(runs.index)
            made = np.maximum(made, judge.repetitions)
        position = np.minimum((made - 1) // 2, usable - 1)
    chosen = runs[cells.cumcount() == position].merge(spread, on=CELL)
    if "shown_model" in chosen:  # missing where choosing it took too long
        chosen["shown_model"] = chosen["shown_model"].fillna(chosen["model"])
    ledger = to_frame(screened.ledger)
    chosen = chosen.sort_values(["dataset", "method"], ignore_index=True)
    return chosen, ledger, conserve(len(assessments), screened.used, ledger)


@dataclass(frozen=True)
class TrustRanking:
    """Who is trusted most, and the places that this rests on.

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
    """Rank methods by the trust of experts.

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
        When a judgement has neither rank nor trust, or the values that the rules need are not there.

    Examples
    --------
    >>> from srlib.rules import load_rules
    >>> ballots = pd.DataFrame({"expert": "E", "method": ["a", "b"], "dataset": "d", "rank": [2, 1], "trust": [3, 4]})
    >>> rank_by_trust(ballots, load_rules("judging-2022").judge).ranking.values.tolist()
    [['b', 1.0, 1], ['a', 2.0, 2]]
    """
    if "code" not in trust:
        trust = trust.assign(code="")
    ballots = conform(trust.fillna({"code": ""}), TRUST, "trust")
    _check_ballots(ballots)
    ballots["rank"] = ballots["rank"].fillna(-ballots["trust"])
    places = ballots.groupby([*BALLOT, "method"], as_index=False).agg(
        place=("rank", "mean"),
        trust=("trust", "mean"),
        sheets=("rank", "size"),
        apart=("rank", np.ptp),
    )
    places["apart"] = places["apart"].astype("float64").where(places["sheets"] > 1)
    places["place"] = places.groupby(BALLOT)["place"].transform(
        lambda ranks: rankdata(ranks, method=judge.ties)
    )
    table = places.pivot(index=BALLOT, columns="method", values="place")  # noqa: PD010
    if judge.missing == "worst_rank":
        table = table.fillna(float(table.shape[1]))
    score, best_first = table.groupby("dataset").mean().mean(), 1
    if judge.real_world.ranking == "harmonic_mean":
        score, best_first = _score_with_aspects(table, judge, aspects), -1
    ranking = score.rename("score").rename_axis("method").reset_index()
    ranking["rank"] = (best_first * ranking["score"]).round(12).rank(method="min").astype("int64")
    return TrustRanking(
        ranking.sort_values(["rank", "method"], ignore_index=True),
        places,
        _agreement(table),
        _count_ahead(table),
    )


def _check_ballots(ballots: pd.DataFrame) -> None:
    """Refuse a judgement with neither rank nor trust, or without a rank where the expert ranked other models."""
    ranked_others = ballots.groupby(BALLOT)["rank"].transform("count") > 0
    incomplete = ballots["rank"].isna() & (ballots["trust"].isna() | ranked_others)
    if incomplete.any():
        first = ballots[incomplete].iloc[0]
        fault = "no rank, but ranked others"
        if pd.isna(first["trust"]):
            fault = "neither rank nor trust"
        raise InputError(
            f"trust: {first['expert']} gave {first['method']} on {first['dataset']} {fault}"
        )


def _score_with_aspects(
    table: pd.DataFrame, judge: Judge, aspects: pd.DataFrame | None
) -> pd.Series:
    """Score methods by the mean over datasets of the harmonic mean of their aspect ranks; higher is better."""
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


def _count_ahead(table: pd.DataFrame) -> pd.DataFrame:
    """`TrustRanking.ahead` from places, (expert, dataset) x methods."""
    rows = [
        (a, b, (table[a] < table[b]).sum(), (table[a].notna() & table[b].notna()).sum())
        for a in table
        for b in table
        if a != b
    ]
    return pd.DataFrame(rows, columns=pd.Index(["method_a", "method_b", "ahead", "compared"]))
