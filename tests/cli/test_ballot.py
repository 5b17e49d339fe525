"""`srlib ballot make` and `read`: from the demo's runs to a trust table; faults one by one, and nothing unblinded."""

import json

import pandas as pd
import pytest

from srlib.cli.main import main
from tests import workers_cases
from tests.ballot.made_up import filled

pytestmark = pytest.mark.slow


def test_make_and_read(tmp_path, capsys):
    call = [
        "ballot",
        "make",
        "demo",
        "--problems",
        "diabetes",
        "--out",
        str(tmp_path),
        "--seed",
        "3",
    ]
    assert main(call) == 0
    key = json.loads((tmp_path / "key.json").read_text())["codes"]
    assert len(key) == len({entry["method"] for entry in key.values()})
    assert "is for the experts" in capsys.readouterr().out
    sheets = " ".join((tmp_path / "packet" / "sheets-diabetes.html").read_text().split())
    assert (
        "in which a - b is a + (-1)*b and has 5. The constants of a model are rounded to 3"
        in sheets
    )
    ballots = []
    for seed, expert in enumerate(("Ada", "Bob")):
        ballots.append(str(tmp_path / f"{expert}.csv"))
        filled(pd.read_csv(tmp_path / "packet" / "ballot.csv"), expert, seed).to_csv(
            ballots[-1], index=False
        )
    read = [
        "ballot",
        "read",
        *ballots,
        "--key",
        str(tmp_path / "key.json"),
        "--out",
        str(tmp_path / "trust.csv"),
    ]
    for rules in ("judging-2022", "competition-2022"):
        assert main([*read, "--rules", rules]) == 0
        said = capsys.readouterr().out
        assert all(entry["method"] in said for entry in key.values()) and "  1. " in said
    trust = pd.read_csv(tmp_path / "trust.csv")
    assert list(trust.columns)[:5] == ["expert", "method", "dataset", "rank", "trust"] and len(
        trust
    ) == 2 * len(key)


def test_faults_are_said_one_by_one_and_nothing_is_written(tmp_path, capsys):
    key = {f"D1S{i}": {"method": f"m{i}", "dataset": "d", "repetition": 1} for i in (1, 2)}
    (tmp_path / "key.json").write_text(json.dumps({"packet": "PPPPPP", "codes": key}))
    rows = [("PPPPPP", "E", "d", "D1S1", 1, 9), ("PPPPPP", "E", "d", "D1S2", 1, 2)]
    table = pd.DataFrame(rows, columns=["packet", "expert", "dataset", "code", "rank", "trust"])
    table.to_csv(tmp_path / "b.csv", index=False)
    out = tmp_path / "trust.csv"
    call = [
        "ballot",
        "read",
        str(tmp_path / "b.csv"),
        "--key",
        str(tmp_path / "key.json"),
        "--out",
        str(out),
    ]
    assert main(call) == 2
    said = capsys.readouterr().err.splitlines()
    assert (
        len(said) == 3 and said[-1] == "srlib: 2 faults; nothing was unblinded" and not out.exists()
    )
    assert "trust of D1S1 must be a whole number from 1 to 5, got 9" in said[0]
    assert "rank 1 is given to D1S1, D1S2" in said[1]
    assert not any("m1" in line for line in said)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            ["make", "nowhere.csv", "--problems", "diabetes", "--out", "o"],
            "nowhere.csv: no such file",
        ),
        (["make", "demo", "--problems", "synthetic-2022", "--out", "o"], "tracks real-world"),
        (
            ["read", "nowhere.csv", "--key", "nowhere.json", "--out", "o.csv"],
            "nowhere.json: cannot be read",
        ),
    ],
)
def test_wrong_input_is_one_sentence(call, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["ballot", *call]) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1


def test_ballots_that_meet_a_limit_are_one_sentence(capsys, monkeypatch):
    monkeypatch.setattr("srlib.ballot.read_ballots", workers_cases.computes_for_ever)
    words = ["ballot", "read", "b.csv", "--key", "key.json", "--out", "t.csv", "--timeout", "0.5"]
    assert main(words) == 2
    assert capsys.readouterr().err == "srlib: 1 ballots: stopped after 0.5 s\n"
