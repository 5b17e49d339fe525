"""Figures 4 to 7 and 9 of a competition's results: one property's scores and ranks by method and difficulty."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srlib.displays.styling import MUTED, label, look, new_figure, style
from srlib.displays.tables.aspects import aspect_names, points, property_aspect


@dataclass
class PropertyDisplay:
    """One panel for the property's own value, one for the dataset score and one for each aspect's rank.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method and dataset: `method`, `dataset`, `difficulty`, then a column for each panel; methods by
        their mean rank in the property, best first.
    direction : {'higher', 'lower'}
        Which values of the property are better; of scores and ranks the higher ones.
    """

    numbers: pd.DataFrame
    direction: str
    figure_: Figure | None = field(default=None, init=False, repr=False)

    @classmethod
    def from_judgement(cls, judgement: Any, name: str) -> "PropertyDisplay":
        """Take the datasets that a `srlib.judging.Judgement` has on the property `name`."""
        keys = ["method", "dataset"]
        scores = judgement.datasets[judgement.datasets["property"] == name].set_index(keys)
        aspects = judgement.aspects[
            judgement.aspects["dataset"].isin(scores.index.unique("dataset"))
        ]
        aspect = property_aspect(judgement)
        own = aspects[aspects["aspect"] == aspect].set_index(keys)
        ranks = aspects.pivot_table("aspect_rank", keys, "aspect").reindex(
            columns=aspect_names(judgement)
        )
        panels = pd.concat({name.replace("_", " "): own["value"], "score": scores["score"]}, axis=1)
        table = panels.join(ranks.add_suffix(" rank")).reset_index()
        listed = {problem.dataset: problem.difficulty for problem in judgement.problems.problems}
        table.insert(
            2, "difficulty", table["dataset"].map(lambda dataset: listed.get(dataset) or dataset)
        )
        place = table["dataset"].map(list(listed).index)
        table = table.assign(
            mean=-table.groupby("method")[f"{aspect} rank"].transform("mean"), place=place
        )
        table = table.sort_values(["mean", "method", "place"], ignore_index=True).drop(
            columns=["mean", "place"]
        )
        return cls(table, str(own["direction"].iloc[0]))

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        means = self.numbers.groupby("method", sort=False)[self.numbers.columns[3]].mean()
        said = "; ".join(
            f"{label(str(method))} {value:.3g}" for method, value in means.head(12).items()
        )
        return f"One row per method, one mark per dataset, {self.direction} is better. Mean {means.name}: {said}."

    def plot(self, width: str = "page") -> "PropertyDisplay":
        """Draw the panels side by side; in a column, two and two."""
        methods, levels = (list(self.numbers[name].unique()) for name in ("method", "difficulty"))
        panels = list(self.numbers.columns[3:])
        across = len(panels) if width == "page" else 2
        down = -(-len(panels) // across)
        with style():
            figure = new_figure(
                width,
                0.7 + down * (0.55 + (0.3 if down * len(methods) < 25 else 0.1) * len(methods)),
            )
            grid = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
            for unused in grid[len(panels) :]:
                unused.remove()
            for axes, panel in zip(grid, panels, strict=False):
                for place, level in enumerate(levels):
                    rows = self.numbers[self.numbers["difficulty"] == level]
                    height = (
                        rows["method"].map(methods.index) + (place + 0.5) * 0.7 / len(levels) - 0.35
                    )
                    axes.plot(
                        rows[panel],
                        height,
                        linestyle="none",
                        ms=3.6,
                        label=label(str(level)),
                        **look(place),
                    )
                axes.set_title(points(panel))
                better = self.direction if panel == panels[0] else "higher"
                axes.set_xlabel(f"{better} is better", color=MUTED)
                if self.numbers[panel].min() < -1:
                    axes.set_xscale("symlog")
                    axes.set_xticks([0, -10, -1000], ["0", "−10", "−1000"])
                    axes.minorticks_off()
                else:
                    axes.set_xlim(
                        left=min(0, self.numbers[panel].min()) - 0.04 * self.numbers[panel].max()
                    )
                axes.set_yticks(range(len(methods)), [label(name, 24) for name in methods])
                axes.set_ylim(len(methods) - 0.5, -0.5)
                axes.tick_params(length=0)
                axes.grid(True)
            figure.legend(
                *grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=across
            )
        self.figure_ = figure
        return self
