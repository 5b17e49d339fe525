"""The qualification stage on tables that can be redone by hand."""

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.judging import qualification
from srlib.judging.qualification import qualify, qualify_runs
from srlib.ledger import conserve
from srlib.problems import load_problems
from srlib.rules import load_rules

RULES = load_rules("judging-2022")
PROBLEMS = """
schema: 1
name: small
defaults: {track: qualification, features: [x]}
problems: [{dataset: a}, {dataset: b}, {dataset: c}, {dataset: other, track: synthetic}]
"""
# median R2 by dataset a, b, c
GOOD, BASE, BAD = (0.9, 0.8, 0.1), (0.5, 0.5, 0.5), (0.4, 0.4, 0.4)


@pytest.fixture(name="problems")
def problems_fixture(tmp_path):
    (tmp_path / "p.yaml").write_text(PROBLEMS)
    return load_problems(tmp_path / "p.yaml")


def table(repetitions=3, **methods):
    return pd.DataFrame(
        [
            {
                "method": method,
                "dataset": dataset,
                "repetition": r,
                "model": None,
                "status": "ok",
                "r2_test": value,
            }
            for method, values in methods.items()
            for dataset, value in zip("abc", values, strict=True)
            for r in range(1, repetitions + 1)
        ]
    )


def rules(**switches):
    chosen = {key: switches.pop(key) for key in ("per_dataset", "across") if key in switches}
    chosen = RULES.judge.qualification.model_copy(update=chosen)
    return RULES.model_copy(
        update={"judge": RULES.judge.model_copy(update={"qualification": chosen, **switches})}
    )


def verdict(result, method):
    return result.verdicts.set_index("method").loc[method]


def test_the_three_readings_by_hand(problems):
    result = qualify(table(good=GOOD, LinearRegression=BASE, bad=BAD), problems, RULES)
    assert result.verdicts["method"].tolist() == ["good", "bad"]
    scores = result.ranking.sort_values("rank")["score"].tolist()
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1]
    good, bad = verdict(result, "good"), verdict(result, "bad")
    # ranks on a, b, c: good 3 3 1, LinearRegression 2 2 3, bad 1 1 2
    assert good["mean_rank"] == pytest.approx(0)
    assert good["median_r2"] == pytest.approx(0.3)
    assert good["wins"] == 1
    assert (good["better"], good["equal"], good["worse"]) == (2, 0, 1)
    assert bad[["mean_rank", "median_r2", "wins"]].tolist() == pytest.approx([-1, -0.1, -3])
    assert not good["qualified"]  # equal is not better
    assert result.disputed == ["good"]
    assert result.ranking["method"].tolist() == ["LinearRegression", "good", "bad"]


@pytest.mark.parametrize(
    ("across", "passes"), [("mean_rank", False), ("median_r2", True), ("wins", True)]
)
def test_the_rules_choose_the_reading(problems, across, passes):
    result = qualify(
        table(good=GOOD, LinearRegression=BASE, bad=BAD), problems, rules(across=across)
    )
    assert verdict(result, "good")["qualified"] == passes
    assert verdict(result, "good")["margin"] == verdict(result, "good")[across]


def test_repetitions_become_their_median_or_mean(problems):
    runs = table(good=GOOD, LinearRegression=BASE)
    runs.loc[(runs["method"] == "good") & (runs["repetition"] == 1), "r2_test"] = -9.0
    cell = (runs["method"] == "good") & (runs["dataset"] == "a")
    for rule, expected in (("median", 0.9), ("mean", runs.loc[cell, "r2_test"].mean())):
        cells = qualify(runs, problems, rules(per_dataset=rule)).cells.set_index(
            ["method", "dataset"]
        )
        assert cells.loc[("good", "a"), "median_r2"] == pytest.approx(expected)


def test_the_baseline_itself_is_not_better_than_itself(problems):
    result = qualify(table(same=BASE, LinearRegression=BASE), problems, RULES)
    assert verdict(result, "same")["equal"] == 3
    assert not verdict(result, "same")["qualified"]
    assert result.disputed == []


@pytest.mark.parametrize("status", ["failed", "timeout", "memory", "crashed"])
def test_failed_runs_never_help_and_stand_in_the_ledger(problems, status):
    runs = table(good=(0.9, 0.9, 0.9), LinearRegression=BASE)
    whole = qualify(runs, problems, RULES)
    gone = (runs["method"] == "good") & (runs["dataset"] == "a") & (runs["repetition"] > 1)
    runs.loc[gone, ["status", "r2_test"]] = [status, np.nan]
    result = qualify(runs, problems, RULES)
    cell = result.cells.set_index(["method", "dataset"]).loc[("good", "a")]
    assert (cell["median_r2"], cell["better"], cell["n_runs"], cell["expected"]) == (
        0.0,
        False,
        1,
        3,
    )
    assert verdict(result, "good")["margin"] < verdict(whole, "good")["margin"]
    assert verdict(result, "good")[["runs", "failed"]].tolist() == [7, 2]
    assert result.counts == {"read": 18, "scored": 16, "excluded": 2}
    assert (result.ledger["action"] == "excluded").sum() == 2
    assert "2 of" not in str(
        result.ledger.loc[result.ledger["code"] == "missing_runs", "detail"].iloc[0]
    )


def test_a_dataset_without_any_run_is_lost_or_left_out(problems):
    runs = table(good=(0.9, 0.9, 0.9), LinearRegression=BASE)
    runs = runs[(runs["method"] != "good") | (runs["dataset"] != "a")]
    first = qualify(runs, problems, RULES)
    lost = verdict(first, "good")
    assert lost[["better", "worse", "wins"]].tolist() == [2, 1, 1]
    second = qualify(runs, problems, rules(missing="drop"))
    dropped = verdict(second, "good")
    assert dropped[["better", "worse", "wins"]].tolist() == [2, 0, 2]
    for result, said in ((first, "the dataset is lost"), (second, "the dataset is left out")):
        details = result.ledger.loc[result.ledger["code"] == "missing_runs", "detail"]
        assert details.tolist() == [f"0 of 3 runs are usable; {said}"]


def test_r2_is_computed_where_the_data_are_at_hand(tmp_path):
    """The liar reports 0.99999 for a constant; the honest one reports nothing for the truth, a*b."""
    recipe = "{generator: formula, arguments: {features: {a: [uniform, 1, 3], b: [uniform, 1, 3]}}}"
    (tmp_path / "p.yaml").write_text(
        "schema: 1\nname: own\ndefaults: {track: qualification, truth: a*b, data_seeds: [1, 2, 3]}\n"
        f"problems: [{{dataset: a, data: {recipe}}}, {{dataset: b, data: {recipe}}}]\n"
    )
    texts = {"LinearRegression": "2*a + 2*b - 4", "liar": "7", "honest": "a*b"}
    reported = {"LinearRegression": 0.9, "liar": 0.99999, "honest": None}
    runs = [
        {"method": m, "dataset": d, "repetition": n, "model": text, "r2_test": reported[m]}
        for m, text in texts.items()
        for d in "ab"
        for n in (1, 2, 3)
    ]
    pd.DataFrame(runs).to_csv(tmp_path / "runs.csv", index=False)
    result = qualify_runs(tmp_path / "runs.csv", tmp_path / "p.yaml", "judging-2022")
    assert result.verdicts.set_index("method")["qualified"].to_dict() == {
        "honest": True,
        "liar": False,
    }
    assert verdict(result, "honest")["median_r2_over_datasets"] == 1
    assert set(result.assessments["r2_source"]) == {"recomputed"}


def test_the_demo_is_accounted_for():
    result = qualify_runs("demo", "qualification-2022", "judging-2022")
    assert result.cells["dataset"].nunique() == 20
    assert conserve(len(result.assessments), len(result.runs), result.ledger) == result.counts


def test_its_tables_are_written_all_or_none(problems, tmp_path, monkeypatch):
    """The third one does not fit on the disk: the two of the call before stay, and so do other files."""
    first = qualify(table(good=GOOD, LinearRegression=BASE), problems, RULES)
    folder = tmp_path / "out"
    first.write(folder)
    (folder / "runs.parquet").touch()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(before) == {"qualification.csv", "verdicts.csv", "ledger.csv", "runs.parquet"}
    assert b"good,a,0.9,0.5,True,2,1,3,3" in before["qualification.csv"]  # ranks are whole

    def write_frame(frame, path):
        if path.name == "ledger.csv":
            raise InputError("no space left")
        frame.to_csv(path)

    monkeypatch.setattr(qualification, "write_frame", write_frame)
    with pytest.raises(InputError, match="no space left"):
        qualify(table(bad=BAD, LinearRegression=BASE), problems, RULES).write(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
