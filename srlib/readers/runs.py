"""Runs as a table, with layout, origin and notices, and the files that could not be read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from srlib.ledger import lines_of
from srlib.prose import counted
from srlib.readers.row_checks import NAMELESS
from srlib.result import Result
from srlib.tables import TableKind


class Unread(NamedTuple):
    """A file that was not read, and the reason."""

    file: str
    reason: str

    def __str__(self) -> str:
        """Return 'FILE: REASON', or 'FILE row 1: REASON'."""
        return f"{self.file}{' ' if self.reason.startswith('row ') else ': '}{self.reason}"


@dataclass(frozen=True, repr=False)
class RunTable(Result):
    """Run table, with its layout, origin and notices.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of the runs (or assessments, or measures) contract, plus `file` and `row` (from 1), the origin of each
        row. Columns with these names in the source are kept as `file_given` and `row_given`.
    layout : str
        Name of the layout of the source.
    folder : Path
        Folder that paths in the table are relative to.
    name : str
        Name of the file or folder.
    notices : tuple of str
        Sentences about rows and values that were left out or filled in.
    kind : {'runs', 'assessments', 'measures'}
        Kind of the rows: runs, assessed runs, or measures (one value of an aspect, as in published tables).
    unread : tuple of Unread
        The files that could not be read.
    """

    frame: pd.DataFrame
    layout: str
    folder: Path
    name: str
    kind: TableKind
    notices: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()

    title = "Runs"

    @property
    def sentences(self) -> list[str]:
        """Sentences about the numbers of runs, methods and datasets and the unusable rows, and the notices."""
        table = self.frame
        methods = counted(len(self.methods), "method")
        runs = counted(len(table), "assessed run" if self.kind == "assessments" else "run")
        sentences = [f"{runs}: {methods} on {counted(table['dataset'].nunique(), 'dataset')}."]
        if invalid := int((table["status"] == "invalid").sum()):
            sentences.append(
                f"{counted(invalid, 'row')} cannot be used; the column reason says why."
            )
        return [*sentences, *self.notices]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """The table itself, without columns that are empty."""
        return {self.title: self.frame.dropna(axis=1, how="all")}

    @property
    def unread_lines(self) -> list[dict[str, Any]]:
        """Lines of the ledger about the files that could not be read."""
        files = pd.DataFrame(self.unread, columns=list(Unread._fields))
        return lines_of(files, "unread_file", "excluded", "read", "{reason}", "file")

    @property
    def methods(self) -> list[str]:
        """Names of the methods, sorted, without the placeholder of rows that have no name."""
        return sorted(set(self.frame["method"].astype("str")) - {NAMELESS})


RunSource = str | Path | pd.DataFrame | RunTable
RunSources = RunSource | Iterable[RunSource]
