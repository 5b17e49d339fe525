"""The qualification stage on tables that can be redone by hand."""

import numpy as np
import pytest

from srlib.competition import Competition
from srlib.displays.tables.first_screen import qualification_sentence
from srlib.judging.qualification import qualify
from tests.judging.small import problems, rules, runs

STAGE = """
defaults: {track: qualification, features: [x]}
problems: [{dataset: a}, {dataset: b}, {dataset: c}, {dataset: other, track: synthetic}]
"""
# median R2 by dataset a, b, c
GOOD, BASE, BAD = (0.9, 0.8, 0.1), (0.5, 0.5, 0.5), (0.4, 0.4, 0.4)
BEST = (0.9, 0.9, 0.9)


def table(**methods):
    """Three runs a dataset, with the same R2."""
    methods |= {"LinearRegression": BASE}
    cells = {
        (m, d): {"r2_test": r2} for m in methods for d, r2 in zip("abc", methods[m], strict=True)
    }
    return runs(cells, 3)


def qualified(frame, **switches):
    """Qualify by these switches of the rules; the result has the verdicts by method."""
    result = qualify(frame, problems(STAGE), rules(**switches))
    return result, result.verdicts.set_index("method")


def test_the_three_readings_by_hand():
    """Ranks on a, b, c: good 3 3 1, LinearRegression 2 2 3, bad 1 1 2. Equal to the baseline is not better."""
    result, verdicts = qualified(table(good=GOOD, bad=BAD))
    columns = ["mean_rank", "median_r2", "wins", "better", "equal", "worse", "qualified"]
    assert verdicts.index.tolist() == ["good", "bad"]
    assert verdicts.loc["good", columns].tolist() == pytest.approx([0, 0.3, 1, 2, 0, 1, False])
    assert verdicts.loc["bad", columns].tolist() == pytest.approx([-1, -0.1, -3, 0, 0, 3, False])
    assert result.disputed == ["good"]
    assert result.ranking["method"].tolist() == ["LinearRegression", "good", "bad"]
    assert result.ranking["score"].tolist() == pytest.approx([0, 0, -1])
    assert result.cells[["rank", "rank_difference"]].dtypes.astype(str).tolist() == ["Int64"] * 2
    same, verdicts = qualified(table(same=BASE))
    assert verdicts.loc["same", columns].tolist() == [0, 0, 0, 0, 3, 0, False]
    assert same.disputed == []


@pytest.mark.parametrize("across", ["mean_rank", "median_r2", "wins"])
def test_a_margin_has_the_range_of_its_re_draws_of_sources(across):
    """The rules choose the margin. Sources: a and b are one, c another; a draw has both, or one of them twice."""
    two_sources = STAGE.replace(
        "{dataset: a}, {dataset: b}", "{dataset: a, family: f}, {dataset: b, family: f}"
    )
    chosen = rules(qualification={"across": across})
    result = qualify(table(good=GOOD, bad=BAD), problems(two_sources), chosen)
    first, second = {"mean_rank": (1, -2), "median_r2": (0.35, -0.4), "wins": (4, -2)}[across]
    good, bad = (result.verdicts.set_index("method").loc[name] for name in ("good", "bad"))
    assert good[["margin_low", "margin_high"]].tolist() == pytest.approx([second, first])
    assert (good["qualified"], good["margin"]) == (across != "mean_rank", good[across])
    assert bad["margin_high"] < 0 and result.unsure == ["good"]
    assert "the verdict changes for good" in qualification_sentence(result)
    one_source = two_sources.replace("{dataset: c}", "{dataset: c, family: f}")
    alone = qualify(table(good=GOOD), problems(one_source), chosen)
    assert alone.verdicts["margin_low"].isna().all() and alone.unsure == []


@pytest.mark.parametrize(("per_dataset", "expected"), [("median", 0.9), ("mean", -7.2 / 3)])
def test_repetitions_become_their_median_or_mean(per_dataset, expected):
    frame = table(good=GOOD)
    frame.loc[0, "r2_test"] = -9.0
    result, _ = qualified(frame, qualification={"per_dataset": per_dataset})
    cells = result.cells.set_index(["method", "dataset"])
    assert cells.loc[("good", "a"), "median_r2"] == pytest.approx(expected)


@pytest.mark.parametrize("status", ["failed", "timeout", "memory", "crashed"])
def test_failed_runs_never_help_and_stand_in_the_ledger(status):
    frame = table(good=BEST)
    _, before = qualified(frame)
    frame.loc[1:2, ["status", "r2_test"]] = [status, np.nan]
    result, after = qualified(frame)
    cell = result.cells.set_index(["method", "dataset"]).loc[("good", "a")]
    assert cell[["median_r2", "better", "n_runs", "expected"]].tolist() == [0, False, 1, 3]
    assert after.loc["good", "margin"] < before.loc["good", "margin"]
    assert after.loc["good", ["runs", "failed"]].tolist() == [7, 2]
    assert result.counts == {"read": 18, "scored": 16, "excluded": 2}
    assert (result.ledger["action"] == "excluded").sum() == 2


@pytest.mark.parametrize(
    ("missing", "counts", "consequence"),
    [("worst_rank", [2, 1, 1], "lost"), ("drop", [2, 0, 2], "left out")],
)
def test_a_dataset_without_any_run_is_lost_or_left_out(missing, counts, consequence):
    result, verdicts = qualified(table(good=BEST)[3:], missing=missing)
    assert verdicts.loc["good", ["better", "worse", "wins"]].tolist() == counts
    detail = f"0 of 3 runs are usable; the dataset is {consequence}"
    assert result.ledger["detail"].tolist() == [detail]


def test_r2_is_computed_where_the_data_are_at_hand(tmp_path):
    """The liar reports 0.99999 for a constant; the honest one reports nothing for the truth, a*b."""
    sent, known = tmp_path / "runs.csv", tmp_path / "problems.yaml"
    known.write_text("""
schema: 1
name: own
defaults:
  track: qualification
  truth: a*b
  data_seeds: [1, 2, 3]
  data: {generator: formula, arguments: {features: {a: [uniform, 1, 3], b: [uniform, 1, 3]}}}
problems: [{dataset: a}, {dataset: b}]
""")
    models = {
        "LinearRegression": ("2*a + 2*b - 4", 0.9),
        "liar": ("7", 0.99999),
        "honest": ("a*b", None),
    }
    cells = {
        (method, dataset): {"repetition": [1, 2, 3], "model": text, "r2_test": r2}
        for method, (text, r2) in models.items()
        for dataset in "ab"
    }
    columns = ["method", "dataset", "repetition", "model", "r2_test"]
    runs(cells).to_csv(sent, columns=columns, index=False)
    result = Competition.read(sent, known).qualify()
    verdicts = result.verdicts.set_index("method")
    assert verdicts["qualified"].to_dict() == {"honest": True, "liar": False}
    assert verdicts.loc["honest", "median_r2_over_datasets"] == 1
    assert set(result.assessments["r2_source"]) == {"recomputed"}
