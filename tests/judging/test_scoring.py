"""The scorer on arrays: an example to redo by hand, and what must not change a ranking."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from srlib.judging.scoring import ScoringPlan, places, score
from tests.builders import examples
from tests.judging.small import ranks, rules, verdict

JUDGE = rules().judge
PLAN = ScoringPlan(
    sign=np.array([[1, 1], [1, 1], [1, -1]]),
    digits=(3, None, None),
    accuracy=0,
    prop=2,
    scored=np.array([True, True]),
    reference=np.array([-1, -1]),
    gap=np.full(2, np.nan),
    floor=np.full((3, 2), np.nan),
    best=np.nan,
    expected=np.array(1),
    weight=np.ones(2),
)


def test_three_methods_two_datasets_three_aspects_by_hand():
    """One repetition each, as a reader can redo it.

    dataset 1: accuracy  .9994 .9991 .5 -> .999 .999 .5 -> ranks 3 3 2
                simplicity -1 -2 -0.5             -> ranks 2 1 3
                property   1 0 0                  -> ranks 3 2 2
                harmonic   3/(1/3+1/2+1/3) = 18/7; 3/(1/3+1+1/2) = 18/11; 3/(1/2+1/3+1/2) = 9/4
    dataset 2: accuracy  .1 .2 .3                -> ranks 1 2 3
                simplicity -1 -1 -1               -> ranks 3 3 3
                property (lower is better) .5 .1 .9 -> ranks 2 3 1
                harmonic   3/(1+1/3+1/2) = 18/11; 3/(1/2+1/3+1/3) = 18/7; 3/(1/3+1/3+1) = 9/5
    final: A (18/7+18/11)/2, B the same, C (9/4+9/5)/2 = 2.025
    """
    text = "0.9994 0.9991 0.5  0.1 0.2 0.3   -1 -2 -0.5  -1 -1 -1   1 0 0  0.5 0.1 0.9"
    values = np.array(text.split(), float).reshape(3, 2, 3, 1)
    result = score(values, PLAN, JUDGE)
    assert result.ranks[:, 0].tolist() == [[3, 3, 2], [2, 1, 3], [3, 2, 2]]
    assert result.ranks[:, 1].tolist() == [[1, 2, 3], [3, 3, 3], [2, 3, 1]]
    by_dataset = [[18 / 7, 18 / 11, 9 / 4], [18 / 11, 18 / 7, 9 / 5]]
    np.testing.assert_allclose(result.dataset_scores, by_dataset, rtol=1e-14)
    np.testing.assert_allclose(result.final, np.mean(by_dataset, axis=0), rtol=1e-14)


@pytest.mark.parametrize("rank_per", ["aggregate", "repetition"])
@pytest.mark.parametrize("aggregate", ["mean", "median"])
@given(data=st.data())
@examples(40)
def test_invariant_to_the_order_of_methods_and_repetitions(rank_per, aggregate, data):
    shape = (3, 2, data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4)))
    cell = st.one_of(st.just(np.nan), st.integers(-5, 5).map(float), st.floats(-3, 1))
    values = data.draw(arrays(float, shape, elements=cell))
    judge = JUDGE.model_copy(update={"rank_per": rank_per, "aggregate": aggregate})
    methods, runs = (list(data.draw(st.permutations(range(n)))) for n in shape[2:])
    final = score(values, PLAN, judge).final
    shuffled = score(values[:, :, methods][..., runs], PLAN, judge).final
    np.testing.assert_array_equal(shuffled, final[methods])


DATASETS = ("beyond", "formula", "noise_base", "noise_easy", "optima", "select")
FILES = ("judging-2022", "proposal-2022", "competition-2023", "judging-2026")


@cache
def judge_all(name, ties):
    """Judge three methods with all their runs on all datasets."""
    cells = {(method, dataset): {} for method in "ABC" for dataset in DATASETS}
    return verdict(cells, rules(name, repetitions=3, ties=ties))


@pytest.mark.parametrize("name", FILES)
@given(seed=st.integers(0, 2**32), ties=st.sampled_from(["dense", "min", "average"]))
@examples(40)
def test_a_run_that_is_not_the_worst_of_its_cell_never_pays_by_being_absent(name, seed, ties):
    """No value and no score gets better, and with ties that are not dense no place."""
    judgement = judge_all(name, ties)
    plan, judge, rng = judgement.scoring.plan, judgement.rules.judge, np.random.default_rng(seed)
    assert judge.incomplete == "floor"
    measured = judgement.scoring.values
    values = rng.choice([-2, -0.5, 0, 0.25, 0.5, 0.9, 1], measured.shape)
    values[:, rng.random(measured.shape[1:]) < 0.25] = np.nan
    values[np.isnan(measured)] = np.nan
    oriented = values * plan.sign[..., None, None]
    n_not_better = (oriented[..., None, :] <= oriented[..., None]).sum(axis=-1)
    runs = np.argwhere(((n_not_better > 1) | np.isnan(values)).all(axis=0) & ~np.isnan(values[0]))
    assume(len(runs))
    d, m, r = rng.choice(runs)
    deleted = values.copy()
    deleted[:, d, m, r] = np.nan
    before, after = score(values, plan, judge), score(deleted, plan, judge)
    old, new = (plan.sign * steps.aggregated[..., m] for steps in (before, after))
    assert (np.isnan(new) | (new <= old + 1e-9)).all()
    assert np.nan_to_num(after.final)[m] <= np.nan_to_num(before.final)[m] + 1e-9
    if ties != "dense":
        assert places(after.final)[m] >= places(before.final)[m]


@pytest.mark.parametrize("rank_per", ["aggregate", "repetition"])
@given(seed=st.integers(0, 2**32), factor=st.sampled_from([1 / 3, 0.1, 7.0]))
@examples(40)
def test_a_common_factor_changes_no_rank(rank_per, seed, factor):
    """Rounding errors of means neither make ties nor break them, and a huge value makes none."""
    plan = replace(PLAN, digits=(None,) * 3)
    judge = JUDGE.model_copy(update={"rank_per": rank_per})
    values = np.random.default_rng(seed).choice([0.1, 0.2, 0.3, 0.7, -0.6, 1 / 7], (3, 2, 6, 10))
    values[:, :, -1] = -1e60 * plan.sign[..., None]
    ranks, scaled = (score(part, plan, judge).ranks for part in (values, values * factor))
    np.testing.assert_array_equal(scaled, ranks)
    assert places(np.array([2.0, 2.0 - 1e-15, 2.1 - 0.1, 1.0])).tolist() == [1, 1, 1, 4]


def test_a_noise_sensitivity_without_bound_makes_no_ties():
    """C's R2 on noisy data is nearly the lowest number: its sensitivity is infinite, and A and B stay apart."""
    table = """
    A noise_base: {r2_test: 0.95}
    B noise_base: {r2_test: 0.95}
    C noise_base: {r2_test: 0.95}
    A noise_easy: {r2_test: 0.9}
    B noise_easy: {r2_test: 0.8}
    C noise_easy: {r2_test: -1.7e+308}
    """
    judgement = verdict(table, rules(repetitions=2))
    assert ranks(judgement, "noise_easy", "property") == [3, 2, 1]
