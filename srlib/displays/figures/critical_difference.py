"""Critical-difference diagram: mean ranks over units, and bars that join methods without significant differences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from srlib.comparing.comparison import Comparison
from srlib.comparing.paired_tests import cliques
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import GREY, INK, labels, look
from srlib.prose import first_of, listed

BAR_ROWS = 0.45  # height of a bar in rows of names


@dataclass(kw_only=True)
class CriticalDifferenceDisplay(Display):
    """Mean ranks on an axis; a bar joins methods of which no two differ significantly in the pairwise tests.

    Parameters
    ----------
    numbers : pandas.DataFrame
        Columns `method` and `mean_rank` (1 is best), the best method first.
    groups : list of list of str
        Methods that each bar joins; a group of one method has no bar.
    count : int
        Number of ranked units.
    unit_name : str
        What a unit is: `datasets` or `sources`.
    is_tested : bool
        Whether there were enough units for a test.

    Examples
    --------
    >>> ranks = pd.DataFrame({"method": ["A", "B"], "mean_rank": [1.2, 1.8]})
    >>> diagram = CriticalDifferenceDisplay(numbers=ranks, groups=[["A", "B"]], count=9, unit_name="datasets")
    >>> diagram.finding, diagram.bars
    ('Lowest mean rank: A (1.2).', [[0, 1]])

    Source: A. Benavoli, G. Corani and F. Mangili, JMLR 17 (2016), on diagrams of pairwise tests.
    """

    numbers: pd.DataFrame
    groups: list[list[str]]
    count: int
    unit_name: str
    is_tested: bool = True

    reorderable = False  # the order shows the mean ranks
    lowest = True
    height = 1.2
    row_height = 0.2
    subject = "mean rank"
    alt_columns = ("mean_rank",)

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "CriticalDifferenceDisplay":
        """Create the diagram from the mean ranks and pairwise tests of a comparison."""
        numbers = comparison.ranking[["method", "mean_rank"]]
        return cls(
            numbers=numbers,
            groups=cliques(comparison.pairs, numbers["method"].tolist()),
            count=len(comparison.unit_values),
            unit_name=comparison.unit_name,
            is_tested=comparison.tested,
        )

    @property
    def bars(self) -> list[list[int]]:
        """Rows of `numbers` that each bar joins. Dots on a bar mark them, as it may pass other methods."""
        bars = [
            np.flatnonzero(self.numbers["method"].isin(group)).tolist() for group in self.groups
        ]
        return [bar for bar in bars if len(bar) > 1]

    @property
    def replacement(self) -> str:
        """Sentence shown in place of the figure if nothing was tested; else empty."""
        return "" if self.is_tested else "No diagram, as the pairs are not tested."

    @property
    def about(self) -> str:  # type: ignore[override]
        """What the ranks are of, and the methods that no test tells apart."""
        groups = [listed(labels(self.numbers["method"].iloc[bar]), 3) for bar in self.bars]
        bars = f". Not told apart: {first_of(groups, 'groups', 3)}" if groups else ""
        return f"Mean ranks over {self.count} {self.unit_name}, 1 is best{bars}"

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        bars, ranks = self.bars, self.numbers["mean_rank"].to_numpy()
        for place, bar in enumerate(bars):
            axes.plot(ranks[bar], [BAR_ROWS * (place + 1)] * len(bar), "o-", color=GREY, lw=3, ms=2.5,
                      mfc=INK, mec=INK)  # fmt: skip
        levels = BAR_ROWS * len(bars) + 1 + np.arange(len(ranks))
        for method, rank, level in zip(self.methods, ranks, levels, strict=True):
            axes.plot([rank, rank, 1], [0, level, level], color=INK, lw=0.7)
            axes.plot(rank, 0, **look(method), ms=5, clip_on=False)
        axes.set(xlim=(1, max(len(ranks), 2, *ranks)), ylim=(levels[-1] + 0.5, 0))
        axes.set_yticks(levels, labels(self.methods))
        axes.grid(False)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.spines["top"].set_visible(True)
        axes.xaxis.set(ticks_position="top", label_position="top")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel(
            f"mean rank over {self.count} {self.unit_name} (1 is best); a thick bar joins methods not told apart"
        )
