"""Figure 2 of a competition's results: each method's ranks against the baseline's, the disqualified area shaded."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srlib.displays.figures.scores import DATASET, MEAN, swarm
from srlib.displays.styling import MUTED, label, new_figure, style
from srlib.words import in_short


@dataclass
class QualificationRanksDisplay:
    """A row for each method, a dot for each dataset: its rank there minus the baseline's; a diamond is the mean.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method and dataset: `method`, `dataset`, `rank` (higher is better) and `rank_difference` (above
        0: better than the baseline); methods in the order of the figure, the best first.
    baseline : str
        Name of the baseline.
    """

    numbers: pd.DataFrame
    baseline: str
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_qualification(cls, result: Any) -> "QualificationRanksDisplay":
        """Take the ranks of a `srlib.judging.tracks.qualification.Qualification`."""
        place = result.ranking["method"].tolist()
        numbers = result.cells[["method", "dataset", "rank", "rank_difference"]].sort_values(
            "dataset"
        )
        numbers = numbers.sort_values(
            "method", key=lambda names: names.map(place.index), kind="stable"
        )
        return cls(numbers.reset_index(drop=True), result.rules.judge.qualification.baseline)

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        mean = self.numbers.groupby("method", sort=False)["rank_difference"].mean()
        parts = [f"{label(str(name))} {value:+.2f}" for name, value in mean.items()]
        return f"Mean rank difference from {label(self.baseline)}: {in_short(parts, 'methods')}."

    def plot(self, ax: Any = None, width: str = "page") -> "QualificationRanksDisplay":
        """Draw the rows; `ax` is one matplotlib Axes, a new figure otherwise."""
        methods = list(dict.fromkeys(self.numbers["method"]))
        every = self.numbers["rank_difference"].dropna()
        low, high = min(every.min(), 0.0) - 0.7, max(every.max(), 0.0) + 0.7
        with style():
            if ax is None:
                row = 0.27 if len(methods) <= 30 else 0.14
                ax = new_figure(width, 0.8 + row * max(len(methods), 3)).subplots()
            ax.axvspan(low, 0, color="#f4d9c9", linewidth=0, zorder=0)
            ax.axvline(0, color=MUTED)
            for row, method in enumerate(methods):
                values = (
                    self.numbers.loc[self.numbers["method"] == method, "rank_difference"]
                    .dropna()
                    .to_numpy(float)
                )
                if values.size:
                    ax.plot(values, row + swarm(values, 0.25), **DATASET)
                    ax.plot(values.mean(), row, **MEAN)
            ax.set_xlim(low, high)
            ax.set_ylim(len(methods) - 0.45, -0.55)
            ax.set_yticks(
                range(len(methods)),
                [label(name, 28 if width == "page" else 18) for name in methods],
            )
            ax.tick_params(axis="y", length=0)
            ax.xaxis.grid(True)
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.set_xlabel(
                f"rank minus the baseline's{' (shaded: not better)' * (width == 'page')}",
                color=MUTED,
            )
        self.ax_, self.figure_ = ax, ax.figure
        return self
