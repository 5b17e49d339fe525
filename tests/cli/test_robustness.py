"""`srlib robustness` as a user calls it."""

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.judging.robustness import readings

PROBLEMS = """
schema: 1
name: small
problems:
  - {dataset: d, property: solution, features: [a, b], truth: a + b}
  - {dataset: e, property: solution, features: [a, b], truth: a*b}
"""
RUNS = "method,dataset,repetition,model,r2_test\nA,d,1,a + b,1.0\nA,e,1,a*b,0.9\nB,d,1,a,0.5\nB,e,1,a + b*b,0.9\n"


@pytest.fixture(name="folder")
def folder_fixture(tmp_path, monkeypatch):
    (tmp_path / "problems.yaml").write_text(PROBLEMS, encoding="utf-8")
    (tmp_path / "runs.csv").write_text(RUNS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        readings,
        "READINGS",
        {paths: readings.READINGS[paths] for paths in [("ties",), ("rank_start",)]},
    )
    return tmp_path


def robustness(*more: str, runs: str = "runs.csv") -> int:
    return main(
        [
            "robustness",
            runs,
            "--problems",
            "problems.yaml",
            "--out",
            "out",
            "--resamples",
            "50",
            *more,
        ]
    )


def test_several_tables_the_gate_and_names(folder, capsys):
    """Two teams' files and one of a team that did not qualify, which counts from 1; one row cannot be used."""
    head = RUNS.splitlines()[0]
    (folder / "a.csv").write_text(RUNS)
    (folder / "more").mkdir()
    (folder / "more" / "c.csv").write_text(
        f"{head}\nC,d,1,x1 + x2,1.0\nC,e,1,x1*x2,0.95\nC,e,two,x1,0.5\n"
    )
    (folder / "verdicts.csv").write_text("method,qualified\nA,true\nB,false\nC,true\n")
    words = ["--qualified", "verdicts.csv", "--names", "C=x1"]

    def call(*more):
        given = [
            "a.csv",
            "more",
            "--problems",
            "problems.yaml",
            "--out",
            "out",
            "--resamples",
            "50",
        ]
        return main(["robustness", *given, *words, *more])

    assert call() == 0
    said = capsys.readouterr().out
    assert "7 runs read = 4 scored + 3 excluded" in said
    assert "Not qualified, so without a place: B." in said
    assert "C wins" in said and "all tied" not in said
    assert call("--names", "Nobody=x0") == 0
    assert "has no method Nobody." in capsys.readouterr().out
    assert call("--names", "C=x2") == 2
    assert "METHOD=features or x0 or x1 was expected, got {'C': 'x2'}" in capsys.readouterr().err


def test_tables_and_sentences(folder, capsys):
    assert robustness() == 0
    said = capsys.readouterr().out
    assert "judging-2022: 4 runs read = 4 scored + 0 excluded" in said
    assert (
        "A wins in 100% of 50 re-draws of these datasets and their runs; 2 datasets are too few"
        in said
    )
    assert "A wins under all " in said
    tables = {
        path.stem: pd.read_csv(path, keep_default_na=False)
        for path in (folder / "out").glob("*.csv")
    }
    for name in ("switchboard", "resampling", "leave_one_out", "significance"):
        assert len(tables[name]), name
    assert (tables["switchboard"]["winner"] == "A").all()


def test_the_same_seed_writes_the_same_bytes(folder):
    assert robustness("--seed", "3") == 0
    first = {path.name: path.read_bytes() for path in (folder / "out").glob("*.csv")}
    assert robustness("--seed", "3") == 0
    assert {path.name: path.read_bytes() for path in (folder / "out").glob("*.csv")} == first


def test_wrong_input_is_one_sentence(folder, capsys):
    assert robustness(runs="nothing.csv") == 2
    said = capsys.readouterr().err
    assert said.startswith("srlib: nothing.csv: no such file") and said.count("\n") == 1
    assert not (folder / "out").exists()
