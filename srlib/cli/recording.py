"""Commands that get runs: run, qualify, import."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from srlib.cli.app import (
    GET_RUNS,
    Jobs,
    Layout,
    Memory,
    ProblemFile,
    RulesFile,
    Scheduler,
    TimeLimit,
    command,
    print_lines,
    short_name,
)
from srlib.cli.judging import check_table_format

if TYPE_CHECKING:
    import pandas as pd

    from srlib.judging.qualification import Qualification
    from srlib.problems import Problem, Problems

MOST_ROWS = 2000  # of a dataset in a quick look at an estimator
MOST_REASONS = 10  # of failures on the screen


@command(GET_RUNS, "srlib run demo synthetic-2022 --out recording --repetitions 2 --jobs 2")
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
    jobs: Jobs = None,
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
    scheduler: Scheduler = None,
) -> None:
    """Run methods on problems and record every run.

    A record has the model's text and its accuracy, or why the run failed. Each run has a process of its own. Stop at
    any moment; the same command resumes where it stopped, and makes those runs again whose method or data have changed
    since. One command at a time records into a folder.
    """
    from srlib.recording import record

    with resumable(out):
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
    counts = ", ".join(f"{n} {status}" for status, n in runs["status"].value_counts().items())
    print_lines(f"{len(runs)} runs in {out / 'runs.parquet'}: {counts}")
    print_lines(*(f"  {line}" for line in describe_failures(runs)))


@contextmanager
def resumable(out: Path) -> Iterator[None]:
    """End an interrupted recording with exit code 130, and say how it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        remedy = f"what is finished is kept in {out}, the same command goes on from there"
        print_lines(f"srlib: stopped; {remedy}", err=True)
        raise typer.Exit(130) from None


def describe_failures(runs: "pd.DataFrame") -> list[str]:
    """Count the reasons of failures, the most frequent first."""
    failed = runs[runs["status"] != "ok"]
    counts = failed.groupby(["method", "status", "reason"], dropna=False).size()
    counts = counts.sort_values(ascending=False, kind="stable")
    lines = [
        f"{short_name(method)}: {n} {status}: {shorten(str(reason), 300, placeholder=' ...')}"
        for (method, status, reason), n in counts.head(MOST_REASONS).items()  # type: ignore[misc]
    ]
    n_hidden = int(counts.iloc[MOST_REASONS:].sum())
    return [*lines, *[f"and {n_hidden} more"] * (n_hidden > 0)]


@command(
    GET_RUNS,
    "srlib qualify sklearn.linear_model:Lasso",
    "srlib qualify mypackage:MyRegressor --all --repetitions 10 --cache pmlb",
)
def qualify(
    estimator: Annotated[
        str, typer.Argument(metavar="PACKAGE:ESTIMATOR", help="Class with fit and predict.")
    ],
    problems: ProblemFile = "qualification-2022",
    rules: RulesFile = "judging-2022",
    repetitions: Annotated[
        int, typer.Option(min=1, help="Runs per dataset; the competition has 10.")
    ] = 3,
    cache: Annotated[
        Path | None,
        typer.Option(help="PMLB folder with the data; otherwise they are fetched and kept."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help=f"Datasets of more than {MOST_ROWS:,} rows, too.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for the runs and the tables.")] = Path(
        "qualify-runs"
    ),
    time_limit: TimeLimit = 300.0,
    memory: Memory = 4.0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Make all runs again.")] = False,
    jobs: Jobs = None,
) -> None:
    """Test an estimator of your own against LinearRegression.

    It qualifies where its test R2 over the qualification's datasets is better than that of the rules' baseline. It runs
    with its own defaults, each run in a process of its own; what is finished is kept, and the same command goes on from
    there. By default only the datasets of at most 2,000 rows are run, three times each: a quick look. The whole
    qualification is `--all --repetitions 10`.
    """
    from srlib.errors import require
    from srlib.judging.qualification import qualify as judge_qualification
    from srlib.problems import load_problems
    from srlib.recording import check_importable, load_methods, participant, record
    from srlib.rules import load_rules

    package, _, name = estimator.partition(":")
    require(
        package.replace(".", "_").isidentifier() and name.isidentifier(),
        f"PACKAGE:ESTIMATOR was expected, as in sklearn.linear_model:Lasso, got {estimator!r}",
    )
    rule_set = load_rules(rules)
    baseline = rule_set.judge.qualification.baseline
    shipped = {m.name: m for m in load_methods("baselines")}
    require(
        baseline in shipped,
        f"rules {rule_set.name}: judge.qualification.baseline: {' or '.join(shipped)} can be run here, "
        f"got {baseline}",
    )
    own = participant(estimator, baseline)
    check_importable(own)  # before any data are fetched
    problem_list = load_problems(problems, cache)
    require(
        any(problem.track == "qualification" for problem in problem_list.problems),
        f"{problems}: a dataset with track: qualification was expected, got none",
    )
    chosen = choose_datasets(problem_list, every)
    with resumable(out):
        runs = record(
            [own, shipped[baseline]],
            chosen,
            out,
            repetitions,
            jobs=jobs,
            time_limit=time_limit,
            memory_bytes=int(memory * 2**30),
            fresh=fresh,
            say=typer.echo,
        )
    runs = runs[runs["method"].isin([own.name, baseline]) & (runs["repetition"] <= repetitions)]
    runs = runs[runs["dataset"].isin([problem.dataset for problem in chosen.problems])]
    result = judge_qualification(runs, chosen, rule_set)
    result.write(out)  # beside the recorded runs
    print_lines(
        *describe_qualification(result, len(problem_list.problems), repetitions),
        f"written to {out}: runs.parquet, qualification.csv, verdicts.csv, ledger.csv",
    )
    if not result.verdicts["runs"].iloc[0]:
        raise typer.Exit(1)


def choose_datasets(problems: "Problems", every: bool) -> "Problems":
    """Fetch the data of problems, and keep the small ones unless every one is asked for."""
    from dataclasses import replace

    from srlib.errors import InputError, require
    from srlib.problems import partitions
    from srlib.progress import progress

    chosen: list[Problem] = []
    for problem in progress(problems.problems, len(problems.problems), "datasets read"):
        try:
            data = partitions(problem, problem.first_seed)
        except InputError as error:
            remedy = "or name a PMLB folder that holds the data with --cache"
            raise InputError(f"{error}; {remedy}") from error
        if every or (data and data.train and len(data.train.y) + len(data.test.y) <= MOST_ROWS):
            chosen.append(problem)
    require(
        bool(chosen),
        f"{problems.path}: every dataset has more than {MOST_ROWS:,} rows; --all runs them",
    )
    return replace(problems, problems=tuple(chosen))


def describe_qualification(result: "Qualification", n_problems: int, repetitions: int) -> list[str]:
    """Say whether an estimator qualifies, by how much, what failed, and where it is not better."""
    from srlib.prose import counted

    own, rule = result.verdicts.iloc[0], result.rules.judge.qualification
    cells = result.cells[result.cells["method"] == own["method"]]
    not_better = cells[~cells["better"].astype(bool)].sort_values("rank_difference")
    ledger = result.ledger[result.ledger["level"] == "run"]
    failures = ledger.loc[ledger["method"] == own["method"], "detail"].value_counts().head(5)
    verdict = "qualifies" if own["qualified"] else "does not qualify"
    lines = [
        f"{own['method']} {verdict} against {rule.baseline}, "
        f"by {rule.across}, on {len(cells)} of {counted(n_problems, 'dataset')}, {counted(repetitions, 'repetition')}",
        f"  better on {own['better']}, equal on {own['equal']}, worse on {own['worse']} datasets",
        f"  by each reading (above 0 qualifies): mean difference of ranks {own['mean_rank']:+.2f}, "
        f"difference of median R2 {own['median_r2']:+.3f}, datasets won minus lost {own['wins']:+d}",
        f"  {own['failed']} of {own['runs'] + own['failed']} runs failed",
        *(f"    {n} x {detail}" for detail, n in failures.items()),
    ]
    for cell in not_better.itertuples():
        outcome = "equal" if cell.rank_difference == 0 else "worse"
        own_r2, baseline_r2 = (
            f"{value:.3f}" if value == value else "no usable run"
            for value in (cell.median_r2, cell.baseline_r2)
        )
        lines.append(f"  {outcome} on {cell.dataset}: {own_r2} against {baseline_r2}")
    return lines


@command(GET_RUNS, "srlib import downloads/tpsr --layout tpsr --out runs.parquet", name="import")
def import_tables(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="Tables, folders of them, or folders of text files of models.", metavar="TABLE..."
        ),
    ],
    out: Annotated[Path, typer.Option(help="File for the runs: .parquet, .feather or .csv.")],
    layout: Layout = None,
) -> None:
    """Turn published results of any layout into a run table.

    Of a layout that has several models a run, a row or a line each, the last one is kept.
    """
    from srlib.errors import require
    from srlib.readers import read_results
    from srlib.table_files import write_frame
    from srlib.tables import RUNS

    check_table_format(out)
    results = read_results(tables, layout, prefer="runs")
    require(
        results.kind == "runs",
        f"{', '.join(tables)}: single runs were expected, got {results.kind} (layout {results.layout})",
    )
    runs = results.frame
    columns = [name for name in RUNS.columns if name in runs]
    write_frame(runs[[*columns, *(name for name in runs if name not in columns)]], out)
    n_invalid = int((runs["status"] == "invalid").sum())
    n_noted = int(runs["reason"].notna().sum()) - n_invalid
    print_lines(
        *results.notices,
        f"{len(runs)} runs (layout {results.layout}), {n_invalid} rows that cannot be used, "
        f"{n_noted} with a reservation (column reason); written to {out}",
    )
