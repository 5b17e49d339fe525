"""Base class of all figures: numbers, a description in words, and `plot`, which applies methods, axes and style."""

import base64
import io
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import product
from textwrap import fill
from typing import Any, Self

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.scale import LinearScale, LogScale, SymmetricalLogScale
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
from srlib.prose import Statement, first_of, join_statements, listed, state

SCALES: dict[str, Any] = {
    "linear": LinearScale,
    "log": LogScale,
    "symlog": partial(SymmetricalLogScale, linthresh=1, linscale=2),
}
LOG_FACTOR = 100.0  # an axis whose values span more than this factor is logarithmic
LEGEND_WIDTH = 5.0  # inches of a figure that has room for a legend at its right
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
        Most panels in a row at page width; at column width half as many.
    **shared
        Arguments of `Figure.subplots`.

    Examples
    --------
    >>> len(new_panels("column", 3, 1.2))
    3
    """
    across = min(across if width == "page" else (across + 1) // 2, count)
    down = -(-count // across)
    figure = new_figure(width, 0.5 + min(down * height, PANELS_INCHES))
    grid = figure.subplots(down, across, squeeze=False, **shared).ravel()
    for axes in grid:
        axes.grid(True, color=LIGHT_GREY)
        axes.tick_params(length=0)
    for axes in grid[count:]:
        axes.remove()
    return list(grid[:count])


def scale_of(values: Any) -> str:
    """Return the scale of an axis, which one value far from the others cannot squeeze: linear, log or symlog.

    Values are far apart if the largest amount is more than `LOG_FACTOR` times the smallest (of values that are not all
    positive, the median). The scale is then log for positive values, else symlog: linear between -1 and 1, logarithmic
    beyond. It is symlog, too, if a value is below -1, as R2 can be.

    Examples
    --------
    >>> scale_of([1.0, 1000.0]), scale_of([0.9, 0.5, -1526.0]), scale_of([0.0, 1.0]), scale_of([0.0, 1.0, 500.0])
    ('log', 'symlog', 'linear', 'symlog')
    """
    amounts = np.abs(np.asarray(values, float))
    is_positive = np.nanmin(values) > 0
    typical = np.nanmin(amounts) if is_positive else np.nanmedian(amounts)
    if 0 < LOG_FACTOR * typical < np.nanmax(amounts):
        return "log" if is_positive else "symlog"
    return "symlog" if np.nanmin(values) < -1 else "linear"


def choose_scale(axis: Any, values: Any) -> None:
    """Give an axis the scale of its values, with plain numbers at its ticks."""
    scale = SCALES[scale_of(values)](axis)
    if scale.name != "linear":
        axis.axes.set(**{f"{axis.axis_name}scale": scale})
        axis.get_major_locator().set_params(numticks=3)
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_formatter(NullFormatter())


def find_limits(values: Any, lows: Any, highs: Any) -> tuple[float, float]:
    """Return the ends of an axis: those of the centres, and of their intervals as far as these leave room.

    Beyond the centres an interval reaches up to twice their span, on a logarithmic scale a quarter of it; but at least
    a quarter of their size.

    Examples
    --------
    >>> low, high = find_limits([0.5, 1.0], [-9.0, 0.9], [0.6, 1.1])
    >>> round(low, 2), round(high, 2)
    (-0.58, 1.18)
    """
    scale = scale_of(values)
    transform = SCALES[scale](None).get_transform()
    centres, lows, highs = (
        transform.transform(np.asarray(side, float)) for side in (values, lows, highs)
    )
    first, last = np.nanmin(centres), np.nanmax(centres)
    spans = 2 if scale == "linear" else 0.25
    reach = max(spans * (last - first), abs(first) / 4, abs(last) / 4) or 1
    low = np.nanmax([np.nanmin([first, *lows]), first - reach])
    high = np.nanmin([np.nanmax([last, *highs]), last + reach])
    margin = 0.05 * (high - low) or 0.5
    low, high = transform.inverted().transform(np.array([low - margin, high + margin]))
    return float(low), float(high)


def wrap_texts(axes: Any) -> None:
    """Wrap the title and the axis labels of a panel to its width."""
    letters = int(95 * axes.bbox.width / axes.figure.dpi / mpl.rcParams["font.size"])
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

    def add_legend(self, side: str = "below") -> None:
        """Add a legend: beside the panels if `plot` created the figure; else in the last axes.

        It is below the panels, and the figure is enlarged, or at the right of a figure that has the width of a page.
        """
        artists: dict[str, Any] = {}
        for axes in self.grid:
            if axes.get_legend() is None:
                handles, names = axes.get_legend_handles_labels()
                artists |= dict(zip(names, handles, strict=True))
        names = shorten(list(artists), LEGEND_LETTERS)
        if names and not self.owns_figure:
            self.grid[-1].legend(artists.values(), names)
        elif names and side == "right" and self.grid[0].figure.get_figwidth() > LEGEND_WIDTH:
            self.grid[0].figure.legend(artists.values(), names, loc="outside right upper")
        elif names:
            figure, letter = self.grid[0].figure, mpl.rcParams["font.size"] / 72
            room = figure.get_figwidth() / letter / (0.55 * max(map(len, names)) + 5)
            columns = min(max(int(room), 1), len(names))
            legend = figure.legend(
                artists.values(), names, loc="outside lower center", ncols=columns
            )
            height = legend.get_window_extent().height / figure.dpi + letter
            figure.set_figheight(figure.get_figheight() + height)


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
    legend_side : {'below', 'right'}
        Where the legend of a wide figure is.
    layout : dict
        Further arguments of `new_panels`.
    for_talks : bool
        Whether pages have a version for slides with a dark ground, too.
    intervals : dict of str to str
        Columns of the values that are drawn with intervals; the key is what stands before `low` and `high` in the names
        of the columns with their ends.
    lowest : bool
        Whether `finding` names the lowest mean, not the highest.
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
    legend_side: str = "below"
    layout: dict[str, Any] = {}
    for_talks: bool = False
    intervals: dict[str, str] = {}
    lowest: bool = False

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
    def omissions(self) -> Statement:
        """Sentences that state how many methods and panels are drawn and how many intervals are cut; empty if none."""
        sentences = [
            state(
                f"drawn_{kind}",
                f"{{drawn}} of {{all}} {kind} are drawn; the table has the numbers of all.",
                drawn=len(subset),
                all=len(names),
            )
            for kind, subset, names in (
                ("methods", self.drawn_methods, self.methods),
                ("panels", self.panels, self.all_panels),
            )
            if len(subset) < len(names)
        ]
        numbers, cut = self.with_methods(self.drawn_methods).numbers, 0
        for panel, column in product(self.panels if self.intervals else (), self.intervals):
            rows = numbers[numbers[self.panel_by].astype(str) == panel]
            low, high = self.limits(rows, column)
            cut += int(((rows[f"{column}low"] < low) | (rows[f"{column}high"] > high)).sum())
        if cut:
            sentences.append(state("cut", "Longer than drawn: {cut} of the intervals.", cut=cut))
        return join_statements(sentences, " ")

    def limits(self, rows: pd.DataFrame, column: str) -> tuple[float, float]:
        """Return the ends of the axis of one of `intervals` in a panel with these rows."""
        ends = (rows[f"{column}{end}"] for end in ("low", "high"))
        return find_limits(rows[self.intervals[column]], *ends)

    def _limit_axis(self, axis: Any, rows: pd.DataFrame, column: str) -> None:
        """Set scale and ends of the axis of one of `intervals` in a panel with these rows."""
        ends = self.limits(rows, column)
        choose_scale(axis, rows[self.intervals[column]])
        axis.axes.set(**{f"{axis.axis_name}lim": ends})

    @property
    def has_series(self) -> bool:
        """Whether a panel has several numbers for each method: one for each `series`."""
        return len(set(self.numbers.get("series", ()))) > 1

    @property
    def means(self) -> pd.DataFrame:
        """Means of `alt_columns` for each method; in the first panel only, if `numbers` has the column `panel`.

        If a panel has several series, there is a column for each.
        """
        numbers = self.numbers
        if "panel" in numbers:
            numbers = numbers[numbers["panel"].isin(self.panels[:1])]
        alt_columns = list(self.alt_columns or numbers.select_dtypes("number").columns[:5])
        if self.has_series:
            return numbers.pivot_table(alt_columns[0], self.by, "series", sort=False)
        return numbers.groupby(self.by, sort=False)[alt_columns].mean()

    @property
    def finding(self) -> Statement:
        """Sentence that names the methods with the best mean in the first of `alt_columns`.

        It is empty without means, and if a panel has several series, of which no mean is drawn.
        """
        if not self.about or self.has_series:
            return Statement()
        means: Any = self.means.iloc[:, 0].round(9)
        value = means.min() if self.lowest else means.max()
        best = [label(str(name)) for name in means.index[means == value]]
        subject = self.subject or points_heading(means.name)
        if "panel" in self.numbers:
            subject = self.panels[0].partition(" (")[0]
        template = (
            f"{'Lowest' if self.lowest else 'Highest'} {{subject}}: {{best}} ({{value:.3g}})."
        )
        if not best:
            return Statement()
        return state("finding", template, subject=subject, best=listed(best, 3), value=value)

    @property
    def alt(self) -> str:
        """Description of the figure in words: what it shows, and the means of each method."""
        if self.numbers.empty:
            return f"{self.about}. {self.replacement}"
        rows = [
            f"{label(str(name))} {', '.join(f'{value:.3g}' for value in row)}".replace(
                "nan", "none"
            )
            for name, *row in self.means.itertuples()
        ]
        columns = ", ".join(points_heading(str(name)) for name in self.means)
        subject = f"{self.panels[0]} at" if self.has_series else "Mean"
        return f"{self.about}. {subject} {columns}: {first_of(rows)}."

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
            Width of a new figure: 7.13 or 3.48 inches.
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
            if is_new:
                for axes in grid:
                    wrap_texts(axes)
            display._annotate(canvas)
            canvas.add_legend(self.legend_side)
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

    def _annotate(self, canvas: Canvas) -> None:
        """Write into the axes what depends on their size; by default nothing."""
