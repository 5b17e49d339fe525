"""What a system without fork, process groups, timers and `resource` does: played on this one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
WITHOUT = """
import multiprocessing, os, signal, sys
sys.modules["resource"] = sys.modules["fcntl"] = None
del os.fork, os.setsid, os.killpg, signal.SIGPROF, signal.setitimer, signal.SIGHUP
multiprocessing.get_all_start_methods = lambda: ["spawn"]
"""
SCRIPT = """
from srlib.cli.main import main
from srlib.workers import bounded_map
from tests import workers_cases

if __name__ == "__main__":
    items = ["a", "hang", "exit", "b"]
    found = dict(bounded_map(workers_cases.misbehave, items, timeout=2, cpu_seconds=1, jobs=1))
    print([found[i].status for i in range(4)])
    main(["equivalent", "--truth", "x", "--model", "x + 1"])
"""


@pytest.mark.slow
def test_limits_that_a_system_lacks_are_said_and_the_clock_stops_what_hangs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    (tmp_path / "script.py").write_text(SCRIPT)
    paths = os.pathsep.join([str(tmp_path), str(CHECKOUT)])
    ran = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.startswith("['ok', 'timeout', 'crashed', 'ok']\n"), ran.stderr
    assert "the truth plus 1" in ran.stdout
    told = "no limit for memory, CPU seconds, what a process leaves behind"
    assert ran.stderr.count(told) == 1
