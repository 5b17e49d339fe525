"""The program `srlib`: its commands by what they are for, options that they share, and how they print."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

JUDGE, SHOW, SET_UP, GET_RUNS = "Judge", "Show", "Set up a competition", "Get runs"
LONGEST_NAME = 60  # letters of a name on the screen; files hold all of it

RunTables = Annotated[
    list[str],
    typer.Argument(
        help="Run tables or assessments: files, folders of them or of `srlib run`, or 'demo'."
    ),
]
ProblemFile = Annotated[
    str, typer.Option("--problems", help="Problem file, a PMLB folder, or a shipped name.")
]
RulesFile = Annotated[str, typer.Option("--rules", help="Rules file or shipped name.")]
Qualified = Annotated[
    str,
    typer.Option(
        help="Table of the qualification (qualification.csv or verdicts.csv), or 'demo': "
        "who did not qualify is ranked below a line."
    ),
]
Layout = Annotated[
    str | None, typer.Option(help="Layout of the tables, where it is not recognised.")
]
Names = Annotated[
    list[str] | None,
    typer.Option(help="METHOD=features, x0 or x1: how its texts name the features; repeatable."),
]
Timeout = Annotated[
    float, typer.Option(help="CPU seconds that one step on one model may take.", min=0.1)
]
Jobs = Annotated[
    int | None, typer.Option(help="Processes at a time; default: all usable cores.", min=1)
]
TimeLimit = Annotated[float, typer.Option(min=0.1, help="Seconds that one run may take.")]
Memory = Annotated[float, typer.Option(min=0.1, help="Gigabytes of memory that one run may take.")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="tcp://...", help="Dask scheduler that does the work instead."),
]


class GroupedHelp(TyperGroup):
    """A program whose help lists its commands under what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group of commands."""
        for title in (JUDGE, SHOW, SET_UP, GET_RUNS, "Commands"):
            rows = [
                (name, command.get_short_help_str(200))
                for name, command in self.commands.items()
                if getattr(command, "rich_help_panel", None) == title
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


SETTINGS: dict[str, Any] = {
    "cls": GroupedHelp,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 110},
}
app = typer.Typer(
    add_completion=False,
    epilog="\b\nExample:\n  srlib score demo --problems synthetic-2022 --out verdict",
    **SETTINGS,
)


def read_pairs(texts: list[str] | None) -> dict[str, str]:
    """Read texts like A=B as a dictionary."""
    return {left: right for left, _, right in (text.rpartition("=") for text in texts or [])}


def command(
    group: str, *examples: str, name: str | None = None, parent: typer.Typer = app
) -> Callable[..., Any]:
    """Register a function as a command.

    Parameters
    ----------
    group : str
        The heading under which the help of the program lists it.
    *examples : str
        Calls of the command, for the end of its help.
    name : str, optional
        Of the command, where it is not that of the function.
    parent : typer.Typer
        The program, or a command that has commands of its own.
    """
    epilog = "\n".join(["\b", "Examples:", *(f"  {example}" for example in examples)])
    return parent.command(name, rich_help_panel=group, epilog=epilog)


def command_group(name: str, group: str, summary: str) -> typer.Typer:
    """Register a command that has commands of its own."""
    commands = typer.Typer(help=summary, **SETTINGS)
    app.add_typer(commands, name=name, rich_help_panel=group)
    return commands


def escape(text: str) -> str:
    r"""Escape what a terminal would act on.

    Examples
    --------
    >>> escape("model \x1b[2Jx")
    'model \\x1b[2Jx'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str) -> str:
    """Join a text into one line, escaped."""
    return escape(" ".join(text.split()))


def short_name(name: object) -> str:
    """Escape a name, and cut it where it is longer than a line should be."""
    text = escape(str(name))
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def print_lines(*lines: str, err: bool = False) -> None:
    """Print each line, escaped."""
    for line in lines:
        typer.echo(escape(line), err=err)


def print_ranking(places: Iterable[tuple[Any, object, float]], before: str = "") -> None:
    """Print places with their scores, the first in bold on a terminal.

    Parameters
    ----------
    places : iterable of (rank, name, score)
        Best first.
    before : str
        Stands before each line.
    """
    rows = [(rank, short_name(name), score) for rank, name, score in places]
    width = max((len(name) for _, name, _ in rows), default=0)
    for rank, name, score in rows:
        typer.secho(f"{before}{rank:>3}. {name:<{width}}  {score:>7.3f}", bold=bool(rank == 1))
