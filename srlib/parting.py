"""A Parquet table that is larger than memory: its rows are put, once, into parts on disk that fit."""

import contextlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc, parquet

from srlib import limits
from srlib.columnar import batches, frame_of
from srlib.errors import InputError
from srlib.files import opened

ROWS = 2**16  # that are moved at once
LARGE, PART = 2_000_000, 150_000  # rows of a table that is read so, and of a part of it
MOST = 500  # parts, whose files are open at once
NUMBER = "number of the row"


class Part(NamedTuple):
    """Some rows of a table, in its order, and their numbers from 1."""

    frame: pd.DataFrame
    numbers: NDArray[np.int64]


def outline(path: Path) -> tuple[int, list[str]]:
    """Count a Parquet file's rows and name its columns; (0, []) for what is no Parquet file."""
    try:
        with opened(path) as stream:
            file = parquet.ParquetFile(stream)
            return file.metadata.num_rows, file.schema_arrow.names
    except (InputError, OSError, pa.ArrowException):
        return 0, []


def counted(path: Path, name: str) -> Counter[str]:
    """Count the rows of each value of a column of texts."""
    found: Counter[str] = Counter()
    with opened(path) as stream:
        for batch, _ in batches(stream, path, ROWS, [name]):
            for value in batch.column(0).value_counts().to_pylist():
                found[str(value["values"])] += value["counts"]
    return found


def places(
    families: Iterable[Sequence[str]], sizes: Mapping[str, int], least: int
) -> dict[str, int]:
    """Give each value the number of a part, which is that of its family, with so many rows in each part."""
    found: dict[str, int] = {}
    number, rows, full = 0, 0, max(least, sum(sizes.values()) // MOST)
    for names in families:
        found |= dict.fromkeys(names, number)
        rows += sum(sizes[name] for name in names)
        if rows >= full:
            number, rows = number + 1, 0
    return found


@contextlib.contextmanager
def parted(path: Path, name: str, part_of: Mapping[str, int]) -> Iterator["Parts"]:
    """Part a table by what stands in a column of texts, in a temporary folder.

    Raises
    ------
    InputError
        When the disk is full, or the table is not what `read_parquet` takes.
    """
    folder = Path(tempfile.mkdtemp(prefix="parts-"))
    try:
        try:
            _part(path, name, part_of, folder)
        except OSError as error:
            what = f"{folder}: cannot be written ({error.strerror or error}); TMPDIR names another folder"
            raise InputError(what) from error
        yield Parts(sorted(folder.iterdir(), key=lambda file: int(file.name)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Parts:
    """Parts of a table; each iteration reads them one by one."""

    def __init__(self, files: list[Path]) -> None:
        self.files = files

    def __iter__(self) -> Iterator[Part]:
        return map(_read, self.files)  # which keeps no part itself


def _read(file: Path) -> Part:
    with ipc.open_stream(pa.OSFile(str(file))) as reader:
        table = reader.read_all()
    numbers = table.column(NUMBER).to_numpy()
    return Part(frame_of(table.drop_columns([NUMBER])), numbers)


def _part(path: Path, name: str, part_of: Mapping[str, int], folder: Path) -> None:
    start = 1
    with contextlib.ExitStack() as stack:
        writers: dict[int, ipc.RecordBatchStreamWriter] = {}
        stream = stack.enter_context(opened(path))
        for batch, _ in batches(stream, path, ROWS):
            numbers = pa.array(np.arange(start, start + len(batch)))
            start += len(batch)
            table = batch.append_column(NUMBER, numbers)
            column = batch.column(name).dictionary_encode()
            places = np.array([part_of[str(value)] for value in column.dictionary] + [0])
            part = places[column.indices.fill_null(len(places) - 1).to_numpy(zero_copy_only=False)]
            order = np.argsort(part, kind="stable")
            table = table.take(pa.array(order))
            found, first = np.unique(part[order], return_index=True)
            for number, begin, end in zip(
                found.tolist(), first, [*first[1:], len(part)], strict=True
            ):
                if number not in writers:
                    sink = stack.enter_context(pa.OSFile(str(folder / str(number)), "wb"))
                    options = ipc.IpcWriteOptions(compression="lz4")
                    writer = ipc.new_stream(sink, table.schema, options=options)
                    writers[number] = stack.enter_context(writer)
                writers[number].write_batch(table.slice(begin, end - begin))
    pa.default_memory_pool().release_unused()  # of the file's row groups
    if start - 1 > limits.RUNS:
        raise InputError(f"{path}: at most {limits.RUNS} rows were expected, got {start - 1}")
