"""`srlib compare`: every pair of methods over datasets, as compare.csv."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from srlib.cli.options import Names


def compare(
    runs: Annotated[
        list[str], typer.Argument(help="Runs, assessments or measures: files, folders, or 'demo'.")
    ],
    metric: Annotated[
        str,
        typer.Option(help="What is compared: r2_test, complexity, ..., or an aspect of measures."),
    ],
    out: Annotated[
        Path, typer.Option(help="CSV file for the pairs; what was missing goes beside it.")
    ],
    related: Annotated[
        Literal["", "none"],
        typer.Option(help="none: every dataset counts, also those of one source."),
    ] = "",
    repetitions: Annotated[
        int | None,
        typer.Option(
            help="Runs that every method should have on every dataset; absent ones failed."
        ),
    ] = None,
    aggregate: Annotated[
        Literal["mean", "median"], typer.Option(help="Over the repetitions of a dataset.")
    ] = "mean",
    noise: Annotated[
        float | None,
        typer.Option(
            help="Only datasets NAME@LEVEL of this level; by default the mean over a dataset's levels."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Differences up to this size are of no weight: pairs inside are equivalent."
        ),
    ] = None,
    alias: Annotated[
        list[str] | None, typer.Option(help="OTHER=NAME: two names of one method; repeatable.")
    ] = None,
    problems: Annotated[
        str, typer.Option(help="Problem file, by which the runs are measured.")
    ] = "",
    names: Names = None,
    layout: Annotated[
        str | None, typer.Option(help="Layout of the tables, where it is not recognised.")
    ] = None,
) -> None:
    """Compare every pair of methods over datasets, by their means over the repetitions.

    The test is Wilcoxon's signed-rank test, for rates sign flips of the mean difference, with Holm's correction. A unit
    is a dataset, whatever its noise levels, or a source of related ones. A missing cell is a loss. Writes method_a,
    method_b, n_units, p_value, p_adjusted, effect (for sizes and times the ratio) with its 95% interval, wins, ties and
    losses of a, which one is better ("": not told apart), and the state of a. NAME-ledger.csv beside OUT has what was
    missing.

    Runs are assessed where --problems names their problems; else what they report counts.

    Example: srlib compare demo --metric r2_test --out compare.csv

    Example: srlib compare team-a.csv teams/ --metric r2_test --problems my-problems.yaml --out compare.csv
    """
    from srlib.api.comparing import compare as compared
    from srlib.cli.main import escaped
    from srlib.errors import InputError
    from srlib.table_files import write_frame

    if out.suffix != ".csv":
        raise InputError(f"--out: a file that ends in .csv was expected, got {out}")
    aliases = {other: name for other, _, name in (one.partition("=") for one in alias or [])}
    if not all(aliases.values()):
        raise InputError(f"--alias: OTHER=NAME was expected, got {' '.join(alias or [])}")
    comparison = compared(
        runs,
        metric,
        problems=problems or None,
        related=related,
        repetitions=repetitions,
        aggregate=aggregate,
        noise=noise,
        margin=margin,
        alias=aliases,
        names=names or (),
        layout=layout,
    )
    write_frame(comparison.pairs, out)
    write_frame(comparison.ledger, out.with_name(f"{out.stem}-ledger.csv"))
    lines = [
        "{read} {what} read = {scored} scored + {excluded} excluded".format(**comparison.counts),
        *comparison.notices,
        *comparison.sentences,
        f"written to {out} and {out.stem}-ledger.csv",
    ]
    typer.echo("\n".join(escaped(line) for line in lines))
