"""Pareto plots: median and interval of each method in two objectives, its name, and fronts of methods."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.transforms import Bbox

from srlib.comparing.profiles import fronts, intervals
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import DASHES, GREY, INK, label, labels, look
from srlib.prose import Statement, listed, state

MOST_FRONTS = 4  # that lines join
GAP = 4.0  # points from the centre of a mark to its name
# directions in which a name may stand from its point
PLACES = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
Objective = tuple[str, pd.DataFrame, str]  # name, datasets x methods, 'lower' or 'higher' is better


def name_points(axes: Any, points: pd.DataFrame) -> list[str]:
    """Write names beside their points in a drawn figure, each at the first of `PLACES` that is free.

    A free place lies in the axes, and has no mark and no name.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where the points are.
    points : pandas.DataFrame
        `x` and `y` of each method (the index), the first to be named first.

    Returns
    -------
    list of str
        The methods for whose names no place is free; these are not written.
    """
    area, pixels = axes.get_window_extent(), axes.figure.dpi / 72
    centres = axes.transData.transform(points)
    occupied = [Bbox(centre + np.array([[-1], [1]]) * GAP * pixels * 0.7) for centre in centres]
    homeless, size = [], mpl.rcParams["legend.fontsize"]
    names = labels(list(points.index))
    for method, name, centre in zip(points.index, names, centres, strict=True):
        offset: Any = {"textcoords": "offset points", "ha": "center", "va": "center"}
        text = axes.annotate(name, points.loc[method], (0, 0), fontsize=size, color=INK, **offset)
        half = np.array(text.get_window_extent().size) / 2 + 1
        for place in PLACES:
            shift = np.array(place) * (half + GAP * pixels)
            box = Bbox([centre + shift - half, centre + shift + half])
            if (
                area.contains(*box.min)
                and area.contains(*box.max)
                and not box.count_overlaps(occupied)
            ):
                text.set_position(tuple(shift / pixels))
                occupied.append(box)
                break
        else:
            text.remove()
            homeless.append(method)
    return homeless


@dataclass(kw_only=True)
class ParetoDisplay(Display):
    """Medians over datasets with 95% bootstrap intervals in pairs of objectives; lines join the first fronts.

    Each method has its name beside its point, or in the legend if there is no room. Axes end near the points, as in
    `DotsDisplay`.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `panel`, `x_name`, `y_name`, `method`, `x`, `x_low`, `x_high`, `y`, `y_low`, `y_high`, `front` (1 = not
        dominated); sorted by front and x within a panel.

    Examples
    --------
    >>> accuracy = pd.DataFrame({"A": [0.9, 0.8], "B": [0.5, 0.6]})
    >>> size = pd.DataFrame({"A": [20.0, 30.0], "B": [40.0, 50.0]})
    >>> pareto = ParetoDisplay.from_values([(("size", size, "lower"), ("R²", accuracy, "higher"))])
    >>> pareto.finding
    'On the front of R² against size: A.'
    """

    numbers: pd.DataFrame

    panel_by = "panel"
    about = "Medians of each method in pairs of objectives; front 1 is not dominated"
    alt_columns = ("front",)
    intervals = {"x_": "x", "y_": "y"}
    height = 2.9
    layout = {"across": 2}

    @classmethod
    def from_values(
        cls, panels: Sequence[tuple[Objective, Objective]], units: pd.Series | None = None
    ) -> "ParetoDisplay":
        """Summarise the x and y objective of each panel; a panel leaves out methods that lack one of them.

        `units` has the unit of each dataset; datasets of the same unit are resampled together.
        """
        if not panels:
            return cls(numbers=pd.DataFrame(columns=["panel", "method"]))
        tables = []
        for x, y in panels:
            table, signs = pd.DataFrame(), []
            for axis, (name, values, better) in (("x", x), ("y", y)):
                centres = intervals(values, units=units)[["value", "low", "high"]]
                table[[axis, f"{axis}_low", f"{axis}_high"]] = centres
                table[f"{axis}_name"] = f"{name} ({better} is better)"
                signs.append(1 if better == "lower" else -1)
            table = table.dropna().rename_axis("method").reset_index()
            table["panel"] = f"{y[0]} against {x[0]}"
            table["front"] = fronts(table[["x", "y"]].to_numpy() * signs)
            tables.append(table.sort_values(["front", "x", "method"]))
        return cls(numbers=pd.concat(tables, ignore_index=True))

    @property
    def finding(self) -> Statement:
        """Sentence that names the methods on the first front of the first panel."""
        panel = self.panels[0]
        best = self.numbers[(self.numbers["panel"] == panel) & (self.numbers["front"] == 1)]
        names = listed(labels(best["method"].tolist()), 6)
        return state("finding", "On the front of {panel}: {best}.", panel=panel, best=names)

    def _draw(self, canvas: Canvas) -> None:
        for panel, axes in canvas.axes.items():
            table = self.numbers[self.numbers["panel"] == panel]
            for letter, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
                name = table[f"{letter}_name"].iloc[0]
                axis.set_label_text(name)
                self._limit_axis(axis, table, f"{letter}_")
                axis.set_inverted(letter == "y" and "lower is better" in name)  # up is better
            for row in table.itertuples():
                mark: Any = look(str(row.method))
                bar = {"color": mark["color"], "lw": 0.8, "alpha": 0.35, "label": "95% interval"}
                axes.hlines(row.y, row.x_low, row.x_high, **bar)
                axes.vlines(row.x, row.y_low, row.y_high, **bar)
                axes.plot(row.x, row.y, **mark, ms=5, mec="white", mew=0.4, ls="none")
            for front in range(1, MOST_FRONTS + 1):
                rows = table[table["front"] == front].sort_values("x")
                if len(rows) > 1:
                    axes.plot(rows["x"], rows["y"], color=GREY, lw=1.2 - 0.2 * front, ls=DASHES[front],
                              zorder=1, label=f"front {front}")  # fmt: skip

    def _annotate(self, canvas: Canvas) -> None:
        """Name the points of each panel; names without a free place go into the legend."""
        canvas.grid[0].figure.draw_without_rendering()
        for panel, axes in canvas.axes.items():
            table = self.numbers[self.numbers["panel"] == panel].set_index("method")
            for method in name_points(axes, table[["x", "y"]]):
                axes.plot([], [], ls="none", ms=5, **look(method), label=f" {label(method)}")
