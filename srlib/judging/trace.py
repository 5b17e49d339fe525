"""Where a score comes from: run -> value -> aggregate -> rounded -> aspect rank -> score."""

import pandas as pd

from srlib.errors import InputError
from srlib.judging.verdict import Judgement


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
    parts = []
    for aspect in aspects["aspect"]:
        row = aspects[aspects["aspect"] == aspect].iloc[0]
        values = runs[runs["aspect"] == aspect]
        n_methods = judgement.ranking.shape[0]
        parts.append(
            values.assign(step="run", note=_origin(judgement, values))[
                ["step", "aspect", "repetition", "value", "note"]
            ]
        )
        steps = [
            (
                "aggregate",
                row["value"],
                f"{block.aggregate} of {row['n_runs']} runs, {row['direction']} is better",
            ),
            ("rounded", row["value_rounded"], "what is ranked"),
            (
                "aspect_rank",
                row["aspect_rank"],
                f"of {n_methods} methods, {block.ties} ties, higher is better",
            ),
        ]
        for step, value, note in steps:
            parts.append(pd.DataFrame([{"step": step, "aspect": aspect, "value": value, "note": note}]))
    score = _of(judgement.datasets, method, dataset)["score"].iloc[0]
    note = f"{'mean' if block.combine == 'mean' else 'harmonic mean'} of {len(aspects)} aspect ranks"
    parts.append(pd.DataFrame([{"step": "dataset_score", "aspect": "all", "value": score, "note": note}]))
    result = pd.concat([part.assign(repetition=_repetitions(part)) for part in parts], ignore_index=True)
    return result[["step", "aspect", "repetition", "value", "note"]]


def _of(table: pd.DataFrame, method: str, dataset: str) -> pd.DataFrame:
    return table[(table["method"] == method) & (table["dataset"] == dataset)]


def _repetitions(part: pd.DataFrame) -> pd.Series:
    if "repetition" in part:
        return part["repetition"].astype("Int64")
    return pd.Series([pd.NA] * len(part), dtype="Int64", index=part.index)


def _origin(judgement: Judgement, values: pd.DataFrame) -> list[str]:
    key = ["method", "dataset", "repetition"]
    texts = values[key].merge(judgement.assessments[[*key, "model"]], on=key, how="left")["model"]
    return [text if len(text) <= 80 else text[:77] + "..." for text in texts.astype("str").fillna("")]
