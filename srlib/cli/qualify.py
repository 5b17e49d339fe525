"""The command `srlib qualify`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srlib.cli.main import escaped
from srlib.cli.options import Memory, TimeLimit

if TYPE_CHECKING:
    from srlib.judging.qualification import Qualification

ROWS = 2000


def qualify(
    estimator: Annotated[
        str, typer.Argument(metavar="PACKAGE:ESTIMATOR", help="Class with fit and predict.")
    ],
    problems: Annotated[
        str, typer.Option(help="Problem file, the name of a shipped one, or a PMLB folder.")
    ] = "qualification-2022",
    rules: Annotated[
        str, typer.Option(help="Rules file or shipped name: its baseline and reading decide.")
    ] = "judging-2022",
    repetitions: Annotated[
        int, typer.Option(min=1, help="Runs per dataset; the competition has 10.")
    ] = 3,
    cache: Annotated[
        Path | None,
        typer.Option(help="PMLB folder with the data; otherwise they are fetched and kept."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help=f"Datasets of more than {ROWS:,} rows, too.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for the runs and the tables.")] = Path(
        "qualify-runs"
    ),
    time_limit: TimeLimit = 300.0,
    memory: Memory = 4.0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Make all runs again.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at a time [all CPUs].")] = None,
) -> None:
    """Tell whether an estimator qualifies: better test R2 than the rules' baseline over the qualification's datasets.

    It runs with its own defaults, each run in a process of its own; what is finished is kept, and the same
    command goes on from there. By default only the datasets of at most 2,000 rows are run, three times each: a quick
    look. The whole qualification is `--all --repetitions 10`.

    Examples
    --------
    srlib qualify sklearn.linear_model:Lasso
    srlib qualify mypackage:MyRegressor --all --repetitions 10 --cache pmlb
    """
    from srlib.errors import InputError
    from srlib.files import PARAMETERS
    from srlib.judging.qualification import qualify as judge
    from srlib.problems import Problems, load_problems, partitions
    from srlib.progress import progress
    from srlib.readers import read_runs
    from srlib.recording import check_importable, load_methods, record
    from srlib.recording.participant import participant
    from srlib.rules import load_rules

    if not all(part.replace(".", "_").isidentifier() for part in (estimator.split(":") + [""])[:2]):
        raise InputError(
            f"PACKAGE:ESTIMATOR was expected, as in sklearn.linear_model:Lasso, got {estimator!r}"
        )
    chosen_rules = load_rules(rules)
    name = chosen_rules.judge.qualification.baseline
    baselines = {m.name: m for m in load_methods(PARAMETERS / "methods" / "baselines.yaml")}
    if name not in baselines:
        raise InputError(
            f"rules {chosen_rules.name}: judge.qualification.baseline: {' or '.join(baselines)} can be run here, "
            f"got {name}"
        )
    baseline, own = baselines[name], participant(estimator, name)
    check_importable(own)  # before any data are fetched
    chosen, stated = [], load_problems(problems, cache)
    for problem in progress(stated.problems, len(stated.problems), "datasets read"):
        try:
            data = partitions(problem, (problem.data_seeds or (1,))[0])
        except InputError as error:
            raise InputError(
                f"{error}; or name a PMLB folder that holds the data with --cache"
            ) from error
        if every or (data and data.train and len(data.train.y) + len(data.test.y) <= ROWS):
            chosen.append(problem)
    known = Problems(stated.name, stated.path, tuple(chosen))
    if not chosen:
        raise InputError(
            f"{stated.path}: every dataset has more than {ROWS:,} rows; --all runs them"
        )
    try:
        record(
            [own, baseline],
            known,
            out,
            repetitions,
            jobs=jobs,
            time_limit=time_limit,
            memory_bytes=int(memory * 2**30),
            fresh=fresh,
            say=typer.echo,
        )
    except KeyboardInterrupt:
        typer.echo(
            f"srlib: stopped; what is finished is kept in {out}, the same command goes on from there",
            err=True,
        )
        raise typer.Exit(130) from None
    runs = read_runs(out).frame
    runs = runs[runs["method"].isin([own.name, name]) & (runs["repetition"] <= repetitions)]
    result = judge(runs[runs["dataset"].isin([p.dataset for p in chosen])], known, chosen_rules)
    result.write_tables(out)  # beside the recorded runs
    typer.echo("\n".join(map(escaped, _said(result, len(stated.problems), repetitions))))
    typer.echo(f"written to {out}: runs.parquet, qualification.csv, verdicts.csv, ledger.csv")
    if not result.verdicts["runs"].iloc[0]:
        raise typer.Exit(1)


def _said(result: "Qualification", stated: int, repetitions: int) -> list[str]:
    own, rule = result.verdicts.iloc[0], result.rules.judge.qualification
    cells = result.cells[result.cells["method"] == own["method"]]
    lost = cells[~cells["better"].astype(bool)].sort_values("rank_difference")
    lines = [
        f"{own['method']} {'qualifies' if own['qualified'] else 'does not qualify'} against {rule.baseline}, "
        f"by {rule.across}, on {len(cells)} of {stated} datasets, {repetitions} repetitions",
        f"  better on {own['better']}, equal on {own['equal']}, worse on {own['worse']} datasets",
        f"  by each reading (above 0 qualifies): mean difference of ranks {own['mean_rank']:+.2f}, "
        f"difference of median R2 {own['median_r2']:+.3f}, datasets won minus lost {own['wins']:+d}",
        f"  {own['failed']} of {own['runs'] + own['failed']} runs failed",
    ]
    failed = result.ledger[
        (result.ledger["level"] == "run") & (result.ledger["method"] == own["method"])
    ]
    lines += [
        f"    {number} x {detail}"
        for detail, number in failed["detail"].value_counts().head(5).items()
    ]
    lines += [
        f"  {'equal' if c.rank_difference == 0 else 'worse'} on {c.dataset}: "
        f"{_number(c.median_r2)} against {_number(c.baseline_r2)}"
        for c in lost.itertuples()
    ]
    return lines


def _number(value: object) -> str:
    if value == value:
        return f"{value:.3f}"
    return "no usable run"
