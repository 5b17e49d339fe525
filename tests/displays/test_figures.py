"""Figures whose numbers can be redone by hand, and what is marked, named or said in place of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import erf

from srlib.displays import (
    CriticalDifferenceDisplay,
    DotsDisplay,
    ExtrapolationDisplay,
    FeatureUseDisplay,
    NoiseDisplay,
    PairsDisplay,
    ParetoDisplay,
    ProfilesDisplay,
    describe_noise,
)
from srlib.judging.noise import NoiseSensitivity
from tests.comparing.small import comparison_of
from tests.displays.made_up import read_table


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (ProfilesDisplay.from_values, "All 3 methods are alike"),
        (lambda values: DotsDisplay.from_values({"": {"": values}}), "All 3 methods are alike"),
        (
            lambda values: PairsDisplay.from_comparison(comparison_of(values)),
            "No pair of methods is told apart.",
        ),
    ],
)
def test_equal_methods_give_a_sentence_in_place_of_a_figure(draw, sentence):
    same = pd.DataFrame(0.5, index=range(12), columns=["a", "b", "c"])
    assert draw(same).replacement.startswith(sentence)
    assert not draw(same.assign(c=0.7)).replacement


def test_critical_difference_bars_join_pairs_not_told_apart():
    """A before B before C on ten datasets, B and C apart by chance: p = 2/2^10 for A, 1 for B and C."""
    values = pd.DataFrame({"C": range(10), "A": range(20, 30), "B": [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]})
    display = CriticalDifferenceDisplay.from_comparison(comparison_of(values))
    assert display.numbers.to_numpy().tolist() == [["A", 1], ["B", 2.5], ["C", 2.5]]
    assert display.groups == [["B", "C"]] and display.bars == [[1, 2]]
    assert display.finding == "Best mean rank: A."
    assert display.with_methods(["B", "C"]).finding == "Best mean rank: B and C."
    assert display.with_methods(["A", "B"]).bars == []
    assert display.alt == (
        "Mean ranks over 10 datasets, 1 is best: A 1.00; B 2.50; C 2.50. Not told apart: B and C."
    )
    few = CriticalDifferenceDisplay.from_comparison(comparison_of(values[:5]))
    assert few.replacement == "No diagram, as the pairs are not tested: 5 datasets; a test needs 6."
    alone = CriticalDifferenceDisplay.from_comparison(comparison_of(values[["A"]]))
    assert alone.plot().ax_.get_xlim() == (1, 2)


def test_pareto_front_has_what_nobody_dominates():
    """A before B before C on each of eight datasets; C lacks one."""
    values = pd.DataFrame({"C": 0.1, "A": 0.9, "B": 0.5}, index=range(8))
    values.loc[7, "C"] = np.nan
    sizes = pd.DataFrame({"A": 10.0, "B": 100.0, "C": 1.0}, index=values.index)
    shown = ParetoDisplay.from_values([(("size", sizes, "lower"), ("R²", values, "higher"))])
    columns = ["x_name", "y_name", "method", "front"]
    names = ["size (lower is better)", "R² (higher is better)"]
    assert shown.numbers[columns].to_numpy().tolist() == [
        [*names, *row] for row in (("C", 1), ("A", 1), ("B", 2))
    ]
    assert ParetoDisplay.from_values([]).replacement == "There is nothing to draw."


def test_values_far_below_are_drawn_on_a_symlog_axis():
    values = pd.DataFrame({"A": [0.9, 0.8], "B": [-7.0, -7.1]})
    shown = ParetoDisplay.from_values([(("a", -values, "lower"), ("b", values, "higher"))])
    (axes,) = shown.plot().ax_
    assert axes.get_yscale() == "symlog" and axes.get_ylim()[0] < -6


NOISE = NoiseSensitivity(
    levels=read_table("""
        method        noise_level runs low  value high
        bold          0.0         2    0.9  0.95  1.0
        bold          0.1         2    0.6  0.65  0.7
        calm          0.0         1    0.9  -9    1.0
        calm          0.1         1    0.8  -9    0.9
        "(the truth)" 0.0         2    0.9  0.95  1.0
        "(the truth)" 0.1         2    0.8  0.85  0.9
    """),
    cells=pd.DataFrame(),
    overall=read_table("""
        method sensitivity distance guarded rank
        calm   1.0         0.0      False   1
        bold   3.0         0.1      False   2
        dull   0.0         0.8      True    3
    """),
)


def test_failed_runs_and_values_below_the_panel_are_marked():
    shown = NoiseDisplay.from_sensitivity(NOISE)
    assert shown.methods == ["calm", "bold"]
    panels = shown.plot().ax_
    crosses = [
        [list(line.get_ydata()) for line in axes.lines if line.get_marker() == "x"]
        for axes in panels
    ]
    assert crosses == [[[-0.25, -0.25]], [[]]] and "(≥ -0.25)" in panels[0].get_ylabel()


def test_noise_sentence_by_hand():
    calm = "Least sensitive to noise: calm, 1.000 in test R² per unit of noise. "
    guard = "1 of 3 methods are too inaccurate at every level to be compared."
    assert describe_noise(NOISE) == (
        "calm: closest to what the truth itself reaches, 0.000 away in test R² on average over the noise levels. "
        f"{calm}{guard}"
    )
    unknown = NOISE.overall.assign(distance=float("nan"))
    assert describe_noise(replace(NOISE, overall=unknown)) == calm + guard
    level = unknown.assign(sensitivity=1.0, guarded=True)
    assert describe_noise(replace(NOISE, overall=level)).startswith(
        "Least sensitive to noise: nobody, all 3 methods are level, 1.000 in test R²"
    )


def test_feature_use_by_hand(demo):
    shown = FeatureUseDisplay.from_judgement(demo, "relevant_features")
    numbers = shown.numbers.set_index(["method", "dataset"])
    cell, rows = numbers.index[0], numbers.loc[numbers.index[0]].set_index("feature")
    used = demo.assessments.set_index(["method", "dataset"]).loc[cell, "features_used"]
    x1, x11 = (np.mean([name in features for features in used]) for name in ("x1", "x11"))
    shares = rows.loc[["x1", "x11"], ["relevant", "other"]].to_numpy()
    assert shares == pytest.approx(np.array([[x1, np.nan], [np.nan, x11]]), nan_ok=True)
    assert rows.index[rows["relevant"].notna()].tolist() == [f"x{i}" for i in range(1, 11)]
    assert shown.plot().figure_.axes[0].lines[0].get_xdata()[0] == 10
    others_alone = replace(shown, numbers=shown.numbers.dropna(subset="other"))
    others_alone.plot().figure_.draw_without_rendering()


def test_curves_are_those_of_the_best_models(demo):
    shown = ExtrapolationDisplay.from_judgement(demo, "extrapolation_easy")
    x = shown.curves.index.to_numpy()
    assert (x.min(), x.max(), shown.train[:, 0].max()) == pytest.approx((-15, 40, 15))
    truth = erf(0.22 * x) + 0.17 * np.sin(5.5 * x)
    np.testing.assert_allclose(shown.curves["(the truth)"], truth, atol=1e-12)
    assert "(the truth)" not in shown.methods
    assert ExtrapolationDisplay.from_judgement(demo, "localopt_easy") is None


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
def test_finding_changes_with_the_numbers(values, finding):
    numbers = pd.DataFrame({"panel": "R² (higher is better)", "series": "", "method": ["a", "b"]})
    numbers = numbers.assign(value=values, low=values, high=values)
    assert DotsDisplay(numbers=numbers).finding == finding
