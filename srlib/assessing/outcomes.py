"""From the outcomes of a run's tasks to the columns of its assessment."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from srlib.assessing.table import as_json
from srlib.expressions.evidence import SOLUTIONS

STORED = "predictions"  # the source of an R2 that was measured on what a run stored
LIMITS = {"timeout": "timeout", "memory": "memory"}
AGAIN = (
    "a limit of the machine that assessed it ended this ({detail}): assess it again, with a larger --timeout "
    "or more memory"
)


def columns(known: dict[str, Any], outcomes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Put together what one run's tasks found out.

    Parameters
    ----------
    known : dict
        Columns that were known before any task.
    outcomes : dict
        Status, value, detail and limit of each task, by operation.
    """
    result = dict(known)
    details = [result["detail"]] if result.get("detail") else []
    details += [
        f"{name}: {o['detail'] or o['status']}"
        for name, o in outcomes.items()
        if o["status"] != "ok"
    ]
    details += [o["value"]["beyond"] for o in outcomes.values() if "beyond" in (o["value"] or {})]
    for name, outcome in outcomes.items():
        if outcome["status"] == "ok":
            result |= FINISHED[name](outcome["value"], result)
        elif name in NOT_FINISHED:
            result |= NOT_FINISHED[name](outcome, result)
    result["complexity"] = result.get("complexity", result.get("complexity_raw"))
    return result | {"detail": "; ".join(details) or None}


def ended(assessments: pd.DataFrame, operation: str) -> pd.Series:
    """Mark the runs of which a limit of the machine ended an operation."""
    return _said(assessments, rf"{operation}: (?:stopped after|out of memory|\w*MemoryError)")


def refused(assessments: pd.DataFrame) -> pd.Series:
    """Mark the runs whose simplification ended in a sentence, which is the same on any machine."""
    return _said(assessments, r"(?:count|simplify|canonical): \w+Error")


def _said(assessments: pd.DataFrame, what: str) -> pd.Series:
    if "detail" not in assessments:
        return pd.Series(False, assessments.index)
    return assessments["detail"].astype("str").str.contains(rf"(?:^|; ){what}", na=False)


def _count(value: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if "beyond" in value:
        return {"complexity": known["complexity_raw"], "simplify_status": "work"}
    return {"complexity": value["complexity"]}


def _simplify(value: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if "beyond" in value:
        return {"simplify_status": "work"}
    # a count that did not end is not forgotten
    status = known["simplify_status"].replace("skipped", "ok")
    found = {
        "simplified_model": value["text"],
        "features_used": as_json(value["features"]),
        "simplify_status": status,
    }
    return found | ({} if "complexity" in known else {"complexity": value["complexity"]})


def _r2(value: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if known.get("r2_source") == STORED and "text_matches_predictions" in known:
        return {}
    scores = {f"r2_{name}": value.get(name) for name in ("train", "test", "extrapolation")}
    dust = {"dust": as_json(value["dust"])} if "dust" in value else {}
    return scores | dust | {"bad_predictions": value["bad"]}


def _solves(value: dict[str, Any]) -> bool | None:
    if value["kind"] == "unknown":
        return None
    return value["kind"] in SOLUTIONS


def _compare(value: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    found = {
        "solution_kind": value["kind"],
        "solution": _solves(value),
        "solution_constant": value["constant"],
    }
    return found | {"solution_evidence": as_json(value["evidence"])}


def _match(value: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Note whether text and predictions agree; where the rules judge predictions, their R2 is the run's."""
    found: dict[str, Any] = {"text_matches_predictions": value["matches"]}
    if known.get("r2_source") == STORED:
        if "test" not in value["r2"]:
            return found | {"r2_source": "recomputed"}
        found |= {f"r2_{name}": r2 for name, r2 in value["r2"].items()}
        found["bad_predictions"] = 0
    return found


FINISHED: dict[str, Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]] = {
    "count": _count,
    "simplify": _simplify,
    "canonical": _simplify,
    "r2": _r2,
    "compare": _compare,
    "match": _match,
    "show": lambda value, known: {"shown_model": value["text"], "shown_form": value["form"]},
    "both": lambda value, known: {"solution_simplified": _solves(value)},
}
NOT_FINISHED: dict[str, Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]] = {
    "match": lambda outcome, known: {"r2_source": "recomputed"},
    "count": lambda outcome, known: {
        "complexity": known["complexity_raw"],
        "simplify_status": LIMITS.get(outcome["status"], "error"),
    },
    **dict.fromkeys(
        ("simplify", "canonical"),
        lambda outcome, known: {"simplify_status": LIMITS.get(outcome["status"], "error")},
    ),
    "compare": lambda outcome, known: {
        "solution_kind": "unknown",
        "solution_evidence": as_json(
            {"proof": None, "reason": outcome["detail"] or outcome["status"]}
        ),
    },
}
