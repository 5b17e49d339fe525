"""Commands as a user types them, in a folder that holds a small competition: two datasets, two methods of one run."""

import shlex
from pathlib import Path

import pytest

from srlib.cli.main import main
from srlib.files import PARAMETERS

# the criteria, of one repetition
RULES = (PARAMETERS / "rules" / "judging-2022.yaml").read_text(encoding="utf-8")
RULES = RULES.replace("repetitions: 10", "repetitions: 1")
PROBLEMS = """
schema: 1
name: small
problems:
  - {dataset: d, property: solution, features: [a, b], truth: a + b}
  - {dataset: e, property: solution, features: [a, b], truth: a*b}
"""
RUNS = """method,dataset,repetition,model,r2_test
A,d,1,a + b,1.0
A,e,1,a*b + 1,0.9
B,d,1,a,0.5
B,e,1,a + b*b,0.9
"""


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
    for name, text in {"problems.yaml": PROBLEMS, "rules.yaml": RULES, "runs.csv": RUNS}.items():
        Path(name).write_text(text)
