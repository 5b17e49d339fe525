"""Sentences and tables about one participant: place and reasons, scores by dataset, improvements, models."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.tables.aspects import as_points, aspect_table
from srlib.displays.tables.first_screen import describe_barred
from srlib.displays.tables.models import best_models
from srlib.displays.tables.runs import ledger_table
from srlib.errors import InputError
from srlib.judging import Judgement
from srlib.judging.what_if import improvements, score_without_failures
from srlib.ledger import MEANINGS
from srlib.prose import counted, minus_signs
from srlib.readers.row_checks import THE_TRUTH


def next_above(judgement: Judgement, method: str) -> str:
    """Return the method next above in the ranking, for the first the second; empty without a place or a rival."""
    ranked = judgement.ranking.dropna(subset="rank")["method"].tolist()
    if method not in ranked or len(ranked) == 1:
        return ""
    place = ranked.index(method)
    return ranked[place - 1] if place else ranked[1]


def standing(judgement: Judgement, method: str) -> list[str]:
    """Return sentences about a method's place, its comparison with the method next above, and the cost of failed runs.

    Raises
    ------
    InputError
        When the method has no run.
    """
    methods = sorted(judgement.assessments["method"].unique())
    if method not in methods:
        raise InputError(f"method {method!r} has no run; methods with runs: {', '.join(methods)}")
    ranking: Any = judgement.ranking.dropna(subset="rank").set_index("method")
    if method not in ranking.index:
        reason = "it has no usable run on a scored dataset"
        if method == judgement.rules.judge.qualification.baseline:
            reason = "it is the baseline, which others have to beat to qualify"
        elif method in judgement.screened.barred:
            reason = "it did not qualify"
        return [f"{method} has no place: {reason}."]
    rank, score = ranking.loc[method, ["rank", "score"]]
    place = f"{method}: place {rank:.0f} of {len(ranking)} with {score:.3f} (higher is better)"
    comparison = []
    if rival := next_above(judgement, method):
        rank, rival_score = ranking.loc[rival, ["rank", "score"]]
        place += f"; {rival} has place {rank:.0f} with {rival_score:.3f}"
        difference = compare_with_next(judgement, method)["difference"]
        comparison.append(
            f"Beside {rival}: {score - rival_score:+.3f} in the final score, ahead on {(difference > 0).sum()} "
            f"of {counted(len(difference), 'dataset')}, behind on {(difference < 0).sum()}."
        )
    lines = [f"{place}.", *comparison, *describe_failed_runs(judgement, method)]
    return [minus_signs(line) for line in lines]


def describe_failed_runs(judgement: Judgement, method: str) -> list[str]:
    """Return a sentence about the cost of failed and absent runs; no sentence if there are none.

    It compares the method's scores with those it would have if its usable runs' values replaced the failed ones.
    """
    result = score_without_failures(judgement, method)
    if not result.n_absent:
        return []
    changes = [
        f"{row['dataset']} would score {row['new_score']:.2f} instead of {row['score']:.2f}"
        for row in result.changes.to_dict("records")
    ]
    final = f"{result.new_final:.3f} instead of {result.final:.3f}"
    changes = [*changes, f"final score {final}"] if changes else ["no score would change"]
    runs = counted(result.n_absent, "failed or absent run")
    return [f"With the value of its usable runs in place of its {runs}: {'; '.join(changes)}."]


def describe_exceptions(judgement: Judgement, method: str) -> list[str]:
    """Return sentences that count the ledger's lines about a method by reason."""
    table = ledger_table(judgement.ledger[judgement.ledger["method"] == method])
    return [
        f"{counted(row['lines'], row['level'])} {row['action']}: {row['meaning']} ({row['code']})"
        for row in table.to_dict("records")
    ] or ["All of its runs count as they stand."]


def compare_with_next(judgement: Judgement, method: str) -> pd.DataFrame:
    """Return a comparison with the method next above, from largest gain to largest loss; empty without such a method.

    Returns
    -------
    pandas.DataFrame
        A row for each scored `dataset`: `property`, `score`, score of the `rival`, `difference` (positive: the method
        is ahead), `decided by` (the aspect with the largest difference of points in this direction, with points and
        values; empty if the scores are equal), `exceptions` (the method's failed runs and others that do not count as
        handed in) and `model` (the method's best).
    """
    if not (rival := next_above(judgement, method)):
        return pd.DataFrame({"difference": []})
    method_rows, rival_rows = (
        rows_of(judgement.datasets, name, "dataset") for name in (method, rival)
    )
    table = method_rows[["property", "score"]].assign(rival=rival_rows["score"])
    table["difference"] = (table["score"] - table["rival"]).round(12)
    method_rows, rival_rows = (
        rows_of(judgement.aspects, name, ["dataset", "aspect"])[["aspect_rank", "value"]]
        for name in (method, rival)
    )
    gain = (method_rows - rival_rows)["aspect_rank"].mul(
        np.sign(table["difference"]), level="dataset"
    )
    table["decided by"] = ""
    for dataset, aspect in gain[gain > 0].groupby("dataset").idxmax():
        pairs = zip(
            method_rows.loc[(dataset, aspect)], rival_rows.loc[(dataset, aspect)], strict=True
        )
        points, values = (f"{first:.6g} against {second:.6g}" for first, second in pairs)
        reason = f"{aspect}: {points} points (value {values.replace('nan', 'none')})"
        table.loc[dataset, "decided by"] = minus_signs(reason)
    lines = judgement.ledger[judgement.ledger["method"] == method]
    codes = lines[lines["action"] != "noted"].groupby("dataset")["code"]
    best = best_models(judgement)
    table = table.assign(
        exceptions=codes.agg(count_codes),
        model=best[best["method"] == method].set_index("dataset")["model"],
    )
    table = table.sort_values("difference", ascending=False, kind="stable").reset_index()
    table.attrs["headings"] = {"rival": f"score of {rival}"}
    return table


def rows_of(table: pd.DataFrame, method: str, keys: Any) -> pd.DataFrame:
    """Return the rows of a method, indexed by these columns."""
    return table[table["method"] == method].set_index(keys)


def count_codes(codes: pd.Series) -> str:
    """Return the number of each code of the ledger in words, such as '2 x MEANING; 1 x MEANING'."""
    return "; ".join(
        f"{count} x {MEANINGS[str(code)]}" for code, count in codes.value_counts().items()
    )


def describe_improvements(judgement: Judgement, method: str) -> list[str]:
    """Return sentences about the smallest improvements that would gain a method a place, or why none would."""
    ranks = judgement.ranking.dropna(subset="rank").set_index("method")["rank"]
    if method in ranks:
        return improvements(judgement, method).describe(method, ranks[method])
    reason = "it needs a run that counts"
    if method in judgement.screened.barred:
        reason = describe_barred(judgement, method)
    return [minus_signs(f"No better value here gains it a place: {reason}.")]


def models_beside_truths(judgement: Judgement, methods: Collection[str]) -> pd.DataFrame:
    """Return the truth of each dataset, followed by the best models of some methods with their values in the aspects.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `method`, `r2_test`, `solution` and `model` of `best_models`, and the columns of `aspect_table`.
    """
    if judgement.ranking_of_all is not None:  # methods that did not qualify have models, too
        judgement = replace(judgement, ranking=judgement.ranking_of_all)
    models = best_models(judgement).drop(columns=["repetition", "complexity"])
    models = models[models["method"].isin([THE_TRUTH, *methods])]
    table = models.merge(aspect_table(judgement), how="left", on=["dataset", "method"])
    return as_points(table.dropna(axis="columns", how="all"))
