"""Performance profiles: the share of the datasets on which a method reaches a test R2 of at least x."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.profiles import profile, profile_area
from srlib.displays.figures.display import Canvas, Display, height_of, key
from srlib.displays.looks import dashes, look
from srlib.displays.styling import MUTED, label, new_figure, pt
from srlib.prose import first_of

GRID = np.round(np.linspace(0, 1, 201), 3)
SHOWN = (0.0, 0.5, 0.9, 0.99, 0.999)
DIRECT = {"page": 13, "column": 8}  # methods whose names stand beside; more have a legend below


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
    unfit : bool
        Whether the best value is not 1, so that there is no profile.
    """

    numbers: pd.DataFrame
    curves: pd.DataFrame
    name: str = "test R²"
    unfit: bool = False

    @classmethod
    def from_values(
        cls, values: pd.DataFrame, name: str = "test R²", direction: str = "higher"
    ) -> "ProfilesDisplay":
        """Take datasets x methods; a missing value reaches nothing. Values that are not at best 1 have no profile."""
        unfit = direction == "lower" or bool((values > 1 + 1e-6).any(axis=None))
        area = profile_area(values).sort_values(ascending=False, kind="stable")
        table = area.rename("area").to_frame()
        for at in SHOWN:
            table[f"share_at_{at:g}"] = profile(values, [at]).iloc[0]
        curves = profile(values, GRID)[list(area.index)]
        table = table.rename_axis("method").reset_index()
        return cls(table, curves, name, unfit)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        parts = [f"{label(str(row.method))} {row.area:.3f}" for row in self.numbers.itertuples()]
        return f"Falling curves: share of datasets with {self.name} of at least x. Areas: {first_of(parts)}."

    @property
    def compared(self) -> list[str]:  # type: ignore[override]
        """The shares and the area."""
        return list(self.numbers.columns[1:])

    @property
    def instead(self) -> str:
        """What to say where values have no profile, or every curve is one step."""
        if self.unfit:
            return f"profiles are of values up to 1, the best; {self.name} is no such, so none is drawn."
        said = super().instead
        if not said and self.curves.isin([0, 1]).all(axis=None):
            return "each method has one value alone, so that every curve is a single step."
        return said

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        height = 2.9
        if len(self.numbers) > DIRECT[width]:
            rows = -(-len(self.numbers) // (3 if width == "page" else 2))
            height += height_of(width, self.methods, 0.13, 2) * rows
        return [new_figure(width, height).subplots()]

    def _draw(self, canvas: Canvas) -> None:
        ax, line = canvas.grid[0], {}
        for method in self.methods:
            line[method] = {"color": look(method)["color"], "ls": dashes(method), "lw": 1.4}
            ax.plot(GRID, self.curves[method], **line[method])
        ax.set_xlabel(f"x ({self.name})")
        ax.set_ylabel("share of datasets that reach x")
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1.02)
        ax.grid(True)
        ax.tick_params(length=0)
        if canvas.own and len(line) <= DIRECT[canvas.width]:
            self._beside(ax, canvas, line)
            return
        names = canvas.texts(self.methods, down=2)
        areas = [f"{name} {a:.3f}" for name, a in zip(names, self.numbers["area"], strict=True)]
        keys = [key(**one | {"marker": ""}) for one in line.values()]
        canvas.legend(keys, areas, 3, fontsize=6.5, title="area below the curve", handlelength=3)

    def _beside(self, ax: Any, canvas: Canvas, line: Mapping[str, Any]) -> None:
        """Write the names right of the axes, in the order of the curves where they are farthest apart."""
        heights = np.sort(self.curves[list(line)].to_numpy(float), axis=1)
        apart = np.minimum(np.diff(heights, axis=1), 1 / len(line)).sum(axis=1)
        at = int(apart[10:-10].argmax()) + 10
        ax.axvline(GRID[at], color=MUTED, lw=0.6, zorder=0)
        order = sorted(line, key=lambda name: -self.curves[name].iloc[at])
        areas = self.numbers.set_index(self.numbers["method"].astype(str))["area"]
        names = zip(canvas.texts(order), areas[order], strict=True)
        for name in order:
            mark = look(name)["marker"]
            ax.plot(GRID[at], self.curves[name].iloc[at], marker=mark, ms=4, color=line[name]["color"],
                    mec="white", mew=0.4, zorder=3)  # fmt: skip
        keys = [key(**line[name] | {"marker": look(name)["marker"]}) for name in order]
        size = 7 if canvas.wide else 6
        ax.figure.legend(keys, [f"{name} {area:.3f}" for name, area in names], fontsize=pt(size),
                         loc="outside right upper", handlelength=2.6, labelspacing=0.6,
                         title=f"as at x = {GRID[at]:.2f};\narea below the curve",
                         title_fontsize=pt(size), alignment="left")  # fmt: skip
