"""A crash never pays: what a run that returned nothing is worth; see also `test_failing_never_pays`."""

import numpy as np
import pytest

from srlib.judging.properties import PROPERTY_SCORES
from srlib.metrics import METRICS
from tests.judging.small import lines, open_problems, ranking, ranks, rules, values, verdict


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
    assert lines(judgement, "missing_runs")["detail"].tolist() == [
        "1 of 10 runs are usable; each absent one counts as its floor (accuracy 0, simplicity -1, property 0)"
    ]
    # where the rules let failing pay, the ledger says so
    (detail,) = lines(verdict(table, rules("competition-2022")), "missing_runs")["detail"]
    assert detail.endswith("by these rules failing can pay")


@pytest.mark.parametrize(("incomplete", "value"), [("floor", 0.6), ("worst_value", -1e60 / 3)])
def test_one_absurd_run_of_z_moves_nobody_else(incomplete, value):
    """A has .9 .9 and nothing: (.9 + .9 + 0) / 3, whatever Z sends; `worst_value` takes the worst of anybody."""
    table = "A formula: {r2_test: [0.9, 0.9, .nan]}\nZ formula: {r2_test: [-1.0e+60, 0.9, 0.9]}"
    judgement = verdict(table, rules(incomplete=incomplete, repetitions=3))
    assert values(judgement, "formula", "accuracy")[0] == pytest.approx(value)


@pytest.mark.parametrize(
    ("incomplete", "value", "action"),
    [("floor", 0.25, "replaced"), ("worst_value", 0.5, "replaced"), ("rest", 0.5, "noted")],
)
def test_an_undefined_property_has_its_line(incomplete, value, action):
    """S2 of A's models: one feature of two is relevant, .5; the constant model uses none, and S2 is not defined."""
    table = """
    A select: {features_used: ['["a", "c"]', "[]"]}
    B select: {}
    """
    s2 = rules(properties={"relevant_features": "S2"}, repetitions=2, incomplete=incomplete)
    judgement = verdict(table, s2)
    assert values(judgement, "select")[0] == value
    (line,) = lines(judgement, "property_undefined").itertuples()
    assert (line.method, line.repetition, line.action) == ("A", 1, action)
    assert line.detail.startswith("property is not defined for this run")


def test_a_failed_run_beyond_the_expected_ones_counts_too():
    """Of a folder that states no repetitions, all three count, so failing in one does not help."""
    table = "A beyond: {r2_test: [0.8, 0.8, .nan]}\nB beyond: {r2_test: [0.5, 0.5, 0.5]}"
    judgement = verdict(table, rules(repetitions=2), open_problems())
    assert values(judgement, "beyond", "accuracy") == pytest.approx([1.6 / 3, 0.5])


def test_an_aspect_without_values_has_its_line_and_the_worst_rank():
    """B states no time: nothing hides that its rank is that of the last place."""
    judge = rules().judge
    aspects = judge.model_dump(by_alias=True)["aspects"]
    speed = {"from": "training_time_s", "direction": "lower"}
    table = "A formula: {training_time_s: [9, 9]}\nB formula: {training_time_s: [.nan, .nan]}"
    judgement = verdict(table, rules(aspects=aspects | {"speed": speed}, repetitions=2))
    (line,) = lines(judgement, "property_undefined").itertuples()
    assert (line.method, line.dataset, line.action) == ("B", "formula", "replaced")
    assert line.detail == "speed is defined for none of the runs; it gets the worst rank"
    assert ranks(judgement, "formula", "speed") == [2, 1]
