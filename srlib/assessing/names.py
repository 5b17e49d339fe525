"""Which features the names in a text mean: by evidence that is written down, and the table of it that reports show."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from srlib.expressions import Expression, parse, positional_bases
from srlib.expressions.names import TABLE_NAMES
from srlib.problems import Problem, Problems

EVIDENCE = {
    "stated": "the table states it",
    "own": "the text has them",
    "text": "the text itself tells",
    "others": "other texts of the method tell",
    "default": "nothing tells",
}
START = {"auto": "x0", "auto-x1": "x1", "x0": "x0", "x1": "x1"}  # the first feature, by `names`
READ_FROM = {"x0": "auto", "x1": "auto-x1"}  # the `names` of a text that does not state them
AMBIGUOUS = "can be read from x0 and from x1; read from"


class NameReading(NamedTuple):
    """How one text is read: `names` of `parse`, a key of `EVIDENCE`, and a sentence where it could be otherwise."""

    names_read: str
    names_evidence: str
    names_note: str | None = None


def read_names(
    runs: pd.DataFrame, problems: Problems | None, companions: pd.DataFrame | None = None
) -> list[NameReading]:
    """Decide how each run's text names its features.

    In this order: what the table states; the features' own names; what the text's indices admit; the method's other
    texts, where they agree; from x0.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract.
    problems : Problems, optional
        Features of each dataset; without them names are taken as they stand.
    companions : pandas.DataFrame, optional
        Other runs of the same competition, whose texts are read for what they show.
    """
    texts = runs if companions is None else pd.concat([runs, companions])
    names = texts.get("names", pd.Series(None, texts.index, dtype="str"))
    features = {}
    for dataset in texts["dataset"].unique():
        problem = problems.find(dataset) if problems is not None else None
        features[dataset] = () if problem is None else problem.features
    readings = [
        read_alone(name, text, features[dataset])
        for name, text, dataset in zip(names, texts["model"], texts["dataset"], strict=True)
    ]
    starts = defaultdict[str, set[str]](set)  # by method, what its texts show
    for reading, method in zip(readings, texts["method"], strict=True):
        if reading.names_evidence in ("stated", "text") and reading.names_read in START:
            starts[method].add(START[reading.names_read])
    return [
        read_as_others(reading, starts[method])
        for reading, method in zip(readings[: len(runs)], runs["method"], strict=True)
    ]


def read_alone(names: Any, text: Any, features: tuple[str, ...]) -> NameReading:
    """Return how a text is read by what the table states and what the text shows itself."""
    if names in TABLE_NAMES:
        return NameReading(names, "stated")
    bases = frozenset[int]()
    if features and isinstance(text, str):
        bases = positional_bases(text, features)
    if not bases:
        return NameReading("auto", "own")
    if len(bases) == 2:
        return NameReading("auto", "default", f"{AMBIGUOUS} x0, as nothing tells: state names")
    return NameReading(READ_FROM[f"x{min(bases)}"], "text")


def read_as_others(reading: NameReading, starts: set[str]) -> NameReading:
    """Read a text that can be read in two ways as the method's other texts, where these agree."""
    if reading.names_evidence != "default" or len(starts) != 1:
        return reading
    (start,) = starts
    note = f"{AMBIGUOUS} {start}, as other texts of the method are"
    return NameReading(READ_FROM[start], "others", note)


def names_settled(table: pd.DataFrame) -> pd.Series:
    """Whether the assessments say how each text's names were read, as the table states it, and on which data."""
    absent = pd.Series(None, table.index, dtype="str")
    names, read, ended = (table.get(n, absent) for n in ("names", "names_read", "data_status"))
    return read.notna() & (names.isna() | (names == read)) & ended.ne("unstated").fillna(True)


def as_written(run: Mapping[Any, Any], problem: Problem) -> Expression:
    """Read the text that a method wrote, with its constants, by the names that were decided.

    Parameters
    ----------
    run : mapping
        A row of assessments, with `model` and, where positional names do not count from 0, `names_read`.
    problem : Problem
        Whose features the text names.

    Raises
    ------
    ModelTextError
        When it cannot be read.
    """
    names = run.get("names_read")
    return parse(run["model"], problem.features, names=names if isinstance(names, str) else "auto")


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
    columns = ["method", "dataset", "names_read", "names_evidence"]
    table = assessments[assessments["parse_status"] == "ok"].reindex(columns=columns).astype("str")
    own = "the features' own names"
    words = {names: f"positions from {start}" for names, start in START.items()} | {"features": own}
    names = table["names_read"].map(words).mask(table["names_evidence"] == "own", own)
    evidence = table["names_evidence"].map(EVIDENCE)
    table = table.assign(names=names, evidence=evidence).fillna("not recorded")
    groups = table.groupby(["method", "names", "evidence"])["dataset"]
    groups = groups.agg(["nunique", "min", "size"]).reset_index()
    several = groups["nunique"].astype("str") + " datasets"
    groups["datasets"] = groups["min"].mask(groups["nunique"] > 1, several)
    groups = groups.rename(columns={"size": "runs"})
    groups = groups.sort_values(["method", "runs", "names"], ascending=[True, False, True])
    return groups[["method", "datasets", "names", "evidence", "runs"]].reset_index(drop=True)
