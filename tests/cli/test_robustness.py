"""`srlib robustness` as a user calls it."""

from pathlib import Path

import pandas as pd
import pytest

from srlib.judging import readings
from tests.cli.conftest import RUNS

WORDS = "--problems problems.yaml --out out --resamples 50"


@pytest.fixture(autouse=True)
def two_switches(competition, monkeypatch):
    few = {paths: readings.READINGS[paths] for paths in [("ties",), ("rank_start",)]}
    monkeypatch.setattr(readings, "READINGS", few)


def test_runs_of_several_tables_pass_the_gate_under_stated_names(call):
    """Two teams' files and one of a team that did not qualify, which counts from 1; one row cannot be used."""
    Path("more").mkdir()
    head = RUNS.splitlines()[0]
    Path("more/c.csv").write_text(f"{head}\nC,d,1,x1 + x2,1.0\nC,e,1,x1*x2,0.95\nC,e,two,x1,0.5\n")
    Path("verdicts.csv").write_text("method,qualified\nA,true\nB,false\nC,true\n")
    words = f"robustness runs.csv more {WORDS} --qualified verdicts.csv --names C=x1"
    code, output, _ = call(words)
    assert code == 0 and "7 runs read = 4 scored + 3 excluded" in output
    assert "Not qualified, so without a place: B." in output
    assert "C wins" in output and "all tied" not in output
    code, output, _ = call(words + " --names Nobody=x0")
    assert code == 0 and "has no method Nobody." in output
    for name in ("switchboard", "resampling", "leave_one_out", "significance"):
        assert len(pd.read_csv(f"out/{name}.csv")), name
