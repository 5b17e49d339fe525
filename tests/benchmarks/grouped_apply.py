"""The straightforward way, as evaluation notebooks go about it: a row-wise apply and grouped apply in pandas.

It follows judging-2022 step by step for tables without absent runs, and is what the scorer is compared with.
"""

import json

import numpy as np
import pandas as pd
from scipy import stats

ASPECTS = ["r2_test", "simplicity", "property_score"]


def grouped_apply(
    runs: pd.DataFrame, properties: dict[str, str], irrelevant: dict[str, tuple[str, ...]]
) -> pd.Series:
    """Score methods by judging-2022.

    Parameters
    ----------
    runs : pandas.DataFrame
        Assessments, every cell with all its runs.
    properties, irrelevant : dict
        By dataset: 'solution' or 'relevant_features', and the irrelevant features.

    Returns
    -------
    pandas.Series
        Final score by method; higher is better.
    """

    def property_score(row: pd.Series) -> float:
        if properties[row["dataset"]] == "solution":
            return float(row["solution"])
        unwanted = set(irrelevant[row["dataset"]])
        return 1 - len(unwanted & set(json.loads(row["features_used"]))) / len(unwanted)

    table = runs[["method", "dataset", "r2_test"]].copy()
    table["simplicity"] = runs["complexity"].apply(
        lambda nodes: round(-np.log(nodes) / np.log(5), 1)
    )
    table["property_score"] = runs.apply(property_score, axis=1)
    mean = table.groupby(["dataset", "method"], as_index=False)[ASPECTS].mean()
    mean["r2_test"] = mean["r2_test"].round(3)
    # means of equal values are equal, however they were added up
    mean[ASPECTS] = mean[ASPECTS].round(12)
    methods = mean["method"].nunique()
    for aspect in ASPECTS:
        place = mean.groupby("dataset")[aspect].rank(ascending=False, method="dense")
        mean[f"{aspect}_rank"] = methods - place + 1
    ranks = [f"{aspect}_rank" for aspect in ASPECTS]
    score = mean.groupby(["dataset", "method"])[ranks].apply(
        lambda cell: stats.hmean(cell.to_numpy()[0])
    )
    return score.groupby("method").mean()
