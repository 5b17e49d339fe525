"""What each method reached on a dataset in every aspect, its rank there, and its dataset score."""

from typing import Any

import pandas as pd


def aspect_table(judgement: Any, dataset: str) -> pd.DataFrame:
    """Put the aspects of one dataset side by side.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the numbers come from.
    dataset : str
        One of its datasets.

    Returns
    -------
    pandas.DataFrame
        A row for each method, best dataset score first: `method`, `runs`, for every aspect its value (rounded
        as the rules say) and its rank (higher is better), the median component count after simplification
        and as written, `score`.
    """
    here = judgement.aspects[judgement.aspects["dataset"] == dataset]
    table = here.groupby("method")["n_runs"].max().rename("runs").to_frame()
    for aspect in aspect_names(judgement):
        rows = here[here["aspect"] == aspect].set_index("method")
        if len(rows):
            table[aspect], table[f"{aspect} rank"] = rows["value_rounded"], _whole(rows["aspect_rank"])
    runs = judgement.assessments[judgement.assessments["dataset"] == dataset]
    for column, name in (("complexity", "components"), ("complexity_raw", "components as written")):
        if column in runs:
            counts = runs.assign(count=runs[column].astype("float64")).groupby("method")["count"]
            table[f"median {name}"] = _whole(counts.median())
    scores = judgement.datasets[judgement.datasets["dataset"] == dataset].set_index("method")["score"]
    table["score"] = scores
    return (
        table.reset_index().sort_values(["score", "method"], ascending=[False, True]).reset_index(drop=True)
    )


def aspect_names(judgement: Any) -> list[str]:
    """Name the aspects that were ranked, in the order of the rules."""
    present = set(judgement.aspects["aspect"])
    return [name for name in judgement.rules.judge.aspects if name in present]


def _whole(column: pd.Series) -> pd.Series:
    """Show ranks and counts without decimals where they have none."""
    return column.astype("Int64") if (column.dropna() % 1 == 0).all() else column


def dataset_titles(judgement: Any) -> dict[str, str]:
    """For each judged dataset, in order, a title that tells its property, its difficulty and its winner.

    Examples
    --------
    A title reads ``localopt_easy (local_optima, easy): A leads with 2.40``.
    """
    titles = {}
    problems = {problem.dataset: problem for problem in judgement.problems.problems}
    for dataset, rows in judgement.datasets.groupby("dataset", sort=True):
        best = rows[rows["score"] == rows["score"].max()]["method"].sort_values()
        problem = problems.get(dataset)
        facts = [str(rows["property"].iloc[0]), str(getattr(problem, "difficulty", None) or "")]
        leaders = " and ".join(best[:3]) + (" and others" if len(best) > 3 else "")
        verb = "lead" if len(best) > 1 else "leads"
        lead = f": {leaders} {verb} with {rows['score'].max():.2f}" if len(best) else ""
        titles[str(dataset)] = f"{dataset} ({', '.join(fact for fact in facts if fact)}){lead}"
    return titles
