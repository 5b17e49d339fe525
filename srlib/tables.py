"""Column contracts of the tables (ARCHITECTURE.md) and their validation; files are in `table_files`."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from srlib import limits
from srlib.errors import BadRowsError, InputError

Kind = Literal["str", "int", "Int", "float", "bool"]
DTYPES: dict[Kind, str] = {
    "str": "str",
    "int": "int64",
    "Int": "Int64",
    "float": "float64",
    "bool": "boolean",
}
CONTROL = frozenset(map(chr, (*range(32), *range(127, 160))))
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
    return {
        name: kind
        for kind, names in (part.split(":") for part in text.split(";"))
        for name in names.split()
    }  # type: ignore[misc]


KEY = ("method", "dataset", "repetition")
RUNS = Contract(
    "run",
    _columns(
        "str:method dataset model status reason predictions method_version budget names;int:repetition;"
        "Int:seed data_seed complexity_raw candidate;bool:chosen;"
        "float:r2_train r2_test training_time_s target_noise time_limit_s"
    ),
    required=("method", "dataset", "repetition", "model"),
    key=KEY,
    nullable=("model",),
)
REPORTED = ("r2_train", "r2_test", "complexity_raw")
MEASURED: dict[str, Kind] = _columns(
    "float:r2_train r2_test r2_extrapolation solution_constant;"
    "Int:complexity_raw bad_predictions complexity;"
    "bool:text_matches_predictions solution solution_simplified;"
    "str:model_id parse_status r2_source simplified_model simplify_status features_used solution_kind "
    "solution_evidence measure_digest problem_digest detail names_read names_evidence names_note "
    "shown_model shown_form dust"
)
# Older tables of assessments lack these.
LATER = (
    "solution_simplified",
    "names_read",
    "names_evidence",
    "names_note",
    "shown_model",
    "shown_form",
    "dust",
)
DIGESTS = ("measure_digest", "problem_digest")  # what makes a table one of assessments
ASSESSMENTS = Contract(
    "assessment",
    {**RUNS.columns, **{f"{name}_reported": RUNS.columns[name] for name in REPORTED}, **MEASURED},
    required=(*KEY, "model", *(name for name in MEASURED if name not in LATER)),
    key=KEY,
    nullable=("model", *(set(MEASURED) - {"parse_status", "measure_digest"})),
)
MEASURES = Contract(
    "measure",
    _columns("str:method dataset aspect group;int:repetition;float:value"),
    required=("method", "dataset", "repetition", "aspect", "value"),
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
    _check_shape(frame, contract, source)
    typed = {
        name: _convert(frame[name], kind, source)
        for name, kind in contract.columns.items()
        if name in frame
    }
    result = frame.reset_index(drop=True).assign(**typed)
    for name in contract.required:
        if name not in contract.nullable:
            more = f"; every {contract.name} needs one"
            _refuse(name, "is empty", result[name].isna(), source, more)
    for name in dict.fromkeys((*KEY, *contract.key)):
        if contract.columns.get(name) == "str" and name in result:
            texts = result[name].drop_duplicates()
            odd = texts[texts.map(lambda text: not CONTROL.isdisjoint(str(text)))]
            fault = "holds a control character"
            _refuse(name, fault, result[name].isin(odd), source, values=result[name])
    _refuse_repeats(result, list(contract.key), source)
    return result


def _check_shape(frame: pd.DataFrame, contract: Contract, source: str | Path) -> None:
    """Refuse a table with a column twice, without a required column, without rows, or with too many."""
    names = list(map(str, frame.columns))
    if len(set(names)) < len(names):
        repeated = min(name for name, count in Counter(names).items() if count > 1)
        raise InputError(f"{source}: there are two columns {repeated!r}")
    missing = [name for name in contract.required if name not in names]
    if missing:
        raise InputError(
            f"{source}: column {missing[0]!r} is missing; a {contract.name} table needs "
            f"{', '.join(contract.required)}; got {', '.join(names)[:500] or 'no column'}"
        )
    if frame.empty:
        raise InputError(
            f"{source}: the table has no rows; at least one {contract.name} was expected"
        )
    if len(frame) > limits.RUNS:
        raise InputError(f"{source}: at most {limits.RUNS} rows were expected, got {len(frame)}")


def _refuse_repeats(frame: pd.DataFrame, key: list[str], source: str | Path) -> None:
    if key and (repeats := frame.duplicated(key)).any():
        second = int(np.flatnonzero(repeats)[0])
        values = frame.loc[second, key].dropna()
        first = int(np.flatnonzero((frame[list(values.index)] == values).all(axis=1))[0])
        label = ", ".join(f"{name} {value}" for name, value in values.items())
        raise InputError(
            f"{source} rows {first + 1} and {second + 1}: {label} appears twice; it must be unique"
        )


def _convert(column: pd.Series, kind: Kind, source: str | Path) -> pd.Series:
    """Give a column the dtype of its kind, or refuse its first value that has none."""
    values = column.reset_index(drop=True)
    name = str(column.name)
    if values.dtype == DTYPES[kind]:
        return values
    if kind == "str":
        try:
            return values.astype("str")
        except UnicodeEncodeError as error:
            raise InputError(
                f"{source}: {name} holds half of a character (a lone surrogate), which is no text"
            ) from error
    if kind == "bool" and values.dtype == bool:
        return values.astype("boolean")
    if kind == "bool":
        words = values.astype("str").str.strip().str.lower()
        converted = words.map(WORDS).astype("boolean")
        wrong = words.notna() & (words != "") & converted.isna()
        _refuse(name, "must be true or false", wrong, source, values=values)
        return converted
    numbers = _to_numbers(values, source)
    if kind == "float":
        return numbers
    wrong = ~((numbers == numbers.round()) & (numbers.abs() < 2**53) | numbers.isna())
    _refuse(name, "must be a whole number below 2**53", wrong, source, values=values)
    if kind == "int":
        _refuse(name, "must be a whole number", numbers.isna(), source, values=values)
    return numbers.astype("Int64").astype("int64" if kind == "int" else "Int64")


def _to_numbers(values: pd.Series, source: str | Path) -> pd.Series:
    if values.dtype.kind in "iuf":
        return values.astype("float64")
    texts = values
    if values.dtype == object or isinstance(values.dtype, pd.StringDtype):
        texts = values.astype("str").str.strip()
    empty = texts.isna() | texts.isin(["", "NA", "None", "null"])
    numbers = pd.to_numeric(texts.mask(empty), errors="coerce").astype("float64")
    spelled_nan = texts.astype("str").str.lower().isin(["nan", "-nan"])
    wrong = numbers.isna() & ~empty & ~spelled_nan
    _refuse(str(values.name), "must be a number", wrong, source, values=values)
    return numbers


def _refuse(
    column: str,
    fault: str,
    wrong: pd.Series,
    source: str | Path,
    more: str = "",
    values: pd.Series | None = None,
) -> None:
    """Raise an error for the rows that are wrong, if there are any; it shows the first of their values."""
    if wrong.any():
        rows = np.flatnonzero(wrong)
        if values is not None:
            more = f", got {str(values[rows[0]])[:60]!r}"
        message = f"{source} row {rows[0] + 1}: {column} {fault}{more}"
        raise BadRowsError(message, column, fault, rows.tolist())


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


def sorted_by(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Sort a table by its key, so that the order of its rows does not matter."""
    return frame.sort_values(list(columns), kind="stable").reset_index(drop=True)
