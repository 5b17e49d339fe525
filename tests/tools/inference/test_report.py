"""Resampled ranks and curves of the report that can be redone by hand."""

from io import StringIO

import pandas as pd
import pytest

from srlib import displays
from srlib.tools.inference.resampling import resample_instances

SCORES = """\
solver task instance time_limit_s score
a      PR   x        1            100
a      PR   y        1            0
a      PR   x        9            100
a      PR   y        9            50
b      PR   x        1            50
b      PR   y        1            50
c      PR   x        1            0
c      PR   y        1            100
"""


@pytest.fixture
def scores():
    return pd.read_csv(StringIO(SCORES), sep=r"\s+")


def test_resampled_shares_are_those_by_hand(scores):
    """With instance x a wins, with y c wins; half of the draws hold both."""
    few = scores[scores["time_limit_s"] == 1]
    first, again, other = (resample_instances(few, None, 4000, seed) for seed in (1, 1, 2))
    assert first.set_index("solver")["p_win"].loc[["a", "b", "c"]].tolist() == pytest.approx(
        [0.25 + 1 / 6, 1 / 6, 0.25 + 1 / 6], abs=0.03
    )
    assert first.equals(again) and not first.equals(other)


def test_curves_hold_their_numbers(scores):
    means = displays.CurvesDisplay.from_scores(scores[scores["solver"] == "a"]).numbers
    assert means[["time_limit_s", "score"]].to_numpy().tolist() == [[1, 50], [9, 75]]
