"""The qualification stage on tables that can be redone by hand, and as a gate: who did not pass has no place."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from srlib.competition import Competition
from srlib.displays.tables.aspects import final_ranking
from srlib.displays.tables.first_screen import qualification_sentence
from srlib.judging.qualification import Gate, QualificationTable, qualify
from srlib.judging.standing import describe_barred
from tests.builders import each, read_table, refused
from tests.judging.small import problems, rules, runs, verdict

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


def test_repetitions_become_their_median_or_mean():
    frame = table(good=GOOD)
    frame.loc[0, "r2_test"] = -9.0
    for per_dataset, expected in (("median", 0.9), ("mean", -7.2 / 3)):
        result, _ = qualified(frame, qualification={"per_dataset": per_dataset})
        cells = result.cells.set_index(["method", "dataset"])["median_r2"]
        assert cells["good", "a"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("missing", "counts", "consequence"),
    [("worst_rank", [1, 2, 0, -1], "lost"), ("drop", [1, 1, 1, 0], "left out")],
)
def test_failed_and_absent_runs_never_help_and_stand_in_the_ledger(missing, counts, consequence):
    """Two of three runs on a failed: 0 counts, the floor. On b there is none."""
    frame = table(good=BEST).drop(index=[3, 4, 5])
    frame.loc[1:2, ["status", "r2_test"]] = ["failed", np.nan]
    result, verdicts = qualified(frame, missing=missing)
    good = verdicts.loc["good"]
    assert good[["better", "worse", "equal", "wins"]].tolist()[:2] == counts[:2]
    assert good["wins"] == counts[3] and good[["runs", "failed"]].tolist() == [4, 5]
    cell = result.cells.set_index(["method", "dataset"]).loc[("good", "a")]
    assert cell[["median_r2", "better", "n_runs", "expected"]].tolist() == [0, False, 1, 3]
    assert result.counts == {"read": 15, "scored": 13, "excluded": 2}
    details = result.ledger.query("level == 'cell'")["detail"].tolist()
    assert details == [
        "1 of 3 runs are usable; each absent one counts as R2 0",
        f"0 of 3 runs are usable; the dataset is {consequence}",
    ]


def test_r2_is_computed_where_the_data_are_at_hand(tmp_path):
    """The liar reports 0.99999 for a constant; the honest one reports nothing for the truth, a*b."""
    sent, known = tmp_path / "runs.csv", tmp_path / "problems.yaml"
    known.write_text("""
schema: 1
name: own
defaults:
  track: qualification
  truth: a*b
  data_seeds: [1]
  data: {generator: formula, arguments: {features: {a: [uniform, 1, 3], b: [uniform, 1, 3]}}}
problems: [{dataset: a}]
""")
    models = {
        "LinearRegression": ("2*a + 2*b - 4", 0.9),
        "liar": ("7", 0.99999),
        "honest": ("a*b", None),
    }
    cells = {
        (method, dataset): {"repetition": [1], "model": text, "r2_test": r2}
        for method, (text, r2) in models.items()
        for dataset in "a"
    }
    columns = ["method", "dataset", "repetition", "model", "r2_test"]
    runs(cells).to_csv(sent, columns=columns, index=False)
    result = Competition.read(sent, known).qualify()
    verdicts = result.verdicts.set_index("method")
    assert verdicts["qualified"].to_dict() == {"honest": True, "liar": False}
    assert verdicts.loc["honest", "median_r2_over_datasets"] == 1
    assert set(result.assessments["r2_source"]) == {"recomputed"}


CELLS = """
    method           dataset median_r2 baseline_r2
    LinearRegression d       0.5       0.5
    LinearRegression e       0.5       0.5
    better           d       0.6       0.5
    better           e       0.5       0.5
    worse            d       0.1       0.5
    worse            e       0.5       0.5
"""
TABLE = "A formula: {r2_test: 0.5}\nB formula: {r2_test: 0.4}\n"
CHOSEN = rules(repetitions=2)


def gated(barred="C"):
    """Competition in which C is best; who is `barred` did not qualify."""
    return verdict(TABLE + "C formula: {r2_test: 0.9}", CHOSEN, barred=barred)


def test_the_ranks_are_those_of_the_qualified():
    """C is best everywhere and did not qualify: A and B are ranked as if C were not there."""
    judgement = gated()
    pd.testing.assert_frame_equal(judgement.ranking, verdict(TABLE, CHOSEN).ranking)
    assert judgement.counts == {"read": 6, "scored": 4, "excluded": 2}
    assert set(judgement.ledger["code"]) == {"not_qualified"}
    of_all = judgement.ranking_of_all[["method", "qualified"]].to_numpy().tolist()
    assert of_all == [["C", False], ["A", True], ["B", True]] and "C" not in judgement.headline
    assert gated("BC").headline.startswith("A is the only method that qualified, with a final")
    table = final_ranking(judgement).frame[["method", "below the line"]]
    assert table.to_numpy().tolist() == [["A", ""], ["B", ""], ["C", "not qualified"]]
    with refused("nobody qualified who has runs .* A, B and C did not$"):
        gated("ABC")


def test_the_table_of_r2_is_judged_by_the_rules_and_their_baseline():
    """proposal-2022 names ElasticNet: with its rows it decides, without them nothing follows, and that is said."""
    cells, proposal = read_table(CELLS), rules("proposal-2022")
    gate = QualificationTable.read(cells).gate(CHOSEN)
    assert gate == Gate(frozenset({"better"}), frozenset({"worse", "LinearRegression"}))
    assert gate.notices({"better", "worse", "new"}) == (
        "Not qualified, so without a place: worse.",
        "Without a row in the table of the qualification, which therefore does not bar them: new.",
    )
    (notice,) = QualificationTable.read(cells).gate(proposal).notices({"better"})
    assert "against ElasticNet, of which" in notice
    elastic = pd.DataFrame({"method": "ElasticNet", "dataset": ["d", "e"], "median_r2": 0.55})
    barred = QualificationTable.read(pd.concat([cells, elastic])).gate(proposal).barred
    assert barred == {"better", "worse", "LinearRegression", "ElasticNet"}


def test_verdicts_stand_as_they_are(tmp_path):
    path = tmp_path / "verdicts.csv"
    path.write_text("method,qualified,margin\nA,True,\nB,False,-0.5\n")
    gate = QualificationTable.read(path).gate(rules("proposal-2022"))
    assert gate == Gate(frozenset("A"), frozenset("B"))
    for name, reason in (("B", "margin −0.50, which has to be positive; among"), ("A", "among")):
        sentence = describe_barred(replace(gated(name), gate=gate), name)
        assert f"{name} missed the qualification ({reason} all 3 methods it would" in sentence


@each(
    "column value sentence",
    """
    qualified | perhaps | row 1: qualified must be true or false, got 'perhaps'
    passed | True | column 'dataset' is missing""",
)
def test_a_table_that_says_nothing_is_refused(column, value, sentence):
    with refused(sentence):
        QualificationTable.read(pd.DataFrame({"method": ["A"], column: value})).gate(CHOSEN)
