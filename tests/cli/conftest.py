"""Commands as a user types them, in a folder that holds a small competition: two datasets, two methods of one run."""

import shlex
from pathlib import Path

import pytest

from srlib.cli.main import main
from srlib.judging import readings
from tests.builders import PROBLEMS_OF_TWO, RULES_OF_ONE, RUNS_OF_TWO


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run `srlib LINE` in an empty folder; give its exit code, its output and its errors."""
    monkeypatch.chdir(tmp_path)

    def run(line):
        code = main(shlex.split(line))
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return run


@pytest.fixture
def competition(call):
    """Put runs.csv, problems.yaml and rules.yaml, which expects one repetition, where `call` runs."""
    Path("problems.yaml").write_text(PROBLEMS_OF_TWO)
    Path("rules.yaml").write_text(RULES_OF_ONE)
    Path("runs.csv").write_text(RUNS_OF_TWO)


@pytest.fixture
def few_readings(monkeypatch):
    few = {paths: readings.READINGS[paths] for paths in [("ties",), ("rank_start",)]}
    monkeypatch.setattr(readings, "READINGS", few)
