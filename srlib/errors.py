"""Exceptions that srlib raises on purpose; each message is one sentence that a user can act on."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

LONGEST_MESSAGE = 1500  # characters of a message
EXCERPT_RADIUS = 20  # characters of a model text on each side of a fault


def shorten(message: str) -> str:
    """Return a message on one line; the middle of a long one is left out."""
    line = re.sub(r"\s*[\n\r\v\f\x85\u2028\u2029]\s*", " ", str(message))
    return line if len(line) <= LONGEST_MESSAGE else f"{line[:1000]} ... {line[-400:]}"


class SrlibError(Exception):
    """Base class of all errors that srlib raises on purpose.

    Parameters
    ----------
    message : str
        One sentence. It is put on one line; if it has more than 1,500 characters, its middle is left out.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shorten(message))

    def _render_traceback_(self) -> list[str]:
        """Return the message without a traceback for notebooks, as the fault is in the input, not in the code."""
        return [f"{type(self).__name__}: {self}"]


class InputError(SrlibError):
    """Error for a wrong input or call; the message names file, row or key, what was allowed and what was found.

    Parameters
    ----------
    reason : str
        What was allowed and what was found.
    source : str or Path, optional
        File or table at fault; the message then begins with it, and `reason` leaves it out.
    row : int, optional
        Row of the source, from 1.

    Examples
    --------
    >>> error = InputError("model is empty", "a: b.csv", 3)
    >>> str(error), error.reason
    ('a: b.csv row 3: model is empty', 'row 3: model is empty')
    """

    def __init__(self, reason: str = "", source: str | Path = "", row: int | None = None) -> None:
        place = "" if row is None else f"row {row}: "
        self.reason = shorten(place + reason)
        separator = ": " if row is None else " "
        super().__init__(f"{source}{separator}{place}{reason}" if source else place + reason)


def require(condition: bool, message: str) -> None:
    """Raise an `InputError` with this message unless the condition is true."""
    if not condition:
        raise InputError(message)


def require_known(name: str, names: Iterable[str], kind: str) -> None:
    """Raise an `InputError` with the similar names unless a name is one of these.

    Examples
    --------
    >>> require_known("dep", ["deap", "ffx"], "method")
    Traceback (most recent call last):
    srlib.errors.InputError: unknown method 'dep'. Did you mean 'deap'? Known: deap, ffx
    """
    options = sorted(names)
    similar = get_close_matches(name, options, 1)
    question = f"Did you mean {similar[0]!r}? " if similar else ""
    excess = f" and {len(options) - 20} more" if len(options) > 20 else ""
    require(
        name in options,
        f"unknown {kind} {name!r}. {question}Known: {', '.join(options[:20])}{excess}",
    )


class NothingScoredError(SrlibError):
    """Error raised when no run can be scored, so that there is nothing to rank; the message counts the reasons.

    Parameters
    ----------
    message : str
        One sentence.
    judgement : object, optional
        The judgement without scores; its `ledger` has the reason for each run.
    """

    def __init__(self, message: str = "", judgement: Any = None) -> None:
        self.judgement = judgement
        super().__init__(message)


class InterruptedResultsError(SrlibError):
    """Error raised when the machine killed processes of a command, so that results are missing; no model is at fault.

    Parameters
    ----------
    count : int
        Number of results that are missing.
    message : str
        The cause, where it is not the machine of the command.
    """

    def __init__(self, count: int, message: str = "") -> None:
        results = "1 result was" if count == 1 else f"{count} results were"
        super().__init__(message or f"{results} interrupted by the machine: run the command again")


class ModelTextError(SrlibError):
    """Error for a model text that cannot be read.

    Parameters
    ----------
    message : str
        The fault, without an excerpt of the text.
    text : str
        The whole model text.
    position : int
        Index of the wrong character in `text`, from 0.
    kind : {'unparsed', 'empty', 'nonfinite', 'several_models', 'no_closed_form'}
        Parse status in the assessments table.
    """

    def __init__(
        self, message: str, text: str = "", position: int = 0, kind: str = "unparsed"
    ) -> None:
        self.text = text
        self.position = position
        self.kind = kind
        start = max(0, position - EXCERPT_RADIUS)
        stop = position + EXCERPT_RADIUS
        before = "..." if start > 0 else ""
        after = "..." if stop < len(text) else ""
        self.excerpt = f"{before}{text[start:stop]}{after}"
        super().__init__(f"{message} at position {position}: {self.excerpt!r}" if text else message)


def install_advice(module: str) -> str:
    """Return a sentence on how to install the package of a module; empty for a module of srlib itself.

    Examples
    --------
    >>> install_advice("seaborn.objects")
    "seaborn is not installed: pip install 'srlib[report,methods,lab]' brings it"
    >>> install_advice("srlib.objects")
    ''
    """
    package = module.partition(".")[0]
    advice = f"{package} is not installed: pip install 'srlib[report,methods,lab]' brings it"
    return "" if package in ("", "srlib") else advice


@contextmanager
def advise_installation() -> Iterator[None]:
    """Convert ModuleNotFoundError within a `with` block to InputError with advice on installation."""
    try:
        yield
    except ModuleNotFoundError as error:
        if advice := install_advice(error.name or ""):
            raise InputError(advice) from error
        raise
