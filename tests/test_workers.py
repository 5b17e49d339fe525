"""Hard limits, and a batch that goes on whatever one of its items does."""

import itertools
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from srlib.errors import InterruptedResultsError
from srlib.workers import Outcome, bounded_map, missing_limits
from tests import workers_cases as cases
from tests.builders import each, refused
from tests.processes import MARK, marked_processes


def run(function, *items, timeout=20, jobs=2, **settings):
    """Give the outcomes in the order of the items."""
    outcomes = dict(bounded_map(function, items, timeout=timeout, jobs=jobs, **settings))
    return [outcomes[index] for index in range(len(items))]


@each(
    "kind status detail",
    """
exit | crashed | the process exited with code 3
exit beside a fork | crashed | the process exited with code 3
memory | memory | out of memory
raise | error | ValueError: invalid literal
sys.exit | error | SystemExit: gone
unpicklable | error | local object
""",
)
def test_bad_item_gets_its_reason_and_other_items_go_on(kind, status, detail):
    first, bad, *others = run(cases.misbehave, "a", kind, "b", "c")
    assert [outcome.value for outcome in (first, *others)] == ["a", "b", "c"]
    assert (bad.status, bad.value) == (status, None) and detail in bad.detail


def test_stuck_items_are_stopped_at_their_limit():
    outcomes = run(cases.misbehave, "a", "hang", "power", "stop", "b", timeout=0.5, jobs=4)
    assert [outcome.status for outcome in outcomes] == ["ok", *["timeout"] * 3, "ok"]
    assert {outcome.detail for outcome in outcomes[1:4]} == {"stopped after 0.5 s"}


def test_cpu_seconds_limit_computing_and_a_stopped_process_is_no_outcome():
    """A paused container stops processes; the clock is the machine's limit."""
    kinds, limits = ["power", "nap", "hang", "stop"], {"timeout": 1.5, "cpu_seconds": 0.1}
    outcomes = {}
    with pytest.raises(InterruptedResultsError, match="^2 results were interrupted by the machine"):
        for index, outcome in bounded_map(cases.misbehave, kinds, jobs=4, **limits):
            outcomes[index] = outcome
    assert outcomes[0] == Outcome("timeout", None, "stopped after 0.1 s")
    assert (outcomes[1].status, len(outcomes)) == ("ok", 2)


def test_fork_of_a_worker_does_not_answer_and_its_output_is_dropped(capfd):
    large = bytes(10**7)
    outcomes = run(cases.misbehave, "fork", large, "print", "b", jobs=1)
    assert [outcome.value for outcome in outcomes] == [False, large, (None, 10**6), "b"]
    assert capfd.readouterr() == ("", "")


def test_item_killed_from_outside_is_tried_once_more(tmp_path):
    """The first process of each item kills itself; item 1 does so always, which is no outcome of it."""
    assert run(cases.kill_once, tmp_path / "a", tmp_path / "b")[1] == Outcome("ok", "alive")
    outcomes = {}
    with pytest.raises(InterruptedResultsError, match="^1 result was interrupted by the machine: "):
        for index, outcome in bounded_map(cases.misbehave, ["a", "kill", "b"], timeout=20):
            outcomes[index] = outcome.value
    assert outcomes == {0: "a", 2: "b"}


def test_server_killed_while_idle_is_replaced():
    server = run(cases.server_id, 0)[0].value
    assert os.getpgid(server) != os.getpgid(0)  # no Ctrl-C reaches it
    os.kill(server, signal.SIGKILL)
    assert run(cases.same, 0, 1, 2)[2].value == 2


def test_server_killed_at_work_is_replaced(tmp_path):
    assert run(cases.kill_server_once, tmp_path / "a", timeout=30)[0].value == "alive"


def test_children_of_a_stopped_worker_are_stopped_too(tmp_path):
    """Those of its group, and one that has left it."""
    paths = [tmp_path / "a", tmp_path / "b"]
    assert run(cases.leave_children, paths, timeout=1)[0].status == "timeout"
    assert not any(is_running(read_pid(path)) for path in paths)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("preload", [[], ["slow"]])
def test_processes_of_a_killed_command_end(preload, tmp_path):
    """Neither those that workers have started, nor a server that imports."""
    path = tmp_path / "pid"
    code = (
        "from srlib.workers import bounded_map; from tests import workers_cases as cases; "
        f"list(bounded_map(cases.leave_children, [['{path}']], timeout=60, preload={preload}))"
    )
    slow = f"from tests import workers_cases as cases; cases.write_id_and_wait('{path}')"
    (tmp_path / "slow.py").write_text(slow)
    environment = os.environ | {MARK: str(path), "PYTHONPATH": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as command:
        read_pid(path)
        command.kill()
    wait_until(lambda: not marked_processes(path))


def test_items_are_read_lazily_and_closing_kills_running_ones(tmp_path):
    numbers = itertools.count()
    items = (tmp_path / "pid" if number == 5 else "" for number in numbers)
    outcomes = bounded_map(cases.write_id_and_wait, items, timeout=60, jobs=2)
    for _ in range(10):
        next(outcomes)
    pid = read_pid(tmp_path / "pid")
    outcomes.close()
    wait_until(lambda: not is_running(pid))
    assert next(numbers) <= 20


def test_worker_has_one_thread_and_one_order_of_sets(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    threads, seed, order = run(cases.environment, 0)[0].value
    assert (threads, seed) == ("1", "0")
    assert order == run(cases.environment, 0)[0].value[2]


def test_system_without_limits_is_named(monkeypatch):
    assert missing_limits() == ""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "no limit for memory" in missing_limits()
    monkeypatch.delattr(os, "fork")
    with refused("cannot fork processes"):
        run(math.sqrt, 1)


def wait_until(condition, seconds=3):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def read_pid(path):
    """The id that a process writes into a file, once it is there."""
    wait_until(lambda: path.exists() and path.read_text(), 10)
    return int(path.read_text())


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
