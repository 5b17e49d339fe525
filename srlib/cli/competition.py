"""Commands of organizers and readers: ballot, report, diff, new, problems, audit, inference."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from srlib.cli.app import (
    JUDGE,
    SET_UP,
    SHOW,
    Alias,
    DataRoot,
    FindingsTable,
    OutFolder,
    OutTable,
    ProblemArgument,
    ProblemFile,
    RulesFile,
    RunTables,
    Seconds,
    Timeout,
    command,
    command_group,
    one_line,
    print_lines,
    print_ranking,
    read_pairs,
)
from srlib.errors import require
from srlib.folders import result_folder
from srlib.prose import counted, tally

if TYPE_CHECKING:
    from srlib.tools.inference.scoring import Scored


ballot = command_group("ballot", JUDGE, "Let experts judge models blind.")


@ballot("srlib ballot make demo --problems diabetes --out ballot", name="make")
def make_ballot(
    runs: RunTables,
    problems: ProblemFile,
    out: OutFolder,
    rules: RulesFile = "judging-2022",
    data_root: DataRoot = None,
    seed: Annotated[
        int | None,
        Option(help="Seed of the order of the sheets; keep it from the experts. [drawn]"),
    ] = None,
    alias: Alias = None,
    timeout: Timeout = 10.0,
) -> None:
    """Write OUT/packet for the experts; key.json, representatives.csv and ledger.csv stay with the organizer.

    The datasets are those of the track real-world.
    """
    from srlib.competition import Competition
    from srlib.tools.ballot import make_packet

    aliases = read_pairs(alias)
    competition = Competition.read(runs, problems, rules, aliases=aliases, data_root=data_root)
    sheets = make_packet(competition, out, seed, timeout)
    print_lines(f"{counted(len(sheets), 'model')}: {out / 'packet'} is for the experts")


@ballot("srlib ballot read ballot.csv --key ballot/key.json --out trust.csv", name="read")
def read_ballot(
    ballots: Annotated[list[Path], Argument(help="CSV files, as the form saves them.")],
    key: Annotated[Path, Option(help="key.json of the packet.")],
    out: OutTable,
    rules: RulesFile = "judging-2022",
    timeout: Seconds = 60.0,
) -> None:
    """Check ballots, unblind them, and rank the methods; with any fault nothing is unblinded.

    An expert may leave out a whole dataset, but not a part of one. If rank and trust contradict each other, the
    ranks count. OUT has expert, method, dataset, rank and trust.
    """
    from srlib.judging.real_world import rank_by_trust
    from srlib.rules import load_rules
    from srlib.table_files import read_frame, write_frame
    from srlib.tools.ballot import describe_trust, read_ballots
    from srlib.workers import call_bounded

    trust, faults, notes = call_bounded(
        read_ballots,
        ballots,
        key,
        subject=f"{len(ballots)} ballots",
        timeout=timeout,
        preload=("srlib.tools.ballot",),
    )
    print_lines(*faults, err=True)
    require(not faults, f"{counted(len(faults), 'fault')}; nothing was unblinded")
    representatives = key.parent / "representatives.csv"
    aspects = read_frame(representatives) if representatives.is_file() else None
    judge = load_rules(rules).judge
    ranking = rank_by_trust(trust, judge, aspects).ranking
    write_frame(trust, out)
    print_lines(*notes, *describe_trust(trust, judge, aspects), f"written to {out}")
    print_ranking(ranking)


@command(
    SHOW,
    "srlib report demo",
    "srlib report my-suite.yaml --bundle",
    "srlib report my-suite.yaml --paper paper",
    "srlib report parameters/suites/demo.yaml --out reports/demo --only synthetic --force",
)
def report(
    suite: Annotated[str, Argument(help="Suite file, or the bare name of a shipped one.")],
    out: Annotated[
        Path | None, Option(help="Folder for the pages; reports/SUITE otherwise.")
    ] = None,
    only: Annotated[
        list[str] | None, Option(help="Render this report alone; may be repeated.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Execute unchanged reports as well.")] = False,
    bundle: Annotated[
        bool, Option("--bundle", help="Write OUT/bundle, too: what renders the reports again.")
    ] = False,
    paper: Annotated[
        Path | None, Option(help="Folder for a LaTeX paper of the reports that compiles.")
    ] = None,
) -> None:
    """Render a suite of notebooks into HTML reports with an index.

    Writes OUT/index.html, OUT/NAME.html, OUT/NAME.report.json and OUT/NAME/ with figures and tables. Unchanged reports
    are not executed again. Each verdict is printed as soon as its report is rendered. With --bundle the folder
    OUT/bundle has the suite, all files that it names by a relative path, the data of problem files, the versions of all
    packages, and a command that renders the reports again.

    With --paper the folder PAPER/srlib is replaced by figures and tables for print, and by every number by its key;
    PAPER/paper.tex is written once. Keys that your .tex files use and whose numbers changed are printed.

    Exit code 1 if a report or one of its checks failed, then there is no paper; or if a key that you use is gone.
    """
    import srlib

    reports = srlib.report(
        suite,
        out,
        only=only or (),
        force=force,
        bundle=bundle,
        paper=paper,
        on_result=lambda result: print_lines(
            one_line(f"{result.report}: {result.state}. {result.verdict}")
        ),
    )
    print_lines(*reports.sentences)
    if reports.failed or (reports.paper and reports.paper.faults):
        raise typer.Exit(1)


@command(SHOW, "srlib diff reports/before reports/demo --out difference")
def diff(
    before: Annotated[Path, Argument(help="Folder that `srlib report` or `srlib judge` wrote.")],
    after: Annotated[Path, Argument(help="Another one, to compare with it.")],
    out: Annotated[Path | None, Option(help="Folder for diff.csv, with every difference.")] = None,
    timeout: Seconds = 600.0,
) -> None:
    """Say who entered and who moved between two folders of results, and list all differences; or compare two papers.

    Places and each method's own values are compared, as a score, a mean of ranks, moves when others join. Changed rules
    and problems are named, and changed numbers of papers, those that are used first. OUT gets each cell of a CSV table
    and each other file that differs. Exit code 1 if any does.
    """
    from srlib.rendering.diff import diff_lines
    from srlib.table_files import write_frame
    from srlib.workers import call_bounded

    lines, differences = call_bounded(
        diff_lines,
        before,
        after,
        subject=f"{before} and {after}",
        timeout=timeout,
        preload=("srlib.rendering.diff",),
    )
    print_lines(*map(one_line, lines))
    if out is not None:
        with result_folder(out, "diff") as new:
            write_frame(differences, new / "diff.csv")
    if len(differences):
        raise typer.Exit(1)


@command(SET_UP, "srlib new my-competition")
def new(
    folder: Annotated[Path, Argument(help="Folder to make; it has to be empty or new.")],
) -> None:
    """Start a competition of your own, as a folder to put into git.

    Its README is the call. The folder has rules, two rounds with problems, a suite and a folder for each team's
    tables, scripts that check a pull request and make the board, workflows that call them, a bundle for Codabench, and
    a notebook to change.
    """
    from srlib.files import DEMO, NOTEBOOKS, write_atomically
    from srlib.rules import load_rules, rules_text

    official = load_rules("judging-2022")
    own_rules = official.with_switches({"repetitions": 2})  # the number in the example runs
    rules = rules_text(own_rules, "mine", f"own rules, begun from {official.name}")
    with result_folder(folder, "new", listed=False) as staging:
        ignored = shutil.ignore_patterns("__pycache__")  # of an installation
        shutil.copytree(DEMO / "new", staging, dirs_exist_ok=True, ignore=ignored)
        notebook = (NOTEBOOKS / "synthetic.ipynb").read_bytes()
        write_atomically(staging / "notebooks" / "synthetic.ipynb", notebook)
        write_atomically(staging / "rules.yaml", rules)
    suite = folder / "practice" / "suite.yaml"
    print_lines(
        f"Read {folder / 'README.md'}: it is the call, and says what to change before you publish it.",
        f"Next: srlib report {suite} --out {folder / 'reports'}",
    )


problems = command_group("problems", SET_UP, "Make the data of a problem file.")


@problems("srlib problems public example-tasks --out public.yaml", name="public")
def write_public_file(
    problems: ProblemArgument,
    out: Annotated[Path, Option(help="Problem file to write, as public.yaml.")],
) -> None:
    """Write what participants may see: datasets and features, and the training rows in a folder beside the file.

    Truths, test rows, properties, relevant features and noise levels are left out, and also recipes of data and their
    seeds: files are numbered instead.
    """
    from srlib.problems import load_problems
    from srlib.problems.problem_file import write_public

    problem_file, *tables = write_public(load_problems(problems), out, print_lines)
    print_lines(f"written: {problem_file} and {len(tables)} files of training rows")


@problems(
    "srlib problems generate synthetic-2022 --out data --seeds 2082 --seeds 3946", name="generate"
)
def generate_data(
    problems: ProblemArgument,
    out: OutFolder,
    seeds: Annotated[
        list[int] | None, Option(help="Data seed, may be given several times [the file's].", min=0)
    ] = None,
) -> None:
    """Write the data of every dataset and seed as CSV, and a problem file that points at them.

    Files are named SEED_DATASET_data_train.csv, SEED_DATASET_data_test.csv and, if a dataset has such rows,
    SEED_DATASET_data_extrapolation.csv.
    """
    from srlib.problems import load_problems
    from srlib.problems.problem_file import generate

    problem_file = generate(load_problems(problems), out, seeds or ())
    print_lines(f"written: {problem_file} and the files that it names")


@command(
    SET_UP,
    "srlib audit synthetic-2022 --out audit.csv",
    "srlib audit seir-2022 --data-root downloads/synthetic",
)
def audit(problems: ProblemArgument, out: FindingsTable = None, data_root: DataRoot = None) -> None:
    """Check the statements of a problem file against its data.

    The checks are truth, noise, relevant features, surrogates, leakage, duplicates, extrapolation, copies of the
    target, domain, noise references and difficulties, on all data seeds of each dataset. Exit code 1 if a check failed.
    """
    from srlib.table_files import write_frame
    from srlib.tools.audit import audit as run_checks

    findings = run_checks(problems, data_root=data_root)
    if out is not None:
        write_frame(findings, out)
    verdicts = findings["verdict"]
    for row in findings[verdicts != "pass"].itertuples():
        print_lines(f"{row.verdict}  {row.dataset}  {row.check}: {row.detail}")
    totals = ", ".join(f"{sum(verdicts == name)} {name}" for name in ("pass", "warn", "fail"))
    print_lines(f"{len(findings)} checks of {findings['dataset'].nunique()} datasets: {totals}")
    if any(verdicts == "fail"):
        raise typer.Exit(1)


inference = command_group("inference", JUDGE, "Judge solvers of inference problems (UAI).")


@inference(
    "srlib inference score --problems uai/problems --answers uai/answers --out scores", name="score"
)
def score_solvers(
    problems: Annotated[
        Path, Option(help="Folder of problems: NAME.uai, with .evid, .query, .test.")
    ],
    answers: Annotated[
        Path, Option(help="A folder a solver: INSTANCE.uai.TASK, or SECONDS/INSTANCE.uai.TASK.")
    ],
    out: OutFolder,
    reference: Annotated[
        Path | None,
        Option(help="References and best known values; what an answer beats is updated."),
    ] = None,
    trivial: Annotated[str, Option(help="Solver that sets MaxErr; default: ours.")] = "",
    weights: Annotated[str, Option(help="Weights of the time limits, as 20:1,1200:4,3600:5.")] = "",
) -> None:
    """Score answers and rank solvers; writes scores.csv and ranking.csv."""
    from srlib.table_files import write_frame
    from srlib.tools.inference import load_problems, rank_solvers, score_answers
    from srlib.tools.inference.tasks import write_reference

    instances = load_problems(problems)
    scored = score_answers(instances, answers, reference, trivial)
    pairs: Any = [pair.partition(":")[::2] for pair in weights.split(",") if pair]
    ranking = rank_solvers(scored.scores, dict(pairs))
    with result_folder(out, "inference") as new:
        write_frame(scored.scores, new / "scores.csv")
        write_frame(ranking, new / "ranking.csv")
    if reference is not None:
        for instance in instances:
            write_reference(instance, scored.references[instance.name], reference)
    print_lines(*describe_scored_answers(scored), f"written to {out}")
    for task, places in ranking.groupby("task", sort=False):
        print_ranking(places, "solver", before=f"{task:>5} ")


def describe_scored_answers(scored: "Scored") -> list[str]:
    """Return lines of text: numbers of answers by status, and remarks about single answers."""
    scores = scored.scores
    lines = [f"{len(scores)} answers: {tally(scores['status'])}"]
    lines += [f"not read, belongs to no problem: {name}" for name in scored.unknown]
    remarks = scores[~scores["note"].isin(["", "degenerate"])]
    for (task, note), rows in remarks.groupby(["task", "note"], sort=False):
        first = rows.iloc[0]
        example = f"{first['solver']} on {task} {first['instance']}"
        lines.append(f"{counted(len(rows), 'answer')}, as {example}: {note}")
    return lines + [
        f"older scores change: {row.task} {row.instance}: {row.solver} found {row.after:.6g}, "
        f"the best known was {row.before:.6g}"
        for row in scored.changes.itertuples()
    ]
