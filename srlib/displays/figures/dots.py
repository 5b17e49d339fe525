"""One row a method and a panel for each metric: medians or rates over datasets, with bootstrap intervals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.ticker import NullFormatter

from srlib.comparing.profiles import intervals
from srlib.displays.figures.display import MANY, Canvas, Display, height_of, key
from srlib.displays.looks import look, shade
from srlib.displays.styling import label, new_figure
from srlib.prose import first_of

INTERVAL = "95% interval"
WIDE = 100.0  # an axis whose values span more than this factor is logarithmic
TALLEST = 8.0  # inches of the panels in rows


@dataclass
class DotsDisplay(Display):
    """Points and 95% intervals; within a panel a series for each noise level, where there are any.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `panel`, `series`, `method`, `n_datasets`, `value`, `low`, `high`; methods in the order of the rows, best first.
    middle : str
        What `value` is, for the legend.
    """

    numbers: pd.DataFrame
    middle: str = "median over the datasets"

    @classmethod
    def from_values(
        cls,
        panels: Mapping[str, Mapping[str, pd.DataFrame]],
        rates: bool = False,
        ascending: bool = False,
        units: pd.Series | None = None,
    ) -> "DotsDisplay":
        """Summarise tables of values.

        Parameters
        ----------
        panels : dict of str to dict of str to pandas.DataFrame
            For each panel its series, each datasets x methods.
        rates : bool
            Means of shares; else medians.
        ascending : bool
            The first panel's lowest method stands on top; else its highest.
        units : pandas.Series, optional
            By dataset its unit: datasets of one unit are drawn together.
        """
        parts = [
            intervals(values, rates, units=units)
            .rename_axis("method")
            .reset_index()
            .assign(panel=panel, series=series)
            for panel, chosen in panels.items()
            for series, values in chosen.items()
        ]
        table = pd.concat(parts, ignore_index=True)
        table = table[["panel", "series", "method", "n_datasets", "value", "low", "high"]]
        first = table[table["panel"] == table["panel"].iloc[0]].groupby("method")["value"].mean()
        order = (
            first.reindex(sorted(table["method"].unique()))
            .sort_values(ascending=ascending, kind="stable")
            .index
        )
        place = {method: row for row, method in enumerate(order)}
        table = table.sort_values(
            "method", key=lambda names: names.map(place), kind="stable", ignore_index=True
        )
        return cls(table, "share of the datasets" if rates else "median over the datasets")

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        first = self.numbers[self.numbers["panel"] == self.numbers["panel"].iloc[0]]
        means = first.groupby("method", sort=False)["value"].mean()
        parts = [f"{label(str(method))} {value:.3g}" for method, value in means.items()]
        return (
            f"Panels: {', '.join(self.numbers['panel'].unique())}. In the first: {first_of(parts)}."
        )

    compared = ("value", "low", "high")

    @property
    def instead(self) -> str:
        """What to say where there is one dataset, or nothing differs."""
        if self.numbers["n_datasets"].max() == 1 and len(self.methods) > 1:
            return "one dataset alone has no interval over datasets; the table has each method's value."
        return super().instead

    @property
    def left_out(self) -> str:
        """What the caption has to say where some points have no interval."""
        alone = self.numbers["n_datasets"].eq(1).any()
        return "Points of one dataset alone have no interval." * bool(alone)

    @property
    def panels(self) -> list[str]:
        """Names of the metrics."""
        return list(self.numbers["panel"].unique())

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        row = 0.2
        if len(self.methods) > MANY:
            row = 0.14
        panel = 0.6 + height_of(width, self.methods, row) * max(len(self.methods), 2)
        down, across = _rows(len(panels), width == "page", panel)
        figure = new_figure(width, 0.4 + down * panel)
        grid = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
        for unused in grid[len(panels) :]:
            unused.remove()
        return list(grid[: len(panels)])

    def _draw(self, canvas: Canvas) -> None:
        methods, series = self.methods, list(self.numbers["series"].unique())
        for panel, axes in canvas.axes.items():
            rows = self.numbers[self.numbers["panel"] == panel]
            for index, name in enumerate(series):
                part = rows[rows["series"] == name].set_index("method")
                offset = 0.5 * ((index + 0.5) / len(series) - 0.5)
                for y, method in enumerate(methods):
                    if method in part.index:
                        mark = look(method) if len(series) == 1 else shade(index, len(series))
                        _dot(axes, part.loc[method], y + offset, mark)
            logarithmic_if_wide(axes.xaxis, rows["low"].min(), rows["high"].max())
            axes.set_title(panel.replace(", ", ",\n"))
            axes.grid(True)
            axes.tick_params(length=0)
        for axes in canvas.grid:
            canvas.rows(axes, methods)
        keys = {self.middle: key(), INTERVAL: key(marker="", ls="-", lw=1.1)}
        if len(series) > 1:
            keys |= {str(n): key(**shade(i, len(series))) for i, n in enumerate(series)}
        canvas.legend(keys.values(), keys, 4)


def _rows(panels: int, wide: bool, height: float) -> tuple[int, int]:
    """Say in how many rows of how many panels their titles have room; in one row where a page is too low for more."""
    most = 4
    if not wide:
        most = 2 + (panels == 3)
    down = -(-panels // most)
    if down * height > TALLEST:
        down = 1
    return down, -(-panels // down)


def _dot(axes: Any, row: Any, y: float, mark: dict[str, Any]) -> None:
    if row["n_datasets"] > 1:
        axes.hlines(y, row["low"], row["high"], color=mark["color"], linewidth=1.1, alpha=0.6)
    axes.plot(row["value"], y, **mark, ms=4, mec="white", mew=0.4, linestyle="none")


def logarithmic_if_wide(axis: Any, low: float, high: float) -> None:
    """Make an axis logarithmic if its values are positive and far apart, with plain numbers at its ticks."""
    if low > 0 and high > WIDE * low:
        getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
        axis.set_major_formatter(
            lambda value, position: f"{value:,g}" if value < 1e6 else f"{value:.0e}"
        )
        axis.set_minor_formatter(NullFormatter())
