"""Base class of all figures: numbers, a description in words, and `plot`, which applies methods, axes and style."""

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

from srlib.displays.styling import (
    LIGHT_GREY,
    Style,
    assign_looks,
    label,
    new_figure,
    shorten,
    style,
)
from srlib.displays.tables.aspects import points_heading
from srlib.errors import InputError
from srlib.prose import first_of, listed

LOG_FACTOR = 100.0  # an axis whose values span more than this factor is logarithmic
LEGEND_LETTERS = 40  # most letters of a name in a legend
MOST_PANELS = 12  # panels that a figure draws; tables have the others
PANELS_INCHES = 8.0  # most height of all rows of panels together
PIXELS_PER_INCH = 110  # width of a figure on a page
DPI = 130  # resolution of pictures on pages with many, such as ballots
FILE_METADATA = {
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "png": {"Software": None},
}  # no dates or versions, so that files are reproducible


def save_figure(figure: Figure, suffix: str, **options: Any) -> bytes:
    """Return a figure as PDF, SVG or PNG; the same figure gives the same bytes.

    Options are those of `Figure.savefig`.
    """
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format=suffix, metadata=FILE_METADATA[suffix], **options)
    return buffer.getvalue()


def new_panels(width: str, count: int, height: float, across: int = 4, **shared: Any) -> list[Any]:
    """Create a figure and return the axes of its panels.

    Parameters
    ----------
    width : {'page', 'column'}
        Print width.
    count : int
        Number of panels.
    height : float
        Height of a panel in inches; panels are lower if the rows together would be higher than `PANELS_INCHES`.
    across : int
        Most panels in a row: up to 4 at page width, up to 2 at column width.
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
    """Make an axis logarithmic if its values are far apart, with plain numbers at its ticks.

    Positive values are far apart if the highest is more than `LOG_FACTOR` times the lowest. If a value is below -1, as
    R2 can be, the axis is symlog: linear between -1 and 1, logarithmic beyond.
    """
    low, high = np.nanmin(values), np.nanmax(values)
    if low < -1 or 0 < LOG_FACTOR * low < high:
        axis.axes.set(**{f"{axis.axis_name}scale": "symlog" if low < -1 else "log"})
        axis.get_major_locator().set_params(numticks=3)
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_formatter(NullFormatter())


def wrap_texts(axes: Any) -> None:
    """Wrap the title and the axis labels of a panel to its width."""
    letters = int(110 * axes.bbox.width / axes.figure.dpi / mpl.rcParams["font.size"])
    axes.set_title(fill(axes.get_title(mpl.rcParams["axes.titlelocation"]), letters))
    axes.set_xlabel(fill(axes.get_xlabel(), letters))
    axes.set_ylabel(fill(axes.get_ylabel(), letters))


@dataclass(frozen=True)
class Canvas:
    """Axes by the name of their panel; `owns_figure` says whether `plot` created their figure."""

    axes: dict[str, Any]
    owns_figure: bool

    @property
    def grid(self) -> list[Any]:
        """The axes as a list."""
        return list(self.axes.values())

    def name_axes(self, x: str, y: str) -> None:
        """Label the x and y axes that all panels share; only the outer panels get labels."""
        for axes in self.grid:
            axes.set(xlabel=x, ylabel=y)
            axes.label_outer()

    def add_legend(self) -> None:
        """Add a legend: below the panels if `plot` created the figure, which is enlarged; else in the last axes."""
        artists: dict[str, Any] = {}
        for axes in self.grid:
            if axes.get_legend() is None:
                handles, names = axes.get_legend_handles_labels()
                artists |= dict(zip(names, handles, strict=True))
        names = shorten(list(artists), LEGEND_LETTERS)
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
    """Base class of figures: numbers that can be drawn; a subclass draws them into its axes in `_draw`.

    Attributes
    ----------
    numbers : pandas.DataFrame
        The numbers that are drawn; one column names the methods.
    by : str
        Column of `numbers` that names the methods.
    panel_by : str
        Column of `numbers` with a panel for each of its values; empty for a single panel.
    reorderable : bool
        Whether the methods may be drawn in another order; False if the order itself is a result.
    about : str
        Summary of the figure; `alt` begins with it.
    subject : str
        Name of the first of `alt_columns` in sentences; empty for the column's own name.
    alt_columns : sequence of str
        Columns of `numbers` whose means by method `alt` states; empty for the first five numeric columns.
    height : float
        Height of a panel in inches.
    layout : dict
        Further arguments of `new_panels`.
    for_talks : bool
        Whether pages have a version for slides with a dark ground, too.
    figure_, ax_
        The figure and its axes after `plot`: one Axes for a single panel, else a list.
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
    for_talks: bool = False

    @property
    def all_panels(self) -> list[str]:
        """Names of all panels; one empty name if the figure has a single panel."""
        if not self.panel_by:
            return [""]
        return [str(name) for name in self.numbers[self.panel_by].unique()]

    @property
    def panels(self) -> list[str]:
        """Names of the panels that `plot` draws: the first `MOST_PANELS`."""
        return self.all_panels[:MOST_PANELS]

    @property
    def omissions(self) -> str:
        """Sentences that state how many methods and panels are drawn; empty if all are."""
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
        """Means of `alt_columns` for each method; in the first panel only, if `numbers` has the column `panel`."""
        numbers = self.numbers
        if "panel" in numbers:
            numbers = numbers[numbers["panel"] == self.panels[0]]
        alt_columns = list(self.alt_columns or numbers.select_dtypes("number").columns[:5])
        return numbers.groupby(self.by, sort=False)[alt_columns].mean()

    @property
    def finding(self) -> str:
        """Sentence that names the methods with the highest mean in the first of `alt_columns`; empty without means."""
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
        """Description of the figure in words: what it shows, and the means of each method."""
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
        """Methods that `plot` draws by default: those that the suite's style names; all if it names none of them."""
        return [name for name in self.methods if name in Style.current.methods] or self.methods

    @property
    def replacement(self) -> str:
        """Sentence shown in place of the figure if it has no numbers or all methods have the same; else empty."""
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
        """Return the figure as an HTML `img` element; the same figure gives the same bytes."""
        figure: Any = self.plot().figure_
        data = base64.b64encode(save_figure(figure, "png", dpi=DPI)).decode()
        width = round(figure.get_figwidth() * PIXELS_PER_INCH)
        return f'<img src="data:image/png;base64,{data}" width="{width}" alt="{escape(self.alt)}">'

    def plot(
        self, ax: Any = None, width: str = "page", *, methods: Sequence[str] | None = None
    ) -> Self:
        """Draw the figure, set `figure_` and `ax_`, and return the Display.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or sequence of them, optional
            Axes to draw into, one for each panel; by default a new figure.
        width : {'page', 'column'}
            Width of a new figure: 7.16 or 3.5 inches.
        methods : sequence of str, optional
            Methods to draw, the first on top or left; by default `drawn_methods`.

        Raises
        ------
        InputError
            When the number of axes differs from that of the panels, a method is unknown, or there are no numbers.
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
        """Return a copy with only these methods, in this order; if it is not `reorderable`, the order stays."""
        display = copy(self)
        order = {name: place for place, name in enumerate(methods)}
        if self.by in self.numbers:
            places = self.numbers[self.by].astype(str).map(order).dropna()
            if self.reorderable:
                places = places.sort_values(kind="stable")
            display.numbers = self.numbers.loc[places.index].reset_index(drop=True)
        return display

    def _draw(self, canvas: Canvas) -> None:
        """Draw into the axes; artists with a label are listed in the legend."""
        raise NotImplementedError
