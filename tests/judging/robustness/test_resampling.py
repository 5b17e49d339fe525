"""Resampling: shares that can be worked out by hand, and what must not change them."""

import numpy as np
import pytest

from srlib.judging.robustness import resampling
from srlib.judging.robustness.resampling import resample
from srlib.judging.run_values import arrange
from srlib.judging.scoring import places
from tests.judging.robustness.cases import judged, varied


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


def test_a_seed_repeats_and_another_does_not(tmp_path):
    judgement = varied(tmp_path)
    first, again, other = (resample(judgement, 300, seed).final for seed in (1, 1, 2))
    assert (first == again).all() and not (first == other).all()


def test_runs_are_drawn_within_their_cell_and_absent_ones_stay_absent(tmp_path):
    judgement = varied(tmp_path)
    values, _ = arrange(judgement.screened, judgement.rules.judge)
    usable = np.isfinite(values).any(axis=0)
    runs = resampling._draw_runs(usable, 60, np.random.default_rng(0))
    drawn = np.take_along_axis(values[None], runs[:, None], axis=-1)
    assert (np.isfinite(drawn).any(axis=1).sum(axis=-1) == usable.sum(axis=-1)).all()
    for cell in np.ndindex(usable.shape[:2]):
        present = {tuple(run) for run in np.nan_to_num(values[:, *cell]).T}
        parts = np.nan_to_num(drawn[:, :, *cell]).transpose(0, 2, 1).reshape(-1, 3)
        assert {tuple(run) for run in parts} == present


def test_references_of_noisy_datasets_are_drawn_along(tmp_path):
    """The noisy runs are all alike; the sensitivity varies only if the clean ones are drawn."""
    quality = {("A", "noisy"): [0.5, 0.5], ("A", "clean"): [0.5, 0.9], ("B", "noisy"): [0.5, 0.5]}
    quality["B", "clean"] = [0.7, 0.7]
    assert set(np.unique(resample(judged(quality, tmp_path), 400).final)) == {1.5, 2.0}
