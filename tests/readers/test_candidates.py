"""Several models a run in a table: the one that counts, what is said of the others, and rows that do not tell it."""

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.readers import read_runs

COMPETITION = """schema: 1
name: own
problems:
  - {dataset: sum, property: solution, features: [a, b], truth: a + b}
"""


def front(candidates, chosen=None, **more):
    table = pd.DataFrame({"method": "A", "dataset": "d", "repetition": 1, "candidate": candidates,
                          "model": [f"x + {i}" for i in range(len(candidates))]})  # fmt: skip
    if chosen is not None:
        table["chosen"] = chosen
    return table.assign(**more)


@pytest.mark.parametrize(
    ("candidates", "chosen", "row"),
    [
        ([2, 1, 3], None, 2),
        ([2, 1, 3], ["", None, "True"], 3),
        ([4, 3, 5], None, 2),
        ([2, None, 3], None, 2),
        ([1, 2, 3], ["", "x", ""], 1),
    ],
)
def test_the_marked_model_counts_or_else_the_first(candidates, chosen, row):
    table = pd.concat([front(candidates, chosen), front([1]).assign(repetition=2)])
    frame = read_runs(table).frame
    assert frame["row"].tolist() == [row, 4]
    assert frame["model"].tolist() == [f"x + {row - 1}", "x + 0"]
    assert frame["status"].tolist() == ["ok", "ok"]
    assert frame["reason"][0] == "left out: other models of the run: 2"
    assert pd.isna(frame["reason"][1])


@pytest.mark.parametrize(
    ("candidates", "chosen"), [([1, 1, 2], None), ([1, 2, 3], [True, True, False])]
)
def test_where_two_could_count_none_does(candidates, chosen):
    frame = read_runs(front(candidates, chosen)).frame
    assert (frame["status"] == "invalid").all() and frame["model"].isna().all()
    assert frame["reason"].str.contains("in row 1 and row 2|in row 2 and row 1").all()


def test_a_number_that_cannot_be_read_costs_its_own_row_alone():
    frame = read_runs(front([1, 2, "two"])).frame
    assert frame["status"].tolist() == ["ok", "invalid"]
    assert frame["reason"][1] == "candidate must be a number, got 'two'"
    assert frame["row"].tolist() == [1, 3]


def test_what_cannot_be_read_of_the_model_that_counts_is_said_too():
    frame = read_runs(front([1, 2], seed=["?", 2])).frame
    assert frame["reason"].tolist() == [
        "left out: seed must be a number, got '?'; other models of the run: 1"
    ]


def test_from_the_command_line_each_run_is_scored_or_excluded(tmp_path, capsys):
    (tmp_path / "p.yaml").write_text(COMPETITION)
    rows = [
        ("A", 1, "a", 0.5),
        ("A", 2, "b + a", 1.0),
        ("B", 1, "a +", 0.9),
        ("B", 2, "a + b", 1.0),
    ]
    table = pd.DataFrame(rows, columns=["method", "candidate", "model", "r2_test"])
    table.assign(dataset="sum", repetition=1).to_csv(tmp_path / "runs.csv", index=False)
    words = ["score", str(tmp_path / "runs.csv"), "--problems", str(tmp_path / "p.yaml")]
    assert main([*words, "--out", str(tmp_path / "scores")]) == 0
    assert "2 runs read = 1 scored + 1 excluded" in capsys.readouterr().out
    ledger = pd.read_csv(tmp_path / "scores" / "ledger.csv")
    noted = ledger[ledger["code"] == "other_models"]
    assert noted[["method", "action", "row"]].to_numpy().tolist() == [
        ["A", "noted", 1],
        ["B", "noted", 3],
    ]
    assert (noted["detail"] == "left out: other models of the run: 1").all()
