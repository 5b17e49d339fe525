"""Parquet and Feather of strangers: their size is checked before anything is unpacked, only plain columns are taken.

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

PARQUET = (".parquet", ".pq")
FEATHER = (".feather", ".arrow")
FEATHER_START = b"ARROW1\0\0"
BATCH_ROWS = 2**16  # of a Parquet file that are unpacked at once
TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())

compute: Any = pyarrow.compute  # its functions are made when it is imported


def read_arrow(stream: BinaryIO, path: Path) -> pd.DataFrame:
    """Read Parquet or Feather (version 2) batch by batch; each is weighed before its texts are unpacked.

    Raises
    ------
    InputError
        When the table is larger than the limits, or holds a column that is neither text, number, truth value nor time.
    pyarrow.ArrowException, OSError, ValueError
        When it cannot be read.
    """
    if path.suffix.lower() in PARQUET:
        file = parquet.ParquetFile(stream)
        texts = [field.name for field in file.schema_arrow if field.type in TEXT_TYPES]
        # a value that is repeated a million times stays one value until its size is known
        file = parquet.ParquetFile(stream, read_dictionary=texts, metadata=file.metadata)
        schema, rows, batches = (
            file.schema_arrow,
            file.metadata.num_rows,
            file.iter_batches(BATCH_ROWS),
        )
    else:
        if stream.read(len(FEATHER_START)) != FEATHER_START:
            raise InputError(
                f"{path}: not a readable .feather file (Feather version 2 was expected)"
            )
        # the parts are read in their order: the index at the end could name one of them twice
        batches = ipc.open_stream(stream)
        schema, rows = batches.schema, 0
    plain = pa.schema([(field.name, _plain_type(field, path)) for field in schema])
    parts, size = [], 0
    check_shape(rows, len(schema), path)
    for batch in batches:
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            try:
                column.validate(full=True)  # text in UTF-8, indices in range
            except pa.ArrowException as error:
                raise InputError(
                    f"{path}: column {name!r} is damaged ({one_line(error)})"
                ) from error
            size += _unpacked_bytes(column)
        if size > limits.TABLE_BYTES:
            raise InputError(
                f"{path}: the table takes more than {limits.TABLE_BYTES} bytes, unpacked"
            )
        parts.append(_unpack(batch, plain, path))
        check_shape(sum(map(len, parts)), len(schema), path)
    return _to_pandas(pa.Table.from_batches(parts, plain))


def check_shape(rows: int, columns: int, path: Path) -> None:
    """Refuse a table with more columns or cells than allowed.

    Raises
    ------
    InputError
        Names the file, both limits, and both sizes.
    """
    if columns > limits.TABLE_COLUMNS or not 0 <= rows * columns <= limits.TABLE_CELLS:
        raise InputError(
            f"{path}: a table of at most {limits.TABLE_COLUMNS} columns and {limits.TABLE_CELLS} cells "
            f"was expected, got {rows} rows of {columns} columns"
        )


def _plain_type(field: pa.Field, path: Path) -> pa.DataType:
    """Choose what a column is read as: text, int64, float64 or truth value; times are read as text."""
    kind, types = field.type, pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if kind in TEXT_TYPES or types.is_null(kind) or types.is_temporal(kind):
        return pa.large_string()
    if types.is_integer(kind) and not types.is_uint64(kind):
        return pa.int64()
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return pa.float64()
    if types.is_boolean(kind):
        return kind
    raise InputError(
        f"{path}: column {field.name!r}: text, numbers, truth values or times were expected, "
        f"got {str(field.type)[:60]}"
    )


def _unpacked_bytes(column: pa.Array) -> int:
    """Count the bytes that a column takes once each text stands for itself."""
    lengths: Any = 0
    if pa.types.is_string_view(column.type):  # 16 bytes a text, its length first
        views = np.frombuffer(column.buffers()[1], "<i4").reshape(-1, 4)
        lengths = views[column.offset :][: len(column), 0].sum(dtype="int64")
    elif pa.types.is_dictionary(column.type) and column.type.value_type in TEXT_TYPES:
        lengths = compute.binary_length(column.dictionary).take(column.indices)
    elif column.type in TEXT_TYPES:
        lengths = compute.binary_length(column)
    if isinstance(lengths, pa.Array):
        lengths = compute.sum(lengths.cast(pa.int64())).as_py() or 0
    return 8 * len(column) + int(lengths)


def _unpack(batch: pa.RecordBatch, schema: pa.Schema, path: Path) -> pa.RecordBatch:
    """Cast each column to its plain type."""
    columns = []
    for field, column in zip(schema, batch.columns, strict=True):
        try:
            if pa.types.is_dictionary(column.type):
                column = column.dictionary_decode()
            # a number that float64 does not hold exactly is no whole number below 2**53, and refused where one is due
            columns.append(column.cast(field.type, safe=not pa.types.is_floating(field.type)))
        except pa.ArrowException as error:
            reason = one_line(error)
            raise InputError(f"{path}: column {field.name!r} cannot be read ({reason})") from error
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    """Turn plain columns into pandas': str, int64 (Int64 with gaps), float64, bool (boolean with gaps)."""
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    columns = {}
    for place, column in enumerate(table.columns):
        series = column.to_pandas(types_mapper=nullable.get if column.null_count else None)
        columns[place] = series.astype("str") if column.type in TEXT_TYPES else series
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(table)))
    return frame.set_axis(pd.Index(table.column_names, dtype="str"), axis="columns")


def one_line(error: BaseException) -> str:
    """Write the beginning of an error's message on one line."""
    return " ".join(str(error).split())[:160]
