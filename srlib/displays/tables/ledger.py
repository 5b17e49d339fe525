"""The ledger in short: how often each thing happened, and what was done about it."""

from typing import Any

import pandas as pd

from srlib.ledger import MEANINGS, excluded


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
