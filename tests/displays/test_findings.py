"""What a figure says first follows from its numbers."""

import numpy as np
import pandas as pd
import pytest

from srlib import displays


def dots(values):
    numbers = pd.DataFrame({"panel": "R² (higher is better)", "series": "", "method": ["a", "b"]})
    return displays.DotsDisplay(numbers=numbers.assign(value=values, low=values, high=values))


@pytest.mark.parametrize(
    ("values", "finding"),
    [
        ([0.25, 0.5], "Highest R²: b (0.5)."),
        ([0.75, 0.5], "Highest R²: a (0.75)."),
        ([0.5, 0.5 + 1e-12], "Highest R²: a and b (0.5)."),
        ([0.25, np.nan], "Highest R²: a (0.25)."),
        ([np.nan, np.nan], ""),
    ],
)
def test_the_finding_changes_with_the_numbers(values, finding):
    assert dots(values).finding == finding


def test_finding_stands_before_the_caption(capsys):
    displays.Page({}).figure(dots([0.25, 0.5]), "dots", "Dots")
    assert "Highest R²: b (0.5). Dots." in capsys.readouterr().out
