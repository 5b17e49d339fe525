"""The assessments table: its columns from runs and results, and the way back to runs."""

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pandas as pd

from srlib.tables import ASSESSMENTS, DIGESTS, DTYPES, MEASURED, REPORTED, set_aside

PACK = 500


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


def rows_of(table: pd.DataFrame) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the label and the values of each row; as dictionaries they take much memory, so few are made at a time."""
    for start in range(0, len(table), PACK):
        part = table.iloc[start : start + PACK]
        yield from zip(part.index, part.to_dict("records"), strict=True)  # type: ignore[misc]


class Assembly:
    """Assessments as they come: measured rows wait as compressed columns, where a row takes some 100 bytes."""

    def __init__(self) -> None:
        self._loose: dict[int, dict[str, Any]] = {}
        self._packed: list[bytes] = []

    def add(self, position: int, row: dict[str, Any]) -> None:
        """Take what was measured on the run at a position; absent columns are null."""
        self._loose[position] = row
        if len(self._loose) >= PACK:
            self._pack()

    def _pack(self) -> None:
        part = pd.DataFrame(
            list(self._loose.values()), index=list(self._loose), columns=list(MEASURED)
        )
        typed = part.astype({name: DTYPES[ASSESSMENTS.columns[name]] for name in MEASURED})
        self._packed.append(typed.to_parquet(None, compression="zstd"))
        self._loose = {}

    def beside(self, runs: pd.DataFrame) -> pd.DataFrame:
        """Put what was measured beside the runs, in the contract's order of columns and dtypes.

        Parameters
        ----------
        runs : pandas.DataFrame
            Runs contract, numbered from 0; every position has been added.
        """
        self._pack()
        measured = pd.concat([pd.read_parquet(BytesIO(part)) for part in self._packed]).sort_index()
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
