"""Tables of the final ranking, and of each method's values, ranks and scores by dataset and property."""

import re
from collections.abc import Collection

import pandas as pd

from srlib.displays.tables.table import Table
from srlib.errors import InputError
from srlib.judging import Judgement
from srlib.prose import Fact, Statement, join_statements, listed, state
from srlib.tables import as_whole_numbers

MOST_CELLS = 400  # methods times datasets; above, one table has all datasets


def final_ranking(judgement: Judgement, certainty: pd.DataFrame | None = None) -> Table:
    """Return the methods, best first, with scores and the mean aspect ranks behind them; winners are marked.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Source of the numbers.
    certainty : pandas.DataFrame, optional
        Further columns by method, after the ranks: `columns` of a `srlib.judging.robustness.Certainty`.

    Returns
    -------
    Table
        `rank` (1 is best), `method`, `score`, each aspect's mean rank over the datasets (higher is better). Methods
        without a usable run and methods that did not qualify come last, without a rank; if there are any, the column
        `below the line` states the reason.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> final_ranking(judgement).frame["method"].tolist()[:3]
    ['sparse-polynomial', 'deap', 'pyoperon']
    """
    ranks = judgement.aspects.pivot_table("aspect_rank", "method", "aspect")
    ranks = ranks[aspect_names(judgement)].add_prefix("mean ").add_suffix(" rank")
    if certainty is not None:
        ranks = ranks.join(certainty)
    table = judgement.ranking[["rank", "method", "score"]].join(ranks, on="method")
    table = table.sort_values(["rank", "method"], ignore_index=True)
    table["below the line"] = table["rank"].isna().map({True: "no usable run", False: ""})
    if (all_methods := judgement.ranking_of_all) is not None:
        unqualified = all_methods[["method"]].assign(**{"below the line": "not qualified"})
        table = pd.concat([table, unqualified[~all_methods["qualified"]]], ignore_index=True)
    if not table["below the line"].any():
        table = table.drop(columns="below the line")
    winners = table.index[table["rank"] == 1]
    return points_table(table.astype({"rank": "Int64"}), marked=winners, row_headers=2)


def aspect_table(judgement: Judgement, dataset: str | None = None) -> Table:
    """Return the values and ranks of all aspects side by side, on one dataset or on all.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Source of the numbers.
    dataset : str, optional
        One of its datasets; by default all, with a first column `dataset`.

    Returns
    -------
    Table
        A row for each method, best first: `method`, `score`, for each aspect its value (rounded as in the rules)
        and its rank (higher is better), the median number of components after simplification, numbers of `runs` that
        count and of `absent` ones, if there are any: those for which the rules put in a value. The best methods of one
        dataset are marked.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> aspect_table(judgement, "noise_easy").frame.columns.tolist()[:4]
    ['method', 'score', 'accuracy', 'accuracy rank']
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
    expected = table.index.get_level_values("dataset").map(judgement.screened.expected)
    table["absent"] = (expected - table["runs"]).clip(lower=0)
    table = table if table["absent"].any() else table.drop(columns="absent")
    order = ["dataset", "score", "method"]
    table = table.reset_index().sort_values(order, ascending=[True, False, True], ignore_index=True)
    if dataset is None:
        return points_table(table)
    best = table.index[table["score"] == table["score"].max()]
    return points_table(table.drop(columns="dataset"), marked=best)


def points_heading(column: str) -> str:
    """Return the heading of a column, with 'points' in place of 'rank': aspect ranks count upwards, places downwards.

    Examples
    --------
    >>> points_heading("accuracy rank"), points_heading("mean_rank"), points_heading("score")
    ('accuracy points', 'mean points', 'score')
    """
    return re.sub("[ _]rank$", " points", column)


def points_table(frame: pd.DataFrame, marked: Collection[int] = (), row_headers: int = 1) -> Table:
    """Return a table that calls aspect ranks points on pages; files keep the columns' names."""
    headings = {name: points_heading(name) for name in map(str, frame)}
    return Table(frame, headings, marked, row_headers=row_headers)


def aspect_names(judgement: Judgement) -> list[str]:
    """Return the names of the aspects that were ranked, in the order of the rules."""
    present = set(judgement.aspects["aspect"])
    return [name for name in judgement.rules.judge.aspects if name in present]


def property_aspect(judgement: Judgement) -> str:
    """Return the name that the rules give to the aspect taken from the property.

    Raises
    ------
    InputError
        When the rules have no such aspect, or no scored dataset has a property.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> property_aspect(judgement)
    'property'
    """
    aspects = judgement.rules.judge.aspects
    for name in aspect_names(judgement):
        if aspects[name].from_ == "property":
            return name
    raise InputError("no aspect of the rules is taken from the property of a scored dataset")


def ordered_datasets(judgement: Judgement) -> pd.DataFrame:
    """Return the judged datasets, sorted by property and then by their order in the problem file.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `property` and `difficulty`; the latter two only if any dataset has one.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> ordered_datasets(judgement).columns.tolist()
    ['dataset', 'property', 'difficulty']
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


def problem_table(judgement: Judgement) -> Table:
    """Return what is asked on each judged dataset, and the formula that made its data.

    Returns
    -------
    Table
        The columns of `ordered_datasets`, numbers of `features` and of those that are `relevant`, the `noise_level`
        (share of the target's variance) and the `truth`; columns that no dataset states are left out.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022").judge()
    >>> problem_table(judgement).frame.columns.tolist()[2:]
    ['difficulty', 'features', 'relevant', 'noise_level', 'truth']
    """
    rows = [
        (
            problem.dataset,
            len(problem.features),
            problem.relevant and len(problem.relevant),
            problem.noise_level or None,
            problem.known_truth,
        )
        for problem in judgement.problems.problems
    ]
    columns = ["dataset", "features", "relevant", "noise_level", "truth"]
    facts = pd.DataFrame(rows, columns=columns).astype({"relevant": "Int64"})
    table = ordered_datasets(judgement).merge(facts, on="dataset")
    return Table(table.dropna(axis="columns", how="all"), equations=["truth"])


def scores_by_dataset(judgement: Judgement) -> pd.DataFrame:
    """Return the scores, datasets x methods; NaN if a method has none."""
    return judgement.datasets.pivot_table("score", "dataset", "method", dropna=False)


def score_matrix(judgement: Judgement) -> Table:
    """Return the score of each method on each dataset as one table.

    Returns
    -------
    Table
        A row for each dataset, with the columns of `ordered_datasets`, then a column for each method in the order of
        the final ranking; higher is better, NaN without a score.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> score_matrix(judgement).frame.columns.tolist()[:4]
    ['dataset', 'property', 'difficulty', 'sparse-polynomial']
    """
    leading = ordered_datasets(judgement)
    methods = judgement.ranking.dropna(subset="rank")["method"].tolist()
    scores = scores_by_dataset(judgement).reindex(index=leading["dataset"], columns=methods)
    return index_to_columns(scores.set_axis(pd.MultiIndex.from_frame(leading)))


def index_to_columns(matrix: pd.DataFrame, *, shaded: bool = True, lower: bool = False) -> Table:
    """Return a matrix with its index as first columns; a method named as one of these gets ' (method)' appended.

    Parameters
    ----------
    matrix : pandas.DataFrame
        A column for each method; the index has names.
    shaded : bool
        Whether the columns of the methods are shaded.
    lower : bool
        Whether lower values are better.

    Examples
    --------
    >>> matrix = pd.DataFrame({"a": [1], "dataset": [2]}, pd.Index(["d1"], name="dataset"))
    >>> list(index_to_columns(matrix).frame)
    ['dataset', 'a', 'dataset (method)']
    """
    headings = {name: f"{name} (method)" for name in matrix.index.names}
    methods = {headings.get(name, name): name for name in matrix.columns}
    frame = matrix.rename(columns=headings).reset_index()
    return Table(frame, lower=lower, shaded=tuple(methods) if shaded else (), methods=methods)


def dataset_titles(judgement: Judgement) -> dict[str, Statement]:
    """Return {dataset: title with property and difficulty}, in the order of `ordered_datasets`.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> dataset_titles(judgement)["localopt_easy"]
    'localopt_easy (local optima, easy)'
    """
    titles = {}
    for dataset, facts in ordered_datasets(judgement).set_index("dataset").iterrows():
        description = ", ".join(facts.dropna()).replace("_", " ")
        template = "{dataset} ({description})" if description else "{dataset}"
        titles[str(dataset)] = state("title", template, dataset=dataset, description=description)
    return titles


def detailed_datasets(judgement: Judgement, dataset: str = "") -> list[str]:
    """Return the datasets with their own tables: all, or if these are too many only `dataset` (empty: the first).

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> len(detailed_datasets(judgement)), detailed_datasets(judgement)[0]
    (16, 'extrapolation_easy')
    """
    names = ordered_datasets(judgement)["dataset"].tolist()
    is_small = len(names) * judgement.ranking["rank"].notna().sum() <= MOST_CELLS
    return names if is_small else [dataset or names[0]]


def property_points(judgement: Judgement) -> pd.DataFrame:
    """Return the mean points of each method over the datasets that test each property.

    Returns
    -------
    pandas.DataFrame
        A row for each property, a column for each method; higher is better, NaN if all methods tie on each
        dataset of the property.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> property_points(judgement).loc["solution"].idxmax()
    'sparse-polynomial'
    """
    rows = judgement.aspects[judgement.aspects["aspect"] == property_aspect(judgement)]
    rows = rows.merge(
        judgement.datasets[["method", "dataset", "property"]], on=["method", "dataset"]
    )
    ranks = rows.pivot_table("aspect_rank", ["property", "dataset"], "method")
    decisive = ranks.max(axis="columns") > ranks.min(axis="columns")
    means = ranks.groupby("property").mean()
    return means.where(decisive.groupby("property").any())


def property_answer(points: pd.DataFrame) -> Statement:
    """Return a sentence that names the methods with most `property_points` in each property; nobody if all tie.

    Examples
    --------
    >>> property_answer(pd.DataFrame({"a": [3.0, None], "b": [1.0, None]}, index=["solution", "local_optima"]))
    'Most mean points: a in solution; nobody in local optima.'
    """
    parts = []
    for name, row in points.round(9).iterrows():
        leaders = listed(row.index[row == row.max()].tolist(), 8) or Fact("", "nobody")
        parts.append(
            state(
                "part",
                "{leaders} in {property}",
                leaders=leaders,
                property=Fact(name, str(name).replace("_", " ")),
            )
        )
    parts = join_statements(parts, "; ")
    return state("properties", "Most mean points: {parts}.", parts=parts)
