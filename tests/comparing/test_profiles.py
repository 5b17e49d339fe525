"""Intervals and profiles by hand."""

import numpy as np
import pandas as pd

from srlib.comparing.profiles import intervals, profile, profile_area


def test_intervals_are_those_of_resampled_medians():
    values = pd.DataFrame({"A": np.arange(41.0), "B": np.nan})
    table = intervals(values)
    number, median, low, high = table.loc["A"]
    assert (number, median) == (41, 20) and 5 < low < 20 < high < 35
    assert table.loc["B", "n_datasets"] == 0 and intervals(values).equals(table)


def test_the_area_is_that_below_the_profile():
    values = pd.DataFrame({"A": [0.25, 0.5, -3.0, 1.0], "B": [np.nan, 0.5, 0.5, 0.5]})
    shares = profile(values, [0.25, 0.5, 0.75, 1.0])  # each reached over a quarter of the axis
    assert profile_area(values).tolist() == shares.mean().tolist() == [0.4375, 0.375]


def test_datasets_of_one_unit_are_drawn_together_and_those_without_a_unit_alone():
    values = pd.DataFrame({"A": [1.0, 1.0, 1.0, 5.0, 6.0]}, index=list("abcde"))
    units = pd.Series("f", values.index)
    assert intervals(values, units=units).loc["A"].tolist() == [5, 1, 1, 1]
    assert intervals(values, units=units[:0]).equals(intervals(values))
