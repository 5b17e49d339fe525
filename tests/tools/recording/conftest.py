"""Recording on the smallest problem, or on data of one's own, in a folder of one's own."""

import time
from collections import namedtuple
from pathlib import Path

import pytest

from srlib.tools.recording import record
from tests.builders import recorded_problem

Recorded = namedtuple("Recorded", "runs lines made")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Record methods; give the table, what was said, and how many runs were made now."""
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(recorded_problem([11, 12, 13]))

    def call(*methods, problems="tiny.yaml", out="out", **options):
        lines, started = [], time.time_ns()
        methods = methods[0] if isinstance(methods[0], str) else methods
        options = {"jobs": 1, "say": lines.append} | options
        runs = record(methods, problems, out, **options)
        files = Path(out, "runs").iterdir()
        return Recorded(runs, lines, sum(path.stat().st_mtime_ns > started for path in files))

    return call
