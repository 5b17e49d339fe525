"""Tables on disk: CSV, Parquet and Feather; errors name the file, writing is all or nothing."""

import csv
import io
import json
import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa

from srlib import limits
from srlib.columnar import read_feather, read_parquet
from srlib.errors import InputError
from srlib.files import contents, opened, write_atomically

COLUMNAR = {
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".feather": read_feather,
    ".arrow": read_feather,
}

TEXT = (".csv", ".tsv", ".gz")
EXCEL = ".xlsx"
JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
SUFFIXES = (*COLUMNAR, ".csv", ".csv.gz", ".tsv", ".tsv.gz", EXCEL, *JSON_LINES)
POINTER = b"version https://git-lfs.github.com/spec/"


def read_frame(path: str | Path) -> pd.DataFrame:
    """Read a table from CSV, TSV or JSON lines (also gzipped), Excel, Parquet or Feather, by the file's suffix.

    CSV values are read as text (`conform` gives them their types), so that a method called `NA` stays one. Columns may
    be parted by commas, else by semicolons or tabs, and numbers may then have decimal commas. Of a workbook the first
    sheet is read. From the others come text, whole numbers, numbers and truth values, whatever the file says of pandas.

    Raises
    ------
    InputError
        When the file is missing, empty, binary where text was expected, cut off, of another kind, or too large.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    try:
        with opened(path) as stream:
            start = stream.read(len(POINTER))
            if not start:
                raise InputError(f"{path}: the file is empty")
            refuse_pointer(start, path)
            stream.seek(0)
            if suffix in COLUMNAR:
                return COLUMNAR[suffix](stream, path)
        if path.name.lower().endswith(JSON_LINES):
            return _read_json_lines(path)
        if suffix in TEXT:
            return _read_csv(path)
        if suffix == EXCEL:
            return _read_excel(path)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except MemoryError as error:
        raise InputError(f"{path}: the table does not fit into memory") from error
    except (
        pa.ArrowException,
        OSError,
        EOFError,
        ValueError,
        KeyError,
        zlib.error,
        zipfile.BadZipFile,
    ) as error:
        raise InputError(f"{path}: not a readable {suffix} file ({_one_line(error)})") from error
    raise InputError(
        f"{path}: a table ends in .csv, .csv.gz, .tsv, .parquet, .feather, .xlsx or .jsonl, got {suffix or 'no suffix'}"
    )


def refuse_pointer(start: bytes, path: Path) -> None:
    """Recognise the few lines that Git LFS keeps in place of a large file.

    Raises
    ------
    InputError
        When a file that starts so is a pointer.
    """
    if start.startswith(POINTER):
        raise InputError(
            f"{path}: this is a Git LFS pointer and not the file itself; fetch it with `git lfs pull`"
        )


def separator(data: bytes) -> str:
    """Find what parts the columns of a text table, from its first line: a comma, else a semicolon or a tab.

    Examples
    --------
    >>> separator(b"method;dataset"), separator(b'"a;b",c')
    (';', ',')
    """
    bare = re.sub(rb'"[^"]*"', b"", data[:1_000_000].split(b"\n", 1)[0])
    return next((sign for sign in ",;\t" if sign.encode() in bare), ",")


def decimal_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn decimal commas into points in each column of texts that holds only numbers then.

    Examples
    --------
    >>> decimal_points(pd.DataFrame({"r2": ["0,9", "1"], "model": ["max(x,1)", "2"]})).to_dict("list")
    {'r2': ['0.9', '1'], 'model': ['max(x,1)', '2']}
    """
    changed = frame.copy(deep=False)
    for name in frame.columns[frame.dtypes == "str"]:
        points = frame[name].str.strip().str.replace(",", ".", regex=False)
        number = points.str.fullmatch(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")
        if number.dropna().all() and frame[name].str.contains(",", regex=False).any():
            changed[name] = points
    return changed


def _read_json_lines(path: Path) -> pd.DataFrame:
    """Read an object a line; what lies inside of others gets a name with a dot."""
    rows: list[dict[str, object]] = []
    cells = 0
    for number, line in enumerate(contents(path).decode("utf-8-sig").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError(f"an object was expected, got {type(row).__name__}")
            rows.append(dict(_flat(row)))
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{path} line {number}: not readable JSON ({_one_line(error)})"
            ) from error
        cells += len(rows[-1])
        if cells > limits.TABLE_CELLS or len(rows[-1]) > limits.TABLE_COLUMNS:
            raise InputError(f"{path} line {number}: more cells than a table may have")
    names = dict.fromkeys(name for row in rows for name in row)
    if (
        not names
        or len(names) > limits.TABLE_COLUMNS
        or len(names) * len(rows) > limits.TABLE_CELLS
    ):
        raise InputError(
            f"{path}: a table of 1 to {limits.TABLE_COLUMNS} columns was expected, got {len(names)}"
        )
    columns = {name: [row.get(name) for row in rows] for name in names}
    return pd.DataFrame({name: pd.Series(values, dtype="str") for name, values in columns.items()})


def _flat(row: dict[str, object], above: str = "") -> Iterator[tuple[str, str | None]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        elif value is None or isinstance(value, str):
            yield above + name, value
        else:
            yield above + name, json.dumps(value)


def _read_excel(path: Path) -> pd.DataFrame:
    try:
        data = io.BytesIO(contents(path))
        with zipfile.ZipFile(data) as parts:
            if sum(part.file_size for part in parts.infolist()) > limits.FILE_BYTES:
                raise InputError(f"{path}: more than {limits.FILE_BYTES} bytes, unpacked")
        _refuse_large_sheet(data, path)
        frame = pd.read_excel(data, dtype=str, keep_default_na=False, na_values=[""])
        return frame.dropna(how="all", ignore_index=True)  # as the empty lines of a CSV
    except ImportError as error:
        raise InputError(
            f"{path}: reading Excel needs openpyxl (pip install openpyxl); or save the sheet as CSV"
        ) from error
    except (InputError, MemoryError):
        raise
    except Exception as error:  # openpyxl answers a damaged book with whatever happens
        what = _one_line(error) or type(error).__name__
        raise InputError(f"{path}: not a readable {EXCEL} file ({what})") from error


def _refuse_large_sheet(data: io.BytesIO, path: Path) -> None:
    """Walk over the first sheet before it is kept: one cell far away has all rows and columns before it filled up."""
    import openpyxl

    book, width = openpyxl.load_workbook(data, read_only=True, data_only=True), 1
    sheet = book.worksheets[0]
    sheet.reset_dimensions()  # what the file says of them may be wrong
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        width = max(width, len(row))
        if width > limits.TABLE_COLUMNS or number * width > limits.SHEET_CELLS:
            raise InputError(
                f"{path}: a sheet of at most {limits.TABLE_COLUMNS} columns and {limits.SHEET_CELLS} cells, gaps "
                f"among them, was expected, got more; save it as CSV"
            )


def _read_csv(path: Path) -> pd.DataFrame:
    data = contents(path)
    if b"\0" in data:
        place = data.index(b"\0")
        raise InputError(f"{path}: not a text file (byte {place} is NUL); a CSV was expected")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            parted = separator(data)
            names = csv_header(data, path, parted)
            frame = pd.read_csv(
                io.BytesIO(data),
                sep=parted,
                header=0,
                names=names,
                dtype=str,
                keep_default_na=False,
                na_values=[""],
                encoding="utf-8-sig",
                index_col=False,
            )
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not a text file in UTF-8 (byte {error.start}); a CSV was expected"
        ) from error
    except (
        pd.errors.ParserError,
        pd.errors.EmptyDataError,
        pd.errors.ParserWarning,
        csv.Error,
        ValueError,
    ) as error:
        raise InputError(f"{path}: not a readable CSV file ({_one_line(error)})") from error
    return frame if parted == "," else decimal_points(frame)


def csv_header(data: bytes, path: Path, separator: str = ",") -> list[str]:
    """Names of the columns of a CSV, whose size is checked before it is parsed: a short line still fills all columns.

    Raises
    ------
    InputError
        When a name appears twice, or when there are more columns, or all lines have more cells, than allowed.
    ValueError
        Whatever pandas raises.
    """
    head = pd.read_csv(
        io.BytesIO(data),
        sep=separator,
        header=None,
        nrows=1,
        dtype=str,
        keep_default_na=False,
        encoding="utf-8-sig",
    )
    names = [str(name) for name in head.iloc[0]]
    lines = data.count(b"\n") + data.count(b"\r")
    if len(names) > limits.TABLE_COLUMNS or lines * len(names) > limits.TABLE_CELLS:
        raise InputError(
            f"{path}: a table of at most {limits.TABLE_COLUMNS} columns and {limits.TABLE_CELLS} cells "
            f"was expected, got {lines} lines of {len(names)} columns"
        )
    if len(set(names)) < len(names):
        repeated = min(name for name, count in Counter(names).items() if count > 1)
        raise InputError(f"{path}: column {repeated!r} appears twice in the header")
    return names


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]


def write_frame(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table atomically, as the suffix says; CSV with full float precision and no index."""
    path = Path(path)
    suffix = path.suffix.lower()
    buffer = io.BytesIO()
    if suffix == ".parquet":
        frame.to_parquet(buffer, index=False)
    elif suffix == ".feather":
        frame.to_feather(buffer)
    elif suffix == ".csv":
        buffer.write(csv_text(frame).encode("utf-8", "backslashreplace"))
    else:
        raise InputError(
            f"{path}: a table is written to .csv, .parquet or .feather, got {suffix or 'no suffix'}"
        )
    write_atomically(path, buffer.getvalue())


def csv_text(frame: pd.DataFrame) -> str:
    """Write a table as CSV text, verbatim, with full float precision and without the index."""
    text = frame.to_csv(index=False, lineterminator="\n")
    if "\r" in text:  # left bare by the csv module, and taken for a line's end by its readers
        text = frame.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    return text
