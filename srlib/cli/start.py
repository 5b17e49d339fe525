"""Where the process begins: from its first line on, a signal is one sentence; what is temporary lies in one place.

Nothing is imported before signals are answered but what the interpreter has loaded by itself.
"""

import os
import signal
import sys

from srlib.cli import WORDS


def main() -> int:
    """Run the command that the process was called with."""
    numbers = [getattr(signal, name) for name in WORDS if hasattr(signal, name)]
    for number in numbers:
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _end)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # it waits since launcher.sh
    from srlib.temporary import take_temporary_folder

    take_temporary_folder()
    from srlib.cli.main import main as run

    if sys.stdout is not None:
        sys.stdout.reconfigure(errors="backslashreplace")  # pyright: ignore
    code = run()
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)  # all is done and said
    return code


def _end(number: int, _: object) -> None:
    """End at once: nothing has begun."""
    os.write(2, f"srlib: {WORDS[signal.Signals(number).name]}\n".encode())
    os._exit(128 + number)
