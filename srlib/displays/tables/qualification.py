"""The qualification in words and tables: the sentence, who ran what, on which datasets."""

from typing import Any

import pandas as pd

from srlib.judging.qualification import COUNTS
from srlib.prose import listed

MOST_NAMES = 8  # methods that the sentence names one by one; the table of verdicts has all
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
    datasets = f"{result.cells['dataset'].nunique()} datasets ({result.problems.name})"
    scope = f"against {rule.baseline} on {datasets}, by {NAMES[rule.across]}"
    verb = "qualifies" if len(passed) == 1 else "qualify"
    if len(passed) > 1 and not failed:
        sentence = f"All {len(passed)} methods qualify {scope}: {listed(passed, MOST_NAMES)}."
    elif not passed:
        sentence = f"No method qualifies {scope}."
    else:
        no = "does" if len(failed) == 1 else "do"
        failures = f"; {listed(failed, MOST_NAMES)} {no} not" * bool(failed)
        sentence = f"{listed(passed, MOST_NAMES)} {verb} {scope}{failures}."
    if result.disputed:
        sentence += f" The readings disagree on {listed(result.disputed, MOST_NAMES)}."
    if (result.assessments["r2_source"] == "reported").any():
        sentence += " R² is taken from the runs; it was not computed again."
    return sentence


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


def describe_barred(judgement: Any, method: str, margins: pd.DataFrame) -> str:
    """Say why a method without a place did not qualify, with its margin and the place that it would have.

    `margins` are those of `srlib.judging.qualification.read_margins`.
    """
    if method == judgement.rules.judge.qualification.baseline:
        return f"{method} is the baseline of the qualification"
    parts, row = [], margins.reindex([method]).iloc[0].dropna()
    if "margin" in row:
        parts.append(f"margin {row['margin']:.2f}, above 0 is needed")
    if {*COUNTS} <= {*row.index}:
        count = row[[*COUNTS]].astype(int)
        parts.append(f"better on {count['better']} of {count.sum()} datasets")
    places = judgement.ranking_of_all.dropna(subset="rank").set_index("method")
    if method in places.index:
        rank, score = places.loc[method, ["rank", "score"]]
        best = places["score"].max()
        scores = f"{score:.2f}" + f" where the first has {best:.2f}" * bool(score < best)
        parts.append(
            f"among all {len(places)} methods it would have place {rank:.0f} with {scores}"
        )
    return f"{method} missed the qualification ({'; '.join(parts)})"
