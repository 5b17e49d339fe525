"""The project's own layout: one row a run, an assessment or a measure, with the design's column names."""

from pathlib import Path

import pandas as pd

from srlib.tables import ASSESSMENTS, MEASURES, RUNS, conform

STATUSES = ("ok", "failed", "timeout", "memory", "crashed")


def recognises(columns: set[str]) -> bool:
    """Every table is taken for tidy unless another layout claims it; what it lacks is then named."""
    return True


def is_assessment(columns: set[str]) -> bool:
    """Tell assessments from raw runs by the columns that only assessing writes."""
    return {"parse_status", "measure_digest"} <= columns


def is_measure(columns: set[str]) -> bool:
    """Tell measures from runs: one value a row, and which aspect it is of."""
    return {"aspect", "value"} <= columns


def read(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Check a tidy table; `InputError` names file, row or column, what was allowed and what came."""
    columns = set(frame.columns)
    contract = MEASURES if is_measure(columns) else ASSESSMENTS if is_assessment(columns) else RUNS
    return conform(frame, contract, path)
