"""Progress on stderr: a line that changes on a terminal, a line a minute in a log file."""

import contextlib
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, as_completed
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
TERMINAL_S = 2.0, 0.2  # before a terminal shows the first line, and between two
LOGGED_S = 60.0  # between lines of a log
LISTENER_S = 0.5  # between sentences for a listener
CLEAR = "\r\x1b[K"
# what a log has of it, and a page must not: no two renderings take as long
LOGGED = re.compile(r"^.+: [\d,]+ of [\d,]+, about .+ left\b.*\n?", re.MULTILINE)
LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def progress(items: Iterable[Item], total: int, label: str) -> Iterator[Item]:
    """Pass items through and show how many are done, with the time left.

    Parameters
    ----------
    items : iterable
        What is worked through; each item counts as done when the next one is requested.
    total : int
        How many items there will be.
    label : str
        What is counted, as in 'runs assessed'.
    """
    step = ticker(total, label)
    for item in items:
        yield item
        step()


def completed(futures: Collection["Future[Item]"], label: str) -> Iterator["Future[Item]"]:
    """Yield futures as they complete and show how many are done; the caller may print between them."""
    step = ticker(len(futures), label)
    for future in as_completed(futures):
        if _is_terminal():
            _write(CLEAR)
        yield future
        step()


def ticker(total: int, label: str) -> Callable[..., None]:
    """Make a function that counts one more item as done whenever it is called, with a word where the item failed.

    A terminal shows how many are done, the time left and how many failed; the last call clears the line. In a log file
    a line a minute says so. Where `LISTENER` is set, it gets the sentences instead, twice a second.
    """
    listener, failures = LISTENER.get(), Counter[str]()
    terminal = listener is None and _is_terminal()
    first_s, interval_s = TERMINAL_S if terminal else (LOGGED_S, LOGGED_S)
    if listener is not None:
        first_s, interval_s = LISTENER_S, LISTENER_S
    started, last, done = time.monotonic(), 0.0, 0

    def step(failure: str = "") -> None:
        nonlocal last, done
        done, now = done + 1, time.monotonic()
        failures.update([failure] if failure else [])
        if done >= total:
            if terminal and last:
                _write(CLEAR)
        elif now - started > first_s and now - last > interval_s:
            last = now
            left = _duration((now - started) / done * (total - done))
            text = f"{label}: {done:,} of {total:,}, about {left} left"
            if failures:
                counts = (f"{count:,} {word}" for word, count in failures.most_common())
                text = f"{text}; failed so far: {', '.join(counts)}"
            if listener is not None:
                listener(text)
            else:
                _write(f"\r{text}\x1b[K" if terminal else f"{text}\n")

    return step


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _write(text: str) -> None:
    """Write to stderr; where it is closed, nobody reads it, which is no error."""
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
