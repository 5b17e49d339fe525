"""The assessments table: its columns from runs and results, and the way back to runs."""

import json
from typing import Any

import pandas as pd

from srlib.tables import ASSESSMENTS, DTYPES, REPORTED, RUNS

MEASURED = tuple(name for name in ASSESSMENTS.columns if name not in RUNS.columns or name in REPORTED)


def runs_of(table: pd.DataFrame) -> pd.DataFrame:
    """Take assessments back to runs: `*_reported` columns get their names back.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or assessments; runs come back unchanged.
    """
    if "measure_digest" not in table:
        return table
    kept = table.drop(columns=[name for name in MEASURED if name in table and not name.endswith("_reported")])
    return kept.rename(columns={f"{name}_reported": name for name in REPORTED})


def assembled(runs: pd.DataFrame, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Put what was measured beside the runs, in the contract's order of columns and dtypes.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract; `rows` has one entry for each, in the same order.
    rows : list of dict
        Columns of the assessment; absent ones are null.
    """
    base = runs.reset_index(drop=True).rename(columns={name: f"{name}_reported" for name in REPORTED})
    measured = pd.DataFrame(rows, columns=list(MEASURED))
    reported = [f"{name}_reported" for name in REPORTED]
    for name in reported:
        measured[name] = base.get(name)
    result = pd.concat([base.drop(columns=[n for n in reported if n in base]), measured], axis=1)
    return result.astype({name: DTYPES[kind] for name, kind in ASSESSMENTS.columns.items() if name in result})


def as_json(value: Any) -> str:
    """JSON on one line, sorted, as it stands in the table."""
    return json.dumps(value, sort_keys=True, default=float)
