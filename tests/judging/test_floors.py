"""A crash never pays, and nobody wins with nothing: what runs are worth that returned nothing or were never sent."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.cases import UNSTATED
from srlib.judging import judge
from srlib.judging.properties import PROPERTY_SCORES
from srlib.judging.robustness import examine
from srlib.metrics import METRICS
from tests.builders import each
from tests.judging.small import (
    lines,
    open_problems,
    ranking,
    ranks,
    rules,
    runs,
    values,
    verdict,
)

IDLE = "{model: null, status: [failed, timeout], r2_test: .nan}"


def test_every_metric_and_property_names_its_floor():
    """Frequencies, shares and R2 are worth 0 at most; sizes and times have no floor; none beats `best`."""
    for key, (_, direction, floor) in PROPERTY_SCORES.items():
        assert (floor == 0) == (direction == "higher"), key
    metrics = dict(METRICS)
    # made of ranks, of which the worst is 1; how good one can be depends on the number
    scores = metrics.pop("dataset_score")
    assert (scores.floor, np.isnan(scores.best)) == (1, True)
    for name, metric in metrics.items():
        higher = metric.direction == "higher"
        assert (metric.floor == 0) == higher, name
        assert metric.best == 1 if higher else metric.best >= metric.lowest, name


def test_one_solution_of_ten_is_no_tie_with_ten():
    """A finds the truth in one run and fails in nine; by `worst_value` it ties with B, which finds it in all ten."""
    table = """
    A formula: {solution: true, r2_test: [1, .nan, .nan, .nan, .nan, .nan, .nan, .nan, .nan, .nan]}
    B formula: {solution: true, r2_test: 1}
    """
    tied = verdict(table, rules(incomplete="worst_value"))
    assert ranking(tied, "rank") == {"A": 1, "B": 1}
    judgement = verdict(table, rules())
    assert ranking(judgement, "rank") == {"B": 1, "A": 2}
    for aspect in ("accuracy", "property"):
        assert values(judgement, "formula", aspect) == pytest.approx([0.1, 1])


@pytest.mark.parametrize(
    ("incomplete", "value", "action"),
    [("floor", 0.25, "replaced"), ("worst_value", 0.5, "replaced"), ("rest", 0.5, "noted")],
)
def test_what_is_undefined_has_its_line(incomplete, value, action):
    """S2 of A's models: one feature of two is relevant, .5, the constant model uses none; B states no time."""
    table = """
    A select: {features_used: ['["a", "c"]', "[]"], training_time_s: 9}
    B select: {training_time_s: .nan}
    """
    aspects = rules().judge.model_dump(by_alias=True)["aspects"]
    aspects["speed"] = {"from": "training_time_s", "direction": "lower"}
    s2 = {"properties": {"relevant_features": "S2"}, "aspects": aspects, "incomplete": incomplete}
    judgement = verdict(table, rules(repetitions=2, **s2))
    assert values(judgement, "select")[0] == value
    assert ranks(judgement, "select", "speed") == [2, 1]
    undefined = lines(judgement, "property_undefined")
    columns = undefined[["method", "action", "detail"]].to_numpy().tolist()
    assert columns == [
        ["A", action, "property is not defined for this run, which counts as absent there"],
        ["B", "replaced", "speed is defined for none of the runs; it gets the worst rank"],
    ]


def test_a_failed_run_beyond_the_expected_ones_counts_too():
    """Of a folder that states no repetitions, all three count, so failing in one does not help."""
    table = "A beyond: {r2_test: [0.8, 0.8, .nan]}\nB beyond: {r2_test: [0.5, 0.5, 0.5]}"
    judgement = verdict(table, rules(repetitions=2), open_problems())
    assert values(judgement, "beyond", "accuracy") == pytest.approx([1.6 / 3, 0.5])


@pytest.mark.parametrize("name", ["judging-2022", "competition-2023"])
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
    pd.testing.assert_frame_equal(again.places, sure.places)


@pytest.mark.parametrize(
    ("expected", "incomplete", "named"),
    [(10, "floor", True), (10, "worst_value", True), (10, "rest", False), (2, "floor", False)],
)
def test_that_everybody_made_fewer_runs_than_the_rules_expect_is_said(expected, incomplete, named):
    """Eight of ten values are then not measured, and most cells are tied: the organizer has to know."""
    chosen = rules("judging-2026", repetitions=expected, incomplete=incomplete)
    notices = " ".join(
        verdict(f"A formula: {{r2_test: [0.9, 0.9]}}\nB formula: {IDLE}", chosen).notices
    )
    assert (
        "Nobody made more than 2 runs on a dataset, and these rules expect 10." in notices
    ) == named
    assert ("Rules of your own can say repetitions: 2." in notices) == named


@each(
    "first second notice",
    r"""
    PySR | pysr  | differ only by case, blanks
    PySR | Py\u200bSR | differ only by case, blanks
    PySR | Py\ufe0fSR | differ only by case, blanks
    PySR | Py\u3164SR | differ only by case, blanks
    A B | A\u00a0B | differ only by case, blanks
    caf\u00e9 | cafe\u0301 | differ only by case, blanks
    PySR | \u0420ySR | differ only by case, blanks
    B | \u0420ySR | mixes Latin and Cyrillic letters
    B | Py\u03a3R | mixes Latin and Greek letters
    PySR 2.0 | \u041c\u0435\u0442\u043e\u0434 |
    B | \u65b9\u6cd5 PySR |""",
)
def test_names_that_look_alike_or_mix_scripts_are_told(first, second, notice):
    names = [name.encode().decode("unicode_escape") for name in (first, second)]
    notices = verdict({(name, "formula"): {} for name in names}, rules()).notices
    assert notice in notices[0] and (notice != "") == (ascii(names[1]) in " ".join(notices))


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
