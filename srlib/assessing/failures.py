"""Reasons why a run has no usable model or test R2; judging, comparing and checking decide by this list alone."""

from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.cases import UNSTATED
from srlib.ledger import Code

# Ledger code by the status of a run that ended without a model.
ENDED_CODES: dict[str, Code] = {
    "failed": "failed_run",
    "timeout": "failed_run",
    "memory": "memory",
    "crashed": "crashed",
}
# Ledger code by the reason why a text cannot be read; for other reasons `unparsed`.
UNREAD_CODES = {
    "several_models": "several_models",
    "no_closed_form": "no_closed_form",
    "empty": "empty_model",
}
# Columns that assessments written by hand may lack; they count as empty.
OPTIONAL_COLUMNS = [
    *("data_status", "solution_status", "detail", "dust", "reason", "r2_source", "shown_form"),
    *("solution", "solution_simplified", "names_note", "names_evidence"),
]
# Details of ledger lines; names in braces are columns of the assessments.
RUN_ENDED = "the run ended as {status}: {reason}"
ASSESS_AGAIN = "a limit of the machine that assessed it ended this ({detail}): assess it again with more time or memory"


def find_failures(assessments: pd.DataFrame) -> list[tuple[Any, Code, str]]:
    """Return reasons why runs have no model or test R2, as (mask, code, detail); for each run the first counts."""
    table = assessments.reindex(columns=assessments.columns.union(OPTIONAL_COLUMNS, sort=False))
    columns = table[["status", "parse_status", "reason", "detail"]]
    is_ended = (columns["status"].isin(ENDED_CODES) | (columns["parse_status"] != "ok")).to_numpy()
    codes = pd.Series(None, table.index, dtype="str")
    codes[is_ended] = [unread_code(*row) for row in columns[is_ended].itertuples(index=False)]
    data_status, r2_source = table["data_status"], table["r2_source"]
    is_infinite = ~np.isfinite(table["r2_test"].to_numpy(dtype=float, na_value=np.nan))
    no_r2 = "there is no R2 on a test set: the dataset has no data here, and the run reports none"
    not_measured = "measuring the model on the data failed ({detail})"
    reported = "R2 on the test set is {r2_test}, not finite"
    not_finite = "R2 on the test set is not finite: {bad_predictions} predictions are not finite"
    return [
        *(
            (codes == code, code, RUN_ENDED if code in ENDED_CODES.values() else "{detail}")
            for code in codes.dropna().unique()
        ),
        (data_status == UNSTATED, "invalid_value", "{detail}"),
        (is_infinite & (r2_source == "none"), "nonfinite_r2", no_r2),
        (is_infinite & data_status.isin(["timeout", "memory"]), "machine_limit", ASSESS_AGAIN),
        (is_infinite & data_status.isin(["crashed", "error"]), "crashed", not_measured),
        (is_infinite & (r2_source == "reported"), "nonfinite_r2", reported),
        (is_infinite, "nonfinite_r2", not_finite),
    ]


def unread_code(status: str, parse_status: str, reason: Any, detail: Any) -> Code | None:
    """Return the code of a run that ended without a model or whose text cannot be read; None if it has a model.

    A row without a model and a reason was not meant to fail: its text is empty, in tables of every format.
    """
    if status == "failed" and parse_status == "empty" and pd.isna(reason) and pd.notna(detail):
        status = "ok"
    if status in ENDED_CODES or parse_status == "ok":
        return ENDED_CODES.get(status)
    return UNREAD_CODES.get(parse_status, "unparsed")
