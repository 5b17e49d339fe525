"""`srlib score`: from runs to ranking.csv, aspects.csv, datasets.csv and ledger.csv."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from srlib.cli.main import escaped

if TYPE_CHECKING:
    from srlib.judging import Judgement


def score(
    runs: Annotated[str, typer.Argument(help="Run table or assessments: a file, a folder of `srlib run`, or 'demo'.")],
    problems: Annotated[str, typer.Option(help="Problem file, a PMLB folder, or a shipped name.")],
    out: Annotated[Path, typer.Option(help="Folder for the tables.")],
    rules: Annotated[
        list[str] | None, typer.Option(help="Rules file or shipped name; may be given several times.")
    ] = None,
    explain: Annotated[str | None, typer.Option(help="Method whose scores are traced step by step.")] = None,
    layout: Annotated[str | None, typer.Option(help="Layout of RUNS, where it is not recognised.")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that simplifying one model may take.", min=0.1)] = 10.0,
    jobs: Annotated[int | None, typer.Option(help="Worker processes; default: all usable cores.", min=1)] = None,
) -> None:
    """Score runs by rules and write ranking, aspects, datasets and ledger as CSV.

    With several --rules, each gets a folder OUT/RULES_NAME.

    Example: srlib score demo --problems synthetic-2022 --out scores
    """
    from srlib.errors import InputError
    from srlib.judging import judge
    from srlib.judging.pipeline import assessed
    from srlib.problems import load_problems
    from srlib.readers import read_runs
    from srlib.rules import load_rules

    chosen = [load_rules(name) for name in rules or ["judging-2022"]]
    names = [one.name for one in chosen]
    if len(set(names)) < len(names):
        raise InputError(f"--rules: every rules file needs a name of its own, got {', '.join(names)}")
    known = load_problems(problems)
    table = read_runs(runs, layout)
    judgements = [judge(assessed(table, known, one.measure, timeout=timeout, jobs=jobs), known, one) for one in chosen]
    traces = [_traces(judgement, explain) for judgement in judgements]
    for judgement, text in zip(judgements, traces, strict=True):
        folder = out / judgement.rules.name if len(judgements) > 1 else out
        judgement.write(folder)
        typer.echo(_summary(judgement, folder))
        if text:
            typer.echo(text)


def _traces(judgement: "Judgement", method: str | None) -> str:
    from srlib.judging import trace

    if method is None:
        return ""
    datasets = sorted(judgement.datasets["dataset"].unique())
    parts = [f"\n{name}\n{trace(judgement, method, name).to_string(index=False, na_rep='')}" for name in datasets]
    return "\n".join(escaped(line) for part in parts for line in part.split("\n"))


def _summary(judgement: "Judgement", folder: Path) -> str:
    counts = judgement.counts
    lines = [
        f"{judgement.rules.name}: {counts['read']} runs read = "
        f"{counts['scored']} scored + {counts['excluded']} excluded"
    ]
    excluded = judgement.ledger[judgement.ledger["action"] != "noted"]
    for (level, action, code), group in excluded.groupby(["level", "action", "code"]):
        first = group.iloc[0]
        where = f"{first['file']} row {first['row']}, " if isinstance(first["file"], str) else ""
        plural = "s" * (len(group) > 1)
        lines.append(
            f"  {len(group)} {level}{plural} {action}: {code}; first: {where}method {first['method']}, "
            f"dataset {first['dataset']}: {first['detail']}"
        )
    for row in judgement.ranking.itertuples():
        lines.append(f"{row.rank:>3}. {row.method}  {row.score:.3f}")
    return "\n".join(escaped(line) for line in [*lines, f"written to {folder}"])
