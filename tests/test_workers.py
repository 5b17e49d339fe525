"""Hard limits, and a batch that goes on whatever one of its items does."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from srlib.errors import InputError
from srlib.workers import Outcome, bounded_map
from srlib.workers.pool import COUNTED
from srlib.workers.process import FORKS
from tests import workers_cases as cases


def run(function, items, **settings):
    settings = {"timeout": 20, "jobs": 2, **settings}
    return dict(bounded_map(function, items, **settings))


@pytest.mark.parametrize(
    ("kind", "status", "detail"),
    [
        ("exit", "crashed", "the process exited with code 3"),
        ("exit quietly", "crashed", "the process exited with code 0"),
        ("kill", "crashed", "the process was killed by signal 9"),
        ("memory", "memory", "out of memory"),
        ("raise", "error", "ValueError: why not"),
        ("sys.exit", "error", "SystemExit: gone"),
        ("unpicklable", "error", "local object"),
    ],
)
def test_a_bad_item_is_named_and_the_others_go_on(kind, status, detail):
    outcomes = run(cases.misbehave, ["a", kind, "b", "c"])
    assert [outcomes[i].value for i in (0, 2, 3)] == ["a", "b", "c"]
    assert outcomes[1].status == status
    assert outcomes[1].value is None
    assert detail in outcomes[1].detail


@pytest.mark.parametrize("kind", ["hang", "power"])
def test_a_stuck_item_is_stopped_at_its_limit(kind):
    outcomes = run(cases.misbehave, ["a", kind, "b"], timeout=0.5)
    assert [outcomes[i].status for i in range(3)] == ["ok", "timeout", "ok"]
    assert outcomes[1].detail == "stopped after 0.5 s"
    assert outcomes[1].seconds >= 0.5


@pytest.mark.skipif(not COUNTED, reason="this system does not stop a process that has computed")
def test_computing_is_limited_and_waiting_is_not():
    outcomes = run(cases.misbehave, ["power", "a", "nap", "hang"], timeout=4, computing=0.5)
    assert [outcomes[i].status for i in range(4)] == ["timeout", "ok", "ok", "timeout"]
    assert outcomes[0].detail == "stopped after 0.5 s" and not outcomes[0].by_clock
    assert outcomes[3].detail == "stopped after 4 s by the clock, before 0.5 s of CPU time"
    assert outcomes[3].by_clock


def test_a_fork_of_the_worker_does_not_answer_twice():
    outcomes = run(cases.misbehave, ["fork", "a", "fork", "b"], jobs=1)
    assert [outcomes[i].value for i in range(4)] == [False, "a", False, "b"]


def test_output_of_workers_is_swallowed(capfd):
    assert run(cases.misbehave, ["print"])[0].status == "ok"
    assert capfd.readouterr() == ("", "")


def test_a_worker_killed_from_outside_loses_only_its_item(tmp_path):
    path = tmp_path / "pid"
    threading.Thread(target=lambda: os.kill(_read_pid(path), signal.SIGKILL)).start()
    outcomes = run(cases.tell_and_wait, [path])
    assert outcomes[0].status == "crashed"
    assert outcomes[0].detail == "the process was killed by signal 9"


def test_an_idle_worker_killed_from_outside_is_replaced():
    results = bounded_map(cases.process_id, range(3), timeout=20, jobs=1)
    first = next(results)[1].value
    assert next(results)[1].value == first
    rest = bounded_map(cases.process_id, range(3), timeout=20, jobs=1)
    os.kill(next(rest)[1].value, signal.SIGKILL)
    assert all(outcome.status in ("ok", "crashed") for _, outcome in rest)


def test_children_of_a_stopped_worker_are_stopped_too(tmp_path):
    path = tmp_path / "pid"
    assert run(cases.leave_a_child, [path], timeout=1, fresh=True)[0].status == "timeout"
    child = _read_pid(path)
    for _ in range(100):
        if not _runs(child):
            break
        time.sleep(0.05)
    assert not _runs(child)


def test_fresh_means_one_process_per_item():
    pids = [outcome.value for outcome in run(cases.process_id, range(4), fresh=True).values()]
    assert len(set(pids)) == 4
    assert len({outcome.value for outcome in run(cases.process_id, range(4), jobs=1).values()}) == 1


def test_items_are_read_lazily():
    asked = []

    def endless():
        while True:
            asked.append(len(asked))
            yield len(asked)

    results = bounded_map(cases.same, endless(), timeout=20, jobs=2)
    for _ in range(10):
        next(results)
    results.close()
    assert len(asked) <= 14


def test_workers_are_single_threaded():
    assert run(cases.threads, [0])[0].value == "1"


def test_an_item_that_cannot_be_sent_is_an_error_of_that_item():
    outcomes = run(cases.same, [lambda: None, 1])
    assert outcomes[0].status == "error"
    assert outcomes[1].value == 1


def test_the_callers_script_needs_no_main_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import math\nfrom srlib.workers import bounded_map\n"
        "print([o.value for _, o in bounded_map(math.sqrt, [9.0], timeout=20, jobs=1)])\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "[3.0]\n")


def test_limits_are_checked():
    with pytest.raises(InputError, match="positive time limit"):
        list(bounded_map(math.sqrt, [1], timeout=0))
    with pytest.raises(InputError, match="at least one job"):
        list(bounded_map(math.sqrt, [1], timeout=1, jobs=0))
    assert Outcome("ok", 1) == Outcome("ok", 1, "", 0.0)


def _read_pid(path: Path) -> int:
    for _ in range(200):
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.05)
    raise AssertionError("the worker never wrote its id")


def _runs(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.skipif(not FORKS, reason="no forks here")
def test_a_fork_within_an_item_leaves_the_worker_as_it_was_unless_it_ends_badly():
    kinds = ["fine", "also fine", "kill", "exit", "memory", "raise", "fine"]
    found = run(cases.count_in_a_fork, kinds, jobs=1)
    (fork, counted, worker), (other, again, same) = found[0].value, found[1].value
    assert (counted, again) == (0, 0)
    assert worker == same
    assert len({fork, other, worker}) == 3
    said = [(found[i].status, found[i].detail) for i in range(2, 6)]
    assert said == [
        ("crashed", "the process was killed by signal 9"),
        ("crashed", "the process exited with code 3"),
        ("memory", "out of memory"),
        ("error", "ValueError: why not"),
    ]
    assert found[6].status == "ok"


@pytest.mark.skipif(not (FORKS and COUNTED), reason="no forks here, or no limit of CPU seconds")
def test_what_forks_compute_counts_together():
    found = run(cases.burn_in_forks, [1, 4], jobs=1, timeout=60, computing=1.0)
    assert found[0].status == "ok"
    assert (found[1].status, found[1].detail) == ("timeout", "stopped after 1 s")
