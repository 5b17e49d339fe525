"""The final ranking, and what each method reached on a dataset in every aspect: values, ranks and scores."""

import re
from typing import Any

import pandas as pd

from srlib.errors import InputError
from srlib.prose import TIED, listed
from srlib.tables import as_whole_numbers

CELLS = 400  # methods times datasets; beyond, one table for all datasets takes the place of one for each
DIFFICULTIES = ("easier", "easy", "medium", "hard")


def final_ranking(judgement: Any) -> pd.DataFrame:
    """Rank the methods, best first, with the mean aspect ranks behind each score.

    Returns
    -------
    pandas.DataFrame
        `rank` (1 is best), `method`, `score`, each aspect's mean rank over the datasets (higher is better). Below the
        line, without a rank, stand methods without a usable run and those that did not qualify; then a column
        `below the line` says why.
    """
    ranks = judgement.aspects.pivot_table(
        "aspect_rank", index="method", columns="aspect", aggfunc="mean"
    )
    ranks = ranks[aspect_names(judgement)].add_prefix("mean ").add_suffix(" rank").reset_index()
    table = judgement.ranking[["rank", "method", "score"]].merge(ranks, on="method", how="left")
    table = table.sort_values(["rank", "method"], ignore_index=True)
    table["below the line"] = table["rank"].map(lambda rank: "no usable run" * pd.isna(rank))
    if (everybody := judgement.ranking_of_all) is not None:
        out = everybody[["method"]].assign(**{"below the line": "not qualified"})
        table = pd.concat([table, out[~everybody["qualified"]]], ignore_index=True)
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
        say) and its rank (higher is better), the median number of components after simplification and as
        written, `runs`.
    """
    rank_rows, scores, runs = (
        frame[frame["dataset"] == dataset] if dataset else frame
        for frame in (judgement.aspects, judgement.datasets, judgement.assessments)
    )
    cell = ["dataset", "method"]
    table = scores.set_index(cell)[["score"]]
    for aspect in aspect_names(judgement):
        rows = rank_rows[rank_rows["aspect"] == aspect].set_index(cell)
        if len(rows):
            table[aspect], table[f"{aspect} rank"] = (
                rows["value_rounded"],
                as_whole_numbers(rows["aspect_rank"]),
            )
    for column, name in (("complexity", "components"), ("complexity_raw", "as written")):
        if column in runs:
            table[name] = runs.assign(n=runs[column].astype("float64")).groupby(cell)["n"].median()
    table["runs"] = rank_rows.groupby(cell)["n_runs"].max().astype("Int64")
    table = table.reset_index().sort_values(
        ["dataset", "score", "method"], ascending=[True, False, True]
    )
    table = table.drop(columns=[] if dataset is None else "dataset").reset_index(drop=True)
    return as_points(table)


def points(column: str) -> str:
    """Name the rank in an aspect as figures do: points count upwards, places downwards, and both are called rank.

    Examples
    --------
    >>> points("accuracy rank"), points("mean_rank"), points("score")
    ('accuracy points', 'mean points', 'score')
    """
    return re.sub("[ _]rank$", " points", column)


def as_points(table: pd.DataFrame) -> pd.DataFrame:
    """Let pages head the ranks in the aspects as points; files keep the names of the columns."""
    table.attrs["headings"] = {name: points(name) for name in map(str, table)}
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
    raise InputError(
        f"rules {judgement.rules.name}: no aspect is taken from the property of a scored dataset, "
        "so there is nothing to show"
    )


def in_turn(judgement: Any) -> dict[str, tuple[str, str]]:
    """Name the judged datasets, each with its property and its difficulty (empty: none is stated).

    They go by property, then from easy to hard; difficulties of other names follow by name.
    """
    tested = judgement.datasets.groupby("dataset")["property"].first().fillna("")
    levels = {problem.dataset: problem.difficulty for problem in judgement.problems.problems}
    rows = []
    for dataset, name in tested.items():
        level = levels.get(dataset) or ""
        rows.append((name, (*DIFFICULTIES, level).index(level), level, str(dataset)))
    return {dataset: (name, level) for name, _, level, dataset in sorted(rows)}


def score_matrix(judgement: Any) -> pd.DataFrame:
    """Put the score of each method on each dataset into one table.

    Returns
    -------
    pandas.DataFrame
        A row for each dataset, as `in_turn` has them: `dataset`, `property` and `difficulty` where any has one, then a
        column for each method in the order of the final ranking; higher is better, absent without a score.
    """
    rows = [(dataset, *facts) for dataset, facts in in_turn(judgement).items()]
    leading = pd.DataFrame(rows, columns=["dataset", "property", "difficulty"])
    leading = leading.replace("", None).dropna(axis="columns", how="all")
    scores = judgement.datasets.pivot_table("score", "dataset", "method", dropna=False)
    methods = judgement.ranking.dropna(subset="rank")["method"].tolist()
    reached = scores.reindex(index=leading["dataset"], columns=methods)
    return headed(reached.set_axis(pd.MultiIndex.from_frame(leading)))


def headed(matrix: pd.DataFrame) -> pd.DataFrame:
    """Make the index the first columns; a method that is called as one of them is says that it is a method.

    Examples
    --------
    >>> list(headed(pd.DataFrame({"a": [1], "dataset": [2]}, pd.Index(["d1"], name="dataset"))))
    ['dataset', 'a', 'dataset (method)']
    """
    headings = {name: f"{name} (method)" for name in matrix.index.names}
    table = matrix.rename(columns=headings).reset_index()
    table.attrs["methods"] = {headings.get(name, name): name for name in matrix.columns}
    return table


def dataset_titles(judgement: Any) -> dict[str, str]:
    """For each judged dataset, as `in_turn` has them, a title that tells its property, its difficulty and its winner.

    Examples
    --------
    A title reads ``localopt_easy (local optima, easy): A leads with 2.40``.
    """
    titles = {}
    for dataset, facts in in_turn(judgement).items():
        rows = judgement.datasets[judgement.datasets["dataset"] == dataset]
        highest = rows["score"].max()
        best = sorted(rows["method"][rows["score"] == highest])
        lead = f"{listed(best, 3)} {'lead' if len(best) > 1 else 'leads'} with"
        if 1 < len(best) == rows["score"].count():
            lead = f"{TIED} at"
        about = ", ".join(filter(None, facts)).replace("_", " ")
        titles[dataset] = f"{dataset} ({about})" if about else dataset
        titles[dataset] += f": {lead} {highest:.2f}" * bool(best)
    return titles


def in_full(judgement: Any, dataset: str = "") -> list[str]:
    """Name the datasets that have tables of their own: all, but among very many only the one that was asked for.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Which methods and datasets there are.
    dataset : str
        One of them; empty: the first.
    """
    names = list(in_turn(judgement))
    few = len(names) * judgement.ranking["rank"].notna().sum() <= CELLS
    return names if few else [dataset or names[0]]
