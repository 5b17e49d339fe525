"""Progress bar on a terminal, with a count and the remaining time, and sentences about work that takes long."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")
DELAY_S, INTERVAL_S = 2.0, 0.5  # seconds before the bar appears, and between updates
_listener: ContextVar[Callable[[int, int], None] | None] = ContextVar("listener", default=None)
tqdm.monitor_interval = 0  # start no monitoring thread


def progress(
    items: Iterable[Item], total: int, label: str, printing: bool = False
) -> Iterator[Item]:
    """Yield items unchanged, and show on the terminal how many are done and how much time remains.

    The bar disappears at the end. Nothing is shown if stderr is not a terminal, such as in a log file or a notebook.

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
    listener = _listener.get()
    with bar:
        for done, item in enumerate(items, start=1):
            if printing:
                bar.clear()
            yield item
            bar.update()
            if listener is not None:
                listener(done, total)


@contextmanager
def report_to(listener: Callable[[int, int], None] | None) -> Iterator[None]:
    """Call a function with the numbers of finished and of all items as `progress` counts them in a `with` block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def announce(sentence: str) -> None:
    """Print a sentence about work that will take long to stderr, if somebody waits for it (see `is_watched`)."""
    if is_watched():
        print(sentence, file=sys.stderr, flush=True)


def is_watched() -> bool:
    """Return whether somebody sees stderr now: on a terminal, or in a notebook that is open and not being rendered."""
    ipython = sys.modules.get("IPython")
    kernel = getattr(ipython and ipython.get_ipython(), "kernel", None)
    if kernel is None:
        return sys.stderr is not None and sys.stderr.isatty()
    # only a front end with a user in front of it allows a cell to ask for input
    return bool(kernel.get_parent().get("content", {}).get("allow_stdin"))
