"""Figures of comparisons: numbers by hand, room for 30 methods with long names, and what they say in words."""

import numpy as np
import pandas as pd
import pytest

from srlib.displays.figures.dots import DotsDisplay
from srlib.displays.figures.pairs import PairsDisplay
from srlib.displays.figures.pareto import ParetoDisplay
from srlib.displays.figures.profiles import ProfilesDisplay


@pytest.fixture
def three():
    """A before B before C on each of eight datasets; C lacks one."""
    values = (
        pd.DataFrame({"C": 0.1, "A": 0.9, "B": 0.5}, index=range(8)) + np.arange(8)[:, None] / 100
    )
    values.loc[7, "C"] = np.nan
    return values


def test_dots_are_medians_with_the_best_on_top(three):
    shown = DotsDisplay.from_values({"R²": {"all": three}})
    assert shown.numbers["method"].tolist() == ["A", "B", "C"]
    assert shown.numbers["n_datasets"].tolist() == [8, 8, 7]
    assert shown.numbers["value"].tolist() == pytest.approx([0.935, 0.535, 0.13])
    inside = shown.numbers[["low", "value", "high"]].to_numpy()
    assert (np.diff(inside) >= 0).all()
    assert shown.plot().ax_[0].get_yticklabels()[0].get_text() == "A"
    assert DotsDisplay.from_values({"R²": {"all": three}}, ascending=True).numbers[
        "method"
    ].tolist() == ["C", "B", "A"]


def test_rates_are_means(three):
    assert DotsDisplay.from_values({"R²": {"all": three}}, rates=True).numbers["value"].tolist()[
        2
    ] == pytest.approx(0.13)


def test_the_front_is_what_nobody_dominates(three):
    sizes = pd.DataFrame({"A": 10.0, "B": 100.0, "C": 1.0}, index=three.index)
    shown = ParetoDisplay.from_values([(("size", sizes, "lower"), ("R²", three, "higher"))])
    assert shown.numbers[["method", "front"]].to_numpy().tolist() == [["C", 1], ["A", 1], ["B", 2]]
    assert shown.numbers[["x_name", "y_name"]].to_numpy().tolist()[0] == [
        "size (lower is better)",
        "R² (higher is better)",
    ]
    assert len(shown.plot().ax_) == 1


def test_profiles_count_what_is_missing_as_not_reached(three):
    shown = ProfilesDisplay.from_values(three)
    assert shown.numbers["method"].tolist() == ["A", "B", "C"]
    assert shown.numbers["area"].tolist() == pytest.approx([0.935, 0.535, 0.13 * 7 / 8])
    assert shown.numbers["share_at_0"].tolist() == [1, 1, 7 / 8]
    assert shown.numbers["share_at_0.5"].tolist() == [1, 1, 0]


def test_the_heat_map_shows_direction_and_correction(three):
    shown = PairsDisplay.from_values(three, "bonferroni")
    assert shown.order == ("A", "B", "C")
    assert shown.title == "Wilcoxon signed-rank test, Bonferroni's correction for 3 tests"
    matrix = shown.matrix()  # p = 2/2^8 and 2/2^7, times three
    assert matrix[np.triu_indices(3, 1)].tolist() == [1, 1, 1] and np.isnan(np.diag(matrix)).all()
    assert (matrix[np.tril_indices(3, -1)] == -1).all()
    assert shown.numbers["better"].tolist() == ["A", "B", "A"]
    lower = PairsDisplay.from_values(three, "none", "lower")
    assert lower.order == ("C", "B", "A") and lower.matrix()[0, 2] == 1
    assert [text.get_text() for text in lower.plot().ax_.texts][:2] == ["+", "+"]


def test_pairs_that_are_equal_or_untested(three):
    same = three.assign(B=three["A"], C=np.nan)
    shown = PairsDisplay.from_values(same)
    matrix = shown.matrix()
    place = {name: row for row, name in enumerate(shown.order)}
    assert matrix[place["A"], place["B"]] == 0 and np.isnan(matrix[place["A"], place["C"]])
    shown.plot()


def test_the_first_front_and_who_stands_at_the_edge_have_names_and_the_legend_has_all():
    generator = np.random.default_rng(3)
    values = pd.DataFrame(
        generator.normal(0.95, 0.002, (9, 18)), columns=[f"method {i}" for i in range(18)]
    )
    values["method 0"] -= 7
    sizes = -values + generator.normal(0, 0.002, (9, 18))
    shown = ParetoDisplay.from_values([(("a", sizes, "lower"), ("b", values, "higher"))])
    axes = shown.plot().ax_[0]
    texts = [text.get_text() for text in axes.texts]
    (far,) = [text for text in texts if "(" in text]
    value = shown.numbers.set_index("method").loc["method 0"]
    assert far == f"method 0 (x = {value.x:.3g}) (y = {value.y:.3g})".replace("-", "\u2212")
    assert {*texts} - {far} == {*shown.numbers.query("front == 1")["method"]}
    low, high = axes.get_ylim()
    others = shown.numbers.query("method != 'method 0'")
    assert value.y < -5 < 0.9 < low and np.ptp(others["y"]) > 0.2 * (high - low)
    legend = [text.get_text() for text in shown.figure_.legends[0].get_texts()]
    assert set(values.columns) < set(legend)


def test_related_datasets_are_drawn_together_unless_there_is_one_source_only(three):
    values = pd.concat([three] * 5, ignore_index=True)
    family = pd.Series([f"s{i % 8}" for i in range(40)], values.index)
    wide, narrow, alone = (
        DotsDisplay.from_values({"R2": {"all": values}}, related=related).numbers.set_index(
            "method"
        )
        for related in (family, None, pd.Series("one", values.index))
    )
    width = wide["high"] - wide["low"], narrow["high"] - narrow["low"]
    assert (width[0] > width[1]).all() and alone["low"].equals(narrow["low"])
