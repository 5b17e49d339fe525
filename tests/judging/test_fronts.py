"""Several models a run: which one the rules judge, what the ledger says of the others, and who is told."""

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.judging import judge
from srlib.judging.findings import findings
from srlib.judging.robustness.switchboard import switchboard
from srlib.ledger import excluded
from tests.judging.small import problems, row, rules, runs

COMPETITION = """schema: 1
name: own
problems:
  - {dataset: sum, property: solution, features: [a, b], truth: a + b}
  - {dataset: product, property: solution, features: [a, b], truth: a*b}
"""


def competition(**models):
    """Rows of one dataset: by method, a list of runs, each a list of (R2, solution)."""
    table = [
        row(method, "formula", n, r2_test=r2, solution=found, candidate=place,
            parse_status="unparsed" if r2 is None else "ok",
            solution_kind="identical" if found else "different")
        for method, fronts in models.items()
        for n, front in enumerate(fronts)
        for place, (r2, found) in enumerate(front, start=1)
    ]  # fmt: skip
    frame = runs({("A", "formula"): {}}, 1)
    return pd.DataFrame(table).astype({**frame.dtypes.to_dict(), "candidate": "Int64"})


TABLE = {
    "A": [[(0.9, False), (1.0, True)], [(0.9, False), (0.8, True), (0.95, False)]],
    "B": [[(0.85, False)], [(None, False), (1.0, True)]],
}


@pytest.mark.parametrize(
    ("candidate", "scored", "accuracy", "found"),
    [
        ("chosen", 3, {"A": 0.9, "B": 0.425}, {"A": 0.0, "B": 0.0}),
        ("best_on_test", 4, {"A": 0.975, "B": 0.925}, {"A": 0.5, "B": 0.5}),
        ("any", 4, {"A": 0.9, "B": 0.925}, {"A": 1.0, "B": 0.5}),
    ],
)
def test_one_model_of_each_run_is_judged_and_each_other_has_its_line(
    candidate, scored, accuracy, found
):
    table = competition(**TABLE)
    told = judge(table, problems(), rules("judging-2022", repetitions=2, candidate=candidate))
    assert told.counts == {"read": 8, "scored": scored, "excluded": 8 - scored}
    values = told.aspects.pivot_table("value", "method", "aspect")
    assert values["accuracy"].to_dict() == pytest.approx(accuracy)
    assert values["property"].to_dict() == found
    others = told.ledger[told.ledger["code"] == "other_candidate"]
    assert len(others) == 4
    assert others["detail"].str.contains(f"is judged (candidate: {candidate})", regex=False).all()
    assert len(excluded(told.ledger)) == 8 - scored
    assert len(told.assessments) == 4 and len(told.given) == 8
    assert told.notices[0].startswith("8 models of 4 runs were read. Of a run with several models")
    assert any(text.startswith("B: 3 models read") for text in findings(told).values())


def test_the_switch_is_a_reading_and_gives_what_rules_with_that_value_give():
    table = competition(**TABLE)
    told = judge(table, problems(), rules("judging-2022", repetitions=2))
    board = switchboard(told).table
    again = board[board["candidate"] == "any"].iloc[0]
    other = judge(table, problems(), rules("judging-2022", repetitions=2, candidate="any"))
    for place in other.ranking.itertuples():
        assert again[f"score of {place.method}"] == pytest.approx(place.score)


def test_it_is_no_reading_where_runs_have_one_model():
    table = competition(A=[[(0.9, False)], [(0.7, True)]], B=[[(0.8, False)], [(0.6, False)]])
    told = judge(table, problems(), rules("judging-2022", repetitions=2))
    assert not any(notice.startswith("4 models") for notice in told.notices)
    board = switchboard(told)
    assert "candidate" not in {*board.choices, *board.idle}
    plain = judge(table.drop(columns="candidate"), problems(), told.rules)
    pd.testing.assert_frame_equal(plain.aspects, told.aspects)
    pd.testing.assert_frame_equal(plain.ledger, told.ledger)


def test_from_the_command_line(tmp_path, capsys):
    (tmp_path / "p.yaml").write_text(COMPETITION)
    rows = [
        ("A", "sum", 1, "a", 0.5), ("A", "sum", 2, "b + a", 1.0), ("A", "product", 1, "a*b", 1.0),
        ("B", "sum", 1, "a +", 0.9), ("B", "sum", 2, "a + b", 1.0), ("B", "product", 1, "a", 0.4),
    ]  # fmt: skip
    names = ["method", "dataset", "candidate", "model", "r2_test"]
    table = pd.DataFrame(rows, columns=names).assign(repetition=1)
    table.to_csv(tmp_path / "runs.csv", index=False)
    words = [str(tmp_path / "runs.csv"), "--problems", str(tmp_path / "p.yaml")]
    assert main(["check", *words]) == 1
    assert "6 rows of 4 runs, 5 texts read" in capsys.readouterr().out
    assert main(["assess", *words, "--jobs", "1", "--out", str(tmp_path / "a.parquet")]) == 0
    capsys.readouterr()
    words[0] = str(tmp_path / "a.parquet")
    assert main(["score", *words, "--out", str(tmp_path / "scores")]) == 0
    assert "6 models read = 3 scored + 3 excluded" in capsys.readouterr().out
    found = {}
    for metric in ("solution", "front_solution", "front_regret_r2", "front_size"):
        out = tmp_path / f"{metric}.csv"
        assert main(["compare", *words, "--metric", metric, "--out", str(out)]) == 0
        assert "6 models read = 3 scored + 3 excluded" in capsys.readouterr().out
        found[metric] = pd.read_csv(out)[["median_a", "median_b"]].iloc[0].tolist()
    # A has both solutions in hand, and chose one of them; where B's chosen model is none, it failed
    assert found["solution"] == [0.5, 0.0]
    assert found["front_solution"] == [1.0, 0.0]
