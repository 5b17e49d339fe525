"""Names in figures: none is cut so that it looks like another, and readings are words; lines that meet differ."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from srlib.displays import (
    CurvesDisplay,
    DotsDisplay,
    MatrixDisplay,
    PairsDisplay,
    ParetoDisplay,
    ProfilesDisplay,
    PropertyDisplay,
    ScoresDisplay,
    looks,
)
from srlib.displays.figures.critical_difference import CriticalDifferenceDisplay
from srlib.displays.looks import dashes, look, remember
from srlib.displays.stated import STYLE
from srlib.displays.styling import folded, labels
from srlib.judging import judge_runs
from srlib.judging.robustness.competition import Competition
from srlib.judging.robustness.switchboard import readings_of
from srlib.rules.wording import READINGS, reading

LONG = [
    "Operon with linear scaling",
    "Operon without linear scaling",
    "Bingo with fitness predictors",
    "uDSR with a pretrained network",
    "PySR with default operators",
    "PySR with extended operators",
    "QLattice by Abzu, version 2.9",
]
VALUES = pd.DataFrame(np.random.default_rng(0).random((30, 7)) + np.arange(7) / 5, columns=LONG)


def words(figure):
    return [text.get_text().replace("\n", " ") for text in figure.findobj(Text)]


@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize("shown", [
    ProfilesDisplay.from_values(VALUES / 3),
    PairsDisplay.from_values(VALUES),
    CriticalDifferenceDisplay.from_values(VALUES),
    MatrixDisplay(pd.DataFrame({"method": LONG, "place 1": np.arange(7) / 7})),
], ids=lambda shown: type(shown).__name__)  # fmt: skip
def test_a_long_name_stands_in_full(shown, width):
    said = words(shown.plot(width=width).figure_)
    assert [name for name in LONG if not any(name in text for text in said)] == []


def test_names_that_are_cut_differ():
    names = [f"{name} of the {end} team" for name in LONG for end in ("first", "second")]
    assert len(set(labels(names, 18))) == len(names) > len({folded(n, 8) for n in names})


def test_two_methods_never_share_colour_and_line():
    names = [f"method {i:02}" for i in range(40)]
    looks._known.cache_clear()  # as a page begins; other tests named theirs
    remember(names)
    assert len({(look(n)["color"], str(dashes(n))) for n in names}) == len(names)


def test_every_reading_of_the_rules_has_words():
    judged = judge_runs("demo", "synthetic-2022", "judging-2022")
    for paths, values in readings_of(Competition.from_judgement(judged)).items():
        name = "/".join(p.removeprefix("aspects.").removeprefix("properties.") for p in paths)
        said = [reading(f"{name} = {'/'.join(dict.fromkeys(map(str, v)))}") for v in values]
        assert len(set(said)) == len(said) and not any("_" in text or "=" in text for text in said)
        assert name.rpartition(".")[2] in READINGS, name


def test_errors_have_powers_of_ten_and_reach_the_right_edge():
    rows = [("PR", "a", i, 10.0**-i if i < 4 else 0.0, 100.0) for i in range(5)]
    rows += [("PR", "b", i, 100.0, 0.0) for i in range(5)]
    scores = pd.DataFrame(rows, columns=["task", "solver", "instance", "error", "score"])
    axes = CurvesDisplay.errors(scores).plot().ax_[0]
    ticks = [text.get_text() for text in axes.get_xticklabels()]
    assert ticks[0] == "none" and ticks[-1] == "10²" and len(ticks) <= 6
    assert {line.get_xdata()[-1] for line in axes.lines} == {100.0}


def test_figures_without_variation_are_sentences():
    same = pd.DataFrame(0.5, index=range(12), columns=["a", "b", "c"])
    other = same.assign(c=[0.7] * 12)
    assert ProfilesDisplay.from_values(same).instead.startswith("all 3 methods are alike")
    assert ProfilesDisplay.from_values(other).instead.startswith("each method has one value")
    assert not ProfilesDisplay.from_values(other.assign(c=np.linspace(0, 1, 12))).instead
    for made, said in (
        (PairsDisplay.from_values, "none of 3 tested pairs is told apart"),
        (lambda values: DotsDisplay.from_values({"x": {"": values}}), "all 3 methods are alike"),
    ):
        assert made(same).instead.startswith(said)
        assert not made(other).instead


def test_one_dataset_has_no_interval_and_no_profile():
    values = pd.DataFrame({"a": [0.5, 0.7], "b": [0.1, 0.2]})
    for made, said in (
        (lambda v: DotsDisplay.from_values({"x": {"": v}}, rates=True), "one dataset alone"),
        (ProfilesDisplay.from_values, "each method has one value alone"),
    ):
        assert made(values[:1]).instead.startswith(said)
        assert not made(values).instead
    panels = {"many": {"": values}, "one": {"": values[:1]}}
    shown = DotsDisplay.from_values(panels, rates=True)
    many, one = shown.plot().ax_
    assert len(many.collections) == 2 and not one.collections
    assert shown.left_out == "Points of one dataset alone have no interval."
    assert not DotsDisplay.from_values({"many": {"": values}}).left_out
    pairs = [[(("size", v, "lower"), ("R2", v, "higher"))] for v in (values[:1], values)]
    said = [ParetoDisplay.from_values(pair).left_out for pair in pairs]
    assert said == ["No interval has a width here, as with one dataset.", ""]


def test_profiles_are_of_values_that_are_at_best_1():
    values = pd.DataFrame({"a": [0.5, 0.7], "b": [0.1, 0.2]})
    lower = ProfilesDisplay.from_values(values, "test RMSE", "lower")
    assert "test RMSE is no such, so none is drawn" in lower.instead
    assert "none is drawn" in ProfilesDisplay.from_values(10 * values).instead


def test_what_is_the_same_everywhere_is_drawn_or_said():
    assert MatrixDisplay(pd.DataFrame({"m": ["a"], "place 1": [1.0]})).instead.startswith(
        "there is one"
    )


def test_one_objective_is_not_drawn_against_itself():
    values = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    size, better = ("size", values, "lower"), ("R2", -values, "higher")
    assert ParetoDisplay.from_values([(size, size)]).instead.startswith("there is no second metric")
    shown = ParetoDisplay.from_values([(size, size), (better, size)])
    assert len(shown.panels) == 1 and not shown.instead


def test_panels_of_a_narrow_page_stand_below_each_other(monkeypatch):
    values = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    pairs = [((f"size {i}", values, "lower"), ("R2", values, "higher")) for i in range(3)]

    def tops():
        grid = ParetoDisplay.from_values(pairs).plot().ax_
        return {axes.get_subplotspec().rowspan.start for axes in grid}

    assert tops() == {0}
    monkeypatch.setenv(STYLE, json.dumps({"size": 9, "widths": {"page": 4.8, "column": 4.8}}))
    assert tops() == {0, 1, 2}


def test_values_far_below_0_have_ticks_that_are_apart():
    own = pd.DataFrame({"method": ["a", "b"], "dataset": "d", "difficulty": "easy"})
    shown = PropertyDisplay(own.assign(solution=[-1e15, 1.0], score=[1, 2]), "higher").plot()
    shown.figure_.draw_without_rendering()
    boxes = [text.get_window_extent() for text in shown.ax_[0].get_xticklabels()]
    assert len(boxes) == 3 and not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_one_point_is_a_sentence():
    values = pd.DataFrame({"a": [0.5, 0.7]})
    equal, other = values.assign(b=values["a"]), values.assign(b=0.9)
    for made in (
        lambda v: ParetoDisplay.from_values([(("size", v, "lower"), ("R2", v, "higher"))]),
        lambda v: DotsDisplay.from_values({"x": {"": v}}),
    ):
        assert made(values).instead.startswith("one method alone has nobody")
        assert made(equal).instead.startswith("all 2 methods are alike")
        assert not made(other).instead
    assert not ProfilesDisplay.from_values(values).instead
    keys = {"method": "a", "difficulty": "easy", "solution": 0.5, "score": 1.0}
    own = pd.DataFrame({"dataset": ["d", "e"], **keys})
    own = own[["method", "dataset", "difficulty", "solution", "score"]]
    assert PropertyDisplay(own[:1], "higher").instead.startswith("one method alone has nobody")
    flat = PropertyDisplay(own, "higher")
    assert not flat.instead and flat.panels == ["solution"]
    assert flat.left_out.startswith("One method alone")
    two = PropertyDisplay(pd.concat([own, own.assign(method="b")]), "higher")
    assert two.panels == ["solution", "score"] and not two.left_out


def test_scores_that_do_not_spread_are_a_sentence():
    ranking = pd.DataFrame({"method": ["A", "B"], "score": [3.0, 2.0], "rank": [1, 2]})
    keys = pd.MultiIndex.from_product([["A", "B"], ["d", "e"]], names=["method", "dataset"])
    scores = pd.DataFrame({"score": [3.0, 3.0, 2.0, 2.0]}, keys).reset_index()
    said = ScoresDisplay(scores, ranking).instead
    assert said.startswith("no method's score or points differ between the 2 datasets")
    one = scores[scores["dataset"] == "d"]
    assert ScoresDisplay(one, ranking).instead.startswith("one dataset alone shows no spread")
    assert not ScoresDisplay(scores.assign(score=[3.0, 3.0, 2.0, 1.0]), ranking).instead


@pytest.mark.parametrize(("switch", "values"), [
    ("count", ("nodes", "operators, features and constants")),
    ("complexity", ("simplified", "canonical", "text")),
    ("decimals", (2, 3)),
])  # fmt: skip
def test_readings_of_what_is_measured_have_words(switch, values):
    said = [reading(f"{switch} = {value}") for value in values]
    assert len(set(said)) == len(values) and all(switch + ":" not in text for text in said)
