"""The model that stands for each method on each dataset: the most accurate of its runs."""

from typing import Any

import pandas as pd


def best_models(judgement: Any) -> pd.DataFrame:
    """Pick for every dataset and method the run with the best test R2; on ties the simpler, then earlier.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `method`, `repetition`, `r2_test`, `complexity` (components after simplification), `model`
        (simplified where that worked), sorted by dataset, then by the final ranking.
    """
    runs = judgement.assessments.copy()
    runs = runs[
        runs["dataset"].isin(judgement.datasets["dataset"]) & runs["model"].notna() & (runs["model"] != "")
    ]
    if "simplified_model" in runs:
        simplified = runs["simplified_model"].notna() & (runs["simplified_model"] != "")
        runs["model"] = runs["simplified_model"].where(simplified, runs["model"])
    order = ["dataset", "method", "r2_test", "complexity", "repetition"]
    runs = runs.sort_values(order, ascending=[True, True, False, True, True], na_position="last")
    best = runs.drop_duplicates(["dataset", "method"])
    places = judgement.ranking.sort_values(["rank", "method"])["method"].tolist()
    best = best[best["method"].isin(places)].assign(place=lambda rows: rows["method"].map(places.index))
    columns = ["dataset", "method", "repetition", "r2_test", "complexity", "model"]
    return best.sort_values(["dataset", "place"])[columns].reset_index(drop=True)
