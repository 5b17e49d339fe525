"""The model that stands for each method on each dataset: the most accurate of its runs."""

from typing import Any

import numpy as np
import pandas as pd

from srlib.expressions.evidence import SOLUTIONS
from srlib.readers.row_checks import THE_TRUTH
from srlib.rules import Measure


def counted(measure: Measure) -> str:
    """Say what is counted as the components of a model.

    Examples
    --------
    >>> counted(Measure())
    'components, after rounding to 3 decimals'
    """
    if measure.complexity == "text":
        return "components as written"
    of = " of sympy's tree" if measure.complexity == "sympy" else ""
    rounded = measure.round_constants != "never" and not of
    return f"components{of}" + (
        f", after rounding to {measure.decimals} decimals" if rounded else ""
    )


def best_models(
    judgement: Any, dataset: str | None = None, *, written: bool = False
) -> pd.DataFrame:
    """Pick for each method the run with the best test R2; on ties the simpler model, then the earlier run.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the runs come from.
    dataset : str, optional
        One of its datasets; else all of them stand below each other, named in a first column.
    written : bool
        Whether `model` is the text as the method wrote it, with `names_read` beside it; else it is simplified.

    Returns
    -------
    pandas.DataFrame
        `method`, `repetition`, `r2_test`, `complexity` (components, after the rules' rounding and simplifying),
        `solution` (as what this model is a symbolic solution: identical, offset, scale or form; absent where it is
        none, and no column where no truth is known) and `model` (with that R2: see `srlib.assessing.showing`). The
        truth stands first, where known, then the methods in the order of the final ranking. Solutions are marked.
    """
    runs, cell = judgement.assessments, ["dataset", "method"]
    judged = {dataset} if dataset is not None else set(judgement.datasets["dataset"])
    columns = ["repetition", "r2_test", "complexity", "solution", "model"]
    kinds = pd.Series(None, runs.index, dtype="str")
    if "solution_kind" in runs:
        kinds = runs["solution_kind"].astype("str").where(runs["solution_kind"].isin(SOLUTIONS))
    columns += ["names_read"] * (written and "names_read" in runs)
    # large tables have many columns
    present = [c for c in [*cell, *columns, "shown_model"] if c in runs.columns and c != "solution"]
    runs = runs[present].assign(solution=kinds)
    runs = runs[runs["dataset"].isin(judged) & runs["model"].notna() & (runs["model"] != "")]
    if "shown_model" in runs and not written:
        runs = runs.assign(model=runs["shown_model"].fillna(runs["model"]))
    order = [*cell, "r2_test", "complexity", "repetition"]
    runs = runs.sort_values(order, ascending=[True, True, False, True, True], na_position="last")
    places = judgement.ranking.sort_values(["rank", "method"])["method"].tolist()
    best = (
        runs[runs["method"].isin(places)]
        .drop_duplicates(cell)
        .sort_values("method", key=lambda names: names.map(places.index))
    )
    best = best[[*cell, *columns]]
    best = best.astype({"repetition": "Int64", "r2_test": "float64", "complexity": "Int64"})
    problems = [p for p in judgement.problems.problems if p.dataset in judged]
    truths = [
        {"dataset": p.dataset, "method": THE_TRUTH, "model": p.known_truth}
        for p in problems
        if p.known_truth
    ]
    truth = pd.DataFrame(truths, columns=best.columns).astype(best.dtypes.to_dict())
    table = pd.concat([truth, best]).sort_values("dataset", kind="stable", ignore_index=True)
    table.attrs["marked"] = np.flatnonzero(table["solution"].notna()).tolist()
    left = ["dataset"] * (dataset is not None)
    left += ["solution"] * (not any(p.truth for p in problems))
    return table.drop(columns=left)


def solution_table(judgement: Any) -> pd.DataFrame:
    """Count symbolic solutions on every dataset whose formula is known, as if all were made for re-discovery.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `noise` (level), `method`, `runs` (usable ones) and `solved` (their share with a solution, above 0),
        in the order of the problem file.
    """
    runs = judgement.screened.usable
    solved = runs["solution"].astype("float64").fillna(0)  # 0 too for what could not be decided
    cells = solved.groupby([runs["dataset"], runs["method"]])
    shares = cells.agg(["size", "mean"]).reset_index()
    levels = {problem.dataset: problem.noise_level for problem in judgement.problems.problems}
    shares.insert(1, "noise", shares["dataset"].map(levels))
    shares = shares.sort_values(
        "dataset", key=lambda names: names.map([*levels].index), kind="stable", ignore_index=True
    )
    shares = shares.rename(columns={"size": "runs", "mean": "solved"})
    return shares[shares["solved"] > 0].reset_index(drop=True)
