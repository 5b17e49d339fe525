"""Progress bar on a terminal, with a count and the remaining time; it disappears at the end."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")
DELAY_S, INTERVAL_S = 2.0, 0.5  # seconds before the bar appears, and between updates
tqdm.monitor_interval = 0  # start no monitoring thread


def progress(
    items: Iterable[Item], total: int, label: str, printing: bool = False
) -> Iterator[Item]:
    """Yield items unchanged, and show on the terminal how many are done and how much time remains.

    Nothing is shown if stderr is not a terminal, such as in a log file or a notebook.

    Parameters
    ----------
    items : iterable
        The items to work through; each item counts as done when the next one is requested.
    total : int
        Number of items.
    label : str
        Text beside the count, such as 'runs assessed'.
    printing : bool
        Whether the caller prints a line for each item; the bar is then cleared before each item.
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
