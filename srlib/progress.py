"""Progress on a terminal: a bar with a count and the time left, which goes away in the end."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")
DELAY_S, INTERVAL_S = 2.0, 0.5  # before the bar appears, and between two of its states
tqdm.monitor_interval = 0  # no thread of its own


def progress(
    items: Iterable[Item], total: int, label: str, printing: bool = False
) -> Iterator[Item]:
    """Yield items unchanged, and show on the terminal how many are done, with the time left.

    Nothing is shown where stderr is no terminal: a log file and a notebook's page have no lines that come and go.

    Parameters
    ----------
    items : iterable
        The items to work through; each item counts as done when the next one is requested.
    total : int
        Number of items.
    label : str
        Name of the items that are counted, as in 'runs assessed'.
    printing : bool
        Make room for the lines that the caller prints, one for each item.
    """
    bar = tqdm(
        total=total,
        desc=label,
        file=sys.stderr,
        disable=sys.stderr is None or not sys.stderr.isatty(),
        leave=False,
        delay=DELAY_S,
        mininterval=INTERVAL_S,
    )
    with bar:
        for item in items:
            if printing:
                bar.clear()
            yield item
            bar.update()
