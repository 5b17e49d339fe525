"""Reasons why a run cannot be judged, or only with a reservation, as lines of the ledger."""

from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.run import CHANGED, UNSTATED
from srlib.expressions.spellings import ambiguous_texts
from srlib.ledger import Action, Code, Stage, entry, lines_of
from srlib.readers.row_checks import LEFT_OUT, OTHER_MODELS

# Columns that assessments made by hand may lack, with the type and value that they then have.
OPTIONAL: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(("data_status", "solution_status"), ("str", "ok")),
    **dict.fromkeys(("detail", "dust", "reason", "r2_source", "shown_form"), ("str", None)),
    **dict.fromkeys(("solution", "solution_simplified"), ("boolean", None)),
}
AGAIN = "a limit of the machine that assessed it ended this ({detail}): assess it again with more time or memory"
LIMITED = "the {} of the machine ended simplifying or counting ({{detail}}); the raw count {{complexity_raw}} stands "
LIMITED += "in: assess it again with more time or memory, before it decides a place"
FAILED = "simplification failed ({detail}); the raw count {complexity_raw} stands in"
WORK = "simplifying takes more work than the rules allow ({detail}); the count of the text, {complexity}, stands"
# By the status that a measurement ended with (`srlib.workers.Outcome`): the ledger's code and sentence.
NOT_MEASURED: dict[str, tuple[Code, str]] = {
    **dict.fromkeys(("timeout", "memory"), ("machine_limit", AGAIN)),
    **dict.fromkeys(
        ("crashed", "error"), ("crashed", "measuring it on the data failed ({detail})")
    ),
}
NOT_SIMPLIFIED: dict[str, tuple[Code, str]] = {
    "work": ("work_limit", WORK),
    CHANGED: ("not_simplified", "{detail}; the count of the text, {complexity}, stands, unrounded"),
    "timeout": ("machine_limit", LIMITED.format("time")),
    "memory": ("machine_limit", LIMITED.format("memory")),
    "crashed": ("crashed", FAILED),
    "error": ("not_simplified", FAILED),
}
Check = tuple[Any, Code, Stage, str]  # mask of rows, and what the ledger says of them


def with_optional(assessments: pd.DataFrame) -> pd.DataFrame:
    """Add the columns that assessments made by hand may lack."""
    absent = {name: kind for name, kind in OPTIONAL.items() if name not in assessments}
    index = assessments.index
    columns = {name: pd.Series(value, index, dtype=kind) for name, (kind, value) in absent.items()}
    return assessments.assign(**columns)


def find_failures(assessments: pd.DataFrame) -> list[Check]:
    """List the reasons why runs have no model or no R2 on the test set, in the order in which they count."""
    table = with_optional(assessments)
    status, parsed, data = table["status"], table["parse_status"], table["data_status"].fillna("ok")
    finite = np.isfinite(table["r2_test"].to_numpy(dtype=float, na_value=np.nan))
    unmeasured = table["r2_source"].eq("none").fillna(False) & ~finite
    nothing = "there is no R2 on a test set: the dataset has no data here, and the run reports none"
    infinite = "R2 on the test set is not finite: {bad_predictions} predictions are not finite"
    ended = "the run ended as {status}: {reason}"
    memory = "the run reached its memory limit: {reason}"
    checks: list[Check] = [
        (status.isin(["failed", "timeout"]), "failed_run", "read", ended),
        (status == "memory", "memory", "read", memory),
        (status == "crashed", "crashed", "read", "the run's process died: {reason}"),
        (parsed == "empty", "empty_model", "assess", "the run returned no model text"),
        (parsed == "several_models", "several_models", "assess", "{detail}"),
        (parsed == "no_closed_form", "no_closed_form", "assess", "{detail}"),
        (parsed != "ok", "unparsed", "assess", "{detail}"),
        (data == UNSTATED, "invalid_value", "assess", "{detail}"),
        (unmeasured, "nonfinite_r2", "assess", nothing),
    ]
    for outcome, (code, sentence) in NOT_MEASURED.items():
        checks.append((~finite & (data == outcome), code, "assess", sentence))
    return [*checks, (~finite, "nonfinite_r2", "assess", infinite)]


def left_out_lines(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Lines of rows that were read without some of their values, or without other models of the run."""
    reason = table["reason"].fillna("").astype("str")
    models = reason.str.startswith(OTHER_MODELS)
    values = reason.str.startswith(LEFT_OUT) & ~models
    return [
        *lines_of(table[models], "other_models", "noted", "read", "{reason}"),
        *lines_of(table[values], "invalid_value", "replaced", "read", "{reason}"),
    ]


def find_reservations(table: pd.DataFrame) -> list[tuple[Any, Code, Action, str]]:
    """List what the ledger says of runs that are judged all the same."""
    simplified = table["simplify_status"].fillna("skipped")
    differs = table["text_matches_predictions"].astype("boolean").eq(False).fillna(False)
    unknown = table["solution_kind"].eq("unknown").fillna(False)
    limited = unknown & table["solution_status"].isin(["timeout", "memory"])
    explained = unknown & table["detail"].notna()
    as_written = simplified.eq("ok") & table["shown_form"].eq("written").fillna(False)
    two_verdicts = (table["solution_simplified"] != table["solution"]).fillna(False)
    mismatch = "the model text does not reproduce the stored predictions to 1e-6"
    shown = (
        "simplified, the model does not keep its R2 to 3 decimals; it is shown as it was written"
    )
    verdicts = (
        "the truth as it was written: {solution}, which counts; simplified: {solution_simplified}"
    )
    dust = "left out before simplifying, as they change no prediction: {dust}"
    return [
        *(
            (simplified == outcome, code, "replaced", sentence)
            for outcome, (code, sentence) in NOT_SIMPLIFIED.items()
        ),
        (differs, "prediction_mismatch", "noted", mismatch),
        (limited, "machine_limit", "noted", AGAIN),
        (unknown & ~explained, "solution_unknown", "noted", "counts as not solved"),
        (explained, "solution_unknown", "noted", "counts as not solved: {detail}"),
        (as_written, "shown_differs", "noted", shown),
        (two_verdicts, "shown_differs", "noted", verdicts),
        (table["dust"].notna(), "dust", "noted", dust),
    ]


def ambiguous_lines(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Lines of texts that could be read otherwise; where other texts tell how to, one line a cell."""
    lines: list[dict[str, Any]] = []

    def add(count: int, sentence: str, **about: Any) -> None:
        detail = f"{count} text{'s' * (count > 1)}{sentence}"
        lines.append(entry("assess", "names_ambiguous", "noted", detail, level="cell", **about))

    for sentence, mask in ambiguous_texts(table["model"]):
        for method, count in table.loc[mask, "method"].value_counts().items():
            add(count, f": {sentence}", method=str(method))
    if not {"names_note", "names_evidence"} <= set(table):
        return lines
    notes = table[table["names_note"].notna()]
    by_others = notes["names_evidence"] == "others"
    detail = "the text {names_note}"
    lines += lines_of(notes[~by_others], "names_ambiguous", "noted", "assess", detail)
    cells = notes[by_others].groupby(["method", "dataset", "names_note"]).size().reset_index()
    for method, dataset, note, count in cells.itertuples(index=False):
        add(count, f" {note}", method=method, dataset=dataset)
    return lines
