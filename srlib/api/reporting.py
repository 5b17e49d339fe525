"""Reports of a suite as HTML files."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from srlib.api.arguments import listed
from srlib.api.extras import extras_named
from srlib.api.shown import Shown, many
from srlib.errors import InputError
from srlib.rendering import Result, render_suite
from srlib.rendering.suite import load_suite


class Reported(Shown):
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

    def __init__(self, results: list[Result], folder: Path) -> None:
        self.results = results
        self.index = folder / "index.html"
        self.failed = tuple(one.name for one in results if one.state == "failed")
        rows = [
            (
                one.name,
                one.state,
                one.handed["verdict"],
                one.seconds,
                str(folder / f"{one.name}.html"),
            )
            for one in results
        ]
        self.table = pd.DataFrame(rows, columns=["report", "state", "verdict", "seconds", "file"])

    @property
    def sentences(self) -> list[str]:
        """Where the pages are, and what failed."""
        failed = [f"Failed: {', '.join(self.failed)}."] if self.failed else []
        return [
            f"{many(len(self.table), 'report')}, listed in {self.index}.",
            *failed,
        ]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The reports with their verdicts."""
        return {"Reports": self.table}


def report(
    suite: str | Path,
    out: str | Path | None = None,
    *,
    only: Iterable[str] = (),
    force: bool = False,
    bundle: bool = False,
    told: Callable[[Result], None] | None = None,
) -> Reported:
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
    told : callable, optional
        Is called with what became of each report as soon as that is known.
    """
    if not isinstance(suite, str | Path):
        raise InputError(f"report: a suite file was expected, got {type(suite).__name__}")
    loaded = load_suite(suite)
    folder = Path(out) if out is not None else Path("reports") / loaded.name
    with extras_named():
        results = render_suite(suite, folder, listed(only), force, bundle, told)
        return Reported(results, folder)
