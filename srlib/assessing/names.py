"""How each method counts features: `x1` is the second feature when counted from x0 and the first when counted from x1.

A name is looked up in this order: as the table states it (column `names`); as the features' own name; as the indices
of the text admit; as the method's other texts show; else from x0, with a line in the ledger.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import pandas as pd

from srlib.errors import ModelTextError
from srlib.expressions import Expression, parse, positions
from srlib.expressions.names import NAMES, POSITIONAL, STATED, Positions
from srlib.expressions.python_text import from_python
from srlib.problems import Problem, Problems

EVIDENCE = {
    "stated": "the table states it",
    "own": "the text has them",
    "text": "the text itself tells",
    "others": "other texts of the method tell",
    "default": "nothing tells",
}
NO_DATA = "not measured"  # how the detail of a run begins whose data cannot be identified
FIRST_INDEX = {"auto": "x0", "auto-x1": "x1", "x0": "x0", "x1": "x1"}
READ_AS = {"x0": "auto", "x1": "auto-x1"}
UNDECIDED = "can be read from x0 and from x1; read from x0, as nothing tells: state names"
EXCERPT = 60  # characters of a text in a sentence


class NameReading(NamedTuple):
    """How one text is read: `names` for `parse`, a key of `EVIDENCE`, and a sentence where it could be otherwise."""

    names: str
    evidence: str
    note: str | None = None


def read_names(
    runs: pd.DataFrame, problems: Problems, competition: pd.DataFrame | None = None
) -> list[NameReading]:
    """Decide for each run how its text counts features.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract.
    problems : Problems
        Features of each dataset.
    competition : pandas.DataFrame, optional
        All runs of the competition, whose texts may show how a method counts; `runs` by default.

    Returns
    -------
    list of NameReading
        One for each row of `runs`. Texts show how their method counts on the same dataset, or, where none does, on
        all datasets; texts that contradict each other show nothing.
    """
    name_readings = [
        _reading_of_text(stated, _positions(text, _features(problems, dataset)))
        for dataset, text, stated in _texts(runs)
    ]
    undecided = [i for i, reading in enumerate(name_readings) if reading.evidence == "default"]
    if not undecided:
        return name_readings
    table = runs if competition is None else competition
    open_methods = set(runs["method"].iloc[undecided])
    first = _first_texts(table[table["method"].isin(open_methods)], problems)
    for i in undecided:
        method, dataset = runs["method"].iloc[i], runs["dataset"].iloc[i]
        by_dataset = first.get(method, {})
        everywhere = {base: place for bases in by_dataset.values() for base, place in bases.items()}
        bases = by_dataset.get(dataset) or everywhere
        if len(bases) == 1:
            name_readings[i] = _reading_as_others(*next(iter(bases.items())))
    return name_readings


def _texts(table: pd.DataFrame) -> Iterator[tuple[str, Any, Any]]:
    """Dataset, text and stated names of each row."""
    stated = table["names"] if "names" in table else [None] * len(table)
    return zip(table["dataset"], table["model"], stated, strict=True)


def _features(problems: Problems, dataset: str) -> tuple[str, ...] | None:
    problem = problems.find(dataset)
    return None if problem is None else problem.features


@lru_cache(maxsize=20_000)
def _positions(text: Any, features: tuple[str, ...] | None) -> Positions | None:
    """Positional names of a text; None where it has none, no features are known, or it cannot be read."""
    if features is None or not isinstance(text, str):
        return None
    try:
        return positions(formula_of(text, features), features)
    except ModelTextError:
        return None


@lru_cache(maxsize=4096)
def _reading_of_text(stated: Any, seen: Positions | None) -> NameReading:
    if stated in STATED:
        return NameReading(stated, "stated")
    if seen is None:
        return NameReading("auto", "own")
    if len(seen.bases) == 2:
        return NameReading("auto", "default", UNDECIDED)
    return NameReading((*seen.bases, "auto")[0], "text")


def _first_texts(table: pd.DataFrame, problems: Problems) -> dict[str, dict[str, dict[str, str]]]:
    """By method, dataset and base: the place of the first text that shows that base."""
    first: dict[str, dict[str, dict[str, str]]] = {}
    ordered = table.sort_values(["method", "dataset", "repetition", "model"], kind="stable")
    keys = zip(ordered["method"], ordered["repetition"], strict=True)
    for (method, repetition), (dataset, text, stated) in zip(keys, _texts(ordered), strict=True):
        features = _features(problems, dataset)
        seen = _positions(text, features)
        base = READ_AS.get(stated)
        if base is None and not isinstance(stated, str) and seen is not None:
            base = seen.tells
        bases = first.setdefault(method, {}).setdefault(dataset, {})
        if base is None or base in bases:
            continue
        if not isinstance(stated, str) and not _is_readable(text, features, base):
            continue
        excerpt = "stated" if isinstance(stated, str) else repr(_shortened(text))
        bases[base] = f"{excerpt}, dataset {dataset}, repetition {repetition}"
    return first


def _reading_as_others(base: str, place: str) -> NameReading:
    other = "x1" if base == "auto" else "x0"
    note = (
        f"can be read from x0 and from x1; read from {FIRST_INDEX[base]}, as other texts of the method are "
        f"({place}), and not from {other}"
    )
    return NameReading(base, "others", note)


def _is_readable(text: str, features: tuple[str, ...] | None, names: str) -> bool:
    try:
        parse(text, features, names=names)
    except ModelTextError:
        return False
    return True


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= EXCERPT else text[: EXCERPT - 3] + "..."


def formula_of(text: str, features: tuple[str, ...] | None) -> str:
    """Return the text that is parsed: the text itself, or the formula of a Python function."""
    return from_python(text, features) or text


def names_settled(table: pd.DataFrame) -> pd.Series:
    """Whether assessments record how names were read, as the table states it now, on identified data.

    Returns
    -------
    pandas.Series of bool
        False for rows that have to be assessed again.
    """
    stated = table["names"] if "names" in table else pd.Series(None, table.index, dtype="str")
    read = table.get("names_read", stated)
    settled = read.notna()
    if not settled.all():
        settled |= ~table["model"].str.contains(POSITIONAL, na=False)
    settled &= stated.isna() | (stated == read)
    if "detail" in table:
        settled &= ~table["detail"].str.startswith(NO_DATA).fillna(False)
    return settled


def as_written(run: Mapping[Any, Any], problem: Problem) -> Expression:
    """Read the text of an assessed run, with its constants, by the names that were recorded.

    Parameters
    ----------
    run : mapping
        A row of assessments, with `model` and, where recorded, `names_read`.
    problem : Problem
        Whose features the text names.

    Raises
    ------
    ModelTextError
        When it cannot be read.
    """
    names = str(run.get("names_read"))
    return parse(str(run["model"]), problem.features, names=names if names in NAMES else "auto")


def readings(assessments: pd.DataFrame) -> pd.DataFrame:
    """How each method's names were read, and by what evidence.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Assessments contract; rows whose text could not be read are left out.

    Returns
    -------
    pandas.DataFrame
        `method`, `datasets` (how many, or the one), `names` (how they were read), `evidence`, `runs`; the reading of
        most runs first within a method.
    """
    read = assessments[assessments["parse_status"] == "ok"]
    absent = pd.Series(None, read.index, dtype="str")
    stated, names, evidence = (
        read.get(f"names{end}", absent) for end in ("", "_read", "_evidence")
    )
    evidence = evidence.fillna(stated.notna().map({True: "stated", False: None}))
    sentences = {base: f"positions from {first}" for base, first in FIRST_INDEX.items()}
    sentences["features"] = "the features' own names"
    sentence = names.fillna(stated).map(sentences).mask(evidence == "own", sentences["features"])
    table = pd.DataFrame(
        {
            "method": read["method"],
            "dataset": read["dataset"],
            "names": sentence.fillna("not recorded"),
            "evidence": evidence.map(EVIDENCE).fillna("not recorded"),
        }
    )
    grouped = table.groupby(["method", "names", "evidence"], observed=True, as_index=False).agg(
        count=("dataset", "nunique"), first=("dataset", "min"), runs=("dataset", "size")
    )
    many = grouped["count"].astype("str") + " datasets"
    grouped["datasets"] = grouped["first"].astype("str").where(grouped["count"] == 1, many)
    grouped = grouped.sort_values(["method", "runs", "names"], ascending=[True, False, True])
    return grouped[["method", "datasets", "names", "evidence", "runs"]].reset_index(drop=True)
