"""Every run: its text, what became of it, what was measured, and what the ledger says."""

import pandas as pd

RUN = ["method", "dataset", "repetition"]
SHOWN = [*RUN, "data_seed", "model", "simplified_model", "r2_test", "complexity", "solution"]


def run_table(
    assessments: pd.DataFrame, ledger: pd.DataFrame, measures: pd.DataFrame | None = None
) -> pd.DataFrame:
    """List all runs, so that each number of a report can be followed to a text.

    Parameters
    ----------
    assessments : pandas.DataFrame
        One row a run.
    ledger : pandas.DataFrame
        Its lines on runs give the codes.
    measures : pandas.DataFrame, optional
        The value of each run in each aspect, a row each: `method`, `dataset`, `repetition`, `aspect`, `value`.

    Returns
    -------
    pandas.DataFrame
        `method`, `dataset`, `repetition`, `data_seed`, `model` (as it was handed in), `simplified_model`, `r2_test`,
        `complexity` (components, lower is simpler), `solution`, a column `aspect: NAME` for each aspect, `codes` of the
        ledger (those that exclude the run in capitals), `file` and `row` (where the run was read). A column that the
        assessments lack is absent.
    """
    table = assessments[[name for name in SHOWN if name in assessments]].copy()
    if measures is not None:
        keys = [*RUN, "aspect"]
        values = measures.drop_duplicates(keys)
        wide = values.pivot_table("value", RUN, "aspect", observed=True)
        table = table.merge(wide.add_prefix("aspect: ").reset_index(), on=RUN, how="left")
    lines = ledger[ledger["level"] == "run"]
    said = lines["code"].where(lines["action"] != "excluded", lines["code"].str.upper())
    codes = said.groupby([lines[name] for name in RUN]).agg(lambda c: ", ".join(sorted(set(c))))
    table = table.merge(codes.rename("codes").reset_index(), on=RUN, how="left")
    for column in ("file", "row"):
        if column in assessments:
            table[column] = assessments[column].to_numpy()
    return table.sort_values(RUN, ignore_index=True)
