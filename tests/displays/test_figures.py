"""Figures whose numbers can be redone by hand, and what is marked, named or said in place of them."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import erf

from srlib.displays import (
    CriticalDifferenceDisplay,
    DotsDisplay,
    FeatureUseDisplay,
    FitDisplay,
    MatrixDisplay,
    NoiseDisplay,
    ParetoDisplay,
    ProfilesDisplay,
    SheetDisplay,
    describe_noise,
)
from srlib.displays.styling import MOST_COLOURED, PALE, label, look, style
from srlib.judging.noise import NoiseSensitivity
from srlib.metrics import metric_of
from tests.builders import each, read_table
from tests.comparing.small import comparison_of
from tests.displays.test_contract import COLOURED, NAMES, of_each


def drawn_numbers(axes):
    """Coordinates of the lines, marks, intervals and bands in some axes, and the numbers of their texts."""
    marks = [line.get_xydata() for line in axes.lines]
    for artists in axes.collections:
        marks += [artists.get_offsets(), *(path.vertices for path in artists.get_paths())]
    texts = re.findall(r"\d\.\d+", " ".join(text.get_text() for text in axes.texts))
    return np.concatenate([*map(np.ravel, marks), np.array(texts, float)])


@of_each([display for display in COLOURED if not isinstance(display, FitDisplay)])
def test_description_states_numbers_and_ranges_that_are_drawn(shown):
    """Only numbers in the description of three methods that the first panel draws, all with their ranges."""
    shown = shown.with_methods(NAMES[3:6])
    axes = np.ravel(shown.plot().ax_)
    if shown.panel_by != "method":
        axes = axes[:1]
    drawn = np.concatenate([drawn_numbers(panel) for panel in axes])
    text = shown.alt.rpartition(": ")[2]
    for method in shown.methods:
        text = text.replace(label(method), "")
    numbers = [float(number) for number in re.findall(r"-?\d[\d.e+-]*(?=[,; )]|\.$)", text)]
    assert len(numbers) >= 3 and [n for n in numbers if not np.isclose(n, drawn, 5e-3).any()] == []
    rows = shown.first_panel
    pairs = [(rows[name], rows[f"{name[:-3]}high"]) for name in rows if name.endswith("low")]
    assert text.count(" to ") == sum((low < high).sum() for low, high in pairs)


def test_critical_difference_bars_join_pairs_not_told_apart():
    """A before B before C on ten datasets, B and C apart by chance: p = 2/2^10 for A, 1 for B and C."""
    values = pd.DataFrame({"C": range(10), "A": range(20, 30), "B": [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]})
    display = CriticalDifferenceDisplay.from_comparison(comparison_of(values))
    assert display.groups == [["B", "C"]] and display.bars == [[1, 2]]
    assert display.finding == "Lowest mean rank: A (1)."
    assert display.with_methods(["A", "B"]).bars == []
    alt = "Mean ranks over 10 datasets, 1 is best. Not told apart: B and C. Mean rank: A 1; B 2.5; C 2.5."
    assert display.alt == f"{display.finding} {alt}"
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


def test_marks_and_lines_have_names_in_their_colours_and_those_without_room_are_told():
    """Ten methods lie apart, and 20 on one point: at most eight of these have room around it."""
    names = [f"method {i}" for i in range(30)]
    x = pd.DataFrame([[*range(10), *[5.0] * 20]] * 2, columns=names)
    y = pd.DataFrame([[*range(10, 0, -1), *[15.0] * 20]] * 2, columns=names)
    shown = ParetoDisplay.from_values([(("x", x, "higher"), ("y", y, "higher"))])
    axes, *_ = shown.plot().figure_.axes
    written = [text.get_text() for text in axes.texts]
    assert {*names[:5], *names[6:10]} <= {*written} and len(shown.unnamed_) >= 12
    assert sorted([*written, *shown.unnamed_]) == sorted(names)
    assert shown.omissions.endswith(f"and {len(shown.unnamed_) - 6} more.")


@each(
    "values scale lowest",
    """
0.9 0.8 0.7 0.95 -1526 | symlog | -1e8
0.9 0.8 0.7 0.95 0.6   | linear | -0.5
10 12 900 3 5000       | log    | 0.001
0.5 0.5 0.5 0.5 0.5    | linear | 0.2
0 0.1 0.2 0.1 500      | symlog | -100000
""",
)
def test_axis_ends_near_the_points_whatever_the_intervals(values, scale, lowest):
    """One method has an interval that is a thousand times longer: it is cut, and the caption counts it."""
    numbers = pd.DataFrame({"panel": "p", "series": "", "method": list("abcde")})
    value = np.array(values.split(), float)
    numbers = numbers.assign(value=value, low=value, high=value)
    numbers.loc[1, "low"] = -1e9
    shown = DotsDisplay(numbers=numbers)
    axes = shown.plot().figure_.axes[0]
    low, high = axes.get_xlim()
    assert axes.get_xscale() == scale and float(lowest) < low < value.min() and value.max() < high
    assert shown.omissions == "Longer than drawn: 1 of the intervals."
    assert shown.omissions.facts["cut"].value == 1


def test_matrix_puts_like_methods_side_by_side_and_marks_the_best():
    """A and C are alike, as are B and D; on d2 all are equal, so none is marked; -1526 counts as 0."""
    values = pd.DataFrame(
        {
            "A": [0.9, 0.5, 0.8],
            "B": [0.1, 0.5, -1526],
            "C": [0.8, 0.5, 0.8],
            "D": [0.2, 0.5, np.nan],
        },
        index=["d1", "d2", "d3"],
    )
    shown = MatrixDisplay.from_values(values, metric_of("r2_test"))
    assert "".join(shown.methods) in (
        "ACBD",
        "ACDB",
        "CABD",
        "CADB",
        "BDAC",
        "BDCA",
        "DBAC",
        "DBCA",
    )
    cells = shown.numbers.set_index("method")
    assert cells.loc["B", "d3"] == cells.loc["D", "d3"] == 0
    dots = [text for text in shown.plot().figure_.axes[0].texts if text.get_text()]
    marked = {
        (shown.methods[int(dot.get_position()[1])], cells.columns[int(dot.get_position()[0])])
        for dot in dots
    }
    assert marked == {("A", "d1"), ("A", "d3"), ("C", "d3")}
    assert shown.finding.startswith("Highest mean test R², from 0 on: A (0.733)")
    ahead = MatrixDisplay.from_values(10 - values[["A", "B"]], metric_of("energy_kwh:lower"))
    assert ahead.numbers.set_index("method").loc["A", ["d1", "d2"]].tolist() == [1, 0.5]
    assert MatrixDisplay.from_values(values[["A"]][:1], metric_of("r2_test")).methods == ["A"]


def test_only_the_best_lines_are_coloured_and_named():
    values = pd.DataFrame([np.linspace(0.9, 0.1, 20)], columns=[f"m{i}" for i in range(20)])
    shown = ProfilesDisplay.from_values(values)
    (axes,) = shown.plot().figure_.axes
    pale = [line.get_color() == PALE for line in axes.lines]
    assert pale == [False] * MOST_COLOURED + [True] * 13
    texts = {text.get_text(): text.get_color() for text in axes.texts}
    with style():
        assert len(texts) == MOST_COLOURED and texts["m0 0.900"] == look("m0")["color"]
    assert [text.get_text() for text in shown.figure_.legends[0].texts] == ["other methods"]


def test_task_has_a_panel_for_each_aspect_and_a_series_for_each_difficulty(demo):
    shown = DotsDisplay.from_task(demo, "extrapolation")
    assert [*shown.numbers["series"].unique()] == ["easy", "medium", "hard"]
    assert len(shown.panels) == demo.aspects["aspect"].nunique()
    assert shown.finding.startswith("Highest extrapolation at hard: ")
    runs = demo.screened.usable
    is_run = (runs["method"] == "deap") & (runs["dataset"] == "extrapolation_hard")
    row = shown.numbers.query("method == 'deap' and series == 'hard'")
    row = row[row["panel"] == "accuracy (median, higher is better)"].iloc[0]
    r2 = runs.loc[is_run, "r2_test"]
    assert row["value"] == pytest.approx(r2.median(), abs=6e-4) and row["low"] <= row["value"]
    assert "Extrapolation (median, higher is better) at easy, medium, hard: " in shown.alt


@pytest.mark.slow
def test_task_whose_value_is_of_no_run_has_no_interval(demo):
    noise = DotsDisplay.from_task(demo, "noise_sensitivity").numbers
    own = noise[noise["panel"].str.startswith("noise sensitivity (median, lower")]
    assert len(own) == 18 and (own["low"] == own["value"]).all()
    solved = DotsDisplay.from_task(demo, "solution").numbers.set_index(
        ["panel", "series", "method"]
    )
    share = solved.loc[("solution (mean, higher is better)", "easier", "pyoperon"), "value"]
    assert share == pytest.approx(0.9)


def test_sheet_has_training_rows_beside_test_rows(demo):
    problem = demo.problems.find("localopt_easy")
    run = demo.assessments.query(
        "dataset == 'localopt_easy' and method == 'sparse-polynomial'"
    ).iloc[0]
    shown = SheetDisplay.from_run(run, problem)
    counts = shown.numbers["rows"].value_counts()
    assert counts["training"] > 0 and shown.alt.startswith(
        f"Prediction of {counts['test']} test rows"
    )
    np.testing.assert_allclose(shown.numbers["true"], shown.numbers["predicted"], atol=1e-6)


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
    assert "-0.25)" in first.get_ylabel()


def test_noise_sentence_names_who_is_closest_or_least_sensitive():
    """A method that is inaccurate at every level has a low sensitivity, and does not count."""
    calm = "Least sensitive to noise: calm, 1.000 in test R² per unit of noise. "
    guard = "Too inaccurate at every level to be compared: 1 of 3 methods."
    assert describe_noise(NOISE).startswith("calm: closest to what the truth itself reaches, 0.000")
    assert describe_noise(NOISE).endswith(calm + guard)
    unknown = NOISE.overall.assign(distance=float("nan"))
    assert describe_noise(replace(NOISE, overall=unknown)) == calm + guard
    nobody = describe_noise(replace(NOISE, overall=unknown.assign(sensitivity=float("nan"))))
    assert nobody.startswith("Nobody's sensitivity is known")


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
    shown = FitDisplay.from_judgement(demo, "extrapolation_easy")
    x = shown.curves.index.to_numpy()
    assert (x.min(), x.max(), shown.train[:, 0].max()) == pytest.approx((-15, 40, 15))
    truth = erf(0.22 * x) + 0.17 * np.sin(5.5 * x)
    np.testing.assert_allclose(shown.curves["(the truth)"], truth, atol=1e-12)
    assert "(the truth)" not in shown.methods
    predicted = FitDisplay.from_judgement(demo, "localopt_easy", ["ffx"])
    assert predicted.train is None and list(predicted.curves) == ["(the truth)", "ffx"]


@each(
    "first second finding",
    """
0.25 | 0.5 | Highest R²: b (0.5).
0.75 | 0.5 | Highest R²: a (0.75).
0.5 | 0.5000000000001 |
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
