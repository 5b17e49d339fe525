"""Column contracts of the tables (ARCHITECTURE.md) and their validation; files are in `tablefiles`."""

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
    names = list(map(str, frame.columns))
    if len(set(names)) < len(names):
        repeated = min(name for name, count in Counter(names).items() if count > 1)
        raise InputError(f"{source}: there are two columns {repeated!r}")
    missing = [name for name in contract.required if name not in frame.columns]
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
    typed = {
        name: _convert(frame[name], kind, source)
        for name, kind in contract.columns.items()
        if name in frame
    }
    result = frame.reset_index(drop=True).assign(**typed)
    for name in contract.required:
        if name not in contract.nullable and result[name].isna().any():
            rows, fault = np.flatnonzero(result[name].isna()), "is empty"
            sentence = f"{name} {fault}; every {contract.name} needs one"
            raise BadRowsError(
                f"{source} row {rows[0] + 1}: {sentence}", name, fault, rows.tolist()
            )
    for name in (n for n in contract.columns if n in (*KEY, *contract.key) and n in result):
        if contract.columns[name] != "str":
            continue
        known = result[name].drop_duplicates()
        odd = known[known.map(lambda text: not CONTROL.isdisjoint(str(text)))]
        if len(odd):
            rows, fault = np.flatnonzero(result[name].isin(odd)), "holds a control character"
            got = f"{name} {fault}, got {odd.iloc[0][:60]!r}"
            raise BadRowsError(f"{source} row {rows[0] + 1}: {got}", name, fault, rows.tolist())
    keyed = list(contract.key)
    duplicate = result.duplicated(keyed) if keyed else pd.Series(dtype=bool)
    if duplicate.any():
        second = int(np.flatnonzero(duplicate)[0])
        key = result.loc[second, keyed].dropna()
        first = int(np.flatnonzero((result[list(key.index)] == key).all(axis=1))[0])
        named = ", ".join(f"{name} {value}" for name, value in key.items())
        raise InputError(
            f"{source} rows {first + 1} and {second + 1}: {named} appears twice; it must be unique"
        )
    return result


def _convert(column: pd.Series, kind: Kind, source: str | Path) -> pd.Series:
    values = column.reset_index(drop=True)
    if values.dtype == DTYPES[kind]:
        return values
    if kind == "str":
        try:
            return values.astype("str")
        except UnicodeEncodeError as error:
            raise InputError(
                f"{source}: {column.name} holds half of a character (a lone surrogate), which is no text"
            ) from error
    if kind == "bool" and values.dtype == bool:
        return values.astype("boolean")
    if kind == "bool":
        words = values.astype("str").str.strip().str.lower()
        converted = words.map(WORDS).astype("boolean")
        _refuse(values, words.notna() & (words != "") & converted.isna(), "true or false", source)
        return converted
    numbers = _numbers(values, source)
    if kind == "float":
        return numbers
    whole = (numbers == numbers.round()) & (numbers.abs() < 2**53)
    _refuse(values, ~(whole | numbers.isna()), "a whole number below 2**53", source)
    if kind == "int":
        _refuse(values, numbers.isna(), "a whole number", source)
    return numbers.astype("Int64").astype("int64" if kind == "int" else "Int64")


def _numbers(values: pd.Series, source: str | Path) -> pd.Series:
    if values.dtype.kind in "iuf":
        return values.astype("float64")
    texts = values
    if values.dtype == object or isinstance(values.dtype, pd.StringDtype):
        texts = values.astype("str").str.strip()
    empty = texts.isna() | texts.isin(["", "NA", "None", "null"])
    numbers = pd.to_numeric(texts.mask(empty), errors="coerce").astype("float64")
    spelled_nan = texts.astype("str").str.lower().isin(["nan", "-nan"])
    _refuse(values, numbers.isna() & ~empty & ~spelled_nan, "a number", source)
    return numbers


def _refuse(values: pd.Series, wrong: pd.Series, allowed: str, source: str | Path) -> None:
    if wrong.any():
        rows, name, fault = np.flatnonzero(wrong), str(values.name), f"must be {allowed}"
        got = f"{name} {fault}, got {str(values[rows[0]])[:60]!r}"
        raise BadRowsError(f"{source} row {rows[0] + 1}: {got}", name, fault, rows.tolist())


def set_aside(frame: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Keep columns that srlib is about to write itself as `NAME_given`, unless there is one already.

    Examples
    --------
    >>> list(set_aside(pd.DataFrame({"file": ["?"], "row": ["?"], "row_given": [1]}), ["file", "row"]))
    ['file_given', 'row_given']
    """
    kept = {name: f"{name}_given" for name in names if name in frame}
    spent = [name for name, given in kept.items() if given in frame]
    return frame.drop(columns=spent).rename(columns=kept)


def sorted_by(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Sort a table by its key, so that the order of its rows does not matter."""
    return frame.sort_values(list(columns), kind="stable").reset_index(drop=True)
