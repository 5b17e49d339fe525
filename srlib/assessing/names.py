"""Which features the names in a text mean: by evidence that is written down, and the table of it that reports show."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import pandas as pd

from srlib.errors import ModelTextError
from srlib.expressions import Expression, parse, positional_bases
from srlib.expressions.names import NAMES, POSITIONAL, TABLE_NAMES
from srlib.expressions.python_text import formula_of
from srlib.problems import Problem, Problems

EVIDENCE = {
    "stated": "the table states it",
    "own": "the text has them",
    "text": "the text itself tells",
    "others": "other texts of the method tell",
    "default": "nothing tells",
}
START = {"auto": "x0", "auto-x1": "x1", "x0": "x0", "x1": "x1"}
READ_FROM = {0: "auto", 1: "auto-x1"}
STATED_BASES = {"x0": "auto", "x1": "auto-x1"}


class NameReading(NamedTuple):
    """How one text is read: `names` of `parse`, a key of `EVIDENCE`, and a sentence where it could be otherwise."""

    names_read: str
    names_evidence: str
    names_note: str | None = None


def read_names(
    runs: pd.DataFrame, problems: Problems, companions: pd.DataFrame | None = None
) -> list[NameReading]:
    """Decide how each run's text names its features.

    In this order: what the table states; the features' own names; what the text's indices admit; the method's other
    texts, where they agree; from x0.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract.
    problems : Problems
        Features of each dataset.
    companions : pandas.DataFrame, optional
        Other runs of the same competition, whose texts are read for what they show.
    """
    texts: list[NameReading] = []
    bases: dict[str, set[str]] = {}  # by method, what its texts show
    tables = [runs] if companions is None else [runs, companions]
    for table in tables:
        stated = table["names"] if "names" in table else pd.Series(None, table.index, dtype="str")
        features = {}
        for dataset in table["dataset"].unique():
            problem = problems.find(dataset)
            features[dataset] = None if problem is None else problem.features
        columns = table["method"], table["dataset"], table["model"], stated
        for method, dataset, text, names in zip(*columns, strict=True):
            if names in TABLE_NAMES:
                texts.append(NameReading(names, "stated"))
                base = STATED_BASES.get(names)
            else:
                indices = find_bases(text, features[dataset])
                texts.append(reading_of(indices))
                base = READ_FROM[min(indices)] if len(indices) == 1 else None
            if base is not None:
                bases.setdefault(method, set()).add(base)
    return [
        read_as_others(reading, bases.get(method, set()))
        for reading, method in zip(texts[: len(runs)], runs["method"], strict=True)
    ]


@lru_cache(maxsize=20_000)
def find_bases(text: Any, features: tuple[str, ...] | None) -> frozenset[int]:
    """Return from where a text may count features, 0 or 1; none where it has own names alone, or cannot be read."""
    if features is None or not isinstance(text, str):
        return frozenset()
    try:
        return positional_bases(formula_of(text, features) or text, features)
    except ModelTextError:
        return frozenset()


def reading_of(indices: frozenset[int]) -> NameReading:
    """Return how a text is read by what it shows itself."""
    if not indices:
        return NameReading("auto", "own")
    if len(indices) == 2:
        note = "can be read from x0 and from x1; read from x0, as nothing tells: state names"
        return NameReading("auto", "default", note)
    return NameReading(READ_FROM[min(indices)], "text")


def read_as_others(reading: NameReading, bases: set[str]) -> NameReading:
    """Read a text that can be read in two ways as the method's other texts, where these agree."""
    if reading.names_evidence != "default" or len(bases) != 1:
        return reading
    (names,) = bases
    note = f"can be read from x0 and from x1; read from {START[names]}, as other texts of the method are"
    return NameReading(names, "others", note)


def names_settled(table: pd.DataFrame) -> pd.Series:
    """Whether the assessments say how each text's names were read, as the table states it, and on which data."""
    stated = table["names"] if "names" in table else pd.Series(None, table.index, dtype="str")
    read = table.get("names_read", stated)
    plain = read.notna()
    if not plain.all():
        plain = ~table["model"].str.contains(POSITIONAL, na=False)
    measured = True
    if "data_status" in table:
        measured = table["data_status"].ne("unstated").fillna(True)
    return (read.notna() | plain) & (stated.isna() | (stated == read)) & measured


def as_written(run: Mapping[Any, Any], problem: Problem) -> Expression:
    """Read the text that a method wrote, with its constants, by the names that were decided.

    Parameters
    ----------
    run : mapping
        A row of assessments, with `model` and, where it has that, `names_read`.
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
    """Count how each team's names were read, and by what evidence.

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
    table = assessments[assessments["parse_status"] == "ok"]
    absent = pd.Series(None, table.index, dtype="str")
    stated, read, evidence = (
        table.get(name, absent).astype("str") for name in ("names", "names_read", "names_evidence")
    )
    evidence = evidence.where(evidence.notna(), stated.notna().map({True: "stated", False: None}))
    words = {base: f"positions from {start}" for base, start in START.items()}
    words["features"] = "the features' own names"
    names = read.where(read.notna(), stated).map(words)
    names = names.mask(evidence == "own", words["features"]).fillna("not recorded")
    table = table[["method", "dataset"]].assign(
        names=names, evidence=evidence.map(EVIDENCE).fillna("not recorded")
    )
    groups = table.groupby(["method", "names", "evidence"], as_index=False).agg(
        count=("dataset", "nunique"), datasets=("dataset", "min"), runs=("dataset", "size")
    )
    many = groups["count"].astype("str") + " datasets"
    groups["datasets"] = groups["datasets"].where(groups["count"] == 1, many)
    groups = groups.sort_values(["method", "runs", "names"], ascending=[True, False, True])
    groups = groups.reset_index(drop=True)
    return groups[["method", "datasets", "names", "evidence", "runs"]]
