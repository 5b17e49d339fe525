"""The program `srlib`: groups of commands, options that commands share, and functions that print."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option, Typer
from typer.core import TyperGroup

from srlib.errors import require

if TYPE_CHECKING:
    import pandas as pd

JUDGE, SHOW, SET_UP, GET_RUNS = "Judge", "Show", "Set up a competition", "Get runs"
LONGEST_NAME = 60  # letters of a printed name; files have the whole name
# columns that locate a finding or a line of the ledger
PLACE_COLUMNS = ["file", "row", "method", "dataset"]

PROBLEMS_HELP = "Problem file, a PMLB folder, or a shipped name."


def check_table_format(path: Path | None) -> Path | None:
    """Return the path; raise InputError, before anything is computed, if its suffix is not a format of tables."""
    require(
        path is None or path.suffix in (".parquet", ".feather", ".csv"),
        f"--out: a file that ends in .parquet, .feather or .csv was expected, got {path}",
    )
    return path


RunTables = Annotated[
    list[str],
    Argument(
        help="Run tables or assessments: files, folders of them or of `srlib run`, or 'demo'."
    ),
]
ProblemArgument = Annotated[str, Argument(help=PROBLEMS_HELP)]
ProblemFile = Annotated[str, Option(help=PROBLEMS_HELP)]
RulesFile = Annotated[str, Option(help="Rules file or shipped name.")]
Qualified = Annotated[
    str,
    Option(
        help="Table of the qualification (qualification.csv or verdicts.csv), or 'demo': "
        "who did not qualify gets no place."
    ),
]
Layout = Annotated[str | None, Option(help="Layout of the tables, where it is not recognised.")]
Names = Annotated[
    list[str] | None,
    Option(help="METHOD=features, x0 or x1: how its texts name the features; repeatable."),
]
Alias = Annotated[
    list[str] | None, Option(help="OLD=NEW: another name for a method of the tables; repeatable.")
]
OutFolder = Annotated[Path, Option(help="Folder to write into.")]
FindingsTable = Annotated[
    Path | None, Option(help="CSV file for all findings.", callback=check_table_format)
]
OutTable = Annotated[
    Path, Option(help="Table to write: .parquet, .feather or .csv.", callback=check_table_format)
]
DataRoot = Annotated[
    Path | None, Option(help="Folder of the data, instead of the one that the file names.")
]
Timeout = Annotated[float, Option(help="CPU seconds that one step on one model may take.", min=0.1)]
Seconds = Annotated[float, Option(help="Seconds that it may take.")]
TimeLimit = Annotated[float, Option(help="Seconds that one run may take.", min=0.1)]
Memory = Annotated[float, Option(help="Gigabytes of memory that one run may take.", min=0.1)]
Jobs = Annotated[int | None, Option(help="Processes at a time; default: all usable cores.", min=1)]
Fresh = Annotated[bool, Option("--fresh", help="Make all runs again.")]
Scheduler = Annotated[
    str | None, Option(help="Dask scheduler that does the work instead, as tcp://HOST:PORT.")
]


class GroupedHelp(TyperGroup):
    """Program whose help lists its commands in groups by purpose."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section of the help for each group of commands."""
        for title in (JUDGE, SHOW, SET_UP, GET_RUNS, "Commands"):
            rows = [
                (name, command.get_short_help_str(200))
                for name, command in self.commands.items()
                if getattr(command, "rich_help_panel", None) == title
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


TYPER_SETTINGS: dict[str, Any] = {
    "cls": GroupedHelp,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 110},
}
app = Typer(
    add_completion=False,
    epilog="\b\nExample:\n  srlib judge demo --problems synthetic-2022 --out verdict",
    **TYPER_SETTINGS,
)


def read_pairs(texts: list[str] | None) -> dict[str, str]:
    """Return texts such as 'A=B' as a dictionary, {'A': 'B'}."""
    return {name: value for name, _, value in (text.rpartition("=") for text in texts or [])}


def command(
    group: str, *examples: str, name: str | None = None, parent: Typer = app
) -> Callable[..., Any]:
    """Return a decorator that registers a function as a command.

    Parameters
    ----------
    group : str
        Heading under which the program's help lists the command.
    *examples : str
        Example calls, shown at the end of the command's help.
    name : str, optional
        Name of the command; by default that of the function.
    parent : Typer
        The program, or a command with subcommands.
    """
    epilog = "\n".join(["\b", "Examples:", *(f"  {example}" for example in examples)])
    return parent.command(name, rich_help_panel=group, epilog=epilog)


def command_group(name: str, group: str, summary: str) -> Callable[..., Any]:
    """Register a command with subcommands, and return `command` for the subcommands."""
    commands = Typer(help=summary, **TYPER_SETTINGS)
    app.add_typer(commands, name=name, rich_help_panel=group)
    return partial(command, "Commands", parent=commands)


def escape(text: str) -> str:
    r"""Return a text with control characters escaped, which a terminal would act on.

    Examples
    --------
    >>> escape("model \x1b[2Jx")
    'model \\x1b[2Jx'
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def one_line(text: str) -> str:
    """Return a text as one line, escaped."""
    return escape(" ".join(text.split()))


def short_name(name: object) -> str:
    """Return a name escaped, and cut to `LONGEST_NAME` letters."""
    text = escape(str(name))
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def print_lines(*lines: str, err: bool = False) -> None:
    """Print each line, escaped; with `err` on stderr."""
    for line in lines:
        typer.echo(escape(line), err=err)


def print_ranking(ranking: "pd.DataFrame", name: str = "method", before: str = "") -> None:
    """Print places, names and scores, the first place in bold on a terminal; rows without a place are left out.

    Parameters
    ----------
    ranking : DataFrame
        Ranking with `rank`, `score` and the column of names, best first.
    name : str
        Name of the column of names.
    before : str
        Text before each line.
    """
    ranked = ranking.dropna(subset="rank")
    names = ranked[name].map(short_name)
    width = names.str.len().max()
    for place, label, score in zip(ranked["rank"], names, ranked["score"], strict=True):
        typer.secho(f"{before}{place:>3.0f}. {label:<{width}}  {score:>7.3f}", bold=place == 1)


def describe_first(entries: "pd.DataFrame") -> str:
    """Return a sentence about the first of some findings: its place, as far as known, and its detail."""
    first = entries.iloc[0]
    places = first[PLACE_COLUMNS].dropna().items()
    return f"{', '.join(f'{name} {value}' for name, value in places)}: {first['detail']}"
