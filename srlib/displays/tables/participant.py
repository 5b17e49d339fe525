"""Where a participant stands: its place and why, dataset by dataset, what would gain a place, its models."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.tables.aspects import as_points, aspect_table
from srlib.displays.tables.models import best_models
from srlib.displays.tables.qualification import describe_barred, qualification_margins
from srlib.errors import InputError
from srlib.judging.explain import (
    compare_two,
    count_wins,
    describe_decisive,
    describe_place,
    format_difference,
    why_no_place,
)
from srlib.judging.robustness.what_if import improvements
from srlib.judging.run_values import arrange
from srlib.judging.scoring import aggregate, score
from srlib.ledger import MEANINGS
from srlib.prose import minus_signs

TRUTH = "(the truth)"


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
    if not _rank(judgement, method):
        reason = why_no_place(judgement, method) or "none of its runs is on a scored dataset."
        return [f"{method} has no place: {reason}"]
    rival = next_above(judgement, method)
    lines = [f"{method}: {describe_place(judgement, method, rival).rstrip('.')}."]
    if rival:
        table = compare_two(judgement, method, rival)
        properties = table["property"].fillna("no property").str.replace("_", " ")
        sums = table.groupby(properties)["difference"].sum().sort_values(ascending=False)
        terms = ", ".join(f"{name} {format_difference(value)}" for name, value in sums.items())
        scores = judgement.ranking.set_index("method")["score"]
        gap = format_difference(float(scores[method] - scores[rival]), 3)
        lines += [
            f"Beside {rival}: {gap} in the final score, {count_wins(table)}.",
            f"Differences from {rival} in dataset scores, summed by property: {terms}.",
        ]
    lines.append(describe_failed_runs(judgement, method))
    return [minus_signs(line) for line in lines if line]


def describe_failed_runs(judgement: Any, method: str) -> str:
    """Say what absent runs cost a method: its scores with the value of its usable runs in their place."""
    judge, screened = judgement.rules.judge, judgement.screened
    values, plan = arrange(screened, judge)
    position = screened.methods.index(method)
    own = values[:, :, position]
    usable = np.isfinite(own)
    lost = int((~usable & usable.any(axis=-1, keepdims=True))[:, plan.scored].any(axis=0).sum())
    if not lost:
        return ""
    means = aggregate(own, judge.aggregate)[..., None]
    values[:, :, position] = np.where(usable, own, means)
    again = score(values, plan, judge)
    before, after = judgement.steps.dataset_scores[:, position], again.dataset_scores[:, position]
    moved = np.flatnonzero(plan.scored & (np.abs(after - before) > 1e-9))
    datasets = [
        f"{screened.datasets[d]} would score {after[d]:.2f} instead of {before[d]:.2f}"
        for d in moved
    ]
    final = f"{again.final[position]:.3f} instead of {judgement.steps.final[position]:.3f}"
    runs = f"{lost} absent run{'s' * (lost > 1)}"
    scores = "; ".join([*datasets, f"final score {final}"])
    return f"With the value of its usable runs in place of its {runs}: {scores}."


def compare_with_next(judgement: Any, method: str) -> pd.DataFrame:
    """Compare a method with the one next above, from its largest gain to its largest loss; empty without a place.

    Returns
    -------
    pandas.DataFrame
        What `srlib.judging.explain.compare_two` returns, with the deciding aspect in words (`decided by`), the method's
        runs there that do not count as they stand, failed ones among them (`exceptions`), and its best `model`.
    """
    if not _rank(judgement, method):
        return pd.DataFrame({"difference": []})
    rival = next_above(judgement, method)
    table = compare_two(judgement, method, rival)
    table["decided by"] = [minus_signs(describe_decisive(row)) for row in table.itertuples()]
    ledger, best = judgement.ledger, best_models(judgement)
    lines = ledger[(ledger["method"] == method) & (ledger["action"] != "noted")]
    codes = lines.groupby(["dataset", "code"], sort=False).size().reset_index(name="n")
    codes["text"] = codes["n"].astype("str") + " x " + codes["code"].map(MEANINGS).astype("str")
    table["exceptions"] = table["dataset"].map(codes.groupby("dataset")["text"].agg("; ".join))
    table["model"] = table["dataset"].map(
        best[best["method"] == method].set_index("dataset")["model"]
    )
    table.attrs["headings"] = {"rival": f"score of {rival or method}"}
    return table


def describe_improvements(judgement: Any, method: str, qualified: Any = "") -> list[str]:
    """Describe the smallest improvements that gain a method a place, or why none does."""
    if rank := _rank(judgement, method):
        return improvements(judgement, method).describe(method, rank)
    baseline = judgement.rules.judge.qualification.baseline
    if method not in judgement.screened.barred:
        return ["No better value gains it a place: it needs a run that counts."]
    if method == baseline:
        return ["It is the baseline of the qualification, so it cannot qualify."]
    reason = describe_barred(judgement, method, qualification_margins(judgement, qualified))
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
    models = models[models["method"].isin([TRUTH, *methods])]
    models = models.drop(columns=["repetition", "complexity"])
    table = aspect_table(judgement).merge(models, how="right", on=["dataset", "method"])
    return as_points(table.dropna(axis="columns", how="all"))


def _rank(judgement: Any, method: str) -> int:
    """Give a method's place; 0 where it has none."""
    ranks = judgement.ranking.dropna(subset="rank").set_index("method")["rank"]
    return int(ranks.get(method, 0))
