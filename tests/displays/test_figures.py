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
from tests.builders import each, read_table
from tests.comparing.small import comparison_of


@pytest.mark.parametrize(
    "draw",
    [
        ProfilesDisplay.from_values,
        lambda values: DotsDisplay.from_values({"": {"": values}}),
        lambda values: PairsDisplay.from_comparison(comparison_of(values)),
    ],
)
def test_equal_methods_give_a_sentence_in_place_of_a_figure(draw):
    same = pd.DataFrame(0.5, index=range(12), columns=["a", "b", "c"])
    assert draw(same).replacement.startswith(("All 3 methods are alike", "No pair of methods is"))
    assert not draw(same.assign(c=0.7)).replacement


def test_critical_difference_bars_join_pairs_not_told_apart():
    """A before B before C on ten datasets, B and C apart by chance: p = 2/2^10 for A, 1 for B and C."""
    values = pd.DataFrame({"C": range(10), "A": range(20, 30), "B": [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]})
    display = CriticalDifferenceDisplay.from_comparison(comparison_of(values))
    assert display.groups == [["B", "C"]] and display.bars == [[1, 2]]
    assert display.finding == "Best mean rank: A."
    assert display.with_methods(["B", "C"]).finding == "Best mean rank: B and C."
    assert display.with_methods(["A", "B"]).bars == []
    ranks = "Mean ranks over 10 datasets, 1 is best: A 1.00; B 2.50; C 2.50."
    assert display.alt == f"{ranks} Not told apart: B and C."
    few = CriticalDifferenceDisplay.from_comparison(comparison_of(values[:5]))
    assert few.replacement == "No diagram, as the pairs are not tested."
    alone = CriticalDifferenceDisplay.from_comparison(comparison_of(values[["A"]]))
    assert alone.plot().ax_.get_xlim() == (1, 2)


def test_pareto_front_has_what_nobody_dominates():
    """A before B before C on each of eight datasets; C lacks one."""
    values = pd.DataFrame({"C": 0.1, "A": 0.9, "B": 0.5}, index=range(8))
    values.loc[7, "C"] = np.nan
    sizes = pd.DataFrame({"A": 10.0, "B": 100.0, "C": 1.0}, index=values.index)
    shown = ParetoDisplay.from_values([(("size", sizes, "lower"), ("R²", values, "higher"))])
    assert shown.numbers["x_name"][0] == "size (lower is better)"
    assert shown.numbers.set_index("method")["front"].to_dict() == {"C": 1, "A": 1, "B": 2}
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
    first, second = shown.plot().ax_
    marks = [[*line.get_ydata()] for line in first.lines if line.get_marker() == "x"]
    assert shown.methods == ["calm", "bold"] and marks == [[-0.25, -0.25]]
    assert [
        line for line in second.lines if line.get_marker() == "x" and len(line.get_ydata())
    ] == []
    assert "(≥ -0.25)" in first.get_ylabel()


def test_noise_sentence_names_who_is_closest_or_least_sensitive():
    calm = "Least sensitive to noise: calm, 1.000 in test R² per unit of noise. "
    guard = "1 of 3 methods are too inaccurate at every level to be compared."
    assert describe_noise(NOISE).startswith("calm: closest to what the truth itself reaches, 0.000")
    assert describe_noise(NOISE).endswith(calm + guard)
    unknown = NOISE.overall.assign(distance=float("nan"))
    assert describe_noise(replace(NOISE, overall=unknown)) == calm + guard
    level = unknown.assign(sensitivity=1.0, guarded=True)
    sentence = "Least sensitive to noise: nobody, all 3 methods are level, 1.000"
    assert describe_noise(replace(NOISE, overall=level)).startswith(sentence)


def test_feature_use_has_the_shares_of_the_runs(demo):
    shown = FeatureUseDisplay.from_judgement(demo, "relevant_features")
    numbers = shown.numbers.set_index(["method", "dataset", "feature"]).sort_index()
    cell = numbers.index[0][:2]
    used = demo.assessments.set_index(["method", "dataset"]).loc[cell, "features_used"]
    for feature, kind, other in (("x1", "relevant", "other"), ("x11", "other", "relevant")):
        row = numbers.loc[(*cell, feature)]
        assert row[kind] == np.mean([feature in features for features in used])
        assert np.isnan(row[other])
    relevant = numbers.loc[cell]["relevant"].dropna()
    assert {*relevant.index} == {f"x{i}" for i in range(1, 11)}
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


@each(
    "first second finding",
    """
0.25 | 0.5 | Highest R²: b (0.5).
0.75 | 0.5 | Highest R²: a (0.75).
0.5 | 0.5000000000001 | Highest R²: a and b (0.5).
0.25 | nan | Highest R²: a (0.25).
nan | nan |
""",
)
def test_finding_names_the_best_of_the_numbers(first, second, finding):
    numbers = pd.DataFrame({"panel": "R² (higher is better)", "series": "", "method": ["a", "b"]})
    value = [float(first), float(second)]
    assert (
        DotsDisplay(numbers=numbers.assign(value=value, low=value, high=value)).finding == finding
    )
