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
from matplotlib.ticker import NullFormatter

from srlib.displays.looks import remember
from srlib.displays.styling import GRID, PANELS, label, labels, new_figure, pt, style
from srlib.displays.suite_style import suite_style
from srlib.displays.tables.aspects import points
from srlib.errors import InputError
from srlib.prose import first_of, listed

LONGEST = 28  # letters of a name; longer ones are shortened where they do not differ
WIDE = 100.0  # an axis whose values span more than this factor is logarithmic
GROUPS = ("panel", "series", "x_name", "y_name", "dataset")  # columns in which methods are compared
MOST_ROWS = 75  # names below each other
PANEL_ROOM = 8.0  # inches of all panels below each other
PIXELS = 110  # of an inch of a figure on a page
DPI = 130  # of pictures on pages that may have many, such as the sheets of a ballot


def new_panels(
    width: str, count: int, height: float, across: int = 4, around: float = 0.5, **shared: Any
) -> list[Any]:
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
    around : float
        Inches of titles and names of axes.
    **shared
        Of `Figure.subplots`.

    Examples
    --------
    >>> len(new_panels("column", 3, 1.2))
    3
    """
    across = min(across, count, 4 if width == "page" else 2)
    down = -(-count // across)
    figure = new_figure(width, around + down * min(height, PANEL_ROOM / down))
    grid = figure.subplots(down, across, squeeze=False, **shared).ravel()
    for place, axes in enumerate(grid):
        axes.grid(True, color=GRID)
        axes.tick_params(length=0)
        if place >= count:
            grid[place - across].tick_params(labelbottom=True)  # now the lowest of its column
            axes.remove()
    return list(grid[:count])


def choose_scale(axis: Any, values: Any) -> None:
    """Make an axis logarithmic where its values are far apart, with plain numbers at its ticks.

    Positive ones by the factor `WIDE`; of those far below 0, as R2 may be, those below -1.
    """
    low, high = pd.Series(np.ravel(values)).agg(["min", "max"])
    if low < -1 or 0 < WIDE * low < high:
        scale = "symlog" if low < -1 else "log"
        axis.axes.set(**{f"{axis.axis_name}scale": scale})
        axis.get_major_locator().set_params(numticks=5)
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_formatter(NullFormatter())


def wrap_texts(axes: Any) -> None:
    """Break the title and the names of the axes of a panel where they are longer than it."""
    letters = 110 * axes.bbox.size / axes.figure.dpi / mpl.rcParams["font.size"]
    across, up = np.maximum(letters, 6).astype(int)
    axes.set_title(fill(axes.get_title(mpl.rcParams["axes.titlelocation"]), across))
    axes.set_xlabel(fill(axes.get_xlabel(), across))
    axes.set_ylabel(fill(axes.get_ylabel(), up))


@dataclass(frozen=True)
class Canvas:
    """Axes by the name of their panel, the print width, and whether `plot` made the figure around them."""

    axes: dict[str, Any]
    width: str
    own: bool

    @property
    def grid(self) -> list[Any]:
        """The axes alone."""
        return list(self.axes.values())

    def rows(self, axes: Any, names: Sequence[str]) -> None:
        """Name the rows of a panel, the first on top; of very many every second, third and so on."""
        size, step = pt(7.5), 1 + len(names) // MOST_ROWS
        if self.width == "column" or len(names) > 30:
            size = pt(6)
        places = range(0, len(names), step)
        axes.set_yticks(places, labels(names[::step], LONGEST), fontsize=size)
        axes.set_ylim(len(names) - 0.45, -0.55)

    def legend(self, longest: int = LONGEST, **options: Any) -> None:
        """Name what is labelled, below the panels of a figure of our own, which grows by it; else in the last axes.

        Parameters
        ----------
        longest : int
            Letters of a name.
        **options
            Of `Figure.legend`.
        """
        artists: dict[str, Any] = {}
        for axes in self.grid:
            handles, names = axes.get_legend_handles_labels()
            artists |= dict(zip(names, handles, strict=True))
        names, size = labels(list(artists), longest), pt(6.5)
        options = {"handles": artists.values(), "labels": names, "fontsize": size} | options
        if not self.own:
            self.grid[-1].legend(**options)
            return
        figure = self.grid[0].figure
        entry_width = (0.6 * max(map(len, names)) + 5.5) * size / 72
        columns = min(max(int(figure.get_figwidth() / entry_width), 1), len(names))
        rows = -(-len(names) // columns)
        figure.set_figheight(figure.get_figheight() + (1.5 * rows + 1) * size / 72)
        figure.legend(loc="outside lower center", ncols=columns, **options)

    def name_axes(self, x: str, y: str) -> None:
        """Name the axes that all panels share, at the outer ones."""
        for axes in self.grid:
            axes.set(xlabel=x, ylabel=y)
            axes.label_outer()


class Display:
    """Numbers that can be drawn; each figure makes its axes in `_axes` and draws into them in `_draw`.

    Attributes
    ----------
    numbers : pandas.DataFrame
        What is drawn, with a column for the methods.
    by : str
        Name of that column.
    ordered : bool
        Whether methods may stand in another order; else their order is what the figure shows.
    about : str
        What the figure shows; `alt` begins with it.
    described : tuple of str
        Columns of `numbers` of which `alt` has the mean of each method.
    """

    numbers: pd.DataFrame
    figure_: Any = None
    ax_: Any = None
    by: str = "method"
    ordered: bool = True
    about: str
    described: Sequence[str]

    @property
    def all_panels(self) -> list[str]:
        """Names of what could be drawn side by side; one without a name where it is one picture."""
        return [""]

    @property
    def panels(self) -> list[str]:
        """Names of what `plot` draws side by side: the first of all panels."""
        return self.all_panels[:PANELS]

    @property
    def left_out(self) -> str:
        """How many of very many panels are drawn; empty where all are."""
        count = len(self.all_panels)
        if count <= len(self.panels):
            return ""
        return f"{len(self.panels)} of {count} panels are drawn; the table has the numbers of all."

    @property
    def alt(self) -> str:
        """The figure in words: what it shows, and the means of each method."""
        numbers = self.numbers
        if "panel" in numbers:
            numbers = numbers[numbers["panel"] == self.panels[0]]
        means = numbers.groupby(self.by)[list(self.described)].mean()
        means = means.loc[[name for name in self.methods if name in means.index]]
        rows = [
            f"{label(str(name))} {', '.join(f'{value:.3g}' for value in row)}"
            for name, *row in means.itertuples()
        ]
        return f"{self.about}. Mean {', '.join(points(str(name)) for name in self.described)}: {first_of(rows)}."

    @property
    def methods(self) -> list[str]:
        """Who is drawn, in the order of the figure."""
        if self.by not in self.numbers:
            return []
        return [str(name) for name in self.numbers[self.by].unique()]

    @property
    def replacement(self) -> str:
        """Sentence in place of a figure in which all methods are alike; empty where some differ."""
        values = self.numbers.drop(columns=self.by, errors="ignore")
        groups = [name for name in GROUPS if name in values] or (lambda row: 0)
        counts = values.groupby(groups, dropna=False).nunique(dropna=False)
        if len(self.methods) < 2 or counts.gt(1).any(axis=None):
            return ""
        return f"all {len(self.methods)} {self.by}s are alike; the table has the numbers."

    def to_image(self) -> str:
        """Draw the figure as an image of HTML; the same figure has the same bytes."""
        buffer = io.BytesIO()
        with style():
            figure: Any = self.plot().figure_
            figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
        data = base64.b64encode(buffer.getvalue()).decode()
        width = round(figure.get_figwidth() * PIXELS)
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
            Of a new figure: 7.16 or 3.5 inches.
        methods : sequence of str, optional
            Whom to draw, the first on top or left; all otherwise.

        Raises
        ------
        InputError
            When the axes are not as many as the panels, or a method is unknown.
        """
        if not set(methods or ()) <= set(self.methods):
            raise InputError(
                f"methods: the methods are {listed(self.methods, 20)}, got {methods!r}"
            )
        drawn_methods = [name for name in self.methods if name not in self.not_shown]
        chosen = self.with_methods(methods or drawn_methods)
        panels = chosen.panels
        if not panels:
            raise InputError("nothing to draw: there are no numbers")
        remember(chosen.methods)
        with style():
            grid = list(np.ravel(ax)) if ax is not None else list(chosen._axes(width, panels))
            if len(grid) != len(panels):
                name = type(self).__name__
                raise InputError(f"ax: {name} needs {len(panels)} axes, got {len(grid)}")
            chosen._draw(Canvas(dict(zip(panels, grid, strict=True)), width, ax is None))
            for axes in grid if ax is None else ():
                wrap_texts(axes)
        self.figure_, self.ax_ = grid[0].figure, grid[0] if panels == [""] else grid
        return self

    @property
    def not_shown(self) -> list[str]:
        """Methods that the suite does not want in its figures; none where nobody would be left."""
        chosen = set(suite_style().get("methods", []))
        if chosen.isdisjoint(name.lstrip("*") for name in self.methods):
            return []
        return [name for name in self.methods if name.lstrip("*") not in chosen]

    def with_methods(self, methods: Iterable[str]) -> Self:
        """Copy with these methods alone, in this order; where the order is what is shown, it stays."""
        place, copied = {name: number for number, name in enumerate(methods)}, copy(self)
        # what is no method, as the truth, stays first
        place = dict.fromkeys(set(self.numbers.get(self.by, [])) - set(self.methods), -1) | place
        for name, table in vars(self).items():
            if isinstance(table, pd.DataFrame) and self.by in table:
                places = table[self.by].astype(str).map(place).dropna()
                if self.ordered:
                    places = places.sort_values(kind="stable")
                setattr(copied, name, table.loc[places.index].reset_index(drop=True))
        return copied

    def _axes(self, width: str, panels: list[str]) -> Sequence[Any]:
        """Make a figure with axes for these panels."""
        raise NotImplementedError

    def _draw(self, canvas: Canvas) -> None:
        """Draw into axes."""
        raise NotImplementedError
