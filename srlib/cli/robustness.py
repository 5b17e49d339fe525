"""Commands beside the score: robustness, compare, equivalent, inference."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

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
    Timeout,
    command,
    command_group,
    print_lines,
    print_ranking,
    read_pairs,
)


@command(
    JUDGE,
    "srlib robustness demo --problems synthetic-2022 --out robustness",
    "srlib robustness team-a.csv teams/ --problems my-problems.yaml --qualified verdicts.csv --out robustness",
)
def robustness(
    runs: RunTables,
    problems: ProblemFile,
    out: Annotated[Path, typer.Option(help="Folder for the tables.")],
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
    """Ask how sure the winner is.

    Every reading that the documents leave open, each switch turned alone, resampled sources and runs, each part left
    out, a test of each pair of methods, and what would move a rank; all of it as CSV.
    """
    import srlib

    settings: Any = {"layout": layout, "timeout": timeout, "jobs": jobs, "qualified": qualified}
    settings |= {"names": read_pairs(names), "resamples": resamples, "seed": seed}
    result = srlib.robustness(runs, problems, rules, **settings)
    result.write(out)
    judgement = result.judgement
    print_lines(judgement.counted, *judgement.notices, *result.sentences, f"written to {out}")


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
    out: Annotated[
        Path, typer.Option(help="CSV file for the pairs; what was missing goes beside it.")
    ],
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

    The test is Wilcoxon's signed-rank test of the means over the repetitions, for rates sign flips of the mean
    difference, with Holm's correction. A unit is a dataset, whatever its noise levels, or a source of related ones. A
    missing cell is a loss. Writes method_a, method_b, n_units, p_value, p_adjusted, effect (for sizes and times the
    ratio) with its 95% interval, wins, ties and losses of a, which one is better ("": not told apart), and the state of
    a. NAME-ledger.csv beside OUT has what was missing.

    Runs are assessed where --problems names their problems; else what they report counts.
    """
    import srlib
    from srlib.errors import require
    from srlib.table_files import write_frame

    require(out.suffix == ".csv", f"--out: a file that ends in .csv was expected, got {out}")
    aliases = read_pairs(alias)
    require(all(aliases.values()), f"--alias: OTHER=NAME was expected, got {' '.join(alias or [])}")
    settings: Any = {"related": related, "repetitions": repetitions, "aggregate": aggregate}
    settings |= {"alias": aliases, "layout": layout, "names": read_pairs(names)}
    comparison = srlib.compare(runs, metric, problems=problems or None, **settings)
    write_frame(comparison.pairs, out)
    write_frame(comparison.ledger, out.with_name(f"{out.stem}-ledger.csv"))
    print_lines(
        "{read} {what} read = {scored} scored + {excluded} excluded".format(**comparison.counts),
        *comparison.notices,
        *comparison.sentences,
        f"written to {out} and {out.stem}-ledger.csv",
    )


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
    timeout: Annotated[float, typer.Option(help="Seconds that the comparison may take.")] = 60.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the verdict and all of its evidence as JSON.")
    ] = False,
) -> None:
    """Compare a model with the truth, with evidence.

    Of a solution the sentence says which constants were moved within their tolerance; of any other model, how far
    the values of both are apart on the domain (1 to 5 where none is stated). In the JSON the verdict is identical,
    offset, scale, form (these are solutions; form: with the values of the free constants in `free`), different,
    constant or unknown. The comparison has a process of its own with the time and memory limits of `srlib assess`:
    beyond them the verdict is unknown.
    """
    import srlib

    ranges: Any = {name: ends.split(":") for name, ends in read_pairs(domain).items()}
    result = srlib.equivalent(
        truth,
        model,
        domain=ranges,
        constants=constants,
        free=[name.strip() for name in free.split(",") if name.strip()],
        timeout=timeout,
    )
    if as_json:
        typer.echo(json.dumps(result.evidence, allow_nan=False))
    print_lines(result.sentences[0], err=as_json)


inference = command_group("inference", JUDGE, "Judge solvers of inference problems (UAI).")


@command(
    "Commands",
    "srlib inference score --problems uai/problems --answers uai/answers --out scores",
    name="score",
    parent=inference,
)
def score_solvers(
    problems: Annotated[
        Path, typer.Option(help="Folder of problems: NAME.uai, with .evid, .query, .test.")
    ],
    answers: Annotated[
        Path,
        typer.Option(help="A folder a solver: INSTANCE.uai.TASK, or SECONDS/INSTANCE.uai.TASK."),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write into.")],
    reference: Annotated[
        Path | None,
        typer.Option(help="References and best known values; what an answer beats is updated."),
    ] = None,
    trivial: Annotated[
        str | None, typer.Option(help="Solver that sets MaxErr; default: ours.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Of the time limits, as 20:1,1200:4,3600:5.")
    ] = None,
) -> None:
    """Score answers and rank solvers; writes scores.csv and ranking.csv."""
    from srlib.errors import InputError
    from srlib.folders import result_folder
    from srlib.inference import load_problems, rank_solvers, score_answers
    from srlib.inference.tasks import write_reference
    from srlib.table_files import write_frame

    pairs = [part.partition(":")[::2] for part in weights.split(",")] if weights else []
    try:
        limits = {limit: float(weight) for limit, weight in pairs if float(limit) >= 0}
    except ValueError as error:
        raise InputError(
            f"--weights: LIMIT:WEIGHT with commas between was expected, got {weights!r}"
        ) from error
    instances = load_problems(problems)
    scored = score_answers(instances, answers, reference, trivial)
    ranking = rank_solvers(scored.scores, limits)
    with result_folder(out, "inference") as new:
        write_frame(scored.scores, new / "scores.csv")
        write_frame(ranking, new / "ranking.csv")
    if reference is not None:
        for instance in instances:
            write_reference(instance, scored.references[instance.name], reference)
    print_lines(*describe_scored_answers(scored), f"written to {out}")
    for task, places in ranking.groupby("task", sort=False):
        places = zip(places["rank"], places["solver"], places["score"], strict=True)
        print_ranking(places, before=f"{task:>5} ")


def describe_scored_answers(scored: Any) -> list[str]:
    """Say how many answers there are of which status, and what is peculiar about some."""
    from srlib.inference.scoring import IMPOSSIBLE
    from srlib.prose import counted

    scores = scored.scores
    counts = ", ".join(f"{n} {status}" for status, n in scores["status"].value_counts().items())
    lines = [f"{len(scores)} answers: {counts}"]
    lines += [f"not read, belongs to no problem: {name}" for name in scored.unknown]
    lines += [
        f"{name}: {IMPOSSIBLE}: no task of it can be evaluated"
        for name, reference in scored.references.items()
        if reference.log10_Z == float("-inf")
    ]
    remarks = scores[~scores["note"].isin(["", "degenerate"])]
    for (task, note), rows in remarks.groupby(["task", "note"], sort=False):
        first = f"{rows['solver'].iloc[0]} on {task} {rows['instance'].iloc[0]}"
        lines.append(f"{counted(len(rows), 'answer')}, as {first}: {note}")
    for row in scored.changes[scored.changes["before"].notna()].itertuples():
        better = f"{row.solver} found {row.after:.6g}, the best known was {row.before:.6g}"
        lines.append(f"older scores change: {row.task} {row.instance}: {better}")
    return lines
