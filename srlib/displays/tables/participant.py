"""The models of a method beside the truths."""

from collections.abc import Collection

from srlib.displays.tables.aspects import aspect_table, points_table
from srlib.displays.tables.runs import best_models
from srlib.displays.tables.table import Table
from srlib.judging import Judgement
from srlib.readers.row_checks import THE_TRUTH


def models_beside_truths(
    judgement: Judgement, methods: Collection[str], dataset: str | None = None
) -> Table:
    """Return the truth of each dataset, followed by the best models of some methods with their values in the aspects.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Source of the runs.
    methods : collection of str
        Methods, also those that did not qualify.
    dataset : str, optional
        One of its datasets; by default all, with a first column `dataset`.

    Returns
    -------
    Table
        `dataset`, `method`, `r2_test`, `solution` and `model` of `best_models`, and the columns of `aspect_table`.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022").judge()
    >>> models_beside_truths(judgement, ["deap"]).frame["method"].tolist()[:2]
    ['(the truth)', 'deap']
    """
    models = best_models(judgement.of_all or judgement, dataset).frame
    models = models[models["method"].isin([THE_TRUTH, *methods])]
    keys = ["method"] if dataset else ["dataset", "method"]
    aspects = aspect_table(judgement, dataset).frame
    table = models.drop(columns=["repetition", "complexity"]).merge(aspects, how="left", on=keys)
    return points_table(table.dropna(axis="columns", how="all"), row_headers=len(keys))
