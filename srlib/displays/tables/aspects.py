"""The final ranking, and what each method reached on a dataset and in a property: values, ranks and scores."""

import re
from typing import Any

import pandas as pd

from srlib.errors import InputError
from srlib.prose import listed
from srlib.tables import as_whole_numbers

MOST_CELLS = 400  # methods times datasets; beyond, one table for all datasets takes the place of one for each


def final_ranking(judgement: Any) -> pd.DataFrame:
    """Rank the methods, best first, with the mean aspect ranks behind each score.

    Returns
    -------
    pandas.DataFrame
        `rank` (1 is best), `method`, `score`, each aspect's mean rank over the datasets (higher is better). Below the
        line, without a rank, stand methods without a usable run and those that did not qualify; then a column
        `below the line` says why.
    """
    ranks = judgement.aspects.pivot_table("aspect_rank", "method", "aspect")
    ranks = ranks[aspect_names(judgement)].add_prefix("mean ").add_suffix(" rank")
    table = judgement.ranking[["rank", "method", "score"]].join(ranks, on="method")
    table = table.sort_values(["rank", "method"], ignore_index=True)
    table["below the line"] = table["rank"].isna().map({True: "no usable run", False: ""})
    if (all_methods := judgement.ranking_of_all) is not None:
        unqualified = all_methods[["method"]].assign(**{"below the line": "not qualified"})
        table = pd.concat([table, unqualified[~all_methods["qualified"]]], ignore_index=True)
    if not table["below the line"].any():
        table = table.drop(columns="below the line")
    return as_points(table.astype({"rank": "Int64"}))


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
        say) and its rank (higher is better), the median number of components after simplification, `runs`.
    """
    rank_rows, scores, runs = (
        frame[frame["dataset"] == dataset] if dataset else frame
        for frame in (judgement.aspects, judgement.datasets, judgement.assessments)
    )
    keys = ["dataset", "method"]
    table = scores.set_index(keys)[["score"]]
    for aspect in aspect_names(judgement):
        rows = rank_rows[rank_rows["aspect"] == aspect].set_index(keys)
        if len(rows):
            table[aspect] = rows["value_rounded"]
            table[f"{aspect} rank"] = as_whole_numbers(rows["aspect_rank"])
    components = runs["complexity"].astype("float64").groupby([runs[name] for name in keys])
    table["components"] = as_whole_numbers(components.median())
    table["runs"] = rank_rows.groupby(keys)["n_runs"].max().astype("Int64")
    order = ["dataset", "score", "method"]
    table = table.reset_index().sort_values(order, ascending=[True, False, True], ignore_index=True)
    return as_points(table if dataset is None else table.drop(columns="dataset"))


def points_heading(column: str) -> str:
    """Name the rank in an aspect as figures do: points count upwards, places downwards, and both are called rank.

    Examples
    --------
    >>> points_heading("accuracy rank"), points_heading("mean_rank"), points_heading("score")
    ('accuracy points', 'mean points', 'score')
    """
    return re.sub("[ _]rank$", " points", column)


def as_points(table: pd.DataFrame) -> pd.DataFrame:
    """Rename aspect ranks to points for pages; files keep the names of the columns."""
    table.attrs["headings"] = {name: points_heading(name) for name in map(str, table)}
    return table


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
    aspects = judgement.rules.judge.aspects
    for name in aspect_names(judgement):
        if aspects[name].from_ == "property":
            return name
    raise InputError("no aspect of the rules is taken from the property of a scored dataset")


def ordered_datasets(judgement: Any) -> pd.DataFrame:
    """List the judged datasets by property, and those of a property in the order of the problem file.

    Returns
    -------
    pandas.DataFrame
        `dataset`, and where any has one its `property` and `difficulty`.
    """
    properties = judgement.datasets.groupby("dataset")["property"].first()
    rows = [
        (problem.dataset, properties[problem.dataset], problem.difficulty)
        for problem in judgement.problems.problems
        if problem.dataset in properties
    ]
    table = pd.DataFrame(rows, columns=["dataset", "property", "difficulty"])
    table = table.sort_values("property", kind="stable", ignore_index=True)
    return table.dropna(axis="columns", how="all")


def scores_by_dataset(judgement: Any) -> pd.DataFrame:
    """Scores of the methods on the datasets: datasets x methods, NaN without one."""
    return judgement.datasets.pivot_table("score", "dataset", "method", dropna=False)


def score_matrix(judgement: Any) -> pd.DataFrame:
    """Put the score of each method on each dataset into one table.

    Returns
    -------
    pandas.DataFrame
        A row for each dataset, with the columns of `ordered_datasets`, then a column for each method in the order of
        the final ranking; higher is better, absent without a score.
    """
    leading = ordered_datasets(judgement)
    methods = judgement.ranking.dropna(subset="rank")["method"].tolist()
    scores = scores_by_dataset(judgement).reindex(index=leading["dataset"], columns=methods)
    return index_to_columns(scores.set_axis(pd.MultiIndex.from_frame(leading)))


def index_to_columns(matrix: pd.DataFrame) -> pd.DataFrame:
    """Make the index the first columns; a method with the name of one of them is marked as a method.

    Examples
    --------
    >>> list(index_to_columns(pd.DataFrame({"a": [1], "dataset": [2]}, pd.Index(["d1"], name="dataset"))))
    ['dataset', 'a', 'dataset (method)']
    """
    headings = {name: f"{name} (method)" for name in matrix.index.names}
    table = matrix.rename(columns=headings).reset_index()
    table.attrs["methods"] = {headings.get(name, name): name for name in matrix.columns}
    return table


def dataset_titles(judgement: Any) -> dict[str, str]:
    """Titles with property and difficulty of the judged datasets, in the order of `ordered_datasets`.

    Examples
    --------
    A title reads ``localopt_easy (local optima, easy)``.
    """
    titles = {}
    for dataset, facts in ordered_datasets(judgement).set_index("dataset").iterrows():
        description = ", ".join(facts.dropna()).replace("_", " ")
        titles[str(dataset)] = f"{dataset} ({description})" if description else str(dataset)
    return titles


def detailed_datasets(judgement: Any, dataset: str = "") -> list[str]:
    """Name the datasets that have tables of their own: all, or of very many this one alone (empty: the first)."""
    names = ordered_datasets(judgement)["dataset"].tolist()
    is_small = len(names) * judgement.ranking["rank"].notna().sum() <= MOST_CELLS
    return names if is_small else [dataset or names[0]]


def property_points(judgement: Any) -> pd.DataFrame:
    """Mean points of each method over the datasets that test a property.

    Returns
    -------
    pandas.DataFrame
        A row for each property, a column for each method; higher is better, empty where all methods tie on each
        dataset of the property.
    """
    rows = judgement.aspects[judgement.aspects["aspect"] == property_aspect(judgement)]
    rows = rows.merge(
        judgement.datasets[["method", "dataset", "property"]], on=["method", "dataset"]
    )
    ranks = rows.pivot_table("aspect_rank", ["property", "dataset"], "method")
    decisive = ranks.max(axis="columns") > ranks.min(axis="columns")
    means = ranks.groupby("property").mean()
    return means.where(decisive.groupby("property").any())


def property_answer(points: pd.DataFrame) -> str:
    """Name who has most of the `property_points` in each property; where all are tied nobody has.

    Examples
    --------
    >>> property_answer(pd.DataFrame({"a": [3.0, None], "b": [1.0, None]}, index=["solution", "local_optima"]))
    'Most mean points: a in solution; nobody in local optima.'
    """
    parts = []
    for name, row in points.round(9).iterrows():
        leaders = listed(row.index[row == row.max()].tolist(), 8) or "nobody"
        parts.append(f"{leaders} in {str(name).replace('_', ' ')}")
    return f"Most mean points: {'; '.join(parts)}."
