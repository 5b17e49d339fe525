"""Noise: the answer in words, and what the figure marks."""

from dataclasses import replace

import pandas as pd
import pytest

from srlib import displays
from srlib.judging.noise import NoiseSensitivity
from srlib.readers.row_checks import THE_TRUTH

LEVELS = (0.0, 0.1)


@pytest.fixture(name="result")
def result_fixture():
    levels = [
        (method, n, 1, 2, 0.9 - slope * n, 0.95 - slope * n, 1 - slope * n)
        for method, slope in {"bold": 3, "calm": 1, THE_TRUTH: 1}.items()
        for n in LEVELS
    ]
    columns = ["method", "noise_level", "datasets", "runs", "low", "value", "high"]
    overall = pd.DataFrame(
        {
            "method": ["calm", "bold", "dull"],
            "sensitivity": [1.0, 3.0, 0.0],
            "distance": [0.0, 0.1, 0.8],
            "guarded": [False, False, True],
            "rank": [1, 2, 3],
        }
    )
    return NoiseSensitivity(pd.DataFrame(levels, columns=columns), pd.DataFrame(), overall)


def test_the_answer_by_hand(result):
    calm = "Least sensitive to noise: calm, 1.000 in test R² per unit of noise. "
    guard = "1 of 3 methods are too inaccurate at every level to be compared."
    assert displays.describe_noise(result) == (
        "calm: closest to what the truth itself reaches, 0.000 away in test R² on average over the noise levels. "
        f"{calm}{guard}"
    )
    unknown = replace(result, overall=result.overall.assign(distance=float("nan")))
    assert displays.describe_noise(unknown) == calm + guard
    level = replace(result, overall=unknown.overall.assign(sensitivity=1.0, guarded=True))
    assert displays.describe_noise(level).startswith(
        "Least sensitive to noise: nobody, all 3 methods are level, 1.000 in test R²"
    )


def test_failed_runs_and_values_below_the_panel_are_marked(result):
    shown = displays.NoiseDisplay.from_sensitivity(result)
    assert shown.methods == ["calm", "bold"]
    first = shown.numbers["method"] == "calm"
    numbers = shown.numbers.assign(runs=shown.numbers["runs"] - first)
    numbers["value"] = numbers["value"].mask(first, -9.0)
    axes = replace(shown, numbers=numbers).plot().ax_
    crosses = [line for line in axes[0].lines if line.get_marker() == "x"]
    assert crosses[0].get_ydata().tolist() == [-0.25] * len(LEVELS)
    assert "(≥ -0.25)" in axes[0].get_ylabel()
    assert not [
        line for line in axes[1].lines if line.get_marker() == "x" and len(line.get_xdata())
    ]
