"""Figure 3 of a competition's results: how each method's score and ranks spread over the datasets."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srlib.displays.styling import COLOURS, INK, MUTED, label, new_figure, style
from srlib.displays.tables.aspects import aspect_names, points
from srlib.words import in_short

DATASET: dict[str, Any] = dict(
    marker="o", ms=3.2, color=COLOURS[0], alpha=0.8, mew=0, linestyle="none"
)
CLOUD: dict[str, Any] = DATASET | {"ms": 1.6, "alpha": 0.25, "rasterized": True}
MANY = 60  # datasets; their dots stand behind the rest
MEAN: dict[str, Any] = dict(
    marker="D", ms=4.4, color=COLOURS[1], mec="white", mew=0.6, linestyle="none"
)
MIDDLE: dict[str, Any] = {"color": INK, "linewidth": 1.4}
SPREAD: dict[str, Any] = {"color": "#b3c5d3", "linewidth": 6, "solid_capstyle": "butt"}


@dataclass
class ScoresDisplay:
    """One panel for the dataset scores and one for each aspect's ranks; methods sorted by final score.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method and dataset: `method`, `dataset`, a column for each panel (higher is better).
    ranking : pandas.DataFrame
        `method`, `score` and `rank`, best first: the order of the rows of the figure.
    """

    numbers: pd.DataFrame
    ranking: pd.DataFrame
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_judgement(cls, judgement: Any) -> "ScoresDisplay":
        """Take the dataset scores and aspect ranks of a `srlib.judging.Judgement`."""
        ranking = judgement.ranking.sort_values(["rank", "method"]).reset_index(drop=True)
        keys = ["method", "dataset"]
        ranks = judgement.aspects.pivot_table(
            "aspect_rank", index=keys, columns="aspect", dropna=False
        )
        ranks = ranks[aspect_names(judgement)].add_suffix(" rank")
        wide = judgement.datasets.set_index(keys)[["score"]].join(ranks).reset_index()
        place = {method: position for position, method in enumerate(ranking["method"])}
        wide = wide.sort_values("dataset").sort_values(
            "method", key=lambda names: names.map(place), kind="stable"
        )
        return cls(wide.reset_index(drop=True), ranking)

    @property
    def panels(self) -> list[str]:
        """Names of the panels, from left to right."""
        return [name for name in self.numbers.columns if name not in ("method", "dataset")]

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        parts = [
            f"{label(str(method))}: "
            + ", ".join(f"{points(name)} {rows[name].mean():.2f}" for name in self.panels)
            for method, rows in self.numbers.groupby("method", sort=False)
        ]
        how = "one row per method, best at the top; means over the datasets"
        return f"{len(self.panels)} panels, {how}. {in_short(parts)}."

    def plot(self, ax: Any = None, width: str = "page") -> "ScoresDisplay":
        """Draw the panels side by side; in a column, two and two.

        Parameters
        ----------
        ax : sequence of matplotlib.axes.Axes, optional
            One for each panel; a new figure otherwise.
        width : {'page', 'column'}
            Of a new figure.
        """
        methods = list(self.ranking["method"])
        across = len(self.panels) if width == "page" else min(2, len(self.panels))
        with style():
            if ax is None:
                down = -(-len(self.panels) // across)
                row = 0.27 if down * len(methods) <= 30 else 0.13  # inches: no taller than a page
                figure = new_figure(width, 0.5 + down * (0.65 + row * max(len(methods), 3)))
                grid = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
                ax = grid[: len(self.panels)]
                for unused in grid[len(ax) :]:
                    unused.remove()
            for axes, panel in zip(ax, self.panels, strict=True):
                self._panel(axes, panel, methods)
            longest = 28 if width == "page" else 22
            ax[0].set_yticks(range(len(methods)), [label(name, longest) for name in methods])
            ax[0].set_ylim(len(methods) - 0.45, -0.55)
            best = self.ranking["rank"].eq(1).fillna(False)
            for first in ax[::across]:
                for tick, winner in zip(first.get_yticklabels(), best, strict=True):
                    tick.set_fontweight("bold" if winner else "normal")
            ax[0].figure.legend(handles=_legend(), loc="outside lower center", ncols=across)
        self.ax_, self.figure_ = ax, ax[0].figure
        return self

    def _panel(self, axes: Any, panel: str, methods: list[str]) -> None:
        top = 1.0
        if self.numbers[panel].notna().any():
            top = float(np.nanmax(self.numbers[panel]))
        for row, method in enumerate(methods):
            values = (
                self.numbers.loc[self.numbers["method"] == method, panel].dropna().to_numpy(float)
            )
            if row % 2 == 0:
                axes.axhspan(row - 0.5, row + 0.5, color="#f4f6f8", linewidth=0, zorder=0)
            if not values.size:
                continue
            low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
            dots, level = (CLOUD, 1.5) if values.size > MANY else (DATASET, 3)
            axes.plot([low, high], [row, row], **SPREAD, zorder=1)
            axes.plot([middle, middle], [row - 0.36, row + 0.36], **MIDDLE, zorder=2)
            axes.plot(values, row + swarm(values, top / 40), **dots, zorder=level)
            axes.plot(values.mean(), row, **MEAN, zorder=4)
        axes.set_title(points(panel))
        axes.set_xlim(0, top * 1.06)
        axes.xaxis.grid(True)
        axes.tick_params(length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("higher is better", color=MUTED)
        axes.xaxis.get_major_locator().set_params(integer=True, nbins=5)


def _legend() -> list[Line2D]:
    names = {
        "one dataset": DATASET,
        "mean": MEAN,
        "median": MIDDLE,
        "middle half of the datasets": SPREAD,
    }
    return [Line2D([], [], label=name, **look) for name, look in names.items()]


def swarm(values: np.ndarray, bin_width: float, reach: float = 0.3) -> np.ndarray:
    """Vertical offsets that keep points of nearly equal value apart.

    Parameters
    ----------
    values : ndarray, shape (points,)
        Horizontal positions.
    bin_width : float
        Points that fall into one bin of this width are spread.
    reach : float
        The largest offset, in rows.

    Examples
    --------
    >>> swarm(np.array([1.0, 1.0, 1.0, 3.0]), 0.1).round(2).tolist()
    [-0.12, 0.0, 0.12, 0.0]
    """
    offsets = np.zeros(len(values))
    bins = np.round(values / bin_width).astype(int)
    for members in (np.flatnonzero(bins == value) for value in np.unique(bins)):
        step = min(0.12, 2 * reach / math.sqrt(max(len(members) ** 2 - 1, 1)))
        offsets[members] = step * (np.arange(len(members)) - (len(members) - 1) / 2)
    return offsets
