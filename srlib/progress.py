"""One helper for progress: a line on stderr, only on a terminal, only for work of over two seconds."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
PATIENCE_S = 2.0


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
    started, shown = time.monotonic(), 0.0
    visible = sys.stderr.isatty()
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if visible and now - started > PATIENCE_S and now - shown > 0.2:
            left = (now - started) / done * (total - done)
            sys.stderr.write(f"\r{label}: {done} of {total}, {_duration(left)} left\x1b[K")
            sys.stderr.flush()
            shown = now
    if shown:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
