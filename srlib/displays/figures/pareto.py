"""Pareto plots: each method's centre and interval in two objectives, and the front that nobody dominates."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.profiles import fronts, intervals
from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.figures.dots import INTERVAL, WIDE, logarithmic_if_wide
from srlib.displays.looks import look
from srlib.displays.stated import stated
from srlib.displays.styling import MUTED, WIDTHS, label, new_figure, pt
from srlib.prose import minus_signs

Objective = tuple[str, pd.DataFrame, str]  # name, datasets x methods, 'lower' or 'higher' is better
REACH = 3  # spans of the middle methods; who is farther away stands at the edge
LEAST = 1.6  # inches of a panel


@dataclass
class ParetoDisplay(Display):
    """Medians over datasets with 95% bootstrap intervals in pairs of objectives; each first front is joined.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `x_name`, `y_name`, `method`, `x`, `x_low`, `x_high`, `y`, `y_low`, `y_high`, `front` (1 = not dominated), panel
        by panel, in each by front and x.
    """

    numbers: pd.DataFrame

    @classmethod
    def from_values(
        cls,
        panels: Sequence[tuple[Objective, Objective]],
        units: pd.Series | None = None,
    ) -> "ParetoDisplay":
        """Take the horizontal and the vertical objective of each panel; a method that lacks one stands in no panel.

        Datasets of one of the `units` (by dataset) are drawn together.
        """
        parts = []
        for pair in [one for one in panels if one[0][0] != one[1][0]] or panels:
            table = pd.concat(
                [
                    intervals(values, units=units)[["value", "low", "high"]].set_axis(
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
        return cls(whole[["x_name", "y_name", *whole.columns.drop(["x_name", "y_name"])]])

    compared = ("x", "y")

    @property
    def instead(self) -> str:
        """What to say where there is one objective, or nothing differs."""
        if self.numbers["x_name"].eq(self.numbers["y_name"]).all() and len(self.methods) > 1:
            return "there is no second metric that it could be traded for."
        return super().instead

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
        # a venue's narrow page, or large letters, leave no room side by side
        inches = stated().get("widths", WIDTHS)[width] / pt(1.0)
        beside = width == "page" and inches > LEAST * len(panels)
        shape = (1, len(panels)) if beside else (len(panels), 1)
        rows = -(-len(self.methods) // across)
        height = 3.0 + 0.05 * max(len(self.methods) - 12, 0)
        if not beside:
            height = min(height - 0.7, 6.5 / len(panels)) * len(panels)
        figure = new_figure(width, height + 0.13 * rows)
        return list(figure.subplots(*shape, squeeze=False).ravel())

    def _tables(self) -> dict[str, pd.DataFrame]:
        return {
            f"{y} against {x}": _brought_near(table)
            for (x, y), table in self.numbers.groupby(["x_name", "y_name"], sort=False)
        }

    @property
    def left_out(self) -> str:
        """What the caption has to say where there are no intervals."""
        ends = [self.numbers[f"{axis}_high"].ne(self.numbers[f"{axis}_low"]) for axis in "xy"]
        if (ends[0] | ends[1]).any():
            return ""
        return "No interval has a width here, as with one dataset."

    def _draw(self, canvas: Canvas) -> None:
        tables = self._tables()
        for panel, axes in canvas.axes.items():
            self._panel(axes, tables[panel], 26 if len(canvas.grid) > 1 or not canvas.wide else 80)
        keys = [key(**look(m)) for m in self.methods]
        front = key(marker="", lw=1, ls="--")
        names = [label(m, canvas.longest) for m in self.methods]
        canvas.legend([*keys, front, key(marker="", lw=0.8, ls="-")],
                      [*names, "first front: nobody dominates it", INTERVAL],
                      3 if canvas.wide else 2, fontsize=6.5)  # fmt: skip

    def _panel(self, axes: Any, table: pd.DataFrame, room: int) -> None:
        logarithmic_if_wide(axes.xaxis, table["x_low"].min(), table["x_high"].max())
        logarithmic_if_wide(axes.yaxis, table["y_low"].min(), table["y_high"].max())
        best = table[table["front"] == 1].sort_values("x")
        axes.plot(best["x"], best["y"], color=MUTED, linewidth=1, linestyle="--", zorder=1)
        for row in table.itertuples():
            mark: Any = look(str(row.method))
            bar = {"color": mark["color"], "linewidth": 0.8, "alpha": 0.5}
            across = [row.x_low, row.x_high, np.nan, row.x, row.x]
            axes.plot(across, [row.y, row.y, np.nan, row.y_low, row.y_high], **bar)
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
        axes.margins(0.06, 0.12)
        axes.autoscale_view()  # the middle of the panel is known only now
        for row in table[(table["front"] == 1) | (table["note"] != "")].itertuples():
            pixel = axes.transData.transform((row.x, row.y))
            right = axes.transAxes.inverted().transform(pixel)[0] > 0.5
            axes.annotate(
                f"{label(str(row.method), 14)}{row.note}",
                (row.x, row.y),
                fontsize=pt(6),
                textcoords="offset points",
                xytext=(-4 if right else 4, 4),
                ha="right" if right else "left",
            )
        axes.grid(True)
        axes.tick_params(length=0)


def _brought_near(table: pd.DataFrame) -> pd.DataFrame:
    """Put the few that lie far from all others at the edge, their value in a `note`, lest the others become one dot."""
    table = table.assign(note="")
    for axis in "xy":
        values = table[axis]
        ends = [values, table[f"{axis}_low"], table[f"{axis}_high"]]
        cut = (len(values) + 4) // 10
        middle = values.sort_values().iloc[cut : len(values) - cut]
        reach = REACH * np.ptp(middle)
        far = (values < middle.min() - reach) | (values > middle.max() + reach)
        low, high = ends[1][~far].min(), ends[2][~far].max()
        if not reach or not far.any() or ends[1].min() > 0 and ends[2].max() > WIDE * ends[1].min():
            continue
        edge = 0.1 * (high - low)
        table["note"] += np.where(
            far, [minus_signs(f" ({axis} = {value:.3g})") for value in values], ""
        )
        for end in ends:
            table[end.name] = end.clip(low - edge, high + edge)
    return table
