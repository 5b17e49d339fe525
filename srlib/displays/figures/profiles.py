"""Performance profiles: the share of the datasets on which a method reaches a test R2 of at least x."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.profiles import profile, profile_area
from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.looks import dashes, look
from srlib.displays.styling import label, new_figure
from srlib.words import in_short

GRID = np.round(np.linspace(0, 1, 201), 3)
SHOWN = (0.0, 0.5, 0.9, 0.99, 0.999)


@dataclass
class ProfilesDisplay(Display):
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

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return [new_figure(width, 2.8 + 0.13 * (len(self.numbers) // 2)).subplots()]

    def _draw(self, canvas: Canvas) -> None:
        ax, names = canvas.grid[0], {}
        longest = canvas.longest - 4
        for method, area in zip(self.methods, self.numbers["area"], strict=True):
            mark = key(**look(method) | {"marker": ""}, ls=dashes(method), lw=1.4)
            names[f"{label(method, longest)} {area:.3f}"] = mark
            ax.plot(GRID, self.curves[method], color=mark.get_color(), ls=dashes(method), lw=1.4)
        ax.set_xlabel(f"x ({self.name})")
        ax.set_ylabel("share of datasets that reach x")
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1.02)
        ax.grid(True)
        ax.tick_params(length=0)
        canvas.legend(names.values(), names, 3, fontsize=6.5, title="area below the curve")
