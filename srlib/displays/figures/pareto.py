"""Pareto plots: each method's centre and interval in two objectives, and the front that nobody dominates."""

import itertools
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.transforms import Bbox

from srlib.comparing.profiles import fronts, intervals
from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.figures.dots import INTERVAL, logarithmic_if_wide
from srlib.displays.looks import look
from srlib.displays.styling import INK, MUTED, label, new_figure, pt

Objective = tuple[str, pd.DataFrame, str]  # name, datasets x methods, 'lower' or 'higher' is better
NUMBERED = 6  # of more methods only those of the first front have their number beside the point, lest they overlap


@dataclass
class ParetoDisplay(Display):
    """Medians over datasets with 95% bootstrap intervals in pairs of objectives; each first front is joined.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `x_name`, `y_name`, `method`, `x`, `x_low`, `x_high`, `y`, `y_low`, `y_high`, `front` (1 = not dominated), panel
        by panel, in each by front and x. Methods are numbered as they stand in the first panel.
    named : bool
        Names stand beside the points.
    """

    numbers: pd.DataFrame
    named: bool = False

    @classmethod
    def from_values(
        cls,
        panels: Sequence[tuple[Objective, Objective]],
        related: pd.Series | None = None,
        named: bool = False,
    ) -> "ParetoDisplay":
        """Take the horizontal and the vertical objective of each panel; a method that lacks one stands in no panel.

        Datasets that are `related` (by dataset their common source) are drawn together. `named` panels have names
        beside the points in place of numbers and a legend.
        """
        parts = []
        for pair in panels:
            table = pd.concat(
                [
                    intervals(values, related=related)[["value", "low", "high"]].set_axis(
                        [axis, f"{axis}_low", f"{axis}_high"], axis=1
                    )
                    for axis, (_, values, _) in zip("xy", pair, strict=True)
                ],
                axis=1,
            ).dropna()
            signs = [1 if better == "lower" else -1 for _, _, better in pair]
            table["front"] = fronts(table[["x", "y"]].to_numpy() * signs)
            names = [f"{name} ({better} is better)" for name, _, better in pair]
            table = (
                table.rename_axis("method").reset_index().assign(x_name=names[0], y_name=names[1])
            )
            parts.append(table.sort_values(["front", "x", "method"]))
        whole = pd.concat(parts, ignore_index=True)
        return cls(whole[["x_name", "y_name", *whole.columns.drop(["x_name", "y_name"])]], named)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        parts = []
        for (x, y), table in self.numbers.groupby(["x_name", "y_name"], sort=False):
            first = table[table["front"] == 1].head(8)
            points = "; ".join(
                f"{label(str(r.method))} ({r.x:.3g}, {r.y:.3g})" for r in first.itertuples()
            )
            parts.append(f"{y} against {x}; first front: {points}.")
        return " ".join(parts)

    @property
    def panels(self) -> list[str]:
        """Pairs of objectives, as `y against x`."""
        pairs = self.numbers[["x_name", "y_name"]].drop_duplicates()
        return [f"{row.y_name} against {row.x_name}" for row in pairs.itertuples()]

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        across = 3 if width == "page" else 2
        shape = (1, len(panels)) if width == "page" else (len(panels), 1)
        rows = 0 if self.named else -(-len(self.methods) // across)
        height = 3.0
        if width != "page":
            height = min(2.3, 6.5 / len(panels)) * len(panels)
        figure = new_figure(width, height + 0.13 * rows)
        return list(figure.subplots(*shape, squeeze=False).ravel())

    def _draw(self, canvas: Canvas) -> None:
        tables = {
            f"{y} against {x}": table
            for (x, y), table in self.numbers.groupby(["x_name", "y_name"], sort=False)
        }
        for panel, axes in canvas.axes.items():
            self._panel(axes, tables[panel], 26 if len(canvas.grid) > 1 or not canvas.wide else 80)
        if not self.named:
            names = [f"{i} {label(m, canvas.longest)}" for i, m in enumerate(self.methods, 1)]
            keys = [key(**look(m)) for m in self.methods]
            front = key(marker="", lw=1, ls="--")
            canvas.legend([*keys, front, key(marker="", lw=0.8, ls="-")],
                          [*names, "first front: nobody dominates it", INTERVAL],
                          3 if canvas.wide else 2, fontsize=6.5)  # fmt: skip
        canvas.grid[0].figure.draw_without_rendering()
        numbers = {name: str(i) for i, name in enumerate(self.methods, 1)}
        for panel, axes in canvas.axes.items():
            table = tables[panel]
            said = {m: label(m, canvas.longest - 8) if self.named else numbers[m]
                    for m in table["method"].astype(str)}  # fmt: skip
            if not self.named and len(table) > NUMBERED:
                table = table[table["front"] == 1]
            _write_names(axes, table, said)

    def _panel(self, axes: Any, table: pd.DataFrame, room: int) -> None:
        logarithmic_if_wide(axes.xaxis, table["x_low"].min(), table["x_high"].max())
        logarithmic_if_wide(axes.yaxis, table["y_low"].min(), table["y_high"].max())
        best = table[table["front"] == 1].sort_values("x")
        axes.plot(best["x"], best["y"], color=MUTED, linewidth=1, linestyle="--", zorder=1)
        for row in table.itertuples():
            mark: Any = look(str(row.method))
            bar = {"color": mark["color"], "linewidth": 0.8, "alpha": 0.5}
            axes.plot([row.x_low, row.x_high], [row.y, row.y], **bar)
            axes.plot([row.x, row.x], [row.y_low, row.y_high], **bar)
            axes.plot(row.x, row.y, **mark, ms=5, mec="white", mew=0.5, linestyle="none", zorder=3)
        for axis, name in (
            (axes.xaxis, table["x_name"].iloc[0]),
            (axes.yaxis, table["y_name"].iloc[0]),
        ):
            what, better = name.rsplit(" (", 1)
            axis.set_label_text(f"{textwrap.fill(what, room)}\n({better}")
            if "rank" in name and axis.get_scale() == "linear":
                axis.get_major_locator().set_params(integer=True)
                axis.set_inverted(axis is axes.yaxis)  # up is better, as for every other metric
        axes.grid(True)
        axes.tick_params(length=0)


def _write_names(axes: Any, table: pd.DataFrame, names: Mapping[str, str]) -> None:
    """Write each name or number where it covers nothing, best front first; a thin line leads far ones home."""
    spots = axes.transData.transform(table[["x", "y"]].to_numpy())
    taken = [Bbox.from_extents(x - 3, y - 3, x + 3, y + 3) for x, y in spots]
    frame, scale = axes.get_window_extent(), axes.figure.dpi / 72
    for row, spot in zip(table.itertuples(), spots, strict=True):
        text = axes.annotate(
            names[str(row.method)], (row.x, row.y), fontsize=pt(6), color=INK,
            xytext=(0, 0), textcoords="offset points", ha="center", va="center",
        )  # fmt: skip
        box, best = text.get_window_extent(), None
        for far, angle in itertools.product((0, 8, 16, 26, 38), range(0, 360, 30)):
            across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            dx = across * (box.width / 2 + 8 + far * scale)
            dy = up * (box.height / 2 + 7 + far * scale)
            at = Bbox.from_bounds(spot[0] + dx - box.width / 2, spot[1] + dy - box.height / 2,
                                  box.width, box.height)  # fmt: skip
            inside = (
                frame.x0 <= at.x0 and at.x1 <= frame.x1 and frame.y0 <= at.y0 and at.y1 <= frame.y1
            )
            cost = (sum(at.overlaps(other) for other in taken), not inside)
            if best is None or cost < best[0]:
                best = (cost, dx, dy, at, far)
        if best is not None:
            _, dx, dy, at, far = best
            text.set_position((dx / scale, dy / scale))
            taken.append(at)
            if far:
                ends = axes.transData.inverted().transform([spot, spot + [dx, dy]])
                axes.plot(*ends.T, color=MUTED, linewidth=0.4, zorder=1)
