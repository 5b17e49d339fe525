"""Every run: its text, what became of it, what the ledger says, and how many runs that makes."""

from typing import Any

import pandas as pd

from srlib.ledger import MEANINGS, excluded
from srlib.prose import listed
from srlib.tables import KEY

RUN = list(KEY)
RUN_PLACE = [*RUN, "file", "row"]
RUN_COLUMNS = [
    *RUN,
    "data_seed",
    "model",
    "simplified_model",
    "r2_test",
    "complexity",
    "solution",
]


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
        `complexity` (components, lower is simpler), `solution`, a column `aspect: NAME` for each aspect, `codes` of the
        ledger (those that exclude the run in capitals), `file` and `row` (where it was read). A column that the
        assessments lack is absent.
    """
    table = assessments[[name for name in [*RUN_COLUMNS, "file", "row"] if name in assessments]]
    lines = ledger[ledger["level"] == "run"]
    marked_codes = lines["code"].where(lines["action"] != "excluded", lines["code"].str.upper())
    keys = [lines[name] for name in RUN_PLACE]
    codes = marked_codes.groupby(keys).agg(lambda c: ", ".join(sorted(set(c)))).rename("codes")
    table = table.merge(codes.reset_index(), on=RUN_PLACE, how="left")
    table = table.merge(measures.dropna(axis="columns", how="all"), on=RUN, how="left")
    aspects = sorted(str(name) for name in table if name in measures and name not in RUN)
    first = [name for name in RUN_COLUMNS if name in table]
    return table[[*first, *aspects, "codes", "file", "row"]].sort_values(
        [*RUN, "row"], ignore_index=True
    )


MOST_NAMED = 3  # methods whose runs are excluded for one reason
USES = {
    "not_qualified": "of methods that are not ranked",
    "not_scored": "for reference only",
    "failed_run": "failed",
}  # of excluded runs, in the sentence; other codes have their meanings


def describe_runs(judgement: Any) -> str:
    """Say in one sentence how many runs were read and ranked, and what the others were."""
    lines = excluded(judgement.ledger)
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
    """Count a ledger's lines by stage, level, action and code.

    Returns
    -------
    pandas.DataFrame
        `stage`, `level`, `action`, `code`, `meaning`, how many lines, methods and datasets;
        excluded runs first.
    """
    keys = ["stage", "level", "action", "code"]
    counted = ledger.groupby(keys, as_index=False, dropna=False).agg(
        lines=("detail", "size"), methods=("method", "nunique"), datasets=("dataset", "nunique")
    )
    counted.insert(4, "meaning", counted["code"].map(MEANINGS).astype("str"))
    order = {"excluded": 0, "replaced": 1, "noted": 2}
    counted = counted.sort_values("lines", ascending=False, kind="stable")
    return counted.sort_values(
        "action", key=lambda actions: actions.map(order), kind="stable"
    ).reset_index(drop=True)


def conservation(judgement: Any) -> pd.DataFrame:
    """Sum up the runs, so that none is lost in silence: read = scored + excluded, by method and in all.

    Returns
    -------
    pandas.DataFrame
        `method`, `read`, `scored`, `excluded`; the last row is the total, which is the judgement's own count.
    """
    gone = excluded(judgement.ledger).groupby("method").size()
    read = judgement.assessments.groupby("method").size()
    table = pd.DataFrame({"read": read, "excluded": gone}).fillna(0).astype("int64")
    table.insert(1, "scored", table["read"] - table["excluded"])
    total = {key: int(judgement.counts[key]) for key in ("read", "scored", "excluded")}
    table = table.rename_axis("method").reset_index()
    return pd.concat([table, pd.DataFrame([{"method": "all", **total}])], ignore_index=True)
