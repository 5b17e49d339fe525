"""`Result`, the base of all results: sentences and tables, shown in Jupyter, as pages, as figures and as files."""

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

MOST_ROWS, FIRST_ROWS = 600, 60  # of a longer table a page shows the first


class Result:
    """Base class of all results.

    A result has a `title`, `sentences` and `tables`; some have a figure and `files`. Displays are imported when one is
    asked for, and not before.
    """

    title = "srlib"
    command = ""  # that writes such a result; `write` replaces the files that it wrote before
    equations: tuple[str, ...] = ()  # columns that hold models

    @property
    def sentences(self) -> list[str]:
        """Sentences about the result; the first is the answer."""
        return []

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Tables by their captions; the first is the one that Jupyter shows."""
        return {}

    @property
    def files(self) -> dict[str, pd.DataFrame]:
        """Tables that `write` writes, by the name of the CSV file."""
        return {}

    def _draw(self, displays: Any) -> Any:
        """Return the display that `plot` draws, of the package `srlib.displays`; None where there is no figure."""
        return None

    def __repr__(self) -> str:
        """Return the answer."""
        return "\n".join(f"{type(self).__name__}: {sentence}" for sentence in self.sentences[:1])

    def _repr_html_(self) -> str | None:
        """Return the answer and the first table as HTML for Jupyter."""
        try:
            return self._to_body(list(self.tables.items())[:1], self.sentences[:3])
        except ModuleNotFoundError:  # pages are an extra; the text says the same
            return None

    def plot(self, ax: Any = None, width: Literal["page", "column"] = "page") -> "Figure":
        """Return a figure of the result.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or sequence of them, optional
            Where to draw; a new figure otherwise.
        width : {'page', 'column'}
            Of a new figure: 7.16 or 3.5 inches.

        Returns
        -------
        matplotlib.figure.Figure
            `figure.savefig` keeps it.

        Raises
        ------
        InputError
            When there is no figure of such a result.
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
        """Return the whole result as one HTML page, which makes no request.

        Parameters
        ----------
        path : str or Path, optional
            File to write, too.
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

    def write(self, folder: str | Path) -> None:
        """Write `files` as CSV, in full precision; the folder changes whole or not at all."""
        with result_folder(folder, self.command) as new:
            for name, table in self.files.items():
                write_frame(table, new / f"{name}.csv")

    def _to_body(
        self, tables: list[tuple[str, pd.DataFrame]], sentences: list[str], picture: str = ""
    ) -> str:
        """Return sentences, a picture and tables as HTML."""
        from srlib.displays.tables.table import html_table

        parts = [f"<p>{escape(sentence)}</p>" for sentence in sentences] + [picture]
        for caption, table in tables:
            if len(table) > MOST_ROWS:
                caption = f"{caption}: the first {FIRST_ROWS} of {len(table):,} rows"
                table = table.head(FIRST_ROWS)
            equations = [name for name in self.equations if name in table]
            parts.append(html_table(table, caption, equations=equations))
        return "\n".join(parts)
