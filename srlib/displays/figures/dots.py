"""One row a method and a panel for each metric: medians or rates over datasets, with bootstrap intervals."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from srlib.comparing.profiles import intervals
from srlib.displays.styling import label, look, new_figure, style
from srlib.words import in_short

WIDE = 100.0  # an axis whose values span more than this factor is logarithmic


@dataclass
class DotsDisplay:
    """Points and 95% intervals; within a panel a series for each noise level, where there are any.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `panel`, `series`, `method`, `n_datasets`, `value`, `low`, `high`; methods in the order of the rows, best first.
    """

    numbers: pd.DataFrame
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_values(
        cls,
        panels: Mapping[str, Mapping[str, pd.DataFrame]],
        rates: bool = False,
        ascending: bool = False,
        related: pd.Series | None = None,
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
        related : pandas.Series, optional
            By dataset the source that it shares with others: these are drawn together.
        """
        parts = [
            intervals(values, rates, related=related)
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
        return cls(
            table.sort_values(
                "method", key=lambda names: names.map(place), kind="stable", ignore_index=True
            )
        )

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        first = self.numbers[self.numbers["panel"] == self.numbers["panel"].iloc[0]]
        means = first.groupby("method", sort=False)["value"].mean()
        parts = [f"{label(str(method))} {value:.3g}" for method, value in means.items()]
        return (
            f"Panels: {', '.join(self.numbers['panel'].unique())}. In the first: {in_short(parts)}."
        )

    def plot(self, ax: Any = None, width: str = "page") -> "DotsDisplay":
        """Draw the panels side by side.

        Parameters
        ----------
        ax : sequence of matplotlib.axes.Axes, optional
            One for each panel; a new figure otherwise.
        width : {'page', 'column'}
            Of a new figure.
        """
        methods, panels = (
            list(self.numbers["method"].unique()),
            list(self.numbers["panel"].unique()),
        )
        series = list(self.numbers["series"].unique())
        with style():
            if ax is None:
                figure = new_figure(width, 0.8 + 0.2 * max(len(methods), 2))
                ax = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
            for axes, panel in zip(ax, panels, strict=True):
                rows = self.numbers[self.numbers["panel"] == panel]
                for index, name in enumerate(series):
                    part = rows[rows["series"] == name].set_index("method").reindex(methods)
                    y = np.arange(len(methods)) + 0.5 * ((index + 0.5) / len(series) - 0.5)
                    mark = look(index)
                    axes.hlines(
                        y, part["low"], part["high"], color=mark["color"], linewidth=1.1, alpha=0.6
                    )
                    axes.plot(
                        part["value"],
                        y,
                        **mark,
                        ms=4,
                        mec="white",
                        mew=0.4,
                        linestyle="none",
                        label=name,
                    )
                logarithmic_if_wide(axes.xaxis, rows["low"].min(), rows["high"].max())
                room = 72 // len(panels) if width == "page" else 11
                axes.set_title("\n".join(textwrap.fill(line, room) for line in panel.split(", ")))
                axes.grid(True)
                axes.tick_params(length=0)
            ax[0].set_yticks(
                range(len(methods)),
                [label(name, 28 if width == "page" else 16) for name in methods],
            )
            ax[0].set_ylim(len(methods) - 0.4, -0.6)
            if len(series) > 1:
                handles, names = ax[0].get_legend_handles_labels()
                ax[0].figure.legend(
                    handles, names, loc="outside lower center", ncols=min(len(series), 4)
                )
        self.ax_, self.figure_ = ax, ax[0].figure
        return self


def logarithmic_if_wide(axis: Any, low: float, high: float) -> None:
    """Make an axis logarithmic if its values are positive and far apart, with plain numbers at its ticks."""
    if low > 0 and high > WIDE * low:
        getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
        axis.set_major_formatter(
            lambda value, position: f"{value:,g}" if value < 1e6 else f"{value:.0e}"
        )
        axis.set_minor_formatter(NullFormatter())
