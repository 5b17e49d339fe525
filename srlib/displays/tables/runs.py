"""Tables of all runs with model texts, results and codes of the ledger, and counts of runs."""

import pandas as pd

from srlib.judging import Judgement
from srlib.ledger import MEANINGS, excluded_runs
from srlib.prose import Statement, join_statements, listed, state
from srlib.tables import KEY

RUN_KEY = list(KEY)
RUN_PLACE = [*RUN_KEY, "file", "row"]
RUN_COLUMNS = [
    *RUN_KEY,
    "data_seed",
    "model",
    "simplified_model",
    "r2_test",
    "complexity",
    "solution",
    "file",
    "row",
]
MOST_NAMED = 3  # methods that are named for a reason of exclusion
USES = {
    "not_qualified": "of methods that are not ranked",
    "not_scored": "for reference only",
    "failed_run": "failed",
}  # words for excluded runs; other codes are described by their meanings


def run_table(
    assessments: pd.DataFrame, ledger: pd.DataFrame, measures: pd.DataFrame
) -> pd.DataFrame:
    """Return a table of all runs, so that each number of a report can be traced to a model text.

    Parameters
    ----------
    assessments : pandas.DataFrame
        A row for each run.
    ledger : pandas.DataFrame
        The ledger; its lines on runs give the column `codes`.
    measures : pandas.DataFrame
        Values of usable runs in each aspect: `Judgement.run_values`.

    Returns
    -------
    pandas.DataFrame
        `method`, `dataset`, `repetition`, `data_seed`, `model` (as it was handed in), `simplified_model`, `r2_test`,
        `complexity` (components, lower is simpler), `solution`, `file` and `row` (place in the run table), `codes` of
        the ledger (in capitals if they exclude the run), and a column `aspect: NAME` for each aspect. Columns that the
        assessments lack are left out.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> len(run_table(judgement.assessments, judgement.ledger, judgement.run_values))
    1020
    """
    lines = ledger[ledger["level"] == "run"]
    marked_codes = lines["code"].where(lines["action"] != "excluded", lines["code"].str.upper())
    keys = [lines[name] for name in RUN_PLACE]
    codes = marked_codes.groupby(keys).agg(lambda texts: ", ".join(sorted(set(texts))))
    table = assessments[[name for name in RUN_COLUMNS if name in assessments]]
    table = table.merge(codes.rename("codes").reset_index(), on=RUN_PLACE, how="left")
    table = table.merge(measures.dropna(axis="columns", how="all"), on=RUN_KEY, how="left")
    return table.sort_values([*RUN_KEY, "row"], ignore_index=True)


def describe_runs(judgement: Judgement) -> Statement:
    """Return a sentence that states how many runs were read, ranked, and excluded for each reason.

    Examples
    --------
    >>> from srlib import Competition
    >>> describe_runs(Competition.read("demo", "synthetic-2022").judge())
    'Runs: 1,020 read; 959 ranked, 59 for reference only, 2 failed (deap).'
    """
    lines, counts = excluded_runs(judgement.ledger), judgement.counts
    parts = [state("part", "{count:,} ranked", count=counts["scored"])]
    for code, count in lines["code"].value_counts().items():
        methods = sorted(lines.loc[lines["code"] == code, "method"].dropna().unique())
        use = USES.get(str(code), f"excluded: {MEANINGS[str(code)]}")
        template = "{count:,} " + use
        if len(methods) <= MOST_NAMED and code not in ("not_qualified", "not_scored"):
            template += " ({methods})"
        parts.append(state("part", template, count=count, methods=listed(methods)))
    uses = join_statements(parts, ", ")
    return state("runs", "Runs: {read:,} read; {uses}.", read=counts["read"], uses=uses)


def ledger_table(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the number of a ledger's lines by action, level and code.

    Returns
    -------
    pandas.DataFrame
        `action`, `level`, `code`, `meaning`, and numbers of `lines`, `methods` and `datasets`; sorted by action, then
        by decreasing number of lines.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> ledger_table(judgement.ledger)["code"].tolist()[:2]
    ['not_qualified', 'not_scored']
    """
    keys = ["action", "level", "code"]
    table = ledger.groupby(keys, as_index=False).agg(
        lines=("detail", "size"), methods=("method", "nunique"), datasets=("dataset", "nunique")
    )
    table.insert(3, "meaning", table["code"].map(MEANINGS).astype("str"))
    return table.sort_values(
        ["action", "lines"], ascending=[True, False], kind="stable", ignore_index=True
    )


def conservation(judgement: Judgement) -> pd.DataFrame:
    """Return the numbers of runs of each `method`: `read`, `scored` and `excluded`; `read` is the sum of the others.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> conservation(judgement)[["read", "scored", "excluded"]].sum().tolist()
    [1020, 639, 381]
    """
    read = judgement.assessments.groupby("method").size()
    n_excluded = (
        excluded_runs(judgement.ledger).groupby("method").size().reindex(read.index, fill_value=0)
    )
    return pd.DataFrame(
        {"read": read, "scored": read - n_excluded, "excluded": n_excluded}
    ).reset_index()


def method_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a table of methods with package, budget, number of runs and median training time.

    Columns that the runs lack are left out.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> method_table(judgement.assessments).columns.tolist()
    ['method', 'package', 'budget', 'runs', 'median seconds']
    """
    columns = {
        "package": ("method_version", "first"),
        "budget": ("budget", "first"),
        "runs": ("dataset", "size"),
        "median seconds": ("training_time_s", "median"),
    }
    available = {name: column for name, column in columns.items() if column[0] in runs}
    return runs.groupby("method").agg(**available).reset_index()
