"""From the runs to the score on every dataset: one line an aspect."""

from typing import Any

import pandas as pd

from srlib.displays.tables.aspects import as_points, aspect_names, whole


def trace_lines(judgement: Any, method: str | None = None) -> pd.DataFrame:
    """Follow one method, or all, through the datasets, from the values of its runs to its scores.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the numbers come from.
    method : str, optional
        One of its methods; else all of them stand below each other, named in a first column.

    Returns
    -------
    pandas.DataFrame
        A row for each dataset and aspect: `dataset`, `aspect`, `values of the runs` (by repetition,
        at most three decimals), then what they became: `aggregate`, `rounded`, `aspect rank`, `dataset score`.
    """
    keys, cell = ["method", "dataset", "aspect"], ["method", "dataset"]
    runs, table, scores = (
        frame if method is None else frame[frame["method"] == method]
        for frame in (judgement.measures, judgement.aspects, judgement.datasets)
    )
    runs, table = runs.sort_values([*keys, "repetition"]), table.set_index(keys)
    texts = runs["value"].map(lambda value: f"{round(value, 3):g}" if value == value else "–")
    values = texts.astype("str").groupby([runs[key] for key in keys]).agg(" ".join)
    order = {name: position for position, name in enumerate(aspect_names(judgement))}
    lines = pd.DataFrame(
        {
            "values of the runs": values.reindex(table.index).fillna("–"),
            "aggregate": table["value"],
            "rounded": table["value_rounded"],
            "aspect rank": whole(table["aspect_rank"]),
        }
    ).reset_index()
    score = scores.set_index(cell)["score"].rename("dataset score")
    lines = lines.join(score, on=cell)
    lines = lines.sort_values("aspect", key=lambda names: names.map(order), kind="stable")
    lines = lines.sort_values(cell, kind="stable", ignore_index=True)
    if method is None:
        return as_points(lines)
    return as_points(lines.drop(columns="method"))
