"""Nobody wins with nothing, and who sent little is named before the ranking."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.run import UNSTATED
from srlib.judging import judge
from srlib.judging.robustness import examine
from tests.judging.small import open_problems, rules, runs, verdict

GOOD = {"r2_test": [0.9, 0.9]}
NONE = {"model": [None, None], "status": ["failed", "timeout"], "r2_test": [np.nan, np.nan]}
UNREAD = {"parse_status": ["unparsed", "unparsed"]}


def judged(table):
    return verdict(table, 2, rules("judging-2022", repetitions=2))


@pytest.mark.parametrize("name", ["judging-2022", "competition-2022", "competition-2023"])
def test_a_method_without_a_usable_run_changes_nothing_for_the_others(name, fewer):
    """Neither places, scores and ranks nor how sure they are, nor a sentence; C alone sent runs on `beyond`.

    Ranks are counted from the number of methods; one more moves them all, and harmonic means then change places.
    """
    table = {("A", "formula"): GOOD | {"solution": [False, False], "complexity": [10, 10]},
             ("B", "formula"): {"r2_test": [0.8, 0.8], "solution": [True, True], "complexity": [9, 9]},
             ("D", "formula"): {"r2_test": [0.7, 0.7], "solution": [True, False], "complexity": [1, 1]},
             ("A", "optima"): GOOD, ("B", "optima"): GOOD}  # fmt: skip
    idle = {("C", name): NONE for name in ("formula", "beyond")}
    block = rules(name, repetitions=2)
    before, after = verdict(table, 2, block), verdict(table | idle, 2, block)
    assert after.ranking["method"].tolist()[-1] == "C" and pd.isna(after.ranking["rank"].iloc[-1])
    pd.testing.assert_frame_equal(after.ranking.iloc[:-1], before.ranking)
    pd.testing.assert_frame_equal(after.aspects, before.aspects)
    pd.testing.assert_frame_equal(after.datasets, before.datasets)
    # who sent nothing at all
    assert set(before.notices) - set(after.notices) <= {before.notices[0]}
    others = after.ledger[after.ledger["method"] != "C"].reset_index(drop=True)
    assert others.equals(before.ledger) and len(others) < len(after.ledger)
    found, again = examine(before, 20), examine(after, 20)
    assert found.sentences == again.sentences
    pd.testing.assert_frame_equal(found.resampling.table, again.resampling.table)
    assert before.headline == after.headline


@pytest.mark.parametrize(
    ("expected", "incomplete", "said"),
    [(10, "floor", True), (10, "worst_value", True), (10, "rest", False), (2, "floor", False)],
)
def test_that_everybody_made_fewer_runs_than_the_rules_expect_is_said(expected, incomplete, said):
    """Eight of ten values are then not measured, and most cells are tied: the organizer has to know."""
    block = rules("judging-2026", repetitions=expected, incomplete=incomplete)
    table = {("A", "formula"): GOOD, ("B", "formula"): NONE}
    notices = " ".join(verdict(table, 2, block).notices)
    assert (
        "Nobody made more than 2 runs on a dataset, and these rules expect 10." in notices
    ) is said
    assert ("Rules of your own can say repetitions: 2." in notices) is said


def test_a_row_that_is_of_no_run_costs_its_team_nothing():
    """Its two expected runs are there; the third names data that do not exist, and is a ledger line alone."""
    block = rules("judging-2022", repetitions=2)
    table = runs({("A", "formula"): GOOD, ("B", "formula"): GOOD}, 2)
    lost = {
        "repetition": 7,
        "r2_test": np.nan,
        "data_status": UNSTATED,
        "detail": "not measured: 7",
    }
    more = pd.concat([table, table.head(1).assign(**lost)], ignore_index=True)
    one, two = (judge(rows, open_problems(), block) for rows in (table, more))
    pd.testing.assert_frame_equal(one.ranking, two.ranking)
    assert two.ledger["code"].tolist() == ["invalid_value"]


def test_without_a_scored_run_there_is_no_ranking():
    judgement = judged(
        {("A", "formula"): UNREAD, ("B", "formula"): UNREAD | {"status": ["ok", "failed"]}}
    )
    assert judgement.ranking["rank"].isna().all() and judgement.ranking["score"].isna().all()
    assert judgement.failure == (
        "No run could be scored, so there is no ranking. 4 runs read: 3 x the model text cannot be read (unparsed); "
        "1 x the run failed or ran out of time (failed_run)."
    )
    assert judgement.headline == "No method could be scored."
