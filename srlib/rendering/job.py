"""A report that is to be made, and where."""

from dataclasses import dataclass
from pathlib import Path

from srlib.rendering.provenance import Provenance
from srlib.rendering.suite import Report


@dataclass(frozen=True)
class Job:
    """All that the process needs to know which makes a report.

    Attributes
    ----------
    report : Report
        Its notebook and parameters.
    origin : Provenance
        Where it comes from.
    suite_title : str
        Title of the suite that it belongs to.
    pages : dict of str to str
        The suite's reports that have a page, participants' ones left out: notebooks' names by reports' names.
    folder : Path
        Where it is made: what is to be published in `new`, the kernel's own files beside it.
    """

    report: Report
    origin: Provenance
    suite_title: str
    pages: dict[str, str]
    folder: Path

    @property
    def output(self) -> Path:
        """Folder for the notebook's figures and tables, beside the page."""
        return self.folder / "new" / self.report.name
