"""Figure 3 of a competition's results: how each method's score and ranks spread over the datasets."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.figures.display import Canvas, Display, grid_of, height_of, key
from srlib.displays.looks import look
from srlib.displays.styling import INK, MUTED, label
from srlib.displays.tables.aspects import aspect_names, points
from srlib.prose import first_of

DATASET: dict[str, Any] = dict(marker="o", ms=3.2, color=MUTED, alpha=0.8, mew=0, ls="none")
CLOUD: dict[str, Any] = DATASET | {"ms": 1.6, "alpha": 0.25, "rasterized": True}
MANY = 60  # datasets; their dots stand behind the rest
MEAN: dict[str, Any] = dict(marker="D", ms=4.4, color=INK, mec="white", mew=0.6, ls="none")
MIDDLE: dict[str, Any] = {"color": INK, "linewidth": 1.4}
SPREAD: dict[str, Any] = {"color": "#b3c5d3", "linewidth": 6, "solid_capstyle": "butt"}


@dataclass
class ScoresDisplay(Display):
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
        return f"{len(self.panels)} panels, {how}. {first_of(parts)}."

    @property
    def methods(self) -> list[str]:
        """The methods, best first."""
        return [str(name) for name in self.ranking["method"]]

    def _sorted(self, place: Mapping[str, int]) -> "ScoresDisplay":
        at = self.ranking["method"].astype(str).map(place).sort_values(kind="stable").index
        return replace(self, ranking=self.ranking.loc[at])

    @property
    def compared(self) -> list[str]:  # type: ignore[override]
        """All that is drawn."""
        return self.panels

    @property
    def instead(self) -> str:
        """What to say where nothing spreads: one dataset, one method, or methods that are the same everywhere."""
        if self.numbers.groupby("method")[self.panels].nunique().gt(1).any(axis=None):
            return ""
        count = self.numbers["dataset"].nunique()
        if count == 1:
            return "one dataset alone shows no spread; the final ranking has its score and points."
        return f"no method's score or points differ between the {count} datasets; see the final ranking."

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        across = len(panels) if width == "page" else min(2, len(panels))
        tall = -(-len(panels) // across) * len(self.methods) > 30
        # no taller than a page
        row = height_of(width, self.methods, 0.13 if tall else 0.27, -(-len(panels) // across))
        return grid_of(width, len(panels), across, 0.65 + row * max(len(self.methods), 3))

    def _draw(self, canvas: Canvas) -> None:
        methods = self.methods
        best = self.ranking["rank"].eq(1).fillna(False)
        for panel, axes in canvas.axes.items():
            self._panel(axes, panel, methods)
            canvas.rows(axes, methods)
        for axes in canvas.grid:
            for tick, winner in zip(axes.get_yticklabels(), best, strict=False):
                tick.set_fontweight("bold" if winner else "normal")
        names = ["one dataset", "mean", "median", "middle half of the datasets"]
        looks = [DATASET, MEAN, MIDDLE | {"marker": ""}, SPREAD | {"marker": ""}]
        canvas.legend([key(**{"ls": "-"} | one) for one in looks], names, 4)

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
            own = dots | {"color": look(method)["color"]}
            axes.plot(values, row + swarm(values, top / 40), **own, zorder=level)
            axes.plot(values.mean(), row, **MEAN, zorder=4)
        axes.set_title(points(panel))
        axes.set_xlim(0, top * 1.06)
        axes.xaxis.grid(True)
        axes.tick_params(length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("higher is better", color=MUTED)
        axes.xaxis.get_major_locator().set_params(integer=True, nbins=5)


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
