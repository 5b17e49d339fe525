"""Column contracts of the tables (docs/tables.md) and their validation; `table_files` reads and writes files."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from srlib import limits
from srlib.errors import InputError
from srlib.metrics import METRIC_COLUMNS, METRICS
from srlib.table_files import COLLECTIONS, decode_cells

Kind = Literal["str", "category", "int", "Int", "float", "bool", "texts", "json"]
DTYPES: dict[Kind, Any] = {
    "str": "str",
    "category": "category",
    "int": "int64",
    "Int": "Int64",
    "float": "float64",
    "bool": "boolean",
    "texts": "object",
    "json": "object",
}
COLLECTION_FAULTS = {"texts": "must be a JSON list of texts", "json": "must be a JSON object"}
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
CONTROL_CHARACTER = "[\\x00-\\x1f\\x7f-\\x9f]"
STATUSES = ("ok", "failed", "timeout", "memory", "crashed", "invalid")
ALLOWED_WORDS = {
    "status": STATUSES,
    "names": ("features", "x0", "x1"),
}  # allowed values of these columns
TRUTH_VALUES = {"true": "1", "false": "0"}
ABSENT_WORDS = ("", "na", "n/a", "#n/a", "none", "null", "nan", "-nan")
FORMULA_START = r"[=+\-@]"  # a spreadsheet takes a cell that begins so for a formula


@dataclass(frozen=True)
class Contract:
    """Columns of a table: their types, and which are required, form the key or may have missing values.

    Parameters
    ----------
    name : str
        Name of a row in messages, as in 'run'.
    columns : dict of str to {'str', 'category', 'int', 'Int', 'float', 'bool', 'texts', 'json'}
        Types of all columns that have a meaning; other columns are kept unchanged. In files, `texts` are JSON lists and
        `json` are JSON objects; in memory they are tuples of str and dicts, and None where absent.
    required : tuple of str
        Columns that must exist; every row needs a value, except in those in `nullable`.
    key : tuple of str
        Columns that together identify a row.
    nullable : tuple of str
        Required columns in which values may be missing.
    """

    name: str
    columns: dict[str, Kind]
    required: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    nullable: tuple[str, ...] = ()


def _columns(**names: str) -> dict[str, Kind]:
    """Return the kind of each column, from the names of the columns of each kind, separated by blanks."""
    return {name: cast(Kind, kind) for kind, text in names.items() for name in text.split()}


KEY = ("method", "dataset", "repetition")
RUNS = Contract(
    "run",
    _columns(
        str="method dataset model status reason predictions method_version budget names",
        int="repetition",
        Int="seed data_seed complexity_raw",
        float="r2_train r2_test training_time_s target_noise time_limit_s",
        bool="symbolic_solution",
    ),
    required=(*KEY, "model"),
    key=KEY,
    nullable=("model",),
)
REPORTED_COLUMNS = ("r2_train", "r2_test", "complexity_raw")
DIGESTS = (
    "measure_digest",
    "problem_digest",
)  # columns by which a table of assessments is recognised
OLDEST_COLUMNS = _columns(
    float="r2_train r2_test r2_extrapolation solution_constant",
    Int="complexity_raw bad_predictions complexity",
    bool="text_matches_predictions solution",
    str="model_id parse_status r2_source simplify_status solution_kind measure_digest problem_digest detail",
    category="simplified_model",
    texts="features_used",
    json="solution_evidence",
)
MEASURED_COLUMNS = OLDEST_COLUMNS | _columns(  # older assessments lack these
    bool="solution_simplified",
    str="names_read names_evidence names_note shown_model shown_form data_status solution_status",
    texts="dust",
    Int="simplified_size",
)
# measured only where rules or a comparison ask for them
ASKED_COLUMNS: dict[str, Kind] = dict.fromkeys(METRIC_COLUMNS, "float")
ASSESSMENTS = Contract(
    "assessment",
    {
        **RUNS.columns,
        **{f"{name}_reported": RUNS.columns[name] for name in REPORTED_COLUMNS},
        **MEASURED_COLUMNS,
        **ASKED_COLUMNS,
    },
    required=(*KEY, "model", *OLDEST_COLUMNS),
    key=KEY,
    nullable=("model", *(MEASURED_COLUMNS.keys() - {"parse_status", "measure_digest"})),
)
MEASURES = Contract(
    "measure",
    _columns(str="method dataset aspect group", int="repetition", float="value"),
    required=(*KEY, "aspect", "value"),
    key=(*KEY, "aspect"),
    nullable=("value",),
)


TableKind = Literal["runs", "assessments", "measures"]
CONTRACTS: dict[TableKind, Contract] = {
    "runs": RUNS,
    "assessments": ASSESSMENTS,
    "measures": MEASURES,
}


def kind_of(frame: pd.DataFrame) -> TableKind:
    """Return the kind of the rows of a table, from its columns."""
    columns = set(frame.columns)
    if {"aspect", "value"} <= columns and not set(RUNS.required) <= columns:
        return "measures"
    return "assessments" if set(DIGESTS) <= columns else "runs"


def conform(frame: pd.DataFrame, contract: Contract, source: str | Path) -> pd.DataFrame:
    """Return a table with the dtypes of its contract, after checking it; all tables from outside pass through it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any table; it is not modified. In messages, row 1 is the first row below the header.
    contract : Contract
        Contract that the table has to satisfy.
    source : str or Path
        Name of the table in messages.

    Raises
    ------
    InputError
        When the table breaks the contract; the message names source, row or column, what was allowed and found.
    """
    check_shape(frame, contract, source)
    table = frame.reset_index(drop=True)
    columns, faults = read_columns(table, contract)
    for _, row, sentence in faults:
        raise InputError(sentence, source, row + 1)
    table = set_types(table.assign(**columns), contract.columns)
    repeated = table.duplicated(list(contract.key)) if contract.key else []
    for row in np.flatnonzero(repeated)[:1]:
        label = ", ".join(f"{name} {table[name][row]}" for name in contract.key)
        raise InputError(f"{label} appears twice; it must be unique", source, int(row) + 1)
    return table


def check_shape(frame: pd.DataFrame, contract: Contract, source: str | Path) -> None:
    """Raise InputError if a column is repeated, a required column is missing, or there are no or too many rows."""
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InputError(f"there are two columns {str(repeated[0])!r}", source)
    missing = [name for name in contract.required if name not in frame]
    if missing:
        columns = ", ".join(map(str, frame.columns))[:500] or "no column"
        raise InputError(
            f"column {missing[0]!r} is missing; a {contract.name} table needs "
            f"{', '.join(contract.required)}; got {columns}",
            source,
        )
    if frame.empty:
        raise InputError(
            f"the table has no rows; at least one {contract.name} was expected", source
        )
    if len(frame) > limits.RUNS:
        raise InputError(f"at most {limits.RUNS} rows were expected, got {len(frame)}", source)


def read_columns(
    table: pd.DataFrame, contract: Contract, reserved: Sequence[str] = ()
) -> tuple[dict[str, pd.Series], list[tuple[str, int, str]]]:
    """Return the columns of a contract in their dtypes, and the faults of single cells.

    Parameters
    ----------
    table : pandas.DataFrame
        Table with columns of any type; rows are numbered from 0.
    contract : Contract
        The columns to read, if they exist.
    reserved : sequence of str
        Texts that are not allowed in the columns of the key.

    Returns
    -------
    dict of str to pandas.Series, list of (str, int, str)
        The columns, with unusable cells set to missing; and column, row and first fault of each unusable cell.
    """
    columns = dict[str, pd.Series]()
    cell_faults = list[tuple[str, int, str]]()
    for name in [name for name in contract.columns if name in table]:
        values, faults = read_column(table[name], contract.columns[name])
        if name in ALLOWED_WORDS:
            values = values.str.strip().str.lower()
            forbidden = values.notna() & ~values.isin(ALLOWED_WORDS[name])
            faults.append((forbidden, f"must be one of {', '.join(ALLOWED_WORDS[name])}"))
        if name in contract.key and contract.columns[name] == "str":
            faults += [
                (values.str.contains(CONTROL_CHARACTER, na=False), "holds a control character"),
                (values.isin(reserved), "is a name that tables use for something else"),
                (
                    values.str.match(FORMULA_START, na=False),
                    "begins with =, +, - or @, as formulas of a spreadsheet do; another name is expected",
                ),
            ]
        metric = METRICS.get(name.removesuffix("_reported"))
        if metric and values.dtype.kind in "iuf":
            faults.append(metric.find_impossible(values))
        if name == "repetition":  # rows that cannot be used are numbered -1, -2, ...
            is_free = columns["status"] == "invalid" if "status" in columns else False
            numbers: Any = values
            is_below = (numbers < 0).fillna(False) & ~pd.Series(is_free, table.index)
            faults.append((is_below, "must be 0 or more"))
        if name in contract.required and name not in contract.nullable:
            faults.append((values.isna(), "is empty"))
        is_wrong, is_absent = np.zeros(len(table), bool), table[name].isna()
        for mask, fault in faults:
            for row in map(int, np.flatnonzero(mask.to_numpy(bool) & ~is_wrong)):
                ending = "" if is_absent[row] else f", got {str(table[name][row])[:60]!r}"
                cell_faults.append((name, row, f"{name} {fault}{ending}"))
            is_wrong |= mask.to_numpy(bool)
        columns[name] = values.mask(is_wrong)
    return columns, cell_faults


def read_column(values: pd.Series, kind: Kind) -> tuple[pd.Series, list[tuple[pd.Series, str]]]:
    """Return a column converted to the dtype of its kind, and the faults of its cells.

    Returns
    -------
    values : pandas.Series
        Values in the kind's dtype (Int64 for `int`); missing where a value cannot be read.
    faults : list of (pandas.Series of bool, str)
        For each fault a mask of the cells that have it, and its description.
    """
    if kind in COLLECTIONS:
        cells = decode_cells(values, kind)
        return cells, [(cells.isna() & values.notna(), COLLECTION_FAULTS[kind])]
    if values.dtype == DTYPES[kind]:
        return values, []
    faults = []
    if values.dtype == object:
        is_broken = values.map(lambda value: bool(LONE_SURROGATE.search(str(value))))
        faults.append((is_broken, "holds half of a character (a lone surrogate), which is no text"))
        values = values.mask(is_broken)
    if kind in ("str", "category"):
        return values.astype("str").astype(DTYPES[kind]), faults
    if values.dtype.kind not in "iuf":
        values = values.astype("str").str.strip().str.lower()
        values = values.mask(values.isin(ABSENT_WORDS))
        values = values.replace(TRUTH_VALUES) if kind == "bool" else values
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    is_wrong = numbers.isna() & values.notna()
    if kind == "bool":
        is_wrong |= ~(numbers.isna() | numbers.isin([0, 1]))
        faults.append((is_wrong, "must be true or false"))
        return numbers.mask(is_wrong).astype("boolean"), faults
    faults.append((is_wrong, "must be a number"))
    if kind == "float":
        return numbers, faults
    is_whole = (numbers == numbers.round()) & (numbers.abs() < 2**53)
    faults.append((~(is_whole | numbers.isna()), "must be a whole number below 2**53"))
    return numbers.where(is_whole).astype("Int64"), faults


def set_aside(frame: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Return a table with these columns renamed to `NAME_given`, or dropped if such a column already exists.

    Examples
    --------
    >>> list(set_aside(pd.DataFrame({"file": ["?"], "row": ["?"], "row_given": [1]}), ["file", "row"]))
    ['file_given', 'row_given']
    """
    renamed = {name: f"{name}_given" for name in names if name in frame}
    superfluous = [name for name, new_name in renamed.items() if new_name in frame]
    return frame.drop(columns=superfluous).rename(columns=renamed)


def with_reported(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with reported values renamed to `NAME_reported`, and other measured columns to `NAME_given`."""
    reported = {name: f"{name}_reported" for name in REPORTED_COLUMNS}
    return (
        set_aside(runs, reported.values())
        .rename(columns=reported)
        .pipe(set_aside, (*MEASURED_COLUMNS, *ASKED_COLUMNS))
    )


def runs_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return assessments as runs, with `*_reported` columns under their original names; runs are returned unchanged."""
    if not set(DIGESTS) <= set(table):
        return table
    runs = table.drop(columns=[*MEASURED_COLUMNS, *ASKED_COLUMNS], errors="ignore")
    return runs.rename(columns={f"{name}_reported": name for name in REPORTED_COLUMNS})


def set_types(frame: pd.DataFrame, columns: Mapping[str, Kind]) -> pd.DataFrame:
    """Return a table with the columns of a contract, if they exist, converted to their dtypes."""
    table = frame.astype({name: DTYPES[kind] for name, kind in columns.items() if name in frame})
    collections = [name for name, kind in columns.items() if name in table and kind in COLLECTIONS]
    return table.assign(
        **{name: table[name].where(table[name].notna(), None) for name in collections}
    )


def as_whole_numbers(column: pd.Series) -> pd.Series:
    """Return a column as Int64 if no value has decimals, so that tables show none; else unchanged."""
    if (column.dropna() % 1 == 0).all():
        return column.astype("Int64")
    return column
