"""Base class of all figures: numbers, a title and a description made from them, and `plot`, which applies the style."""

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
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
from matplotlib.transforms import Bbox

from srlib.displays.styling import Style, assign_looks, label, labels, new_figure, style
from srlib.displays.tables.aspects import points_heading
from srlib.errors import require
from srlib.prose import Statement, first_of, join_statements, listed, state

SYMLOG = {"linthresh": 1, "linscale": 2}  # the linear part of an axis with both signs
LOG_FACTOR = 100.0  # an axis whose values span more than this factor is logarithmic
MOST_PANELS = 12  # panels that a figure draws; tables have the others
PANELS_INCHES = 8.0  # most height of all rows of panels together
PAGE_PIXELS = 1200  # width of a figure on a page; a smaller screen shows it smaller
DPI = 130  # resolution of pictures on pages with many, such as ballots
PLACES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)])
GAP = 4.0  # points from a mark to its name
LINE_POINTS = 24  # points of a line next to which its name may stand
LEGEND_INCHES = 2.0  # width of an entry of a legend
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
    """Create a figure and return the axes of its panels, if possible with more than one in the last row.

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
    most = min(across if width == "page" else (across + 1) // 2, count)
    fitting = [n for n in range(1, most + 1) if -(-count // n) * height < PANELS_INCHES]
    across = max((n for n in fitting if n == 1 or count % n != 1), default=most)
    down = -(-count // across)
    figure = new_figure(width, 0.5 + min(down * height, PANELS_INCHES))
    grid = figure.subplots(down, across, squeeze=False, **shared).ravel()
    for axes in grid[count:]:
        axes.remove()
    for axes in grid[:count]:
        axes.grid(True)
        axes.tick_params(length=0)
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


def fit_axis(axis: Any, values: Any, lows: Any, highs: Any) -> int:
    """Set the scale and the ends of an axis by the centres of intervals, and return how many intervals are longer.

    The axis has room for the intervals, but at most half of it lies beyond the centres.
    """
    name, scale = axis.axis_name, scale_of(values)
    getattr(axis.axes, f"set_{name}scale")(scale, **(SYMLOG if scale == "symlog" else {}))
    transform = axis.get_transform()
    ends = transform.transform(np.ravel([values, lows, highs]).astype(float)).reshape(3, -1)
    first, last = np.nanmin(ends[0]), np.nanmax(ends[0])
    reach = max((last - first) / 2, abs(first) / 4, abs(last) / 4) or 1
    low, high = np.clip([np.nanmin(ends), np.nanmax(ends)], first - reach, last + reach)
    margin = 0.05 * (high - low) or 0.5
    limits = np.array([low - margin, high + margin])
    getattr(axis.axes, f"set_{name}lim")(transform.inverted().transform(limits))
    if scale == "linear":
        axis.get_major_locator().set_params(nbins=5, min_n_ticks=4)
    else:
        axis.get_major_locator().set_params(numticks=6)
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_formatter(NullFormatter())
    return int(((ends[1] < limits[0]) | (ends[2] > limits[1])).sum())


def name_lines(axes: Any, lines: dict[str, Any]) -> list[str]:
    """Write a name beside each line or mark, where its line is apart from others and it hides none, and no name.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Axes of a figure whose layout is known.
    lines : dict of str to matplotlib.lines.Line2D
        The line of each name; the first name is written first. A line without points has no name.

    Returns
    -------
    list of str
        Names that have no room.
    """
    area, pixels, points = axes.get_window_extent(), axes.figure.dpi / 72, {}
    lines = {name: line for name, line in lines.items() if len(line.get_path())}
    for name, line in lines.items():
        path = line.get_transform().transform_path(line.get_path())
        path = path.interpolated(1 + LINE_POINTS // len(path))
        points[name] = path.vertices[:: 1 + len(path) // (2 * LINE_POINTS)]
    symbols = [Bbox([xy - GAP, xy + GAP]) for vertices in points.values() for xy in vertices]
    placed, unnamed = list[Bbox](), list[str]()
    for name, vertices in points.items():
        text = axes.text(0, 0, name, color=lines[name].get_color(), size="small",
                         ha="center", va="center", transform=axes.transAxes)  # fmt: skip
        half = np.array(text.get_window_extent().size) / 2 + 1
        spots = (vertices[:, None] + PLACES * (half + GAP * pixels)).reshape(-1, 2)
        boxes = [Bbox([spot - half, spot + half]) for spot in spots]
        boxes = [box for box in boxes if area.count_contains(box.get_points()) == 2]
        boxes = [box for box in boxes if not box.count_overlaps(placed)]
        if boxes:
            placed.append(min(boxes, key=lambda box: box.padded(2 * GAP).count_overlaps(symbols)))
            text.set_position(axes.transAxes.inverted().transform(placed[-1].get_points().mean(0)))
        else:
            text.remove()
            unnamed.append(name)
    return unnamed


@dataclass(frozen=True)
class Canvas:
    """Axes by the name of their panel."""

    axes: dict[str, Any]

    @property
    def grid(self) -> list[Any]:
        """The axes as a list."""
        return list(self.axes.values())

    def name_axes(self, x: str, y: str) -> None:
        """Label the x and y axes that all panels share; only the outer panels get labels."""
        for axes in self.grid:
            axes.set(xlabel=x, ylabel=y)
            axes.label_outer()

    def finish(self, title: str) -> None:
        """Wrap titles and labels to the width of their panels; add a title above and a legend below, with room."""

        def wrap(text: str, inches: float) -> str:
            return fill(text, int(115 * inches / mpl.rcParams["font.size"]))

        figure, artists = self.grid[0].figure, {}
        for axes in self.grid:
            inches = axes.bbox.width / figure.dpi
            axes.set_title(wrap(axes.get_title(mpl.rcParams["axes.titlelocation"]), inches))
            axes.set(xlabel=wrap(axes.get_xlabel(), inches), ylabel=wrap(axes.get_ylabel(), inches))
            if axes.get_legend() is None:
                handles, names = axes.get_legend_handles_labels()
                artists |= dict(zip(names, handles, strict=True))
        width, height = figure.get_size_inches()
        texts = [figure.suptitle(wrap(title, width), x=0.01, ha="left")] if title else []
        if artists:
            columns = int(width / LEGEND_INCHES)
            place: Any = {"loc": "outside lower center", "ncols": columns}
            texts.append(figure.legend(artists.values(), artists, **place))
        heights = (text.get_window_extent().height / figure.dpi + 0.1 for text in texts)
        figure.set_figheight(height + sum(heights))


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
    step_by : str
        Column of `numbers` that tells apart several numbers of a method in a panel; empty if there is one.
    step_words : str
        Words before a step, such as `at noise level`.
    reorderable : bool
        Whether the methods may be drawn in another order; False if the order itself is a result.
    about : str
        Summary of the figure, for `alt`.
    subject : str
        What the numbers are; empty for the name of the first panel or of the columns.
    alt_columns : sequence of str
        Columns of `first_panel` that `alt` states, of which the first is that of `finding`; empty: there is no finding.
    height, row_height : float
        Inches of a panel, and further inches for each method.
    layout : dict
        Further arguments of `new_panels`.
    for_talks : bool
        Whether pages have a version for slides with a dark ground, too.
    lowest : bool
        Whether `finding` names the lowest number, not the highest.
    figure_, ax_
        The figure and its axes after `plot`: one Axes for a single panel, else a list.
    cut_, unnamed_
        After `plot`: how many intervals are longer than drawn, and the names without room.
    lines_ : dict of matplotlib.axes.Axes to dict of str to matplotlib.lines.Line2D
        Lines and marks that `plot` names, which `_draw` adds for each panel.
    """

    numbers: pd.DataFrame
    figure_: Any = None
    ax_: Any = None
    cut_: int = 0
    unnamed_: Sequence[str] = ()
    lines_: dict[Any, dict[str, Any]]
    by: str = "method"
    panel_by: str = ""
    step_by: str = ""
    step_words: str = "at"
    reorderable: bool = True
    about: str = ""
    subject: str = ""
    alt_columns: Sequence[str] = ()
    height: float = 2.6
    row_height: float = 0
    layout: dict[str, Any] = {}
    for_talks: bool = False
    lowest: bool = False

    @property
    def inches(self) -> float:
        """Height of a panel."""
        return self.height + self.row_height * len(self.methods)

    @property
    def all_panels(self) -> list[str]:
        """Names of all panels; one empty name if the figure has a single panel."""
        return [*self.numbers[self.panel_by].astype(str).unique()] if self.panel_by else [""]

    @property
    def panels(self) -> list[str]:
        """Names of the panels that `plot` draws: the first `MOST_PANELS`, as far as a page has room, at least one."""
        room = int(self.layout.get("across", 4) * PANELS_INCHES / self.inches)
        return self.all_panels[: max(min(room, MOST_PANELS), 1)]

    @property
    def omissions(self) -> Statement:
        """Sentences on what is not drawn: methods and panels, and, after `plot`, ends of intervals and names."""
        template = "{drawn} of {all} %s are drawn; the table has the numbers of all."
        sentences = [
            state(f"drawn_{kind}", template % kind, drawn=len(subset), all=len(names))
            for kind, subset, names in (
                ("methods", self.drawn_methods, self.methods),
                ("panels", self.panels, self.all_panels),
            )
            if len(subset) < len(names)
        ]
        if self.cut_:
            template = "Longer than drawn: {cut} of the intervals."
            sentences.append(state("cut", template, cut=self.cut_))
        if self.unnamed_:
            names = listed(self.unnamed_, 6)
            sentences.append(state("unnamed", "Without room for a name: {names}.", names=names))
        return join_statements(sentences, " ")

    @property
    def first_panel(self) -> pd.DataFrame:
        """Rows that `finding` and `alt` state: those of the first panel, of all methods."""
        if self.panel_by in ("", self.by):
            return self.numbers
        return self.numbers[self.numbers[self.panel_by].astype(str) == self.panels[0]]

    def _name_numbers(self, panel: str, steps: Sequence[Any]) -> str:
        """Return what the numbers of a panel are, with the steps at which they are."""
        subject = self.subject or panel or points_heading(self.alt_columns[0])
        return f"{subject} {self.step_words} {', '.join(map(str, steps))}" if steps else subject

    @property
    def steps(self) -> list[Any]:
        """The steps of the first panel, if there are several."""
        steps = list(self.first_panel[self.step_by].unique()) if self.step_by else []
        return steps if len(steps) > 1 else []

    @property
    def finding(self) -> Statement:
        """Sentence that names the methods with the best number in the first panel, at the last step; else empty."""
        if not self.alt_columns or self.first_panel.empty:
            return Statement()
        rows, last = self.first_panel, self.steps[-1:]
        rows = rows[rows[self.step_by].isin(last)] if last else rows
        values = rows[self.alt_columns[0]].round(9)
        value = values.min() if self.lowest else values.max()
        best = labels(rows[self.by][values == value])
        if not best or 1 < len(best) == len(rows):
            return Statement()
        return state(
            "finding",
            f"{'Lowest' if self.lowest else 'Highest'} {{subject}}: {{best}} ({{value:.3g}}).",
            subject=self._name_numbers(self.panels[0].rpartition(" (")[0] or self.panels[0], last),
            best=listed(best, 3),
            value=value,
        )

    @property
    def alt(self) -> str:
        """Description of the figure in words: what it shows, and the numbers and intervals of the first panel."""
        if self.numbers.empty:
            return f"{self.about}. {self.replacement}"
        finding = f"{self.finding} " if self.finding else ""
        subject = self._name_numbers(self.panels[0], self.steps)
        texts = [
            f"{label(str(method))} {', '.join(map(self._describe, rows.to_dict('records')))}"
            for method, rows in self.first_panel.groupby(self.by, sort=False)
        ]
        return f"{finding}{self.about}. {subject[:1].upper()}{subject[1:]}: {first_of(texts)}."

    def _describe(self, row: Mapping[Any, Any]) -> str:
        """Return the numbers of a row in `alt_columns` as text, each with its interval, if it has one."""
        texts = []
        for column in self.alt_columns:
            prefix = "" if column == "value" else f"{column}_"
            low, high = (row.get(f"{prefix}{end}", np.nan) for end in ("low", "high"))
            is_known = pd.notna(low) and pd.notna(high)
            interval = f" ({low:.3g} to {high:.3g})" if is_known and low < high else ""
            texts.append("none" if pd.isna(row[column]) else f"{row[column]:.3g}{interval}")
        return ", ".join(texts)

    @property
    def methods(self) -> list[str]:
        """All methods, in the order of the figure."""
        return [*self.numbers[self.by].astype(str).unique()] if self.by in self.numbers else []

    @property
    def drawn_methods(self) -> list[str]:
        """Methods that `plot` draws by default: those that the suite's style names; all if it names none of them."""
        return [name for name in self.methods if name in Style.current.methods] or self.methods

    @property
    def replacement(self) -> str:
        """Sentence shown in place of the figure if it has no numbers; else empty."""
        return "There is nothing to draw." if self.numbers.empty else ""

    def to_image(self) -> str:
        """Return the figure as an HTML `img` element; the same figure gives the same bytes."""
        data = base64.b64encode(save_figure(self.plot().figure_, "png", dpi=DPI)).decode()
        width = 2 * PAGE_PIXELS // 3
        return f'<img src="data:image/png;base64,{data}" width="{width}" alt="{escape(self.alt)}">'

    def plot(
        self, ax: Any = None, width: str = "page", *, methods: Sequence[str] | None = None
    ) -> Self:
        """Draw the figure, set `figure_` and `ax_`, and return the Display.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or sequence of them, optional
            Axes to draw into, one for each panel; by default a new figure, which has a title and a legend.
        width : {'page', 'column'}
            Width of a new figure: 7.13 or 3.48 inches.
        methods : sequence of str, optional
            Methods to draw, the first on top or left; by default `drawn_methods`.

        Raises
        ------
        InputError
            When the number of axes differs from that of the panels, a method is unknown, or there are no numbers.
        """
        names = listed(self.methods, 20)
        message = f"methods: the methods are {names}, got {methods!r}"
        require(set(methods or ()) <= set(self.methods), message)
        display = self.with_methods(methods or self.drawn_methods)
        panels, display.cut_, display.lines_ = display.panels, 0, {}
        require(panels != [], "nothing to draw: there are no numbers")
        assign_looks(display.methods)
        with style():
            is_new = ax is None
            if is_new:
                ax = new_panels(width, len(panels), display.inches, **display.layout)
            grid = list(np.ravel(ax))
            message = f"ax: {type(self).__name__} needs {len(panels)} axes, got {len(grid)}"
            require(len(grid) == len(panels), message)
            canvas = Canvas(dict(zip(panels, grid, strict=True)))
            display._draw(canvas)
            if is_new:
                canvas.finish(display.finding.removesuffix("."))
            if display.lines_:
                grid[0].figure.draw_without_rendering()
            unnamed = [name_lines(axes, lines) for axes, lines in display.lines_.items()]
        self.figure_, self.ax_ = grid[0].figure, grid[0] if panels == [""] else grid
        self.cut_, self.unnamed_ = display.cut_, sorted(set[str]().union(*unnamed))
        return self

    def with_methods(self, methods: Iterable[str]) -> Self:
        """Return a copy with only these methods, in this order; if it is not `reorderable`, the order stays."""
        display, order = copy(self), list(methods)
        if self.by in self.numbers:
            names = self.numbers[self.by].astype(str)
            places = names[names.isin(order)].map(order.index)
            rows = places.sort_values(kind="stable") if self.reorderable else places
            display.numbers = self.numbers.loc[rows.index].reset_index(drop=True)
        return display

    def _draw(self, canvas: Canvas) -> None:
        """Draw into the axes; artists with a label are listed in the legend."""
        raise NotImplementedError
