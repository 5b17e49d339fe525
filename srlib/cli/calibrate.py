"""`srlib calibrate`: the judge's own error rate."""

from pathlib import Path
from typing import Annotated

import typer

from srlib.cli.main import escaped
from srlib.cli.options import Jobs, Timeout


def calibrate(
    problems: Annotated[
        str, typer.Argument(help="Problem file, a PMLB folder, or a shipped name.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for pairs.csv and rates.csv.")],
    rules: Annotated[
        str, typer.Option(help="Rules that say when constants count as equal.")
    ] = "judging-2022",
    seed: Annotated[int, typer.Option(help="Seed of the models that are made.", min=0)] = 0,
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
) -> None:
    """Judge models whose verdict is known, and count false accepts, false rejects and unknowns, with exact intervals.

    For each truth: itself, rewritten by rules and by sympy, scaled, shifted, with constants as fitted; and near
    misses: a sign, an exponent, a constant 1% or 10% off, swapped features. The parameter `calibration` of a report
    takes the folder, and its rates then stand beside the rates of solutions.

    Example: srlib calibrate synthetic-2022 --out calibration
    """
    from srlib.assessing.calibrating import calibrate as calibrated
    from srlib.problems import load_problems
    from srlib.rules import load_rules

    known = load_problems(problems)
    found = calibrated(known, load_rules(rules).measure, seed=seed, timeout=timeout, jobs=jobs)
    found.write(out)
    for row in found.pairs[found.pairs["outcome"] != "right"].itertuples():
        typer.echo(escaped(f"{row.outcome}  {row.dataset}  {row.kind}: {row.model}"))
    for row in found.rates[found.rates["by"] == "all"].itertuples():
        ends = f"{row.low:.2%} to {row.high:.2%}"
        typer.echo(f"{row.error}: {row.wrong} of {row.pairs} (95% interval {ends})")
    typer.echo(f"{found.pairs['dataset'].nunique()} truths judged; written to {out}")
