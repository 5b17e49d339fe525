"""What asks a command to stop: it does, whatever code happens to run, and its exit code never says that all is done."""

import _thread
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

from srlib.cli import WORDS


class Stopping:
    """Raises KeyboardInterrupt at the first signal, and again where somebody swallows it; ends at once at the second.

    It raises between `begin` and `end` only, where the caller can catch it.

    Attributes
    ----------
    came : int
        The number of the signal; 0 while there was none.
    """

    def __init__(self) -> None:
        self.came = 0
        self._raising = self._swallowed = False
        self._again: threading.Timer | None = None

    @property
    def word(self) -> str:
        """What happened, in a word."""
        return WORDS[signal.Signals(self.came).name]

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
        """Heed signals meanwhile; in another thread than the main one, nothing changes."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [getattr(signal, name) for name in WORDS if hasattr(signal, name)]
        before = {number: signal.getsignal(number) for number in numbers}
        for number, handler in before.items():
            if handler not in (signal.SIG_IGN, None):
                signal.signal(number, self._stop)
        hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        try:
            yield
        finally:
            self.end()
            sys.unraisablehook = hook
            for number, handler in before.items():
                signal.signal(number, handler)

    def begin(self) -> None:
        """Raise from here on, and at once if a signal has come before."""
        self._raising = True
        if self.came:
            raise KeyboardInterrupt

    def end(self) -> None:
        """Raise no more; a signal that comes still counts."""
        self._raising = False
        if self._again is not None:
            self._again.cancel()

    def _stop(self, number: int, _: Any) -> None:
        if self.came and not self._swallowed:
            os._exit(128 + number)
        self.came, self._swallowed = number, False
        if self._raising:
            raise KeyboardInterrupt

    def _unraisable(self, found: Any) -> None:
        """Raise an interrupt again that came where nothing can be raised, as in a callback of the interpreter."""
        if not isinstance(found.exc_value, KeyboardInterrupt):
            sys.__unraisablehook__(found)
            return
        self._swallowed = True
        self._again = threading.Timer(0.05, _thread.interrupt_main, [self.came])
        self._again.daemon = True
        self._again.start()
