"""How the names of a text were read, by what evidence, and the table of it that reports show."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from srlib.expressions import Expression, parse
from srlib.expressions.names import NAMES, POSITIONAL
from srlib.problems import Problem

EVIDENCE = {
    "stated": "the table states it",
    "own": "the text has them",
    "text": "the text itself tells",
    "others": "other texts of the method tell",
    "default": "nothing tells",
}
NO_DATA = "not measured"  # how the detail of a run begins whose data are not known
START = {"auto": "x0", "auto-x1": "x1", "x0": "x0", "x1": "x1"}


class Reading(NamedTuple):
    """How one text is read: `names` for `parse`, a key of `EVIDENCE`, and a sentence where it could be otherwise."""

    names: str
    evidence: str
    note: str | None = None


def names_settled(table: pd.DataFrame) -> pd.Series:
    """Whether the assessments say how each text's names were read, as the table states it, and on which data."""
    stated = table["names"] if "names" in table else pd.Series(None, table.index, dtype="str")
    read = table.get("names_read", stated)
    plain = read.notna()
    if not plain.all():
        text = table["model"].str
        plain = ~text.contains(POSITIONAL, na=False)
    unmeasured = False
    if "detail" in table:
        unmeasured = table["detail"].str.startswith(NO_DATA).fillna(False)
    return (read.notna() | plain) & (stated.isna() | (stated == read)) & ~unmeasured


def as_written(run: Mapping[Any, Any], problem: Problem) -> Expression:
    """Read the text that a method wrote, with its constants, by the names that were found: what is drawn of a model.

    Parameters
    ----------
    run : mapping
        A row of assessments, with `model` and, where known, `names_read`.
    problem : Problem
        Whose features the text names.

    Raises
    ------
    ModelTextError
        When it cannot be read.
    """
    names = str(run.get("names_read"))
    if names not in NAMES:
        names = "auto"
    return parse(str(run["model"]), problem.features, names=names)


def readings(assessments: pd.DataFrame) -> pd.DataFrame:
    """How each team's names were read, and by what evidence.

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
    noted = ["names", "names_read", "names_evidence"]
    keys = ["method", "dataset", *[name for name in noted if name in read]]
    read = read.groupby(keys, dropna=False, sort=False, as_index=False, observed=True).size()
    read = read.assign(**{name: None for name in noted[1:] if name not in read})
    stated = read["names"] if "names" in read else pd.Series(None, read.index, dtype="str")
    evidence = read["names_evidence"].where(
        read["names_evidence"].notna(), stated.notna().map({True: "stated", False: None})
    )
    names = read["names_read"].where(read["names_read"].notna(), stated)
    words = {base: f"positions from {start}" for base, start in START.items()}
    how = names.map(words | {"features": "the features' own names"})
    how = how.mask(evidence == "own", "the features' own names").fillna("not recorded")
    table = read.assign(how=how, why=evidence.map(EVIDENCE).fillna("not recorded"))
    grouped = table.groupby(["method", "how", "why"], as_index=False).agg(
        count=("dataset", "nunique"), first=("dataset", "min"), runs=("size", "sum")
    )
    many = grouped["count"].astype("str") + " datasets"
    grouped["datasets"] = grouped["first"].where(grouped["count"] == 1, many)
    grouped = grouped.sort_values(["method", "runs", "how"], ascending=[True, False, True])
    grouped = grouped.rename(columns={"how": "names", "why": "evidence"}).reset_index(drop=True)
    return grouped[["method", "datasets", "names", "evidence", "runs"]]
