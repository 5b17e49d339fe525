"""`Result`, the base class of all results: sentences and tables, shown in Jupyter, and written as CSV files."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

import pandas as pd

from srlib.folders import LISTS_FOLDER, publish, result_folder, staging_folder
from srlib.prose import visible
from srlib.table_files import write_frame

FIRST_SENTENCES, FIRST_ROWS = 3, 60  # that Jupyter shows


class Result:
    """Base class of all results.

    A result has a `title`, `sentences` and `tables`; some have `files`. A subclass defines `sentences`, `_tables` and
    `_files`.
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
        """Copies of the tables, by caption; Jupyter shows the first one."""
        return _copy(self._tables)

    @property
    def files(self) -> dict[str, pd.DataFrame]:
        """Copies of the tables that `write` writes, by name of the CSV file without suffix."""
        return _copy(self._files)

    @property
    def _tables(self) -> Mapping[str, pd.DataFrame]:
        return {}

    @property
    def _files(self) -> Mapping[str, pd.DataFrame]:
        return {}

    def __repr__(self) -> str:
        """Return the name of the class and the first sentence."""
        return "\n".join(f"{type(self).__name__}: {sentence}" for sentence in self.sentences[:1])

    def _repr_html_(self) -> str:
        """Return the first sentences and the first rows of the first table as HTML for Jupyter."""
        parts = [f"<p>{escape(sentence)}</p>" for sentence in self.sentences[:FIRST_SENTENCES]]
        for caption, table in list(self._tables.items())[:1]:
            rows, title = first_rows(table, caption, FIRST_ROWS)
            parts += [f"<p>{escape(title)}</p>", rows.to_html(index=False, border=0)]
        return visible("\n".join(parts))

    def write(self, folder: str | Path, keep_others: bool = False) -> None:
        """Write `files` as CSV files in full precision to a folder; all of them are replaced, or none.

        Parameters
        ----------
        folder : str or Path
            Folder of the files, created if it does not exist.
        keep_others : bool
            Whether other files in the folder stay. By default the folder is replaced as a whole, and may hold only
            files that the same command wrote.
        """
        target = Path(folder)
        inside = staging_folder(target / LISTS_FOLDER, folder)
        with inside if keep_others else result_folder(folder, self.command) as new:
            for name, table in self._files.items():
                write_frame(table, new / f"{name}.csv")
            if keep_others:
                publish(new)


def first_rows(table: pd.DataFrame, caption: str, limit: int) -> tuple[pd.DataFrame, str]:
    """Return at most `limit` rows of a table, and the caption, which states how many rows are shown if some are not."""
    if len(table) <= limit:
        return table, caption
    return table.head(limit), f"{caption}: the first {limit} of {len(table):,} rows"


def _copy(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return shallow copies; pandas copies the data when a copy is changed."""
    return {name: table.copy(deep=False) for name, table in tables.items()}
