"""Critical-difference diagram: mean ranks over units, and bars that join methods which no test tells apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from srlib.comparing.comparison import Comparison
from srlib.comparing.metrics import Direction, Metric
from srlib.comparing.paired_tests import FEWEST_UNITS, cliques, compare_pairs, mean_ranks
from srlib.displays.figures.display import Canvas, Display, height_of
from srlib.displays.looks import look
from srlib.displays.styling import INK, MUTED, label, new_figure, pt
from srlib.prose import first_of, listed

HEAD, ROW = 1.15, 0.19  # inches: axis and caption of the bar, each row of names


@dataclass
class CriticalDifferenceDisplay(Display):
    """Mean ranks on an axis; a bar joins methods of which the pairwise tests do not tell any two apart.

    Parameters
    ----------
    numbers : pandas.DataFrame
        Best first: `method`, `mean_rank` (1 is best), and `groups`, the numbers of the bars that join it to others.
    count : int
        Units that were ranked.
    unit_name : str
        `datasets` or `sources`.

    Source: A. Benavoli, G. Corani and F. Mangili, JMLR 17 (2016), on diagrams of pairwise tests.
    """

    numbers: pd.DataFrame
    count: int
    unit_name: str

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "CriticalDifferenceDisplay":
        """Show the ranks and pairs of a comparison."""
        ranks = comparison.ranking.set_index("method")["mean_rank"]
        return cls._from_ranks(
            ranks, comparison.pairs, len(comparison.unit_values), comparison.unit_name
        )

    @classmethod
    def from_values(
        cls, values: pd.DataFrame, direction: Direction = "higher"
    ) -> "CriticalDifferenceDisplay":
        """Rank and test methods on datasets x methods, each dataset by itself; NaN = missing, the worst rank."""
        metric, values = Metric("value", direction), values.dropna(how="all")
        pairs = compare_pairs(values, metric)
        return cls._from_ranks(mean_ranks(values, metric), pairs, len(values), "datasets")

    @classmethod
    def _from_ranks(
        cls, ranks: pd.Series, pairs: pd.DataFrame, count: int, unit_name: str
    ) -> "CriticalDifferenceDisplay":
        order = list(ranks.index)
        bars = cliques(pairs, order)
        groups = [
            " ".join(str(number) for number, bar in enumerate(bars, start=1) if name in bar)
            for name in order
        ]
        numbers = pd.DataFrame(
            {"method": ranks.index.astype("str"), "mean_rank": ranks.to_numpy(), "groups": groups}
        )
        return cls(numbers, count, unit_name)

    @property
    def bars(self) -> list[list[int]]:
        """Rows of `numbers` that each bar joins. Where a bar passes other methods, dots mark those it joins."""
        rows: dict[str, list[int]] = {}
        for row, numbers in enumerate(self.numbers["groups"]):
            for number in numbers.split():
                rows.setdefault(number, []).append(row)
        return [bar for bar in rows.values() if len(bar) > 1]

    @property
    def instead(self) -> str:
        """What to say where there are no ranks to compare."""
        if len(self.numbers) < 2:
            return "one method alone has no ranks to compare."
        if self.count < FEWEST_UNITS:
            return f"too few {self.unit_name} for a test and a diagram. {self.alt}"
        return ""

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        ranks = [
            f"{label(str(row.method))} {row.mean_rank:.2f}" for row in self.numbers.itertuples()
        ]
        names = self.numbers["method"].map(label)
        groups = [
            listed(list(names.iloc[bar]), 3) if len(bar) < len(names) else f"all {len(bar)}"
            for bar in self.bars
        ]
        bars = f" Not told apart: {first_of(groups, 'groups', 3)}." if groups else ""
        return f"Mean ranks over {self.count} {self.unit_name}, 1 is best: {first_of(ranks)}.{bars}"

    ordered = False  # the mean ranks are what is shown

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        row = height_of(width, self.methods, ROW)
        return [new_figure(width, HEAD + row * self.rows).subplots()]

    @property
    def rows(self) -> float:
        """Height of the diagram below its axis, in rows of names."""
        return -(-len(self.numbers) // 2) + 0.45 * len(self.bars) + 0.6

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
        for height, bar in enumerate(self.bars):
            level = 0.35 + 0.45 * height
            ends = [ranks[bar[0]] - reach, ranks[bar[-1]] + reach]
            ax.plot(ends, [level] * 2, color=MUTED, linewidth=3)
            if len(bar) <= bar[-1] - bar[0]:
                ax.plot(ranks[bar], [level] * len(bar), "o", color=INK, ms=2.5)
        if np.isfinite(ranks).all():
            top = 0.45 * len(self.bars) + 0.9
            self._names(ax, first, last, top, canvas.texts(self.methods))
        title = f"mean rank over {self.count} {self.unit_name} (1 is best, at the right)"
        if self.bars:
            title += "\na thick bar joins methods that are not told apart"
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
