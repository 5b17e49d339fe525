"""`srlib assess`: measure runs once, so that judging them is cheap."""

from pathlib import Path
from typing import Annotated, Any

import typer

from srlib.cli.main import escaped
from srlib.cli.options import Jobs, Layout, Names, ProblemFile, Timeout


def assess(
    runs: Annotated[
        list[str],
        typer.Argument(help="Run tables: files, folders of them or of `srlib run`, or 'demo'."),
    ],
    problems: ProblemFile,
    out: Annotated[Path, typer.Option(help="Parquet file for the assessments.")],
    rules: Annotated[
        str, typer.Option(help="Rules file or shipped name; only its measure block is read.")
    ] = "judging-2022",
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="tcp://...", help="Dask scheduler that does the work instead."),
    ] = None,
    names: Names = None,
    layout: Layout = None,
) -> None:
    """Parse, evaluate, simplify and compare every model of a run table; write assessments.

    What was measured before comes from the cache ($SRLIB_CACHE), so that a run that was stopped goes on.

    Example: srlib assess demo --problems synthetic-2022 --out assessments.parquet
    """
    from srlib.api.runs import assess as measure
    from srlib.errors import InputError
    from srlib.table_files import write_frame

    if out.suffix not in {".parquet", ".feather", ".csv"}:
        raise InputError(
            f"--out: a file that ends in .parquet, .feather or .csv was expected, got {out}"
        )
    limits: dict[str, Any] = {"timeout": timeout, "jobs": jobs, "scheduler": scheduler}
    found = measure(runs, problems, rules, layout=layout, names=names or (), **limits)
    result = found.table
    write_frame(result, out)
    for notice in found.notices:
        typer.echo(escaped(notice))
    if invalid := int((result["status"] == "invalid").sum()):
        typer.echo(f"{invalid} rows cannot be used; the column reason says why")
    statuses = result.groupby("simplify_status", sort=False).size()
    statuses = statuses.sort_values(ascending=False, kind="stable")
    parsed = int((result["parse_status"] == "ok").sum())
    typer.echo(
        f"{len(result)} runs assessed: {parsed} parsed; simplification: "
        + ", ".join(f"{n} {name}" for name, n in statuses.items())
    )
    typer.echo(f"written to {out}")
