"""`srlib judge` and `srlib assess` as a user calls them: what is written, said and kept."""

from pathlib import Path

import pandas as pd
import pytest

from tests.builders import RULES_OF_ONE, RUNS_OF_TWO

pytestmark = pytest.mark.usefixtures("competition", "few_readings")
JUDGE = "judge runs.csv --problems problems.yaml --rules rules.yaml --out out"


def test_explanation_has_scores_by_hand_and_bad_rows_stand_in_the_ledger(call):
    """d: A has points 2 1 2, so 1.5; B (constant count 1, no solution) has 1 2 1, so 3 / (1 + 1/2 + 1)."""
    bad = "C,d,1,a + foo(b),0.3\nC,e,1,a,NaN\nC,nowhere,1,a,0.4\n"
    Path("runs.csv").write_text(RUNS_OF_TWO + bad)
    code, output, _ = call(f"{JUDGE} --explain A --dataset d")
    scores = pd.read_csv("out/datasets.csv").set_index(["dataset", "method"])["score"]
    assert [scores["d", "A"], scores["d", "B"]] == pytest.approx([1.5, 1.2])
    assert code == 0 and "dataset_score" in output
    assert "7 runs read = 4 scored + 3 excluded" in output
    assert "first: file runs.csv, row 5, method C, dataset d: " in output
    assert "no place: C, no usable run" in output
    ledger = pd.read_csv("out/ledger.csv").set_index("level").loc["run"].set_index("code")
    assert set(ledger.index) == {"unparsed", "nonfinite_r2", "unknown_dataset"}
    assert ledger.loc["unparsed", ["file", "row", "method"]].tolist() == ["runs.csv", 5, "C"]


def test_several_rules_write_a_folder_each_and_a_table_side_by_side(call):
    Path("other.yaml").write_text(RULES_OF_ONE.replace("name: judging-2022", "name: other"))
    assert call(f"{JUDGE} --rules other.yaml")[0] == 0
    assert len(list(Path("out").rglob("*.csv"))) == 9
    assert call(JUDGE)[0] == 0  # removes the folders of several rules
    names = {"ranking.csv", "aspects.csv", "datasets.csv", "ledger.csv"}
    assert {path.name for path in Path("out").glob("[!.]*")} == names


def test_assessments_are_judged_like_their_runs(call):
    assert call("assess runs.csv --problems problems.yaml --out a.parquet")[0] == 0
    tables = []
    for runs in ("runs.csv", "a.parquet"):
        assert call(JUDGE.replace("runs.csv", runs))[0] == 0
        tables.append(Path("out/aspects.csv").read_bytes())
    assert tables[0] == tables[1]
    rules = RULES_OF_ONE.replace("  complexity:", "  decimals: 2\n  complexity:", 1)
    Path("rules.yaml").write_text(rules)
    announced = "4 of 4 stored assessments do not fit"
    assert call(JUDGE.replace("runs.csv", "a.parquet"))[1].startswith(announced)


def test_competition_without_a_scored_run_has_no_ranking_and_exit_code_1(call):
    Path("runs.csv").write_text(
        f"{RUNS_OF_TWO.splitlines()[0]}\nIndia,d,1,a +,1.0\nIndia,e,1,,0.9\n"
    )
    code, output, _ = call(JUDGE)
    assert code == 1 and "1. India" not in output
    assert "No run could be scored, so there is no ranking. 2 runs read: " in output
    assert pd.read_csv("out/ranking.csv")["rank"].isna().all()
