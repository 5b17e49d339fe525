"""Why a model counts as a solution, or does not: the evidence of each verdict, in words."""

import json
from typing import Any

import pandas as pd

from srlib.expressions import distance, parse
from srlib.problems import domain_of

SOLUTIONS = ("identical", "offset", "scale")


def evidence_table(judgement: Any, dataset: str, verdicts: tuple[str, ...] = SOLUTIONS) -> pd.DataFrame:
    """List the runs on a data set whose verdict is one of `verdicts`, with their evidence.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the runs come from.
    dataset : str
        One of its datasets, with a known truth.
    verdicts : tuple of str
        Among identical, offset, scale (solutions; the default), different, constant, unknown.

    Returns
    -------
    pandas.DataFrame
        `method`, `repetition`, `verdict`, `constant`, `proof`, `points`, `digits`, `witness` (in words), `residual`
        and `tree` (how close the model is, see `srlib.expressions.distance`), `truth` and `model` (their texts).
    """
    problem = judgement.problems.find(dataset)
    runs = judgement.assessments
    runs = runs[(runs["dataset"] == dataset) & runs["solution_kind"].isin(verdicts)]
    rows = []
    for run in runs.sort_values(["method", "repetition"]).to_dict("records"):
        evidence = json.loads(run["solution_evidence"])
        simple = run.get("simplified_model")
        text = simple if isinstance(simple, str) and simple else None
        close = (None, None)
        if text:
            sides = (parse(side, problem.features) for side in (problem.truth, text))
            close = distance(*sides, domain_of(problem), simplified=True)
        rows.append(
            {
                **{name: run[name] for name in ("method", "repetition")},
                **{"verdict": run["solution_kind"], "constant": run["solution_constant"]},
                **{name: evidence.get(name) for name in ("proof", "points", "digits")},
                **{"witness": in_words(evidence), "residual": close[0], "tree": close[1]},
                **{"truth": problem.truth, "model": text or run["model"]},
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.astype({"points": "Int64", "digits": "Int64", "constant": float, "residual": float, "tree": float})


COLUMNS = ["method", "repetition", "verdict", "constant", "proof", "points", "digits", "witness", "residual", "tree",
           "truth", "model"]  # fmt: skip


def in_words(evidence: dict[str, Any]) -> str | None:
    """Say where a model differs from the truth, or how far a solution holds.

    Examples
    --------
    >>> in_words({"witness": {"point": {"x": 2.0}, "truth": 4.0, "model": None}})
    'at x = 2 the truth is 4 and the model is undefined'
    >>> in_words({"witness": None, "everywhere": False})
    'on the domain only'
    """
    witness = evidence.get("witness")
    if not witness:
        return {True: "wherever both are defined", False: "on the domain only"}.get(evidence.get("everywhere"))
    at = ", ".join(f"{name} = {value:.6g}" for name, value in witness["point"].items())
    model = "undefined" if witness["model"] is None else f"{witness['model']:.9g}"
    return f"at {at} the truth is {witness['truth']:.9g} and the model is {model}"
