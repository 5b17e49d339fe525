"""Reasons why a run has no usable model or test R2; judging, comparing and checking decide by this list alone."""

from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.cases import UNSTATED
from srlib.ledger import Code

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
# Ledger code and sentence by the status of a measurement (`srlib.workers.Outcome`).
NOT_MEASURED: dict[str, tuple[Code, str]] = {
    **dict.fromkeys(("timeout", "memory"), ("machine_limit", ASSESS_AGAIN)),
    **dict.fromkeys(
        ("crashed", "error"), ("crashed", "measuring the model on the data failed ({detail})")
    ),
}


def find_failures(assessments: pd.DataFrame) -> list[tuple[Any, Code, str]]:
    """Return reasons why runs have no model or test R2, as (mask, code, detail); for each run the first counts."""
    table = assessments.reindex(columns=assessments.columns.union(OPTIONAL_COLUMNS, sort=False))
    status, parse_status, data_status = table["status"], table["parse_status"], table["data_status"]
    is_infinite = ~np.isfinite(table["r2_test"].to_numpy(dtype=float, na_value=np.nan))
    no_r2 = "there is no R2 on a test set: the dataset has no data here, and the run reports none"
    reported = "R2 on the test set is {r2_test}, not finite"
    not_finite = "R2 on the test set is not finite: {bad_predictions} predictions are not finite"
    return [
        (status.isin(["failed", "timeout"]), "failed_run", RUN_ENDED),
        *((status == code, code, RUN_ENDED) for code in ("memory", "crashed")),
        *((parse_status == kind, code, "{detail}") for kind, code in UNREAD_CODES.items()),
        (parse_status != "ok", "unparsed", "{detail}"),
        (data_status == UNSTATED, "invalid_value", "{detail}"),
        (is_infinite & (table["r2_source"] == "none"), "nonfinite_r2", no_r2),
        (is_infinite & (table["r2_source"] == "reported"), "nonfinite_r2", reported),
        *(
            (is_infinite & (data_status == outcome), *lines)
            for outcome, lines in NOT_MEASURED.items()
        ),
        (is_infinite, "nonfinite_r2", not_finite),
    ]
