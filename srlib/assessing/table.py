"""The assessments table: its columns from runs and results, and the way back to runs."""

import json
import pickle
import sqlite3
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.errors import InputError
from srlib.tables import ASSESSMENTS, DIGESTS, DTYPES, MEASURED, REPORTED, set_aside

PACK, GROUP = 500, 10_000  # rows that become dictionaries, and rows that are written, at a time


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


class Assembly:
    """Assessments as they come, in any order: measured rows wait in a temporary file of SQLite's, not in memory.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract, numbered from 0.
    """

    def __init__(self, runs: pd.DataFrame) -> None:
        self.runs = runs
        self._file = sqlite3.connect("", isolation_level=None)
        self._file.execute("CREATE TABLE rows (position INTEGER PRIMARY KEY, measured BLOB)")
        self._file.execute("BEGIN")

    def add(self, position: int, row: dict[str, Any]) -> None:
        """Take what was measured on the run at a position; absent columns are null."""
        measured = pickle.dumps([row.get(name) for name in MEASURED])
        try:
            self._file.execute("INSERT INTO rows VALUES (?, ?)", (int(position), measured))
        except sqlite3.OperationalError as error:
            what = f"the temporary folder cannot be written ({error}); TMPDIR names another one"
            raise InputError(what) from error

    def close(self) -> None:
        """Let go of what has come."""
        self._file.close()

    def groups(self) -> Iterator[pd.DataFrame]:
        """Put what was measured beside the runs, some rows at a time, in the contract's columns; all have come."""
        for start in range(0, max(1, len(self.runs)), GROUP):
            yield self._beside(start, start + GROUP)

    def _beside(self, first: int, end: int) -> pd.DataFrame:
        runs = self.runs.iloc[first:end]
        asked = "SELECT measured FROM rows WHERE position >= ? AND position < ? ORDER BY position"
        rows = [pickle.loads(row) for (row,) in self._file.execute(asked, (first, end))]
        measured = pd.DataFrame(rows, index=runs.index, columns=list(MEASURED)).astype(
            {name: DTYPES[ASSESSMENTS.columns[name]] for name in MEASURED}
        )
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
