"""The real-world track: the model of each method that is shown to experts, and the ranking by the experts' trust.

Source: judging criteria, real-world track, steps 1 to 3. A rank or place of 1 is best.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.properties import measure_aspects
from srlib.judging.scoring import harmonic_mean
from srlib.judging.screening import screen
from srlib.ledger import check_run_counts, to_frame
from srlib.metrics import round_significant
from srlib.problems import Problems
from srlib.prose import Statement, listed, state, state_count
from srlib.rules import JudgeRules
from srlib.tables import Contract, as_whole_numbers, conform

CELL_KEY = ["method", "dataset"]
BALLOT_KEY = ["expert", "dataset"]
CHOICE_KEY, CHOICES = ("expert", "method", "dataset"), ("rank", "trust")
TRUST = Contract(
    "judgement",
    {**dict.fromkeys(CHOICE_KEY, "str"), **dict.fromkeys(CHOICES, "float")},
    required=(*CHOICE_KEY, *CHOICES),
    key=CHOICE_KEY,
    nullable=CHOICES,
)


@dataclass(frozen=True)
class Representatives:
    """The model of each method that experts see on each real-world dataset.

    Attributes
    ----------
    models : DataFrame
        The chosen rows of the assessments, sorted by dataset and method, with a column for each aspect (transformed and
        rounded as the rules say) and a summary of all usable runs of the method on the dataset: `n_runs`, `r2_lowest`,
        `r2_median`, `r2_highest`, `complexity_lowest`, `complexity_highest`.
    ledger : DataFrame
        Every run that could not be used.
    counts : dict
        Numbers of runs: `read` = `scored` (usable) + `excluded`.
    """

    models: pd.DataFrame
    ledger: pd.DataFrame
    counts: dict[str, int]


def choose_representatives(
    assessments: pd.DataFrame, problems: Problems, judge_rules: JudgeRules
) -> Representatives:
    """Return each method's most accurate run, or the median run if the rules say so, on each real-world dataset.

    Of equally accurate runs the simpler one is chosen, then the earlier. The median of an even number of runs is the
    better of the two in the middle, as it has to be a model that exists. With `incomplete: floor` absent runs count as
    worse than all others; if the median is an absent run, the worst model is chosen.

    Parameters
    ----------
    assessments : DataFrame
        Assessments contract.
    problems : Problems
        Descriptions of the datasets.
    judge_rules : JudgeRules
        The rules' judge block; its aspects except the property are shown to the expert.

    Raises
    ------
    InputError
        When no run is on a dataset of the track real-world, or none of them can be used.
    """
    judge_rules = judge_rules.model_copy(update={"tracks": ("real-world",)})
    screened = screen(assessments, problems, judge_rules)
    if screened.usable.empty:
        raise InputError(
            f"no run of the track real-world can be used; first: {screened.ledger[0]['detail']}"
        )
    aspects = {
        name: aspect for name, aspect in judge_rules.aspects.items() if aspect.from_ != "property"
    }
    values = measure_aspects(screened, judge_rules.model_copy(update={"aspects": aspects}))
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
    if judge_rules.real_world.representative == "median":
        expected = spread["n_runs"]
        if judge_rules.incomplete == "floor":
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
    counts = check_run_counts(len(assessments), screened.n_scored, ledger)
    return Representatives(models, ledger, counts)


def describe_sheets(models: pd.DataFrame) -> Statement:
    """Return a sentence that says what the experts judge while the ballots are open, and names no method."""
    return state(
        "verdict",
        "The ballots are open: the experts judge {models} of {datasets} blind.",
        models=state_count("models", len(models), "model"),
        datasets=listed(sorted(models["dataset"].unique()), 3),
    )


@dataclass(frozen=True)
class TrustRanking:
    """Methods ranked by the trust of experts, and the places that the experts gave.

    Attributes
    ----------
    ranking : DataFrame
        `method`, `score`, `rank` (1 is best), best first. The score is the mean place (lower is better), or with the
        rule `real_world.ranking: harmonic_mean` the mean over datasets of the harmonic mean of aspect ranks (higher is
        better).
    places : DataFrame
        `expert`, `dataset`, `method`, `place` (1 is best), `trust`.
    """

    ranking: pd.DataFrame
    places: pd.DataFrame


def rank_by_trust(
    trust: pd.DataFrame, judge_rules: JudgeRules, aspects: pd.DataFrame | None = None
) -> TrustRanking:
    """Rank methods by the trust of experts.

    If an expert gave no ranks on a dataset, the places follow from the trust scores, with ties as in the rules. A
    method that an expert did not judge on a dataset gets the last place there with `missing: worst_rank`, else none.

    Parameters
    ----------
    trust : DataFrame
        `expert`, `method`, `dataset`, `rank` (1 is best; may be empty), `trust` (1 to 5, higher is better; may be
        empty).
    judge_rules : JudgeRules
        The rules' judge block: `real_world.ranking`, `ties`, `rank_start`, `missing`.
    aspects : DataFrame, optional
        `Representatives.models`; only needed for `real_world.ranking: harmonic_mean`.

    Raises
    ------
    InputError
        When a ballot has neither rank nor trust, or ranks only some methods, or `aspects` is needed and lacks values.

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
    ballots["place"] = ballots.groupby(BALLOT_KEY)["rank"].rank(method=judge_rules.ties)
    places = ballots[[*BALLOT_KEY, "method", "place", "trust"]]
    table = places.pivot(index=BALLOT_KEY, columns="method", values="place")  # noqa: PD010
    if judge_rules.missing == "worst_rank":
        table = table.fillna(float(table.shape[1]))
    mean_places = table.groupby(level="dataset").mean()
    score, best_first = mean_places.mean(), 1
    if judge_rules.real_world.ranking == "harmonic_mean":
        score, best_first = _score_with_aspects(mean_places, judge_rules, aspects), -1
    ranking = score.rename("score").rename_axis("method").reset_index()
    ranking["rank"] = (best_first * ranking["score"]).round(12).rank(method="min").astype("int64")
    places = places.assign(place=as_whole_numbers(places["place"]))
    return TrustRanking(ranking.sort_values(["rank", "method"], ignore_index=True), places)


def _score_with_aspects(
    mean_places: pd.DataFrame, judge_rules: JudgeRules, aspects: pd.DataFrame | None
) -> pd.Series:
    """Return each method's mean over datasets of the harmonic mean of its ranks in aspects and trust; higher is better.

    `mean_places` has the mean place of each method (columns) on each dataset (rows).
    """
    names = [name for name, aspect in judge_rules.aspects.items() if aspect.from_ != "property"]
    if aspects is None or not set(names) <= set(aspects):
        raise InputError(
            f"real_world.ranking: harmonic_mean needs the values of {', '.join(names)} beside the trust"
        )
    values = aspects.set_index(["dataset", "method"])[names].astype("float64")
    for name in names:
        values[name] *= -1 if judge_rules.aspects[name].direction == "lower" else 1
    values["trust"] = -mean_places.stack()  # noqa: PD013
    places = values.groupby("dataset").rank(ascending=False, method=judge_rules.ties)
    n_methods = values.index.get_level_values("method").nunique()
    ranks = n_methods - places + judge_rules.rank_start
    if judge_rules.missing == "worst_rank":
        ranks = ranks.fillna(judge_rules.rank_start)
    score = harmonic_mean(ranks.to_numpy(dtype=float), axis=1)
    scores = pd.Series(score, index=ranks.index).unstack()  # noqa: PD010
    if judge_rules.missing == "worst_rank":
        scores = scores.fillna(float(judge_rules.rank_start))
    return scores.mean()
