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
    table = table.sort_values(["rank", "method"]).reset_index(drop=True)
    placed, ranking_of_all = table["rank"].notna(), judgement.ranking_of_all
    if ranking_of_all is None and placed.all():
        return as_points(table)
    table["below the line"] = pd.Series("no usable run", table.index).where(~placed, "")
    if ranking_of_all is None:
        return as_points(table)
    out = ranking_of_all.loc[~ranking_of_all["qualified"], ["method"]].assign(
        **{"below the line": "not qualified"}
    )
    return as_points(pd.concat([table, out], ignore_index=True).astype({"rank": "Int64"}))


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
        _on(dataset, frame)
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


def _on(dataset: str | None, frame: pd.DataFrame) -> pd.DataFrame:
    if dataset is None:
        return frame
    return frame[frame["dataset"] == dataset]


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


def in_turn(judgement: Any) -> dict[str, tuple[str, str]]:
    """Name the judged datasets, each with its property and its difficulty (empty: none is stated).

    They go by property, then from easy to hard; difficulties of other names follow by name.
    """
    by_name = {problem.dataset: problem for problem in judgement.problems.problems}
    first = judgement.datasets.groupby("dataset", sort=True)["property"].first()
    facts = {}
    for dataset, tested in first.items():
        difficulty = getattr(by_name.get(dataset), "difficulty", None) or ""
        facts[str(dataset)] = (str(tested) if not pd.isna(tested) else "", difficulty)

    def place(dataset: str) -> tuple[Any, ...]:
        tested, difficulty = facts[dataset]
        level = DIFFICULTIES.index(difficulty) if difficulty in DIFFICULTIES else len(DIFFICULTIES)
        return tested, level, difficulty, dataset

    return {dataset: facts[dataset] for dataset in sorted(facts, key=place)}


def score_matrix(judgement: Any) -> pd.DataFrame:
    """Put the score of each method on each dataset into one table.

    Returns
    -------
    pandas.DataFrame
        A row for each dataset, as `in_turn` has them: `dataset`, `property` and `difficulty` where any has one, then a
        column for each method in the order of the final ranking; higher is better, absent without a score.
    """
    facts = in_turn(judgement)
    scores = judgement.datasets.pivot_table("score", "dataset", "method", dropna=False)
    methods = list(judgement.ranking.dropna(subset=["rank"])["method"])
    leading: dict[str, Any] = {"dataset": list(facts)}
    for column, name in enumerate(("property", "difficulty")):
        values = [fact[column] or None for fact in facts.values()]
        if any(values):
            leading[name] = values
    reached = scores.reindex(index=list(facts), columns=methods)
    return headed(reached.set_axis(pd.MultiIndex.from_frame(pd.DataFrame(leading))))


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
    parts = dict(list(judgement.datasets.groupby("dataset")))
    for dataset, labels in in_turn(judgement).items():
        rows = parts[dataset]
        best = rows[rows["score"] == rows["score"].max()]["method"].sort_values()
        facts = ", ".join(filter(None, (labels[0].replace("_", " "), labels[1])))
        verb = "lead" if len(best) > 1 else "leads"
        lead = ""
        if 1 < len(best) == rows["score"].notna().sum():
            lead = f": {TIED} at {rows['score'].max():.2f}"
        elif len(best):
            lead = f": {listed(list(best), 3)} {verb} with {rows['score'].max():.2f}"
        titles[dataset] = f"{dataset}{f' ({facts})' if facts else ''}{lead}"
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
