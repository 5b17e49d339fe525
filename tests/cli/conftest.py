"""Commands as a user types them, in a folder that holds a small competition."""

import shlex
from pathlib import Path

import pytest

from srlib.cli.main import main
from tests.cli.small import FILES


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
    for name, text in FILES.items():
        Path(name).write_text(text)
