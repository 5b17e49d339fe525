"""Readings of the names in each run's text as features, with the evidence for them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from srlib.expressions import Expression, parse, positional_bases
from srlib.expressions.names import TABLE_NAMES
from srlib.problems import Problem, Problems

FIRST_FEATURE = {
    "auto": "x0",
    "auto-x1": "x1",
    "x0": "x0",
    "x1": "x1",
}  # the first feature, by `names`
READ_FROM = {"x0": "auto", "x1": "auto-x1"}  # the `names` of a text that does not state them
AMBIGUOUS_NOTE = "can be read from x0 and from x1; read from"


class NameReading(NamedTuple):
    """Reading of one text: `names` of `parse`, the evidence, and a sentence where it could be otherwise.

    The evidence is 'stated' (by the table), 'own' (the features' names), 'text' (its indices admit one base only),
    'others' (the method's other texts) or 'default' (none).
    """

    names_read: str
    names_evidence: str
    names_note: str | None = None


def read_names(
    runs: pd.DataFrame, problems: Problems | None, companions: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return how each run's text names its features.

    In this order: what the table states; the features' own names; what the text's indices admit; the method's other
    texts, where they agree; from x0.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract.
    problems : Problems, optional
        Features of each dataset; without them names are taken as they stand.
    companions : pandas.DataFrame, optional
        Other runs of the same competition, whose texts may show how a method counts features.

    Returns
    -------
    pandas.DataFrame
        The fields of `NameReading`, one row a run, with the index of the runs.
    """
    columns = ["dataset", "model", "names"]  # a text is read once, whoever wrote it
    tables = [
        table.reindex(columns=["method", *columns])
        for table in (runs, companions)
        if table is not None
    ]
    texts = pd.concat(tables, ignore_index=True)
    text_indices = texts.groupby(columns, sort=False, dropna=False).ngroup().to_numpy()
    text_readings = [
        read_text_names(names, text, problems and problems.find(dataset))
        for dataset, text, names in texts[columns].drop_duplicates().itertuples(index=False)
    ]
    readings = pd.DataFrame(text_readings, columns=list(NameReading._fields), dtype="str").take(
        text_indices
    )
    readings = read_like_others(readings.set_axis(texts.index), texts["method"])
    return readings[: len(runs)].set_axis(runs.index)


def read_text_names(names: Any, text: Any, problem: Problem | None) -> NameReading:
    """Return the reading of a text by the table's statement, else by the text itself."""
    if names in TABLE_NAMES:
        return NameReading(names, "stated")
    bases: Any = problem and isinstance(text, str) and positional_bases(text, problem.features)
    if not bases:
        return NameReading("auto", "own")
    if len(bases) == 2:
        return NameReading("auto", "default", f"{AMBIGUOUS_NOTE} x0, as nothing tells: state names")
    return NameReading(READ_FROM[f"x{min(bases)}"], "text")


def read_like_others(readings: pd.DataFrame, methods: pd.Series) -> pd.DataFrame:
    """Read ambiguous texts like the other texts of the method, where these agree."""
    evident = readings[readings["names_evidence"].isin(["stated", "text"])]
    starts = evident["names_read"].map(FIRST_FEATURE).groupby(methods).agg(["nunique", "first"])
    start = methods.map(starts.loc[starts["nunique"] == 1, "first"]).astype("str")
    is_like_others = readings["names_evidence"].eq("default") & start.notna()
    note = AMBIGUOUS_NOTE + " " + start + ", as other texts of the method are"
    columns = {"names_read": start.map(READ_FROM), "names_evidence": "others", "names_note": note}
    return readings.where(~is_like_others, readings.assign(**columns), axis=0)


def names_settled(table: pd.DataFrame) -> pd.Series:
    """Whether the assessments say how each text's names were read, as the table states it."""
    columns = table.reindex(columns=["names", "names_read"]).astype("str")
    stated_names = columns["names"]
    names_read = columns["names_read"]
    return names_read.notna() & (stated_names.isna() | stated_names.eq(names_read))


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
