"""How results show themselves: in Jupyter, as a page of their own, and as a figure where there is one."""

import base64
import io
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from srlib.api.arguments import allowed
from srlib.api.extras import extras_named
from srlib.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN, LONG = 60, 600  # rows of a longer table that a page shows


def many(count: int, what: str) -> str:
    """Count things in words.

    Examples
    --------
    >>> many(1, "run"), many(1020, "run")
    ('1 run', '1,020 runs')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


class Shown:
    """What all results have in common.

    A result says its `title`, its `sentences` and its `tables` (by caption; the first is the one that Jupyter shows).
    """

    title = "srlib"
    equations: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """What was found, in words; the first is the answer."""
        return []

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table, by its caption."""
        return {}

    def _display(self) -> Any:
        """Make the display that `plot` draws; None where a result has no figure."""
        return None

    def __repr__(self) -> str:
        """Show what was found, in words."""
        return "\n".join([f"{type(self).__name__}: {sentence}" for sentence in self.sentences[:1]])

    def _repr_html_(self) -> str | None:
        """Show the answer and the first table in Jupyter."""
        try:
            return self._body(list(self.tables.items())[:1], self.sentences[:3])
        except ModuleNotFoundError:  # pages are an extra; the text says the same
            return None

    def plot(self, ax: Any = None, width: Literal["page", "column"] = "page") -> "Figure":
        """Draw the result; matplotlib is imported here and not before.

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
        allowed(width, "width", ("page", "column"))
        with extras_named():
            display = self._display()
            if display is None:
                raise InputError(f"{type(self).__name__}: there is no figure of it; its tables are")
            return display.plot(ax, width).figure_

    def to_html(self, path: str | Path | None = None) -> str:
        """Write everything as one page that asks the net for nothing.

        Parameters
        ----------
        path : str or Path, optional
            File to write, too.

        Returns
        -------
        str
            The page.
        """
        from srlib.files import write_atomically
        from srlib.rendering.page import framed

        with extras_named():
            body = self._body(list(self.tables.items()), self.sentences, self._picture())
        page = framed(self.title, self.title, body)
        if path is not None:
            write_atomically(path, page)
        return page

    def _picture(self) -> str:
        display = self._display()
        if display is None:
            return ""
        buffer = io.BytesIO()
        display.plot(width="page").figure_.savefig(
            buffer, format="png", metadata={"Software": None}
        )
        data = base64.b64encode(buffer.getvalue()).decode()
        return f'<p><img src="data:image/png;base64,{data}" alt="{escape(display.alt)}"></p>'

    def _body(
        self, tables: list[tuple[str, pd.DataFrame]], sentences: list[str], picture: str = ""
    ) -> str:
        from srlib.displays.tables.table import html_table

        parts = [f"<p>{escape(sentence)}</p>" for sentence in sentences]
        parts += [picture] if picture else []
        for caption, table in tables:
            said = caption
            if len(table) > LONG:
                said = f"{caption}: the first {SHOWN} of {len(table):,} rows"
                table = table.head(SHOWN)
            equations = [name for name in self.equations if name in table]
            parts.append(html_table(table, said, equations=equations))
        return "\n".join(parts)
