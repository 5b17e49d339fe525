"""Pareto plots: median and interval of each method in two objectives, its name, and fronts of methods."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from srlib.comparing.profiles import fronts, intervals
from srlib.displays.figures.display import Canvas, Display, fit_axis
from srlib.displays.styling import DASHES, GREY, label, labels, look
from srlib.prose import Statement, listed, state

MOST_FRONTS = 4  # that lines join
Objective = tuple[str, pd.DataFrame, str]  # name, datasets x methods, 'lower' or 'higher' is better


@dataclass(kw_only=True)
class ParetoDisplay(Display):
    """Medians over datasets with 95% bootstrap intervals in pairs of objectives; lines join the first fronts.

    Each method has its name beside its point. Axes end near the points, as in `DotsDisplay`.

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
    about = "Medians of each method with 95% intervals, in pairs of objectives"
    alt_columns = ("x", "y")
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
        panel, rows = self.panels[0], self.first_panel
        best = rows[rows["front"] == 1]
        names = listed(labels(best["method"]), 6)
        return state("finding", "On the front of {panel}: {best}.", panel=panel, best=names)

    def _draw(self, canvas: Canvas) -> None:
        for panel, axes in canvas.axes.items():
            table = self.numbers[self.numbers["panel"] == panel]
            lines = self.lines_[axes] = {}
            for letter, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
                name = table[f"{letter}_name"].iloc[0]
                axis.set_label_text(name)
                values, lows, highs = (table[f"{letter}{end}"] for end in ("", "_low", "_high"))
                self.cut_ += fit_axis(axis, values, lows, highs)
                axis.set_inverted(letter == "y" and "lower is better" in name)  # up is better
            for row in table.itertuples():
                mark = look(str(row.method))
                bar = {"color": mark["color"], "lw": 0.6, "label": "95% interval"}
                axes.hlines(row.y, row.x_low, row.x_high, **bar)
                axes.vlines(row.x, row.y_low, row.y_high, **bar)
                (lines[label(str(row.method))],) = axes.plot(row.x, row.y, **mark, ms=6, ls="none")
            for front in range(1, MOST_FRONTS + 1):
                rows = table[table["front"] == front].sort_values("x")
                if len(rows) > 1:
                    axes.plot(rows["x"], rows["y"], color=GREY, lw=1.2 - 0.2 * front, ls=DASHES[front],
                              zorder=1, label=f"front {front}")  # fmt: skip
