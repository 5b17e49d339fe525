"""Every run: its text, what became of it, what was measured, and what the ledger says."""

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
    assessments: pd.DataFrame, ledger: pd.DataFrame, measures: pd.DataFrame | None = None
) -> pd.DataFrame:
    """List all runs, so that each number of a report can be followed to a text.

    Parameters
    ----------
    assessments : pandas.DataFrame
        One row a run, or a model where runs have several.
    ledger : pandas.DataFrame
        Its lines on runs give the codes.
    measures : pandas.DataFrame, optional
        The value of each run in each aspect, a row each: `method`, `dataset`, `repetition`, `aspect`, `value`.

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
    aspects: list[str] = []
    if measures is not None:
        keys = [*RUN, "aspect"]
        wide = measures.drop_duplicates(keys).pivot_table("value", RUN, "aspect", observed=True)
        wide = wide.add_prefix("aspect: ")
        aspects = list(wide.columns)
        table = table.merge(wide.reset_index(), on=RUN, how="left")
        other = table["codes"].fillna("").str.contains("OTHER_CANDIDATE")
        table.loc[other, aspects] = float("nan")
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
