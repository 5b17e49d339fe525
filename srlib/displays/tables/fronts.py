"""What runs with several models had in hand: a table over all datasets, and the fronts of single ones."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pandas as pd

from srlib.assessing.fronts import marked, with_fronts
from srlib.displays.figures.fronts import FrontsDisplay
from srlib.displays.show import show_figure, show_table
from srlib.tables import KEY


def front_table(judgement: Any) -> pd.DataFrame | None:
    """Sum up the fronts of each method over the scored datasets; None where runs have one model each.

    Returns
    -------
    pandas.DataFrame
        `method`, in the order of the ranking; `runs`, `models`; `had it`, runs whose front holds a symbolic solution;
        `did not pick it`, those of them that chose another model; medians over the runs: `R2 regret`, `size regret`,
        `hypervolume`, `on the front` (`srlib.assessing.fronts` defines them).
    """
    if judgement.screened.fronts is None:
        return None
    rows = judgement.given
    rows = rows[
        rows["dataset"].isin(list(judgement.screened.scored)) & (rows["status"] != "invalid")
    ]
    rows = with_fronts(rows.assign(missed=marked(rows)["missed"]))
    runs = rows.groupby(list(KEY), as_index=False).agg(
        models=("model", "size"), missed=("missed", "any"), had=("front_solution", "first"),
        r2=("front_regret_r2", "first"), size=("front_regret_size", "first"),
        volume=("front_hypervolume", "first"), front=("front_size", "first"),
    )  # fmt: skip
    table = runs.groupby("method").agg(
        runs=("models", "size"), models=("models", "sum"), had=("had", "sum"), missed=("missed", "sum"),
        r2=("r2", "median"), size=("size", "median"), volume=("volume", "median"), front=("front", "median"),
    )  # fmt: skip
    order = [name for name in judgement.ranking["method"] if name in table.index]
    names = ["runs", "models", "had it", "did not pick it", "R2 regret", "size regret", "hypervolume",
             "on the front"]  # fmt: skip
    table = table.loc[order].set_axis(names, axis=1)
    return table.astype({"had it": "int64"}).rename_axis("method").reset_index()


def show_fronts(judgement: Any, output: Path, datasets: Collection[str]) -> None:
    """Show what fronts held, in a table and, dataset by dataset, in figures; nothing where runs have one model each.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Of runs with a column `candidate`.
    output : Path
        As for `show_figure`.
    datasets : collection of str
        Whose fronts are drawn.
    """
    table = front_table(judgement)
    if table is None:
        return
    caption = "What runs had in hand, over all datasets; the columns from R2 regret on are medians over the runs"
    show_table(table, output, name="fronts", caption=caption, row_headers=1)
    for dataset in datasets:
        shown = FrontsDisplay.from_judgement(judgement, dataset)
        if shown is not None:
            caption = (
                f"Fronts on {dataset}: each point is a model; a line joins those of a run that no other dominates. "
                f"{shown.sentence}"
            )
            show_figure(shown, output, name=f"fronts-{dataset}", caption=caption)
