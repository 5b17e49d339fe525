"""Where a score comes from: run -> value -> aggregate -> rounded -> aspect rank -> score, from the scorer's records."""

from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.judgement import Judgement
from srlib.judging.notices import STAND_IN

ALL = "(all)"
LONGEST = 80  # letters of a model's text in a note
RATIO = "|Q1 - Q2| / |n1 - n2| of the two accuracies, absent runs taken so that it is largest"


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
    ranking = judgement.ranking.set_index("method")
    if method not in ranking.index:
        raise InputError(
            f"method {method!r} is not judged; judged: {', '.join(sorted(ranking.index))}"
        )
    scores = judgement.datasets[judgement.datasets["method"] == method]
    if scores.empty:
        raise InputError(f"method {method!r} has no usable run, so there is no score to explain")
    parts = [trace(judgement, method, name).assign(dataset=name) for name in scores["dataset"]]
    count = int(scores["score"].notna().sum())
    note = f"mean of {count} dataset scores"
    if judgement.rules.judge.combine == "one_harmonic":
        note = f"harmonic mean of all aspect ranks of {count} datasets"
    final, place = (
        ranking.loc[method, ["score", "rank"]].astype("Float64").to_numpy(float, na_value=np.nan)
    )
    last = [
        ("final_score", final, note),
        ("rank", place, f"of {int(ranking['rank'].notna().sum())} methods, 1 is best"),
    ]
    end = pd.DataFrame(last, columns=["step", "value", "note"]).assign(dataset=ALL, aspect="all")
    table = pd.concat([*parts, end.astype({"value": "float64"})], ignore_index=True)
    return table[["dataset", "step", "aspect", "repetition", "value", "note"]]


def trace(judgement: Judgement, method: str, dataset: str) -> pd.DataFrame:
    """Every step from the runs of one method on one dataset to its score there.

    Returns
    -------
    pandas.DataFrame
        Columns step, aspect, repetition, value, note. The steps are run, absent (the value of an absent run),
        run_rank (where each repetition is ranked), accuracy and reference_accuracy (of which a noise sensitivity is
        made), aggregate, rounded, aspect_rank and dataset_score.

    Raises
    ------
    InputError
        When the method or the dataset is not part of the judgement.
    """
    for name, column in ((method, "method"), (dataset, "dataset")):
        allowed = sorted(judgement.datasets[column].unique())
        if name not in allowed:
            raise InputError(f"{column} {name!r} is not judged; judged: {', '.join(allowed)}")
    aspects = _rows_of(judgement.aspects, method, dataset)
    rows = [
        (step, cell["aspect"], *values)
        for _, cell in aspects.iterrows()
        for step, *values in _aspect_steps(judgement, method, dataset, cell)
    ]
    score = _rows_of(judgement.datasets, method, dataset)["score"].iloc[0]
    judge = judgement.rules.judge
    kind = "mean" if judge.combine == "mean" else "harmonic mean"
    note = f"{kind} of {len(aspects)} aspect ranks"
    if {aspect.weight for aspect in judge.aspects.values()} != {1.0}:
        weights = [f"{name} x {aspect.weight:g}" for name, aspect in judge.aspects.items()]
        note += f" ({', '.join(weights)})"
    rows.append(("dataset_score", "all", None, score, note))
    table = pd.DataFrame(rows, columns=["step", "aspect", "repetition", "value", "note"])
    return table.astype({"repetition": "Int64", "value": "float64"})


def _aspect_steps(
    judgement: Judgement, method: str, dataset: str, cell: pd.Series
) -> list[tuple[Any, ...]]:
    """List the steps (step, repetition, value, note) of one aspect; `cell` is its row of `Judgement.aspects`."""
    judge, steps, screened = judgement.rules.judge, judgement.steps, judgement.screened
    i = list(judge.aspects).index(cell["aspect"])
    d, m = screened.datasets.index(dataset), screened.methods.index(method)
    runs = _rows_of(judgement.measures, method, dataset)
    runs = runs[runs["aspect"] == cell["aspect"]].dropna(subset="value")
    notes = _describe_runs(judgement, runs)
    rows = [("run", *run) for run in zip(runs["repetition"], runs["value"], notes, strict=True)]
    absent = steps.filled[i, d, m][np.isfinite(steps.filled[i, d, m])].tolist()
    for value in runs["value"]:
        absent.remove(value)
    if absent:
        note = f"an absent run counts as {STAND_IN[judge.incomplete].replace('there', 'here')}"
        rows += [("absent", None, value, note) for value in absent]
    how = f"{judge.aggregate} of {len(runs)} run{'s' * (len(runs) != 1)}"
    if absent:
        how += f" and {len(absent)} absent"
    rounded, place = "what is ranked", ""
    if steps.run_ranks is not None:
        rounded, place = "not ranked itself, as each repetition is", "mean of the ranks above, "
        labels = _repetition_labels(judgement, dataset)
        rows += [
            ("run_rank", labels.get(n), rank, "rank of this repetition")
            for n, rank in enumerate(steps.run_ranks[i, d, m])
            if np.isfinite(rank)
        ]
    if runs.empty:
        how = "no run has a value"
        if i == judgement.plan.prop and np.isfinite(cell["value"]):
            how = RATIO
            rows += _accuracies(judgement, d, m)
    place += f"of {len(screened.methods)} methods, {judge.ties} ties, higher is better"
    if steps.below[d, m]:
        place += f"; {steps.below[d, m]} x below the minimal accuracy"
    return [
        *rows,
        ("aggregate", None, cell["value"], f"{how}, {cell['direction']} is better"),
        ("rounded", None, cell["value_rounded"], rounded),
        ("aspect_rank", None, cell["aspect_rank"], place),
    ]


def _rows_of(table: pd.DataFrame, method: str, dataset: str) -> pd.DataFrame:
    return table[(table["method"] == method) & (table["dataset"] == dataset)]


def _repetition_labels(judgement: Judgement, dataset: str) -> dict[int, int]:
    """Which repetition stands at which position of the scorer's arrays."""
    measures = judgement.measures
    labels = measures["repetition"].unique()
    if len(labels) > judgement.rules.judge.repetitions:
        labels = measures.loc[measures["dataset"] == dataset, "repetition"].unique()
    return dict(enumerate(sorted(labels)))


def _accuracies(judgement: Judgement, d: int, m: int) -> list[tuple[Any, ...]]:
    """List the accuracies that a noise sensitivity is made of."""
    screened, plan = judgement.screened, judgement.plan
    accuracy = judgement.steps.aggregated[plan.accuracy, :, m]
    rows = []
    for step, position in (("accuracy", d), ("reference_accuracy", int(plan.reference[d]))):
        name = screened.datasets[position]
        note = f"on {name}, noise {screened.problems[name].noise_level:g}"
        if position != d and judgement.steps.reference_worse[d, m]:
            note += f"; too bad to be a reference, which counts as {plan.best:g}"
        rows.append((step, None, accuracy[position], note))
    return rows


def _describe_runs(judgement: Judgement, runs: pd.DataFrame) -> list[str]:
    """Text of each run, shortened; one that does not give the stored predictions says so."""
    key = ["method", "dataset", "repetition"]
    table = runs[key].merge(judgement.screened.usable, on=key, how="left")
    texts = table["model"].astype("str").fillna("")
    notes = texts.where(texts.str.len() <= LONGEST, texts.str[: LONGEST - 3] + "...")
    if "text_matches_predictions" in table:
        judged = "text"
        if judgement.rules.measure.judged == "predictions":
            judged = "predictions"
        differs = table["text_matches_predictions"].astype("boolean").eq(False).fillna(False)
        sentence = f"; text and stored predictions differ, the {judged} is judged"
        notes = notes.where(~differs.astype(bool), notes + sentence)
    return notes.tolist()
