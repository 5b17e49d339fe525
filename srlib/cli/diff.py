"""`srlib diff`: what differs between two rendered folders."""

from pathlib import Path
from typing import Annotated

import typer

from srlib.cli.main import one_line

SHOWN = 20


def diff(
    before: Annotated[
        Path, typer.Argument(help="Folder that `srlib report` wrote.", metavar="REPORT_DIR_A")
    ],
    after: Annotated[
        Path, typer.Argument(help="Another one, to compare with it.", metavar="REPORT_DIR_B")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for diff.csv, with every difference.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that the comparison may take.")] = 600.0,
) -> None:
    """Compare two rendered folders: every page, table and figure by its hash, and each cell of their CSV tables.

    Examples
    --------
    srlib diff reports/before reports/demo --out difference
    """
    from srlib.folders import result_folder
    from srlib.rendering.diff import diff as differences
    from srlib.rendering.diff import summary
    from srlib.table_files import write_frame
    from srlib.workers import alone

    what, modules = f"{before} and {after}", ("srlib.rendering.diff",)
    found = alone(differences, before, after, what=what, timeout=timeout, preload=modules)
    for file, rows in found.groupby("file", sort=False):
        for row in rows.head(SHOWN).fillna("–").itertuples():
            where = ": ".join(filter(None, [row.file, row.row, row.column]))
            typer.echo(one_line(f"{where}: {row.before} → {row.after}"))
        if len(rows) > SHOWN:
            more = "" if out else "; --out writes them all"
            typer.echo(f"... and {len(rows) - SHOWN:,} more in {file}{more}")
    typer.echo(summary(found))
    if out is not None:
        with result_folder(out, "diff") as new:
            write_frame(found, new / "diff.csv")
