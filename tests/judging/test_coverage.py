"""Nobody wins with nothing, and who sent little is named before the ranking."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.cases import UNSTATED
from srlib.judging import judge
from srlib.judging.robustness import examine
from tests.judging.small import lines, open_problems, rules, runs, verdict

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
    pd.testing.assert_frame_equal(again.certainty.places, sure.certainty.places)


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


@pytest.mark.parametrize(
    ("incomplete", "gain"),
    [
        ("floor", "the worst run of sizes or times, or of a negative R2, can pay"),
        ("worst_value", "the worst run of all can pay"),
        ("rest", "any bad run can pay"),
    ],
)
def test_who_lacks_runs_on_a_dataset_is_named_with_what_that_can_gain(incomplete, gain):
    table = "A formula: {}\nB formula: {r2_test: [0.9]}\nA optima: {}\nB optima: {}"
    notices = verdict(table, rules(repetitions=3, incomplete=incomplete)).notices
    (sentence,) = (notice for notice in notices if notice.startswith("Fewer runs than expected"))
    assert sentence.startswith("Fewer runs than expected: B on formula (1 of 3). ")
    assert gain in sentence
    assert "Fewer runs" not in " ".join(verdict("A formula: {}", rules(repetitions=3)).notices)


NAMES = [
    ("PySR", "pysr "),
    ("PySR", "Py\u200bSR"),
    ("PySR", "\u0420ySR"),
    ("PySR", "Py\ufe0fSR"),
    ("PySR", "Py\u3164SR"),
    ("A B", "A\u00a0B"),
    ("caf\u00e9", "cafe\u0301"),
]


@pytest.mark.parametrize("pair", NAMES)
def test_names_that_look_alike_are_told(pair):
    notices = verdict({(name, "formula"): {} for name in pair}, rules()).notices
    assert f"{' and '.join(map(ascii, sorted(pair)))} differ only by case, blanks" in notices[0]


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("\u0420ySR", "Latin and Cyrillic"),
        ("Py\u03a3R", "Latin and Greek"),
        ("PySR-\u00b5", "Latin and Greek"),
        ("PySR 2.0", ""),
        ("\u041c\u0435\u0442\u043e\u0434", ""),
        ("\u65b9\u6cd5 PySR", ""),
    ],
)
def test_a_name_that_mixes_scripts_is_told(name, scripts):
    notices = " ".join(verdict({(name, "formula"): {}, ("B", "formula"): {}}, rules()).notices)
    sentence = f"The name {ascii(name)} mixes {scripts} letters."
    assert (sentence in notices) == bool(scripts) and ("mixes" in notices) == bool(scripts)


def test_that_a_constant_model_leaves_out_every_irrelevant_feature_is_noted():
    """Where S1 is scored: on `formula` it says nothing, and S2 is not defined for such a model."""
    table = """
    A select: {features_used: ['[]', '["a"]']}
    B select: {}
    A formula: {features_used: '[]'}
    B formula: {}
    """
    (line,) = lines(verdict(table, rules(repetitions=2)), "constant_model").itertuples()
    assert (line.method, line.dataset, line.repetition, line.action) == ("A", "select", 0, "noted")
    assert line.detail == "S1 of a model without features is 1 by definition"
    s2 = rules(repetitions=2, properties={"relevant_features": "S2"})
    assert lines(verdict(table, s2), "constant_model").empty


def test_a_row_that_is_of_no_run_costs_its_team_nothing():
    """Its two expected runs are there; the third names data that do not exist, and is a ledger line alone."""
    table = runs("A formula: {}\nB formula: {}", 2)
    lost = {"repetition": 7, "r2_test": np.nan, "data_status": UNSTATED, "detail": "not measured"}
    more = pd.concat([table, table.head(1).assign(**lost)], ignore_index=True)
    before, after = (judge(t, open_problems(), rules(repetitions=2)) for t in (table, more))
    pd.testing.assert_frame_equal(after.ranking, before.ranking)
    assert after.ledger["code"].tolist() == ["invalid_value"]
