"""Figures of comparisons: numbers by hand, room for 30 methods with long names, and what they say in words."""

import numpy as np
import pandas as pd
import pytest

from srlib.displays.figures.pareto import ParetoDisplay


@pytest.fixture
def three():
    """A before B before C on each of eight datasets; C lacks one."""
    values = (
        pd.DataFrame({"C": 0.1, "A": 0.9, "B": 0.5}, index=range(8)) + np.arange(8)[:, None] / 100
    )
    values.loc[7, "C"] = np.nan
    return values


def test_the_front_is_what_nobody_dominates(three):
    sizes = pd.DataFrame({"A": 10.0, "B": 100.0, "C": 1.0}, index=three.index)
    shown = ParetoDisplay.from_values([(("size", sizes, "lower"), ("R²", three, "higher"))])
    assert shown.numbers[["method", "front"]].to_numpy().tolist() == [["C", 1], ["A", 1], ["B", 2]]
    assert shown.numbers[["x_name", "y_name"]].to_numpy().tolist()[0] == [
        "size (lower is better)",
        "R² (higher is better)",
    ]
    assert len(shown.plot().ax_) == 1


def test_the_legend_has_all_and_what_lies_far_below_is_in_sight():
    generator = np.random.default_rng(3)
    names = [f"method {i}" for i in range(18)]
    values = pd.DataFrame(generator.normal(0.95, 0.002, (9, 18)), columns=names)
    values["method 0"] -= 7
    sizes = -values + generator.normal(0, 0.002, (9, 18))
    shown = ParetoDisplay.from_values([(("a", sizes, "lower"), ("b", values, "higher"))])
    (axes,) = shown.plot().ax_
    assert axes.get_yscale() == "symlog" and axes.get_ylim()[0] < -6
    legend = [text.get_text() for text in shown.figure_.legends[0].get_texts()]
    assert set(names) < set(legend)
