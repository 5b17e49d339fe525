"""Performance profiles: the share of the datasets on which a method reaches a test R2 of at least x."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srlib.comparing.profiles import profile, profile_area
from srlib.displays.styling import label, look, new_figure, style
from srlib.words import in_short

GRID = np.round(np.linspace(0, 1, 201), 3)
SHOWN = (0.0, 0.5, 0.9, 0.99, 0.999)
LINES = ("-", "--", ":", "-.")


@dataclass
class ProfilesDisplay:
    """A falling curve for each method; the area below it sums it up, 1 is the best possible.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `area`, and the shares at some values of x; largest area first.
    curves : pandas.DataFrame
        Values of x (index) x methods: shares.
    name : str
        Of x.
    """

    numbers: pd.DataFrame
    curves: pd.DataFrame
    name: str = "test R²"
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_values(cls, values: pd.DataFrame, name: str = "test R²") -> "ProfilesDisplay":
        """Take datasets x methods, higher is better, at best 1; a missing value reaches nothing."""
        area = profile_area(values).sort_values(ascending=False, kind="stable")
        table = area.rename("area").to_frame()
        for at in SHOWN:
            table[f"share_at_{at:g}"] = profile(values, [at]).iloc[0]
        curves = profile(values, GRID)[list(area.index)]
        return cls(table.rename_axis("method").reset_index(), curves, name)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        parts = [f"{label(str(row.method))} {row.area:.3f}" for row in self.numbers.itertuples()]
        return f"Falling curves: share of datasets with {self.name} of at least x. Areas: {in_short(parts)}."

    def plot(self, ax: Any = None, width: str = "page") -> "ProfilesDisplay":
        """Draw the curves, with the areas in the legend.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            A new figure otherwise.
        width : {'page', 'column'}
            Of a new figure.
        """
        across, longest = (3, 26) if width == "page" else (2, 14)
        with style():
            if ax is None:
                ax = new_figure(width, 2.8 + 0.13 * -(-len(self.numbers) // across)).subplots()
            for index, row in enumerate(self.numbers.itertuples()):
                colour, dashes = look(index)["color"], LINES[index // 7 % len(LINES)]
                name = f"{label(str(row.method), longest)} {row.area:.3f}"
                ax.plot(
                    GRID, self.curves.iloc[:, index], color=colour, linestyle=dashes, label=name
                )
            ax.set_xlabel(f"x ({self.name})")
            ax.set_ylabel("share of datasets that reach x")
            ax.set_xlim(0, 1)
            ax.set_ylim(0, 1.02)
            ax.grid(True)
            ax.tick_params(length=0)
            ax.figure.legend(loc="outside lower center", ncols=across, fontsize=6.5)
        self.ax_, self.figure_ = ax, ax.figure
        return self
