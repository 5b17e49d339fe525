"""How large the datasets are, and how the training time of each method grows with them."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from srlib.displays.figures.multiples import small_multiples
from srlib.displays.styling import COLOURS, GRID, MARKERS, MUTED, label, new_figure, style
from srlib.words import in_short


@dataclass
class SizesDisplay:
    """A point for each dataset: its rows against its features, on logarithmic axes, by group.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `dataset`, `group`, `samples`, `features`, as `dataset_sizes` gives them.
    """

    numbers: pd.DataFrame
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        said = [
            f"{label(str(name))}: {len(rows)} datasets, {rows['samples'].min():,g} to {rows['samples'].max():,g} rows, "
            f"{rows['features'].min():g} to {rows['features'].max():g} features"
            for name, rows in list(self.numbers.groupby("group"))[:6]
        ]
        return f"Rows against features. {'; '.join(said)}."

    def plot(self, ax: Any = None, width: str = "page") -> "SizesDisplay":
        """Draw the points.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            A new figure otherwise.
        width : {'page', 'column'}
            Of a new figure.
        """
        with style():
            if ax is None:
                ax = new_figure(width, 2.9).subplots()
            shown = self.numbers.assign(group=[label(str(g), 24) for g in self.numbers["group"]])
            groups = list(dict.fromkeys(shown["group"]))
            look: Any = {
                "palette": [COLOURS[i % len(COLOURS)] for i in range(len(groups))],
                "markers": [MARKERS[i % len(MARKERS)] for i in range(len(groups))],
            }
            sns.scatterplot(
                shown, x="samples", y="features", hue="group", style="group", hue_order=groups,
                style_order=groups, ax=ax, s=18, alpha=0.75, linewidth=0.3, legend=len(groups) > 1, **look
            )  # fmt: skip
            ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="features")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_formatter(lambda value, position: f"{value:,g}")
            ax.grid(True)
            if len(groups) > 1:
                ax.legend(title="", ncols=2, fontsize=6.5)
        self.ax_, self.figure_ = ax, ax.figure
        return self


@dataclass
class TimesDisplay:
    """A panel for each method: seconds against the cells (rows x features) of a dataset, with the fitted power.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `n_datasets`, `median`, and `power` p of seconds ~ cells ** p (least squares of the logarithms; NaN
        where all datasets have one size), fastest first.
    points : pandas.DataFrame
        `method`, `dataset`, `cells`, `seconds`.
    """

    numbers: pd.DataFrame
    points: pd.DataFrame
    figure_: Figure | None = field(default=None, init=False, repr=False)

    @classmethod
    def from_values(cls, seconds: pd.DataFrame, sizes: pd.DataFrame) -> "TimesDisplay":
        """Take datasets x methods and the table of `dataset_sizes`; a time of 0 or an unknown size is left out."""
        known = sizes.set_index("dataset")
        cells = (known["samples"] * known["features"]).rename("cells")
        long = seconds.rename_axis(columns=None).melt(
            ignore_index=False, var_name="method", value_name="seconds"
        )
        points = long.join(cells, how="inner").rename_axis("dataset").reset_index()
        points = points[points["seconds"] > 0].reset_index(drop=True)
        rows = []
        for name, part in points.groupby("method"):
            x, y = np.log10(part["cells"]), np.log10(part["seconds"])
            power = np.polyfit(x, y, 1)[0] if np.ptp(x) > 0 else np.nan
            rows.append((name, len(part), part["seconds"].median(), power))
        table = pd.DataFrame(rows, columns=["method", "n_datasets", "median", "power"])
        return cls(table.sort_values("median", kind="stable", ignore_index=True), points)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        said = [
            f"{label(str(row.method))} {row.median:.3g} s, power {row.power:.2f}"
            for row in self.numbers.itertuples()
        ]
        return f"Training time against the size of a dataset; median and power of growth: {in_short(said)}."

    def plot(self, width: str = "page") -> "TimesDisplay":
        """Draw a panel for each method, the points of all others in grey."""
        with style():
            grid = small_multiples(width, len(self.numbers), 1.05, 5)
            ticks = 2 if len(grid) > 12 and width == "column" else 3
            for axes, row in zip(grid, self.numbers.itertuples(), strict=True):
                own = self.points[self.points["method"] == row.method]
                slope = float(str(row.power))
                axes.scatter(self.points["cells"], self.points["seconds"], s=1, color=GRID)
                axes.scatter(own["cells"], own["seconds"], s=4, color=COLOURS[0], linewidth=0)
                if math.isfinite(slope):
                    x = np.log10(own["cells"])
                    ends = np.array([x.min(), x.max()])
                    line = np.polyfit(x, np.log10(own["seconds"]), 1)
                    axes.plot(10**ends, 10 ** np.polyval(line, ends), color=COLOURS[1])
                axes.set(xscale="log", yscale="log")
                for axis in (axes.xaxis, axes.yaxis):
                    axis.set_major_locator(LogLocator(numticks=ticks))
                    axis.set_major_formatter(lambda value, place: f"1e{math.log10(value):.0f}")
                    axis.set_minor_locator(NullLocator())
                power = f", power {slope:.2f}" if math.isfinite(slope) else ""
                axes.set_title(
                    f"{label(str(row.method), 16)}\n{row.median:.3g} s{power}",
                    fontsize=6.5,
                    fontweight="normal",
                )
                axes.tick_params(labelsize=6, colors=MUTED)
            grid[0].figure.supxlabel("cells of the dataset (rows x features)", fontsize=7.5)
            grid[0].figure.supylabel("training time (s)", fontsize=7.5)
        self.figure_ = grid[0].figure
        return self
