"""What each method reached on a dataset in every aspect, its rank there, and its dataset score."""

from typing import Any

import pandas as pd

from srlib.errors import InputError


def aspect_table(judgement: Any, dataset: str | None = None) -> pd.DataFrame:
    """Put the aspects of one dataset, or of all, side by side.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Where the numbers come from.
    dataset : str, optional
        One of its datasets; else all of them stand below each other, named in a first column.

    Returns
    -------
    pandas.DataFrame
        A row for each method, best first: `method`, `score`, for every aspect its value (rounded as the rules
        say) and its rank (higher is better), the median number of components after simplification and as
        written, `runs`.
    """
    here, scores, runs = (
        _on(dataset, frame)
        for frame in (judgement.aspects, judgement.datasets, judgement.assessments)
    )
    cell = ["dataset", "method"]
    table = scores.set_index(cell)[["score"]]
    for aspect in aspect_names(judgement):
        rows = here[here["aspect"] == aspect].set_index(cell)
        if len(rows):
            table[aspect], table[f"{aspect} rank"] = (
                rows["value_rounded"],
                whole(rows["aspect_rank"]),
            )
    for column, name in (("complexity", "components"), ("complexity_raw", "as written")):
        if column in runs:
            table[name] = runs.assign(n=runs[column].astype("float64")).groupby(cell)["n"].median()
    table["runs"] = here.groupby(cell)["n_runs"].max()
    table = table.reset_index().sort_values(
        ["dataset", "score", "method"], ascending=[True, False, True]
    )
    return table.drop(columns=[] if dataset is None else "dataset").reset_index(drop=True)


def _on(dataset: str | None, frame: pd.DataFrame) -> pd.DataFrame:
    if dataset is None:
        return frame
    return frame[frame["dataset"] == dataset]


def points(column: str) -> str:
    """Name the rank in an aspect as figures do: points count upwards, places downwards, and both are called rank.

    Examples
    --------
    >>> points("accuracy rank"), points("score")
    ('accuracy points', 'score')
    """
    if column.endswith(" rank"):
        return f"{column.removesuffix(' rank')} points"
    return column


def aspect_names(judgement: Any) -> list[str]:
    """Name the aspects that were ranked, in the order of the rules."""
    present = set(judgement.aspects["aspect"])
    return [name for name in judgement.rules.judge.aspects if name in present]


def property_aspect(judgement: Any) -> str:
    """Name the aspect that is taken from the property; the rules may call it as they like.

    Raises
    ------
    InputError
        When no aspect of the rules is, or no dataset that is scored has a property.
    """
    for name, aspect in judgement.rules.judge.aspects.items():
        if aspect.from_ == "property":
            if name in aspect_names(judgement):
                return name
            raise InputError(
                "no dataset that is scored has a property, so there is nothing to show"
            )
    raise InputError(
        f"rules {judgement.rules.name}: no aspect is taken from the property, so there is nothing to show"
    )


def whole(column: pd.Series) -> pd.Series:
    """Turn ranks that have no decimals into whole numbers, so that a table shows none."""
    if (column.dropna() % 1 == 0).all():
        return column.astype("Int64")
    return column


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
        stated = [rows["property"].iloc[0], getattr(problem, "difficulty", None)]
        facts = ", ".join(str(fact) for fact in stated if not pd.isna(fact) and fact)
        leaders = " and ".join(best[:3]) + (" and others" if len(best) > 3 else "")
        verb = "lead" if len(best) > 1 else "leads"
        lead = ""
        if len(best):
            lead = f": {leaders} {verb} with {rows['score'].max():.2f}"
        titles[str(dataset)] = f"{dataset}{f' ({facts})' if facts else ''}{lead}"
    return titles
