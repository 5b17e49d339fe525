"""Decide how positional names such as x0 and x1 in each run's text map to features, with the evidence; parse texts."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import pandas as pd

from srlib.errors import ModelTextError
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
MOST_PARSED = 10_000  # parsed models that are kept in memory
AMBIGUOUS_NOTE = "can be read from x0 and from x1; read from"


class NameReading(NamedTuple):
    """Reading of the names in one text.

    `names_read` is the argument `names` of `parse`. `names_evidence` is 'stated' (the table states it), 'own' (the text
    uses the features' names), 'text' (its indices fit only one base), 'others' (as in the method's other texts) or
    'default' (no evidence: from x0). `names_note` is a sentence if the text could also be read otherwise, else None.
    """

    names_read: str
    names_evidence: str
    names_note: str | None = None


def read_names(
    runs: pd.DataFrame, problems: Problems | None, companions: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return how each run's text names its features.

    The first evidence decides, in this order: the column `names` of the table; the features' own names; indices that
    fit only one base; the method's other texts, if they agree. Otherwise indices count from x0.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs contract.
    problems : Problems, optional
        Features of each dataset; without them only the column `names` is used.
    companions : pandas.DataFrame, optional
        Other runs of the same competition, whose texts may show whether a method counts features from 0 or 1.

    Returns
    -------
    pandas.DataFrame
        The fields of `NameReading`, one row per run, with the index of `runs`.
    """
    columns = [
        "dataset",
        "model",
        "names",
    ]  # equal texts on a dataset are read once for all methods
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
    """Return the reading of one text: as the table states it, else from the text itself."""
    if names in TABLE_NAMES:
        return NameReading(names, "stated")
    bases: Any = problem and isinstance(text, str) and positional_bases(text, problem.features)
    if not bases:
        return NameReading("auto", "own")
    if len(bases) == 2:
        return NameReading("auto", "default", f"{AMBIGUOUS_NOTE} x0, as nothing tells: state names")
    return NameReading(READ_FROM[f"x{min(bases)}"], "text")


def read_like_others(readings: pd.DataFrame, methods: pd.Series) -> pd.DataFrame:
    """Return the readings with ambiguous texts read like the other texts of the method, if these agree."""
    evident = readings[readings["names_evidence"].isin(["stated", "text"])]
    starts = evident["names_read"].map(FIRST_FEATURE).groupby(methods).agg(["nunique", "first"])
    start = methods.map(starts.loc[starts["nunique"] == 1, "first"]).astype("str")
    is_like_others = readings["names_evidence"].eq("default") & start.notna()
    note = AMBIGUOUS_NOTE + " " + start + ", as other texts of the method are"
    columns = {"names_read": start.map(READ_FROM), "names_evidence": "others", "names_note": note}
    return readings.where(~is_like_others, readings.assign(**columns), axis=0)


@lru_cache(MOST_PARSED)
def parse_once(
    text: str, features: tuple[str, ...] | None, names: str = "auto"
) -> Expression | ModelTextError:
    """Return a parsed text, or the error that says why it cannot be read; equal texts are parsed once."""
    try:
        return parse(text, features, names=names)
    except ModelTextError as error:
        return error.with_traceback(None)


def names_settled(table: pd.DataFrame) -> pd.Series:
    """Return, for each row, whether the names are decided: `names_read` is there and does not contradict `names`."""
    columns = table.reindex(columns=["names", "names_read"]).astype("str")
    stated_names = columns["names"]
    names_read = columns["names_read"]
    return names_read.notna() & (stated_names.isna() | stated_names.eq(names_read))


def as_written(run: Mapping[Any, Any], problem: Problem) -> Expression:
    """Parse the text that a method wrote, unsimplified, with the names read as decided.

    Parameters
    ----------
    run : mapping
        A row of assessments with `model`; without `names_read`, positional names count from 0.
    problem : Problem
        The problem that has the features.

    Raises
    ------
    ModelTextError
        When the text cannot be read.
    """
    names = run.get("names_read")
    return parse(run["model"], problem.features, names=names if isinstance(names, str) else "auto")
