"""`srlib run`: exit codes, what it says, and that it can be stopped."""

import os
import signal
import time

import pandas as pd
import pytest

from srlib.cli.main import main
from tests.processes import start
from tests.recording.tiny import problem_text

PROBLEM = problem_text([11, 12])
METHODS = """
schema: 1
methods:
  - {name: Good, estimator: "tests.recording.estimators:Good", model: {attribute: text_}}
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "p.yaml").write_text(PROBLEM)
    (tmp_path / "m.yaml").write_text(METHODS)
    return tmp_path


def test_runs_are_recorded_and_counted(files, capsys):
    arguments = [
        "run",
        str(files / "m.yaml"),
        str(files / "p.yaml"),
        "--out",
        str(files / "out"),
        "--jobs",
        "1",
    ]
    assert main([*arguments, "--repetitions", "1"]) == 0
    assert capsys.readouterr().out == f"1 runs in {files / 'out' / 'runs.parquet'}: 1 ok\n"
    assert main(arguments) == 0
    assert len(pd.read_parquet(files / "out" / "runs.parquet")) == 2


@pytest.mark.slow
def test_it_stops_at_once_and_says_how_to_go_on(files):
    calls, out = files / "calls", files / "out"
    calls.mkdir()
    text = METHODS.replace("Good", "Hangs").replace(
        "model:", f"parameters: {{folder: '{calls}'}}, model:"
    )
    (files / "m.yaml").write_text(text)
    arguments = ["run", str(files / "m.yaml"), str(files / "p.yaml"), "--out", str(out)]
    process = start(arguments)
    for _ in range(6000):
        if any(calls.iterdir()):
            break
        time.sleep(0.02)
    worker = int(next(calls.iterdir()).name)
    os.kill(process.pid, signal.SIGINT)
    _, error = process.communicate(60)
    assert process.returncode == 130
    said = "srlib: interrupted; the same command goes on from what is finished"
    assert error.splitlines() == [said]
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
