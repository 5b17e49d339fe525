"""Figures 4 to 7 and 9 of a competition's results: one property's scores and ranks by method and difficulty."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.figures.display import Canvas, Display, grid_of, height_of, key
from srlib.displays.looks import shade
from srlib.displays.styling import MUTED, label
from srlib.displays.tables.aspects import aspect_names, points, property_aspect
from srlib.prose import power_of_ten

# marks of values that tell no method from the next
OPEN: dict[str, Any] = {"mfc": "white", "mew": 0.8}
# datasets of a level in a row; the marks of more are small, and one is seen through the next
CROWDED = 8


@dataclass
class PropertyDisplay(Display):
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

    @property
    def panels(self) -> list[str]:
        """The property's value, the score, and each aspect's rank; of one method alone the value."""
        if len(self.methods) < 2:
            return [self.numbers.columns[3]]
        return list(self.numbers.columns[3:])

    @property
    def left_out(self) -> str:
        """What the caption has to say where panels are not drawn."""
        if len(self.methods) > 1:
            return ""
        return "One method alone has nobody to be ranked with: score and points are not drawn."

    @property
    def compared(self) -> list[str]:  # type: ignore[override]
        """All that is drawn."""
        return self.panels

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        across = len(panels) if width == "page" else min(2, len(panels))
        tall = -(-len(panels) // across) * len(self.methods) >= 25
        row = height_of(width, self.methods, 0.1 if tall else 0.3, -(-len(panels) // across))
        return grid_of(width, len(panels), across, 0.85 + row * len(self.methods))

    def _draw(self, canvas: Canvas) -> None:
        methods, levels = self.methods, list(self.numbers["difficulty"].unique())
        level_with = {
            (panel, level): len(rows) > 1 and bool(rows[panel].eq(rows[panel].iloc[0]).all())
            for level, rows in self.numbers.groupby("difficulty")
            for panel in canvas.axes
        }
        size: dict[str, Any] = {"ms": 3.8}
        crowded = self.numbers.groupby(["method", "difficulty"]).size().max() > CROWDED
        if crowded:
            size = {"ms": 2.0, "alpha": 0.25}
        for panel, axes in canvas.axes.items():
            for place, level in enumerate(levels):
                rows = self.numbers[self.numbers["difficulty"] == level]
                height = rows["method"].map(methods.index)
                height = height + (place + 0.5) * 0.7 / len(levels) - 0.35
                mark = OPEN if level_with[panel, level] else {"mew": 0}
                axes.plot(rows[panel], height, ls="none", clip_on=False, zorder=3,
                          **size, **shade(place, len(levels)), **mark)  # fmt: skip
                if crowded:
                    middle = rows[panel].groupby(height).median()
                    axes.plot(middle, middle.index, ls="none", ms=4, mew=0.4, mec="white", zorder=4,
                              clip_on=False, **shade(place, len(levels)))  # fmt: skip
            self._dress(axes, panel)
            canvas.rows(axes, methods)
        keys = [key(**shade(i, len(levels)))
                for i in range(len(levels))]  # fmt: skip
        names = [label(str(level)) for level in levels]
        if any(level_with.values()):
            keys.append(key(**OPEN))
            names.append("open: all methods equal, nobody wins")
        if crowded:
            keys.append(key(ms=5))
            names.append("large: the median")
        canvas.legend(keys, names, 5)

    def _dress(self, axes: Any, panel: str) -> None:
        axes.set_title(points(panel))
        better = self.direction if panel == self.panels[0] else "higher"
        low, high = self.numbers[panel].min(), self.numbers[panel].max()
        said = f"{better} is better"
        if low < -1:
            axes.set_xscale("symlog")
            ticks = {0: "0", -10: "−10", -1000: "−1000"}
            if low < -1e5:
                last = int(np.log10(-low))
                ticks = {0: "0"} | {-(10.0**n): f"−{power_of_ten(n)}" for n in (last // 2, last)}
            axes.set_xticks(list(ticks), list(ticks.values()))
            axes.minorticks_off()
            said = f"{said};\nlogarithmic below −1"
        else:
            axes.set_xlim(min(0, low) - 0.04 * high, 1.04 * high if high > 0 else None)
        if panel.endswith(" rank") or panel == "score":
            axes.xaxis.get_major_locator().set_params(integer=True, nbins=4)
        axes.set_xlabel(said, color=MUTED)
        axes.tick_params(length=0)
        axes.grid(True)
