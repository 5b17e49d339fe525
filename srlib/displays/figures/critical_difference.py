"""Critical-difference diagram: mean ranks over datasets, and which methods Nemenyi's test cannot tell apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from srlib.comparing.omnibus import Friedman, critical_difference, friedman
from srlib.comparing.statistics import Direction
from srlib.displays.figures.display import Canvas, Display, height_of
from srlib.displays.looks import look
from srlib.displays.styling import INK, MUTED, label, new_figure, pt
from srlib.prose import first_of

HEAD, ROW = 1.15, 0.19  # inches: axis and caption of the bar, each row of names
TELLING = (
    0.75  # of the largest difference that there can be: with a larger one nothing is left to draw
)


@dataclass
class CriticalDifferenceDisplay(Display):
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
        widest = len(self.numbers) - 1
        if not self.difference > TELLING * widest:
            return ""
        return (
            f"too few datasets for a diagram: mean ranks differ from {self.difference:.2f} of at most "
            f"{widest} on. {self.alt}"
        )

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        return (
            f"Mean ranks over {self.test.n_datasets} datasets, 1 is best: {self.ranks}. "
            f"Critical difference {self.difference:.2f} at level {self.alpha:g}."
        )

    @property
    def ranks(self) -> str:
        """The methods with their mean ranks."""
        shown = [
            f"{label(str(row.method))} {row.mean_rank:.2f}" for row in self.numbers.itertuples()
        ]
        return first_of(shown)

    ordered = False  # the mean ranks are what is shown

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        row = height_of(width, self.methods, ROW)
        return [new_figure(width, HEAD + row * self.rows).subplots()]

    @property
    def rows(self) -> float:
        """Height of the diagram below its axis, in rows of names."""
        return -(-len(self.numbers) // 2) + 0.45 * len(self._bars) + 0.6

    @property
    def _bars(self) -> list[tuple[int, int]]:
        return groups(self.numbers["mean_rank"].to_numpy(), self.difference)

    def _draw(self, canvas: Canvas) -> None:
        ax, ranks = canvas.grid[0], self.numbers["mean_rank"].to_numpy()
        first, last = 1.0, float(max(len(self.numbers), 2))
        ax.set_ylim(self.rows, -0.4)
        ax.set_xlim(last, first)  # as in all figures, what is better lies to the right
        ax.spines[["left", "bottom", "right"]].set_visible(False)
        ax.spines["top"].set_visible(True)
        ax.xaxis.tick_top()
        ax.xaxis.set_major_locator(MaxNLocator(10 if canvas.wide else 5, integer=True))
        ax.set_yticks([])
        reach = 0.004 * (last - first)
        for height, (start, end) in enumerate(self._bars):
            ends = [ranks[start] - reach, ranks[end] + reach]
            ax.plot(ends, [0.35 + 0.45 * height] * 2, color=MUTED, linewidth=3)
        if np.isfinite(ranks).all():
            top = 0.45 * len(self._bars) + 0.9
            self._names(ax, first, last, top, canvas.texts(self.methods))
        about = f"mean rank over {self.test.n_datasets} datasets (1 is best, at the right)"
        tests = f"critical difference {self.difference:.2f}"
        if self._bars:
            tests += "\na thick bar joins methods that are not told apart"
        title = f"{about}\n{tests}"
        ax.set_title(title, loc="center", fontsize=pt(7), fontweight="normal", color=MUTED, pad=8)

    def _names(self, ax: Any, first: float, last: float, top: float, names: list[str]) -> None:
        half = -(-len(self.numbers) // 2)
        for place, row in enumerate(self.numbers.itertuples()):
            better = place < half
            level = place if better else len(self.numbers) - 1 - place
            edge, side, gap = (first, "left", 4) if better else (last, "right", -4)
            down, mark = [-0.4, top + level, top + level], look(str(row.method))
            ax.plot([row.mean_rank, row.mean_rank, edge], down, color=INK, linewidth=0.7)
            ax.plot(
                row.mean_rank, -0.4, **mark, ms=4.5, mec="white", mew=0.4, clip_on=False, zorder=3
            )
            about = {"textcoords": "offset points", "ha": side, "va": "center", "linespacing": 0.9}
            if "\n" in names[place]:
                about |= {"fontsize": pt(6), "multialignment": side}
            text = f"{names[place]} {row.mean_rank:.2f}"
            ax.annotate(text, (edge, top + level), (gap, 0), **about)


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
