"""Sentences and tables about one participant: place and reasons, scores by dataset, improvements, models."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.tables.aspects import aspect_table, points_table
from srlib.displays.tables.first_screen import describe_barred
from srlib.displays.tables.runs import best_models, ledger_table
from srlib.displays.tables.table import Table
from srlib.errors import InputError
from srlib.judging import Judgement
from srlib.judging.what_if import improvements, score_without_failures
from srlib.ledger import MEANINGS
from srlib.prose import Fact, Statement, compose, counted, join_statements, minus_signs, state
from srlib.readers.row_checks import THE_TRUTH


def next_above(judgement: Judgement, method: str) -> str:
    """Return the method next above in the ranking, for the first the second; empty without a place or a rival.

    Examples
    --------
    >>> from srlib import Competition
    >>> next_above(Competition.read("demo", "synthetic-2022", qualified="demo").judge(), "deap")
    'sparse-polynomial'
    """
    ranked = judgement.ranking.dropna(subset="rank")["method"].tolist()
    if method not in ranked or len(ranked) == 1:
        return ""
    place = ranked.index(method)
    return ranked[place - 1] if place else ranked[1]


def standing(judgement: Judgement, method: str) -> list[Statement]:
    """Return sentences about a method's place, its comparison with the method next above, and the cost of failed runs.

    Raises
    ------
    InputError
        When the method has no run.

    Examples
    --------
    >>> from srlib import Competition
    >>> standing(Competition.read("demo", "synthetic-2022", qualified="demo").judge(), "deap")[0]
    'deap: place 2 of 4 with ... (higher is better); sparse-polynomial has place 1 with ...'
    """
    methods = sorted(judgement.assessments["method"].unique())
    if method not in methods:
        raise InputError(f"method {method!r} has no run; methods with runs: {', '.join(methods)}")
    ranking = judgement.ranking.dropna(subset="rank").set_index("method")
    if method not in ranking.index:
        reason = "it has no usable run on a scored dataset"
        if method == judgement.rules.judge.qualification.baseline:
            reason = "it is the baseline, which others have to beat to qualify"
        elif method in judgement.screened.barred:
            reason = "it did not qualify"
        return [state("place", f"{{method}} has no place: {reason}.", method=method)]
    scores, ranks = ranking["score"], ranking["rank"]
    template = "{method}: place {place:.0f} of {methods} with {score:.3f} (higher is better)"
    values = {
        "method": method,
        "place": ranks[method],
        "methods": len(ranking),
        "score": scores[method],
    }
    comparison = []
    if rival := next_above(judgement, method):
        template += "; {rival} has place {rival_place:.0f} with {rival_score:.3f}"
        values |= {"rival": rival, "rival_place": ranks[rival], "rival_score": scores[rival]}
        difference = compare_with_next(judgement, method).frame["difference"]
        comparison.append(
            state(
                "rival",
                "Beside {rival}: {difference:+.3f} in the final score, ahead on {ahead} of {datasets}, behind on "
                "{behind}.",
                rival=rival,
                difference=scores[method] - scores[rival],
                ahead=(difference > 0).sum(),
                datasets=counted(len(difference), "dataset"),
                behind=(difference < 0).sum(),
            )
        )
    lines = [state("place", template + ".", **values), *comparison]
    return [with_minus_signs(line) for line in [*lines, *describe_failed_runs(judgement, method)]]


def with_minus_signs(statement: Statement) -> Statement:
    """Return a statement with minus signs in place of hyphens before its numbers."""
    pieces = [
        piece if isinstance(piece, str) else Fact(piece.value, minus_signs(piece.text))
        for piece in statement.pieces
    ]
    return compose(pieces, statement.name, statement.facts)


def describe_failed_runs(judgement: Judgement, method: str) -> list[Statement]:
    """Return a sentence about the cost of failed and absent runs; no sentence if there are none.

    It compares the method's scores with those it would have if its usable runs' values replaced the failed ones.
    """
    other = score_without_failures(judgement, method)
    if not other.n_absent:
        return []
    changes = [
        state(
            "change",
            "{dataset} would score {new_score:.2f} instead of {score:.2f}",
            dataset=row["dataset"],
            score=row["score"],
            new_score=row["new_score"],
        )
        for row in other.changes.to_dict("records")
    ]
    final = "final score {new_score:.3f} instead of {score:.3f}"
    changes.append(state("final", final, score=other.final, new_score=other.new_final))
    if other.changes.empty:
        changes = [state("final", "no score would change")]
    return [
        state(
            "failed_runs",
            "With the value of its usable runs in place of its {runs}: {changes}.",
            runs=counted(other.n_absent, "failed or absent run"),
            changes=join_statements(changes, "; "),
        )
    ]


def describe_exceptions(judgement: Judgement, method: str) -> list[Statement]:
    """Return sentences that count the ledger's lines about a method by reason.

    Examples
    --------
    >>> from srlib import Competition
    >>> describe_exceptions(Competition.read("demo", "synthetic-2022").judge(), "deap")[1]
    '2 runs excluded: the run failed or ran out of time (failed_run)'
    """
    table = ledger_table(judgement.ledger[judgement.ledger["method"] == method])
    return [
        state(
            "exception",
            f"{{lines}} {row['action']}: {row['meaning']} ({row['code']})",
            lines=counted(row["lines"], row["level"]),
        )
        for row in table.to_dict("records")
    ] or [state("exception", "All of its runs count as they stand.")]


def compare_with_next(judgement: Judgement, method: str) -> Table:
    """Return a comparison with the method next above, from largest gain to largest loss; empty without such a method.

    Returns
    -------
    Table
        A row for each scored `dataset`: `property`, `score`, score of the `rival`, `difference` (positive: the method
        is ahead), `decided by` (the aspect with the largest difference of points in this direction, with points and
        values; empty if the scores are equal), `exceptions` (the method's failed runs and others that do not count as
        handed in) and `model` (the method's best).

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> compare_with_next(judgement, "deap").heading("rival")
    'score of sparse-polynomial'
    """
    if not (rival := next_above(judgement, method)):
        return Table(pd.DataFrame({"difference": []}))
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
    best = best_models(judgement).frame
    table = table.assign(
        exceptions=codes.agg(count_codes),
        model=best[best["method"] == method].set_index("dataset")["model"],
    )
    table = table.sort_values("difference", ascending=False, kind="stable").reset_index()
    return Table(table, {"rival": f"score of {rival}"}, digits=2)


def rows_of(table: pd.DataFrame, method: str, keys: Any) -> pd.DataFrame:
    """Return the rows of a method, indexed by these columns."""
    return table[table["method"] == method].set_index(keys)


def count_codes(codes: pd.Series) -> str:
    """Return the number of each code of the ledger in words, such as '2 x MEANING; 1 x MEANING'."""
    return "; ".join(
        f"{count} x {MEANINGS[str(code)]}" for code, count in codes.value_counts().items()
    )


def describe_improvements(judgement: Judgement, method: str) -> list[str]:
    """Return sentences about the smallest improvements that would gain a method a place, or why none would.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> describe_improvements(judgement, "gplearn")[0]
    'No better value here gains it a place: gplearn missed the qualification (...'
    """
    ranks = judgement.ranking.dropna(subset="rank").set_index("method")["rank"]
    if method in ranks:
        return improvements(judgement, method).describe(method, int(ranks[method]))
    reason = state("reason", "it needs a run that counts")
    if method in judgement.screened.barred:
        reason = describe_barred(judgement, method)
    template = "No better value here gains it a place: {reason}."
    return [with_minus_signs(state("improvements", template, reason=reason))]


def models_beside_truths(judgement: Judgement, methods: Collection[str]) -> Table:
    """Return the truth of each dataset, followed by the best models of some methods with their values in the aspects.

    Returns
    -------
    Table
        `dataset`, `method`, `r2_test`, `solution` and `model` of `best_models`, and the columns of `aspect_table`.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022").judge()
    >>> models_beside_truths(judgement, ["deap"]).frame["method"].tolist()[:2]
    ['(the truth)', 'deap']
    """
    if judgement.ranking_of_all is not None:  # methods that did not qualify have models, too
        judgement = replace(judgement, ranking=judgement.ranking_of_all)
    models = best_models(judgement).frame.drop(columns=["repetition", "complexity"])
    models = models[models["method"].isin([THE_TRUTH, *methods])]
    table = models.merge(aspect_table(judgement).frame, how="left", on=["dataset", "method"])
    return points_table(table.dropna(axis="columns", how="all"), row_headers=2)
