"""`srlib judge` and `srlib assess` as a user calls them: what is written, said and kept."""

from pathlib import Path

import pandas as pd
import pytest

from tests.cli.conftest import RULES, RUNS

pytestmark = pytest.mark.usefixtures("competition")
SCORE = "--problems problems.yaml --rules rules.yaml --out out"


def test_scores_and_places_by_hand(call):
    """A solves both (a*b + 1 is a*b up to an offset); on e both have accuracy 0.9, A is simpler."""
    code, output, _ = call(f"judge runs.csv {SCORE} --explain A --dataset d")
    assert (code, pd.read_csv("out/ranking.csv")["method"].tolist()) == (0, ["A", "B"])
    aspects = pd.read_csv("out/aspects.csv").set_index(["dataset", "aspect", "method"]).sort_index()
    assert aspects["value"]["e", "property", "A"] == 1
    assert aspects["aspect_rank"]["e", "accuracy"].to_dict() == {"A": 2, "B": 2}
    # d: A ranks 2 1 2 -> 1.5; B (constant count 1, no solution) ranks 1 2 1 -> 3 / (1 + 1/2 + 1) = 1.2
    scores = pd.read_csv("out/datasets.csv").set_index(["dataset", "method"])["score"]
    assert scores["d"].to_dict() == pytest.approx({"A": 1.5, "B": 1.2})
    assert "4 runs read = 4 scored + 0 excluded" in output
    assert "dataset_score" in output


def test_several_rules_write_a_folder_each_and_a_table_side_by_side(call):
    Path("other.yaml").write_text(RULES.replace("name: judging-2022", "name: other"))
    assert call(f"judge runs.csv {SCORE} --rules other.yaml")[0] == 0
    assert len(list(Path("out").rglob("*.csv"))) == 9
    columns = ["method", "judging-2022 rank", "judging-2022 score", "other rank", "other score"]
    assert pd.read_csv("out/side-by-side.csv").columns.tolist() == columns
    assert call(f"judge runs.csv {SCORE}")[0] == 0  # removes the folders of several rules
    names = {"ranking.csv", "aspects.csv", "datasets.csv", "ledger.csv"}
    assert {path.name for path in Path("out").glob("[!.]*")} == names


def test_assessments_are_judged_like_their_runs(call):
    assert call("assess runs.csv --problems problems.yaml --out a.parquet")[0] == 0
    assert call(f"judge a.parquet {SCORE}")[0] == 0
    first = Path("out/aspects.csv").read_bytes()
    assert call(f"judge runs.csv {SCORE}")[0] == 0
    assert Path("out/aspects.csv").read_bytes() == first
    Path("rules.yaml").write_text(RULES.replace("decimals: 3", "decimals: 2"))
    line = (
        "4 runs are assessed again, as judging-2022 measures otherwise than the table's assessments"
    )
    assert call(f"judge a.parquet {SCORE}")[1].splitlines()[0] == line


def test_bad_rows_are_printed_and_in_the_ledger(call):
    bad = "C,d,1,a + foo(b),0.3\nC,e,1,a,NaN\nC,nowhere,1,a,0.4\n"
    Path("runs.csv").write_text(RUNS + bad)
    code, output, _ = call(f"judge runs.csv {SCORE}")
    assert code == 0 and "7 runs read = 4 scored + 3 excluded" in output
    assert "first: file runs.csv, row 5, method C, dataset d: " in output
    assert "no place: C, no usable run" in output
    ledger = pd.read_csv("out/ledger.csv").set_index("level").loc["run"].set_index("code")
    assert set(ledger.index) == {"unparsed", "nonfinite_r2", "unknown_dataset"}
    assert ledger.loc["unparsed", ["file", "row", "method"]].tolist() == ["runs.csv", 5, "C"]


def test_without_a_scored_run_there_is_no_ranking_and_the_exit_code_is_1(call):
    Path("bad.csv").write_text(f"{RUNS.splitlines()[0]}\nIndia,d,1,a +,1.0\nIndia,e,1,,0.9\n")
    code, output, _ = call(f"judge bad.csv {SCORE}")
    assert code == 1 and "1. India" not in output
    assert "No run could be scored, so there is no ranking. 2 runs read: " in output
    assert pd.read_csv("out/ranking.csv")["rank"].isna().all()
