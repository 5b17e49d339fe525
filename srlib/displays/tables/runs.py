"""Every run: its text, its outcome, its lines of the ledger, and the sums of runs."""

from typing import Any

import pandas as pd

from srlib.ledger import MEANINGS, excluded_runs
from srlib.prose import listed
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
MOST_NAMED = 3  # methods whose runs are excluded for one reason
USES = {
    "not_qualified": "of methods that are not ranked",
    "not_scored": "for reference only",
    "failed_run": "failed",
}  # of excluded runs, in the sentence; other codes have their meanings


def run_table(
    assessments: pd.DataFrame, ledger: pd.DataFrame, measures: pd.DataFrame
) -> pd.DataFrame:
    """List all runs, so that each number of a report can be followed to a text.

    Parameters
    ----------
    assessments : pandas.DataFrame
        One row a run.
    ledger : pandas.DataFrame
        Its lines on runs give the codes.
    measures : pandas.DataFrame
        The value of each usable run in each aspect, as `Judgement.measures` has them.

    Returns
    -------
    pandas.DataFrame
        `method`, `dataset`, `repetition`, `data_seed`, `model` (as it was handed in), `simplified_model`, `r2_test`,
        `complexity` (components, lower is simpler), `solution`, `file` and `row` (where it was read), `codes` of the
        ledger (those that exclude the run in capitals), a column `aspect: NAME` for each aspect. A column that the
        assessments lack is absent.
    """
    lines = ledger[ledger["level"] == "run"]
    marked_codes = lines["code"].where(lines["action"] != "excluded", lines["code"].str.upper())
    keys = [lines[name] for name in RUN_PLACE]
    codes = marked_codes.groupby(keys).agg(lambda texts: ", ".join(sorted(set(texts))))
    table = assessments[[name for name in RUN_COLUMNS if name in assessments]]
    table = table.merge(codes.rename("codes").reset_index(), on=RUN_PLACE, how="left")
    table = table.merge(measures.dropna(axis="columns", how="all"), on=RUN_KEY, how="left")
    return table.sort_values([*RUN_KEY, "row"], ignore_index=True)


def describe_runs(judgement: Any) -> str:
    """Say in one sentence how many runs were read and ranked, and what the others were."""
    lines = excluded_runs(judgement.ledger)
    parts = [f"{judgement.counts['scored']:,} ranked"]
    for code, count in lines["code"].value_counts().items():
        methods = sorted(lines.loc[lines["code"] == code, "method"].dropna().unique())
        use = USES.get(str(code), f"excluded: {MEANINGS[str(code)]}")
        names = ""
        if len(methods) <= MOST_NAMED and code not in ("not_qualified", "not_scored"):
            names = f" ({listed(methods)})"
        parts.append(f"{count:,} {use}{names}")
    return f"Runs: {judgement.counts['read']:,} read; {', '.join(parts)}."


def ledger_table(ledger: pd.DataFrame) -> pd.DataFrame:
    """Count a ledger's lines by action, level and code.

    Returns
    -------
    pandas.DataFrame
        `action`, `level`, `code`, `meaning`, how many lines, methods and datasets; excluded runs first.
    """
    keys = ["action", "level", "code"]
    table = ledger.groupby(keys, as_index=False).agg(
        lines=("detail", "size"), methods=("method", "nunique"), datasets=("dataset", "nunique")
    )
    table.insert(3, "meaning", table["code"].map(MEANINGS).astype("str"))
    return table.sort_values(
        ["action", "lines"], ascending=[True, False], kind="stable", ignore_index=True
    )


def conservation(judgement: Any) -> pd.DataFrame:
    """Count the runs of each `method`, so that none is lost in silence: `read` = `scored` + `excluded`."""
    read = judgement.assessments.groupby("method").size()
    n_excluded = (
        excluded_runs(judgement.ledger).groupby("method").size().reindex(read.index, fill_value=0)
    )
    return pd.DataFrame(
        {"read": read, "scored": read - n_excluded, "excluded": n_excluded}
    ).reset_index()


def method_table(runs: pd.DataFrame) -> pd.DataFrame:
    """List the methods with package, budget, number of runs and median training time."""
    columns = {
        "package": ("method_version", "first"),
        "budget": ("budget", "first"),
        "runs": ("dataset", "size"),
        "median seconds": ("training_time_s", "median"),
    }
    available = {name: column for name, column in columns.items() if column[0] in runs}
    return runs.groupby("method").agg(**available).reset_index()
