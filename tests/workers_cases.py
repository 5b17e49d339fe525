"""Functions that misbehave, for tests of `srlib.workers` (they must be importable in a worker)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from srlib.workers import in_a_fork

IMPORTED_BY = os.getpid()


def same(item):
    return item


def imported_by_its_server(_):
    return os.getppid() == IMPORTED_BY


def process_id(_):
    return os.getpid()


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
    if kind == "unpicklable":
        return lambda: None
    if kind == "print":
        print("x" * 10**6)
        os.write(2, b"y" * 10**6)
    return kind


def kill_itself(*_):
    os.kill(os.getpid(), signal.SIGABRT)


def leave_a_child(path):
    child = subprocess.Popen(["sleep", "60"])
    Path(path).write_text(str(child.pid))
    time.sleep(60)


def tell_and_wait(path):
    Path(path).write_text(str(os.getpid()))
    time.sleep(60)


def threads(_):
    return os.environ["OMP_NUM_THREADS"]


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


COUNTED = []


def count_in_a_fork(kind):
    """What a fork changes is gone; how it ends, the worker ends."""
    seen = in_a_fork(_counted, kind)
    return seen, len(COUNTED), os.getpid()


def _counted(kind):
    COUNTED.append(kind)
    if kind == "burn":
        end = time.process_time() + 0.4
        while time.process_time() < end:
            pass
        return os.getpid()
    misbehave(kind)
    return os.getpid()


def burn_in_forks(times):
    return [in_a_fork(_counted, "burn") for _ in range(times)]
