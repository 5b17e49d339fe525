"""Which features the names in a text mean: by evidence that is written down, and the table of it that reports show."""

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
) -> pd.DataFrame:
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

    Returns
    -------
    pandas.DataFrame
        The fields of `NameReading`, one row a run, with the index of the runs.
    """
    columns = ["dataset", "model", "names"]  # a text is read once, whoever wrote it
    tables = [runs] if companions is None else [runs, companions]
    tables = [table.reindex(columns=["method", *columns]) for table in tables]
    texts = pd.concat(tables, ignore_index=True)
    codes = texts.groupby(columns, sort=False, dropna=False).ngroup().to_numpy()
    alone = [
        read_alone(names, text, problems and problems.find(dataset))
        for dataset, text, names in texts[columns].drop_duplicates().itertuples(index=False)
    ]
    readings = pd.DataFrame(alone, columns=list(NameReading._fields), dtype="str").take(codes)
    readings = read_as_others(readings.set_axis(texts.index), texts["method"])
    return readings[: len(runs)].set_axis(runs.index)


def read_alone(names: Any, text: Any, problem: Problem | None) -> NameReading:
    """Return how a text is read by what the table states and what the text shows itself."""
    if names in TABLE_NAMES:
        return NameReading(names, "stated")
    bases = frozenset[int]()
    if problem is not None and isinstance(text, str):
        bases = positional_bases(text, problem.features)
    if not bases:
        return NameReading("auto", "own")
    if len(bases) == 2:
        return NameReading("auto", "default", f"{AMBIGUOUS} x0, as nothing tells: state names")
    return NameReading(READ_FROM[f"x{min(bases)}"], "text")


def read_as_others(readings: pd.DataFrame, methods: pd.Series) -> pd.DataFrame:
    """Read texts that can be read in two ways as the other texts of the method, where these agree."""
    evident = readings[readings["names_evidence"].isin(["stated", "text"])]
    starts = evident["names_read"].map(START).groupby(methods).agg(["nunique", "first"])
    start = methods.map(starts.loc[starts["nunique"] == 1, "first"]).astype("str")
    by_others = readings["names_evidence"].eq("default") & start.notna()
    note = AMBIGUOUS + " " + start + ", as other texts of the method are"
    columns = {"names_read": start.map(READ_FROM), "names_evidence": "others", "names_note": note}
    return readings.where(~by_others, readings.assign(**columns), axis=0)


def names_settled(table: pd.DataFrame) -> pd.Series:
    """Whether the assessments say how each text's names were read, as the table states it, and on which data."""
    columns = table.reindex(columns=["names", "names_read", "data_status"]).astype("str")
    as_stated = columns["names"].isna() | columns["names"].eq(columns["names_read"])
    return columns["names_read"].notna() & as_stated & columns["data_status"].ne("unstated")


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
    counts = groups.agg(number="nunique", datasets="min", runs="size").reset_index()
    several = counts["number"].astype("str") + " datasets"
    counts["datasets"] = counts["datasets"].mask(counts["number"] > 1, several)
    order = {"by": ["method", "runs", "names"], "ascending": [True, False, True]}
    columns = ["method", "datasets", "names", "evidence", "runs"]
    return counts.sort_values(**order, ignore_index=True)[columns]
