"""What every figure does alike: where it draws, in which order, which colours and under which names."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srlib.displays.figures.titles import fit_titles
from srlib.displays.looks import remember
from srlib.displays.stated import stated
from srlib.displays.styling import MUTED, folded, label, labels, new_figure, pt, style
from srlib.errors import InputError
from srlib.prose import listed

MANY = 20  # methods; the rows of more are closer together
FOLDED = 34  # rows on a page; of more, long names have one line


def height_of(width: str, names: Sequence[str], least: float, down: int = 1) -> float:
    """Inches of a row: `least`, or what two lines need where the names of a column have them in each of `down` panels.

    Examples
    --------
    >>> height_of("column", ["a name of sixty letters"], 0.13), height_of("page", ["a"], 0.13)
    (0.2, 0.13)
    """
    longest = max((len(label(name, 1000)) for name in names), default=0)
    if width == "page" or len(names) * down > FOLDED or longest <= 20:
        return least
    return max(least, 0.2)


def key(**look: Any) -> Line2D:
    """Entry of a legend: a grey dot, or what is said instead."""
    return Line2D(
        [], [], **({"color": MUTED, "marker": "o", "ms": 4, "mew": 0, "ls": "none"} | look)
    )


def grid_of(width: str, count: int, across: int, height: float, below: float = 0.6) -> list[Any]:
    """Make a figure with `count` panels, `across` in a row, that share the names of their rows; heights in inches."""
    down = -(-count // across)
    figure = new_figure(width, below + down * height)
    grid = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
    for unused in grid[count:]:
        unused.remove()
    return list(grid[:count])


@dataclass(frozen=True)
class Canvas:
    """Axes by the name of their panel, the print width, and whether the figure around them was made here."""

    axes: dict[str, Any]
    width: str
    own: bool

    @property
    def grid(self) -> list[Any]:
        """The axes alone."""
        return list(self.axes.values())

    @property
    def wide(self) -> bool:
        """Whether a page's width is drawn."""
        return self.width == "page"

    @property
    def longest(self) -> int:
        """Letters of a name that there is room for beside an axis."""
        return 28 if self.wide else 18

    def texts(self, names: Sequence[str], more: int = 0, down: int = 0) -> list[str]:
        """Write names as they fit beside an axis: no two alike, in two lines where a column has room for them."""
        limit, grid = self.longest + more, self.grid[0].get_gridspec()
        if grid is not None:
            down = down or grid.nrows
        if not self.wide and len(names) * max(down, 1) <= FOLDED:
            return [folded(str(name), limit) for name in names]
        return labels([str(name) for name in names], limit)

    def rows(self, axes: Any, names: Sequence[str]) -> None:
        """Name the rows of a panel, the first on top; long names have two lines in a column."""
        shown, small = self.texts(names), {}
        if any("\n" in name for name in shown):
            small = {"fontsize": pt(6), "linespacing": 0.9}
        axes.set_yticks(range(len(names)), shown, **small)
        axes.set_ylim(max(len(names), 1) - 0.45, -0.55)
        axes.tick_params(length=0)

    def lines(self, first: str, second: str) -> str:
        """Join what stands in one line of a page, and in two of a column."""
        if self.wide:
            return f"{first} {second}"
        return f"{first}\n{second}"

    def legend(
        self, handles: Any, names: Any, columns: int, *, above: bool = False, **options: Any
    ) -> None:
        """Write the legend beside the panels of a figure of our own, else into the last of the caller's axes."""
        handles, names = list(handles), list(names)
        if not handles:
            return
        size = options.pop("fontsize", 7)
        columns = min(columns if self.wide else min(columns, 2), len(handles))
        points = pt(size)
        # a suite's or user's letters are larger than ours: what does not fit is set smaller
        if pt(1.0) > 1:
            longest = max(len(line) for name in names for line in name.split("\n"))
            room = 72 * self.grid[0].figure.get_figwidth() / (columns * (0.6 * longest + 5))
            points = min(points, max(room, 5.0))
        if self.own:
            place = "outside upper center" if above else "outside lower center"
            self.grid[0].figure.legend(
                handles, names, loc=place, ncols=columns, fontsize=points, **options
            )
        else:
            self.grid[-1].legend(handles, names, fontsize=points, **options)

    def name_axes(self, x: str, y: str) -> None:
        """Write the names of axes that all panels share: once on a figure of our own, else at every panel."""
        if self.own:
            self.grid[0].figure.supxlabel(x, fontsize=pt(7.5))
            self.grid[0].figure.supylabel(y, fontsize=pt(7.5))
            return
        for axes in self.grid:
            axes.set(xlabel=x, ylabel=y)


class Display:
    """Numbers that can be drawn: `plot` is here, what is drawn is in `_axes` and `_draw` of each figure."""

    numbers: pd.DataFrame
    figure_: Figure | None = None
    ax_: Any = None
    by: str = "method"
    ordered: bool = True
    compared: Sequence[str] = ()

    @property
    def panels(self) -> list[str]:
        """Names of what `plot` draws side by side; one without a name where it is one picture."""
        return [""]

    @property
    def methods(self) -> list[str]:
        """Who is drawn, in the order of the figure."""
        if self.by not in self.numbers:
            return []
        return [str(name) for name in self.numbers[self.by].unique()]

    @property
    def given(self) -> list[str]:
        """Names of features, events and other things of the data that head columns of the numbers."""
        return []

    @property
    def instead(self) -> str:
        """What to say where all methods are alike in what is compared: there is nothing to see then."""
        shown = [name for name in self.compared if name in self.numbers]
        if not shown:
            return ""
        keys = [name for name in ("panel", "series", "x_name", "y_name") if name in self.numbers]
        on = [name for name in ("dataset",) if name in self.numbers]
        if len(self.methods) < 2:
            points = len(self.numbers)
            if keys:
                points = self.numbers.groupby(keys, dropna=False).size().max()
            if points > 1 or not (keys or on):
                return ""
            return "one method alone has nobody to be compared with; the table has the numbers."
        keys += on
        cells = self.numbers.groupby(keys or (lambda row: 0), dropna=False)[shown]
        if cells.nunique(dropna=False).gt(1).any(axis=None):
            return ""
        where = " on every dataset" * ("dataset" in keys)
        return f"all {len(self.methods)} methods are alike{where}; the table has the numbers."

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
        shown = self._without(self.not_shown)._chosen(methods)
        wanted = shown.panels
        if not wanted:
            raise InputError(f"nothing to draw: {shown.instead or 'there are no numbers'}")
        remember(shown.methods)
        with style():
            grid = self._given(ax, wanted)
            if grid is None:
                grid = list(shown._axes(width, wanted))
            canvas = Canvas(dict(zip(wanted, grid, strict=True)), width, ax is None)
            shown._draw(canvas)
            if ax is None:
                fit_titles(grid)
        self.ax_, self.figure_ = grid, grid[0].figure
        if type(self).panels is Display.panels:
            self.ax_ = grid[0]
        return self

    @property
    def not_shown(self) -> list[str]:
        """Methods that the suite does not want in its figures; none where nobody would be left."""
        wanted = set(stated().get("methods", []))
        dropped = [name for name in self.methods if name.lstrip("*") not in wanted]
        if not wanted or len(dropped) == len(self.methods):
            return []
        return dropped

    def _without(self, dropped: Sequence[str]) -> Self:
        """Copy of which no table has these methods."""
        other = copy(self)
        for name, table in vars(self).items() if dropped else ():
            if isinstance(table, pd.DataFrame) and self.by in table:
                kept = ~table[self.by].astype(str).isin(dropped)
                setattr(other, name, table[kept].reset_index(drop=True))
            elif isinstance(table, list | tuple):
                setattr(other, name, type(table)(item for item in table if item not in dropped))
        return other

    def _given(self, ax: Any, wanted: list[str]) -> list[Any] | None:
        """Axes of the caller, one for each panel; None: a new figure is to be made."""
        if ax is None:
            return None
        grid = [ax] if isinstance(ax, Axes) else list(getattr(ax, "flat", ax))
        if len(grid) != len(wanted):
            known = f"{len(wanted)} axes ({listed(wanted, 12)})"
            if len(wanted) == 1:
                known = "one axes"
            raise InputError(f"ax: {type(self).__name__} needs {known}, got {len(grid)}")
        return grid

    def _chosen(self, methods: Sequence[str] | None) -> Self:
        """Copy with these methods alone, in this order; where the order is what is shown, it stays."""
        if methods is None:
            return self
        unknown = [name for name in methods if name not in self.methods]
        if unknown or not methods or isinstance(methods, str):
            known = listed(self.methods, 20) or "none"
            raise InputError(f"methods: the methods are {known}, got {methods!r}")
        shown = self._without([name for name in self.methods if name not in methods])
        if not self.ordered:
            return shown
        return shown._sorted({name: place for place, name in enumerate(methods)})

    def _sorted(self, place: Mapping[str, int]) -> Self:
        """Copy with the methods at these places."""
        other = copy(self)
        key = {"key": lambda names: names.astype(str).map(place), "kind": "stable"}
        other.numbers = self.numbers.sort_values(self.by, ignore_index=True, **key)
        return other

    def _axes(self, width: str, panels: list[str]) -> Sequence[Any]:
        """Make a figure with axes for these panels."""
        raise NotImplementedError

    def _draw(self, canvas: Canvas) -> None:
        """Draw into axes."""
        raise NotImplementedError
