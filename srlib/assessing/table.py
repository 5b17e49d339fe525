"""The assessments table: its columns from runs and results, and the way back to runs."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.tables import ASSESSMENTS, DIGESTS, DTYPES, MEASURED, REPORTED, set_aside

PACK = 500  # rows that become dictionaries at a time


def runs_of(table: pd.DataFrame) -> pd.DataFrame:
    """Take assessments back to runs: `*_reported` columns get their names back.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or assessments; runs come back unchanged.
    """
    if not set(DIGESTS) <= set(table.columns):
        return table
    kept = table.drop(columns=[name for name in MEASURED if name in table])
    return kept.rename(columns={f"{name}_reported": name for name in REPORTED})


def rows_of(
    table: pd.DataFrame, order: NDArray[np.intp] | None = None
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the label and the values of each row; as dictionaries they take much memory, so few are made at a time."""
    for start in range(0, len(table), PACK):
        part = table.iloc[start : start + PACK]
        if order is not None:
            part = table.take(order[start : start + PACK])
        yield from zip(part.index, part.to_dict("records"), strict=True)  # type: ignore[misc]


def assessments(runs: pd.DataFrame, rows: list[list[Any]]) -> pd.DataFrame:
    """Put what was measured beside the runs, in the contract's columns.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract, numbered from 0.
    rows : list of list
        Of each run the values of `MEASURED`.
    """
    measured = pd.DataFrame(rows, index=runs.index, columns=list(MEASURED))
    measured = measured.astype({name: DTYPES[ASSESSMENTS.columns[name]] for name in MEASURED})
    reported = [f"{name}_reported" for name in REPORTED]
    base = set_aside(runs, reported).rename(columns=dict(zip(REPORTED, reported, strict=True)))
    for name in reported:
        measured[name] = base.get(name)
    kept = set_aside(base.drop(columns=[n for n in reported if n in base]), MEASURED)
    result = pd.concat([kept, measured], axis=1)
    return result.astype(
        {name: DTYPES[kind] for name, kind in ASSESSMENTS.columns.items() if name in result}
    )


def as_json(value: Any) -> str:
    """JSON on one line, sorted, as it stands in the table."""
    return json.dumps(value, sort_keys=True, default=float)
