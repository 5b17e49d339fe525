"""Commands of participants: check, equivalent, run, qualify, import."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from srlib.cli.app import (
    GET_RUNS,
    JUDGE,
    Fresh,
    Jobs,
    Layout,
    Memory,
    Names,
    OutFolder,
    OutTable,
    ProblemArgument,
    ProblemFile,
    RulesFile,
    Scheduler,
    Seconds,
    TimeLimit,
    check_table_format,
    command,
    describe_first,
    print_lines,
    read_pairs,
    short_name,
)

if TYPE_CHECKING:
    import pandas as pd

    from srlib.judging.qualification import Qualification
    from srlib.problems import Problems

MOST_TEXTS = 20  # texts that are printed
MOST_ROWS = 2000  # rows of a dataset in a quick test of an estimator
LONGEST_REASON = 300  # letters of a printed reason


@command(
    JUDGE,
    "srlib check my-runs.csv --problems synthetic-2022 --rules judging-2022",
    "srlib check my-runs.csv --out findings.csv",
)
def check(
    submission: Annotated[list[str], typer.Argument(help="Table, or folder of tables.")],
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
            help="CSV file for all findings; how each text was read is written beside it, as NAME-read.csv.",
            callback=check_table_format,
        ),
    ] = None,
    names: Names = None,
    layout: Layout = None,
) -> None:
    """Find errors in a submission before it is sent.

    Prints a line for each method and kind of finding: the number, the first finding, and the remedy. Nothing is
    simplified or ranked, so that ten thousand texts take seconds. Exit code 0: no findings, 1: findings, 2:
    unreadable.
    """
    import srlib
    from srlib.table_files import write_frame

    result = srlib.check(
        submission, problems=problems, rules=rules, layout=layout, names=read_pairs(names)
    )
    if out is not None:
        write_frame(result.findings, out)
        write_frame(result.read, out.with_name(f"{out.stem}-read{out.suffix}"))
    for row in result.read.head(MOST_TEXTS).itertuples():
        print_lines(
            f"{row.file} row {row.row}: {short_name(row.read_as)} | names {row.names} | {row.features} | "
            f"size {row.size} | values {row.on_three_rows}"
        )
    if (n_more := len(result.read) - MOST_TEXTS) > 0:
        print_lines(f"... and {n_more} more: --out FILE writes what all texts were read as.")
    for (_, code), group in result.findings.groupby(["method", "code"], sort=False, dropna=False):
        print_lines(
            f"{len(group)} {code}; first: {describe_first(group)}: {group['help'].iloc[0]}."
        )
    print_lines(*result.sentences)
    if not result.ok:
        raise typer.Exit(1)


@command(
    JUDGE,
    'srlib equivalent --truth "2*x*y" --model "2.0001*y*x + 0.3" --domain x=1:5 --domain y=0:3',
)
def equivalent(
    truth: Annotated[str, typer.Option(help="The true formula.")],
    model: Annotated[str, typer.Option(help="The model, in the same features.")],
    domain: Annotated[
        list[str] | None,
        typer.Option(help="Range of a feature, NAME=LOW:HIGH; [1, 5] where none is given."),
    ] = None,
    constants: Annotated[
        str,
        typer.Option(
            help="How constants are compared: decimals:N, significant:N, srbench or free."
        ),
    ] = "decimals:3",
    free: Annotated[
        str, typer.Option(help="Constants of the truth that may have any value, as in c0,c1.")
    ] = "",
    timeout: Seconds = 60.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the verdict and all of its evidence as JSON.")
    ] = False,
) -> None:
    """Compare a model with the truth, with evidence.

    For a solution the sentence states which constants differ within their tolerance; for any other model, how far
    its values are from those of the truth on the domain (by default 1 to 5). In the JSON the verdict is identical,
    offset, scale, form (these are solutions; form: with the values of the free constants in `free`), different,
    constant or unknown. The comparison runs in a separate process with the time and memory limits of `srlib assess`;
    if it exceeds them the verdict is unknown.
    """
    import srlib

    ranges: Any = {name: ends.split(":") for name, ends in read_pairs(domain).items()}
    result = srlib.equivalent(
        truth,
        model,
        domain=ranges,
        constants=constants,
        free=free.replace(",", " ").split(),
        timeout=timeout,
    )
    if as_json:
        typer.echo(json.dumps(result.evidence, allow_nan=False))
    print_lines(result.sentences[0], err=as_json)


@command(GET_RUNS, "srlib run demo synthetic-2022 --out recording --repetitions 2 --jobs 2")
def run(
    methods: Annotated[
        str,
        typer.Argument(help="Method file, name of a shipped one, or SRBench's regressor.py."),
    ],
    problems: ProblemArgument,
    out: OutFolder,
    repetitions: Annotated[
        int | None, typer.Option(help="Runs per method and dataset [all data seeds].", min=1)
    ] = None,
    jobs: Jobs = None,
    time_limit: TimeLimit = 600.0,
    memory: Memory = 4.0,
    retry: Annotated[
        list[str] | None,
        typer.Option(
            help="failed, crashed, timeout or memory: make recorded runs of that status again; repeatable."
        ),
    ] = None,
    fresh: Fresh = False,
    scheduler: Scheduler = None,
) -> None:
    """Run methods on problems and record every run.

    A record has the model's text and its accuracy, or the reason why the run failed. Each run has a separate process.
    The command can be stopped at any moment; the same command continues where it stopped, and repeats runs whose
    method or data have changed (use --fresh if a module that the method imports has changed). Only one command at a
    time records into a folder.
    """
    from srlib.prose import counted, tally
    from srlib.tools.recording import record

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
        say=print_lines,
    )
    print_lines(
        f"{counted(len(runs), 'run')} in {out / 'runs.parquet'}: {tally(runs['status'])}",
        *describe_failures(runs),
    )


def describe_failures(runs: "pd.DataFrame") -> list[str]:
    """Return a line for each method and status of failed runs: their number, and the first dataset and reason."""
    failures = runs[runs["status"] != "ok"]
    lines = []
    for (method, status), rows in failures.groupby(["method", "status"]):
        first = f"{rows['dataset'].iloc[0]}: {rows['reason'].iloc[0]}"[:LONGEST_REASON]
        lines.append(f"  {short_name(method)}: {len(rows)} {status}; first: {first}")
    return lines


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
        int, typer.Option(help="Runs per dataset; the competition has 10.", min=1)
    ] = 3,
    cache: Annotated[
        Path | None,
        typer.Option(help="PMLB folder with the data; otherwise they are fetched and kept."),
    ] = None,
    all_datasets: Annotated[
        bool, typer.Option("--all", help=f"Datasets of more than {MOST_ROWS:,} rows, too.")
    ] = False,
    out: OutFolder = Path("qualify-runs"),
    time_limit: TimeLimit = 300.0,
    memory: Memory = 4.0,
    fresh: Fresh = False,
    jobs: Jobs = None,
) -> None:
    """Test an estimator of your own against LinearRegression.

    The estimator qualifies if its test R2 over the qualification's datasets is better than that of the rules' baseline.
    It has its default parameters, and each run has a separate process. Finished runs are kept, and the same command
    continues from them. By default only datasets of at most 2,000 rows are run, three times each, as a quick test. The
    whole qualification is `--all --repetitions 10`.
    """
    from srlib.errors import require
    from srlib.judging.qualification import qualify as judge_qualification
    from srlib.problems import load_problems
    from srlib.rules import load_rules
    from srlib.tools.recording import check_importable, load_methods, participant, record

    package, _, name = estimator.partition(":")
    require(
        package.replace(".", "_").isidentifier() and name.isidentifier(),
        f"PACKAGE:ESTIMATOR was expected, as in sklearn.linear_model:Lasso, got {estimator!r}",
    )
    rule_set = load_rules(rules)
    baseline = rule_set.judge.qualification.baseline
    baselines = {method.name: method for method in load_methods("baselines")}
    require(
        baseline in baselines,
        f"rules {rule_set.name}: judge.qualification.baseline: {' or '.join(baselines)} can be run here, "
        f"got {baseline}",
    )
    candidate = participant(estimator, baseline)
    check_importable(candidate)  # before data are fetched
    problem_list = load_problems(problems, cache)
    selection = choose_datasets(problem_list, all_datasets)
    runs = record(
        [candidate, baselines[baseline]],
        selection,
        out,
        repetitions,
        jobs=jobs,
        time_limit=time_limit,
        memory_bytes=int(memory * 2**30),
        fresh=fresh,
        say=print_lines,
    )
    runs = runs[
        runs["method"].isin([candidate.name, baseline]) & (runs["repetition"] <= repetitions)
    ]
    runs = runs[runs["dataset"].isin([problem.dataset for problem in selection.problems])]
    result = judge_qualification(runs, selection, rule_set)
    result.write(out, beside=True)  # beside the recorded runs
    print_lines(
        *describe_qualification(result, len(problem_list.problems), repetitions),
        *describe_failures(runs[runs["method"] == candidate.name]),
        f"written to {out}: runs.parquet, qualification.csv, verdicts.csv, ledger.csv",
    )
    if not result.verdicts["runs"].iloc[0]:
        raise typer.Exit(1)


def choose_datasets(problems: "Problems", all_datasets: bool) -> "Problems":
    """Fetch the data of the qualification's problems, and return the problems with small data, or all of them."""
    from dataclasses import replace

    from srlib.errors import InputError, require
    from srlib.problems import partitions
    from srlib.progress import progress

    candidates = [problem for problem in problems.problems if problem.track == "qualification"]
    selection = []
    for problem in progress(candidates, len(candidates), "datasets read"):
        try:
            data = partitions(problem, problem.first_seed)
        except InputError as error:
            remedy = "--cache can name a PMLB folder that holds the data"
            raise InputError(f"{error}; {remedy}") from error
        is_small = data and data.train and len(data.train.y) + len(data.test.y) <= MOST_ROWS
        if all_datasets or is_small:
            selection.append(problem)
    require(
        bool(selection),
        f"{problems.path}: of {len(candidates)} datasets with track: qualification none has at most {MOST_ROWS:,} "
        "rows; --all runs larger ones",
    )
    return replace(problems, problems=tuple(selection))


def describe_qualification(result: "Qualification", n_problems: int, repetitions: int) -> list[str]:
    """Return lines of text: whether an estimator qualifies, by which margin, and on which datasets it is not better."""
    from srlib.prose import counted

    row = result.verdicts.iloc[0]
    qualification = result.rules.judge.qualification
    cells = result.cells[result.cells["method"] == row["method"]]
    verdict = "qualifies" if row["qualified"] else "does not qualify"
    scope = (
        f"{len(cells)} of {counted(n_problems, 'dataset')}, {counted(repetitions, 'repetition')}"
    )
    lines = [
        f"{row['method']} {verdict} against {qualification.baseline}, by {qualification.across} {row['margin']:+.3f} "
        f"(above 0 qualifies), on {scope}",
        f"  better on {row['better']}, equal on {row['equal']}, worse on {row['worse']} datasets",
        f"  {row['failed']} of {row['runs'] + row['failed']} runs failed",
    ]
    for cell in cells[~cells["better"].astype(bool)].itertuples():
        values = [
            "no usable run" if math.isnan(value) else f"{value:.3f}"
            for value in (cell.median_r2, cell.baseline_r2)
        ]
        lines.append(f"  not better on {cell.dataset}: {' against '.join(values)}")
    return lines


@command(GET_RUNS, "srlib import downloads/tpsr --layout tpsr --out runs.parquet", name="import")
def import_tables(
    tables: Annotated[
        list[str],
        typer.Argument(help="Tables, folders of them, or folders of text files of models."),
    ],
    out: OutTable,
    layout: Layout = None,
) -> None:
    """Turn published results of any layout into a run table.

    If a layout has several models for a run, in a row or line each, the last one is kept.
    """
    import srlib
    from srlib.table_files import write_frame

    runs = srlib.read_runs(tables, layout=layout)
    write_frame(runs.frame, out)
    print_lines(*runs.sentences, f"written to {out}")
