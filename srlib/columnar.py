"""Parquet and Feather of strangers: their shape is checked before anything is unpacked, only plain columns are taken.

The Arrow schema is enough: what pandas wrote beside it is ignored.
"""

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute
from pyarrow import ipc, parquet

from srlib import limits
from srlib.errors import InputError

compute: Any = pyarrow.compute  # its functions are made when it is imported
BATCH = 2**16  # rows of a Parquet file that are unpacked at once
MAGIC = b"ARROW1\0\0"


def read_parquet(stream: BinaryIO, path: Path) -> pd.DataFrame:
    """Read a Parquet file; see `_frame_of` on what comes out.

    Raises
    ------
    InputError
        When it is larger than the limits, or holds a column that is neither text, number, truth value nor time.
    pyarrow.ArrowException, OSError, ValueError
        When it cannot be read.
    """
    file = parquet.ParquetFile(stream)
    _check_shape(file.metadata.num_rows, len(file.schema_arrow), path)
    _check_kinds(file.schema_arrow, path)
    texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
    # A value that is repeated a million times stays one value until its size is known.
    file = parquet.ParquetFile(stream, read_dictionary=texts, metadata=file.metadata)
    parts, size, rows = [], 0, 0
    for batch in file.iter_batches(BATCH):
        size, rows = size + _size(batch, path), rows + len(batch)
        _check_size(size, path)
        _check_shape(rows, batch.num_columns, path)
        parts.append(_decoded(batch, path))
    pa.default_memory_pool().release_unused()  # of the file's row groups
    return _frame_of(pa.Table.from_batches(parts, _plain(file.schema_arrow)))


def read_feather(stream: BinaryIO, path: Path) -> pd.DataFrame:
    """Read a Feather file (version 2, Arrow's file format); all else as `read_parquet`."""
    data = stream.read(limits.FILE_BYTES + 1)
    if len(data) > limits.FILE_BYTES:
        raise InputError(
            f"{path}: more than {limits.FILE_BYTES} bytes; use Parquet for such tables"
        )
    if not data.startswith(MAGIC):
        raise InputError(f"{path}: not a readable .feather file (Feather version 2 was expected)")
    # the stream between the magic words is read once: the index at the end could name parts twice
    body = pa.py_buffer(data).slice(len(MAGIC))
    parts, size, rows = [], 0, 0
    reader = ipc.open_stream(pa.BufferReader(body))
    _check_shape(0, len(reader.schema), path)
    _check_kinds(reader.schema, path)
    for batch in reader:
        rows += len(batch)
        _check_shape(rows, batch.num_columns, path)
        size += _size(batch, path)
        _check_size(size, path)
        parts.append(_decoded(batch, path))
    return _frame_of(pa.Table.from_batches(parts, _plain(reader.schema)))


def _check_shape(rows: int, columns: int, path: Path) -> None:
    if columns > limits.TABLE_COLUMNS or not 0 <= rows * columns <= limits.TABLE_CELLS:
        raise InputError(
            f"{path}: a table of at most {limits.TABLE_COLUMNS} columns and {limits.TABLE_CELLS} cells "
            f"was expected, got {rows} rows of {columns} columns"
        )


def _check_size(size: int, path: Path) -> None:
    if size > limits.TABLE_BYTES:
        raise InputError(f"{path}: the table takes more than {limits.TABLE_BYTES} bytes, unpacked")


def _is_text(kind: pa.DataType) -> bool:
    return (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )


def _plain_type(kind: pa.DataType) -> pa.DataType | None:
    """Say what a column is taken as: text, int64, float64 or truth value; None for what is not read."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if _is_text(kind) or pa.types.is_null(kind) or pa.types.is_temporal(kind):
        if pa.types.is_interval(kind):
            return None
        return pa.large_string()
    if pa.types.is_integer(kind):
        if pa.types.is_uint64(kind):
            return pa.float64()
        return pa.int64()
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.float64()
    if pa.types.is_boolean(kind):
        return kind
    return None


def _plain(schema: pa.Schema) -> pa.Schema:
    return pa.schema([(field.name, _plain_type(field.type)) for field in schema])


def _check_kinds(schema: pa.Schema, path: Path) -> None:
    for field in schema:
        if _plain_type(field.type) is None:
            raise InputError(
                f"{path}: column {field.name!r}: text, numbers, truth values or times were expected, "
                f"got {str(field.type)[:60]}"
            )


def _size(batch: pa.RecordBatch, path: Path) -> int:
    """Check what came against its own type (text in UTF-8, indices in range), and count what it takes unpacked."""
    for field, column in zip(batch.schema, batch.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowException as error:
            reason = " ".join(str(error).split())[:160]
            raise InputError(f"{path}: column {field.name!r} is damaged ({reason})") from error
    return sum(_bytes(column) for column in batch.columns)


def _bytes(column: pa.Array) -> int:
    if pa.types.is_dictionary(column.type):
        values = column.dictionary
        if not _is_text(values.type):
            return 8 * len(column)
        lengths = compute.binary_length(values).take(column.indices)
    elif pa.types.is_string_view(column.type):  # 16 bytes a text, its length first
        views = np.frombuffer(column.buffers()[1], "<i4").reshape(-1, 4)
        return 8 * len(column) + int(views[column.offset :][: len(column), 0].sum(dtype="int64"))
    elif _is_text(column.type):
        lengths = compute.binary_length(column)
    else:
        return 8 * len(column)
    return 8 * len(column) + (compute.sum(lengths.cast(pa.int64())).as_py() or 0)


def _decoded(batch: pa.RecordBatch, path: Path) -> pa.RecordBatch:
    columns = []
    for field, column in zip(batch.schema, batch.columns, strict=True):
        wanted = _plain_type(field.type)
        try:
            if pa.types.is_dictionary(column.type):
                column = column.dictionary_decode()
            # a number that float64 does not hold exactly is no whole number below 2**53, and refused where one is due
            columns.append(column.cast(wanted, safe=not pa.types.is_floating(wanted)))
        except pa.ArrowException as error:
            reason = " ".join(str(error).split())[:160]
            raise InputError(f"{path}: column {field.name!r} cannot be read ({reason})") from error
    return pa.RecordBatch.from_arrays(columns, schema=_plain(batch.schema))


def _frame_of(table: pa.Table) -> pd.DataFrame:
    """Turn plain columns into pandas': str, int64 (Int64 with gaps), float64, bool (boolean with gaps)."""
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    columns = {}
    for place, column in enumerate(table.columns):
        series = column.to_pandas(types_mapper=nullable.get if column.null_count else None)
        columns[place] = series.astype("str") if _is_text(column.type) else series
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(table)))
    return frame.set_axis(pd.Index(table.column_names, dtype="str"), axis="columns")
