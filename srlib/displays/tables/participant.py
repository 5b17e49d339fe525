"""Where a participant stands: its place and why, dataset by dataset, what would gain a place, its models."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.tables.aspects import as_points, aspect_table
from srlib.displays.tables.models import best_models
from srlib.displays.tables.qualification import describe_barred
from srlib.errors import InputError
from srlib.judging.properties import arrange
from srlib.judging.qualification import read_margins
from srlib.judging.robustness.what_if import add_places, improvements
from srlib.judging.scoring import aggregate, fill_absent, score
from srlib.ledger import MEANINGS
from srlib.prose import counted, minus_signs
from srlib.readers.row_checks import THE_TRUTH


def next_above(judgement: Any, method: str) -> str:
    """Name the method next above in the ranking, for the first its second; empty without a place or a rival."""
    placed = judgement.ranking.dropna(subset="rank")["method"].tolist()
    if method not in placed or len(placed) == 1:
        return ""
    return placed[abs(placed.index(method) - 1)]


def standing(judgement: Any, method: str) -> list[str]:
    """Describe a method's place, the gap to the method next above, wins and differences by property.

    Raises
    ------
    InputError
        When the method has no run.
    """
    methods = sorted(judgement.assessments["method"].unique())
    if method not in methods:
        raise InputError(f"method {method!r} has no run; methods with runs: {', '.join(methods)}")
    placed: Any = judgement.ranking.dropna(subset="rank").set_index("method")
    if method not in placed.index:
        reason = "none of its runs is on a scored dataset"
        if method in judgement.screened.idle:
            reason = "it has no usable run"
        elif method in judgement.screened.barred:
            reason = "it did not qualify"
            if method == judgement.rules.judge.qualification.baseline:
                reason = "it is the baseline, which others have to beat to qualify"
        return [f"{method} has no place: {reason}."]
    rival, (rank, score) = next_above(judgement, method), placed.loc[method, ["rank", "score"]]
    place = f"{method}: place {rank:.0f} of {len(placed)} with {score:.3f} (higher is better)"
    lines = []
    if rival:
        rank, rival_score = placed.loc[rival, ["rank", "score"]]
        place += f"; {rival} has place {rank:.0f} with {rival_score:.3f}"
        table = _compare_scores(judgement, method, rival)
        properties = table["property"].fillna("no property").str.replace("_", " ")
        sums = table.groupby(properties)["difference"].sum().sort_values(ascending=False)
        terms = ", ".join(f"{name} {_signed(value)}" for name, value in sums.items())
        ahead, behind = (table["difference"] > 0).sum(), (table["difference"] < 0).sum()
        lines = [
            f"Beside {rival}: {_signed(score - rival_score, 3)} in the final score, "
            f"ahead on {ahead} of {counted(len(table), 'dataset')}, behind on {behind}.",
            f"Differences from {rival} in dataset scores, summed by property: {terms}.",
        ]
    lines = [f"{place}.", *lines, _describe_failed_runs(judgement, method)]
    return [minus_signs(line) for line in lines if line]


def _signed(difference: float, digits: int = 2) -> str:
    return f"{difference:+.{digits}f}" if difference else f"{difference:.{digits}f}"


def _describe_failed_runs(judgement: Any, method: str) -> str:
    """Say what absent runs cost a method: its scores with the value of its usable runs in their place."""
    judge, screened = judgement.rules.judge, judgement.screened
    values, plan = arrange(screened, judge)
    position = screened.methods.index(method)
    usable = screened.count(screened.usable)
    expected = np.broadcast_to(plan.expected, usable.shape)
    judged = plan.scored[:, None] & (usable > 0)
    absent = int(np.where(judged, expected - usable, 0)[:, position].sum())
    if not absent:
        return ""
    values = add_places(values, plan)
    own = values[:, :, [position]]
    means = aggregate(own, judge.aggregate)[..., 0]
    values[:, :, [position]] = fill_absent(own, means, expected[:, [position]], "floor")
    again = score(values, plan, judge)
    before, after = judgement.steps.dataset_scores[:, position], again.dataset_scores[:, position]
    moved = np.flatnonzero(plan.scored & (np.abs(after - before) > 1e-9))
    runs = counted(absent, "failed or absent run")
    if not len(moved):
        return f"The value of its usable runs in place of its {runs} would change no score."
    datasets = [
        f"{screened.datasets[d]} would score {after[d]:.2f} instead of {before[d]:.2f}"
        for d in moved
    ]
    final = f"{again.final[position]:.3f} instead of {judgement.steps.final[position]:.3f}"
    scores = "; ".join([*datasets, f"final score {final}"])
    return f"With the value of its usable runs in place of its {runs}: {scores}."


def describe_exceptions(judgement: Any, method: str) -> list[str]:
    """Count the ledger's lines about a method by reason, in words."""
    ledger = judgement.ledger[judgement.ledger["method"] == method]
    kinds = ledger.groupby(["code", "level", "action"], sort=False).size()
    if kinds.empty:
        return ["All of its runs count as they stand."]
    return [
        f"{counted(n, level)} {action}: {MEANINGS[code]} ({code})"
        for (code, level, action), n in kinds.items()
    ]


def compare_with_next(judgement: Any, method: str) -> pd.DataFrame:
    """Compare a method with the one next above, from its largest gain to its largest loss; empty without a place.

    Returns
    -------
    pandas.DataFrame
        By scored `dataset`: its `property`, the `score` and that of the `rival`, their `difference` (positive: the
        method is ahead), the aspect that moves the score most in its direction (`decided by`: points, and values
        behind them; empty where the scores are equal), the method's runs there that do not count as they stand,
        failed ones among them (`exceptions`), and its best `model`.
    """
    if method not in judgement.ranking.dropna(subset="rank")["method"].tolist():
        return pd.DataFrame({"difference": []})
    rival = next_above(judgement, method) or method
    table = _compare_scores(judgement, method, rival)
    aspects = _join_rival(judgement.aspects, method, rival, ["dataset", "aspect"])
    points = aspects[["aspect_rank", "aspect_rank_rival"]]
    if judgement.rules.judge.combine != "mean":  # harmonic: the lowest counts most
        points = -1 / points.clip(lower=1e-3)
    gain = points["aspect_rank"] - points["aspect_rank_rival"]
    gain *= np.sign(aspects["dataset"].map(table.set_index("dataset")["difference"]))
    decisive = aspects.assign(gain=gain)[gain.abs() > 0]
    decisive = decisive.sort_values("gain", ascending=False, kind="stable")
    decisive = decisive.drop_duplicates("dataset").set_index("dataset")
    reasons = {str(name): _describe_decisive(row) for name, row in decisive.iterrows()}
    lines = judgement.ledger[
        (judgement.ledger["method"] == method) & (judgement.ledger["action"] != "noted")
    ]
    codes = lines.groupby(["dataset", "code"], sort=False).size().reset_index(name="n")
    codes["text"] = codes["n"].astype("str") + " x " + codes["code"].map(MEANINGS).astype("str")
    best = best_models(judgement)
    best = best[best["method"] == method].set_index("dataset")["model"]
    table["decided by"] = [reasons.get(name, "") for name in table["dataset"]]
    table["exceptions"] = table["dataset"].map(codes.groupby("dataset")["text"].agg("; ".join))
    table["model"] = table["dataset"].map(best)
    columns = ["dataset", "property", "score", "rival", "difference"]
    table = table[[*columns, "decided by", "exceptions", "model"]]
    table = table.sort_values("difference", ascending=False, kind="stable", ignore_index=True)
    table.attrs["headings"] = {"rival": f"score of {rival}"}
    return table


def _compare_scores(judgement: Any, method: str, rival: str) -> pd.DataFrame:
    """Put the scores of two methods on each dataset beside each other."""
    table = _join_rival(judgement.datasets, method, rival, ["dataset", "property"])
    table = table.rename(columns={"score_rival": "rival"})
    difference = table["score"] - table["rival"]
    return table.assign(difference=difference.mask(difference.abs() < 1e-12, 0.0))


def _join_rival(cells: pd.DataFrame, method: str, rival: str, keys: list[str]) -> pd.DataFrame:
    own, other = (cells[cells["method"] == name] for name in (method, rival))
    return own.merge(other, on=keys, suffixes=("", "_rival"))


def _describe_decisive(row: Any) -> str:
    pair = row["value"], row["value_rival"]
    digits = 3 if f"{pair[0]:.3g}" != f"{pair[1]:.3g}" else 6  # values that differ look so
    values = [
        f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.{digits}g}".replace("nan", "none")
        for value in pair
    ]
    return minus_signs(
        f"{row['aspect']}: {row['aspect_rank']:.3g} against {row['aspect_rank_rival']:.3g} points "
        f"(value {' against '.join(values)})"
    )


def describe_improvements(judgement: Any, method: str, qualified: Any = "") -> list[str]:
    """Describe the smallest improvements that gain a method a place, or why none does."""
    ranks = judgement.ranking.dropna(subset="rank").set_index("method")["rank"]
    if method in ranks:
        return improvements(judgement, method).describe(method, ranks[method])
    baseline = judgement.rules.judge.qualification.baseline
    if method not in judgement.screened.barred:
        return ["No better value gains it a place: it needs a run that counts."]
    if method == baseline:
        return ["It is the baseline of the qualification, so it cannot qualify."]
    reason = describe_barred(judgement, method, read_margins(qualified, judgement.rules))
    return [minus_signs(f"No better value here gains it a place: {reason}.")]


def models_beside_truths(judgement: Any, methods: Collection[str]) -> pd.DataFrame:
    """Put the best models of some methods below the truth of each dataset, with what they reached in the aspects.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `method`, what `aspect_table` has, and `r2_test`, `solution` and `model` as `best_models` has them.
    """
    if judgement.ranking_of_all is not None:  # methods that did not qualify have models, too
        judgement = replace(judgement, ranking=judgement.ranking_of_all)
    models = best_models(judgement)
    models = models[models["method"].isin([THE_TRUTH, *methods])]
    models = models.drop(columns=["repetition", "complexity"])
    table = aspect_table(judgement).merge(models, how="right", on=["dataset", "method"])
    return as_points(table.dropna(axis="columns", how="all"))
