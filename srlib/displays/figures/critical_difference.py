"""Critical-difference diagram: mean ranks over datasets, and which methods Nemenyi's test cannot tell apart."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from srlib.comparing.omnibus import Friedman, critical_difference, friedman
from srlib.comparing.statistics import Direction
from srlib.displays.styling import COLOURS, INK, MUTED, label, new_figure, style
from srlib.words import in_short

HEAD, ROW = 0.95, 0.19  # inches: axis and caption of the bar, each row of names


@dataclass
class CriticalDifferenceDisplay:
    """Mean ranks on an axis; a thick bar joins methods whose mean ranks differ by less than the critical difference.

    Parameters
    ----------
    numbers : pandas.DataFrame
        Best first: `method`, `mean_rank` (1 is best), and `groups`, the numbers of the bars that it lies under.
    test : Friedman
        Of all methods together.
    difference : float
        The critical difference; NaN when no dataset is complete.
    alpha : float
        Level of Nemenyi's test.
    """

    numbers: pd.DataFrame
    test: Friedman
    difference: float
    alpha: float = 0.05
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_values(
        cls, values: pd.DataFrame, alpha: float = 0.05, direction: Direction = "higher"
    ) -> "CriticalDifferenceDisplay":
        """Rank methods on every dataset where all of them have a value.

        Parameters
        ----------
        values : pandas.DataFrame
            Datasets x methods; NaN = missing, such datasets take no part.
        alpha : float
            Level of Nemenyi's test.
        direction : {'higher', 'lower'}
            Which values are better.
        """
        test = friedman(values, direction)
        difference = critical_difference(test.n_methods, test.n_datasets, alpha)
        ranks = test.mean_ranks
        numbers = pd.DataFrame({"method": ranks.index.astype("str"), "mean_rank": ranks.to_numpy()})
        bars = groups(numbers["mean_rank"].to_numpy(), difference)
        member = [
            " ".join(
                str(n) for n, (first, last) in enumerate(bars, start=1) if first <= place <= last
            )
            for place in range(len(numbers))
        ]
        return cls(numbers.assign(groups=member), test, difference, alpha)

    @property
    def instead(self) -> str:
        """What to say where there are no ranks to compare."""
        if len(self.numbers) < 2:
            return "one method alone has no ranks to compare."
        return ""

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        shown = [
            f"{label(str(row.method))} {row.mean_rank:.2f}" for row in self.numbers.itertuples()
        ]
        return (
            f"Mean ranks over {self.test.n_datasets} datasets, 1 is best: {in_short(shown)}. "
            f"Critical difference {self.difference:.2f} at level {self.alpha:g}."
        )

    def plot(self, ax: Any = None, width: str = "page") -> "CriticalDifferenceDisplay":
        """Draw the axis of mean ranks, the names left and right of it, and the bars between.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            A new figure otherwise.
        width : {'page', 'column'}
            Of a new figure.
        """
        count, ranks = len(self.numbers), self.numbers["mean_rank"].to_numpy()
        bars = groups(ranks, self.difference)
        rows = -(-count // 2) + 0.45 * len(bars) + 0.6
        with style():
            if ax is None:
                ax = new_figure(width, HEAD + ROW * rows).subplots()
            first, last = 1.0, float(max(count, 2))
            ax.set_ylim(rows, -0.4)
            ax.set_xlim(first, last)
            ax.spines[["left", "bottom"]].set_visible(False)
            ax.spines["top"].set_visible(True)
            ax.xaxis.tick_top()
            ax.xaxis.set_major_locator(MaxNLocator(10 if width == "page" else 5, integer=True))
            ax.set_yticks([])
            for height, (start, end) in enumerate(bars):
                y = 0.35 + 0.45 * height
                reach = 0.004 * (last - first)
                ax.plot(
                    [ranks[start] - reach, ranks[end] + reach],
                    [y, y],
                    color=COLOURS[0],
                    linewidth=3,
                )
            if np.isfinite(ranks).all():
                self._names(ax, first, last, 0.45 * len(bars) + 0.9, 28 if width == "page" else 14)
            about = f"mean rank over {self.test.n_datasets} datasets (1 is best)"
            tests = (
                f"critical difference {self.difference:.2f}, Friedman p = {self.test.p_value:.2g}"
            )
            title = f"{about}{'; ' if width == 'page' else chr(10)}{tests}"
            ax.set_title(title, loc="center", fontsize=7, fontweight="normal", color=MUTED, pad=8)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _names(self, ax: Any, first: float, last: float, top: float, longest: int) -> None:
        half = -(-len(self.numbers) // 2)
        for place, row in enumerate(self.numbers.itertuples()):
            left = place < half
            level = place if left else len(self.numbers) - 1 - place
            edge, side, gap = (first, "right", -4) if left else (last, "left", 4)
            ax.plot(
                [row.mean_rank, row.mean_rank, edge],
                [-0.4, top + level, top + level],
                color=INK,
                linewidth=0.7,
            )
            text = f"{label(str(row.method), longest)} {row.mean_rank:.2f}"
            ax.annotate(
                text,
                (edge, top + level),
                (gap, 0),
                textcoords="offset points",
                ha=side,
                va="center",
            )


def groups(ranks: np.ndarray, difference: float) -> list[tuple[int, int]]:
    """Longest runs of methods, of sorted mean ranks, that span less than the critical difference.

    Examples
    --------
    >>> groups(np.array([1.0, 1.5, 2.6, 2.9]), 1.2)
    [(0, 1), (1, 2), (2, 3)]
    """
    ends = [
        int(np.flatnonzero(ranks - rank < difference)[-1])
        for rank in ranks
        if np.isfinite(rank * difference)
    ]
    return [(i, end) for i, end in enumerate(ends) if end > i and (i == 0 or ends[i - 1] < end)]
