"""`srlib audit`: distrust a problem file."""

from pathlib import Path
from typing import Annotated

import typer

from srlib.cli.main import escaped


def audit(
    problems: Annotated[
        str, typer.Argument(help="Problem file, a PMLB folder, or a shipped name.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="CSV file for all findings.")] = None,
    data_root: Annotated[
        Path | None,
        typer.Option(
            "--data-root", help="Folder of the data, instead of the one that the file names."
        ),
    ] = None,
) -> None:
    """Check what a problem file states against its data; a failed check is exit code 1.

    Truth, noise, needed features, surrogates, leakage, duplicates, extrapolation, and what a perfect answer
    scores in its own property; on the first two data seeds of each dataset.

    Examples
    --------
    srlib audit synthetic-2022 --out audit.csv
    srlib audit seir-2022 --data-root downloads/synthetic
    """
    from srlib.audit import audit as findings_of
    from srlib.problems import load_problems
    from srlib.table_files import write_frame

    findings = findings_of(load_problems(problems, data_root))
    if out is not None:
        write_frame(findings, out)
    counts = findings["verdict"].value_counts()
    for row in findings[findings["verdict"] != "pass"].itertuples():
        typer.echo(escaped(f"{row.verdict}  {row.dataset}  {row.check}: {row.detail}"))
    summary = ", ".join(
        f"{counts.get(verdict, 0)} {verdict}" for verdict in ("pass", "warn", "fail")
    )
    typer.echo(f"{len(findings)} checks of {findings['dataset'].nunique()} datasets: {summary}")
    if counts.get("fail", 0):
        raise typer.Exit(1)
