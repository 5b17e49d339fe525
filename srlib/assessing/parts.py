"""A table of runs that is larger than memory, in parts of whole datasets; each row is as reading at once makes it."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from srlib.errors import InputError
from srlib.parting import LARGE, PART, Parts, counted, outline, parted, places
from srlib.readers import read_part
from srlib.tables import DIGESTS, RUNS

ELSE = frozenset(["candidate", "aspect", *DIGESTS])  # of tables that are read at once


class LargeRuns:
    """Runs of one Parquet file, which lie in parts on disk.

    Each iteration gives the parts, rows labelled by their positions in the file. What is kept is what concerns all
    parts: types, names of datasets, and which rows cannot be used.

    Parameters
    ----------
    path : Path
        The file.
    parts : Parts
        Its rows, those of a dataset together.

    Raises
    ------
    InputError
        When the table, or one of its parts, is to be read at once.
    """

    def __init__(self, path: Path, parts: Parts) -> None:
        self.path, self._parts = path, parts
        self.kinds: dict[str, Any] = {}
        self.datasets: dict[str, None] = {}
        self._size, invalid = 0, []
        for part in parts:
            table = read_part(part, path)
            frame = table.frame
            if table.layout != "tidy" or table.notices:
                raise InputError(f"{path}: it is not read by parts")
            names = map(str, frame.columns)
            kinds = {name: self._wider(name, frame[name].dtype) for name in names}
            if len(kinds) > len(self.kinds):  # only some parts have reasons
                self.kinds = kinds
            self.kinds |= kinds
            self.datasets |= dict.fromkeys(frame["dataset"].unique())
            self._size += len(frame)
            invalid.append(part.numbers[(frame["status"] == "invalid").to_numpy()])
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
            frame = read_part(part, self.path).frame
            invalid = (frame["status"] == "invalid").to_numpy()
            # unusable rows are numbered through the whole table
            numbers = np.searchsorted(self._invalid, part.numbers[invalid])
            frame.loc[invalid, "repetition"] = -1 - numbers
            yield frame.set_axis(pd.Index(part.numbers - 1))


@contextlib.contextmanager
def large_runs(runs: Sequence[Any]) -> Iterator[LargeRuns | None]:
    """Part the table that is meant where it is a large one of runs, in Parquet, in the contract's columns."""
    rows, columns, path = 0, list[str](), Path()
    if len(runs) == 1 and isinstance(runs[0], str | Path):
        path = Path(runs[0])
    if path.suffix in {".parquet", ".pq"}:
        rows, columns = outline(path)
    with contextlib.ExitStack() as stack:
        found = None
        if rows >= LARGE and set(RUNS.required) <= set(columns) and not ELSE & set(columns):
            # what is wrong with the table is said where it is read at once
            with contextlib.suppress(InputError, pa.ArrowException, OSError, ValueError):
                sizes = counted(path, "dataset")
                numbers = places([[name] for name in sorted(sizes)], sizes, PART)
                found = LargeRuns(path, stack.enter_context(parted(path, "dataset", numbers)))
        yield found
