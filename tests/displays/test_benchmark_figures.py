"""Figures of comparisons: numbers by hand, room for 30 methods with long names, and what they say in words."""

import numpy as np
import pandas as pd
import pytest

from srlib.displays.figures.heatmap import PairsDisplay
from srlib.displays.figures.pareto import ParetoDisplay
from tests.comparing.small import comparison_of


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


def test_the_heat_map_shows_direction_and_correction(three):
    shown = PairsDisplay.from_comparison(comparison_of(three))
    assert shown.order == ("A", "B", "C")
    assert shown.title == "Wilcoxon signed-rank test, Holm's correction for 3 tests"
    matrix = shown.matrix()  # p = 2/2^8 times three: what C lacks is a loss
    assert matrix[np.triu_indices(3, 1)].tolist() == [1, 1, 1] and np.isnan(np.diag(matrix)).all()
    assert (matrix[np.tril_indices(3, -1)] == -1).all()
    assert shown.numbers["better"].tolist() == ["A", "A", "B"]
    lower = PairsDisplay.from_comparison(comparison_of(three.dropna(), "rmse_test"))
    assert lower.order == ("C", "B", "A") and lower.matrix()[0, 2] == 1
    assert [text.get_text() for text in lower.plot().ax_.texts][:2] == ["+", "+"]


def test_a_small_first_front_has_names_and_the_legend_has_all():
    generator = np.random.default_rng(3)
    names = [f"method {i}" for i in range(18)]
    values = pd.DataFrame(generator.normal(0.95, 0.002, (9, 18)), columns=names)
    values["method 0"] -= 7
    sizes = -values + generator.normal(0, 0.002, (9, 18))
    shown = ParetoDisplay.from_values([(("a", sizes, "lower"), ("b", values, "higher"))])
    (axes,) = shown.plot().ax_
    first = shown.numbers.query("front == 1")["method"]
    assert {text.get_text() for text in axes.texts} == {*first} and len(first) < 9
    assert axes.get_yscale() == "symlog" and axes.get_ylim()[0] < -6
    legend = [text.get_text() for text in shown.figure_.legends[0].get_texts()]
    assert set(names) < set(legend)


def test_names_of_the_first_front_stand_inside_the_panel():
    values = pd.DataFrame({"first of all": [0.99], "in between": [0.9], "the last of all": [0.5]})
    sizes = pd.DataFrame({"first of all": [50.0], "in between": [9.0], "the last of all": [2.0]})
    pair = (("size", sizes, "lower"), ("R2", values, "higher"))
    figure = ParetoDisplay.from_values([pair]).plot().figure_
    figure.draw_without_rendering()
    (axes,) = figure.axes
    panel = axes.get_window_extent()
    assert len(axes.texts) == 3
    for text in axes.texts:
        box = text.get_window_extent()
        assert panel.x0 <= box.x0 and box.x1 <= panel.x1
