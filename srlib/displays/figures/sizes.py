"""How large the datasets are, and how the training time of each method grows with them."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.figures.multiples import small_multiples
from srlib.displays.looks import look, shade
from srlib.displays.styling import GRID, INK, MUTED, label, new_figure, pt
from srlib.words import in_short, minus


@dataclass
class SizesDisplay(Display):
    """A point for each dataset: its rows against its features, on logarithmic axes, by group.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `dataset`, `group`, `samples`, `features`, as `dataset_sizes` gives them.
    """

    numbers: pd.DataFrame

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        said = [
            f"{label(str(name))}: {len(rows)} datasets, {rows['samples'].min():,g} to {rows['samples'].max():,g} rows, "
            f"{rows['features'].min():g} to {rows['features'].max():g} features"
            for name, rows in list(self.numbers.groupby("group"))[:6]
        ]
        return f"Rows against features. {'; '.join(said)}."

    @property
    def instead(self) -> str:
        """What to say where all datasets are one point."""
        sizes = self.numbers[["samples", "features"]].drop_duplicates()
        if len(sizes) != 1:
            return ""
        rows, features = sizes.iloc[0]
        count = len(self.numbers)
        said = "the only dataset has" if count == 1 else f"all {count} datasets have"
        return f"{said} {rows:,g} rows and {features:g} features."

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return [new_figure(width, 2.9).subplots()]

    def _draw(self, canvas: Canvas) -> None:
        ax = canvas.grid[0]
        groups = list(self.numbers.groupby("group", sort=False))
        for place, (name, rows) in enumerate(groups):
            mark = shade(place, len(groups)) | {"ms": 4, "mew": 0.3, "alpha": 0.75}
            ax.plot(
                rows["samples"], rows["features"], ls="none", label=label(str(name), 24), **mark
            )
        ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="features")
        for axis, values in (
            (ax.xaxis, self.numbers["samples"]),
            (ax.yaxis, self.numbers["features"]),
        ):
            if values.max() < 100 * values.min():  # powers of ten alone would be too few
                axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(lambda value, position: f"{value:,g}")
            axis.set_minor_formatter(NullFormatter())
        ax.grid(True)
        if len(groups) > 1:
            ax.legend(ncols=2, fontsize=pt(6.5))


@dataclass
class TimesDisplay(Display):
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

    @property
    def panels(self) -> list[str]:
        """The methods."""
        return self.methods

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return small_multiples(width, len(panels), 1.05, 5)

    def _draw(self, canvas: Canvas) -> None:
        ticks = 2 if len(canvas.grid) > 12 and not canvas.wide else 3
        scaled = [axes for axes in canvas.grid if axes.get_autoscale_on()]
        for axes in scaled:
            axes.autoscale(False)  # or every point would scale all panels anew
        for method, axes in canvas.axes.items():
            row = self.numbers[self.numbers["method"] == method].iloc[0]
            own = self.points[self.points["method"] == method]
            slope = float(row["power"])
            mark = look(method)
            axes.scatter(self.points["cells"], self.points["seconds"], s=1, color=GRID)
            axes.scatter(own["cells"], own["seconds"], s=6, **mark, linewidth=0)
            if math.isfinite(slope):
                x = np.log10(own["cells"])
                ends = np.array([x.min(), x.max()])
                line = np.polyfit(x, np.log10(own["seconds"]), 1)
                axes.plot(10**ends, 10 ** np.polyval(line, ends), color=INK)
            axes.set(xscale="log", yscale="log")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_locator(LogLocator(numticks=ticks))
                axis.set_major_formatter(lambda value, place: f"1e{math.log10(value):.0f}")
                axis.set_minor_locator(NullLocator())
            power = (
                f", power {minus(f'{round(slope, 2) + 0.0:.2f}')}" if math.isfinite(slope) else ""
            )
            title = f"{label(method, 16)}\n{row['median']:.3g} s{power}"
            axes.set_title(title, fontsize=pt(6.5), fontweight="normal")
            axes.tick_params(labelsize=pt(6), colors=MUTED)
        for axes in scaled:
            axes.autoscale()
        for side in "xy":
            low, high = getattr(canvas.grid[0], f"get_{side}lim")()
            # all times, or all sizes, are one
            if scaled and high < 1.01 * low:
                getattr(canvas.grid[0], f"set_{side}lim")(low / 2, 2 * high)
        keys = [key(), key(color=GRID), key(color=INK, marker="", ls="-")]
        names = ["the method, in its colour", "other methods", "seconds ~ cells ** power"]
        canvas.legend(keys, names, 3, above=True)
        canvas.name_axes("cells of the dataset (rows x features)", "training time (s)")
