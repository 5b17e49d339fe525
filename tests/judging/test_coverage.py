"""Nobody wins with nothing, and who sent little is named before the ranking."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.cases import UNSTATED
from srlib.judging import judge
from srlib.judging.robustness import examine
from tests.judging.small import open_problems, rules, runs, verdict

IDLE = "{model: null, status: [failed, timeout], r2_test: .nan}"


@pytest.mark.parametrize("name", ["judging-2022", "competition-2022", "competition-2023"])
def test_a_method_without_a_usable_run_changes_nothing_for_the_others(name, fewer):
    """Neither places, scores and ranks nor how sure they are, nor a sentence; C alone sent runs on `beyond`.

    Ranks are counted from the number of methods; one more moves them all, and harmonic means then change places.
    """
    table = """
    A formula: {complexity: 10}
    B formula: {complexity: 9, r2_test: 0.8, solution: true}
    D formula: {complexity: 1, r2_test: 0.7, solution: [true, false]}
    A optima: {}
    B optima: {}
    """
    idle = f"C formula: {IDLE}\n    C beyond: {IDLE}\n"
    chosen = rules(name, repetitions=2)
    before, after = (verdict(text, chosen) for text in (table, table + idle))
    assert after.ranking["method"].iloc[-1] == "C" and pd.isna(after.ranking["rank"].iloc[-1])
    pd.testing.assert_frame_equal(after.ranking.iloc[:-1], before.ranking)
    pd.testing.assert_frame_equal(after.aspects, before.aspects)
    pd.testing.assert_frame_equal(after.datasets, before.datasets)
    assert set(before.notices[1:]) <= set(after.notices), "the first names datasets without runs"
    others = after.ledger[after.ledger["method"] != "C"].reset_index(drop=True)
    assert others.equals(before.ledger) and len(others) < len(after.ledger)
    sure, again = examine(before, 20), examine(after, 20)
    assert (again.sentences, after.headline) == (sure.sentences, before.headline)
    pd.testing.assert_frame_equal(again.resampling.table, sure.resampling.table)


@pytest.mark.parametrize(
    ("expected", "incomplete", "named"),
    [(10, "floor", True), (10, "worst_value", True), (10, "rest", False), (2, "floor", False)],
)
def test_that_everybody_made_fewer_runs_than_the_rules_expect_is_said(expected, incomplete, named):
    """Eight of ten values are then not measured, and most cells are tied: the organizer has to know."""
    chosen = rules("judging-2026", repetitions=expected, incomplete=incomplete)
    judgement = verdict(f"A formula: {{r2_test: [0.9, 0.9]}}\nB formula: {IDLE}", chosen)
    sentence = "Nobody made more than 2 runs on a dataset, and these rules expect 10."
    remedy = "Rules of your own can say repetitions: 2."
    assert [s in " ".join(judgement.notices) for s in (sentence, remedy)] == [named] * 2


def test_a_row_that_is_of_no_run_costs_its_team_nothing():
    """Its two expected runs are there; the third names data that do not exist, and is a ledger line alone."""
    table = runs("A formula: {}\nB formula: {}", 2)
    lost = {"repetition": 7, "r2_test": np.nan, "data_status": UNSTATED, "detail": "not measured"}
    more = pd.concat([table, table.head(1).assign(**lost)], ignore_index=True)
    before, after = (judge(t, open_problems(), rules(repetitions=2)) for t in (table, more))
    pd.testing.assert_frame_equal(after.ranking, before.ranking)
    assert after.ledger["code"].tolist() == ["invalid_value"]


def test_without_a_scored_run_there_is_no_ranking():
    table = """
    A formula: {parse_status: unparsed}
    B formula: {parse_status: unparsed, status: [ok, failed]}
    """
    judgement = verdict(table, rules(repetitions=2))
    assert judgement.ranking[["rank", "score"]].isna().all(axis=None)
    assert judgement.failure == (
        "No run could be scored, so there is no ranking. 4 runs read: 3 x the model text cannot be read (unparsed); "
        "1 x the run failed or ran out of time (failed_run)."
    )
    assert judgement.headline == "No method could be scored."
