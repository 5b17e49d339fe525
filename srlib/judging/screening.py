"""Which runs can be judged, and a ledger line for each that cannot or only with a reservation."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.ledger import Action, Code, Stage, entry
from srlib.problems import Problem, Problems
from srlib.rules import Judge


@dataclass(frozen=True)
class Screened:
    """Assessments sorted into what is judged and what is not.

    Parameters
    ----------
    usable : pandas.DataFrame
        Rows with a finite R2 on known datasets of the rules' tracks, references included.
    methods, datasets : tuple of str
        What is ranked, and on which datasets (scored ones first, then references), both sorted.
    scored : frozenset of str
        The datasets that enter the score.
    problems : dict of str to Problem
        The problem of each dataset.
    read, used : int
        Rows given, and rows whose values enter a score.
    ledger : list of dict
        Lines at the level of runs.
    """

    usable: pd.DataFrame
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    scored: frozenset[str]
    problems: dict[str, Problem]
    read: int
    used: int
    ledger: list[dict[str, Any]]


def screen(assessments: pd.DataFrame, problems: Problems, judge: Judge) -> Screened:
    """Decide for every row whether it is judged.

    Raises
    ------
    InputError
        When no row is on a dataset that the rules score.
    """
    known = {name: problems.find(name) for name in sorted(assessments["dataset"].unique())}
    on_track = {name: p for name, p in known.items() if p is not None and p.track in judge.tracks}
    scored = frozenset(name for name, p in on_track.items() if p.scored)
    references = {p.noise_reference or "" for name, p in on_track.items() if name in scored} & set(on_track)
    if not scored:
        raise InputError(
            f"no run is on a dataset that these rules score: tracks {', '.join(judge.tracks)} of problems "
            f"{problems.name}; the runs are on {_some(list(known))}, "
            f"the problems are {_some([problem.dataset for problem in problems.problems])}"
        )
    datasets = assessments["dataset"]
    ledger: list[dict[str, Any]] = []
    left = np.ones(len(assessments), dtype=bool)

    def exclude(mask: Any, code: Code, stage: Stage, detail: str | pd.Series) -> None:
        nonlocal left
        chosen = left & np.asarray(mask, dtype=bool)
        ledger.extend(_lines(assessments[chosen], code, "excluded", stage, detail))
        left &= ~chosen

    exclude(
        datasets.map({n: p is None for n, p in known.items()}),
        "unknown_dataset",
        "judge",
        "dataset " + datasets + f" is not in problems {problems.name}",
    )
    exclude(
        ~datasets.isin(list(on_track)),
        "other_track",
        "judge",
        "dataset " + datasets + f" is not of track {', '.join(judge.tracks)}",
    )
    for mask, code, stage, detail in _failures(assessments):
        exclude(mask, code, stage, detail)
    usable = left.copy()
    exclude(
        ~datasets.isin(list(scored)),
        "not_scored",
        "judge",
        "dataset " + datasets + " takes no part in the score; it may serve as a reference",
    )
    for mask, code, action, detail in _reservations(assessments):
        ledger.extend(_lines(assessments[left & mask], code, action, "assess", detail))
    ranked = datasets.isin(list(scored))
    order = (*sorted(scored), *sorted(references - scored))
    return Screened(
        usable=assessments[usable],
        methods=tuple(sorted(assessments.loc[ranked, "method"].unique())),
        datasets=order,
        scored=scored,
        problems={name: on_track[name] for name in order},
        read=len(assessments),
        used=int(left.sum()),
        ledger=ledger,
    )


def _failures(a: pd.DataFrame) -> list[tuple[pd.Series, Code, Stage, str | pd.Series]]:
    reason = a["reason"].fillna("no reason given") if "reason" in a else "no reason given"
    detail = a["detail"].fillna("no detail") if "detail" in a else "no detail"
    finite = pd.Series(np.isfinite(a["r2_test"].to_numpy(dtype=float, na_value=np.nan)), index=a.index)
    bad = (
        a["bad_predictions"].astype("Float64").fillna(0)
        if "bad_predictions" in a
        else pd.Series(0, index=a.index)
    )
    r2_text = (
        "R2 on the test set is not finite ("
        + a["r2_source"].fillna("none")
        + ", "
        + bad.astype("str")
        + " predictions complex, infinite or NaN)"
    )
    return [
        (
            a["status"].isin(["failed", "timeout"]),
            "failed_run",
            "read",
            "the run ended as " + a["status"] + ": " + reason,
        ),
        (a["status"] == "memory", "memory", "read", "the run reached its memory limit: " + reason),
        (a["status"] == "crashed", "crashed", "read", "the run's process died: " + reason),
        (a["parse_status"] == "empty", "empty_model", "assess", "the run returned no model text"),
        (a["parse_status"] != "ok", "unparsed", "assess", detail),
        (~finite, "nonfinite_r2", "assess", r2_text),
    ]


def _reservations(a: pd.DataFrame) -> list[tuple[pd.Series, Code, Action, str | pd.Series]]:
    simplify = a["simplify_status"]
    stands_in = "; the raw count " + a["complexity_raw"].astype("str") + " stands in"
    differs = (a["text_matches_predictions"].astype("boolean") == False).fillna(False)  # noqa: E712
    return [
        (
            simplify == "timeout",
            "simplify_timeout",
            "replaced",
            "simplification reached its time limit" + stands_in,
        ),
        (simplify == "memory", "memory", "replaced", "simplification reached its memory limit" + stands_in),
        (simplify == "error", "crashed", "replaced", "simplification failed" + stands_in),
        (
            differs,
            "prediction_mismatch",
            "noted",
            "the model text does not reproduce the stored predictions to 1e-6",
        ),
        (
            (a["solution_kind"] == "unknown").fillna(False),
            "solution_unknown",
            "noted",
            "counts as not solved",
        ),
    ]


def _lines(
    rows: pd.DataFrame, code: Code, action: Action, stage: Stage, detail: str | pd.Series
) -> list[dict[str, Any]]:
    texts = [detail] * len(rows) if isinstance(detail, str) else detail[rows.index]
    files = rows["file"] if "file" in rows else [None] * len(rows)
    numbers = rows["row"] if "row" in rows else [None] * len(rows)
    return [
        entry(stage, code, action, str(text), method=m, dataset=d, repetition=r, file=f, row=n)
        for m, d, r, f, n, text in zip(
            rows["method"], rows["dataset"], rows["repetition"], files, numbers, texts, strict=True
        )
    ]


def _some(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "") or "none"
