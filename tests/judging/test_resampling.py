"""Resampling: shares that can be worked out by hand."""

import numpy as np
import pytest

from srlib.judging.robustness import Resampling, resample
from srlib.judging.scoring import places
from tests.judging.cases import judged


def test_shares_of_resampled_runs_by_hand():
    """A has 1 and 0, B .6 twice: A's mean is 1 in a quarter of the draws, .5 in half, 0 in a quarter."""
    draws = resample(judged("{A d1: [1.0, 0.0], B d1: [0.6, 0.6]}"), 4000)
    assert draws.table["p_win"].tolist() == pytest.approx([0.25, 0.75], abs=0.03)


def test_shares_of_resampled_sources_by_hand():
    """A wins d1, B wins d2 by as much: each wins when its dataset is drawn twice, else they share the place."""
    draws = resample(judged("{A d1: [0.9], B d1: [0.5], A d2: [0.5], B d2: [0.9]}"), 4000)
    assert (places(draws.final) == 1).all(axis=1).mean() == pytest.approx(0.5, abs=0.03)
    assert draws.table["p_win"].tolist() == pytest.approx([0.5, 0.5], abs=0.03)
    assert draws.table["p_top_3"].tolist() == [1, 1]
    assert draws.table["p_win"].sum() == pytest.approx(1)


@pytest.mark.parametrize(("often", "low", "high"), [(2, 1, 1), (3, 1, 2), (97, 1, 2), (98, 2, 2)])
def test_the_interval_of_ranks_has_95_percent(often, low, high):
    """Of 100 competitions B wins `often`: the 2.5 worst and the 2.5 best of A's ranks are left out."""
    final = np.tile([1.0, 0.0], (100, 1))
    final[:often, 1] = 2.0
    table = Resampling(("A", "B"), final).table
    assert table.loc[0, ["rank_low", "rank_high"]].tolist() == [low, high]
