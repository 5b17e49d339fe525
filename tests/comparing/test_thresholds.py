"""Levels and limits, each against a number that a reader can work out."""

import numpy as np
import pandas as pd

from srlib.comparing.metrics import ACCURATE
from srlib.comparing.profiles import intervals


def test_an_accuracy_solution_is_above_three_nines() -> None:
    r2 = pd.Series([0.9989, 0.999, 0.99901, 1.0])
    assert (r2 > ACCURATE).tolist() == [False, False, True, True]


def test_intervals_have_95_percent_unless_asked_otherwise() -> None:
    values = pd.DataFrame({"A": np.arange(41.0)})
    said = intervals(values, seed=1)
    assert said.equals(intervals(values, seed=1, level=0.95))
    narrow = intervals(values, seed=1, level=0.9)
    assert (narrow["high"] - narrow["low"] < said["high"] - said["low"]).all()
