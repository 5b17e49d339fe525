"""`srlib ballot`: the packet that experts judge blind (make), and their answers (read)."""

from pathlib import Path
from typing import Annotated

import typer

from srlib.cli.colours import placed, say
from srlib.cli.main import Command, escaped, help_text

EXAMPLE = "\b\nExample:\n  srlib ballot make demo --problems diabetes --out ballot"
ballot = typer.Typer(
    help=f"Let experts judge models blind: the packet, and their ballots.\n\n{EXAMPLE}",
    rich_markup_mode=None,
)
Rules = Annotated[str, typer.Option(help="Rules file or shipped name.")]


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
    rules: Rules = "judging-2022",
    data_root: Annotated[
        Path | None, typer.Option("--data-root", help="Folder of the data.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Of the order of the sheets; keep it from the experts.")
    ] = 0,
    timeout: Annotated[
        float, typer.Option(help="CPU seconds that the sheet of a model may take.")
    ] = 10.0,
) -> None:
    """Write OUT/packet for the experts; key.json, representatives.csv and ledger.csv stay with the organizer.

    Example: srlib ballot make demo --problems diabetes --out ballot --seed 20221107
    """
    from srlib.ballot import COUNTING, make_packet
    from srlib.judging.assessments import complete_assessments
    from srlib.problems import load_problems
    from srlib.readers import read_runs
    from srlib.rules import load_rules

    chosen, known = load_rules(rules), load_problems(problems, data_root)
    shown = make_packet(
        complete_assessments(read_runs(runs, prefer="real_world"), known, chosen.measure),
        known,
        chosen.judge,
        out,
        seed,
        timeout,
        chosen.explained(*COUNTING),
    )
    typer.echo(
        escaped(
            f"{len(shown)} models of {shown['dataset'].nunique()} datasets: {out / 'packet'} is for the experts"
        )
    )


def read(
    ballots: Annotated[list[Path], typer.Argument(help="CSV files, as the form saves them.")],
    key: Annotated[Path, typer.Option(help="key.json of the packet.")],
    out: Annotated[Path, typer.Option(help="CSV file for expert, method, dataset, rank, trust.")],
    rules: Rules = "judging-2022",
    timeout: Annotated[
        float, typer.Option(help="Seconds that reading the ballots may take.")
    ] = 60.0,
) -> None:
    """Check ballots, unblind them, and rank the methods; with any fault nothing is unblinded.

    An expert may leave out a whole dataset, but not a part of one. Where rank and trust contradict each other,
    a note says so, and the ranks count.

    Example: srlib ballot read ballot.csv --key ballot/key.json --out trust.csv
    """
    from srlib.ballot import read_ballots
    from srlib.errors import InputError
    from srlib.judging.real_world import rank_by_trust
    from srlib.rules import load_rules
    from srlib.table_files import read_frame, write_frame
    from srlib.workers import call_bounded

    modules = ("srlib.ballot",)
    trust, faults, notes = call_bounded(
        read_ballots,
        ballots,
        key,
        subject=f"{len(ballots)} ballots",
        timeout=timeout,
        preload=modules,
    )
    for fault in faults:
        typer.echo(escaped(fault), err=True)
    if faults:
        raise InputError(f"{len(faults)} fault{'s' * (len(faults) > 1)}; nothing was unblinded")
    models = key.parent / "representatives.csv"
    aspects = read_frame(models) if models.is_file() else None
    for note in notes:
        typer.echo(escaped(f"note: {note}"))
    ranked = rank_by_trust(trust, load_rules(rules).judge, aspects)
    write_frame(trust, out)
    typer.echo(escaped(f"written to {out}"))
    width = max((len(escaped(method)) for method in ranked.ranking["method"]), default=0)
    for row in ranked.ranking.itertuples():
        line = f"{row.rank:>3}. {escaped(str(row.method)):<{width}}  {row.score:>7.3f}"
        say(placed(line, row.rank))


for command in (make, read):
    ballot.command(command.__name__, help=help_text(command), cls=Command)(command)
