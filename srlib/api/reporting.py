"""Reports as HTML files, of a suite or of runs at hand."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pandas as pd

from srlib.api.arguments import listed
from srlib.api.extras import extras_named
from srlib.api.runs import RunsLike, table_of
from srlib.api.shown import Shown, many
from srlib.errors import InputError
from srlib.files import NOTEBOOKS, shipped, write_atomically
from srlib.rendering import Result, render_suite
from srlib.rendering.suite import load_suite
from srlib.tablefiles import write_frame

PAGES = ("synthetic", "properties", "robustness")  # of runs without a suite


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
    notices : tuple of str
        What should be known of the inputs, as what stood in the way of the demo.
    """

    title = "Reports"

    def __init__(self, results: list[Result], folder: Path, notices: tuple[str, ...] = ()) -> None:
        self.results = results
        self.notices = notices
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
            *self.notices,
        ]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The reports with their verdicts."""
        return {"Reports": self.table}


def report(
    suite: RunsLike | Sequence[RunsLike],
    out: str | Path | None = None,
    *,
    problems: str | Path | None = None,
    rules: str | Path = "judging-2022",
    title: str = "Competition",
    only: Iterable[str] = (),
    force: bool = False,
    bundle: bool = False,
    told: Callable[[Result], None] | None = None,
) -> Reported:
    """Render reports, one HTML file each, with an index; the same as `srlib report`.

    Parameters
    ----------
    suite : str or Path; or with `problems` also a DataFrame, Runs, or a sequence of them
        Suite file or shipped name. With `problems` these are runs, of which the pages synthetic, properties and
        robustness are made; runs and suite are kept in OUT/inputs.
    out : str or Path, optional
        Folder for the pages; reports/SUITE otherwise. Runs need one.
    problems, rules : str or Path
        Of runs; see `judge`.
    title : str
        Of the index of runs.
    only : str or iterable of str
        Names of the reports to render; all otherwise.
    force : bool
        Execute unchanged reports as well.
    bundle : bool
        Write OUT/bundle, too: what renders the reports again.
    told : callable, optional
        Is called with what became of each report as soon as that is known.
    """
    if problems is None:
        if not isinstance(suite, str | Path):
            raise InputError(
                f"report: a suite file, or runs with problems=..., was expected, got {type(suite).__name__}"
            )
        place: str | Path = suite
    else:
        if out is None:
            raise InputError("report: runs need a folder for the pages: out=...")
        for kind, given in (("problems", problems), ("rules", rules)):
            shipped(kind, given)  # says what is not there before anything is written
        place = _suite_of(suite, Path(out) / "inputs", problems, rules, title)
    loaded = load_suite(place)
    folder = Path(out) if out is not None else Path("reports") / loaded.name
    with extras_named():
        results = render_suite(place, folder, listed(only), force, bundle, told)
        return Reported(results, folder, loaded.notices)


def _suite_of(
    runs: RunsLike | Sequence[RunsLike],
    folder: Path,
    problems: str | Path,
    rules: str | Path,
    title: str,
) -> Path:
    """Write runs and a suite of them."""
    table = table_of(runs).frame
    write_frame(table.drop(columns=["file", "row"]), folder / "runs.parquet")
    known = {"runs": folder / "runs.parquet", "problems": problems, "rules": rules}
    places = {
        key: str(Path(place).resolve()) if Path(place).exists() else str(place)
        for key, place in known.items()
    }
    reports = [
        {"name": name, "notebook": str(NOTEBOOKS / f"{name}.ipynb"), "parameters": {}}
        for name in PAGES
    ]
    suite = {"schema": 1, "suite": "runs", "title": title, "defaults": places, "reports": reports}
    write_atomically(folder / "suite.yaml", json.dumps(suite, indent=1) + "\n")
    return folder / "suite.yaml"
