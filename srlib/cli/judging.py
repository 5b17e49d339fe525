"""Commands that judge: assess, judge, robustness, compare."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from srlib.cli.app import (
    JUDGE,
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
    app,
    command,
    describe_first,
    print_lines,
    print_ranking,
    read_pairs,
    short_name,
)

if TYPE_CHECKING:
    import pandas as pd

    from srlib.judging import Judgement
    from srlib.readers import RunTable

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
    rules: RulesFile = "judging-2022",
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    names: Names = None,
    layout: Layout = None,
) -> None:
    """Measure every run: accuracy, complexity, features, solution.

    Only the measure block of the rules is read. Measured runs are cached ($SRLIB_CACHE), so that a command that was
    stopped continues where it stopped.
    """
    from srlib.competition import Competition, Resources
    from srlib.table_files import write_frame

    resources = Resources(timeout, jobs, scheduler)
    competition = Competition.read(
        runs, problems, rules, layout=layout, names=read_pairs(names), resources=resources
    )
    assessed = competition.assess(everything=True).runs
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
        list[str] | None,
        typer.Option(help="Rules file or shipped name; may be given several times."),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            help="Method whose place is explained: its worst losses, what did not count, what would gain a place."
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            help="With --explain: trace the scores on this dataset step by step; may be repeated."
        ),
    ] = None,
    qualified: Qualified = "",
    names: Names = None,
    layout: Layout = None,
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
) -> None:
    """Rank the methods by one or more sets of rules.

    Writes ranking.csv, aspects.csv, datasets.csv and ledger.csv. With several --rules, each gets a folder
    OUT/RULES_NAME, and OUT/side-by-side.csv has a line for each method.
    """
    from srlib.competition import Competition, Resources
    from srlib.errors import NothingScoredError, require
    from srlib.folders import result_folder
    from srlib.judging import Judgement
    from srlib.rules import load_rules
    from srlib.table_files import write_frame

    rule_sets = [load_rules(name) for name in rules or ["judging-2022"]]
    has_several = len(rule_sets) > 1
    folders = [rule_set.name if has_several else "" for rule_set in rule_sets]
    require(
        len(set(folders)) == len(folders),
        f"--rules: every rules file needs a name of its own, got {', '.join(folders)}",
    )
    for folder in filter(os.path.isdir, runs):
        require(
            not out.resolve().is_relative_to(Path(folder).resolve()),
            f"--out: a folder outside of the runs in {folder} was expected, got {out}",
        )
    require(
        explain is not None or not dataset, "--dataset: --explain METHOD was expected beside it"
    )
    competition = Competition.read(
        runs,
        problems,
        rule_sets[0],
        qualified=qualified,
        layout=layout,
        names=read_pairs(names),
        resources=Resources(timeout, jobs),
    )
    judgements = list[Judgement]()
    explanations = list[list[str]]()
    for rule_set in rule_sets:
        try:
            judgement = competition.with_rules(rule_set).judge()
        except NothingScoredError as error:  # the ledger with the reasons is written nevertheless
            judgement = error.judgement
        explanation = []
        if explain is not None and not judgement.failure:
            explanation = explain_score(judgement, explain, dataset or [])
        judgements.append(judgement)
        explanations.append(explanation)
    with result_folder(out, "judge") as new:
        for judgement, folder in zip(judgements, folders, strict=True):
            for name, frame in judgement.files.items():
                write_frame(frame, new / folder / f"{name}.csv")
        if has_several:
            write_frame(put_side_by_side(judgements), new / "side-by-side.csv")
    for judgement, folder, explanation in zip(judgements, folders, explanations, strict=True):
        print_lines(*describe_verdict(judgement, competition.runs), f"written to {out / folder}")
        print_ranking(judgement.ranking)
        print_lines(*explanation)
    if competition.runs.unread or any(judgement.failure for judgement in judgements):
        raise typer.Exit(1)


@app.command("score", hidden=True, context_settings={"ignore_unknown_options": True})
def score(arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Name the command that ranks methods."""
    from srlib.errors import InputError

    raise InputError("score: the command is called `srlib judge` now, with the same arguments")


def describe_verdict(judgement: "Judgement", table: "RunTable") -> list[str]:
    """Return lines of text: who wins, how many runs counted, what was excluded and why, and who has no place."""
    from srlib.prose import counted

    ledger = judgement.ledger
    lines = [*judgement.sentences, *filter(None, [judgement.failure])]
    if table.kind == "assessments":
        digests = table.frame["measure_digest"].dropna()
        if n_stale := int((digests != judgement.rules.measure.digest).sum()):
            lines.append(
                f"  {n_stale} runs assessed again, as these rules measure otherwise than the table's assessments"
            )
    notable = ledger[(ledger["action"] != "noted") | ledger["code"].isin(DOUBT_CODES)]
    for (level, action, code), entries in notable.groupby(["level", "action", "code"]):
        kind = f"{counted(len(entries), str(level))} {action}: {code}"
        lines.append(f"  {kind}; first: {describe_first(entries)}")
    ranking = judgement.ranking
    return lines + [
        f"  no place: {short_name(name)}, no usable run"
        for name in ranking["method"][ranking["rank"].isna()]
    ]


def explain_score(judgement: "Judgement", method: str, datasets: list[str]) -> list[str]:
    """Return lines that explain a method's place, or its scores on the given datasets step by step."""
    from srlib import displays
    from srlib.judging import trace

    lines = []
    for name in datasets:
        steps = trace(judgement, method, name).astype({"repetition": "object"})
        text = steps.fillna({"repetition": ""}).to_string(index=False, na_rep="")
        lines += ["", name, *text.split("\n")]
    if datasets:
        return lines
    table = displays.compare_with_next(judgement, method).frame
    losses = table[table["difference"] < 0].tail(3)[::-1]
    return [
        "",
        *displays.standing(judgement, method),
        *(
            f"Behind by {-loss['difference']:.2f} on {loss['dataset']}: {loss['decided by']}"
            for _, loss in losses.iterrows()
        ),
        *displays.describe_exceptions(judgement, method),
        *displays.describe_improvements(judgement, method),
        "--dataset NAME traces the scores on one dataset step by step.",
    ]


def put_side_by_side(judgements: "list[Judgement]") -> "pd.DataFrame":
    """Return a table with rank and score of every method under each of several rules, in the order of the first."""
    import pandas as pd

    tables = [
        judgement.ranking.set_index("method")[["rank", "score"]].add_prefix(
            f"{judgement.rules.name} "
        )
        for judgement in judgements
    ]
    return pd.concat(tables, axis=1).reset_index()


@command(
    JUDGE,
    "srlib robustness demo --problems synthetic-2022 --out robustness",
    "srlib robustness team-a.csv teams/ --problems my-problems.yaml --qualified verdicts.csv --out robustness",
)
def robustness(
    runs: RunTables,
    problems: ProblemFile,
    out: OutFolder,
    rules: RulesFile = "judging-2022",
    resamples: Annotated[
        int, typer.Option(help="Number of re-draws of sources and runs.", min=1)
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.", min=0)] = 0,
    qualified: Qualified = "",
    names: Names = None,
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
        list[str], typer.Argument(help="Runs, assessments or measures: files, folders, or 'demo'.")
    ],
    metric: Annotated[
        str,
        typer.Option(help="What is compared: r2_test, complexity, ..., or an aspect of measures."),
    ],
    out: OutTable,
    related: Annotated[
        Literal["", "none"],
        typer.Option(help="none: every dataset counts, also those of one source."),
    ] = "",
    repetitions: Annotated[
        int | None,
        typer.Option(
            help="Runs that every method should have on every dataset; absent ones failed."
        ),
    ] = None,
    aggregate: Annotated[
        Literal["mean", "median"], typer.Option(help="Over the repetitions of a dataset.")
    ] = "mean",
    alias: Annotated[
        list[str] | None, typer.Option(help="OTHER=NAME: two names of one method; repeatable.")
    ] = None,
    problems: Annotated[
        str, typer.Option(help="Problem file, by which the runs are measured.")
    ] = "",
    names: Names = None,
    layout: Layout = None,
) -> None:
    """Compare every pair of methods over datasets.

    The test is Wilcoxon's signed-rank test of the means over the repetitions, or for rates sign flips of the mean
    difference, with Holm's correction. A unit is a dataset with all its noise levels, or a source of related datasets.
    A missing cell is a loss. Writes method_a, method_b, n_units, p_value, p_adjusted, effect (for sizes and times the
    ratio) with its 95% interval, wins, ties and losses of method_a, better (the better method; "" if they do not differ
    significantly), and the state of method_a. NAME-ledger beside OUT lists missing cells.

    With --problems runs are assessed; without it the values that they report count.
    """
    import srlib
    from srlib.table_files import write_frame

    comparison = srlib.compare(
        runs,
        metric,
        problems=problems or None,
        related=related,
        repetitions=repetitions,
        aggregate=aggregate,
        alias=read_pairs(alias),
        names=read_pairs(names),
        layout=layout,
    )
    ledger = out.with_name(f"{out.stem}-ledger{out.suffix}")
    write_frame(comparison.pairs, out)
    write_frame(comparison.ledger, ledger)
    print_lines(
        "{read} {what} read = {scored} scored + {excluded} excluded".format(**comparison.counts),
        *comparison.notices,
        *comparison.sentences,
        f"written to {out} and {ledger}",
    )
