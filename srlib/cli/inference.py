"""`srlib inference`: judge solvers of probabilistic-inference problems."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srlib.cli.colours import placed, say
from srlib.cli.main import Command, escaped, help_text

if TYPE_CHECKING:
    import pandas as pd

    from srlib.inference.references import Reference
    from srlib.inference.uai_files import Problem

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
    from srlib.folders import result_folder
    from srlib.inference import load_problems, rank_solvers, score_answers
    from srlib.inference.references import write_reference
    from srlib.table_files import write_frame

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
    with result_folder(out, "inference") as new:
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
    from srlib.inference.scoring import IMPOSSIBLE

    lines = []
    for problem in problems:
        if references[problem.name].log10_Z == float("-inf"):
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


inference.command("score", help=help_text(score), cls=Command)(score)
