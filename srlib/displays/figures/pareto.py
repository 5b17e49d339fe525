"""Pareto plots: median and interval of each method in two objectives, and the front of methods that none dominates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.comparing.profiles import fronts, intervals
from srlib.displays.figures.display import Canvas, Display, choose_scale
from srlib.displays.styling import GREY, labels, look, print_name
from srlib.prose import listed

Objective = tuple[str, pd.DataFrame, str]  # name, datasets x methods, 'lower' or 'higher' is better


@dataclass(kw_only=True)
class ParetoDisplay(Display):
    """Medians over datasets with 95% bootstrap intervals in pairs of objectives; a line joins the first front.

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
    layout = {"across": 3}

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
    def finding(self) -> str:
        """Sentence that names the methods on the first front of the first panel."""
        panel = self.panels[0]
        best = self.numbers[(self.numbers["panel"] == panel) & (self.numbers["front"] == 1)]
        return f"On the front of {panel}: {listed(labels(best['method'].tolist()), 6)}."

    def _draw(self, canvas: Canvas) -> None:
        for panel, axes in canvas.axes.items():
            table = self.numbers[self.numbers["panel"] == panel]
            for letter, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
                name = table[f"{letter}_name"].iloc[0]
                axis.set_label_text(name)
                choose_scale(axis, table[[f"{letter}_low", f"{letter}_high"]])
                axis.set_inverted(letter == "y" and "rank" in name)  # up is better
            for row in table.itertuples():
                mark: Any = look(str(row.method))
                bar = {"color": mark["color"], "lw": 0.8, "alpha": 0.5, "label": "95% interval"}
                axes.hlines(row.y, row.x_low, row.x_high, **bar)
                axes.vlines(row.x, row.y_low, row.y_high, **bar)
                axes.plot(
                    row.x,
                    row.y,
                    **mark,
                    ms=5,
                    mec="white",
                    ls="none",
                    label=f" {print_name(str(row.method))}",
                )
            best = table[table["front"] == 1].sort_values("x")
            axes.plot(best["x"], best["y"], color=GREY, lw=1, ls="--", zorder=1,
                      label="first front, not dominated")  # fmt: skip
