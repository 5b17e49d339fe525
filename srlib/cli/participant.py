"""Commands of participants: check, equivalent, run, qualify, import."""

import json
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from srlib.cli.app import (
    GET_RUNS,
    JUDGE,
    PLACE_COLUMNS,
    Alias,
    DataRoot,
    FindingsTable,
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
    RunTables,
    Scheduler,
    Seconds,
    TimeLimit,
    command,
    describe_first,
    print_lines,
    read_pairs,
    short_name,
)
from srlib.errors import InputError, require
from srlib.prose import counted, tally

if TYPE_CHECKING:
    from srlib.judging.qualification import Qualification
    from srlib.problems import Problems
    from srlib.rules import Rules
    from srlib.tools.recording import Method

MOST_TEXTS = 20  # texts that are printed
MOST_ROWS = 2000  # rows of a dataset in a quick test of an estimator


@command(
    JUDGE,
    "srlib check my-runs.csv --problems synthetic-2022 --rules judging-2022",
    "srlib check my-runs.csv --out findings.csv",
    "srlib check my-runs.csv --problems synthetic-2022 --field demo",
)
def check(
    submission: RunTables,
    problems: ProblemFile = "",
    rules: RulesFile = "",
    out: FindingsTable = None,
    names: Names = None,
    alias: Alias = None,
    layout: Layout = None,
    field: Annotated[
        list[str] | None,
        Option(
            help="Runs of other methods, or demo: at which place would yours stand? Repeatable."
        ),
    ] = None,
) -> None:
    """Find errors in a submission before it is sent.

    Prints a line for each method and kind of finding: the number, all findings of the first text, and the remedy. OUT
    has all findings, and NAME-read.csv beside it how each text was read. The rules state how many repetitions are
    expected, of which tracks. Nothing is simplified or ranked, so that ten thousand texts take seconds. Exit code 0:
    no findings, 1: findings, 2: unreadable.

    With --field the models are measured and ranked beside other methods' runs, which takes longer. A line for each
    method says at which place it would stand, and on what it would lose most. That is no verdict.
    """
    import srlib
    from srlib.table_files import write_frame

    require(not field or bool(problems), "--field: a problem file was expected (--problems)")
    reading = {"layout": layout, "names": read_pairs(names), "aliases": read_pairs(alias)}
    result = srlib.check(submission, problems=problems or None, rules=rules or None, **reading)
    if out is not None:
        write_frame(result.findings, out)
        write_frame(result.read, out.with_name(f"{out.stem}-read{out.suffix}"))
    texts = result.read.assign(features=result.read["features"].map(", ".join))
    for row in texts.head(MOST_TEXTS).itertuples():
        print_lines(
            f"{row.file} row {row.row}: {short_name(row.read_as)} | names {row.names} | {row.features} | "
            f"size {row.size} | values {row.on_three_rows}"
        )
    if (n_more := len(result.read) - MOST_TEXTS) > 0:
        print_lines(f"... and {n_more} more: --out FILE writes what all texts were read as.")
    for (_, code), group in result.findings.groupby(["method", "code"], sort=False, dropna=False):
        details = group.groupby(PLACE_COLUMNS, sort=False, dropna=False)["detail"].agg("; ".join)
        first = describe_first(group.assign(detail=details.iloc[0]))
        print_lines(f"{len(group)} {code}; first: {first}: {group['help'].iloc[0]}.")
    print_lines(*result.sentences)
    if field:
        competition = srlib.Competition.read(field, problems, rules or "judging-2022")
        field_methods = set(competition.runs.methods)
        judgement = competition.with_runs(srlib.read_runs(submission, **reading).frame).judge()
        for method in sorted(set(judgement.ranking["method"]) - field_methods):
            standing = judgement.standing(method)
            print_lines(standing.summary, *standing.worst_losses)
        print_lines(
            "No verdict: places change with the runs of others and with the organizer's data."
        )
    if not result.ok:
        raise typer.Exit(1)


@command(
    JUDGE,
    'srlib equivalent --truth "2*x*y" --model "2.0001*y*x + 0.3" --domain x=1:5 --domain y=0:3',
)
def equivalent(
    truth: Annotated[str, Option(help="The true formula.")],
    model: Annotated[str, Option(help="The model, in the same features.")],
    domain: Annotated[
        list[str] | None,
        Option(
            help="Range of a feature, NAME=LOW:HIGH; [1, 5] where none is given. "
            "E and e are features only if they have one, else Euler's number."
        ),
    ] = None,
    constants: Annotated[
        str, Option(help="How constants are compared: decimals:N, significant:N, srbench or free.")
    ] = "decimals:3",
    free: Annotated[
        str, Option(help="Constants of the truth that may have any value, as in c0,c1.")
    ] = "",
    timeout: Seconds = 60.0,
    as_json: Annotated[
        bool, Option("--json", help="Print the verdict and all of its evidence as JSON.")
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
        str, Argument(help="Method file, name of a shipped one, or SRBench's regressor.py.")
    ],
    problems: ProblemArgument,
    out: OutFolder,
    repetitions: Annotated[
        int | None, Option(help="Runs per method and dataset [all data seeds].", min=1)
    ] = None,
    jobs: Jobs = None,
    time_limit: TimeLimit = 600.0,
    memory: Memory = 4.0,
    retry: Annotated[
        list[str] | None,
        Option(
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
    time records into a folder. Exit code 1 if a run failed.
    """
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
    count = counted(len(runs), "run")
    print_lines(f"{count} in {out / 'runs.parquet'}: {tally(runs['status'])}")
    if (runs["status"] != "ok").any():
        raise typer.Exit(1)


@command(
    GET_RUNS,
    "srlib qualify sklearn.linear_model:Lasso",
    "srlib qualify mypackage:MyRegressor --all --repetitions 10 --cache pmlb",
)
def qualify(
    estimator: Annotated[
        str,
        Argument(
            metavar="PACKAGE:ESTIMATOR",
            help="Class with fit and predict; or a regressor.py, or a method file of one method.",
        ),
    ],
    problems: ProblemFile = "qualification-2022",
    rules: RulesFile = "judging-2022",
    repetitions: Annotated[
        int, Option(help="Runs per dataset; the competition has 10.", min=1)
    ] = 3,
    cache: DataRoot = None,
    all_datasets: Annotated[
        bool, Option("--all", help=f"Datasets of more than {MOST_ROWS:,} rows, too.")
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
    whole qualification is `--all --repetitions 10`. Data that CACHE, a PMLB folder, does not hold are fetched and kept.
    """
    from srlib.judging.qualification import qualify as judge_qualification
    from srlib.problems import load_problems
    from srlib.rules import load_rules
    from srlib.tools.recording import record

    rule_set = load_rules(rules)
    candidate, baseline = load_pair(estimator, rule_set)
    problem_list = load_problems(problems, cache)
    selection = choose_datasets(problem_list, all_datasets)
    runs = record(
        [candidate, baseline],
        selection,
        out,
        repetitions,
        jobs=jobs,
        time_limit=time_limit,
        memory_bytes=int(memory * 2**30),
        fresh=fresh,
        say=print_lines,
    )
    datasets = [problem.dataset for problem in selection.problems]
    runs = runs[runs["method"].isin([candidate.name, baseline.name])]
    runs = runs[runs["dataset"].isin(datasets) & (runs["repetition"] <= repetitions)]
    result = judge_qualification(runs, selection, rule_set)
    result.write(out, keep_others=True)  # the recorded runs
    print_lines(
        *describe_qualification(result, len(problem_list.problems), repetitions),
        f"written to {out}: runs.parquet, qualification.csv, verdicts.csv, ledger.csv",
    )
    if not result.verdicts["runs"].iloc[0]:
        raise typer.Exit(1)


def load_pair(estimator: str, rules: "Rules") -> "tuple[Method, Method]":
    """Return the methods of an estimator and of the rules' baseline; both can be run here."""
    from srlib.tools.recording import load_methods, participant, try_import
    from srlib.workers import call_bounded

    baseline = rules.judge.qualification.baseline
    baselines = {method.name: method for method in load_methods("baselines")}
    require(
        baseline in baselines,
        f"rules {rules.name}: judge.qualification.baseline: {' or '.join(baselines)} can be run here, got {baseline}",
    )
    package, _, name = estimator.partition(":")
    if package.replace(".", "_").isidentifier() and name.isidentifier():
        call_bounded(try_import, estimator, subject=estimator, timeout=600.0)
        return participant(estimator, baseline), baselines[baseline]
    require(
        estimator.endswith((".py", ".yaml")),
        "PACKAGE:ESTIMATOR was expected, as in sklearn.linear_model:Lasso, or a regressor.py or a method file, "
        f"got {estimator!r}",
    )
    candidate, *surplus = load_methods(estimator)
    require(not surplus, f"{estimator}: one method was expected, got {len(surplus) + 1}")
    if candidate.name == baseline:
        candidate = candidate.model_copy(update={"name": f"{baseline} ({estimator})"})
    return candidate, baselines[baseline]


def choose_datasets(problems: "Problems", all_datasets: bool) -> "Problems":
    """Fetch the data of the qualification's problems, and return the problems with small data, or all of them."""
    from dataclasses import replace

    from srlib.problems import partitions
    from srlib.progress import progress

    candidates = [problem for problem in problems.problems if problem.track == "qualification"]
    selection = []
    for problem in progress(candidates, len(candidates), "datasets read"):
        try:
            data = partitions(problem, problem.first_seed)
        except InputError as error:
            raise InputError(f"{error}; --cache can name a PMLB folder with the data") from error
        n_rows = len(data.train.y) + len(data.test.y) if data and data.train else inf
        if all_datasets or n_rows <= MOST_ROWS:
            selection.append(problem)
    require(
        bool(selection),
        f"{problems.path}: of {len(candidates)} datasets with track: qualification none has at most {MOST_ROWS:,} "
        "rows; --all runs larger ones",
    )
    return replace(problems, problems=tuple(selection))


def describe_qualification(result: "Qualification", n_problems: int, repetitions: int) -> list[str]:
    """Return lines of text: whether an estimator qualifies, by which margin, and on which datasets it is not better."""
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
        values = f"{cell.median_r2:.3f} against {cell.baseline_r2:.3f}"
        lines.append(f"  not better on {cell.dataset}: {values.replace('nan', 'no usable run')}")
    return lines


@command(GET_RUNS, "srlib import downloads/tpsr --layout tpsr --out runs.parquet", name="import")
def import_tables(
    tables: RunTables, out: OutTable, alias: Alias = None, layout: Layout = None
) -> None:
    """Turn published results of any layout into a run table.

    TABLES may also be folders of text files of models. If a layout has several models for a run, in a row or line each,
    its `rows` say which one is kept. Prints a line for each row and value that cannot be used.
    """
    import srlib
    from srlib.ledger import LEFT_OUT_PREFIX, split_reason
    from srlib.table_files import write_frame

    runs = srlib.read_runs(tables, layout=layout, aliases=read_pairs(alias))
    write_frame(runs.frame, out)
    for row in runs.frame.dropna(subset="reason").to_dict("records"):
        if row["status"] == "invalid" or row["reason"].startswith(LEFT_OUT_PREFIX):
            for sentence in split_reason(row["reason"]):
                print_lines(f"{row['file']} row {row['row']}: {sentence}")
    print_lines(*runs.sentences, f"written to {out}")
