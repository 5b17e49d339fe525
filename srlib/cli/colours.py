"""Colour for what matters, where somebody looks at a terminal: winners, what went wrong, what is in doubt."""

import os
import sys
from typing import Any

import typer

WINNER: dict[str, Any] = {"fg": "green", "bold": True}
TROUBLE: dict[str, Any] = {"fg": "red", "bold": True}
DOUBT: dict[str, Any] = {"fg": "yellow", "bold": True}


def wanted(stream: Any) -> bool:
    """Whether a stream takes colours: NO_COLOR and FORCE_COLOR decide, else terminals that know them do."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def say(text: str, *, err: bool = False) -> None:
    """Print a text that may hold styles; they are left out of files and pipes."""
    stream = sys.stdout
    if err:
        stream = sys.stderr
    typer.echo(text, err=err, color=stream is not None and wanted(stream))


def placed(line: str, rank: Any) -> str:
    """Make a line of a ranking stand out where its place is the first."""
    if rank == 1:
        return typer.style(line, **WINNER)
    return line
