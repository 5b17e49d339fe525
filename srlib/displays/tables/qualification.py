"""The qualification in words and tables: the sentence, who ran what, on which datasets."""

from typing import Any

import pandas as pd

from srlib.prose import listed

NAMED = 8  # methods that the sentence names one by one; the table of verdicts has all
NAMES = {
    "mean_rank": "mean difference of ranks",
    "median_r2": "median R² over them",
    "wins": "datasets won and lost",
}


def qualification_sentence(result: Any) -> str:
    """Say who qualifies, who does not, and whether another reading of the rules would change that."""
    table, rule = result.verdicts, result.rules.judge.qualification
    passed, failed = (
        table["method"][table["qualified"] == value].tolist() for value in (True, False)
    )
    where = f"{result.cells['dataset'].nunique()} datasets ({result.problems.name}), by {NAMES[rule.across]}"
    if not failed:
        said = f"All {len(passed)} methods qualify against {rule.baseline} on {where}: {listed(passed, NAMED)}."
    elif not passed:
        said = f"No method qualifies against {rule.baseline} on {where}."
    else:
        verb = "qualifies" if len(passed) == 1 else "qualify"
        no = "does" if len(failed) == 1 else "do"
        said = f"{listed(passed, NAMED)} {verb} against {rule.baseline} on {where}; {listed(failed, NAMED)} {no} not."
    return said + (
        f" The readings disagree on {listed(result.disputed, NAMED)}." if result.disputed else ""
    )


def method_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Table T2: each method with package, budget, number of runs, how they ended, and its median training time."""
    columns = {"method_version": "package", "budget": "budget"}
    table = pd.DataFrame(
        {new: runs.groupby("method")[old].first() for old, new in columns.items() if old in runs}
    )
    table["runs"] = runs.groupby("method").size()
    for status, number in pd.crosstab(runs["method"], runs["status"]).items():
        table[str(status)] = number
    if "training_time_s" in runs:
        table["median seconds"] = runs.groupby("method")["training_time_s"].median()
    return table.reset_index()


def dataset_table(result: Any) -> pd.DataFrame:
    """Table T1: each dataset with its number of features and how many methods beat the baseline there."""
    cells = result.cells[result.cells["method"] != result.rules.judge.qualification.baseline]
    table = cells.groupby("dataset", as_index=False).agg(
        baseline_r2=("baseline_r2", "first"),
        best_r2=("median_r2", "max"),
        methods_better=("better", "sum"),
    )
    features = [
        len(problem.features) if (problem := result.problems.find(name)) else None
        for name in table["dataset"]
    ]
    table.insert(1, "features", pd.array(features, dtype="Int64"))
    return table


def mismatch_table(result: Any) -> pd.DataFrame:
    """Count the runs of each method whose text was compared with its predictions, and those that disagree (ledger)."""
    lines = result.ledger[result.ledger["code"] == "prediction_mismatch"]
    runs = result.runs.groupby("method")
    table = pd.DataFrame(
        {"usable runs": runs.size(), "compared": runs["text_matches_predictions"].count()}
    )
    table["disagreeing"] = lines.groupby("method").size()
    return (
        table.fillna({"disagreeing": 0})
        .astype("int64")
        .reindex(result.ranking["method"])
        .reset_index()
    )
