"""Commands of organizers and readers: new, problems, audit, ballot, report, diff."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srlib.cli.app import (
    JUDGE,
    SET_UP,
    SHOW,
    RulesFile,
    command,
    command_group,
    one_line,
    print_lines,
    print_ranking,
)

if TYPE_CHECKING:
    from srlib.rendering import Result


ballot = command_group("ballot", JUDGE, "Let experts judge models blind.")


@command(
    "Commands",
    "srlib ballot make demo --problems diabetes --out ballot",
    parent=ballot,
)
def make(
    runs: Annotated[
        str,
        typer.Argument(
            help="Run table or assessments: a file, a folder of `srlib run`, or 'demo'."
        ),
    ],
    problems: Annotated[
        str, typer.Option(help="Problem file or shipped name; its track is real-world.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the packet, and beside it the key.")],
    rules: RulesFile = "judging-2022",
    data_root: Annotated[
        Path | None, typer.Option("--data-root", help="Folder of the data.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Of the order of the sheets; keep it from the experts. [drawn]"),
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="CPU seconds that the sheet of a model may take.")
    ] = 10.0,
) -> None:
    """Write OUT/packet for the experts; key.json, representatives.csv and ledger.csv stay with the organizer."""
    from srlib.ballot import COUNTING, make_packet
    from srlib.judging.assessments import complete_assessments
    from srlib.problems import load_problems
    from srlib.prose import counted
    from srlib.readers import read_runs
    from srlib.rules import load_rules

    rule_set, problem_list = load_rules(rules), load_problems(problems, data_root)
    table = read_runs(runs, prefer="real_world")
    sheets = make_packet(
        complete_assessments(table, problem_list, rule_set.measure),
        problem_list,
        rule_set.judge,
        out,
        seed,
        timeout,
        rule_set.explained(*COUNTING),
    )
    datasets = counted(sheets["dataset"].nunique(), "dataset")
    models = f"{counted(len(sheets), 'model')} of {datasets}"
    print_lines(f"{models}: {out / 'packet'} is for the experts")


@command(
    "Commands",
    "srlib ballot read ballot.csv --key ballot/key.json --out trust.csv",
    name="read",
    parent=ballot,
)
def read_ballot(
    ballots: Annotated[list[Path], typer.Argument(help="CSV files, as the form saves them.")],
    key: Annotated[Path, typer.Option(help="key.json of the packet.")],
    out: Annotated[Path, typer.Option(help="CSV file for expert, method, dataset, rank, trust.")],
    rules: RulesFile = "judging-2022",
    timeout: Annotated[
        float, typer.Option(help="Seconds that reading the ballots may take.")
    ] = 60.0,
) -> None:
    """Check ballots, unblind them, and rank the methods; with any fault nothing is unblinded.

    An expert may leave out a whole dataset, but not a part of one. Where rank and trust contradict each other, the
    ranks count.
    """
    from srlib.ballot import read_ballots
    from srlib.errors import InputError
    from srlib.judging.real_world import rank_by_trust
    from srlib.rules import load_rules
    from srlib.table_files import read_frame, write_frame
    from srlib.workers import call_bounded

    trust, faults, notes = call_bounded(
        read_ballots,
        ballots,
        key,
        subject=f"{len(ballots)} ballots",
        timeout=timeout,
        preload=("srlib.ballot",),
    )
    print_lines(*faults, err=True)
    if faults:
        raise InputError(f"{len(faults)} fault{'s' * (len(faults) > 1)}; nothing was unblinded")
    representatives = key.parent / "representatives.csv"
    aspects = read_frame(representatives) if representatives.is_file() else None
    ranking = rank_by_trust(trust, load_rules(rules).judge, aspects).ranking
    write_frame(trust, out)
    print_lines(*(f"note: {note}" for note in notes), f"written to {out}")
    print_ranking(zip(ranking["rank"], ranking["method"], ranking["score"], strict=True))


@command(
    SHOW,
    "srlib report demo",
    "srlib report my-suite.yaml --bundle",
    "srlib report parameters/suites/demo.yaml --out reports/demo --only synthetic --force",
)
def report(
    suite: Annotated[
        str, typer.Argument(help="Suite file, or the bare name of a shipped one.", metavar="SUITE")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the pages; reports/SUITE otherwise.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Render this report alone; may be repeated.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Execute unchanged reports as well.")
    ] = False,
    bundle: Annotated[
        bool,
        typer.Option("--bundle", help="Write OUT/bundle, too: what renders the reports again."),
    ] = False,
) -> None:
    """Render a suite of notebooks into HTML reports with an index.

    Writes OUT/index.html, OUT/NAME.html, OUT/NAME.report.json and OUT/NAME/ with figures and tables. What is
    unchanged is not executed again. Each verdict is printed as soon as it is there. With --bundle the folder
    OUT/bundle has the runs, problems, rules, data, notebooks and versions that the reports were made from, and
    one command that renders them again.

    Exit code 1 when a report or one of its checks failed.
    """
    import srlib

    reports = srlib.report(
        suite, out, only=only or (), force=force, bundle=bundle, on_result=print_report
    )
    print_lines(f"Index: {reports.index}")
    if bundle:
        folder = reports.index.parent / "bundle"
        print_lines(f"Bundle: {folder}; README.txt says how to render it again")
    if reports.failed:
        raise typer.Exit(1)


def print_report(result: "Result") -> None:
    """Print what became of a report as soon as it is known."""
    from srlib.prose import first_of

    duration = f" in {result.seconds:.1f} s" if result.state != "unchanged" else ""
    verdict = one_line(result.handed["verdict"])
    line = f"{one_line(result.name)}: {result.state}{duration}. {verdict}"
    typer.secho(line, bold=result.state == "failed")
    if result.edited:
        change = f"had been changed since {result.name} was rendered; written again"
        print_lines(one_line(f"srlib: {first_of(result.edited)} {change}"), err=True)


@command(SHOW, "srlib diff reports/before reports/demo --out difference")
def diff(
    before: Annotated[
        Path, typer.Argument(help="Folder that `srlib report` wrote.", metavar="REPORT_DIR_A")
    ],
    after: Annotated[
        Path, typer.Argument(help="Another one, to compare with it.", metavar="REPORT_DIR_B")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for diff.csv, with every difference.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that the comparison may take.")] = 600.0,
) -> None:
    """Compare two rendered folders.

    Every page, table and figure is compared by its hash, and each cell of CSV tables. The screen shows 40 differences:
    first the pages' sentences, then the rankings.
    """
    from srlib.folders import result_folder
    from srlib.rendering.diff import diff as find_differences
    from srlib.rendering.diff import in_words
    from srlib.table_files import write_frame
    from srlib.workers import call_bounded

    differences = call_bounded(
        find_differences,
        before,
        after,
        subject=f"{before} and {after}",
        timeout=timeout,
        preload=("srlib.rendering.diff",),
    )
    print_lines(*map(one_line, in_words(differences)))
    if out is not None:
        with result_folder(out, "diff") as new:
            write_frame(differences, new / "diff.csv")


@command(SET_UP, "srlib new my-competition")
def new(
    folder: Annotated[
        Path, typer.Argument(help="Folder to make; it has to be empty or new.", metavar="FOLDER")
    ],
) -> None:
    """Start a suite of your own.

    The folder gets a suite, problems, rules and example runs with comments, and a notebook to change.
    """
    from srlib.errors import require
    from srlib.files import DEMO, NOTEBOOKS, visible, write_atomically
    from srlib.folders import result_folder
    from srlib.rules import load_rules, rules_text

    is_free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    require(is_free, f"{folder}: a new or empty folder was expected")
    official = load_rules("judging-2022")
    judge = official.judge.model_copy(update={"repetitions": 2})  # as many as the example runs
    own = official.model_copy(update={"judge": judge})
    rules = rules_text(own, "mine", f"own rules, begun from {official.name}")
    with result_folder(folder, "new", listed=False) as staging:
        shutil.copytree(DEMO / "new", staging, dirs_exist_ok=True)
        notebook = (NOTEBOOKS / "synthetic.ipynb").read_bytes()
        write_atomically(staging / "notebooks" / "synthetic.ipynb", notebook)
        write_atomically(staging / "rules.yaml", rules)
        names = [path.relative_to(staging).as_posix() for path in visible(staging)]
    files = f"--problems {folder / 'problems.yaml'} --rules {folder / 'rules.yaml'}"
    print_lines(
        f"{folder}: {', '.join(names)}",
        f"Filled in: srlib check {folder / 'submission.csv'} {files}",
        f"Next: srlib report {folder / 'suite.yaml'} --out {folder / 'reports'}",
    )


problems = command_group("problems", SET_UP, "Make the data of a problem file.")


@command(
    "Commands",
    "srlib problems public example-tasks --out public.yaml",
    name="public",
    parent=problems,
)
def write_public_file(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Problem file, or the name of a shipped one.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Problem file to write, as public.yaml.")],
) -> None:
    """Write what participants may see: datasets and features, and the training rows in a folder beside the file.

    Truths, test rows, properties, relevant features and noise levels are left out, and so are recipes that make data
    and their seeds: files are numbered.
    """
    from srlib.problems import load_problems
    from srlib.problems.problem_file import write_public

    problem_file, *tables = write_public(load_problems(file), out)
    print_lines(f"written: {problem_file} and {len(tables)} files of training rows")


@command(
    "Commands",
    "srlib problems generate synthetic-2022 --out data --seeds 2082 --seeds 3946",
    name="generate",
    parent=problems,
)
def generate_data(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Problem file, or the name of a shipped one.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the CSV files and the manifest.")],
    seeds: Annotated[
        list[int] | None,
        typer.Option("--seeds", min=0, help="Data seed, may be given several times [the file's]."),
    ] = None,
) -> None:
    """Write the data of every dataset and seed as CSV, and a problem file that points at them.

    Files are named SEED_DATASET_data_train.csv, SEED_DATASET_data_test.csv and, where a dataset has such
    rows, SEED_DATASET_data_extrapolation.csv.
    """
    from srlib.problems import load_problems
    from srlib.problems.problem_file import generate

    problem_file = generate(load_problems(file), out, seeds or ())
    print_lines(f"written: {problem_file} and the files that it names")


@command(
    SET_UP,
    "srlib audit synthetic-2022 --out audit.csv",
    "srlib audit seir-2022 --data-root downloads/synthetic",
)
def audit(
    problems: Annotated[
        str, typer.Argument(help="Problem file, a PMLB folder, or a shipped name.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="CSV file for all findings.")] = None,
    data_root: Annotated[
        Path | None,
        typer.Option(
            "--data-root", help="Folder of the data, instead of the one that the file names."
        ),
    ] = None,
) -> None:
    """Check what a problem file states against its data.

    Truth, noise, needed features, surrogates, leakage, duplicates, extrapolation, and what a perfect answer scores in
    its own property; on the first two data seeds of each dataset. A failed check is exit code 1.
    """
    from srlib.audit import audit as run_checks
    from srlib.problems import load_problems
    from srlib.table_files import write_frame

    findings = run_checks(load_problems(problems, data_root))
    if out is not None:
        write_frame(findings, out)
    for row in findings[findings["verdict"] != "pass"].itertuples():
        print_lines(f"{row.verdict}  {row.dataset}  {row.check}: {row.detail}")
    counts = findings["verdict"].value_counts()
    totals = ", ".join(
        f"{counts.get(verdict, 0)} {verdict}" for verdict in ("pass", "warn", "fail")
    )
    print_lines(f"{len(findings)} checks of {findings['dataset'].nunique()} datasets: {totals}")
    if counts.get("fail", 0):
        raise typer.Exit(1)
