"""`srlib audit`: exit codes, the table, and one sentence for bad input."""

from pathlib import Path

import pandas as pd
import pytest

from srlib.cli.main import main

FAULTS = Path(__file__).parent.parent / "audit" / "faults"
GOOD = (FAULTS / "features.yaml").read_text().replace("[x1, x2, x3]", "[x1, x2]")


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(text, *more):
        Path("p.yaml").write_text(text)
        code = main(["audit", "p.yaml", *more])
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return run


def test_a_clean_file_is_exit_0_and_all_findings_are_written(said):
    code, out, err = said(GOOD, "--out", "found.csv")
    assert (code, out, err) == (0, "7 checks of 1 datasets: 7 pass, 0 warn, 0 fail\n", "")
    found = pd.read_csv("found.csv")
    assert list(found.columns) == ["dataset", "check", "verdict", "value", "detail"]
    assert found["check"].tolist() == [
        *("columns", "duplicates", "features", "leakage", "noise", "target", "truth")
    ]


def test_a_failed_check_is_exit_1_and_is_said(said):
    code, out, _ = said((FAULTS / "features.yaml").read_text())
    assert code == 1
    assert out.splitlines()[0].startswith(
        "fail  planted  features: seed 1: stated, not in the truth: x3"
    )


def test_without_data_nothing_is_certain(said):
    code, out, _ = said(
        "schema: 1\nname: n\nproblems: [{dataset: d, features: [a], truth: a, property: solution}]\n"
    )
    assert code == 0
    assert "warn  d  data: no data are stated" in out


def test_a_missing_file_is_named(said):
    code, _, err = said(
        "schema: 1\nname: n\nproblems:\n  - {dataset: d, features: [a], data: {test: t.csv}}\n"
    )
    assert (code, err) == (2, "srlib: dataset d, key 'data.test': t.csv does not exist\n")
