"""Why a model counts as a solution, or does not: the evidence of each verdict, in words."""

import json
from contextlib import suppress
from typing import Any

import pandas as pd

from srlib.errors import ModelTextError
from srlib.expressions import parse, tree_apart
from srlib.expressions.evidence import SOLUTIONS, list_in_words

COLUMNS = ["method", "repetition", "verdict", "constant", "proof", "points", "digits", "witness", "tree", "truth",
           "model"]  # fmt: skip
TYPES = {
    "points": "Int64",
    "digits": "Int64",
    "constant": "float64",
    "tree": "float64",
}


def evidence_table(
    judgement: Any, dataset: str | None = None, verdicts: tuple[str, ...] = SOLUTIONS
) -> pd.DataFrame:
    """List the runs on a dataset, or on all, whose verdict is one of `verdicts`, with their evidence.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the runs come from.
    dataset : str, optional
        One of its datasets, with a known truth; else all of them stand below each other, named in a first column, and
        how close the models are, which takes long, is left out.
    verdicts : tuple of str
        Among identical, offset, scale, form (solutions; the default), different, constant, unknown.

    Returns
    -------
    pandas.DataFrame
        `method`, `repetition`, `verdict`, `constant`, `proof`, `points`, `digits`, `witness` (in words), `tree`
        (how close the model is, see `srlib.expressions.tree_apart`), `truth` and `model` (their texts).
    """
    runs = judgement.assessments
    known = {dataset} if dataset is not None else set(judgement.datasets["dataset"])
    runs = runs[runs["dataset"].isin(known) & runs["solution_kind"].isin(verdicts)]
    verdict = ["dataset", "method", "repetition", "solution_kind", "solution_constant"]
    runs = runs[[*verdict, "solution_evidence", "simplified_model", "model"]]
    rows = []
    for run in runs.sort_values(["dataset", "method", "repetition"]).to_dict("records"):
        problem = judgement.problems.find(run["dataset"])
        evidence = json.loads(run["solution_evidence"])
        text, apart = run["simplified_model"], None
        text = text if isinstance(text, str) and dataset is not None else ""
        with suppress(ModelTextError):  # `inf` is what some models simplify to
            truth, model = (parse(side, problem.features) for side in (problem.truth, text))
            apart = tree_apart(truth, model)
        told = [evidence.get(name) for name in ("proof", "points", "digits")]
        said = [run[name] for name in verdict]
        rows.append([*said, *told, in_words(evidence), apart, problem.truth, run["model"]])
    table = pd.DataFrame(rows, columns=["dataset", *COLUMNS]).astype(TYPES)
    return table.drop(columns="tree" if dataset is None else "dataset")


def in_words(evidence: dict[str, Any]) -> str | None:
    """Say where a model differs from the truth, or which of its constants do.

    Examples
    --------
    >>> in_words({"witness": {"point": {"x": 2.0}, "truth": 4.0, "model": None}})
    'at x = 2 the truth is 4 and the model is undefined'
    >>> moved = [{"constant": "the exponent of x", "truth": 2.0, "model": 2.0003, "percent": 0.015}]
    >>> in_words({"moved": moved})
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
