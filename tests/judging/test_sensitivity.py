"""Noise sensitivity on numbers that a reader can redo by hand, and the same as the official scorer's."""

import numpy as np
import pytest
import yaml

from srlib.judging.noise import compare_noise_levels
from srlib.readers.row_checks import THE_TRUTH
from tests.builders import judge_competition, refused
from tests.judging.small import lines, problems, rules, values, verdict

DATASETS = ("noise_base", "noise_easy", "noise_hard")  # noise levels 0, 0.05 and 0.15
# accuracy at each level; sensitivity of 0.05 and of 0.15; bad at all levels. Where less than half of the noise is lost,
# the accuracy without noise counts as 1.
BY_HAND = yaml.safe_load("""
perfect: [[0.98, 0.93, 0.83], [1, 1], false]
flat: [[0.9, 0.9, 0.9], [2, 0.666666666667], false]
flat and bad: [[0.3, 0.3, 0.3], [14, 4.666666666667], true]
fragile: [[0.95, 0.5, 0.2], [9, 5], false]
negative: [[0.7, -0.5, -1.4], [24, 14], false]
at the guard: [[0.5, 0.5, 0.5], [10, 3.333333333333], false]
better with noise: [[0.4, 0.6, 0.6], [8, 2.666666666667], false]
""")


def examine(cells, **switches):
    """Two repetitions for each accuracy, as far above it as below."""
    table = {
        (method, name): {"r2_test": [value + 0.02, value - 0.02]}
        for method, accuracies in cells.items()
        for name, value in zip(DATASETS, accuracies, strict=True)
        if value is not None
    }
    return compare_noise_levels(verdict(table, rules(repetitions=2, **switches)))


def examine_all(**switches):
    return examine({method: accuracies for method, (accuracies, *_) in BY_HAND.items()}, **switches)


def test_every_pair_of_levels_by_hand():
    noise = examine_all()
    by_cell = noise.cells.groupby("method")
    by_level, overall = noise.levels.groupby("method"), noise.overall.set_index("method")
    for method, (accuracies, ratios, guarded) in BY_HAND.items():
        cells, levels = by_cell.get_group(method), by_level.get_group(method)
        np.testing.assert_allclose(cells["sensitivity"], ratios, atol=1e-9)
        np.testing.assert_allclose(levels["value"], accuracies, atol=1e-9)
        np.testing.assert_allclose(levels["high"] - levels["low"], 0.02, atol=1e-9)
        assert overall["sensitivity"][method] == pytest.approx(np.mean(ratios))
        assert [*cells["guarded"], overall["guarded"][method]] == [guarded] * 3
    assert overall["distance"].isna().all()


def test_the_guard_may_put_a_method_last():
    ordered = ["perfect", "flat", "better with noise", "at the guard", "fragile", "flat and bad"]
    assert examine_all().overall["method"].tolist() == [*ordered, "negative"]
    last = examine_all(noise_guard={"min_accuracy": 0.5, "action": "worst_rank"})
    assert last.overall["method"].tolist() == [*ordered[:-1], "negative", "flat and bad"]


def test_the_noise_that_is_divided_by_is_the_difference_of_both_levels():
    """From .05 to .15 it grows by .1: R2 falls from .9 to .7, and 2 is the sensitivity, not .2/.15."""
    known = problems("""
defaults: {features: [a]}
problems:
  - {dataset: less, noise_level: 0.05, scored: false}
  - {dataset: more, property: noise_sensitivity, noise_level: 0.15, noise_reference: less}
""")
    judgement = verdict("A less: {r2_test: 0.9}\nA more: {r2_test: 0.7}", rules(), known)
    assert values(judgement, "more") == pytest.approx([2])


@pytest.mark.parametrize(
    ("clean", "noisy", "sensitivity"),
    [
        ("[0.9, 0.9, 0.9]", "[0.2, 0.2, 0.2]", (0.9 - 0.2) / 0.15),
        # an absent run is worth 0, or at best 1: what makes the difference larger
        ("[0.9, 0.9, .nan]", "[0.2, 0.2, 0.2]", ((0.9 + 0.9 + 1) / 3 - 0.2) / 0.15),
        ("[0.9, 0.9, 0.9]", "[0.2, 0.2, .nan]", (0.9 - 0.4 / 3) / 0.15),
    ],
)
def test_lost_runs_do_not_calm_noise(clean, noisy, sensitivity):
    table = f"A noise_base: {{r2_test: {clean}}}\nA noise_hard: {{r2_test: {noisy}}}"
    judgement = verdict(table, rules(repetitions=3))
    assert values(judgement, "noise_hard") == pytest.approx([sensitivity])


def test_who_has_no_run_at_a_level_stands_behind_all_who_have():
    noise = examine({"m": (0.95, None, 0.8), "n": (0.9, 0.5, 0.1)})
    cells = noise.cells.set_index(["method", "dataset"])["sensitivity"]
    assert np.isnan(cells["m", "noise_easy"]) and cells["m", "noise_hard"] == pytest.approx(1)
    columns = ["method", "missing", "rank"]
    assert noise.overall[columns].to_numpy().tolist() == [["n", 0, 1], ["m", 1, 2]]


def test_the_official_scorer_gives_the_same_and_the_truth_loses_what_the_noise_takes():
    """Noise is on the test rows too: R2 of the truth is 1 - level."""
    judgement = judge_competition()
    noise = compare_noise_levels(judgement)
    official = judgement.aspects.query("aspect == 'property'").set_index(["method", "dataset"])
    cells = noise.cells.set_index(["method", "dataset"])["sensitivity"]
    np.testing.assert_allclose(cells, official["value"].reindex(cells.index), rtol=1e-9)
    levels = noise.levels.pivot_table("value", "method", "noise_level")
    np.testing.assert_allclose(levels.loc[THE_TRUTH], 1 - levels.columns, atol=0.01)
    assert noise.scope.startswith("All of this speaks of one formula alone (noise_base)")
    assert noise.scope.facts["references"].value == ("noise_base",)
    overall = noise.overall.set_index("method")["distance"]
    assert THE_TRUTH not in overall
    distance = (levels.loc["ffx"] - levels.loc[THE_TRUTH]).abs().mean()
    assert overall["ffx"] == pytest.approx(distance)
    one_level = judgement.assessments.query("dataset == 'localopt_easy'")
    with refused("a dataset at two noise levels was expected"):
        compare_noise_levels(judge_competition(one_level))


@pytest.mark.parametrize(("score", "absent"), [("ratio", ["b"]), ("r2_test", [])])
def test_the_clean_level_stays_where_the_score_reads_no_reference(score, absent):
    """And the ledger says nothing of absent runs there, as they cost nothing."""
    table = {(method, name): {} for method in "ab" for name in DATASETS}
    del table["b", "noise_base"]
    judgement = verdict(table, rules(properties={"noise_sensitivity": score}))
    assert lines(judgement, "missing_runs")["method"].tolist() == absent
    assert set(compare_noise_levels(judgement).levels["noise_level"]) == {0, 0.05, 0.15}
