"""What runs record about their models, beside what assessing the model text finds."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from srlib.assessing.extras import EXTRAS, with_extras
from srlib.comparing.benchmark import COMPUTED
from srlib.judging.pipeline import assessed
from srlib.problems import Problems
from srlib.readers import RunTable
from srlib.rules import Measure
from srlib.tables import KEY

QUANTITIES = {  # what it is called -> recorded column, our column, tolerated difference (relative above 1)
    "r2_test": ("r2_test_reported", "r2_test", 1e-6),
    "complexity_raw": ("complexity_raw_reported", "complexity_raw", 0.0),
    "complexity": ("simplified_complexity", "complexity", 0.0),
    "solution": ("symbolic_solution", "solution", 0.0),
}


def assess_some(
    table: RunTable, problems: Problems, measure: Measure, sample: int, seed: int = 0
) -> pd.DataFrame:
    """Assess runs whose model text and dataset are known: all of them, or as many drawn by chance.

    Parameters
    ----------
    table : RunTable
        Raw runs, or assessments, which are taken as they are.
    sample : int
        The most runs that are assessed anew; 0 means all.
    """
    if table.assessed:
        return table.frame
    known = {name for name in table.frame["dataset"].unique() if problems.find(name) is not None}
    runs = table.frame[table.frame["model"].notna() & table.frame["dataset"].isin(list(known))]
    if 0 < sample < len(runs):
        runs = runs.sample(sample, random_state=seed).sort_index()
    if len(runs):
        return assessed(replace(table, frame=runs.reset_index(drop=True)), problems, measure)
    return runs


def with_values(
    table: RunTable, problems: Problems, measure: Measure, metrics: Collection[str] = ()
) -> RunTable:
    """Assess raw runs, if assessing computes one of the metrics; measures and assessments stay as they are.

    A reported value counts only where nothing can be computed: its dataset or text is not known. Metrics that are made
    from assessments (`srlib.assessing.extras`) are added where they are asked for.
    """
    if table.measured:
        return table
    if extras := set(EXTRAS) & set(metrics) - set(table.frame.columns):
        frame = assessed(table, problems, measure)
        return replace(table, frame=with_extras(frame, problems, extras))
    if table.assessed or not COMPUTED.intersection(metrics):
        return table
    return replace(table, frame=assessed(table, problems, measure))


def comparison(assessments: pd.DataFrame) -> pd.DataFrame:
    """Put recorded and recomputed quantities side by side, one row a run and quantity that has both.

    Returns
    -------
    pandas.DataFrame
        `method`, `dataset`, `repetition`, `quantity`, `recorded`, `ours` and whether they `agree`; R2 to 1e-6,
        relative where it is larger than 1.
    """
    parts = [pd.DataFrame(columns=[*KEY, "quantity", "recorded", "ours", "agree"])]
    for quantity, columns in QUANTITIES.items():
        theirs, ours, tolerance = columns
        if theirs in assessments and ours in assessments:
            rows = assessments
            # else it would be compared with itself
            if quantity == "r2_test" and "r2_source" in rows:
                rows = rows[rows["r2_source"] == "recomputed"]
            both = rows[[theirs, ours]].astype("Float64").to_numpy(float, na_value=np.nan)
            part = rows[list(KEY)].assign(quantity=quantity, recorded=both[:, 0], ours=both[:, 1])
            part["agree"] = np.abs(both[:, 0] - both[:, 1]) <= tolerance * np.maximum(
                1, np.abs(both[:, 0])
            )
            parts.append(part.dropna(subset=["recorded", "ours"]))
    whole = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return whole.astype({"agree": "bool"})
