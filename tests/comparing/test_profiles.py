import numpy as np
import pandas as pd
from hypothesis import strategies as st

from srlib.comparing.profiles import intervals, profile, profile_area

points = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12)


def test_intervals_are_those_of_resampled_medians():
    values = pd.DataFrame({"A": np.arange(41.0), "B": np.nan})
    row = intervals(values).loc["A"]
    assert row["value"] == 20 and row["low"] < 20 < row["high"]
    assert row["low"] > 5 and row["high"] < 35
    assert intervals(values).equals(intervals(values))
    assert intervals(values).loc["B", "n_datasets"] == 0


def test_the_area_is_that_below_the_profile():
    values = pd.DataFrame({"A": [0.25, 0.5, -3.0, 1.0], "B": [np.nan, 0.5, 0.5, 0.5]})
    grid = np.linspace(0, 1, 20_001)[1:]
    below = profile(values, grid).mean()
    np.testing.assert_allclose(below, profile_area(values), atol=1e-4)
    assert profile_area(values).tolist() == [0.4375, 0.375]


def test_datasets_of_one_unit_are_drawn_together_and_those_without_a_unit_alone():
    values = pd.DataFrame({"A": [1.0, 1.0, 1.0, 5.0, 6.0]}, index=list("abcde"))
    units = pd.Series("f", values.index)
    assert intervals(values, units=units).loc["A"].tolist() == [5, 1, 1, 1]
    assert intervals(values, units=units[:0]).equals(intervals(values))
