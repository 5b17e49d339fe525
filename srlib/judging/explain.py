"""Where a score comes from, and where a method stands beside another one.

`trace` follows the scorer's records from the runs to a score; `compare_two` compares two methods dataset by dataset.
"""

from collections import Counter
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.judgement import Judgement
from srlib.judging.notices import STAND_IN
from srlib.ledger import MEANINGS

ALL = "(all)"
LONGEST = 80  # letters of a model's text in a note
MOST_LINES = 12  # datasets that fit on a screen
RATIO = "|Q1 - Q2| / |n1 - n2| of the two accuracies, absent runs taken so that it is largest"


def check_judged(judgement: Judgement, column: str, name: str) -> None:
    """Raise InputError where a method or dataset (`column` says which) has no score."""
    judged = sorted(judgement.datasets[column].unique())
    if name not in judged:
        raise InputError(f"{column} {name!r} is not judged; judged: {', '.join(judged)}")


def explain(judgement: Judgement, method: str) -> pd.DataFrame:
    """Every step from a method's runs to its final score and place.

    Returns
    -------
    pandas.DataFrame
        What `trace` returns for each scored dataset after the column dataset; the last two rows are final_score and
        rank.

    Raises
    ------
    InputError
        When the method is not part of the judgement, or has no usable run.
    """
    check_judged(judgement, "method", method)
    scores = judgement.datasets[judgement.datasets["method"] == method]
    parts = [trace(judgement, method, name).assign(dataset=name) for name in scores["dataset"]]
    note = f"mean of {scores['score'].count()} dataset scores"
    if judgement.rules.judge.combine == "one_harmonic":
        note = f"harmonic mean of all aspect ranks of {scores['score'].count()} datasets"
    ranking = judgement.ranking.astype({"rank": "float64"}).set_index("method")
    last = [
        (ALL, "final_score", "all", ranking["score"][method], note),
        (ALL, "rank", "all", ranking["rank"][method], f"of {ranking['rank'].count()} methods"),
    ]
    end = pd.DataFrame(last, columns=["dataset", "step", "aspect", "value", "note"])
    table = pd.concat([*parts, end], ignore_index=True)
    return table[["dataset", "step", "aspect", "repetition", "value", "note"]]


def trace(judgement: Judgement, method: str, dataset: str) -> pd.DataFrame:
    """Every step from the runs of one method on one dataset to its score there.

    Returns
    -------
    pandas.DataFrame
        Columns step, aspect, repetition, value, note. The steps are run, absent (the value of an absent run),
        run_rank (where each repetition is ranked), accuracy and reference_accuracy (of which a noise sensitivity is
        made), aggregate, rounded (what is ranked), aspect_rank and dataset_score (higher is better).

    Raises
    ------
    InputError
        When the method or the dataset is not part of the judgement.
    """
    check_judged(judgement, "method", method)
    check_judged(judgement, "dataset", dataset)
    judge = judgement.rules.judge
    aspects = _rows_of(judgement.aspects, method, dataset)
    rows = [step for cell in aspects.itertuples() for step in _trace_aspect(judgement, cell)]
    mean = "mean" if judge.combine == "mean" else "harmonic mean"
    note = f"{mean} of {len(aspects)} aspect ranks"
    if {aspect.weight for aspect in judge.aspects.values()} != {1.0}:
        weights = [f"{name} x {aspect.weight:g}" for name, aspect in judge.aspects.items()]
        note += f" ({', '.join(weights)})"
    score = _rows_of(judgement.datasets, method, dataset)["score"].iloc[0]
    rows.append(("dataset_score", "all", None, score, note))
    table = pd.DataFrame(rows, columns=["step", "aspect", "repetition", "value", "note"])
    return table.astype({"repetition": "Int64", "value": "float64"})


def _trace_aspect(judgement: Judgement, cell: Any) -> list[tuple[Any, ...]]:
    """List the rows of `trace` about one aspect; `cell` is a row of `Judgement.aspects`."""
    judge, steps, screened = judgement.rules.judge, judgement.steps, judgement.screened
    plan, a = judgement.plan, list(judge.aspects).index(cell.aspect)
    d, m = screened.datasets.index(cell.dataset), screened.methods.index(cell.method)
    measures = judgement.measures[judgement.measures["aspect"] == cell.aspect]
    runs = _rows_of(measures, cell.method, cell.dataset).dropna(subset="value")
    texts = _rows_of(screened.usable, cell.method, cell.dataset).set_index("repetition")["model"]
    rows = []
    for repetition, value in zip(runs["repetition"], runs["value"], strict=True):
        text = str(texts.fillna("")[repetition])
        text = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
        rows.append(("run", repetition, value, text))
    filled = steps.filled[a, d, m]
    absent = list((Counter(filled[np.isfinite(filled)]) - Counter(runs["value"])).elements())
    aggregation = f"{judge.aggregate} of {len(runs)} run{'s' * (len(runs) != 1)}"
    if absent:
        note = f"an absent run counts as {STAND_IN[judge.incomplete].replace('there', 'here')}"
        rows += [("absent", None, value, note) for value in absent]
        aggregation += f" and {len(absent)} absent"
    if steps.run_ranks is not None:
        labels = measures["repetition"].unique()
        if len(labels) > judge.repetitions:  # numbered on each dataset
            labels = measures.loc[measures["dataset"] == cell.dataset, "repetition"].unique()
        rows += [
            ("run_rank", label, rank, "higher is better")
            for label, rank in zip_longest(sorted(labels), steps.run_ranks[a, d, m])
            if np.isfinite(rank)
        ]
    if runs.empty and a == plan.prop and np.isfinite(cell.value):
        aggregation = RATIO
        for step, at in (("accuracy", d), ("reference_accuracy", plan.reference[d])):
            name = screened.datasets[at]
            note = f"on {name}, noise {screened.problems[name].noise_level:g}"
            if at != d and steps.reference_worse[d, m]:
                note += f"; too bad to be a reference, which counts as {plan.best:g}"
            rows.append((step, None, steps.aggregated[plan.accuracy, at, m], note))
    place = "higher is better"
    if steps.below[d, m]:
        place += f"; {steps.below[d, m]} x below the minimal accuracy"
    rows += [
        ("aggregate", None, cell.value, f"{aggregation}, {cell.direction} is better"),
        ("rounded", None, cell.value_rounded, "what is ranked"),
        ("aspect_rank", None, cell.aspect_rank, place),
    ]
    return [(step, cell.aspect, *values) for step, *values in rows]


def _rows_of(table: pd.DataFrame, method: str, dataset: str) -> pd.DataFrame:
    return table[(table["method"] == method) & (table["dataset"] == dataset)]


def choose_rival(judgement: Judgement, method: str) -> str:
    """Name the method to compare with: the winner, the second beside the winner; empty for a method alone."""
    placed = judgement.ranking.dropna(subset="rank")["method"]
    return next((name for name in placed if name != method), "")


def compare_two(judgement: Judgement, method: str, rival: str) -> pd.DataFrame:
    """Compare two methods on each scored dataset, where the first gained most first.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `property`, `score`, `rival`, `difference` (positive: the method is ahead), and the aspect that
        moves the score most in the direction of the difference: `aspect`, `value`, `aspect_rank`, `rival_value`,
        `rival_rank` (higher is better). The aspect is missing where the scores are equal.
    """

    def pairs_of(cells: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
        own, other = (cells[cells["method"] == name] for name in (method, rival or method))
        return own.merge(other, on=keys, suffixes=("", "_rival"))

    table = pairs_of(judgement.datasets, ["dataset", "property"])
    table = table.rename(columns={"score_rival": "rival"})
    difference = table["score"] - table["rival"]
    table["difference"] = difference.mask(difference.abs() < 1e-12, 0.0)
    aspects = pairs_of(judgement.aspects, ["dataset", "aspect"])
    aspects = aspects.rename(
        columns={"value_rival": "rival_value", "aspect_rank_rival": "rival_rank"}
    )
    points = aspects[["aspect_rank", "rival_rank"]]
    if judgement.rules.judge.combine != "mean":  # harmonic: the lowest counts most
        points = -1 / points.clip(lower=1e-3)
    ahead = np.sign(aspects["dataset"].map(table.set_index("dataset")["difference"]))
    aspects["gain"] = (points["aspect_rank"] - points["rival_rank"]) * ahead
    aspects = aspects[~aspects["gain"].isin([0.0, np.nan])]
    aspects = aspects.sort_values("gain", ascending=False, kind="stable")
    table = table.merge(aspects.drop_duplicates("dataset"), on="dataset", how="left")
    listed = pd.Index([problem.dataset for problem in judgement.problems.problems])
    table = table.sort_values("dataset", key=lambda names: listed.get_indexer(pd.Index(names)))
    table = table.sort_values("difference", ascending=False, kind="stable", ignore_index=True)
    columns = ["dataset", "property", "score", "rival", "difference"]
    return table[[*columns, "aspect", "value", "aspect_rank", "rival_value", "rival_rank"]]


def describe_standing(judgement: Judgement, method: str, rival: str = "") -> list[str]:
    """Say in a screen of text where a method stands beside a rival (`choose_rival`), and what did not count.

    Raises
    ------
    InputError
        When one of them is not judged, or the rival has no usable run.
    """
    if reason := why_no_place(judgement, method):
        lines = [f"{method}: no place: {reason}", ""]
    else:
        for name in filter(None, (method, rival)):
            check_judged(judgement, "method", name)
        if rival == method:
            raise InputError(f"method {method!r} cannot be compared with itself")
        rival = rival or choose_rival(judgement, method)
        lines = [f"{method}: {describe_place(judgement, method, rival)}", ""]
        if rival:
            table, half = compare_two(judgement, method, rival), MOST_LINES // 2
            sentence = f"Beside {rival}: {count_wins(table)}."
            if len(table) > MOST_LINES:
                sentence += f" The {half} at either end:"
                table = pd.concat([table.head(half), table.tail(half)])
            columns = {
                "dataset": table["dataset"],
                "its score": table["score"].map("{:.2f}".format),
                "the other's": table["rival"].map("{:.2f}".format),
                "difference": table["difference"].map(format_difference),
                "most by": [describe_decisive(row) for row in table.itertuples()],
            }
            rows = pd.DataFrame(columns).to_string(index=False).split("\n")
            lines += [sentence, *rows, ""]
    ledger = judgement.ledger[judgement.ledger["method"] == method]
    counts: Any = ledger.groupby(["code", "level", "action"], sort=False).size()
    not_counted = [
        f"  {n} {level}{'s' * (n > 1)} {action}: {MEANINGS[code]} ({code})"
        for (code, level, action), n in counts.items()
    ]
    if not not_counted:
        return [*lines, "All of its runs count as they stand."]
    return [*lines, "What did not count as it stands:", *not_counted]


def why_no_place(judgement: Judgement, method: str) -> str:
    """Say why a method has no place; empty where it has one, or is not known."""
    if method in judgement.screened.idle:
        return "it has no usable run."
    if method not in judgement.screened.barred or judgement.ranking_of_all is None:
        return ""
    places: Any = judgement.ranking_of_all.dropna(subset="rank").set_index("method")
    if method not in places.index:
        return "it did not qualify."
    rank, score = places.loc[method, ["rank", "score"]]
    return f"it did not qualify; place {rank:.0f} with {score:.3f} if all had."


def describe_place(judgement: Judgement, method: str, rival: str) -> str:
    """Say place and score, and those of the rival."""
    placed: Any = judgement.ranking.dropna(subset="rank").set_index("method")
    rank, score = placed.loc[method, ["rank", "score"]]
    place = f"place {rank:.0f} of {len(placed)} with {score:.3f} (higher is better)"
    if not rival:
        return place
    rank, score = placed.loc[rival, ["rank", "score"]]
    return f"{place}; {rival} has place {rank:.0f} with {score:.3f}."


def count_wins(table: pd.DataFrame) -> str:
    """Say on how many datasets of `compare_two` a method is ahead, and on how many behind."""
    ahead, behind = (table["difference"] > 0).sum(), (table["difference"] < 0).sum()
    return f"ahead on {ahead} of {len(table)} dataset{'s' * (len(table) > 1)}, behind on {behind}"


def format_difference(difference: float, digits: int = 2) -> str:
    """Write a difference of scores with its sign.

    Examples
    --------
    >>> format_difference(1.294), format_difference(-2.8), format_difference(0.0), format_difference(float("nan"))
    ('+1.29', '-2.80', '0.00', 'nan')
    """
    return f"{'+' * (difference > 0)}{difference:.{digits}f}"


def describe_decisive(row: Any) -> str:
    """Say which aspect decided a dataset, from a row of `compare_two`; empty where none differs."""
    if not isinstance(row.aspect, str):
        return ""
    values = [
        "none" if pd.isna(value) else f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"
        for value in (row.value, row.rival_value)
    ]
    return (
        f"{row.aspect}: {row.aspect_rank:.3g} against {row.rival_rank:.3g} points "
        f"(value {' against '.join(values)})"
    )
