"""Where a score comes from: run -> value -> aggregate -> rounded -> aspect rank -> score."""

from typing import Any

import pandas as pd

from srlib.errors import InputError
from srlib.judging.verdict import Judgement
from srlib.rules import Judge


def trace(judgement: Judgement, method: str, dataset: str) -> pd.DataFrame:
    """Every step from the runs of one method on one dataset to its score there.

    Returns
    -------
    pandas.DataFrame
        Columns step, aspect, repetition, value, note; the steps are run, aggregate, rounded, aspect_rank and
        dataset_score.

    Raises
    ------
    InputError
        When the method or the dataset is not part of the judgement.
    """
    for name, column in ((method, "method"), (dataset, "dataset")):
        allowed = sorted(judgement.datasets[column].unique())
        if name not in allowed:
            raise InputError(f"{column} {name!r} is not judged; judged: {', '.join(allowed)}")
    runs = _of(judgement.measures, method, dataset)
    aspects = _of(judgement.aspects, method, dataset)
    block = judgement.rules.judge
    rows: list[tuple[Any, ...]] = []
    for a in aspects.itertuples():
        values = runs[runs["aspect"] == a.aspect].dropna(subset="value")
        texts = _texts(judgement, values)
        rows += [
            ("run", a.aspect, n, v, t) for n, v, t in zip(values["repetition"], values["value"], texts, strict=True)
        ]
        how = _counted(len(values), block) if len(values) else _ratio(judgement, dataset)
        place = f"of {len(judgement.ranking)} methods, {block.ties} ties, higher is better"
        rows += [
            ("aggregate", a.aspect, None, a.value, f"{how}, {a.direction} is better"),
            ("rounded", a.aspect, None, a.value_rounded, "what is ranked"),
            ("aspect_rank", a.aspect, None, a.aspect_rank, place),
        ]
    score = _of(judgement.datasets, method, dataset)["score"].iloc[0]
    note = f"{'mean' if block.combine == 'mean' else 'harmonic mean'} of {len(aspects)} aspect ranks"
    rows.append(("dataset_score", "all", None, score, note))
    table = pd.DataFrame(rows, columns=["step", "aspect", "repetition", "value", "note"])
    return table.astype({"repetition": "Int64", "value": "float64"})


def _of(table: pd.DataFrame, method: str, dataset: str) -> pd.DataFrame:
    return table[(table["method"] == method) & (table["dataset"] == dataset)]


def _counted(runs: int, block: Judge) -> str:
    absent = block.repetitions - runs if block.incomplete == "worst_value" else 0
    return f"{block.aggregate} of {runs} runs" + (
        f" and {absent} absent ones at the worst value seen" if absent > 0 else ""
    )


def _ratio(judgement: Judgement, dataset: str) -> str:
    problem = judgement.problems.find(dataset)
    if problem is None or problem.noise_reference is None:
        return "no run has a value"
    return f"|Q1 - Q2| / |n1 - n2| of the accuracies here and on {problem.noise_reference}"


def _texts(judgement: Judgement, values: pd.DataFrame) -> list[str]:
    key = ["method", "dataset", "repetition"]
    texts = values[key].merge(judgement.assessments[[*key, "model"]], on=key, how="left")["model"]
    return [text if len(text) <= 80 else text[:77] + "..." for text in texts.astype("str").fillna("")]
