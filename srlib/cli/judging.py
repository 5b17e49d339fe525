"""Commands that judge: check, assess, score."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from srlib.cli.app import (
    JUDGE,
    Jobs,
    Layout,
    Names,
    ProblemFile,
    Qualified,
    RulesFile,
    RunTables,
    Scheduler,
    Timeout,
    command,
    print_lines,
    print_ranking,
    read_pairs,
    short_name,
)

if TYPE_CHECKING:
    import pandas as pd

    from srlib.judging import Judgement
    from srlib.readers import RunTable

MOST_SHOWN = 20  # kinds of findings, and texts, on the screen
TABLE_FORMATS = {".parquet", ".feather", ".csv"}
DOUBTS = ("prediction_mismatch", "names_ambiguous")  # noted in the ledger, and on the screen


@command(
    JUDGE,
    "srlib check my-runs.csv --problems synthetic-2022 --rules judging-2022",
    "srlib check my-runs.csv --out findings.csv",
)
def check(
    submission: Annotated[
        list[str], typer.Argument(help="Table, or folder of tables.", metavar="SUBMISSION")
    ],
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
            help="CSV file for the findings; how each text was read is written beside it, as NAME-read.csv."
        ),
    ] = None,
    names: Names = None,
    layout: Layout = None,
) -> None:
    """Say what is wrong with a submission before it is sent.

    Each finding says what cannot be used, why, and the remedy. Nothing is simplified or ranked, so that ten thousand
    texts take seconds. Exit code 0: nothing wrong, 1: findings, 2: unreadable.
    """
    import pandas as pd

    import srlib
    from srlib.table_files import write_frame

    result = srlib.check(
        submission, problems=problems, rules=rules, layout=layout, names=read_pairs(names)
    )
    if out is not None:
        write_frame(result.findings, out)
        write_frame(result.read, out.with_name(f"{out.stem}-read{out.suffix}"))
    else:
        for row in result.read.head(MOST_SHOWN).itertuples():
            text = str(row.read_as)
            text = text if len(text) <= 80 else f"{text[:77]}..."
            print_lines(
                f"{row.file} row {row.row}: {text} | {row.features} | size {row.size} | values {row.on_three_rows}"
            )
    kinds = result.findings.groupby(["method", "code"], sort=False, dropna=False)
    for _, group in list(kinds)[:MOST_SHOWN]:
        first = group.iloc[0]
        place = "" if pd.isna(first["row"]) else f"{first['file']} row {first['row']}, "
        every = "" if out else "; --out FILE lists all"
        more = f" And {len(group) - 1} more of this kind{every}." if len(group) > 1 else ""
        text = f"{place}{first['method']}, {first['dataset'] or 'all'}: {first['detail']} ({first['code']})"
        print_lines(f"{text}: {first['help']}.{more}")
    if kinds.ngroups > MOST_SHOWN:
        print_lines(
            f"... and {kinds.ngroups - MOST_SHOWN} more kinds (--out FILE.csv has all findings)"
        )
    for method, namings in result.read.groupby("method")["names"]:
        counts = namings.value_counts(sort=False).items()
        print_lines(
            f"{method}: names in its texts: {', '.join(f'{name} ({n})' for name, n in counts)}"
        )
    print_lines(*result.notices, result.sentences[0])
    if not result.ok:
        raise typer.Exit(1)


@command(JUDGE, "srlib assess demo --problems synthetic-2022 --out assessments.parquet")
def assess(
    runs: RunTables,
    problems: ProblemFile,
    out: Annotated[
        Path, typer.Option(help="File for the assessments: .parquet, .feather or .csv.")
    ],
    rules: RulesFile = "judging-2022",
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    names: Names = None,
    layout: Layout = None,
) -> None:
    """Measure every run: accuracy, complexity, features, solution.

    Of the rules only the measure block is read. What was measured before comes from the cache ($SRLIB_CACHE), so that
    a command that was stopped goes on.
    """
    import srlib
    from srlib.table_files import write_frame

    check_table_format(out)
    limits: Any = {"timeout": timeout, "jobs": jobs, "scheduler": scheduler}
    assessed = srlib.assess(runs, problems, rules, layout=layout, names=read_pairs(names), **limits)
    table = assessed.frame
    write_frame(table, out)
    print_lines(*assessed.notices)
    if invalid := int((table["status"] == "invalid").sum()):
        print_lines(f"{invalid} rows cannot be used; the column reason says why")
    statuses = table.groupby("simplify_status", sort=False).size()
    statuses = statuses.sort_values(ascending=False, kind="stable")
    parsed = int((table["parse_status"] == "ok").sum())
    counts = ", ".join(f"{n} {name}" for name, n in statuses.items())
    print_lines(
        f"{len(table)} runs assessed: {parsed} parsed; simplification: {counts}",
        f"written to {out}",
    )


def check_table_format(path: Path) -> None:
    """Refuse a file name whose ending is no format of tables."""
    from srlib.errors import require

    require(
        path.suffix in TABLE_FORMATS,
        f"--out: a file that ends in .parquet, .feather or .csv was expected, got {path}",
    )


@command(
    JUDGE,
    "srlib score demo --problems synthetic-2022 --out scores",
    "srlib score team-a.csv team-b.parquet more-teams/ --problems my-problems.yaml --out scores",
    "srlib score demo --problems synthetic-2022 --rules judging-2022 --rules competition-2023 --out scores",
)
def score(
    runs: RunTables,
    problems: ProblemFile,
    out: Annotated[Path, typer.Option(help="Folder for the tables.")],
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
    OUT/RULES_NAME, and OUT/side-by-side.csv has one line a method.
    """
    from srlib.errors import NothingScoredError, require
    from srlib.folders import result_folder
    from srlib.judging import judge_runs
    from srlib.problems import load_problems
    from srlib.readers import read_runs
    from srlib.rules import load_rules
    from srlib.table_files import write_frame

    rule_sets = [load_rules(name) for name in rules or ["judging-2022"]]
    rule_names = [rule_set.name for rule_set in rule_sets]
    require(
        len(set(rule_names)) == len(rule_names),
        f"--rules: every rules file needs a name of its own, got {', '.join(rule_names)}",
    )
    for folder in filter(os.path.isdir, runs):
        require(
            not out.resolve().is_relative_to(Path(folder).resolve()),
            f"--out: a folder outside of the runs in {folder} was expected, got {out}",
        )
    require(explain is not None or not dataset, "--dataset goes with --explain METHOD")
    problem_list, table = load_problems(problems), read_runs(runs, layout, read_pairs(names))
    limits: Any = {"timeout": timeout, "jobs": jobs, "qualified": qualified}
    judgements: list[Judgement] = []
    for rule_set in rule_sets:
        try:
            judgements.append(judge_runs(table, problem_list, rule_set, **limits))
        except NothingScoredError as nothing:  # the ledger that says why is written all the same
            judgements.append(nothing.judgement)
    explanations = [
        explain_score(judgement, explain, dataset or [], qualified) if explain is not None else []
        for judgement in judgements
    ]
    several = len(judgements) > 1
    folders = [out / name if several else out for name in rule_names]
    with result_folder(out, "score") if several else nullcontext(out) as new:
        for judgement, name in zip(judgements, rule_names, strict=True):
            judgement.write(new / name if several else new)
        if several:
            write_frame(side_by_side(judgements), new / "side-by-side.csv")
    for judgement, folder, lines in zip(judgements, folders, explanations, strict=True):
        print_judgement(judgement, table, folder)
        print_lines(*lines)
    if several:
        text = side_by_side(judgements).to_string(
            index=False, na_rep="", float_format="{:.3f}".format
        )
        print_lines("", *text.split("\n"))
    if table.unread or any(judgement.failure for judgement in judgements):
        raise typer.Exit(1)


def explain_score(
    judgement: "Judgement", method: str, datasets: list[str], qualified: str
) -> list[str]:
    """Explain a method's place in a screen of lines, or its scores on some datasets step by step."""
    from srlib import displays
    from srlib.judging import trace

    if judgement.failure:
        return []
    lines = []
    for name in datasets:
        steps = trace(judgement, method, name)
        repetitions = steps["repetition"]
        steps["repetition"] = repetitions.astype("str").where(repetitions.notna(), "")
        lines += ["", name, *steps.to_string(index=False, na_rep="").split("\n")]
    if datasets:
        return lines
    lines = ["", *displays.standing(judgement, method)]
    table = displays.compare_with_next(judgement, method)
    lines += [
        f"Behind by {-row['difference']:.2f} on {row['dataset']}: {row['decided by']}"
        for _, row in table[table["difference"] < 0].tail(3)[::-1].iterrows()
    ]
    lines += displays.describe_exceptions(judgement, method)
    lines += displays.describe_improvements(judgement, method, qualified)
    return [*lines, "--dataset NAME traces the scores on one dataset step by step."]


def side_by_side(judgements: "list[Judgement]") -> "pd.DataFrame":
    """Rank and score of every method under several rules, in the order of the first."""
    import pandas as pd

    tables = [
        judgement.ranking.set_index("method")[["rank", "score"]]
        .astype({"rank": "Int64"})
        .add_prefix(f"{judgement.rules.name} ")
        for judgement in judgements
    ]
    return pd.concat(tables, axis=1).rename_axis("method").reset_index()


def print_judgement(judgement: "Judgement", table: "RunTable", folder: Path) -> None:
    """Print how many runs counted, what was excluded and why, and the ranking."""
    from srlib.prose import counted

    ledger, failure = judgement.ledger, judgement.failure
    lines = [judgement.counted]
    if table.kind == "assessments":
        digests = table.frame["measure_digest"].dropna()
        n_reassessed = int((digests != judgement.rules.measure.digest).sum())
        reason = "as these rules measure otherwise than the table's assessments"
        lines += [f"  {n_reassessed} runs assessed again, {reason}"] * (n_reassessed > 0)
    spoken = (ledger["action"] != "noted") | ledger["code"].isin(DOUBTS)
    kinds = ledger[spoken & (ledger["level"] != "file")].groupby(["level", "action", "code"])
    for (level, action, code), entries in kinds:
        first = entries.iloc[0]
        place = [f"{first['file']} row {first['row']}"] * isinstance(first["file"], str)
        place += [
            f"{name} {first[name]}" for name in ("method", "dataset") if first[name] == first[name]
        ]
        lines.append(
            f"  {counted(len(entries), str(level))} {action}: {code}; "
            f"first: {', '.join(place)}: {first['detail']}"
        )
    print_lines(*lines, *judgement.notices, *[failure] * bool(failure), f"written to {folder}")
    if failure:
        return
    ranking = judgement.ranking
    ranked = ranking[ranking["rank"].notna()]
    print_ranking(zip(ranked["rank"], ranked["method"], ranked["score"], strict=True))
    below = [(name, "no usable run") for name in ranking["method"][ranking["rank"].isna()]]
    if judgement.ranking_of_all is not None:
        unqualified = judgement.ranking_of_all[~judgement.ranking_of_all["qualified"]]
        for name, points, rank in unqualified[["method", "score", "rank"]].itertuples(index=False):
            place = f"; place {rank} with {points:.3f} if all had" if points == points else ""
            below.append((name, f"not qualified{place}"))
    if below:
        typer.echo("  -- below the line")
        width = max(len(short_name(name)) for name, _ in below)
        for name, reason in below:
            typer.echo(f"     {short_name(name):<{width}}  {reason}")
