"""Progress in the log of a command, and silence elsewhere."""

import subprocess
import sys

from srlib.progress import progress

PROGRAM = "import srlib.cli.main as m; m.LOG_INTERVAL_S = 0; m.main()"


def test_command_whose_stderr_is_no_terminal_writes_a_line_each_interval(tmp_path):
    (tmp_path / "runs.csv").write_text("method,dataset,repetition,model\nA,d,1,x\nA,d,2,x\n")
    command = [sys.executable, "-c", PROGRAM, "check", tmp_path / "runs.csv"]
    output = subprocess.run(command, capture_output=True, text=True)
    lines = ["rows checked: 1 of 2, about 1 min left", "rows checked: 2 of 2"]
    assert output.stderr.splitlines() == lines


def test_line_says_how_many_were_stopped_at_a_limit_and_a_notebook_gets_none(monkeypatch, capsys):
    numbers = range(1, 1201)
    assert [*progress(numbers, 1200, "models")] == [*numbers] and capsys.readouterr().err == ""
    clock = iter(range(0, 10**6, 30))
    monkeypatch.setattr("srlib.progress.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("srlib.progress.log_interval_s", 3600)
    assert [*progress(numbers, 1200, "models", is_stopped=lambda n: n % 200 == 0)] == [*numbers]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10  # 1,200 models of half a minute each: a line an hour
    assert lines[4] == "models: 600 of 1,200, 3 stopped at a limit, about 300 min left"
    assert lines[9] == "models: 1,200 of 1,200, 6 stopped at a limit"
