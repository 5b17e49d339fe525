"""The program `srlib`: finds the command; whatever happens becomes an exit code and one line on stderr.

A command named NAME is the function NAME (or the Typer app NAME, for a group) in the module `srlib.cli.NAME`; where
NAME is a word of Python, both are NAME_.
Only the module of the command that was called is imported, so that `srlib --help` stays fast.
"""

import contextlib
import importlib
import inspect
import keyword
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from srlib import __version__
from srlib.api.extras import missing
from srlib.cli.colours import DOUBT, TROUBLE, say
from srlib.errors import InterruptedResultsError, SrlibError
from srlib.folders import take_temporary_folder

NO_MEMORY = "this machine has not enough memory for it"
DONE, CHECK_FAILED, WRONG_INPUT, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

GROUPS = {
    "Judge": {
        "check": "Say what is wrong with a submission before it is sent.",
        "assess": "Measure every run: accuracy, complexity, features, solution.",
        "score": "Rank the methods by one or more sets of rules.",
        "robustness": "Ask how sure the winner is.",
        "compare": "Compare every pair of methods over datasets.",
        "equivalent": "Compare a model with the truth, with evidence.",
        "ballot": "Let experts judge models blind.",
        "inference": "Judge solvers of inference problems (UAI).",
    },
    "Show": {
        "report": "Render a suite of notebooks into HTML reports with an index.",
        "diff": "Compare two rendered folders.",
    },
    "Set up a competition": {
        "new": "Start a suite of your own.",
        "problems": "Make the data of a problem file.",
        "audit": "Check what a problem file states against its data.",
    },
    "Get runs": {
        "run": "Run methods on problems and record every run.",
        "qualify": "Test an estimator of your own against LinearRegression.",
        "import": "Turn published results of any layout into a run table.",
    },
}
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

ABOUT = """Judge symbolic-regression competitions.

Exit codes: 0 done, 1 done but a report or check failed, or the machine
interrupted results, 2 the input or the call is wrong.

\b
Example:
  srlib score demo --problems synthetic-2022 --out verdict
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after `srlib`; those of the process by default.

    Returns
    -------
    int
        0 done; 1 done, but a report or check failed; 2 the input or the call is wrong; 130 interrupted; 141
        the reader of the output went away.

    Examples
    --------
    >>> main(["--version"])
    srlib 0.2.0
    0
    """
    if arguments is None:
        take_temporary_folder()
        if sys.stdout is not None:
            sys.stdout.reconfigure(errors="backslashreplace")  # pyright: ignore
        arguments = sys.argv[1:]
    try:
        code = _run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        if "srlib.cache" in sys.modules:
            for trouble in sys.modules["srlib.cache"].pop_warnings():
                _complain(trouble, code)
        if "srlib.workers.pool" in sys.modules and (
            less := sys.modules["srlib.workers"].missing_limits()
        ):
            _complain(less, code)
        return code
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _silence_stdout()
        return PIPE_CLOSED
    except typer.Abort:
        return _complain("the input ended before an answer came", WRONG_INPUT)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        hint = ""
        if context is not None:
            hint = f" (see `{context.command_path} --help`)"
        return _complain(error.format_message().rstrip(".") + hint, WRONG_INPUT)
    except InterruptedResultsError as error:
        return _complain(str(error), CHECK_FAILED)
    except SrlibError as error:
        return _complain(str(error), WRONG_INPUT)
    except ModuleNotFoundError as error:
        if advice := missing(error.name or ""):
            return _complain(advice, WRONG_INPUT)
        raise
    except ImportError as error:
        if "failed to map segment" in str(error):  # of a library, into what memory is left
            return _complain(NO_MEMORY, WRONG_INPUT)
        raise
    except MemoryError:
        return _complain(NO_MEMORY, WRONG_INPUT)
    except OSError as error:
        if error.filename is None:  # files that cannot be written are named, so it is what was said
            _silence_stdout()
        what = error.filename or "standard output"
        return _complain(f"{what}: {error.strerror or error}", WRONG_INPUT)


def _run(words: Sequence[str]) -> int:
    program = typer.main.get_command(_app(words))
    try:
        with program.make_context("srlib", list(words)) as context:
            program.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    return DONE


class Grouped(TyperGroup):
    """The program, whose help lists the commands by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each of `GROUPS`."""
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(names.items()))


class Several(TyperGroup):
    """A command with commands of its own, whose help gives the whole first sentence of each."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write them below each other."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, one.get_short_help_str(200)) for name, one in self.commands.items()]
            )


class Command(TyperCommand):
    """A command whose help calls values what people call them: TEXT, PATH, N or NUMBER."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what the command takes, arguments before options."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            asked = [one for one in self.get_params(ctx) if one.param_type_name == kind]
            rows = [row for row in (one.get_help_record(ctx) for one in asked) if row]
            if rows:
                with formatter.section(title):
                    formatter.write_dl([(TYPE.sub(_named, row[0]), row[1]) for row in rows])


VALUES = {"str": "TEXT", "path": "PATH", "int": "N", "float": "NUMBER"}
TYPE = re.compile(r" <(?:list\[)?(\w+)(?: range)?\]?>")


def _named(found: re.Match[str]) -> str:
    """Name the values of an option; an argument has its own name."""
    if not found.string.startswith("-"):
        return ""
    return " " + VALUES.get(found[1].lower(), found[1].upper())


def _app(words: Sequence[str]) -> typer.Typer:
    """Build the app: the real function of the command that is called, only the summary of the others."""
    called = next((word for word in words if not word.startswith("-")), None)
    app = _typer(help=ABOUT, cls=Grouped)
    app.callback()(_options)
    for name, summary in COMMANDS.items():
        if name != called:
            app.command(name, help=summary)(_listed_only)
            continue
        place = name + "_" * keyword.iskeyword(name)
        command = getattr(importlib.import_module(f"srlib.cli.{place}"), place)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, short_help=summary, cls=Several)
        else:
            app.command(name, help=help_text(command), short_help=summary, cls=Command)(command)
    return app


def _typer(**settings: Any) -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
        **settings,
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"srlib {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Take the options that stand before the command."""


def _listed_only() -> None:
    """Stand in the list of commands for a command that was not called."""


def help_text(command: Callable[..., Any]) -> str:
    r"""Help of a command from its docstring: what stands before its sections, each example on its own line.

    Examples are the section of that name, or paragraphs that begin with 'Example:'.

    Examples
    --------
    >>> def score():
    ...     '''Rank the methods.
    ...
    ...     Example: srlib score demo
    ...     --out scores
    ...     '''
    >>> help_text(score)
    'Rank the methods.\n\n\x08\nExample:\n  srlib score demo --out scores'
    """
    text, *sections = re.split(
        r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(command) or "", flags=re.MULTILINE
    )
    examples = dict(zip(sections[::2], sections[1::2], strict=True)).get("Examples", "")
    parts = text.split("\n\n") + [
        f"Example: {line}" for line in examples.splitlines() if line.strip()
    ]
    lines = (" ".join(part.split()) for part in parts if part.strip())
    return "\n\n".join(re.sub(r"^Example:", "\b\nExample:\n ", line) for line in lines)


def _complain(message: str, code: int) -> int:
    """Write one line on stderr, whatever the message holds, and hand the code back."""
    if sys.stderr is not None:
        how = DOUBT
        if code:
            how = TROUBLE
        with contextlib.suppress(OSError):  # nobody can be told
            say(f"{typer.style('srlib:', **how)} {one_line(message)}", err=True)
    return code


def one_line(message: str) -> str:
    r"""Join a message into one line and escape what a terminal would act on.

    Examples
    --------
    >>> one_line("run.csv:\n\tmodel \x1b[2Jx")
    'run.csv: model \\x1b[2Jx'
    """
    return escaped(" ".join(message.split()))


def escaped(line: str) -> str:
    """Escape what a terminal would act on."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def _silence_stdout() -> None:
    """Let the interpreter flush into nowhere when it ends, as nobody can read it."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
