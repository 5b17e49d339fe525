"""From the outcomes of a run's tasks to the columns of its assessment."""

from collections.abc import Callable
from typing import Any

from srlib.assess.table import as_json

SOLUTIONS = {"identical", "offset", "scale"}


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
    details += [f"{name}: {o['detail'] or o['status']}" for name, o in outcomes.items() if o["status"] != "ok"]
    for name, outcome in outcomes.items():
        result |= FINISHERS[name](outcome, result)
    result["complexity"] = result.get("complexity", result.get("complexity_raw"))
    return result | {"detail": "; ".join(details) or None}


def _finish_simplify(outcome: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if outcome["status"] != "ok":
        status = outcome["status"] if outcome["status"] in {"timeout", "memory"} else "error"
        return {"simplify_status": status}
    value = outcome["value"]
    features = {"simplified_model": value["text"], "features_used": as_json(value["features"]), "simplify_status": "ok"}
    return features | ({} if "complexity" in known else {"complexity": value["complexity"]})


def _finish_count(outcome: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    return {"complexity": outcome["value"]["complexity"]} if outcome["status"] == "ok" else {}


def _finish_r2(outcome: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if outcome["status"] != "ok":
        return {}
    value = outcome["value"]
    scores = {f"r2_{name}": value.get(name) for name in ("train", "test", "extrapolation")}
    return scores | {"bad_predictions": value["bad"]}


def _finish_compare(outcome: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if outcome["status"] != "ok":
        reason = {"proof": None, "reason": outcome["detail"] or outcome["status"]}
        return {"solution_kind": "unknown", "solution_evidence": as_json(reason)}
    value = outcome["value"]
    decided = None if value["kind"] == "unknown" else value["kind"] in SOLUTIONS
    return {
        "solution_kind": value["kind"],
        "solution": decided,
        "solution_constant": value["constant"],
        "solution_evidence": as_json(value["evidence"]),
    }


def _finish_match(outcome: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    return {"text_matches_predictions": outcome["value"]["matches"] if outcome["status"] == "ok" else None}


FINISHERS: dict[str, Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]] = {
    "count": _finish_count,
    "simplify": _finish_simplify,
    "r2": _finish_r2,
    "compare": _finish_compare,
    "match": _finish_match,
}
