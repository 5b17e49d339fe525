"""Critical-difference diagram: mean ranks over units, and bars that join methods which no test tells apart."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.comparing.comparison import Comparison
from srlib.comparing.paired_tests import FEWEST_UNITS, cliques
from srlib.displays.figures.display import LONGEST, Canvas, Display
from srlib.displays.looks import look
from srlib.displays.styling import INK, MUTED, folded, label, new_figure, pt
from srlib.prose import first_of, listed

HEAD, ROW, BAR = 1.15, 0.2, 0.45  # inches of axis and caption, and of a row of names; rows of a bar


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

    ordered = False  # the mean ranks are what is shown

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "CriticalDifferenceDisplay":
        """Show the ranks and pairs of a comparison."""
        numbers = comparison.ranking[["method", "mean_rank"]].copy()
        bars = cliques(comparison.pairs, numbers["method"].tolist())
        numbers["groups"] = [
            " ".join(str(number) for number, bar in enumerate(bars, start=1) if name in bar)
            for name in numbers["method"]
        ]
        return cls(numbers, len(comparison.unit_values), comparison.unit_name)

    @property
    def bars(self) -> list[list[int]]:
        """Rows of `numbers` that each bar joins. Where a bar passes other methods, dots mark those it joins."""
        rows = self.numbers["groups"].str.split().explode().dropna()
        return [list(bar.index) for _, bar in rows.groupby(rows, sort=False) if len(bar) > 1]

    @property
    def replacement(self) -> str:
        """What to say where there are no ranks to compare."""
        if self.count < FEWEST_UNITS:
            return f"too few {self.unit_name} for a test and a diagram. {self.alt}"
        return ""

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        names = self.numbers["method"].map(label)
        ranks = [
            f"{name} {rank:.2f}"
            for name, rank in zip(names, self.numbers["mean_rank"], strict=True)
        ]
        groups = [
            listed(list(names.iloc[bar]), 3) if len(bar) < len(names) else f"all {len(bar)}"
            for bar in self.bars
        ]
        bars = f" Not told apart: {first_of(groups, 'groups', 3)}." if groups else ""
        return f"Mean ranks over {self.count} {self.unit_name}, 1 is best: {first_of(ranks)}.{bars}"

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        rows = len(self.numbers) / 2 + BAR * len(self.bars) + 1
        return [new_figure(width, HEAD + ROW * rows).subplots()]

    def _draw(self, canvas: Canvas) -> None:
        (axes,), bars = canvas.grid, self.bars
        ranks, count = self.numbers["mean_rank"].to_numpy(), len(self.numbers)
        wide = canvas.width == "page"
        axes.set(xlim=(max(count, 2), 1), yticks=[])  # what is better lies to the right
        axes.set_ylim(count / 2 + BAR * len(bars) + 1, -0.4)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.spines["top"].set_visible(True)
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.xaxis.get_major_locator().set_params(integer=True)
        for place, bar in enumerate(bars):
            level = 0.35 + BAR * place
            axes.plot(
                ranks[bar], [level] * len(bar), "o-", color=MUTED, lw=3, ms=2.5, mfc=INK, mec=INK
            )
        names = [folded(name, LONGEST if wide else 18) for name in self.methods]
        for place, (name, rank) in enumerate(zip(names, ranks, strict=True)):
            better = place < count / 2
            level = BAR * len(bars) + 0.9 + (place if better else count - 1 - place)
            edge, side, gap = (1, "left", 4) if better else (max(count, 2), "right", -4)
            axes.plot([rank, rank, edge], [-0.4, level, level], color=INK, lw=0.7)
            axes.plot(rank, -0.4, **look(self.methods[place]), ms=4.5, mec="white", clip_on=False)
            axes.annotate(f"{name} {rank:.2f}", (edge, level), (gap, 0), ha=side, va="center",
                          textcoords="offset points", linespacing=0.9, fontsize=pt(6.5))  # fmt: skip
        axes.set_xlabel(
            f"mean rank over {self.count} {self.unit_name} (1 is best); a thick bar joins methods not told apart"
        )
