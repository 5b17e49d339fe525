"""The scorer on arrays: an example to redo by hand, and what must not change a ranking."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from srlib.judging.scoring import ScoringPlan, score
from srlib.rules import load_rules

JUDGE = load_rules("judging-2022").judge


def design(aspects: int, datasets: int, digits=(3, None, None), **changes) -> ScoringPlan:
    fields = {
        "sign": np.ones((aspects, datasets)),
        "digits": digits[:aspects],
        "accuracy": 0,
        "prop": 2,
        "scored": np.ones(datasets, dtype=bool),
        "reference": np.full(datasets, -1),
        "gap": np.full(datasets, np.nan),
        "floor": np.full((aspects, datasets), np.nan),
        "best": np.nan,
        "expected": np.array(1),
        "weight": np.ones(datasets),
    }
    return ScoringPlan(**(fields | changes))


def test_three_methods_two_datasets_three_aspects_by_hand() -> None:
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
    values = np.array(
        [
            [[0.9994, 0.9991, 0.5], [0.1, 0.2, 0.3]],
            [[-1.0, -2.0, -0.5], [-1.0, -1.0, -1.0]],
            [[1.0, 0.0, 0.0], [0.5, 0.1, 0.9]],
        ]
    )[..., None]
    sign = np.ones((3, 2))
    sign[2, 1] = -1
    result = score(values, design(3, 2, sign=sign), JUDGE)
    assert result.ranks[:, 0].tolist() == [[3, 3, 2], [2, 1, 3], [3, 2, 2]]
    assert result.ranks[:, 1].tolist() == [[1, 2, 3], [3, 3, 3], [2, 3, 1]]
    np.testing.assert_allclose(
        result.dataset_scores, [[18 / 7, 18 / 11, 9 / 4], [18 / 11, 18 / 7, 9 / 5]], rtol=1e-14
    )
    np.testing.assert_allclose(result.final, [(18 / 7 + 18 / 11) / 2] * 2 + [2.025], rtol=1e-14)


def test_batch_axes_are_free() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(5, 2, 3, 4, 6, 10))
    plan = design(3, 4)
    together = score(values, plan, JUDGE).final
    assert together.shape == (5, 2, 6)
    np.testing.assert_array_equal(together[3, 1], score(values[3, 1], plan, JUDGE).final)


@pytest.mark.parametrize("rank_per", ["aggregate", "repetition"])
@pytest.mark.parametrize("aggregate", ["mean", "median"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_invariant_to_the_order_of_methods(
    rank_per: str, aggregate: str, data: st.DataObject
) -> None:
    shape = (3, 2, data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4)))
    cell = st.one_of(st.just(np.nan), st.integers(-5, 5).map(float), st.floats(-3, 1))
    values = data.draw(arrays(float, shape, elements=cell))
    judge = JUDGE.model_copy(update={"rank_per": rank_per, "aggregate": aggregate})
    order = np.array(data.draw(st.permutations(range(shape[2]))))
    plan = design(3, 2, expected=3)
    np.testing.assert_array_equal(
        score(values[:, :, order], plan, judge).final, score(values, plan, judge).final[order]
    )


@given(values=arrays(float, (3, 2, 4, 5), elements=st.floats(-2, 1)), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_invariant_to_the_order_of_repetitions(values: np.ndarray, seed: int) -> None:
    shuffled = np.random.default_rng(seed).permuted(values, axis=-1)
    plan = design(3, 2, expected=10)
    np.testing.assert_array_equal(
        score(shuffled, plan, JUDGE).final, score(values, plan, JUDGE).final
    )


def test_lost_runs_do_not_calm_noise() -> None:
    """A: .9 on the reference, .5 with noise -> 4. Its reference runs lost but one: .9 .1 .1 would make it 1.33."""
    values = np.full((3, 2, 2, 3), np.nan)
    values[0] = [[[0.5] * 3, [0.1] * 3], [[0.9] * 3, [0.1] * 3]]
    values[1] = -1.0
    fields = {
        "reference": np.array([1, -1]),
        "gap": np.array([0.1, np.nan]),
        "scored": np.array([True, False]),
        "expected": np.array(3),
    }
    plan = design(3, 2, digits=(None, None, None), **fields)
    np.testing.assert_allclose(score(values, plan, JUDGE).aggregated[2, 0], [4, 0])
    values[0, 1, 0, 1:] = np.nan
    np.testing.assert_allclose(score(values, plan, JUDGE).aggregated[2, 0], [4, 0])
    values[0, 0, 0, 1:] = np.nan
    np.testing.assert_allclose(
        score(values, plan, JUDGE).aggregated[2, 0, 0], (0.9 - (0.5 + 0.1 + 0.1) / 3) / 0.1
    )
