"""Column contracts of the tables (design section 12), their validation, and reading and writing them."""

import csv
import io
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather, parquet

from srlib.errors import InputError
from srlib.files import write_atomically

Kind = Literal["str", "int", "Int", "float", "bool"]
DTYPES: dict[Kind, str] = {"str": "str", "int": "int64", "Int": "Int64", "float": "float64", "bool": "boolean"}
WORDS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


@dataclass(frozen=True)
class Contract:
    """What a table must hold.

    Parameters
    ----------
    name : str
        What a row is called in messages, as in 'run'.
    columns : dict of str to {'str', 'int', 'Int', 'float', 'bool'}
        All columns that have a meaning; others are kept as they are.
    required : tuple of str
        Columns that must be there; without those in `nullable`, every row needs a value.
    key : tuple of str
        Columns that together name a row.
    nullable : tuple of str
        Required columns in which single values may be absent.
    """

    name: str
    columns: dict[str, Kind]
    required: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    nullable: tuple[str, ...] = ()


def _columns(text: str) -> dict[str, Kind]:
    return {name: kind for kind, names in (part.split(":") for part in text.split(";")) for name in names.split()}  # type: ignore[misc]


KEY = ("method", "dataset", "repetition")
RUNS = Contract(
    "run",
    _columns(
        "str:method dataset model status reason predictions method_version budget;int:repetition;"
        "Int:seed data_seed complexity_raw;float:r2_train r2_test training_time_s target_noise"
    ),
    required=("method", "dataset", "repetition", "model"),
    key=KEY,
    nullable=("model",),
)
REPORTED = ("r2_train", "r2_test", "complexity_raw")
ASSESSMENTS = Contract(
    "assessment",
    RUNS.columns
    | _columns(
        "float:r2_train_reported r2_test_reported r2_extrapolation solution_constant;"
        "Int:complexity_raw_reported bad_predictions complexity;bool:text_matches_predictions solution;"
        "str:model_id parse_status r2_source simplified_model simplify_status features_used solution_kind "
        "solution_evidence measure_digest problem_digest detail"
    ),
    required=("method", "dataset", "repetition", "model", "parse_status", "measure_digest"),
    key=KEY,
    nullable=("model",),
)
MEASURES = Contract(
    "measure",
    _columns("str:method dataset aspect group;int:repetition;float:value"),
    required=("method", "dataset", "repetition", "aspect", "value"),
    key=(*KEY, "aspect"),
    nullable=("value",),
)


def conform(frame: pd.DataFrame, contract: Contract, source: str | Path) -> pd.DataFrame:
    """Check a table against its contract and give every known column its dtype.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any table; it is not changed. Row 1 is the first under the header.
    contract : Contract
        What is expected.
    source : str or Path
        Named in messages.

    Raises
    ------
    InputError
        Names the source, the row or column, what was allowed and what came.
    """
    missing = [name for name in contract.required if name not in frame.columns]
    if missing:
        raise InputError(
            f"{source}: column {missing[0]!r} is missing; a {contract.name} table needs "
            f"{', '.join(contract.required)}; got {', '.join(map(str, frame.columns)) or 'no column'}"
        )
    if frame.empty:
        raise InputError(f"{source}: the table has no rows; at least one {contract.name} was expected")
    typed = {name: _convert(frame[name], kind, source) for name, kind in contract.columns.items() if name in frame}
    result = frame.reset_index(drop=True).assign(**typed)
    for name in contract.required:
        if name not in contract.nullable and result[name].isna().any():
            row = int(np.flatnonzero(result[name].isna())[0]) + 1
            raise InputError(f"{source} row {row}: {name} is empty; every {contract.name} needs one")
    duplicate = result.duplicated(list(contract.key))
    if duplicate.any():
        second = int(np.flatnonzero(duplicate)[0])
        key = result.loc[second, list(contract.key)]
        first = int(np.flatnonzero((result[list(contract.key)] == key).all(axis=1))[0])
        named = ", ".join(f"{name} {value}" for name, value in key.items())
        raise InputError(f"{source} rows {first + 1} and {second + 1}: {named} stands twice; it must be unique")
    return result


def _convert(column: pd.Series, kind: Kind, source: str | Path) -> pd.Series:
    values = column.reset_index(drop=True)
    if kind == "str":
        return values.astype("str")
    if kind == "bool":
        words = values.astype("str").str.strip().str.lower()
        converted = words.map(WORDS).astype("boolean")
        _refuse(values, words.notna() & (words != "") & converted.isna(), "true or false", source)
        return converted
    texts = values.astype("str").str.strip() if values.dtype == object or isinstance(values.dtype, pd.StringDtype) else values
    empty = texts.isna() | texts.isin(["", "NA", "None", "null"])
    numbers = pd.to_numeric(texts.mask(empty), errors="coerce").astype("float64")
    spelled_nan = texts.astype("str").str.lower().isin(["nan", "-nan"])
    _refuse(values, numbers.isna() & ~empty & ~spelled_nan, "a number", source)
    if kind == "float":
        return numbers
    whole = np.isfinite(numbers) & (numbers == np.round(numbers)) & (np.abs(numbers) < 2**53)
    _refuse(values, ~whole & ~numbers.isna(), "a whole number below 2**53", source)
    if kind == "int":
        _refuse(values, numbers.isna(), "a whole number", source)
    return numbers.astype("Int64").astype(DTYPES[kind])


def _refuse(values: pd.Series, wrong: pd.Series, allowed: str, source: str | Path) -> None:
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(f"{source} row {row + 1}: {values.name} must be {allowed}, got {str(values[row])[:60]!r}")


def read_frame(path: str | Path) -> pd.DataFrame:
    """Read a table from CSV (also gzipped), Parquet or Feather, by the file's suffix.

    CSV values are read as text (`conform` gives them their types), so that a method called `NA` stays one.

    Raises
    ------
    InputError
        When the file is missing, empty, binary where text was expected, cut off, or of another kind.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty")
    suffix = path.suffix.lower()
    try:
        if suffix in {".parquet", ".pq"}:
            return parquet.read_table(path, partitioning=None).to_pandas()
        if suffix in {".feather", ".arrow"}:
            return feather.read_table(path).to_pandas()
        if suffix in {".csv", ".gz"}:
            return _read_csv(path)
    except (pa.ArrowException, OSError, EOFError) as error:
        raise InputError(f"{path}: not a readable {suffix} file ({_one_line(error)})") from error
    raise InputError(f"{path}: a table ends in .csv, .csv.gz, .parquet or .feather, got {suffix or 'no suffix'}")


def _read_csv(path: Path) -> pd.DataFrame:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            head = pd.read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False, encoding="utf-8-sig")
            names = [str(name) for name in head.iloc[0]]
            repeated = sorted({name for name in names if names.count(name) > 1})
            if repeated:
                raise InputError(f"{path}: column {repeated[0]!r} stands twice in the header")
            return pd.read_csv(
                path, dtype=str, keep_default_na=False, na_values=[""], encoding="utf-8-sig", index_col=False
            )
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8 (byte {error.start}); a CSV was expected") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, pd.errors.ParserWarning, csv.Error, ValueError) as error:
        raise InputError(f"{path}: not a readable CSV file ({_one_line(error)})") from error


def _one_line(error: Exception) -> str:
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
        frame.to_csv(buffer, index=False, lineterminator="\n")
    else:
        raise InputError(f"{path}: a table is written to .csv, .parquet or .feather, got {suffix or 'no suffix'}")
    write_atomically(path, buffer.getvalue())


def sorted_by(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """The table in the order of its key, whatever the order of its rows was."""
    return frame.sort_values(list(columns), kind="stable").reset_index(drop=True)
