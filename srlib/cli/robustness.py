"""`srlib robustness`: how sure the winner is, as tables and sentences."""

from pathlib import Path
from typing import Annotated, Any

import typer

from srlib.cli.main import escaped
from srlib.cli.options import Jobs, Layout, Names, ProblemFile, Tables, Timeout


def robustness(
    runs: Tables,
    problems: ProblemFile,
    out: Annotated[Path, typer.Option(help="Folder for the tables.")],
    rules: Annotated[str, typer.Option(help="Rules file or shipped name.")] = "judging-2022",
    resamples: Annotated[
        int, typer.Option(help="Number of re-draws of sources and runs.", min=1)
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.", min=0)] = 0,
    qualified: Annotated[
        str,
        typer.Option(
            help="Table of the qualification (qualification.csv or verdicts.csv), or 'demo': "
            "the others are ranked among themselves."
        ),
    ] = "",
    names: Names = None,
    layout: Layout = None,
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
) -> None:
    """Ask whether the winner depends on a rule, a run, a dataset or a competitor; write what was found as CSV.

    Every reading that the documents leave open, each switch turned alone, resampled sources and runs, each part left
    out, a test of each pair of methods, and what would move a rank.

    Examples
    --------
    srlib robustness demo --problems synthetic-2022 --out robustness
    srlib robustness team-a.csv teams/ --problems my-problems.yaml --qualified verdicts.csv --out robustness
    """
    from srlib.api.judging import robustness as examined

    how: dict[str, Any] = {"layout": layout, "timeout": timeout, "jobs": jobs}
    how |= {"qualified": qualified, "names": names or ()}
    examination = examined(runs, problems, rules, resamples=resamples, seed=seed, **how)
    judgement = examination.judged
    examination.write(out)
    lines = [judgement.counted, *judgement.notices, *examination.sentences]
    for line in [*lines, f"written to {out}"]:
        typer.echo(escaped(line))
