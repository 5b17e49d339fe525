"""Tests by drawn signs: agreement with scipy's permutation test, and with counting by hand."""

import numpy as np
import pytest
from scipy import stats

from srlib.comparing.permutation import flip_p, sign_flips


@pytest.mark.parametrize("seed", range(6))
def test_a_mean_difference_is_tested_as_scipy_does(seed):
    gap = np.random.default_rng(seed).integers(-3, 5, 11) / 10
    expected = stats.permutation_test(
        (gap,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_flips(gap, 0.1)[1] == pytest.approx(expected, abs=1e-12)


def test_too_few_and_no_differences():
    assert np.isnan(sign_flips([0.1] * 5, 0.1)).all()
    assert sign_flips([0.0] * 9, 0.1) == (0.0, 1.0)
    assert sign_flips([0.1, 0.2, np.nan, 0.1, 0.3, 0.1, 0.1], 0.1)[1] == 2 / 64


def test_large_and_many_numbers_agree_with_the_normal():
    gap = np.random.default_rng(0).normal(0.05, 1, 900)
    whole = flip_p(gap * 1e9)  # on a coarser grid
    normal = 2 * stats.norm.sf(abs(gap.sum()) / np.sqrt((gap**2).sum()))
    assert whole == pytest.approx(normal, rel=0.02)
    assert flip_p(np.r_[gap, gap] * 1e6) == pytest.approx(
        2 * stats.norm.sf(abs(gap.sum()) * 2 / np.sqrt(2 * (gap**2).sum())), rel=1e-3
    )
