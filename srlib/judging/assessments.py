"""Assessments of runs, made where they are absent or out of date, and beside what the runs themselves record."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from srlib.assessing import assess, names_settled, runs_of
from srlib.assessing.extras import EXTRAS, with_extras
from srlib.cache import Cache
from srlib.comparing.benchmark import COMPUTED
from srlib.problems import Problems
from srlib.readers import RunTable
from srlib.rules import Judge, Measure
from srlib.tables import KEY

# Aspects that need neither simplification nor the truth, unless the rules count components of simplified models.
QUICK = {"r2_test", "r2_train", "r2_extrapolation", "complexity", "complexity_raw", "value"}
RECORDED = {  # quantity: recorded column, our column, tolerated difference (relative above 1)
    "r2_test": ("r2_test_reported", "r2_test", 1e-6),
    "complexity_raw": ("complexity_raw_reported", "complexity_raw", 0.0),
    "complexity": ("simplified_complexity", "complexity", 0.0),
    "solution": ("symbolic_solution", "solution", 0.0),
}


def complete_assessments(
    runs: RunTable,
    problems: Problems,
    measure: Measure,
    *,
    judge: Judge | None = None,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
) -> pd.DataFrame:
    """Assessments of all runs: those that the table holds for these settings and problems, and new ones.

    With a judge block, what it does not read (simplification and truth, where there is no property and complexity is
    counted without simplifying) is not measured: that is what takes long.

    Parameters
    ----------
    runs : RunTable
        Raw runs or assessments.
    cache, timeout, jobs
        As for `srlib.assessing.assess`.
    """
    frame, current, only = runs.frame, runs.frame[:0], None
    sources = ["property"]
    if judge is not None:
        sources = [aspect.from_ for aspect in judge.aspects.values()]
    if measure.complexity != "simplified" and QUICK.issuperset(sources):
        counting = {"canonical": "size"}.get(measure.complexity, "count")
        only = frozenset({counting, "data", "predictions"})
    if runs.assessed:
        fresh = _is_current(frame, problems, measure)
        if fresh.all():
            return with_extras(frame, problems, sources)
        current, frame = frame[fresh], runs_of(frame[~fresh])
    table = assess(
        frame,
        problems,
        measure,
        companions=runs_of(current) if runs.assessed else None,
        folder=runs.folder,
        only=only,
        cache=cache,
        timeout=timeout,
        jobs=jobs,
    )
    if runs.assessed:
        table = pd.concat([current, table], ignore_index=True).astype(current.dtypes.to_dict())
    return with_extras(table, problems, sources)


def _is_current(assessments: pd.DataFrame, problems: Problems, measure: Measure) -> pd.Series:
    """Whether each assessment was made by these settings and on these problems."""
    digests = {
        name: "" if (problem := problems.find(name)) is None else problem.digest
        for name in assessments["dataset"].unique()
    }
    same_problem = assessments["problem_digest"].fillna("") == assessments["dataset"].map(digests)
    same_measure = assessments["measure_digest"] == measure.digest
    return same_measure & same_problem & names_settled(assessments)


def assess_sample(
    table: RunTable, problems: Problems, measure: Measure, sample: int, seed: int = 0
) -> pd.DataFrame:
    """Assessments of runs whose model text and dataset are known: all of them, or a random sample.

    Parameters
    ----------
    table : RunTable
        Raw runs, or assessments, which are returned as they are.
    sample : int
        The most runs that are assessed anew; 0 means all.
    """
    if table.assessed:
        return table.frame
    datasets = table.frame["dataset"].unique()
    listed = [name for name in datasets if problems.find(name) is not None]
    runs = table.frame[table.frame["model"].notna() & table.frame["dataset"].isin(listed)]
    if 0 < sample < len(runs):
        runs = runs.sample(sample, random_state=seed).sort_index()
    if runs.empty:
        return runs
    runs = runs.reset_index(drop=True)
    return complete_assessments(replace(table, frame=runs), problems, measure)


def add_metrics(
    table: RunTable, problems: Problems, measure: Measure, metrics: Collection[str] = ()
) -> RunTable:
    """Run table with values of the metrics: raw runs are assessed, if assessing computes one of them.

    A reported value counts only where nothing can be computed: its dataset or text is not known. Metrics that are made
    from assessments (`srlib.assessing.extras`) are added where they are asked for.
    """
    if table.measured:
        return table
    if extras := set(EXTRAS) & set(metrics) - set(table.frame.columns):
        assessments = complete_assessments(table, problems, measure)
        return replace(table, frame=with_extras(assessments, problems, extras))
    if table.assessed or not COMPUTED.intersection(metrics):
        return table
    return replace(table, frame=complete_assessments(table, problems, measure))


def compare_recorded(assessments: pd.DataFrame) -> pd.DataFrame:
    """Put recorded and recomputed quantities side by side, one row a run and quantity that has both.

    Returns
    -------
    pandas.DataFrame
        `method`, `dataset`, `repetition`, `quantity`, `recorded`, `ours` and whether they `agree`; R2 to 1e-6,
        relative where it is larger than 1.
    """
    parts = [pd.DataFrame(columns=[*KEY, "quantity", "recorded", "ours", "agree"])]
    for quantity, (recorded, ours, tolerance) in RECORDED.items():
        if not {recorded, ours} <= set(assessments):
            continue
        rows = assessments
        if quantity == "r2_test" and "r2_source" in rows:
            # else a reported R2 would be compared with itself
            rows = rows[rows["r2_source"] == "recomputed"]
        both = rows[[recorded, ours]].astype("Float64").to_numpy(float, na_value=np.nan)
        part = rows[list(KEY)].assign(quantity=quantity, recorded=both[:, 0], ours=both[:, 1])
        scale = part["recorded"].abs().clip(lower=1)
        part["agree"] = (part["recorded"] - part["ours"]).abs() <= tolerance * scale
        parts.append(part.dropna(subset=["recorded", "ours"]))
    table = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return table.astype({"agree": "bool"})
