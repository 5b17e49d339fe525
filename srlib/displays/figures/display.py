"""Base of all figures: numbers, the same in words, and `plot`, which chooses methods, axes and style."""

import base64
import io
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from html import escape
from textwrap import fill
from typing import Any, Self

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from srlib.displays.conventions import suite_style
from srlib.displays.styling import LIGHT_GREY, assign_looks, label, labels, new_figure, style
from srlib.displays.tables.aspects import points_heading
from srlib.errors import InputError
from srlib.prose import first_of, listed

LOG_FACTOR = 100.0  # an axis whose values span more than this factor is logarithmic
LEGEND_LETTERS = 40  # of a name in a legend
MOST_PANELS = 12  # of one figure; more are left to the tables
PANELS_INCHES = 8.0  # of all panels below each other
PIXELS_PER_INCH = 110  # of a figure on a page
DPI = 130  # of pictures on pages that may have many, such as the sheets of a ballot
FILE_METADATA = {
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "png": {"Software": None},
}  # nothing that differs from one day to the next


def save_figure(figure: Figure, suffix: str, **options: Any) -> bytes:
    """Draw a figure as PDF, SVG or PNG; the same figure has the same bytes. Options are those of `Figure.savefig`."""
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format=suffix, metadata=FILE_METADATA[suffix], **options)
    return buffer.getvalue()


def new_panels(width: str, count: int, height: float, across: int = 4, **shared: Any) -> list[Any]:
    """Make a figure of several panels.

    Parameters
    ----------
    width : {'page', 'column'}
        Print width.
    count : int
        How many panels.
    height : float
        Inches of a panel; less where the rows would not fit a page.
    across : int
        Panels in a row at page width; in a column at most two.
    **shared
        Arguments of `Figure.subplots`.

    Examples
    --------
    >>> len(new_panels("column", 3, 1.2))
    3
    """
    across = min(across, count, 4 if width == "page" else 2)
    down = -(-count // across)
    figure = new_figure(width, 0.5 + min(down * height, PANELS_INCHES))
    grid = figure.subplots(down, across, squeeze=False, **shared).ravel()
    for axes in grid:
        axes.grid(True, color=LIGHT_GREY)
        axes.tick_params(length=0)
    for axes in grid[count:]:
        axes.remove()
    return list(grid[:count])


def choose_scale(axis: Any, values: Any) -> None:
    """Make an axis logarithmic where its values are far apart, with plain numbers at its ticks.

    Positive ones by the factor `WIDE`; of those far below 0, as R2 may be, those below -1.
    """
    low, high = np.nanmin(values), np.nanmax(values)
    if low < -1 or 0 < LOG_FACTOR * low < high:
        axis.axes.set(**{f"{axis.axis_name}scale": "symlog" if low < -1 else "log"})
        axis.get_major_locator().set_params(numticks=3)
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_formatter(NullFormatter())


def wrap_texts(axes: Any) -> None:
    """Break the title and the names of the axes of a panel where they are longer than it is wide."""
    letters = int(110 * axes.bbox.width / axes.figure.dpi / mpl.rcParams["font.size"])
    axes.set_title(fill(axes.get_title(mpl.rcParams["axes.titlelocation"]), letters))
    axes.set_xlabel(fill(axes.get_xlabel(), letters))
    axes.set_ylabel(fill(axes.get_ylabel(), letters))


@dataclass(frozen=True)
class Canvas:
    """Axes by the name of their panel, and whether `plot` made the figure around them."""

    axes: dict[str, Any]
    owns_figure: bool

    @property
    def grid(self) -> list[Any]:
        """The axes alone."""
        return list(self.axes.values())

    def name_axes(self, x: str, y: str) -> None:
        """Label the axes that all panels share, at the outer panels alone."""
        for axes in self.grid:
            axes.set(xlabel=x, ylabel=y)
            axes.label_outer()

    def add_legend(self) -> None:
        """Add a legend: below the panels of a figure that `plot` made, which grows by it; else in the last axes."""
        artists: dict[str, Any] = {}
        for axes in self.grid:
            if axes.get_legend() is None:
                handles, names = axes.get_legend_handles_labels()
                artists |= dict(zip(names, handles, strict=True))
        names = labels(list(artists), LEGEND_LETTERS)
        if names and not self.owns_figure:
            self.grid[-1].legend(artists.values(), names)
        elif names:
            figure, letter = self.grid[0].figure, mpl.rcParams["font.size"] / 72
            room = figure.get_figwidth() / letter / (0.5 * max(map(len, names)) + 5)
            columns = min(max(int(room), 1), len(names))
            rows = -(-len(names) // columns)
            figure.set_figheight(figure.get_figheight() + (1.3 * rows + 1) * letter)
            figure.legend(artists.values(), names, loc="outside lower center", ncols=columns)


class Display:
    """Numbers that can be drawn; each figure draws into the axes of its panels in `_draw`.

    Attributes
    ----------
    numbers : pandas.DataFrame
        The numbers that are drawn, with a column for the methods.
    by : str
        Name of that column.
    panel_by : str
        Column whose values are drawn side by side; empty: one picture.
    ordered : bool
        Whether methods may stand in another order; else their order is what the figure shows.
    about : str
        Summary of the figure; `alt` begins with it.
    subject : str
        Words for the first of `alt_columns`; else its own name.
    described : sequence of str
        Columns of `numbers` of which `alt` has the mean of each method; empty: the first five columns of numbers.
    height, layout
        Inches of a panel, and further arguments of `new_panels`.
    """

    numbers: pd.DataFrame
    figure_: Any = None
    ax_: Any = None
    by: str = "method"
    panel_by: str = ""
    reorderable: bool = True
    about: str = ""
    subject: str = ""
    alt_columns: Sequence[str] = ()
    height: float = 2.6
    layout: dict[str, Any] = {}

    @property
    def all_panels(self) -> list[str]:
        """Names of all panels; one empty name where the figure is one picture."""
        if not self.panel_by:
            return [""]
        return [str(name) for name in self.numbers[self.panel_by].unique()]

    @property
    def panels(self) -> list[str]:
        """Names of the panels that `plot` draws: the first ones."""
        return self.all_panels[:MOST_PANELS]

    @property
    def omissions(self) -> str:
        """Sentences about how many of the methods and of the panels are drawn; empty where all are."""
        return " ".join(
            f"{len(subset)} of {len(names)} {kind} are drawn; the table has the numbers of all."
            for kind, subset, names in (
                ("methods", self.drawn_methods, self.methods),
                ("panels", self.panels, self.all_panels),
            )
            if len(subset) < len(names)
        )

    @property
    def means(self) -> pd.DataFrame:
        """Means of each method in `alt_columns`; of several panels those of the first."""
        numbers = self.numbers
        if "panel" in numbers:
            numbers = numbers[numbers["panel"] == self.panels[0]]
        alt_columns = list(self.alt_columns or numbers.select_dtypes("number").columns[:5])
        return numbers.groupby(self.by, sort=False)[alt_columns].mean()

    @property
    def finding(self) -> str:
        """Sentence about the highest mean in the first of `alt_columns`; empty where no method has one."""
        if not self.about:
            return ""
        means: Any = self.means.iloc[:, 0].round(9)
        best = [label(str(name)) for name in means.index[means == means.max()]]
        subject = self.subject or points_heading(means.name)
        if "panel" in self.numbers:
            subject = self.panels[0].partition(" (")[0]
        return f"Highest {subject}: {listed(best, 3)} ({means.max():.3g})." if best else ""

    @property
    def alt(self) -> str:
        """The figure in words: what it shows, and the means of each method."""
        rows = [
            f"{label(str(name))} {', '.join(f'{value:.3g}' for value in row)}"
            for name, *row in self.means.itertuples()
        ]
        return f"{self.about}. Mean {', '.join(points_heading(str(name)) for name in self.means)}: {first_of(rows)}."

    @property
    def methods(self) -> list[str]:
        """All methods, in the order of the figure."""
        if self.by not in self.numbers:
            return []
        return [str(name) for name in self.numbers[self.by].unique()]

    @property
    def drawn_methods(self) -> list[str]:
        """The methods that the suite wants in its figures; all where it names none of them."""
        chosen = suite_style().get("methods", [])
        return [name for name in self.methods if name in chosen] or self.methods

    @property
    def replacement(self) -> str:
        """Sentence in place of a figure without numbers, or in which all methods are alike; else empty."""
        if self.numbers.empty:
            return "There is nothing to draw."
        if len(self.methods) < 2:
            return ""
        tables = [
            rows.drop(columns=self.by).reset_index(drop=True)
            for _, rows in self.numbers.groupby(self.by)
        ]
        if not all(table.equals(tables[0]) for table in tables):
            return ""
        return f"All {len(self.methods)} {self.by}s are alike; the table has the numbers."

    def to_image(self) -> str:
        """Draw the figure as an image of HTML; the same figure has the same bytes."""
        figure: Any = self.plot().figure_
        data = base64.b64encode(save_figure(figure, "png", dpi=DPI)).decode()
        width = round(figure.get_figwidth() * PIXELS_PER_INCH)
        return f'<img src="data:image/png;base64,{data}" width="{width}" alt="{escape(self.alt)}">'

    def plot(
        self, ax: Any = None, width: str = "page", *, methods: Sequence[str] | None = None
    ) -> Self:
        """Draw the figure.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or sequence of them, optional
            One for each panel; a new figure otherwise.
        width : {'page', 'column'}
            Width of a new figure: 7.16 or 3.5 inches.
        methods : sequence of str, optional
            Methods to draw, the first on top or left; all otherwise.

        Raises
        ------
        InputError
            When the axes are not as many as the panels, or a method is unknown.
        """
        if not set(methods or ()) <= set(self.methods):
            raise InputError(
                f"methods: the methods are {listed(self.methods, 20)}, got {methods!r}"
            )
        display = self.with_methods(methods or self.drawn_methods)
        panels = display.panels
        if not panels:
            raise InputError("nothing to draw: there are no numbers")
        assign_looks(display.methods)
        is_new = ax is None
        with style():
            if is_new:
                ax = new_panels(width, len(panels), display.height, **display.layout)
            grid = list(np.ravel(ax))
            if len(grid) != len(panels):
                kind = type(self).__name__
                raise InputError(f"ax: {kind} needs {len(panels)} axes, got {len(grid)}")
            canvas = Canvas(dict(zip(panels, grid, strict=True)), is_new)
            display._draw(canvas)
            canvas.add_legend()
            if is_new:
                for axes in grid:
                    wrap_texts(axes)
        self.figure_ = grid[0].figure
        self.ax_ = grid[0] if panels == [""] else grid
        return self

    def with_methods(self, methods: Iterable[str]) -> Self:
        """Copy with these methods alone, in this order; where the order is what is shown, it stays."""
        display = copy(self)
        order = {name: place for place, name in enumerate(methods)}
        if self.by in self.numbers:
            places = self.numbers[self.by].astype(str).map(order).dropna()
            if self.reorderable:
                places = places.sort_values(kind="stable")
            display.numbers = self.numbers.loc[places.index].reset_index(drop=True)
        return display

    def _draw(self, canvas: Canvas) -> None:
        """Draw into the axes; artists with a label get into the legend."""
        raise NotImplementedError
