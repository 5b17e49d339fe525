"""Read and write tables: CSV, JSON lines, Parquet and Feather; errors name the file, and writing is atomic.

After a damaged line of a text file, the other lines are still read. In memory, a cell may hold several values (a tuple,
list or dict); in files it is JSON.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mode
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute
from pyarrow import feather, parquet
from pydantic import TypeAdapter, ValidationError

from srlib import limits
from srlib.errors import InputError
from srlib.files import contents, open_file, write_atomically
from srlib.prose import listed

# NUL, or a byte that is not UTF-8 and was decoded as a lone surrogate
BINARY_CHARACTER = re.compile("[\0\udc80-\udcff]")
DECIMAL_COMMA = re.compile(r"(?:^|[;\t])[+-]?\d+,\d+", re.MULTILINE)
TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())

PARQUET_SUFFIXES = (".parquet", ".pq")
# cells with several values, by the kind of the column
COLLECTIONS: dict[str, TypeAdapter[Any]] = {
    "texts": TypeAdapter(tuple[str, ...]),
    "json": TypeAdapter(dict[str, Any]),
}

Damage = dict[int, str]  # fault of each damaged line, by row from 0
compute: Any = pyarrow.compute  # its functions are created on import, unseen by type checkers
csv.field_size_limit(limits.FILE_BYTES)  # the default limit is 131,072 characters


def read_frame(path: str | Path) -> pd.DataFrame:
    """Read a table as `read_rows` does; a damaged line is an error.

    Raises
    ------
    InputError
        As for `read_rows`, and for the first damaged line.
    """
    frame, damage = read_rows(path)
    for row, sentence in damage.items():
        raise InputError(sentence, path, row + 1)
    return frame


def read_rows(path: str | Path) -> tuple[pd.DataFrame, Damage]:
    """Read a table from CSV, TSV or JSON lines (also gzipped), Parquet or Feather, by the suffix of the file.

    Values of CSV are read as text, so that a method called `NA` keeps its name; `conform` converts types. Parquet and
    Feather give texts, whole numbers, numbers and truth values; pandas' metadata in them is ignored.

    Returns
    -------
    DataFrame, dict
        The table, and a sentence for each damaged line of CSV or JSON lines by row, from 0. A damaged row has no
        values.

    Raises
    ------
    InputError
        When the file is missing, empty, truncated, of another kind or too large, or when no line of JSON can be read.
    """
    path = Path(path)
    suffixes = next((ends for ends in READERS if path.name.lower().endswith(ends)), None)
    if suffixes is None:
        raise InputError(
            f"a table ends in .csv, .csv.gz, .tsv, .parquet, .feather or .jsonl, got "
            f"{path.suffix.lower() or 'no suffix'}; save a sheet of a workbook as CSV",
            path,
        )
    try:
        frame, damage = READERS[suffixes](path)
        pa.default_memory_pool().release_unused()  # Arrow keeps freed memory otherwise
    except (InputError, MemoryError):
        raise
    except FileNotFoundError as error:
        raise InputError("no such file", path) from error
    except Exception as error:  # the readers of the libraries raise all kinds for damaged bytes
        kind = path.suffix.lower()
        raise InputError(f"not a readable {kind} file ({summarize_error(error)})", path) from error
    if damage and frame.columns.empty:
        raise InputError(damage[0], path, 1)
    return frame, damage


def _check_shape(rows: int, columns: int, path: Path) -> None:
    if columns > limits.TABLE_COLUMNS or rows * columns > limits.TABLE_CELLS:
        raise InputError(
            f"a table of at most {limits.TABLE_COLUMNS} columns and {limits.TABLE_CELLS} cells was expected, got "
            f"{rows} rows of {columns} columns",
            path,
        )


def summarize_error(error: BaseException) -> str:
    """Return the beginning of an error's message on one line; its type if the message is empty."""
    return " ".join(str(error).split())[:160] or type(error).__name__


def read_csv_text(path: Path, within: Path | None = None) -> tuple[str, str, list[str]]:
    """Return the text, separator and column names of a CSV file, after checking its header and size.

    Parameters
    ----------
    path : Path
        The file.
    within : Path, optional
        Folder that has to contain the file, after resolving links.

    Returns
    -------
    str, str, list of str
        The text (with bytes that are not UTF-8 as lone surrogates), the separator, and the names of the columns.

    Raises
    ------
    InputError
        When the header is empty or not UTF-8, a name appears twice, columns are separated by semicolons or tabs instead
        of commas (tabs are expected in a .tsv file), or the table is too large.
    """
    text = contents(path, within).decode("utf-8", "surrogateescape").lstrip("\ufeff")
    separator = "\t" if ".tsv" in path.name.lower() else ","
    names = next(filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=separator)), [])
    if not names:
        raise InputError("the file is empty; a header was expected", path)
    is_split_otherwise = len(names) == 1 and re.search("[;\t]", names[0])
    if is_split_otherwise or BINARY_CHARACTER.search("".join(names)):
        faults = {
            "bytes that are not UTF-8": BINARY_CHARACTER.search(text),
            f"{'semicolons' if ';' in names[0] else 'tabs'} between columns": is_split_otherwise,
            "decimal commas": is_split_otherwise and DECIMAL_COMMA.search(text),
        }
        raise InputError(
            "a CSV in UTF-8, with commas between columns and decimal points, was expected, got "
            f"{listed([fault for fault, match in faults.items() if match])}; set the decimal separator of the "
            "spreadsheet to a point and save it as 'CSV UTF-8 (comma delimited)' (with tabs as .tsv)",
            path,
        )
    _check_shape(max(text.count("\n"), text.count("\r")), len(names), path)
    if len(set(names)) < len(names):
        raise InputError(f"column {mode(names)!r} appears twice in the header", path)
    return text, separator, names


def _read_csv(path: Path) -> tuple[pd.DataFrame, Damage]:
    """Read a CSV record by record; pandas would refuse a whole file with a damaged line."""
    text, separator, names = read_csv_text(path)
    padding: list[str | None] = [None] * len(names)
    rows: list[list[str | None]] = []  # the first one is the header
    damage: Damage = {}
    for values, fault in _records(list(io.StringIO(text, newline="")), separator):
        if any(values[len(names) :]):
            fault = (
                f"the line has {len(values)} values, the header {len(names)}; "
                f"a value with {separator!r} in it needs quotes"
            )
        if binary := BINARY_CHARACTER.search("".join(values)):
            fault = f"the line is no text in UTF-8 (byte {ord(binary[0]) % 0xDC00:#x})"
        if fault:
            damage[len(rows) - 1] = fault
        if fault or any(values):
            cells = [] if fault else [value or None for value in values]
            rows.append((cells + padding)[: len(names)])
    return pd.DataFrame(rows, columns=names, dtype="str")[1:].reset_index(drop=True), damage


def _records(lines: list[str], separator: str) -> Iterator[tuple[list[str], str]]:
    """Yield the values of each record and an empty text; for a damaged line, no values and the fault."""
    while lines:
        reader = csv.reader(lines, delimiter=separator, strict=True)
        last_line = 0
        try:
            for values in reader:
                yield values, ""
                last_line = reader.line_num
        except csv.Error as error:
            yield [], f"the line is no CSV ({error})"
        lines = lines[last_line + 1 :]


def _read_json_lines(path: Path) -> tuple[pd.DataFrame, Damage]:
    """Read JSON lines, one object per line; values in nested objects become columns with dots in their names."""
    rows: list[dict[str, Any]] = []
    damage: Damage = {}
    for line in filter(bytes.strip, contents(path).splitlines()):
        try:
            row = dict(json.loads(line, object_pairs_hook=_unique))
            json.dumps(row, ensure_ascii=False).encode()  # raises an error for half of a character
            rows.append(row)
        except (TypeError, ValueError, RecursionError) as error:
            damage[len(rows)] = f"the line is no readable JSON ({summarize_error(error)})"
            rows.append({})
    frame = pd.json_normalize(rows)
    _check_shape(len(rows), len(frame.columns), path)
    return frame, damage


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the keys and values of a JSON object; raise ValueError if a key stands twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"the key {mode(key for key, _ in pairs)!r} stands twice")
    return dict(pairs)


def _read_arrow(path: Path) -> tuple[pd.DataFrame, Damage]:
    """Read Parquet or Feather; the size of the table is checked before its texts are unpacked."""
    with open_file(path) as stream:
        if path.suffix.lower() in PARQUET_SUFFIXES:
            file = parquet.ParquetFile(stream)
            _check_shape(file.metadata.num_rows, len(file.schema_arrow), path)
            # a text that is repeated a million times stays one text until its size is known
            texts = [field.name for field in file.schema_arrow if field.type in TEXT_TYPES]
            table = parquet.ParquetFile(stream, read_dictionary=texts).read()
        else:
            table = feather.read_table(stream, memory_map=False)
    _check_shape(table.num_rows, table.num_columns, path)
    size = table.nbytes
    for chunk in [chunk for column in table.columns for chunk in column.chunks]:
        if pa.types.is_dictionary(chunk.type) and chunk.type.value_type in TEXT_TYPES:
            lengths = compute.binary_length(chunk.dictionary).take(chunk.indices)
            size += compute.sum(lengths.cast(pa.int64())).as_py() or 0
    if size > limits.TABLE_BYTES:
        raise InputError(
            f"a table of at most {limits.TABLE_BYTES} bytes, unpacked, was expected, got {size}",
            path,
        )
    damage: Damage = {}
    columns = [
        _plain_column(*pair, damage) for pair in zip(table.columns, table.column_names, strict=True)
    ]
    return pd.concat(columns, axis="columns", keys=table.column_names), damage


def _plain_column(column: pa.ChunkedArray, name: str, damage: Damage) -> pd.Series:
    """Return a column as numbers or truth values (Int64 and boolean if values are missing), else as text.

    Rows with bytes that are not UTF-8 are added to `damage`.
    """
    types = pa.types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        kind = pa.int64() if types.is_integer(kind) else kind
        nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
        return column.cast(kind).to_pandas(types_mapper=nullable.get if column.null_count else None)
    try:
        column.validate(full=True)  # text in UTF-8, indices in range
        return column.cast(pa.large_string()).to_pandas().astype("str")
    except pa.ArrowException:
        if kind not in TEXT_TYPES:
            raise
    cells = column.cast(pa.large_binary()).to_pylist()
    texts = [(cell or b"").decode(errors="surrogateescape") or None for cell in cells]
    for row, text in enumerate(texts):
        if text and BINARY_CHARACTER.search(text):
            damage[row], texts[row] = f"{name} is no text in UTF-8", None
    return pd.Series(texts, dtype="str")


READERS: dict[tuple[str, ...], Callable[[Path], tuple[pd.DataFrame, Damage]]] = {
    (".csv", ".tsv", ".csv.gz", ".tsv.gz"): _read_csv,
    (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"): _read_json_lines,
    (*PARQUET_SUFFIXES, ".feather", ".arrow"): _read_arrow,
}
SUFFIXES = (*sum(READERS, ()), ".xlsx", ".xls", ".ods")  # workbooks are recognised, but not read


def encode_cells(values: pd.Series) -> pd.Series:
    """Return a column with tuples, lists and dicts as JSON with sorted keys; other cells are unchanged."""
    if values.dtype != object:
        return values
    cells = [
        json.dumps(value, sort_keys=True, default=float)
        if isinstance(value, tuple | list | dict)
        else value
        for value in values
    ]
    return pd.Series(cells, values.index, dtype=object)


def decode_cells(values: pd.Series, kind: str) -> pd.Series:
    """Return the values of cells that are JSON texts or the values themselves.

    Parameters
    ----------
    values : pandas.Series
        The cells. Equal texts are decoded once, and share one object.
    kind : {'texts', 'json'}
        'texts': a JSON list of texts becomes a tuple; 'json': a JSON object becomes a dict.

    Returns
    -------
    pandas.Series
        Tuples or dicts; None where a cell is absent or damaged.

    Examples
    --------
    >>> decode_cells(pd.Series(['["a", "b"]', '["a", ']), "texts").tolist()
    [('a', 'b'), None]
    """
    adapter = COLLECTIONS[kind]

    def decode(value: Any) -> Any:
        is_text = isinstance(value, str)
        try:
            return adapter.validate_json(value) if is_text else adapter.validate_python(value)
        except ValidationError:
            return None

    texts = {value: decode(value) for value in values if isinstance(value, str)}
    cells = [texts[value] if isinstance(value, str) else decode(value) for value in values]
    return pd.Series(cells, values.index, dtype=object)


def write_frame(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table atomically as CSV, Parquet or Feather, by the suffix; without index, with full float precision.

    Cells with several values are written as JSON (see `encode_cells`).
    """
    path = Path(path)
    frame = frame.apply(encode_cells)
    suffix, buffer = path.suffix.lower(), io.BytesIO()
    if suffix == ".csv":
        text = frame.to_csv(index=False, lineterminator="\n")
        # the csv module does not quote it, and readers take it for the end of a line
        if "\r" in text:
            text = frame.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        buffer.write(text.encode("utf-8", "backslashreplace"))
    elif suffix == ".parquet":
        frame.to_parquet(buffer, index=False)
    elif suffix == ".feather":
        frame.to_feather(buffer)
    else:
        raise InputError(
            f"{path}: a table is written to .csv, .parquet or .feather, got {suffix or 'no suffix'}"
        )
    write_atomically(path, buffer.getvalue())
