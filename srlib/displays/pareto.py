"""Pareto plot: each method's centre and interval in two objectives, and the front that nobody dominates."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srlib.displays.dots import logarithmic_if_wide
from srlib.displays.styling import INK, MUTED, label, look, new_figure, style
from srlib.judging.profiles import fronts, intervals

NUMBERED = 12  # of more methods only those of the first front have their number beside the point, lest they overlap


@dataclass
class ParetoDisplay:
    """Medians over datasets with 95% bootstrap intervals; the first front is joined.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `x`, `x_low`, `x_high`, `y`, `y_low`, `y_high`, `front` (1 = not dominated), by front and x.
    names : tuple of str
        Of the x and y axis, with what is better.
    """

    numbers: pd.DataFrame
    names: tuple[str, str]
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_values(
        cls, x: pd.DataFrame, y: pd.DataFrame, names: tuple[str, str], better: tuple[str, str] = ("lower", "lower")
    ) -> "ParetoDisplay":
        """Take two tables, datasets x methods, and whether 'lower' or 'higher' is better in each."""
        parts = [
            intervals(table)[["value", "low", "high"]].set_axis([axis, f"{axis}_low", f"{axis}_high"], axis=1)
            for axis, table in (("x", x), ("y", y))
        ]
        table = parts[0].join(parts[1], how="inner").dropna().rename_axis("method").reset_index()
        signs = np.array([1 if way == "lower" else -1 for way in better])
        table["front"] = fronts(table[["x", "y"]].to_numpy() * signs)
        titled = tuple(f"{name} ({way} is better)" for name, way in zip(names, better, strict=True))
        return cls(table.sort_values(["front", "x", "method"], ignore_index=True), (titled[0], titled[1]))

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        first = self.numbers[self.numbers["front"] == 1]
        points = "; ".join(f"{label(str(r.method))} ({r.x:.3g}, {r.y:.3g})" for r in first.head(12).itertuples())
        return f"{self.names[1]} against {self.names[0]} for {len(self.numbers)} methods. First front: {points}."

    def plot(self, ax: Any = None, width: str = "page") -> "ParetoDisplay":
        """Draw points with their intervals, join the first front, and number the methods in a legend.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            A new figure otherwise.
        width : {'page', 'column'}
            Of a new figure.
        """
        table = self.numbers
        with style():
            if ax is None:
                across = 3 if width == "page" else 2
                ax = new_figure(width, (3.6 if width == "page" else 2.8) + 0.13 * -(-len(table) // across)).subplots()
                longest = 28 if width == "page" else 18
            else:
                across, longest = 3, 28
            logarithmic_if_wide(ax.xaxis, table["x_low"].min(), table["x_high"].max())
            logarithmic_if_wide(ax.yaxis, table["y_low"].min(), table["y_high"].max())
            best = table[table["front"] == 1]
            ax.plot(best["x"], best["y"], color=MUTED, linewidth=1, linestyle="--", zorder=1)
            for index, row in enumerate(table.itertuples()):
                mark: Any = look(index)
                ax.plot([row.x_low, row.x_high], [row.y, row.y], color=mark["color"], linewidth=0.8, alpha=0.5)
                ax.plot([row.x, row.x], [row.y_low, row.y_high], color=mark["color"], linewidth=0.8, alpha=0.5)
                name = f"{index + 1} {label(str(row.method), longest)}"
                ax.plot(row.x, row.y, **mark, ms=5.5, mec="white", mew=0.5, linestyle="none", label=name, zorder=3)
                if row.front == 1 or len(table) <= NUMBERED:
                    at: Any = {"xytext": (4, 3), "textcoords": "offset points"}
                    ax.annotate(str(index + 1), (row.x, row.y), **at, fontsize=6, color=INK)
            ax.set_xlabel(self.names[0])
            ax.set_ylabel(self.names[1])
            ax.grid(True)
            ax.tick_params(length=0)
            ax.figure.legend(loc="outside lower center", ncols=across, fontsize=6.5)
        self.ax_, self.figure_ = ax, ax.figure
        return self
