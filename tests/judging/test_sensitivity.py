"""Noise sensitivity on numbers that a reader can redo by hand, and the same as the official scorer's."""

from itertools import product
from typing import get_args

import numpy as np
import pytest

from srlib.errors import InputError
from srlib.judging import judge, judge_runs
from srlib.judging.noise import examine_noise
from srlib.readers.row_checks import THE_TRUTH
from srlib.rules import Judge
from tests.judging.small import problems, rules, runs

DATASETS = ("noise_base", "noise_easy", "noise_hard")  # noise levels 0, 0.05 and 0.15
# accuracy at each level; sensitivity of 0.05 and of 0.15; bad at all levels. Where less than half of the noise is lost,
# the accuracy without noise counts as 1.
BY_HAND = {
    "perfect": ((0.98, 0.93, 0.83), (1.0, 1.0), False),
    "flat": ((0.9, 0.9, 0.9), (2.0, 2 / 3), False),
    "flat and bad": ((0.3, 0.3, 0.3), (14.0, 14 / 3), True),
    "fragile": ((0.95, 0.5, 0.2), (9.0, 5.0), False),
    "negative": ((0.7, -0.5, -1.4), (24.0, 14.0), False),
    "at the guard": ((0.5, 0.5, 0.5), (10.0, 10 / 3), False),
}


def examine(cells, **switches):
    """Two repetitions for each accuracy, as far above it as below."""
    table = {
        (method, name): {"r2_test": [value + 0.02, value - 0.02]}
        for method, values in cells.items()
        for name, value in zip(DATASETS, values, strict=True)
        if value is not None
    }
    chosen = rules("judging-2022", repetitions=2, **switches)
    return examine_noise(judge(runs(table, 2), problems(), chosen))


@pytest.fixture(name="by_hand", scope="module")
def by_hand_fixture():
    return examine({name: values for name, (values, _, _) in BY_HAND.items()})


@pytest.mark.parametrize("method", BY_HAND)
def test_every_pair_of_levels_by_hand(by_hand, method):
    accuracies, ratios, guarded = BY_HAND[method]
    cells = by_hand.cells[by_hand.cells["method"] == method]
    assert cells["dataset"].tolist() == list(DATASETS[1:])
    np.testing.assert_allclose(cells["sensitivity"], ratios, atol=1e-9)
    assert cells["guarded"].tolist() == [guarded] * 2
    levels = by_hand.levels[by_hand.levels["method"] == method]
    np.testing.assert_allclose(levels["value"], accuracies, atol=1e-9)
    np.testing.assert_allclose(levels["high"] - levels["low"], 0.02, atol=1e-9)
    overall = by_hand.overall.set_index("method").loc[method]
    assert overall["sensitivity"] == pytest.approx(np.mean(ratios))
    assert overall["guarded"] == guarded and np.isnan(overall["distance"])


def test_the_guard_may_put_a_method_last(by_hand):
    ranks = by_hand.overall.set_index("method")["rank"]
    assert ranks[["perfect", "flat", "at the guard", "fragile"]].tolist() == [1, 2, 3, 4]
    assert ranks[["flat and bad", "negative"]].tolist() == [5, 6]
    cells = {name: values for name, (values, _, _) in BY_HAND.items()}
    last = examine(cells, noise_guard={"min_accuracy": 0.5, "action": "worst_rank"})
    assert last.overall.set_index("method")["rank"]["flat and bad"] == 6


def test_who_has_no_run_at_a_level_stands_behind_all_who_have():
    result = examine({"m": (0.95, None, 0.8), "n": (0.9, 0.5, 0.1)})
    cells = result.cells.set_index(["method", "dataset"])["sensitivity"]
    assert np.isnan(cells["m", "noise_easy"]) and cells["m", "noise_hard"] == pytest.approx(1)
    overall = result.overall.set_index("method")
    assert overall[["missing", "rank"]].to_numpy().tolist() == [[0, 1], [1, 2]]


@pytest.mark.slow
@pytest.mark.parametrize("incomplete", get_args(Judge.model_fields["incomplete"].annotation))
def test_no_method_gains_a_place_by_failing_at_a_level(incomplete):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        choices = [0.98, 0.95, 0.9, 0.6, 0.3, 0.1]
        cells = {method: rng.choice(choices, 3).tolist() for method in "abcd"}
        before = examine(cells, incomplete=incomplete).overall.set_index("method")["rank"]
        for method, level in product("abcd", range(3)):
            lost = list(cells[method])
            lost[level] = None
            after = examine(cells | {method: lost}, incomplete=incomplete).overall
            assert after.set_index("method")["rank"][method] >= before[method], (seed, method)


def test_the_official_scorer_gives_the_same_and_the_truth_loses_what_the_noise_takes():
    """Noise is on the test rows too: R2 of the truth is 1 - level."""
    judgement = judge_runs()
    result = examine_noise(judgement)
    official = judgement.aspects.query("aspect == 'property' and dataset.str.startswith('noise_')")
    official = official.set_index(["method", "dataset"])["value"]
    own = result.cells.set_index(["method", "dataset"])["sensitivity"]
    np.testing.assert_allclose(own, official.reindex(own.index), rtol=1e-9)
    truth = result.levels[result.levels["method"] == THE_TRUTH]
    np.testing.assert_allclose(truth["value"], 1 - truth["noise_level"], atol=0.01)
    assert THE_TRUTH not in set(result.overall["method"])
    levels = result.levels.set_index(["method", "noise_level"])["value"]
    distance = np.mean([abs(levels["ffx", n] - levels[THE_TRUTH, n]) for n in (0, 0.05, 0.1, 0.15)])
    assert result.overall.set_index("method")["distance"]["ffx"] == pytest.approx(distance)


def test_runs_without_two_levels_are_refused():
    frame = judge_runs().assessments
    with pytest.raises(InputError, match="a dataset at two noise levels was expected"):
        examine_noise(judge_runs(frame[frame["dataset"] == "localopt_easy"]))


def test_the_clean_level_stays_where_the_score_reads_no_reference():
    """And the ledger says nothing of absent runs there, as they cost nothing."""
    table = {(method, name): {"r2_test": [0.9, 0.9]} for method in "ab" for name in DATASETS}
    del table["b", "noise_base"]
    for score, lines in (("ratio", 1), ("r2_test", 0)):
        chosen = rules("judging-2022", repetitions=2, properties={"noise_sensitivity": score})
        judgement = judge(runs(table, 2), problems(), chosen)
        assert (judgement.ledger["code"] == "missing_runs").sum() == lines
        assert set(examine_noise(judgement).levels["noise_level"]) == {0, 0.05, 0.15}
