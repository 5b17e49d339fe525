"""Functions that misbehave, for tests of `srlib.workers` (they must be importable in a worker)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def same(item):
    return item


def misbehave(kind):
    if kind == "hang":
        time.sleep(100)
    if kind == "nap":
        time.sleep(0.8)
    if kind == "power":
        return 9**9**9**9
    if kind == "exit":
        os._exit(3)
    if kind == "exit quietly":
        os._exit(0)
    if kind == "abort":
        os.abort()
    if kind == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "memory":
        return bytearray(10**11)
    if kind == "raise":
        raise ValueError("why not")
    if kind == "sys.exit":
        sys.exit("gone")
    if kind == "fork":
        return os.fork() == 0
    if kind == "exit beside a fork":
        if os.fork() == 0:
            time.sleep(60)
        os._exit(3)
    if kind == "unpicklable":
        return lambda: None
    if kind == "print":
        print("x" * 10**6)
        os.write(2, b"y" * 10**6)
    return kind


def kill_itself(*_):
    os.kill(os.getpid(), signal.SIGABRT)


def kill_once(marker):
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def kill_server_once(marker):
    if not marker.exists():
        marker.touch()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    return "alive"


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


def environment(_):
    return os.environ["OMP_NUM_THREADS"], os.environ["PYTHONHASHSEED"], hash("a")


def leave_a_mark(item):
    """Leave a file for every time that an item is worked on."""
    folder, number = item
    Path(folder, f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(0.01)
    return number


def computes_for_ever(*_):
    while True:
        pass


def takes_all_memory(*_):
    return bytearray(10**11)
