"""Critical-difference diagram: mean ranks over units, and bars that join methods which no test tells apart."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from srlib.comparing.comparison import Comparison
from srlib.comparing.paired_tests import FEWEST_UNITS, cliques
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import GREY, INK, labels, look
from srlib.prose import first_of, listed

ROW_INCHES, BAR_ROWS = 0.2, 0.45  # height of a row of names; of a bar


@dataclass
class CriticalDifferenceDisplay(Display):
    """Mean ranks on an axis; a bar joins methods of which the pairwise tests do not tell any two apart.

    Parameters
    ----------
    numbers : pandas.DataFrame
        Best first: `method`, `mean_rank` (1 is best).
    groups : list of list of str
        Methods of each bar.
    count : int
        Units that were ranked.
    unit_name : str
        `datasets` or `sources`.

    Source: A. Benavoli, G. Corani and F. Mangili, JMLR 17 (2016), on diagrams of pairwise tests.
    """

    numbers: pd.DataFrame
    groups: list[list[str]]
    count: int
    unit_name: str

    reorderable = False  # the mean ranks are what is shown

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "CriticalDifferenceDisplay":
        """Show the ranks and pairs of a comparison."""
        numbers = comparison.ranking[["method", "mean_rank"]]
        groups = cliques(comparison.pairs, numbers["method"].tolist())
        return cls(numbers, groups, len(comparison.unit_values), comparison.unit_name)

    @property
    def bars(self) -> list[list[int]]:
        """Rows of `numbers` that each bar joins. Where a bar passes other methods, dots mark those it joins."""
        bars = [
            np.flatnonzero(self.numbers["method"].isin(group)).tolist() for group in self.groups
        ]
        return [bar for bar in bars if len(bar) > 1]

    @property
    def replacement(self) -> str:
        """Sentence in place of the figure where there are no ranks to compare; else empty."""
        if self.count < FEWEST_UNITS:
            return f"Too few {self.unit_name} for a test and a diagram. {self.alt}"
        return ""

    @property
    def finding(self) -> str:
        """Sentence about who has the best mean rank."""
        ranks = self.numbers["mean_rank"].round(9)
        best = self.numbers["method"][ranks == ranks.min()].tolist()
        return f"Best mean rank: {listed(labels(best), 3)}."

    @property
    def alt(self) -> str:
        """The figure in words, for readers who do not see it."""
        names = labels(self.methods)
        ranks = [
            f"{name} {rank:.2f}"
            for name, rank in zip(names, self.numbers["mean_rank"], strict=True)
        ]
        groups = [listed([names[row] for row in bar], 3) for bar in self.bars]
        bars = f" Not told apart: {first_of(groups, 'groups', 3)}." if groups else ""
        return f"Mean ranks over {self.count} {self.unit_name}, 1 is best: {first_of(ranks)}.{bars}"

    @property
    def height(self) -> float:  # type: ignore[override]
        """Inches of the axis and its name, the bars and the rows of names."""
        return 0.6 + ROW_INCHES * (len(self.numbers) + 1 + BAR_ROWS * len(self.bars))

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        bars = self.bars
        ranks = self.numbers["mean_rank"].to_numpy()
        for place, bar in enumerate(bars):
            axes.plot(ranks[bar], [BAR_ROWS * (place + 1)] * len(bar), "o-", color=GREY, lw=3, ms=2.5,
                      mfc=INK, mec=INK)  # fmt: skip
        levels = BAR_ROWS * len(bars) + 1 + np.arange(len(ranks))
        for method, rank, level in zip(self.methods, ranks, levels, strict=True):
            axes.plot([rank, rank, 1], [0, level, level], color=INK, lw=0.7)
            axes.plot(rank, 0, **look(method), ms=4.5, mec="white", clip_on=False)
        axes.set(xlim=(1, max(len(ranks), 2, *ranks)), ylim=(levels[-1] + 0.5, 0))
        axes.set_yticks(levels, labels(self.methods))
        axes.grid(False)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.spines["top"].set_visible(True)
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel(
            f"mean rank over {self.count} {self.unit_name} (1 is best); a thick bar joins methods not told apart"
        )
