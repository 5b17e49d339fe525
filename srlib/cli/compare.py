"""`srlib compare`: every pair of methods over the datasets they share, as compare.csv."""

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
    adjust: Annotated[
        Literal["holm", "bonferroni", "none"], typer.Option(help="Correction of the p-values.")
    ] = "holm",
    missing: Annotated[
        str,
        typer.Option(help="What a missing value counts as: worst (a loss) or drop (no pair)."),
    ] = "worst",
    noise: Annotated[
        float | None,
        typer.Option(
            help="Only datasets NAME@LEVEL of this level; by default the mean over a dataset's levels."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Differences up to this size count as none (test R2: 0.01, rates: 0.05)."
        ),
    ] = None,
    alias: Annotated[
        list[str] | None, typer.Option(help="OTHER=NAME: two names of one method; repeatable.")
    ] = None,
    problems: Annotated[
        str, typer.Option(help="Problem file, by which what the runs do not report is measured.")
    ] = "",
    names: Names = None,
    layout: Annotated[
        str | None, typer.Option(help="Layout of the tables, where it is not recognised.")
    ] = None,
) -> None:
    """Compare every pair of methods over datasets, by their medians over the repetitions (means for rates).

    The test is Wilcoxon's signed-rank test, for rates a permutation test of the mean difference. Each dataset counts
    once, whatever its noise levels; so does each family of related ones where there are enough. A failed or absent
    repetition counts as the worst. Writes method_a, method_b, n_datasets, statistic, p_value, p_adjusted, median_a,
    median_b, the difference with its 95% interval, wins, ties and losses of a, which one is better ("": not shown),
    the smallest p-value these data can give, and why nothing is claimed. NAME-groups.csv
    beside OUT has the same within each group of datasets, NAME-ledger.csv what was missing.

    Runs that do not report the metric are assessed where --problems names their problems.

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
    found = compared(
        runs,
        metric,
        problems=problems or None,
        adjust=adjust,
        missing=missing,
        noise=noise,
        margin=margin,
        alias=aliases,
        names=names or (),
        layout=layout,
    )
    groups = len(found.by_group) > 0
    write_frame(found.pairs, out)
    if groups:
        write_frame(found.by_group, out.with_name(f"{out.stem}-groups.csv"))
    write_frame(found.ledger, out.with_name(f"{out.stem}-ledger.csv"))
    lines = [
        "{read} {what} read = {scored} scored + {excluded} excluded".format(**found.counts),
        *found.notices,
        *found.sentences,
        f"written to {out}{f', {out.stem}-groups.csv' if groups else ''} and {out.stem}-ledger.csv",
    ]
    typer.echo("\n".join(escaped(line) for line in lines))
