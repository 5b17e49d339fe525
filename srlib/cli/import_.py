"""`srlib import`: published results of any layout as a run table."""

from pathlib import Path
from typing import Annotated

import typer

from srlib.cli.main import escaped


def import_(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="Tables, folders of them, or folders of text files of models.", metavar="TABLE..."
        ),
    ],
    out: Annotated[Path, typer.Option(help="File for the runs: .parquet, .feather or .csv.")],
    layout: Annotated[
        str | None,
        typer.Option(help="Layout file, or the name of a shipped one, where it is not recognised."),
    ] = None,
) -> None:
    """Write published results as a run table, and say what each column was taken from.

    Of a run with several models one is kept: the one that is marked as chosen, else the first; of files with a model a
    line, the last.

    Example: srlib import downloads/tpsr --layout tpsr --out runs.parquet
    """
    from srlib.errors import InputError
    from srlib.readers import read_results
    from srlib.table_files import write_frame
    from srlib.tables import RUNS

    if out.suffix not in {".parquet", ".feather", ".csv"}:
        raise InputError(
            f"--out: a file that ends in .parquet, .feather or .csv was expected, got {out}"
        )
    table = read_results(tables, layout, prefer="runs")
    if table.measured or table.assessed:
        kind = "measures" if table.measured else "assessments"
        raise InputError(
            f"{', '.join(tables)}: single runs were expected, got {kind} (layout {table.layout})"
        )
    frame = table.frame
    ours = [name for name in RUNS.columns if name in frame]
    write_frame(frame[[*ours, *(name for name in frame if name not in ours)]], out)
    for name, origin in table.origins.items():
        if name in frame:
            typer.echo(escaped(f"{name}: {origin}"))
    for notice in table.notices:
        typer.echo(escaped(notice))
    lost = int((frame["status"] == "invalid").sum())
    noted = int(frame["reason"].notna().sum()) - lost if "reason" in frame else 0
    typer.echo(
        f"{len(frame)} runs (layout {table.layout}), "
        f"{lost} rows that cannot be used, {noted} with a reservation (column reason); written to {out}"
    )
