"""A matrix of shares: rows and columns by name, the darker the more, every share but 0 in its cell."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from srlib.displays.styling import label, new_figure, style
from srlib.words import in_short

MOST_IN_CELLS = 14  # columns that leave room for numbers
MOST_ROWS = 40


@dataclass
class MatrixDisplay:
    """One shaded cell for each number of a table.

    Parameters
    ----------
    numbers : pandas.DataFrame
        The first column names the rows; the others are shares from 0 to 1.
    """

    numbers: pd.DataFrame
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        columns = list(self.numbers.columns[1:6])
        rows = [
            f"{label(str(row[0]), 40)}: {', '.join(f'{share:.0%}' for share in row[1:6])}"
            for row in self.numbers.itertuples(index=False)
        ]
        return f"Matrix; columns {', '.join(label(str(name)) for name in columns)}. {in_short(rows, 'rows')}."

    def plot(self, ax: Any = None, width: str = "page") -> "MatrixDisplay":
        """Draw the matrix, at most the first 40 rows.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            A new figure otherwise.
        width : {'page', 'column'}
            Of a new figure.
        """
        shown = self.numbers.head(MOST_ROWS)
        values = shown.iloc[:, 1:].to_numpy(dtype=float)
        with style():
            if ax is None:
                ax = new_figure(width, 1.4 + 0.17 * len(shown)).subplots()
            roomy = values.shape[1] <= MOST_IN_CELLS * (1 if width == "page" else 0.5)
            names = [label(str(name), 18) for name in shown.columns[1:]]
            longest = 48 if width == "page" else 22
            rows = [label(str(name), longest) for name in shown.iloc[:, 0]]
            heat(ax, values, rows, names, mask=values == 0, vmin=0, vmax=1.15, annot=roomy,
                 fmt=".0%", annot_kws={"fontsize": 6.5})  # fmt: skip
            ax.xaxis.tick_top()
            ax.tick_params(axis="x", rotation=90, length=0)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def heat(ax: Any, cells: Any, rows: list[str], columns: list[str], **options: Any) -> None:
    """Shade the cells of a matrix, with a name at every row and column; the axes keep no ticks or frame."""
    options = {"cmap": "Blues", "cbar": False} | options
    sns.heatmap(cells, ax=ax, xticklabels=columns, yticklabels=rows, **options)
    ax.tick_params(axis="y", rotation=0)
    ax.tick_params(length=0)
