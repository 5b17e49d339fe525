"""Progress on a terminal: one line with a count and the time left, which goes away in the end."""

import contextlib
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, as_completed
from contextvars import ContextVar
from datetime import timedelta
from typing import TypeVar

Item = TypeVar("Item")
DELAY_S, INTERVAL_S = 2.0, 0.5  # before the first line, and between two
# A widget of a notebook sets it, and gets the sentences in place of the terminal.
LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def progress(items: Iterable[Item], total: int, label: str) -> Iterator[Item]:
    """Pass items through and show how many are done, with the time left.

    Nothing is shown where stderr is no terminal: a log file and a notebook's page have no lines that come and go.

    Parameters
    ----------
    items : iterable
        What is worked through; each item counts as done when the next one is requested.
    total : int
        How many items there will be.
    label : str
        What is counted, as in 'runs assessed'.
    """
    started = time.monotonic()
    next_s = started + DELAY_S
    try:
        for done, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if now >= next_s and done < total:
                next_s = now + INTERVAL_S
                left = timedelta(seconds=round((now - started) / done * (total - done)))
                _show(f"{label}: {done:,} of {total:,}, about {left} left")
    finally:
        _show("")


def completed(futures: Collection[Future[Item]], label: str) -> Iterator[Future[Item]]:
    """Yield futures as they complete and show how many are done; the caller may print between them."""
    for future in progress(as_completed(futures), len(futures), label):
        _show("")
        yield future


def _show(text: str) -> None:
    """Put a text in the place of the terminal's last line; nobody sees it where there is no terminal."""
    listener = LISTENER.get()
    if listener is not None and text:
        listener(text)
    elif listener is None:
        with contextlib.suppress(OSError, AttributeError, ValueError):  # stderr is closed
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{text}\x1b[K")
                sys.stderr.flush()
