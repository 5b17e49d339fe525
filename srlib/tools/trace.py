"""Trace of a score: every step from the runs of a method on a dataset to the score of that method there."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import require
from srlib.judging.judgement import Judgement
from srlib.judging.notices import STAND_INS
from srlib.prose import counted
from srlib.tables import KEY

LONG_TEXT = r"(?s)\A(.{77}).{4,}"  # a model of more than 80 letters, with what a note keeps of it
RATIO_NOTE = "|Q1 - Q2| / |n1 - n2| of the two accuracies, absent runs taken so that it is largest"


def trace(judgement: Judgement, method: str, dataset: str) -> pd.DataFrame:
    """Return every step from the runs of one method on one dataset to the score of the method there.

    Returns
    -------
    pandas.DataFrame
        Columns step, aspect, repetition, value, note. The steps are run, absent (the value of an absent run),
        run_rank (if the rules rank each repetition), accuracy and reference_accuracy (from which a noise sensitivity is
        computed), aggregate, rounded (the value that is ranked), aspect_rank and dataset_score (higher is better).

    Raises
    ------
    InputError
        When the method or the dataset is not part of the judgement.
    """
    for column, name in (("method", method), ("dataset", dataset)):
        names = sorted(judgement.datasets[column].unique())
        require(name in names, f"{column} {name!r} is not judged; judged: {', '.join(names)}")
    judge_rules = judgement.rules.judge
    aspects = _rows_of(judgement.aspects, method, dataset)
    rows = [step for cell in aspects.itertuples() for step in _trace_aspect(judgement, cell)]
    mean = "mean" if judge_rules.combine == "mean" else "harmonic mean"
    note = f"{mean} of {len(aspects)} aspect ranks"
    if {aspect.weight for aspect in judge_rules.aspects.values()} != {1.0}:
        weights = [f"{name} x {aspect.weight:g}" for name, aspect in judge_rules.aspects.items()]
        note += f" ({', '.join(weights)})"
    score = _rows_of(judgement.datasets, method, dataset)["score"].iloc[0]
    rows.append(("dataset_score", "all", None, score, note))
    table = pd.DataFrame(rows, columns=["step", "aspect", "repetition", "value", "note"])
    return table.astype({"repetition": "Int64", "value": "float64"})


def _trace_aspect(judgement: Judgement, cell: Any) -> list[tuple[Any, ...]]:
    """Return the rows of `trace` for one aspect; `cell` is a row of `Judgement.aspects`."""
    judge_rules, steps, screened = judgement.rules.judge, judgement.steps, judgement.screened
    plan, aspect = judgement.scoring.plan, list(judge_rules.aspects).index(cell.aspect)
    dataset, method = screened.datasets.index(cell.dataset), screened.methods.index(cell.method)
    measures = judgement.run_values.rename(columns={f"aspect: {cell.aspect}": "value"})
    runs = _rows_of(measures, cell.method, cell.dataset).dropna(subset="value")
    runs = runs.merge(screened.usable[[*KEY, "model"]])
    texts = runs["model"].fillna("").str.replace(LONG_TEXT, r"\1...", regex=True)
    rows = [("run", *run) for run in zip(runs["repetition"], runs["value"], texts, strict=True)]
    filled = steps.filled[aspect, dataset, method]
    stand_ins = list((Counter(filled[np.isfinite(filled)]) - Counter(runs["value"])).elements())
    aggregation = f"{judge_rules.aggregate} of {counted(len(runs), 'run')}"
    if stand_ins:
        note = f"an absent run counts as {STAND_INS[judge_rules.incomplete]}"
        rows += [("absent", None, value, note) for value in stand_ins]
        aggregation += f" and {len(stand_ins)} absent"
    if steps.run_ranks is not None:
        ranks = steps.run_ranks[aspect, dataset, method]
        rows += [("run_rank", None, rank, "higher is better") for rank in ranks[np.isfinite(ranks)]]
    if runs.empty and aspect == plan.prop and np.isfinite(cell.value):
        aggregation = RATIO_NOTE
        positions = {"accuracy": dataset, "reference_accuracy": plan.reference[dataset]}
        for step, position in positions.items():
            name = screened.datasets[position]
            note = f"on {name}, noise {screened.problems[name].noise_level:g}"
            if position != dataset and steps.reference_worse[dataset, method]:
                note += f"; too bad to be a reference, which counts as {plan.best:g}"
            rows.append((step, None, steps.aggregated[plan.accuracy, position, method], note))
    rank_note = "higher is better"
    if steps.n_below_minimum[dataset, method]:
        rank_note += f"; {steps.n_below_minimum[dataset, method]} x below the minimal accuracy"
    rows += [
        ("aggregate", None, cell.value, f"{aggregation}, {cell.direction} is better"),
        ("rounded", None, cell.value_rounded, "what is ranked"),
        ("aspect_rank", None, cell.aspect_rank, rank_note),
    ]
    return [(step, cell.aspect, *values) for step, *values in rows]


def _rows_of(table: pd.DataFrame, method: str, dataset: str) -> pd.DataFrame:
    """Return the rows of a table for one method on one dataset."""
    return table[(table["method"] == method) & (table["dataset"] == dataset)]
