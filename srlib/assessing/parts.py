"""A table of runs that is larger than memory, in parts of whole datasets; each row is as reading at once makes it."""

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from srlib.errors import InputError
from srlib.files import contents
from srlib.parting import LARGE, PART, ROWS, Parts, counted, outline, parted, places
from srlib.readers import read_part, with_names
from srlib.tablefiles import csv_header, csv_parts, separator, write_groups
from srlib.tables import DIGESTS, RUNS

ELSE = frozenset(["candidate", "aspect", *DIGESTS])  # of tables that are read at once


class LargeRuns:
    """Runs of one file, which lie in parts on disk.

    Each iteration gives the parts, rows labelled by their positions in the file. What is kept is what concerns all
    parts: types, names of datasets, and which rows cannot be used.

    Parameters
    ----------
    path : Path
        The file.
    parts : Parts
        Its rows, those of a dataset together.
    stated : sequence of str
        How methods name features, as METHOD=x0.

    Raises
    ------
    InputError
        When the table, or one of its parts, is to be read at once.
    """

    def __init__(self, path: Path, parts: Parts, stated: Sequence[str] = ()) -> None:
        self.path, self._parts = path, parts
        self._stated = {method: names for method, _, names in (s.rpartition("=") for s in stated)}
        self.kinds: dict[str, Any] = {}
        self.datasets: dict[str, None] = {}
        self._size, invalid, absent = 0, [], set(self._stated)
        for part in parts:
            table = read_part(part, path)
            if table.layout != "tidy" or table.notices:
                raise InputError(f"{path}: it is not read by parts")
            frame = with_names(table, self._stated).frame
            absent -= set(frame["method"].unique())
            names = map(str, frame.columns)
            kinds = {name: self._wider(name, frame[name].dtype) for name in names}
            if len(kinds) > len(self.kinds):  # only some parts have reasons
                self.kinds = kinds
            self.kinds |= kinds
            self.datasets |= dict.fromkeys(frame["dataset"].unique())
            self._size += len(frame)
            invalid.append(part.numbers[(frame["status"] == "invalid").to_numpy()])
        if absent:
            raise InputError(f"{path}: it has no such method")
        self._invalid = np.sort(np.concatenate(invalid))

    def _wider(self, name: str, kind: Any) -> Any:
        known = self.kinds.get(name, kind)
        if pd.api.types.is_extension_array_dtype(known):
            return known
        return kind

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for part in self._parts:
            frame = with_names(read_part(part, self.path), self._stated).frame
            invalid = (frame["status"] == "invalid").to_numpy()
            # unusable rows are numbered through the whole table
            numbers = np.searchsorted(self._invalid, part.numbers[invalid])
            frame.loc[invalid, "repetition"] = -1 - numbers
            yield frame.set_axis(pd.Index(part.numbers - 1))


@contextlib.contextmanager
def large_runs(runs: Sequence[Any], stated: Sequence[str] = ()) -> Iterator[LargeRuns | None]:
    """Part the table that is meant where it is a large one of runs, in Parquet or CSV, in the contract's columns."""
    path = Path()
    if len(runs) == 1 and isinstance(runs[0], str | Path):
        path = Path(runs[0])
    with contextlib.ExitStack() as stack:
        found, table = None, path
        # what is wrong with the table is said where it is read at once
        with contextlib.suppress(InputError, pa.ArrowException, OSError, ValueError):
            if path.suffix == ".csv" and path.stat().st_size > LARGE:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="parts-"))
                table = _of_csv(path, Path(folder) / "runs.parquet")
            if table.suffix in {".parquet", ".pq"} and _in_parts(*outline(table)):
                sizes = counted(table, "dataset")
                numbers = places([[name] for name in sorted(sizes)], sizes, PART)
                parts = stack.enter_context(parted(table, "dataset", numbers))
                found = LargeRuns(path, parts, stated)
        yield found


def _in_parts(rows: int, columns: Sequence[str]) -> bool:
    return rows >= LARGE and set(RUNS.required) <= set(columns) and not ELSE & set(columns)


def _of_csv(path: Path, copy: Path) -> Path:
    """Copy a CSV of texts into a Parquet file, part by part, where it is to be read so; else it is the path itself."""
    data = contents(path)
    # a table with other separators may have decimal commas, if all of a column is so
    if separator(data) == "," and _in_parts(data.count(b"\n"), csv_header(data, path)):
        write_groups(csv_parts(data, path, ROWS), copy)
        return copy
    return path
