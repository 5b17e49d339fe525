"""Column contracts of the tables (docs/tables.md) and their validation; files are in `table_files`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from srlib import limits
from srlib.errors import InputError

Kind = Literal["str", "category", "int", "Int", "float", "bool"]
DTYPES: dict[Kind, Any] = {
    "str": "str",
    "category": "category",
    "int": "int64",
    "Int": "Int64",
    "float": "float64",
    "bool": "boolean",
}
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
CONTROL = "[\\x00-\\x1f\\x7f-\\x9f]"
STATUSES = ("ok", "failed", "timeout", "memory", "crashed", "invalid")
ALLOWED = {"status": STATUSES, "names": ("features", "x0", "x1")}  # words of these columns
TRUTH_VALUES = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
ABSENT = ("", "na", "none", "null", "nan", "-nan")


@dataclass(frozen=True)
class Contract:
    """What a table must hold.

    Parameters
    ----------
    name : str
        What a row is called in messages, as in 'run'.
    columns : dict of str to {'str', 'category', 'int', 'Int', 'float', 'bool'}
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


def _columns(**names: str) -> dict[str, Kind]:
    """Give the kind of each column; the names of a kind's columns stand in one text."""
    return {name: cast(Kind, kind) for kind, text in names.items() for name in text.split()}


KEY = ("method", "dataset", "repetition")
RUNS = Contract(
    "run",
    _columns(
        str="method dataset model status reason predictions method_version budget names",
        int="repetition",
        Int="seed data_seed complexity_raw",
        float="r2_train r2_test training_time_s target_noise time_limit_s",
    ),
    required=(*KEY, "model"),
    key=KEY,
    nullable=("model",),
)
REPORTED = ("r2_train", "r2_test", "complexity_raw")
DIGESTS = ("measure_digest", "problem_digest")  # what makes a table one of assessments
OLDEST = _columns(
    float="r2_train r2_test r2_extrapolation solution_constant",
    Int="complexity_raw bad_predictions complexity",
    bool="text_matches_predictions solution",
    str="model_id parse_status r2_source simplify_status features_used solution_kind measure_digest "
    "problem_digest detail",
    category="simplified_model solution_evidence",
)
MEASURED = OLDEST | _columns(  # older assessments lack these
    bool="solution_simplified",
    str="names_read names_evidence names_note shown_model shown_form dust data_status solution_status",
)
ASSESSMENTS = Contract(
    "assessment",
    {**RUNS.columns, **{f"{name}_reported": RUNS.columns[name] for name in REPORTED}, **MEASURED},
    required=(*KEY, "model", *OLDEST),
    key=KEY,
    nullable=("model", *(MEASURED.keys() - {"parse_status", "measure_digest"})),
)
MEASURES = Contract(
    "measure",
    _columns(str="method dataset aspect group", int="repetition", float="value"),
    required=(*KEY, "aspect", "value"),
    key=(*KEY, "aspect"),
    nullable=("value",),
)


def conform(frame: pd.DataFrame, contract: Contract, source: str | Path) -> pd.DataFrame:
    """Check a table against its contract and give every known column its dtype: the one gate for strangers' tables.

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
    check_shape(frame, contract, source)
    table = frame.reset_index(drop=True)
    columns, faults = read_columns(table, contract)
    for _, row, sentence in faults:
        raise InputError(f"{source} row {row + 1}: {sentence}")
    table = set_types(table.assign(**columns), contract.columns)
    repeated = table.duplicated(list(contract.key)) if contract.key else []
    for row in np.flatnonzero(repeated)[:1]:
        label = ", ".join(f"{name} {table[name][row]}" for name in contract.key)
        raise InputError(f"{source} row {row + 1}: {label} appears twice; it must be unique")
    return table


def check_shape(frame: pd.DataFrame, contract: Contract, source: str | Path) -> None:
    """Refuse a table with a column twice, without a required column, without rows, or with too many."""
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InputError(f"{source}: there are two columns {str(repeated[0])!r}")
    missing = [name for name in contract.required if name not in frame]
    if missing:
        columns = ", ".join(map(str, frame.columns))[:500] or "no column"
        raise InputError(
            f"{source}: column {missing[0]!r} is missing; a {contract.name} table needs "
            f"{', '.join(contract.required)}; got {columns}"
        )
    if frame.empty:
        raise InputError(
            f"{source}: the table has no rows; at least one {contract.name} was expected"
        )
    if len(frame) > limits.RUNS:
        raise InputError(f"{source}: at most {limits.RUNS} rows were expected, got {len(frame)}")


def read_columns(
    table: pd.DataFrame, contract: Contract, reserved: Sequence[str] = ()
) -> tuple[dict[str, pd.Series], list[tuple[str, int, str]]]:
    """Read the columns of a contract.

    Parameters
    ----------
    table : pandas.DataFrame
        With any types; rows are numbered from 0.
    contract : Contract
        Whose columns are read, as far as they are there.
    reserved : sequence of str
        What must not stand in the texts of the key.

    Returns
    -------
    dict of str to pandas.Series, list of (str, int, str)
        The columns, where a cell that cannot be used is absent; and of each such cell its column, its row and the
        first thing that is wrong.
    """
    columns = dict[str, pd.Series]()
    faulty = list[tuple[str, int, str]]()
    for name in [name for name in contract.columns if name in table]:
        values, faults = read_column(table[name], contract.columns[name])
        if name in ALLOWED:
            forbidden = values.notna() & ~values.isin(ALLOWED[name])
            faults.append((forbidden, f"must be one of {', '.join(ALLOWED[name])}"))
        if name in contract.key and contract.columns[name] == "str":
            faults += [
                (values.str.contains(CONTROL, na=False), "holds a control character"),
                (values.isin(reserved), "is a name that tables have for another thing"),
            ]
        if name in contract.required and name not in contract.nullable:
            faults.append((values.isna(), "is empty"))
        wrong = np.zeros(len(table), bool)
        for mask, fault in faults:
            for row in map(int, np.flatnonzero(mask.to_numpy(bool) & ~wrong)):
                value = table[name][row]
                came = "" if pd.isna(value) else f", got {str(value)[:60]!r}"
                faulty.append((name, row, f"{name} {fault}{came}"))
            wrong |= mask.to_numpy(bool)
        columns[name] = values.mask(wrong)
    return columns, faulty


def read_column(values: pd.Series, kind: Kind) -> tuple[pd.Series, list[tuple[pd.Series, str]]]:
    """Read a column of any type.

    Returns
    -------
    values : pandas.Series
        Of the kind's dtype, of `int` with gaps; absent where a value cannot be read.
    faults : list of (pandas.Series of bool, str)
        What is wrong, and where.
    """
    if values.dtype == DTYPES[kind]:
        return values, []
    faults = []
    if values.dtype == object:
        lone = values.map(lambda value: bool(LONE_SURROGATE.search(str(value))))
        faults.append((lone, "holds half of a character (a lone surrogate), which is no text"))
        values = values.mask(lone)
    if kind in ("str", "category"):
        return values.astype("str").astype(DTYPES[kind]), faults
    if values.dtype.kind in "iuf" and kind != "bool":
        numbers = values.astype("float64")
    else:
        words = values.astype("str").str.strip().str.lower()
        absent = words.isna() | words.isin(ABSENT)
        if kind == "bool":
            truth = words.map(TRUTH_VALUES).astype("boolean")
            return truth, [*faults, (truth.isna() & ~absent, "must be true or false")]
        numbers = pd.to_numeric(words.mask(absent), errors="coerce").astype("float64")
        faults.append((numbers.isna() & ~absent, "must be a number"))
    if kind == "float":
        return numbers, faults
    is_whole = (numbers == numbers.round()) & (numbers.abs() < 2**53)
    faults.append((~(is_whole | numbers.isna()), "must be a whole number below 2**53"))
    return numbers.where(is_whole).astype("Int64"), faults


def set_aside(frame: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Rename columns that srlib is about to write itself to `NAME_given`; drop them where there is one already.

    Examples
    --------
    >>> list(set_aside(pd.DataFrame({"file": ["?"], "row": ["?"], "row_given": [1]}), ["file", "row"]))
    ['file_given', 'row_given']
    """
    renamed = {name: f"{name}_given" for name in names if name in frame}
    superfluous = [name for name, new_name in renamed.items() if new_name in frame]
    return frame.drop(columns=superfluous).rename(columns=renamed)


def with_reported(runs: pd.DataFrame) -> pd.DataFrame:
    """Name what runs report as assessments do (`NAME_reported`), and set aside what srlib measures itself."""
    reported = {name: f"{name}_reported" for name in REPORTED}
    return set_aside(runs, reported.values()).rename(columns=reported).pipe(set_aside, MEASURED)


def set_types(frame: pd.DataFrame, columns: Mapping[str, Kind]) -> pd.DataFrame:
    """Give the columns that are there their dtypes."""
    return frame.astype({name: DTYPES[kind] for name, kind in columns.items() if name in frame})


def sorted_by(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Sort a table by its key, so that the order of its rows does not matter."""
    return frame.sort_values(list(columns), kind="stable", ignore_index=True)


def as_whole_numbers(column: pd.Series) -> pd.Series:
    """Turn ranks that have no decimals into whole numbers, so that a table shows none."""
    if (column.dropna() % 1 == 0).all():
        return column.astype("Int64")
    return column
