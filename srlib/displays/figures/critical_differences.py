"""Critical-difference diagrams of several groups of datasets, one below the other."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.displays.figures.critical_difference import HEAD, ROW, CriticalDifferenceDisplay
from srlib.displays.figures.display import Canvas, Display, height_of
from srlib.displays.styling import new_figure, pt


@dataclass
class CriticalDifferencesDisplay(Display):
    """One diagram for each group, as figure S2 of a results paper has one for each task.

    Parameters
    ----------
    parts : dict of str to CriticalDifferenceDisplay
        By the group's name.
    """

    parts: dict[str, CriticalDifferenceDisplay]

    @property
    def numbers(self) -> pd.DataFrame:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The numbers of all diagrams, `group` first."""
        tables = [part.numbers.assign(group=name) for name, part in self.parts.items()]
        return pd.concat(tables, ignore_index=True)[["group", "method", "mean_rank", "groups"]]

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        return " ".join(f"{name}: {part.alt}" for name, part in self.parts.items())

    ordered = False  # the mean ranks are what is shown

    @property
    def panels(self) -> list[str]:
        """Groups whose diagram shows more than one sentence could."""
        return [name for name, part in self.parts.items() if not part.instead]

    @property
    def instead(self) -> str:
        """What to say where no group has a diagram."""
        return "" if self.panels else self.left_out

    @property
    def left_out(self) -> str:
        """The groups that are sentences."""
        few = [
            f"{name} ({part.test.n_datasets} datasets, critical difference {part.difference:.2f}): {part.ranks}"
            for name, part in self.parts.items()
            if part.instead
        ]
        return "\n".join(
            ["Too few datasets for a diagram; mean ranks, 1 is best."] * bool(few) + few
        )

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        row = height_of(width, self.methods, ROW, len(panels))
        heights = [HEAD + row * (self.parts[name].rows + 1) for name in panels]
        figure = new_figure(width, sum(heights))
        grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
        return list(grid.ravel())

    def _draw(self, canvas: Canvas) -> None:
        for name, ax in canvas.axes.items():
            title = self.parts[name].plot(ax=ax, width=canvas.width).ax_.get_title()
            about = {"fontsize": pt(7), "fontweight": "normal", "pad": 8}
            ax.set_title(f"{name}: {title}", loc="center", **about)
