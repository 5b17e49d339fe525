"""`srlib inference`: judge solvers of probabilistic-inference problems (score, reference, trivial, validate)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srlib.cli.colours import placed, say
from srlib.cli.main import Command, escaped, help_text

if TYPE_CHECKING:
    import pandas as pd

    from srlib.inference.cases import Reference
    from srlib.inference.problems import Problem

Problems = Annotated[
    Path, typer.Option(help="Folder of problems: NAME.uai, with .evid, .query, .test.")
]
Out = Annotated[Path, typer.Option(help="Folder to write into.")]

EXAMPLE = "\b\nExample:\n  srlib inference score --problems problems --answers answers --out scores"
inference = typer.Typer(
    help=f"Judge solvers of probabilistic-inference problems (UAI).\n\n{EXAMPLE}",
    rich_markup_mode=None,
)


def score(
    problems: Problems,
    answers: Annotated[
        Path,
        typer.Option(help="A folder a solver: INSTANCE.uai.TASK, or SECONDS/INSTANCE.uai.TASK."),
    ],
    out: Out,
    reference: Annotated[
        Path | None,
        typer.Option(help="References and best known values; what an answer beats is updated."),
    ] = None,
    trivial: Annotated[
        str | None, typer.Option(help="Solver that sets MaxErr; default: trivial.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Of the time limits, as 20:1,1200:4,3600:5.")
    ] = None,
) -> None:
    """Score answers and rank solvers; writes scores.csv and ranking.csv.

    Example: srlib inference score --problems uai/problems --answers uai/answers --out scores
    """
    from srlib.errors import InputError
    from srlib.folders import written_whole
    from srlib.inference import load_problems, rank_solvers, score_answers
    from srlib.inference.reference import write_reference
    from srlib.tablefiles import write_frame

    pairs = []
    if weights:
        pairs = [part.partition(":")[::2] for part in weights.split(",")]
    try:
        given = {limit: float(weight) for limit, weight in pairs if float(limit) >= 0}
    except ValueError as error:
        raise InputError(
            f"--weights: LIMIT:WEIGHT with commas between was expected, got {weights!r}"
        ) from error
    known = load_problems(problems)
    scored = score_answers(known, answers, reference, trivial)
    ranking = rank_solvers(scored.scores, given)
    with written_whole(out, "inference") as new:
        write_frame(scored.scores, new / "scores.csv")
        write_frame(ranking, new / "ranking.csv")
    for problem in known if reference is not None else ():
        write_reference(problem, scored.references[problem.name], reference or Path())
    counts = scored.scores["status"].value_counts()
    lines = [
        f"{len(scored.scores)} answers: {', '.join(f'{count} {status}' for status, count in counts.items())}"
    ]
    lines += [f"not read, belongs to no problem: {name}" for name in scored.unknown]
    lines += [*_doubts(known, scored.references), *_notes(scored.scores), *_gaps(scored.scores)]
    for row in scored.changes[scored.changes["before"].notna()].itertuples():
        found = f"{row.solver} found {row.after:.6g}, the best known was {row.before:.6g}"
        lines.append(f"older scores change: {row.task} {row.instance}: {found}")
    lines = [*map(escaped, [*lines, f"written to {out}"])]
    width = max((len(escaped(solver)) for solver in ranking["solver"]), default=0)
    for row in ranking.itertuples():
        line = (
            f"{row.task:>5} {row.rank:>3}. {escaped(str(row.solver)):<{width}}  {row.score:>7.3f}"
        )
        lines.append(placed(line, row.rank))
    say("\n".join(lines))


def _doubts(problems: "list[Problem]", references: "dict[str, Reference]") -> list[str]:
    """Say what is odd about the problems themselves."""
    from srlib.inference.errors import IMPOSSIBLE

    lines = []
    for problem in problems:
        if references[problem.name].get("log10_Z") == float("-inf"):
            lines.append(f"{problem.name}: {IMPOSSIBLE}: no task of it can be evaluated")
        if wrong := problem.model.unnormalised():
            tables = f"{len(wrong)} of {len(problem.model.scopes)} tables do not sum to 1"
            lines.append(f"{problem.name}: {tables}, the first is that of function {wrong[0]}")
    return lines


def _notes(scores: "pd.DataFrame") -> list[str]:
    """Count what was noted about answers, with an example."""
    told = scores[(scores["note"] != "") & (scores["note"] != "degenerate")]
    return [
        f"{len(rows)} {'answer' if len(rows) == 1 else 'answers'}, as {rows['solver'].iloc[0]} on {task} "
        f"{rows['instance'].iloc[0]}: {note}"
        for (task, note), rows in told.groupby(["task", "note"], sort=False)
    ]


def _gaps(scores: "pd.DataFrame") -> list[str]:
    """Tell answers apart where the trivial one has probability 0, so that every positive one scores 100."""
    import numpy as np

    from srlib.inference.tasks import exact_tasks

    exact = scores["task"].isin(exact_tasks())
    flat = scores[~exact & (scores["max_error"] == np.inf) & np.isfinite(scores["error"])]
    lines = []
    for task, rows in flat.groupby("task", sort=False):
        gaps = rows.groupby("solver")["error"].mean().sort_values()
        each = ", ".join(f"{solver} {max(round(gap, 9), 0.0):.3g}" for solver, gap in gaps.items())
        number = rows["instance"].nunique()
        lines.append(
            f"{task}: on {number} {'instance' if number == 1 else 'instances'} the trivial answer has "
            f"probability 0, and every positive one scores 100; mean log10 likelihood below the best known: {each}"
        )
    return lines


def reference(problems: Problems, out: Out) -> None:
    """Compute exact references (log10 Z, marginals, MAP, MMAP, MLC) of problems that are narrow enough.

    Example: srlib inference reference --problems uai/problems --out uai/reference
    """
    from srlib.inference import load_problems
    from srlib.inference.reference import find_reference, write_reference
    from srlib.inference.tasks import cases_of
    from srlib.progress import progress

    known = load_problems(problems)
    for problem in progress(known, len(known), "problems solved"):
        found = find_reference(problem, out)
        write_reference(problem, found, out)
        cases = cases_of(problem)
        missing = sorted({case.task for case in cases if case.row.known(found, case) is None})
        said = f"not within reach: {', '.join(missing)}" if missing else "exact"
        typer.echo(escaped(f"{problem.name}: {said}"))


def trivial(problems: Problems, out: Out) -> None:
    """Write the answers of the default trivial solver, whose error is a score of 0.

    Example: srlib inference trivial --problems uai/problems --out uai/answers/trivial
    """
    from srlib.files import write_atomically
    from srlib.folders import written_whole
    from srlib.inference import load_problems
    from srlib.inference.answers import answer_text
    from srlib.inference.scoring import cases_by_file

    known = load_problems(problems)
    with written_whole(out, "trivial", sealed=False) as new:
        for (task, stem), cases in cases_by_file(known).items():
            text = answer_text(cases, [case.row.trivial(case) for case in cases])
            write_atomically(new / f"{stem}.uai.{task}", text)
    typer.echo(f"written to {escaped(str(out))}")


def validate(
    problems: Problems,
    answers: Annotated[Path | None, typer.Option(help="A folder a solver, as for `score`.")] = None,
) -> None:
    """Check problem and answer files before they are scored; exit 1 when an answer is of no use.

    Example: srlib inference validate --problems uai/problems --answers uai/answers
    """
    import math

    from srlib.inference import load_problems, score_answers
    from srlib.inference.reference import find_reference

    known = load_problems(problems)
    references = {problem.name: find_reference(problem) for problem in known}
    for problem in known:
        model, seen = problem.model, len(problem.evidence)
        sizes = (
            f"{len(model.cardinalities)} variables, {len(model.scopes)} functions, {seen} observed"
        )
        asked = f"{len(problem.query)} in the query, {len(problem.tests)} tests"
        typer.echo(escaped(f"{problem.name}: {model.kind}, {sizes}, {asked}"))
    for line in _doubts(known, references):
        typer.echo(escaped(line))
    if answers is None:
        return
    scored = score_answers(known, answers)
    bad = scored.scores[scored.scores["status"] != "ok"]
    for row in bad.itertuples():
        limit = ""
        if not math.isnan(float(str(row.time_limit_s))):
            limit = f" at {row.time_limit_s:g} s"
        typer.echo(
            escaped(
                f"{row.solver}{limit}, {row.task} {row.instance}: {row.status} {row.note}".rstrip()
            )
        )
    for line in _notes(scored.scores[scored.scores["status"] == "ok"]):
        typer.echo(escaped(line))
    typer.echo(
        "\n".join(escaped(f"belongs to no problem: {name}") for name in scored.unknown),
        nl=bool(scored.unknown),
    )
    if len(bad) or scored.unknown:
        raise typer.Exit(1)


for command in (score, reference, trivial, validate):
    inference.command(command.__name__, help=help_text(command), cls=Command)(command)
