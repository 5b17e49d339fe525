"""Tables on disk: CSV, JSON lines, Excel, Parquet and Feather; errors name the file, writing is all or nothing.

A damaged line of a text does not end the reading of the others.
"""

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

import numpy as np
import pandas as pd
import pyarrow as pa

from srlib import limits
from srlib.arrow_files import FEATHER, PARQUET, check_shape, one_line, read_arrow
from srlib.errors import InputError
from srlib.files import contents, opened, write_atomically

TEXT = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
EXCEL = ".xlsx"
JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
SUFFIXES = (*PARQUET, *FEATHER, *TEXT, EXCEL, *JSON_LINES)
POINTER = b"version https://git-lfs.github.com/spec/"

Damage = dict[int, str]  # by row, from 0: what is wrong with its line


def read_frame(path: str | Path) -> pd.DataFrame:
    """Read a table as `read_rows` does; a damaged line is an error.

    Raises
    ------
    InputError
        As `read_rows`, and for the first damaged line.
    """
    frame, damage = read_rows(path)
    for row, sentence in damage.items():
        raise InputError(f"{path} row {row + 1}: {sentence}")
    return frame


def read_rows(path: str | Path) -> tuple[pd.DataFrame, Damage]:
    """Read a table from CSV, TSV or JSON lines (also gzipped), Excel, Parquet or Feather, by the file's suffix.

    CSV values are read as text (`conform` gives them their types), so that a method called `NA` stays one. Columns may
    be separated by commas, else by semicolons or tabs, and numbers may then have decimal commas. Of a workbook the
    first sheet is read. From the others come text, whole numbers, numbers and truth values; what pandas wrote beside
    them is ignored.

    Returns
    -------
    DataFrame, dict
        The table, and a sentence for each damaged line of a CSV or of JSON lines by its row, from 0. The row itself
        has no values.

    Raises
    ------
    InputError
        When the file is missing, empty, binary where text was expected, cut off, of another kind, or too large, and
        when all of its lines are damaged.
    """
    path = Path(path)
    name, damage = path.name.lower(), {}
    try:
        with opened(path) as stream:
            start = stream.read(len(POINTER))
            if not start:
                raise InputError(f"{path}: the file is empty")
            refuse_pointer(start, path)
            stream.seek(0)
            if name.endswith((*PARQUET, *FEATHER)):
                return read_arrow(stream, path), damage
        if name.endswith(JSON_LINES):
            frame, damage = _read_json_lines(path)
        elif name.endswith((*TEXT, ".gz")):
            frame, damage = _read_csv(path)
        elif name.endswith(EXCEL):
            frame = _read_excel(path)
        else:
            raise InputError(
                f"{path}: a table ends in .csv, .csv.gz, .tsv, .parquet, .feather, .xlsx or .jsonl, got "
                f"{path.suffix.lower() or 'no suffix'}"
            )
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
        kind = path.suffix.lower()
        raise InputError(f"{path}: not a readable {kind} file ({one_line(error)})") from error
    if damage and len(damage) == len(frame):
        raise InputError(f"{path} row 1: {damage[0]}")
    return frame, damage


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


def _read_csv(path: Path) -> tuple[pd.DataFrame, Damage]:
    data = contents(path)
    if b"\0" in data:
        place = data.index(b"\0")
        raise InputError(f"{path}: not a text file (byte {place} is NUL); a CSV was expected")
    sign, damage = separator(data), {}
    try:
        names = csv_header(data, path, sign)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)
                frame = pd.read_csv(
                    io.BytesIO(data),
                    sep=sign,
                    header=0,
                    names=names,
                    dtype=str,
                    keep_default_na=False,
                    na_values=[""],
                    encoding="utf-8-sig",
                    index_col=False,
                )
        except (pd.errors.ParserError, pd.errors.ParserWarning, UnicodeDecodeError):
            frame, damage = _read_damaged_csv(data, sign, names)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not a text file in UTF-8 (byte {error.start}); a CSV was expected"
        ) from error
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path}: not a readable CSV file ({one_line(error)})") from error
    return frame if sign == "," else decimal_points(frame), damage


def separator(data: bytes) -> str:
    """Find what separates the columns of a text table, from its first line: a comma, else a semicolon or a tab.

    Examples
    --------
    >>> separator(b"method;dataset"), separator(b'"a;b",c')
    (';', ',')
    """
    bare = re.sub(rb'"[^"]*"', b"", data[:1_000_000].split(b"\n", 1)[0])
    return next((sign for sign in ",;\t" if sign.encode() in bare), ",")


def csv_header(data: bytes, path: Path, separator: str = ",") -> list[str]:
    """Names of the columns of a CSV, whose size is checked before it is parsed: a short line still fills all columns.

    Raises
    ------
    InputError
        When a name appears twice, or when there are more columns, or all lines have more cells, than allowed.
    UnicodeDecodeError, csv.Error
        When it is no text in UTF-8 or no CSV.
    """
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "surrogateescape", newline="")
    head = next(filter(None, csv.reader(text, delimiter=separator)), [])
    names = [name.encode("utf-8", "surrogateescape").decode() for name in head]
    lines = data.count(b"\n") + data.count(b"\r")
    check_shape(lines, len(names), path)
    if len(set(names)) < len(names):
        repeated = min(name for name, count in Counter(names).items() if count > 1)
        raise InputError(f"{path}: column {repeated!r} appears twice in the header")
    return names


def _read_damaged_csv(data: bytes, sign: str, names: list[str]) -> tuple[pd.DataFrame, Damage]:
    """Read a CSV with damaged lines record by record; slower than pandas, which knows only all or nothing."""
    text = data.decode("utf-8-sig", "surrogateescape")
    rows: list[list[str]] = []
    damage: Damage = {}
    for values, fault in _records(list(io.StringIO(text, newline="")), sign):
        if not values and not fault:
            continue
        if not fault and any(values[len(names) :]):
            fault = (
                f"the line has {len(values)} values, the header {len(names)}; "
                f"a value with {sign!r} in it needs quotes"
            )
        wrong = re.search("[\udc80-\udcff]", "".join(values))
        if wrong:
            fault = f"the line is no text in UTF-8 (byte {ord(wrong[0]) - 0xDC00:#x})"
        if fault:
            damage[len(rows)], values = fault, []
        rows.append((values + [""] * len(names))[: len(names)])
    frame = pd.DataFrame(rows[1:], columns=names, dtype="str").replace("", np.nan)
    return frame, {row - 1: fault for row, fault in damage.items()}


def _records(lines: list[str], sign: str) -> Iterator[tuple[list[str], str]]:
    """Yield the values of each record, or what is wrong with the line that it begins on."""
    start = 0
    while start < len(lines):
        reader = csv.reader(lines[start:], delimiter=sign, strict=True)
        complete = 0
        try:
            for values in reader:
                yield values, ""
                complete = reader.line_num
            return
        except csv.Error as error:
            yield [], f"the line is no CSV ({error})"
        start += complete + 1


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


def _read_json_lines(path: Path) -> tuple[pd.DataFrame, Damage]:
    """Read an object a line; a value inside another object gets a name with a dot."""
    columns: dict[str, dict[int, str | None]] = {}
    damage: Damage = {}
    lines = [line for line in contents(path).split(b"\n") if line.strip()]
    for row, line in enumerate(lines):
        try:
            content = json.loads(line.decode("utf-8-sig" if row == 0 else "utf-8"))
            if not isinstance(content, dict):
                raise ValueError(f"an object was expected, got {type(content).__name__}")
            for name, value in _flatten(content):
                columns.setdefault(name, {})[row] = value
        except (ValueError, RecursionError) as error:
            damage[row] = f"the line is no readable JSON ({one_line(error)})"
        check_shape(len(lines), len(columns), path)
    index = pd.RangeIndex(len(lines))
    series = {
        name: pd.Series(values, dtype="str").reindex(index) for name, values in columns.items()
    }
    return pd.DataFrame(series, index=index), damage


def _flatten(row: dict[str, object], above: str = "") -> Iterator[tuple[str, str | None]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{above}{name}.")
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
    except Exception as error:  # openpyxl raises errors of many kinds for a damaged book
        reason = one_line(error) or type(error).__name__
        raise InputError(f"{path}: not a readable {EXCEL} file ({reason})") from error


def _refuse_large_sheet(data: io.BytesIO, path: Path) -> None:
    """Walk over the first sheet before it is kept: one cell far away has all rows and columns before it filled up."""
    import openpyxl

    book, width = openpyxl.load_workbook(data, read_only=True, data_only=True), 1
    sheet = book.worksheets[0]
    sheet.reset_dimensions()  # the size that the file states may be wrong
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        width = max(width, len(row))
        if width > limits.TABLE_COLUMNS or number * width > limits.SHEET_CELLS:
            raise InputError(
                f"{path}: a sheet of at most {limits.TABLE_COLUMNS} columns and {limits.SHEET_CELLS} cells, gaps "
                f"among them, was expected, got more; save it as CSV"
            )


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
