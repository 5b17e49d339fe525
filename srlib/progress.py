"""Progress on a terminal: a bar with a count and the time left, which goes away in the end."""

import sys
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future, as_completed
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")
DELAY_S, INTERVAL_S = 2.0, 0.5  # before the bar is there, and between two of its states
tqdm.monitor_interval = 0  # no thread of its own


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
    with _make_bar(total, label) as bar:
        for item in items:
            yield item
            bar.update()


def completed(futures: Collection[Future[Item]], label: str) -> Iterator[Future[Item]]:
    """Yield futures as they complete and show how many are done; the caller may print between them."""
    with _make_bar(len(futures), label) as bar:
        for future in as_completed(futures):
            bar.clear()
            yield future
            bar.update()


def _make_bar(total: int, label: str) -> tqdm:
    """Make the bar, which shows itself on a terminal alone."""
    return tqdm(
        total=total,
        desc=label,
        file=sys.stderr,
        disable=sys.stderr is None or not sys.stderr.isatty(),
        leave=False,
        delay=DELAY_S,
        mininterval=INTERVAL_S,
    )
