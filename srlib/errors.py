"""The exceptions that srlib raises on purpose; each message is one sentence that a user can act on."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LONGEST_MESSAGE = 1500  # characters of a message
EXCERPT_RADIUS = 20  # characters of a model text on each side of a fault


class SrlibError(Exception):
    """Base of all errors that srlib raises on purpose.

    Parameters
    ----------
    message : str
        One sentence; it becomes one line, and the middle of a message of more than 1,500 characters is left out.
    """

    def __init__(self, message: str = "") -> None:
        line = re.sub(r"\s*[\n\r\v\f\x85\u2028\u2029]\s*", " ", str(message))
        super().__init__(
            line if len(line) <= LONGEST_MESSAGE else f"{line[:1000]} ... {line[-400:]}"
        )

    def _render_traceback_(self) -> list[str]:
        """Return the sentence alone for a notebook: the fault is in the input, not in the code."""
        return [f"{type(self).__name__}: {self}"]


class InputError(SrlibError):
    """An input or a call is wrong; the message names file, row or key, what was allowed and what came."""


def require(condition: bool, message: str) -> None:
    """Raise an `InputError` with this message unless a condition holds."""
    if not condition:
        raise InputError(message)


class NothingScoredError(SrlibError):
    """No run could be scored, so that there is nothing to rank; the message says why, by count.

    Parameters
    ----------
    message : str
        One sentence.
    judgement : object, optional
        The judgement without scores: its `ledger` says why, run by run.
    """

    def __init__(self, message: str = "", judgement: Any = None) -> None:
        self.judgement = judgement
        super().__init__(message)


class InterruptedResultsError(SrlibError):
    """The machine killed processes of a command; their items have no result yet, which says nothing about a model.

    Parameters
    ----------
    count : int
        Number of results that are missing.
    """

    def __init__(self, count: int) -> None:
        results = "1 result was" if count == 1 else f"{count} results were"
        super().__init__(f"{results} interrupted by the machine: run the command again")


class ModelTextError(SrlibError):
    """A model text cannot be read.

    Parameters
    ----------
    message : str
        The fault, without the excerpt.
    text : str
        The whole model text.
    position : int
        Index of the offending character in `text`, from 0.
    kind : {'unparsed', 'empty', 'nonfinite', 'several_models', 'no_closed_form'}
        The parse status that the assessment reports.
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
    """Return a sentence that says how to install a module's package; empty for a module of srlib itself.

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
    """Turn the error of a package that is not installed into the sentence that says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if advice := install_advice(error.name or ""):
            raise InputError(advice) from error
        raise
