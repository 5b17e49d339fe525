"""`Result`, the base class of all results: sentences and tables, shown in Jupyter, as pages, figures and files."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from srlib.errors import advise_installation, require
from srlib.files import write_atomically
from srlib.folders import result_folder
from srlib.table_files import write_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS, FIRST_ROWS = 600, 60  # a page shows only the first rows of a longer table


class Result:
    """Base class of all results.

    A result has a `title`, `sentences` and `tables`; some have a figure and `files`. Modules of displays are imported
    only when a display is made.
    """

    title = "srlib"
    command = ""  # command that writes such results; `write` may replace its earlier files
    equations: tuple[str, ...] = ()  # columns that hold models

    @property
    def sentences(self) -> list[str]:
        """Sentences about the result; the first is the answer."""
        return []

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Tables by caption; Jupyter shows the first one."""
        return {}

    @property
    def files(self) -> dict[str, pd.DataFrame]:
        """Tables that `write` writes, by name of the CSV file without suffix."""
        return {}

    def _draw(self, displays: Any) -> Any:
        """Return the display that `plot` draws, from the package `displays`; None if the result has no figure."""
        return None

    def __repr__(self) -> str:
        """Return the name of the class and the first sentence."""
        return "\n".join(f"{type(self).__name__}: {sentence}" for sentence in self.sentences[:1])

    def _repr_html_(self) -> str | None:
        """Return the first sentences and the first table as HTML for Jupyter; None if an extra is not installed."""
        try:
            return self._to_body(list(self.tables.items())[:1], self.sentences[:3])
        except ModuleNotFoundError:  # HTML needs an extra; Jupyter falls back to the text
            return None

    def plot(self, ax: Any = None, width: Literal["page", "column"] = "page") -> "Figure":
        """Return a figure of the result.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or sequence of them, optional
            Axes to draw on; by default on a new figure.
        width : {'page', 'column'}
            Width of a new figure: 7.16 or 3.5 inches.

        Returns
        -------
        matplotlib.figure.Figure
            The figure; `figure.savefig` saves it.

        Raises
        ------
        InputError
            When this kind of result has no figure, or `width` is unknown.
        """
        require(width in ("page", "column"), f"width: page or column was expected, got {width!r}")
        with advise_installation():
            from srlib import displays

            display = self._draw(displays)
            require(
                display is not None,
                f"{type(self).__name__}: this result has no figure",
            )
            return display.plot(ax, width).figure_

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the whole result as one HTML page, which loads nothing from other files or servers.

        Parameters
        ----------
        path : str or Path, optional
            File to which the page is written, too.
        """
        with advise_installation():
            from srlib import displays
            from srlib.rendering.page import fill_page

            display = self._draw(displays)
            picture = "" if display is None else f"<p>{display.to_image()}</p>"
            body = self._to_body(list(self.tables.items()), self.sentences, picture)
        page = fill_page(self.title, self.title, main=body)
        if path is not None:
            write_atomically(path, page)
        return page

    def write(self, folder: str | Path, beside: bool = False) -> None:
        """Write `files` as CSV files in full precision to a folder, which is replaced as a whole or not at all.

        With `beside` other files in the folder stay.
        """
        if beside:
            for name, table in self.files.items():
                write_frame(table, Path(folder) / f"{name}.csv")
            return
        with result_folder(folder, self.command) as new:
            for name, table in self.files.items():
                write_frame(table, new / f"{name}.csv")

    def _to_body(
        self, tables: list[tuple[str, pd.DataFrame]], sentences: list[str], picture: str = ""
    ) -> str:
        """Return sentences, a picture and tables as HTML; long tables are shortened."""
        from srlib.displays.tables.table import Table, html_table

        parts = [f"<p>{escape(sentence)}</p>" for sentence in sentences] + [picture]
        for caption, table in tables:
            if len(table) > MOST_ROWS:
                caption = f"{caption}: the first {FIRST_ROWS} of {len(table):,} rows"
                table = table.head(FIRST_ROWS)
            equations = [name for name in self.equations if name in table]
            parts.append(html_table(Table(table, equations=equations), caption))
        return "\n".join(parts)
