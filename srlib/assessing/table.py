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
    size : int
        How many runs there are.
    runs : pandas.DataFrame, optional
        Runs contract, numbered from 0; else they wait in the file, too (`keep`).
    kinds : dict, optional
        The type of each column of runs that are kept.
    """

    def __init__(
        self, size: int, runs: pd.DataFrame | None = None, kinds: dict[str, Any] | None = None
    ) -> None:
        self.size, self.runs, self.kinds = size, runs, kinds or {}
        self._file = sqlite3.connect("", isolation_level=None)
        for name in ("rows", "runs"):
            self._file.execute(f"CREATE TABLE {name} (position INTEGER PRIMARY KEY, row BLOB)")
        self._file.execute("BEGIN")

    def keep(self, part: pd.DataFrame) -> None:
        """Take some of the runs, labelled by their positions."""
        for position, row in rows_of(part):
            self._insert("runs", position, [row.get(name) for name in self.kinds])

    def add(self, position: int, row: dict[str, Any]) -> None:
        """Take what was measured on the run at a position; absent columns are null."""
        self._insert("rows", position, [row.get(name) for name in MEASURED])

    def _insert(self, table: str, position: int, row: list[Any]) -> None:
        try:
            values = int(position), pickle.dumps(row)
            self._file.execute(f"INSERT INTO {table} VALUES (?, ?)", values)
        except sqlite3.OperationalError as error:
            what = f"the temporary folder cannot be written ({error}); TMPDIR names another one"
            raise InputError(what) from error

    def close(self) -> None:
        """Let go of what has come."""
        self._file.close()

    def groups(self) -> Iterator[pd.DataFrame]:
        """Put what was measured beside the runs, some rows at a time, in the contract's columns; all have come."""
        for start in range(0, max(1, self.size), GROUP):
            yield self._beside(start, start + GROUP)

    def _beside(self, first: int, end: int) -> pd.DataFrame:
        kinds = {name: DTYPES[ASSESSMENTS.columns[name]] for name in MEASURED}
        measured = self._read("rows", first, end, kinds)
        runs = self._read("runs", first, end, self.kinds)
        if self.runs is not None:
            runs = self.runs.iloc[first:end]
        reported = [f"{name}_reported" for name in REPORTED]
        base = set_aside(runs, reported).rename(columns=dict(zip(REPORTED, reported, strict=True)))
        for name in reported:
            measured[name] = base.get(name)
        kept = set_aside(base.drop(columns=[n for n in reported if n in base]), MEASURED)
        result = pd.concat([kept, measured], axis=1)
        return result.astype(
            {name: DTYPES[kind] for name, kind in ASSESSMENTS.columns.items() if name in result}
        )

    def _read(self, table: str, first: int, end: int, kinds: dict[str, Any]) -> pd.DataFrame:
        asked = f"SELECT row FROM {table} WHERE position >= ? AND position < ? ORDER BY position"
        rows = [pickle.loads(row) for (row,) in self._file.execute(asked, (first, end))]
        index = pd.RangeIndex(first, first + len(rows))
        return pd.DataFrame(rows, index=index, columns=list(kinds)).astype(kinds)


def as_json(value: Any) -> str:
    """JSON on one line, sorted, as it stands in the table."""
    return json.dumps(value, sort_keys=True, default=float)
