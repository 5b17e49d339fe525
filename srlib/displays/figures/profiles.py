"""Performance profiles: the share of the datasets on which a method reaches a test R2 of at least x."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.profiles import profile, profile_area
from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.looks import dashes, look
from srlib.displays.styling import label, new_figure, pt
from srlib.words import in_short

GRID = np.round(np.linspace(0, 1, 201), 3)
SHOWN = (0.0, 0.5, 0.9, 0.99, 0.999)
DIRECT = 12  # methods; more have a legend


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

    def _sorted(self, place: Mapping[str, int]) -> "ProfilesDisplay":
        numbers = super()._sorted(place).numbers
        return replace(self, numbers=numbers, curves=self.curves[list(numbers["method"])])

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        rows = 0
        if len(self.numbers) > DIRECT:
            rows = -(-len(self.numbers) // (3 if width == "page" else 2))
        return [new_figure(width, 2.8 + 0.13 * rows).subplots()]

    def _draw(self, canvas: Canvas) -> None:
        ax, names = canvas.grid[0], {}
        direct = canvas.own and len(self.numbers) <= DIRECT
        longest = canvas.longest - 4
        for row, method in zip(self.numbers.itertuples(), self.curves, strict=True):
            names[method] = f"{label(str(method), longest)} {row.area:.3f}"
            mark = look(method)
            ax.plot(GRID, self.curves[method], color=mark["color"], ls=dashes(method), lw=1.4)
        ax.set_xlabel(f"x ({self.name})")
        ax.set_ylabel("share of datasets that reach x")
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1.02)
        ax.grid(True)
        ax.tick_params(length=0)
        if direct:
            ax.set_title(
                "area below the curve beside its name", fontsize=pt(7), fontweight="normal"
            )
            self._at_ends(ax, names)
            return
        keys = [key(**look(m) | {"marker": ""}, ls=dashes(m), lw=1.4) for m in names]
        canvas.legend(keys, names.values(), 3, fontsize=6.5)

    def _at_ends(self, ax: Any, names: dict[Any, str]) -> None:
        """Write each name right of its curve, the highest on top, where none covers another."""
        order = sorted(names, key=lambda m: (-self.curves[m].iloc[-1], -self.curves[m].mean()))
        gap = 1.0 / max(len(order), 9)
        top = 0.5 + gap * (len(order) - 1) / 2
        for place, method in enumerate(order):
            mark, y = look(method), top - gap * place
            ends = [float(self.curves[method].iloc[-1]), y, y]
            ax.plot([1, 1.03, 1.08], ends, transform=ax.get_yaxis_transform(), lw=1,
                    clip_on=False, color=mark["color"], ls=dashes(method))  # fmt: skip
            ax.annotate(names[method], (1.09, y), xycoords=ax.get_yaxis_transform(), va="center",
                        fontsize=pt(6.5), annotation_clip=False)  # fmt: skip
