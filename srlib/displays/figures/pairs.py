"""Pairwise claims as a heat map: who is better than whom, and how sure that is after correction."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from srlib.comparing.comparison import Comparison
from srlib.comparing.metrics import Direction, Metric
from srlib.comparing.paired_tests import compare_pairs
from srlib.displays.figures.display import MANY, Canvas, Display, height_of
from srlib.displays.figures.matrix import heat
from srlib.displays.styling import label, labels, new_figure, pt
from srlib.prose import first_of

LEVELS = (0.05, 0.01, 0.001)
SHADES = (
    "#b35806",
    "#ee9d48",
    "#fbd8a8",
    "#eceff1",
    "#c3d9ec",
    "#6fa5cf",
    "#1f5f95",
)  # worse ... better
NAMES = ("row is worse (−), p < 0.001", "worse, p < 0.01", "worse, p < 0.05", "not told apart",
         "better, p < 0.05", "better, p < 0.01", "row is better (+), p < 0.001")  # fmt: skip


@dataclass
class PairsDisplay(Display):
    """Row against column: blue and + where the row's method is better, orange and − where it is worse.

    Parameters
    ----------
    numbers : pandas.DataFrame
        What `compare_pairs` returns.
    order : tuple of str
        Methods, best first.
    title : str
        The test and the correction.
    """

    numbers: pd.DataFrame
    order: tuple[str, ...]
    title: str

    @classmethod
    def from_values(cls, values: pd.DataFrame, direction: Direction = "higher") -> "PairsDisplay":
        """Test all pairs of datasets x methods."""
        metric = Metric("value", direction)
        order = (metric.sign * values.median()).sort_values(ascending=False, kind="stable").index
        pairs = compare_pairs(values, metric)
        return cls._from_pairs(pairs, tuple(map(str, order)), "Wilcoxon signed-rank test")

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "PairsDisplay":
        """Show the pairs of a comparison, methods in the order of its ranking."""
        order = tuple(comparison.ranking["method"])
        return cls._from_pairs(comparison.pairs, order, comparison.test_name)

    @classmethod
    def _from_pairs(cls, pairs: pd.DataFrame, order: tuple[str, ...], test: str) -> "PairsDisplay":
        tests = int(pairs["p_value"].notna().sum())
        title = f"{test[0].upper()}{test[1:]}, Holm's correction for {tests} tests"
        if not tests:
            title = "No test: there are too few datasets or sources"
        return cls(pairs, order, title)

    def matrix(self) -> np.ndarray:
        """Methods x methods: -3 (row worse, p < 0.001) to 3 (row better); NaN on the diagonal and where untested.

        A pair that is not told apart is 0.
        """
        place = {name: row for row, name in enumerate(self.order)}
        result = np.full((len(place), len(place)), np.nan)
        columns = self.numbers[["method_a", "method_b", "better", "p_adjusted"]]
        for one, other, better, p in columns.dropna(subset=["p_adjusted"]).itertuples(
            index=False, name=None
        ):
            ahead = 0 if not better else 1 if better == one else -1
            value = ahead * sum(p < level for level in LEVELS)
            if str(one) not in place or str(other) not in place:
                continue  # the suite's figures show others
            a, b = place[str(one)], place[str(other)]
            result[a, b], result[b, a] = value, -value
        return result

    @property
    def instead(self) -> str:
        """What to say where there is no pair."""
        if len(self.order) < 2:
            return "one method alone has nobody to be compared with."
        if not np.nan_to_num(self.matrix()).any():
            tested = int(self.numbers["p_adjusted"].notna().sum())
            if not tested:
                return "there are too few datasets or sources for a test."
            return f"none of {tested} tested pairs is told apart at level 0.05."
        return ""

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        matrix = self.matrix()
        parts = [
            f"{label(name)} better than {int((row > 0).sum())}, worse than {int((row < 0).sum())}"
            for name, row in zip(self.order, matrix, strict=True)
        ]
        return f"{self.title}, level 0.05. {first_of(parts)}."

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the rows."""
        return list(self.order)

    def _sorted(self, place: Mapping[str, int]) -> "PairsDisplay":
        return replace(self, order=tuple(sorted(self.order, key=lambda name: place[name])))

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        side = 0.2
        if len(self.order) > MANY:
            side = 0.15
        if width != "page":
            side = height_of(width, self.order, min(0.24, 4.4 / len(self.order)))
        return [
            new_figure(width, (2.2 if width == "page" else 1.6) + side * len(self.order)).subplots()
        ]

    def _draw(self, canvas: Canvas) -> None:
        count, matrix, ax = len(self.order), self.matrix(), canvas.grid[0]
        size = pt(min(7.0, 160 / count) if canvas.wide else min(6.5, 170 / count))
        signs = np.select([matrix > 0, matrix < 0], ["+", "−"], "")
        rows = columns = labels(self.order, 30)
        if not canvas.wide:  # names stand once, in full; the columns have their numbers
            rows = [f"{name}  {n}" for n, name in enumerate(canvas.texts(self.order), 1)]
            columns = [str(n) for n in range(1, count + 1)]
        heat(ax, matrix, rows, columns, cmap=list(SHADES), vmin=-3.5, vmax=3.5, annot=signs,
             fmt="", annot_kws={"fontsize": size})  # fmt: skip
        ax.tick_params(labelsize=size)
        if any("\n" in name for name in rows):
            ax.set_yticklabels(rows, fontsize=pt(6), linespacing=0.9)
        ax.tick_params(axis="x", rotation=90 if canvas.wide else 0)
        ax.set_title(self.title)
        handles = [Patch(color=shade) for shade in SHADES]
        canvas.legend(handles, NAMES, 4, fontsize=6)
