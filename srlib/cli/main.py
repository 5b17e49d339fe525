"""Run one command of `srlib`; errors become an exit code and one line on stderr."""

import contextlib
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from srlib import __version__, progress
from srlib.cli import competition, judging, participant
from srlib.cli.app import app, one_line
from srlib.errors import InterruptedResultsError, SrlibError, install_advice, require

__all__ = ["competition", "judging", "main", "participant"]

DONE, CHECK_FAILED, WRONG_INPUT, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141
LOG_INTERVAL_S = 60.0


@app.callback(invoke_without_command=True)
def srlib(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Judge symbolic-regression competitions.

    Exit codes: 0 done; 1 done but a report or check failed, or the machine interrupted results; 2 the input or the
    call is wrong.
    """
    if version:
        typer.echo(f"srlib {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.fail("Missing command.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after `srlib`; by default those of the process.

    Returns
    -------
    int
        0 if done; 1 if done but a report or check failed, or results were interrupted; 2 if the input or the call is
        wrong; 130 if interrupted; 141 if the output was closed.

    Examples
    --------
    >>> main(["--version"])
    srlib 1.0.0
    0
    """
    if arguments is None:
        if sys.stdout is not None:
            sys.stdout.reconfigure(errors="backslashreplace")  # pyright: ignore
        arguments = sys.argv[1:]
        progress.log_interval_s = LOG_INTERVAL_S
    try:
        code = run_command(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        if "srlib.workers" in sys.modules:  # otherwise nothing was limited or cached
            from srlib.cache import pop_warnings
            from srlib.workers import missing_limits

            for warning in filter(None, [*pop_warnings(), missing_limits()]):
                complain(warning, DONE)
        return code
    except KeyboardInterrupt:
        return complain("interrupted; the same command goes on from what is finished", INTERRUPTED)
    except BrokenPipeError:
        silence_stdout()
        return PIPE_CLOSED
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        hint = f" (see `{context.command_path} --help`)" if context is not None else ""
        return complain(error.format_message().rstrip(".") + hint, WRONG_INPUT)
    except SrlibError as error:
        interrupted = isinstance(error, InterruptedResultsError)
        return complain(str(error), CHECK_FAILED if interrupted else WRONG_INPUT)
    except ImportError as error:
        advice = install_advice(error.name or "")
        if not advice:
            raise
        return complain(advice, WRONG_INPUT)
    except MemoryError:
        return complain("this machine has not enough memory for the command", WRONG_INPUT)
    except OSError as error:
        # errors about files have a file name, so this one is about standard output
        if error.filename is None:
            silence_stdout()
        place = error.filename or "standard output"
        return complain(f"{place}: {error.strerror or error}", WRONG_INPUT)


def run_command(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; errors are not caught."""
    sentence = "score: the command is called `srlib judge` now, with the same arguments"
    require(list(arguments[:1]) != ["score"], sentence)
    words = [part for word in arguments for part in word.split("=", word.startswith("--"))]
    for out in [Path(word) for option, word in pairwise(words) if option == "--out"]:
        is_input = out.is_file() and sum(map(out.samefile, filter(os.path.exists, words))) > 1
        require(
            not is_input, f"--out: {out} holds the truths or runs that are read; name another file"
        )
    program = typer.main.get_command(app)
    try:
        with program.make_context("srlib", list(arguments)) as context:
            program.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return DONE


def complain(message: str, code: int) -> int:
    """Write a message as one line on stderr, and return `code`."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):  # stderr is closed
            program = typer.style("srlib:", fg="red" if code else "yellow", bold=True)
            typer.echo(f"{program} {one_line(message)}", err=True)
    return code


def silence_stdout() -> None:
    """Redirect stdout to the null device, because it is closed and the interpreter's last flush would fail."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
