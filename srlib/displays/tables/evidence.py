"""Why a model counts as a solution, or does not: the evidence of each verdict, in words."""

import json
from typing import Any

import pandas as pd

from srlib.expressions.evidence import SOLUTIONS, list_in_words

EVIDENCE = ("proof", "points", "digits")


def evidence_table(judgement: Any) -> pd.DataFrame:
    """List the runs that are symbolic solutions, with their evidence.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the runs come from.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `method`, `repetition`, `verdict` (identical, offset, scale or form), `constant`, `proof`, `points`,
        `digits`, `detail` (which constants differ, in words), `truth` and `model` (their texts).
    """
    runs = judgement.assessments
    judged = runs["dataset"].isin(set(judgement.datasets["dataset"]))
    runs = runs[judged & runs["solution_kind"].isin(SOLUTIONS)]
    table = runs[["dataset", "method", "repetition"]].assign(
        verdict=runs["solution_kind"], constant=runs["solution_constant"].astype("float64")
    )
    evidence = runs["solution_evidence"].astype("str").map(json.loads)
    for name in EVIDENCE:
        table[name] = evidence.map(lambda content, name=name: content.get(name))
    table = table.assign(detail=evidence.map(describe_evidence), model=runs["model"])
    table = table.astype({"points": "Int64", "digits": "Int64"})
    truths = {problem.dataset: problem.truth for problem in judgement.problems.problems}
    table.insert(table.columns.get_loc("model"), "truth", table["dataset"].map(truths))
    return table.sort_values(["dataset", "method", "repetition"], ignore_index=True)


def describe_evidence(evidence: dict[str, Any]) -> str | None:
    """Say where a model differs from the truth, or which of its constants do.

    Examples
    --------
    >>> describe_evidence({"witness": {"point": {"x": 2.0}, "truth": 4.0, "model": None}})
    'at x = 2 the truth is 4 and the model is undefined'
    >>> moved = [{"constant": "the exponent of x", "truth": 2.0, "model": 2.0003, "percent": 0.015}]
    >>> describe_evidence({"moved": moved})
    'within the tolerance, the exponent of x is 2.0003 for 2 (+0.015%)'
    """
    witness = evidence.get("witness")
    if not witness:
        moved = evidence.get("moved")
        within = f"within the tolerance, {list_in_words(moved)}" if moved else ""
        values = ", ".join(f"{name} = {v:.6g}" for name, v in (evidence.get("free") or {}).items())
        form = f"with {values}" * bool(values)
        rule = f"compared under {evidence.get('constants')}" * ("constants" in evidence)
        return "; ".join(part for part in (form, within, rule) if part) or None
    at = ", ".join(f"{name} = {value:.6g}" for name, value in witness["point"].items())
    truth = f"{witness['truth']:.9g}"
    model = "undefined"
    if witness["model"] is not None:
        model = f"{witness['model']:.9g}"
    less = ""
    if model == truth:
        less = f" (model - truth = {witness['difference']:.3g})"
    return f"at {at} the truth is {truth} and the model is {model}{less}"
