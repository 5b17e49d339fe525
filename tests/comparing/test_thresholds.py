"""Priors, ropes, levels and limits, each against a number that a reader can work out."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from srlib.comparing.metrics import ACCURATE
from srlib.comparing.posterior import signed_rank_posterior
from srlib.comparing.profiles import intervals


@pytest.mark.parametrize(
    ("difference", "least"),
    [
        (0.5, 1.0),  # 2d < 2 ropes: no average is beyond, whatever the weight
        (1.5, np.sqrt(0.5)),  # only those of the differences with themselves: w**2 > 1/2
        (2.5, 1 - np.sqrt(0.5)),  # all but that of 0 with itself: (1 - w)**2 < 1/2
    ],
)
def test_equal_differences_and_the_prior(difference: float, least: float) -> None:
    """Six equal differences have together the weight w, which is Beta(6, 1/2), as the prior weighs 1/2."""
    share = float(beta.sf(least, 6, 0.5))
    left, rope, right = signed_rank_posterior([difference] * 6, [0.0] * 6, rope=1.0, samples=40_000)
    assert left == pytest.approx(share, abs=0.005)
    assert rope == pytest.approx(1 - share, abs=0.005)
    assert right == 0
    assert signed_rank_posterior([0.0] * 6, [difference] * 6, 1.0, 40_000)[2] == left


def test_an_accuracy_solution_is_above_three_nines() -> None:
    r2 = pd.Series([0.9989, 0.999, 0.99901, 1.0])
    assert (r2 > ACCURATE).tolist() == [False, False, True, True]


def test_intervals_have_95_percent_unless_asked_otherwise() -> None:
    values = pd.DataFrame({"A": np.arange(41.0)})
    said = intervals(values, seed=1)
    assert said.equals(intervals(values, seed=1, level=0.95))
    narrow = intervals(values, seed=1, level=0.9)
    assert (narrow["high"] - narrow["low"] < said["high"] - said["low"]).all()
