"""`srlib check`: what is wrong with a submission, before it is sent."""

from pathlib import Path
from typing import Annotated

import typer

from srlib.cli.main import CHECK_FAILED, escaped
from srlib.cli.options import Names

SHOWN = 20  # kinds of findings, and texts, on the screen


def check(
    submission: Annotated[
        list[str], typer.Argument(help="Table, or folder of tables.", metavar="SUBMISSION")
    ],
    problems: Annotated[
        str | None, typer.Option(help="Problem file, a PMLB folder, or a shipped name.")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            help="Rules file or shipped name: how many repetitions are expected, of which tracks."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="CSV file for the findings; how each text was read is written beside it, as NAME-read.csv."
        ),
    ] = None,
    names: Names = None,
    layout: Annotated[
        str | None, typer.Option(help="Layout of SUBMISSION, where it is not recognised.")
    ] = None,
) -> None:
    """Say what cannot be used and why, and how each text was read; exit 0: nothing wrong, 1: findings, 2: unreadable.

    Nothing is simplified or ranked, so that ten thousand texts take seconds.

    Examples
    --------
    srlib check my-runs.csv --problems synthetic-2022 --rules judging-2022
    srlib check my-runs.csv --out findings.csv
    """
    import pandas as pd

    from srlib.api.runs import check as checked
    from srlib.table_files import write_frame

    result = checked(submission, problems=problems, rules=rules, layout=layout, names=names or ())
    if out is not None:
        write_frame(result.findings, out)
        write_frame(result.read, out.with_name(f"{out.stem}-read{out.suffix}"))
    for row in result.read.head(SHOWN if out is None else 0).itertuples():
        read = str(row.read_as)
        read = read if len(read) <= 80 else f"{read[:77]}..."
        typer.echo(
            escaped(
                f"row {row.row}: {read} | {row.features} | size {row.size} | values {row.on_three_rows}"
            )
        )
    kinds = result.findings.groupby(["method", "code"], sort=False, dropna=False)
    for _, group in list(kinds)[:SHOWN]:
        first = group.iloc[0]
        place = "" if pd.isna(first["row"]) else f"row {first['row']}, "
        more = f" And {len(group) - 1} more of this kind." if len(group) > 1 else ""
        text = f"{place}{first['method']}, {first['dataset'] or 'all'}: {first['detail']} ({first['code']})."
        typer.echo(escaped(f"{text} {first['help']}.{more}"))
    if kinds.ngroups > SHOWN:
        typer.echo(f"... and {kinds.ngroups - SHOWN} more kinds (--out FILE.csv has all findings)")
    for method, read in result.read.groupby("method")["names"]:
        how = ", ".join(f"{name} ({n})" for name, n in read.value_counts(sort=False).items())
        typer.echo(escaped(f"{method}: names in its texts: {how}"))
    for notice in result.notices:
        typer.echo(escaped(notice))
    typer.echo(result.sentences[0])
    if not result.ok:
        raise typer.Exit(CHECK_FAILED)
