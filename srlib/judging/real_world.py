"""The real-world track: the one model that experts see of each method, and the ranking by their trust.

Source: judging criteria, real-world track, steps 1 to 3. In the tables of ballots and in `places`, 1 is best.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.properties import measure_aspects
from srlib.judging.scoring import harmonic_mean, round_significant
from srlib.judging.screening import screen
from srlib.ledger import check_run_counts, to_frame
from srlib.problems import Problems
from srlib.rules import Judge
from srlib.tables import Contract, as_whole_numbers, conform

CELL_KEY = ["method", "dataset"]
BALLOT_KEY = ["expert", "dataset"]
TRUST = Contract(
    "judgement",
    {
        "expert": "str",
        "method": "str",
        "dataset": "str",
        "rank": "float",
        "trust": "float",
    },
    required=("expert", "method", "dataset", "rank", "trust"),
    key=("expert", "method", "dataset"),
    nullable=("rank", "trust"),
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
    models : DataFrame
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
    judge = judge.model_copy(update={"tracks": ("real-world",)})
    screened = screen(assessments, problems, judge)
    if screened.usable.empty:
        raise InputError(
            f"no run of the track real-world can be used; first: {screened.ledger[0]['detail']}"
        )
    aspects = {name: aspect for name, aspect in judge.aspects.items() if aspect.from_ != "property"}
    values = measure_aspects(screened, judge.model_copy(update={"aspects": aspects}))
    runs = screened.usable.copy()
    for (name, aspect), column in zip(aspects.items(), values, strict=True):
        runs[name] = column
        if aspect.digits is not None:
            runs[name] = round_significant(column).round(aspect.digits) + 0.0
    runs = runs.sort_values(["r2_test", "complexity", "repetition"], ascending=[False, True, True])
    cells = runs.groupby(CELL_KEY)
    spread = cells.agg(
        n_runs=("r2_test", "size"),
        r2_lowest=("r2_test", "min"),
        r2_median=("r2_test", "median"),
        r2_highest=("r2_test", "max"),
        complexity_lowest=("complexity", "min"),
        complexity_highest=("complexity", "max"),
    )
    spread["position"] = 0
    if judge.real_world.representative == "median":
        expected = spread["n_runs"]
        if judge.incomplete == "floor":
            expected = screened.attempts.groupby(CELL_KEY).size()
            datasets = expected.index.get_level_values("dataset")
            expected = expected.clip(lower=datasets.map(screened.expected).to_numpy())
        middle = (expected.reindex(spread.index) - 1) // 2
        spread["position"] = np.minimum(middle, spread["n_runs"] - 1)
    models = runs.assign(position=cells.cumcount())
    models = models.merge(spread.reset_index(), on=[*CELL_KEY, "position"]).drop(columns="position")
    if "shown_model" in models:  # missing where choosing it took too long
        models["shown_model"] = models["shown_model"].fillna(models["model"])
    models = models.sort_values(["dataset", "method"], ignore_index=True)
    ledger = to_frame(screened.ledger)
    return models, ledger, check_run_counts(len(assessments), screened.n_scored, ledger)


@dataclass(frozen=True)
class TrustRanking:
    """Methods ranked by the trust of experts, and the places that the experts gave.

    Attributes
    ----------
    ranking : DataFrame
        `method`, `score`, `rank` (1 is best), best first. The score is the mean place (lower is better), or by
        `harmonic_mean` the mean of the harmonic means of aspect ranks (higher is better).
    places : DataFrame
        `expert`, `dataset`, `method`, `place` (1 is best), `trust`.
    """

    ranking: pd.DataFrame
    places: pd.DataFrame


def rank_by_trust(
    trust: pd.DataFrame, judge: Judge, aspects: pd.DataFrame | None = None
) -> TrustRanking:
    """Rank methods by the trust of experts.

    Without ranks, the places follow from the trust scores, ties as in the rules. A method without a model on a dataset
    has the last place there, or with `missing: drop` none.

    Parameters
    ----------
    trust : DataFrame
        `expert`, `method`, `dataset`, `rank` (1 is best; may be empty), `trust` (1 to 5, higher is better; may be
        empty).
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
    ballots = conform(trust, TRUST, "trust").sort_values([*BALLOT_KEY, "method"], ignore_index=True)
    has_ranks = ballots.groupby(BALLOT_KEY)["rank"].transform("count") > 0
    incomplete = ballots["rank"].isna() & (ballots["trust"].isna() | has_ranks)
    for row in ballots[incomplete].itertuples():
        raise InputError(
            f"trust: {row.expert} gave no rank to {row.method} on {row.dataset}, but ranked others or gave no trust"
        )
    ballots["rank"] = ballots["rank"].fillna(-ballots["trust"])
    ballots["place"] = ballots.groupby(BALLOT_KEY)["rank"].rank(method=judge.ties)
    places = ballots[[*BALLOT_KEY, "method", "place", "trust"]]
    table = places.pivot(index=BALLOT_KEY, columns="method", values="place")  # noqa: PD010
    if judge.missing == "worst_rank":
        table = table.fillna(float(table.shape[1]))
    mean_places = table.groupby("dataset").mean()
    score, best_first = mean_places.mean(), 1
    if judge.real_world.ranking == "harmonic_mean":
        score, best_first = _score_with_aspects(mean_places, judge, aspects), -1
    ranking = score.rename("score").rename_axis("method").reset_index()
    ranking["rank"] = (best_first * ranking["score"]).round(12).rank(method="min").astype("int64")
    places = places.assign(place=as_whole_numbers(places["place"]))
    return TrustRanking(ranking.sort_values(["rank", "method"], ignore_index=True), places)


def _score_with_aspects(
    mean_places: pd.DataFrame, judge: Judge, aspects: pd.DataFrame | None
) -> pd.Series:
    """Score methods by the mean over datasets of the harmonic mean of their aspect ranks; higher is better.

    `mean_places` has the mean place of each method (columns) on each dataset.
    """
    names = [name for name, aspect in judge.aspects.items() if aspect.from_ != "property"]
    if aspects is None or not set(names) <= set(aspects):
        raise InputError(
            f"real_world.ranking: harmonic_mean needs the values of {', '.join(names)} beside the trust"
        )
    values = aspects.set_index(["dataset", "method"])[names].astype("float64")
    for name in names:
        values[name] *= -1 if judge.aspects[name].direction == "lower" else 1
    values["trust"] = -mean_places.stack()  # noqa: PD013
    places = values.groupby("dataset").rank(ascending=False, method=judge.ties)
    n_methods = values.index.get_level_values("method").nunique()
    ranks = n_methods - places + judge.rank_start
    if judge.missing == "worst_rank":
        ranks = ranks.fillna(judge.rank_start)
    score = harmonic_mean(ranks.to_numpy(dtype=float), axis=1)
    scores = pd.Series(score, index=ranks.index).unstack()  # noqa: PD010
    if judge.missing == "worst_rank":
        scores = scores.fillna(float(judge.rank_start))
    return scores.mean()
