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
        typer.Option(
            help="What is compared: r2_test, complexity, bic, ..., or an aspect of measures."
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="CSV file for the pairs; what was missing goes beside it.")
    ],
    adjust: Annotated[
        Literal["holm", "bonferroni", "none"], typer.Option(help="Correction of the p-values.")
    ] = "holm",
    missing: Annotated[
        str,
        typer.Option(help="A missing value: worst (a loss), drop (the pair), or impute:METHOD."),
    ] = "worst",
    noise: Annotated[
        float | None,
        typer.Option(
            help="Only datasets NAME@LEVEL of this level; else the mean over a dataset's."
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
        str, typer.Option(help="Problem file: what the runs do not report is worked out by it.")
    ] = "",
    names: Names = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first row that cannot be used.")
    ] = False,
    layout: Annotated[
        str | None, typer.Option(help="Layout of the tables, where it is not recognised.")
    ] = None,
) -> None:
    """Compare every pair of methods over datasets, on their medians (of rates means) over repetitions.

    The test is Wilcoxon's signed-rank test, of rates a permutation test of the mean difference. Each dataset counts
    once, whatever its noise levels; so does each family of related ones where there are enough. A failed or absent
    repetition counts as the worst. Writes method_a, method_b, n_datasets, statistic, p_value, p_adjusted, median_a,
    median_b, the difference with its 95% interval, wins, ties and losses of a, which one is better ("": not shown),
    the smallest p-value these data can give, why nothing is claimed, and p_cluster, of the permutation that turns all
    datasets of one source together. OUT with the ending
    -groups.csv has the same within each group of datasets, -ledger.csv what was missing.

    Runs that report no value of a metric are assessed, where --problems names what they are about.

    Example: srlib compare demo --metric r2_test --out compare.csv

    Example: srlib compare team-a.csv teams/ --metric r2_test --problems my-problems.yaml --out compare.csv
    """
    import pandas as pd

    from srlib.assessing.extras import EXTRAS
    from srlib.cli.main import escaped
    from srlib.comparing.comparison import compare as compare_methods
    from srlib.comparing.gathering import benchmark
    from srlib.comparing.sentences import details, headline
    from srlib.errors import InputError
    from srlib.folders import written_whole
    from srlib.judging.recorded import with_values
    from srlib.problems import load_problems
    from srlib.readers import read_results, with_names
    from srlib.rules import load_rules
    from srlib.tablefiles import write_frame

    if out.suffix != ".csv":
        raise InputError(f"--out: a file that ends in .csv was expected, got {out}")
    aliases = {other: name for other, _, name in (one.partition("=") for one in alias or [])}
    if not all(aliases.values()):
        raise InputError(f"--alias: OTHER=NAME was expected, got {' '.join(alias or [])}")
    known = load_problems(problems) if problems else None
    tables = [read_results(name, layout, strict=strict) for name in runs]
    sent = [set(table.frame["method"]) for table in tables]
    for one in names or []:  # of a method that is nowhere, the first table says so
        team = one.rpartition("=")[0]
        places = [team in methods for methods in sent]
        places[0] |= not any(places)
        tables = [
            with_names(table, [one] * here) for table, here in zip(tables, places, strict=True)
        ]
    if known is not None:
        measure = load_rules("judging-2022").measure
        tables = [with_values(table, known, measure, [metric]) for table in tables]
    elif metric in EXTRAS and not any(metric in set(table.frame.columns) for table in tables):
        raise InputError(f"--metric {metric} is made from models and data: name the --problems")
    found = benchmark(tables, known, alias=aliases)
    told = compare_methods(
        found, metric, missing=missing, adjust=adjust, level=noise, margin=margin
    )
    groups = [table.assign(group=name) for name, table in told.by_group.items()]
    with written_whole(out.parent, "compare", sealed=False) as new:
        write_frame(told.pairs, new / out.name)
        if groups:
            write_frame(pd.concat(groups), new / f"{out.stem}-groups.csv")
        write_frame(pd.concat([found.ledger, told.ledger]), new / f"{out.stem}-ledger.csv")
    lines = [
        "{read} {what} read = {scored} scored + {excluded} excluded".format(**found.counts),
        *(notice for table in tables for notice in table.notices),
        headline(told),
        *details(told),
        *found.questions,
        f"{len(told.ledger)} missing values: {missing}",
        f"written to {out}{f', {out.stem}-groups.csv' if groups else ''} and {out.stem}-ledger.csv",
    ]
    typer.echo("\n".join(escaped(line) for line in lines))
