"""A matrix of shares: rows and columns by name, the darker the more, every share but 0 in its cell."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import PowerNorm

from srlib.displays.figures.display import Canvas, Display, height_of
from srlib.displays.styling import label, labels, new_figure, pt
from srlib.prose import first_of

MOST_IN_CELLS = 14  # columns that leave room for numbers
MOST_ROWS = 40
PALE = 0.5  # where no share is larger, the largest is the darkest
SMALL = 0.1  # where shares are on average a smaller part of the largest, shades follow their square roots


@dataclass
class MatrixDisplay(Display):
    """One shaded cell for each number of a table.

    Parameters
    ----------
    numbers : pandas.DataFrame
        The first column names the rows; the others are shares from 0 to 1.
    """

    numbers: pd.DataFrame

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        columns = list(self.numbers.columns[1:6])
        rows = [
            f"{label(str(row[0]), 40)}: {', '.join(f'{share:.0%}' for share in row[1:6])}"
            for row in self.numbers.itertuples(index=False)
        ]
        return f"Matrix; columns {', '.join(label(str(name)) for name in columns)}. {first_of(rows, 'rows')}."

    @property
    def instead(self) -> str:
        """What to say where all cells are alike."""
        cells = self.numbers.iloc[:, 1:].to_numpy(dtype=float)
        if not cells.size or not (cells == cells.flat[0]).all():
            return ""
        rows, columns = cells.shape
        if cells.size == 1:
            return f"there is one cell alone, {cells.flat[0]:.0%}."
        return f"all {cells.size} cells ({rows} rows, {columns} columns) are {cells.flat[0]:.0%}."

    @property
    def left_out(self) -> str:
        """What the caption has to say: how dark the darkest cell is where it is not 100%, and which rows are drawn."""
        drawn = self._without(self.not_shown)
        said, rows, darkest = "", len(drawn.numbers), drawn._darkest
        if darkest < 1:
            said = f"The darkest cell stands for the largest share, {darkest:.0%}."
        if drawn._by_roots:
            said += " Shades follow the square root of the share, so that small ones are seen."
        if rows <= MOST_ROWS:
            return said.strip()
        which = "those with the least"
        if drawn._means.min() == drawn._means.max():
            which = "the first"
        return (
            f"Only {MOST_ROWS} of {rows} rows are drawn, {which}; "
            f"all are in the table below and its CSV. {said}"
        ).strip()

    @property
    def _darkest(self) -> float:
        """The share of the darkest cell: 1, or the largest drawn where that would leave the figure nearly white."""
        top = np.nan_to_num(self._drawn.iloc[:, 1:].to_numpy(float)).max(initial=0.0)
        if 0 < top < PALE:
            return top
        return 1.0

    @property
    def _by_roots(self) -> bool:
        """Whether many cells share out what a row has, so that nearly all would be white."""
        cells = self._drawn.iloc[:, 1:].to_numpy(float)
        return bool(np.nansum(cells) < SMALL * self._darkest * (cells > 0).sum())

    @property
    def _means(self) -> pd.Series:
        return self.numbers.iloc[:, 1:].mean(axis=1).round(9)

    @property
    def _drawn(self) -> pd.DataFrame:
        """Of very many rows those with the least, since a row where all is there says little."""
        if len(self.numbers) <= MOST_ROWS:
            return self.numbers
        return self.numbers.loc[sorted(self._means.nsmallest(MOST_ROWS).index)]

    @property
    def by(self) -> str:  # type: ignore[override]
        """The column that names the rows."""
        return self.numbers.columns[0]

    @property
    def given(self) -> list[str]:
        """The columns, unless they are places."""
        names = [str(name) for name in self.numbers.columns[1:]]
        return [name for name in names if not re.fullmatch(r"place \d+", name)]

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        names = list(self._drawn[self.by])
        above = 0.5 + 0.06 * max(14, *(len(name) for name in self._columns))
        return [new_figure(width, above + height_of(width, names, 0.17) * len(names)).subplots()]

    @property
    def _columns(self) -> list[str]:
        return labels([str(name) for name in self.numbers.columns[1:]], 28)

    def _draw(self, canvas: Canvas) -> None:
        shown, ax = self._drawn, canvas.grid[0]
        values = shown.iloc[:, 1:].to_numpy(dtype=float)
        roomy = values.shape[1] <= MOST_IN_CELLS * (1 if canvas.wide else 0.5)
        rows = canvas.texts(list(shown[self.by]), 16 if canvas.wide else 6)
        norm = PowerNorm(1 - 0.5 * self._by_roots, 0, 1.15 * self._darkest)
        # seaborn looks for the least and the largest value where they are not given, also where all are masked
        heat(ax, values, rows, self._columns, mask=values == 0, norm=norm, vmin=norm.vmin, vmax=norm.vmax,
             annot=roomy, fmt=".0%", annot_kws={"fontsize": pt(6.5)})  # fmt: skip
        if any("\n" in name for name in rows):
            ax.set_yticklabels(rows, fontsize=pt(6), linespacing=0.9)
        ax.xaxis.tick_top()
        ax.tick_params(axis="x", rotation=90, length=0)


def heat(ax: Any, cells: Any, rows: list[str], columns: list[str], **options: Any) -> None:
    """Shade the cells of a matrix, with a name at every row and column; the axes keep no ticks or frame."""
    options = {"cmap": "Blues", "cbar": False} | options
    sns.heatmap(cells, ax=ax, xticklabels=columns, yticklabels=rows, **options)
    ax.tick_params(axis="y", rotation=0)
    ax.tick_params(length=0)
