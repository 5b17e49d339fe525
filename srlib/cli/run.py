"""The command `srlib run`."""

from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from srlib.cli.main import escaped
from srlib.cli.options import Memory, TimeLimit

if TYPE_CHECKING:
    import pandas as pd


def run(
    methods: Annotated[
        str,
        typer.Argument(
            metavar="METHODS", help="Method file, name of a shipped one, or SRBench's regressor.py."
        ),
    ],
    problems: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEMS", help="Problem file, the name of a shipped one, or a PMLB folder."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the recorded runs.")],
    repetitions: Annotated[
        int | None,
        typer.Option("--repetitions", min=1, help="Runs per method and dataset [all data seeds]."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Runs at a time [all CPUs].")
    ] = None,
    time_limit: TimeLimit = 600.0,
    memory: Memory = 4.0,
    retry: Annotated[
        list[str] | None,
        typer.Option(
            "--retry",
            metavar="failed|crashed|timeout|memory",
            help="Make recorded runs of that status again; may be given several times.",
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Make all runs again.")] = False,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="tcp://...", help="Dask scheduler that does the work instead."),
    ] = None,
) -> None:
    """Run methods on problems and record every run: the model's text, its accuracy, or why it failed.

    Each run has a process and a file of its own. Stop at any moment; the same command resumes where it stopped, and
    makes those runs again whose method or data have changed since. One command at a time records into a folder.

    Examples
    --------
    srlib run demo synthetic-2022 --out recording --repetitions 2 --jobs 2
    """
    from srlib.recording import record

    try:
        runs = record(
            methods,
            problems,
            out,
            repetitions,
            jobs=jobs,
            time_limit=time_limit,
            memory_bytes=int(memory * 2**30),
            retry=tuple(retry or ()),
            fresh=fresh,
            scheduler=scheduler,
            say=typer.echo,
        )
    except KeyboardInterrupt:
        typer.echo(
            f"srlib: stopped; what is finished is kept in {out}, the same command goes on from there",
            err=True,
        )
        raise typer.Exit(130) from None
    counts = ", ".join(
        f"{number} {status}" for status, number in runs["status"].value_counts().items()
    )
    typer.echo(f"{len(runs)} runs in {out / 'runs.parquet'}: {counts}")
    typer.echo("".join(f"  {line}\n" for line in reasons(runs)), nl=False)


def reasons(runs: "pd.DataFrame", most: int = 10) -> list[str]:
    """Count the reasons of failures, the most frequent first."""
    lost = runs[runs["status"] != "ok"]
    counts = lost.groupby(["method", "status", "reason"], dropna=False).size()
    counts = counts.sort_values(ascending=False, kind="stable")
    lines = [
        escaped(f"{method}: {number} {status}: {shorten(str(reason), 300, placeholder=' ...')}")
        for (method, status, reason), number in counts.head(most).items()  # type: ignore[misc]
    ]
    hidden = int(counts.iloc[most:].sum())
    if hidden:
        return [*lines, f"and {hidden} more"]
    return lines
