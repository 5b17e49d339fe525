"""Commands that judge: assess, judge, robustness, compare."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from srlib.cli.app import (
    JUDGE,
    Alias,
    Jobs,
    Layout,
    Names,
    OutFolder,
    OutTable,
    ProblemFile,
    Qualified,
    RulesFile,
    RunTables,
    Scheduler,
    Timeout,
    command,
    describe_first,
    print_lines,
    print_ranking,
    read_pairs,
    short_name,
)
from srlib.errors import NothingScoredError, require
from srlib.folders import publish, result_folder, staging_folder
from srlib.prose import counted

if TYPE_CHECKING:
    from srlib.competition import Competition
    from srlib.judging import Judgement

RULES = "judging-2022"  # where no rules are named
MOST_RUNS_EXAMINED = 100_000  # by `judge`, which then prints how sure each place is
DOUBT_CODES = (
    "prediction_mismatch",
    "names_ambiguous",
    "solution_unknown",
)  # noted in the ledger, and printed


@command(JUDGE, "srlib assess demo --problems synthetic-2022 --out assessments.parquet")
def assess(
    runs: RunTables,
    problems: ProblemFile,
    out: OutTable,
    rules: RulesFile = RULES,
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    names: Names = None,
    alias: Alias = None,
    layout: Layout = None,
) -> None:
    """Measure every run: accuracy, complexity, features, solution.

    Only the measure block of the rules is read. Measured runs are cached ($SRLIB_CACHE), so that a command that was
    stopped continues where it stopped.
    """
    from srlib.competition import Competition, Resources
    from srlib.table_files import write_frame

    competition = Competition.read(
        runs,
        problems,
        rules,
        layout=layout,
        names=read_pairs(names),
        aliases=read_pairs(alias),
        resources=Resources(timeout, jobs, scheduler),
    )
    assessed = competition.assess(all_parts=True).runs
    write_frame(assessed.frame, out)
    print_lines(*assessed.sentences, f"written to {out}")


@command(
    JUDGE,
    "srlib judge demo --problems synthetic-2022 --out scores",
    "srlib judge team-a.csv team-b.parquet more-teams/ --problems my-problems.yaml --out scores",
    "srlib judge demo --problems synthetic-2022 --rules judging-2022 --rules competition-2023 --out scores",
)
def judge(
    runs: RunTables,
    problems: ProblemFile,
    out: OutFolder,
    rules: Annotated[
        list[str] | None, Option(help="Rules file or shipped name; may be given several times.")
    ] = None,
    explain: Annotated[
        str,
        Option(
            help="Method whose place is explained: its worst losses, what did not count, what would gain a place."
        ),
    ] = "",
    dataset: Annotated[
        list[str] | None,
        Option(help="With --explain: trace the scores on this dataset step by step; repeatable."),
    ] = None,
    qualified: Qualified = "",
    names: Names = None,
    alias: Alias = None,
    layout: Layout = None,
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
) -> None:
    """Rank the methods by one or more sets of rules.

    Writes ranking.csv, aspects.csv, datasets.csv and ledger.csv. Prints how sure each place is, unless there are
    more than 100,000 usable runs; `srlib robustness` says it then. With several --rules, each gets a folder
    OUT/RULES_NAME, and OUT/side-by-side.csv has a line for each method.
    """
    from srlib.competition import Competition, Resources
    from srlib.rules import load_rules

    rule_sets = {rule_set.name: rule_set for rule_set in map(load_rules, rules or [RULES])}
    require(
        len(rule_sets) == len(rules or [RULES]),
        f"--rules: every rules file needs a name of its own, got only {', '.join(rule_sets)}",
    )
    for folder in filter(os.path.isdir, runs):
        require(
            not out.resolve().is_relative_to(Path(folder).resolve()),
            f"--out: a folder outside of the runs in {folder} was expected, got {out}",
        )
    require(bool(explain) or not dataset, "--dataset: --explain METHOD was expected beside it")
    competition = Competition.read(
        runs,
        problems,
        qualified=qualified,
        layout=layout,
        names=read_pairs(names),
        aliases=read_pairs(alias),
        resources=Resources(timeout, jobs),
    )
    judgements = [judge_by(competition.with_rules(rule_set)) for rule_set in rule_sets.values()]
    explanations = [explain_score(judgement, explain, dataset or []) for judgement in judgements]
    write_verdicts(judgements, out)
    for judgement, explanation in zip(judgements, explanations, strict=True):
        print_lines(*describe_verdict(judgement))
        print_ranking(judgement.ranking)
        print_certainty(judgement)
        print_lines(*explanation)
    print_lines(f"written to {out}")
    if competition.runs.unread or any(judgement.failure for judgement in judgements):
        raise typer.Exit(1)


def print_certainty(judgement: "Judgement") -> None:
    """Print how sure each place is, where there are two places and not too many runs to draw them anew."""
    from srlib.judging.robustness import certainty

    n_usable = len(judgement.screened.usable)
    if judgement.ranking["rank"].count() > 1 and n_usable <= MOST_RUNS_EXAMINED:
        sure = certainty(judgement)
        print_lines(*sure.columns.reset_index().to_string(index=False).split("\n"))
        print_lines(sure.sentence)


def judge_by(competition: "Competition") -> "Judgement":
    """Return the judgement, also if no run is scored; before, print how many stored assessments do not fit."""
    from srlib.assessing.completing import describe_stale
    from srlib.progress import is_watched

    rules = competition.rules
    stale = describe_stale(competition.runs, competition.problems, rules.measure, rules.judge)
    if stale and not is_watched():  # on a terminal, assessing says it
        print_lines(stale)
    try:
        return competition.judge()
    except NothingScoredError as error:  # the ledger has the reasons
        return error.judgement


def write_verdicts(judgements: "list[Judgement]", out: Path) -> None:
    """Write the files of a judgement into OUT; of several, each into OUT/RULES_NAME, and a table of all scores."""
    import pandas as pd

    from srlib.table_files import write_frame

    with result_folder(out, "judge") as new:
        if len(judgements) > 1:
            scores = {
                judgement.rules.name: judgement.ranking.set_index("method")[["rank", "score"]]
                for judgement in judgements
            }
            table = pd.concat(scores, axis=1)
            table.columns = table.columns.map(" ".join)
            write_frame(table.reset_index(), new / "side-by-side.csv")
        for judgement in judgements:
            folder = new / judgement.rules.name if len(judgements) > 1 else new
            for name, frame in judgement.files.items():
                write_frame(frame, folder / f"{name}.csv")


def describe_verdict(judgement: "Judgement") -> list[str]:
    """Return lines of text: who wins, how many runs counted, what was excluded and why, and who has no place."""
    ledger, ranking = judgement.ledger, judgement.ranking
    lines = [*judgement.sentences, *filter(None, [judgement.failure])]
    notable = ledger[(ledger["action"] != "noted") | ledger["code"].isin(DOUBT_CODES)]
    for (level, action, code), entries in notable.groupby(["level", "action", "code"]):
        kind = f"{counted(len(entries), str(level))} {action}: {code}"
        lines.append(f"  {kind}; first: {describe_first(entries)}")
    idle = ranking["method"][ranking["rank"].isna()]
    return lines + [f"  no place: {short_name(name)}, no usable run" for name in idle]


def explain_score(judgement: "Judgement", method: str, datasets: list[str]) -> list[str]:
    """Return lines that explain a method's place, or its scores on datasets step by step; none without a method."""
    from srlib.tools.trace import trace

    lines = []
    if not method or judgement.failure:
        return lines
    for name in datasets:
        steps = trace(judgement, method, name).astype({"repetition": "object"})
        text = steps.fillna({"repetition": ""}).to_string(index=False, na_rep="")
        lines += ["", name, *text.split("\n")]
    if datasets:
        return lines
    standing = judgement.standing(method)
    return [
        "",
        standing.summary,
        *standing.worst_losses,
        *standing.failed_runs,
        *standing.exceptions,
        *standing.gains,
        "--dataset NAME traces the scores on one dataset step by step.",
    ]


@command(
    JUDGE,
    "srlib robustness demo --problems synthetic-2022 --out robustness",
    "srlib robustness team-a.csv teams/ --problems my-problems.yaml --qualified verdicts.csv --out robustness",
)
def robustness(
    runs: RunTables,
    problems: ProblemFile,
    out: OutFolder,
    rules: RulesFile = RULES,
    resamples: Annotated[
        int, Option(help="Number of re-draws of sources and runs.", min=1)
    ] = 10_000,
    seed: Annotated[int, Option(help="Seed of the resampling.", min=0)] = 0,
    qualified: Qualified = "",
    names: Names = None,
    alias: Alias = None,
    layout: Layout = None,
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
) -> None:
    """Examine how certain the winner is.

    Writes CSV tables of: every reading that the documents leave open, each switch changed alone, resampled sources and
    runs, each part left out, a test of each pair of methods, and changes that would move a rank.
    """
    from srlib.competition import Competition, Resources

    competition = Competition.read(
        runs,
        problems,
        rules,
        qualified=qualified,
        layout=layout,
        names=read_pairs(names),
        aliases=read_pairs(alias),
        resources=Resources(timeout, jobs),
    )
    result = competition.robustness(resamples, seed)
    result.write(out)
    print_lines(*result.judgement.sentences, *result.sentences, f"written to {out}")


@command(
    JUDGE,
    "srlib compare demo --metric r2_test --out compare.csv",
    "srlib compare team-a.csv teams/ --metric r2_test --problems my-problems.yaml --out compare.csv",
)
def compare(
    runs: Annotated[
        list[str], Argument(help="Runs, assessments or measures: files, folders, or 'demo'.")
    ],
    metric: Annotated[
        str,
        Option(
            help="What is compared: r2_test, complexity, ..., or an aspect of measures, as mape:lower."
        ),
    ],
    out: OutTable,
    related: Annotated[
        Literal["", "none"], Option(help="none: every dataset counts, also those of one source.")
    ] = "",
    sources: Annotated[
        str, Option(help="Table of dataset and source; datasets of a source are one unit.")
    ] = "",
    repetitions: Annotated[
        int | None,
        Option(help="Runs that every method should have on every dataset; absent ones failed."),
    ] = None,
    aggregate: Annotated[
        Literal["mean", "median"], Option(help="Over the repetitions of a dataset.")
    ] = "mean",
    alias: Alias = None,
    problems: Annotated[str, Option(help="Problem file, by which the runs are measured.")] = "",
    names: Names = None,
    layout: Layout = None,
) -> None:
    """Compare every pair of methods over datasets.

    The test compares mean differences by joint sign flips (maxT), for all pairs together: R2 from 0 on, sizes, times
    and errors as logarithms. A unit is a dataset with all its noise levels, or a source of related datasets; with fewer
    than six units nothing is tested. A missing cell is a loss. Writes method_a, method_b, n_units, p_value, effect
    (mean difference; for sizes, times and errors the ratio) with its interval, wins, ties and losses of method_a,
    better (the better method; "" if they do not differ significantly), and the state of method_a. NAME-ledger beside
    OUT lists missing cells.

    With --problems runs are assessed; without it the values that they report count.
    """
    import srlib
    from srlib.table_files import write_frame

    comparison = srlib.compare(
        runs,
        metric,
        problems=problems,
        related=related,
        sources=sources,
        repetitions=repetitions,
        aggregate=aggregate,
        alias=read_pairs(alias),
        names=read_pairs(names),
        layout=layout,
    )
    ledger = out.with_name(f"{out.stem}-ledger{out.suffix}")
    with staging_folder(out.parent / f".{out.name}.srlib", out) as new:
        write_frame(comparison.pairs, new / out.name)
        write_frame(comparison.ledger, new / ledger.name)
        publish(new)
    print_lines(
        "{read} {what} read = {scored} scored + {excluded} excluded".format(**comparison.counts),
        *comparison.notices,
        *comparison.sentences,
        f"written to {out} and {ledger}",
    )
