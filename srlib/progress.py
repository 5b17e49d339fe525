"""One helper for progress on stderr: a line that changes on a terminal, a line a minute in a log file."""

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
PATIENCE_S = 2.0  # before a terminal shows anything
LOGGED_S = 60.0  # between lines of a log
HEARD_S = 0.5  # between what a listener is told
# what a log has of it, and a page must not: no two renderings take as long
LOGGED = re.compile(r"^.+: [\d,]+ of [\d,]+, about .+ left\b.*\n?", re.MULTILINE)
LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def progress(items: Iterable[Item], total: int, label: str) -> Iterator[Item]:
    """Pass items through and show how many are done, with the time left.

    Parameters
    ----------
    items : iterable
        What is worked through; each item counts as done when the next one is asked for.
    total : int
        How many items there will be.
    label : str
        What is counted, as in 'runs assessed'.
    """
    step = ticker(total, label)
    for item in items:
        yield item
        step()


def ticker(total: int, label: str) -> Callable[..., None]:
    """Make a function that counts one more item as done whenever it is called, with a word where the item failed.

    A terminal shows how many are done, how long the rest will take and what failed; the last call clears the line. In
    a log file a line a minute says so. Where `LISTENER` is set, it is told instead, twice a second.
    """
    started, shown, done = time.monotonic(), 0.0, 0
    heard, failed = LISTENER.get(), Counter[str]()
    visible = heard is None and sys.stderr.isatty()
    patience, often = (PATIENCE_S, 0.2) if visible else (LOGGED_S, LOGGED_S)
    if heard is not None:
        patience, often = HEARD_S, HEARD_S

    def step(failure: str = "") -> None:
        nonlocal shown, done
        done, now = done + 1, time.monotonic()
        failed.update([failure] if failure else [])
        if now - started > patience and now - shown > often and done < total:
            left = (now - started) / done * (total - done)
            said = ", ".join(f"{count:,} {word}" for word, count in failed.most_common())
            text = f"{label}: {done:,} of {total:,}, about {_duration(left)} left"
            text = f"{text}; failed so far: {said}" if said else text
            if heard is None:
                _say(text, visible)
            else:
                heard(text)
            shown = now
        elif visible and shown and done >= total:
            _say("", visible)

    return step


def _say(text: str, visible: bool) -> None:
    """Write over the line of a terminal, or a line of a log."""
    sys.stderr.write(f"\r{text}\x1b[K" if visible else f"{text}\n")
    sys.stderr.flush()


def completed(futures: Collection["Future[Item]"], label: str) -> Iterator["Future[Item]"]:
    """Yield futures as they complete and draw a bar meanwhile, for a few items that take long each.

    Parameters
    ----------
    futures : collection of concurrent.futures.Future
        What is waited for.
    label : str
        What is counted, as in 'reports rendered'.
    """
    started, waiting, visible = time.monotonic(), set(futures), sys.stderr.isatty()
    while waiting:
        often = 0.5 if visible else LOGGED_S
        done, waiting = wait(waiting, timeout=often, return_when=FIRST_COMPLETED)
        if done and visible:
            _say("", visible)  # what is printed now has the line to itself
        yield from done
        seconds = time.monotonic() - started
        if seconds <= PATIENCE_S or (done and not visible):
            continue
        count = f"{len(futures) - len(waiting)} of {len(futures)}, {_duration(seconds)}"
        bar = "█" * round(20 * (1 - len(waiting) / len(futures)))
        drawn = f"{bar:░<20} " if visible else ""
        _say(f"{label}: {drawn}{count}" if waiting else "", visible)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    if minutes:
        return f"{minutes} min {rest} s"
    return f"{rest} s"
