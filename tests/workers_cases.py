"""Functions that misbehave, for tests of `srlib.workers` (they must be importable in a worker)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def same(item):
    return item


KINDS = {
    "hang": lambda: time.sleep(100),
    "nap": lambda: time.sleep(0.8),
    "power": lambda: 9**9**9**9,
    "exit": lambda: os._exit(3),
    "exit beside a fork": lambda: (os.fork() or time.sleep(60), os._exit(3)),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "memory": lambda: bytearray(10**11),
    "raise": lambda: int("why not"),
    "sys.exit": lambda: sys.exit("gone"),
    "fork": lambda: os.fork() == 0,
    "unpicklable": lambda: lambda: None,
    "print": lambda: (print("x" * 10**6), os.write(2, b"y" * 10**6)),
}


def misbehave(kind):
    """Do what a kind names; any other item comes back."""
    return KINDS.get(kind, lambda: kind)()


def kill_itself(*_):
    os.kill(os.getpid(), signal.SIGABRT)


def computes_for_ever(*_):
    while True:
        pass


def kill_once(marker, find_process=os.getpid):
    """Kill the process unless the marker is there."""
    if not marker.exists():
        marker.touch()
        os.kill(find_process(), signal.SIGKILL)
        time.sleep(60)
    return "alive"


def kill_server_once(marker):
    return kill_once(marker, os.getppid)


def server_id(_):
    return os.getppid()


def leave_children(paths):
    """Start a process for each path, the second in a session of its own, and wait."""
    for number, path in enumerate(paths):
        child = subprocess.Popen(["sleep", "60"], start_new_session=number == 1)
        Path(path).write_text(str(child.pid))
    time.sleep(60)


def write_id_and_wait(path):
    if path:
        Path(path).write_text(str(os.getpid()))
        time.sleep(60)


def list_imports(call):
    """Modules that a function of one argument imports."""
    function, argument = call
    before = set(sys.modules)
    function(argument)
    return sorted(set(sys.modules) - before)


def environment(_):
    return os.environ["OMP_NUM_THREADS"], os.environ["PYTHONHASHSEED"], hash("a")


def leave_a_mark(item):
    """Leave a file for every time that an item is worked on."""
    folder, number = item
    Path(folder, f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(0.01)
    return number
