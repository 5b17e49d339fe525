"""Reports of a suite as HTML files."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from srlib.errors import missing_packages_named, require
from srlib.prose import counted
from srlib.rendering import Result as Rendered
from srlib.rendering import render_suite
from srlib.rendering.suite import load_suite
from srlib.result import Result


class Reports(Result):
    """Rendered reports.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a report: report, state (executed, unchanged or failed), verdict, seconds, file.
    index : pathlib.Path
        The page that lists them.
    failed : tuple of str
        Reports that failed, or whose checks did.
    """

    title = "Reports"

    def __init__(self, rendered: list[Rendered], folder: Path) -> None:
        self.index = folder / "index.html"
        rows = [
            (
                each.name,
                each.state,
                each.handed["verdict"],
                each.seconds,
                f"{folder / each.name}.html",
            )
            for each in rendered
        ]
        self.table = pd.DataFrame(rows, columns=["report", "state", "verdict", "seconds", "file"])
        self.failed = tuple(self.table["report"][self.table["state"] == "failed"])

    @property
    def sentences(self) -> list[str]:
        """Where the pages are, and what failed."""
        failed = [f"Failed: {', '.join(self.failed)}."] if self.failed else []
        return [f"{counted(len(self.table), 'report')}, listed in {self.index}.", *failed]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The reports with their verdicts."""
        return {"Reports": self.table}


def report(
    suite: str | Path,
    out: str | Path | None = None,
    *,
    only: str | Iterable[str] = (),
    force: bool = False,
    bundle: bool = False,
    on_result: Callable[[Rendered], None] | None = None,
) -> Reports:
    """Render reports, one HTML file each, with an index; the same as `srlib report`.

    Parameters
    ----------
    suite : str or Path
        Suite file or shipped name.
    out : str or Path, optional
        Folder for the pages; reports/SUITE otherwise.
    only : str or iterable of str
        Names of the reports to render; all otherwise.
    force : bool
        Execute unchanged reports as well.
    bundle : bool
        Write OUT/bundle, too: what renders the reports again.
    on_result : callable, optional
        Is called with what became of each report as soon as that is known.
    """
    require(
        isinstance(suite, str | Path),
        f"report: a suite file was expected, got {type(suite).__name__}",
    )
    loaded = load_suite(suite)
    folder = Path(out) if out is not None else Path("reports") / loaded.name
    names = (only,) if isinstance(only, str) else tuple(only)
    with missing_packages_named():
        return Reports(render_suite(suite, folder, names, force, bundle, on_result), folder)
