"""Progress on a terminal (a bar) or in a log (a line a minute), and sentences about work that takes long."""

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
DELAY_S, INTERVAL_S = 2.0, 0.5  # seconds before the bar appears, and between updates
# seconds between lines where stderr is no terminal; the command line sets it, and notebooks stay silent
log_interval_s = math.inf
_listener: ContextVar[Callable[[int, int], None] | None] = ContextVar("listener", default=None)


def progress(
    items: Iterable[Item],
    total: int,
    label: str,
    printing: bool = False,
    is_stopped: Callable[[Item], bool] = lambda item: False,
) -> Iterator[Item]:
    """Yield items unchanged, and show how many are done and how much time remains.

    On a terminal this is a bar, which disappears at the end. In the log of a command it is a line every
    `log_interval_s` seconds, and one at the end of work that took longer. Else nothing is shown.

    Parameters
    ----------
    items : iterable
        The items to work through; each item counts as done when the next one is requested.
    total : int
        Number of items.
    label : str
        Text beside the count, such as 'runs assessed'.
    printing : bool
        Whether the caller prints a line for each item; the bar is then cleared before each item, and a log gets no
        lines.
    is_stopped : callable
        Whether an item was stopped at a limit; lines in a log say how many were.
    """
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # start no monitoring thread
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    is_silent = sys.stderr is None or is_terminal or printing
    options = {"leave": False, "delay": DELAY_S, "mininterval": INTERVAL_S}
    listener, n_stopped = _listener.get(), 0
    start = written = time.monotonic()
    with tqdm(total=total, desc=label, file=sys.stderr, disable=not is_terminal, **options) as bar:
        for n_done, item in enumerate(items, 1):
            if printing:
                bar.clear()
            yield item
            bar.update()
            if listener is not None:
                listener(n_done, total)
            n_stopped += is_stopped(item)
            now, is_last = time.monotonic(), n_done == total
            if is_silent or now - written < log_interval_s and not (is_last and written > start):
                continue
            written = now
            minutes = math.ceil((now - start) / n_done * (total - n_done) / 60)
            stopped = f", {n_stopped:,} stopped at a limit" if n_stopped else ""
            left = "" if is_last else f", about {minutes:,} min left"
            print(f"{label}: {n_done:,} of {total:,}{stopped}{left}", file=sys.stderr, flush=True)


@contextmanager
def report_to(listener: Callable[[int, int], None] | None) -> Iterator[None]:
    """Call a function with the numbers of finished and of all items as `progress` counts them in a `with` block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def announce(sentence: str) -> None:
    """Print a sentence about work that will take long to stderr, if there is one and `is_watched`."""
    if sentence and is_watched():
        print(sentence, file=sys.stderr, flush=True)


def is_watched() -> bool:
    """Return whether somebody sees stderr now: on a terminal, or in a notebook that is open and not being rendered."""
    ipython = sys.modules.get("IPython")
    kernel = getattr(ipython and ipython.get_ipython(), "kernel", None)
    if kernel is None:
        return sys.stderr is not None and sys.stderr.isatty()
    # only a front end with a user in front of it allows a cell to ask for input
    return bool(kernel.get_parent().get("content", {}).get("allow_stdin"))
