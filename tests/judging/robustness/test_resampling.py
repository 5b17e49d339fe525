"""Resampling: shares that can be worked out by hand, and what must not change them."""

import pytest

from srlib.judging.robustness.examination import resample
from srlib.judging.scoring import places
from tests.judging.robustness.cases import judged


def share(draws, method, column="p_win"):
    return draws.table.set_index("method").loc[method, column]


def test_shares_of_resampled_runs_by_hand(tmp_path):
    """A has 1 and 0, B .6 twice: A's mean is 1 in a quarter of the draws, .5 in half, 0 in a quarter."""
    draws = resample(judged({("A", "d1"): [1.0, 0.0], ("B", "d1"): [0.6, 0.6]}, tmp_path), 4000)
    assert share(draws, "A") == pytest.approx(0.25, abs=0.03)


def test_shares_of_resampled_sources_by_hand(tmp_path):
    """A wins d1, B wins d2 by as much: each wins when its dataset is drawn twice, else they share the place."""
    accuracies = {("A", "d1"): [0.9], ("B", "d1"): [0.5], ("A", "d2"): [0.5], ("B", "d2"): [0.9]}
    draws = resample(judged(accuracies, tmp_path), 4000)
    assert (places(draws.final) == 1).all(axis=1).mean() == pytest.approx(0.5, abs=0.03)
    assert share(draws, "A") == pytest.approx(0.5, abs=0.03)
    assert share(draws, "A", "p_top_3") == 1
    assert draws.table["p_win"].sum() == pytest.approx(1)
