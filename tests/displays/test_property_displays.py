"""Figures of properties and noise: the numbers behind them by hand, and that 30 methods fit at both widths."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from srlib import displays
from srlib.displays.tables.equations import equation, equation_latex
from srlib.displays.tables.table import html_table
from srlib.judging import judge_runs


@pytest.fixture(name="demo", scope="module")
def demo_fixture():
    return judge_runs()


def test_a_property_in_which_all_are_tied_is_led_by_nobody(demo):
    aspects = demo.aspects.copy()
    solved = demo.datasets.loc[demo.datasets["property"] == "solution", "dataset"].unique()
    own = (aspects["aspect"] == "property") & aspects["dataset"].isin(solved)
    aspects.loc[own, ["value", "aspect_rank"]] = [0.0, 6.0]
    same = {name: getattr(demo, name) for name in ("datasets", "rules", "problems")}
    tied = SimpleNamespace(aspects=aspects, **same)
    places = displays.property_places(tied)
    idle = places[places["all_tied"] == places["datasets"]]
    assert set(idle["property"]) == {"solution"}
    said = displays.property_answer(places)
    leads, nothing = said.split(" All methods tie in ")
    assert nothing == "solution." and "solution" not in leads


def test_feature_use_by_hand(demo):
    shown = displays.FeatureUseDisplay.from_judgement(demo, "relevant_features")
    row = shown.numbers.iloc[0]
    runs = demo.assessments.query("method == @row.method and dataset == @row.dataset")
    for feature in ("x1", "x11"):
        assert row[feature] == pytest.approx(
            np.mean([f'"{feature}"' in used for used in runs["features_used"]])
        )
    assert shown.relevant[row["dataset"]] == {f"x{i}" for i in range(1, 11)}
    axes = shown.plot().figure_.axes[0]
    assert len(axes.patches) == 10
    assert "% relevant" in shown.alt and "% others" in shown.alt
    for relevant, word in (((), "others"), (shown.numbers.columns[3:], "relevant")):
        one = replace(shown, relevant=dict.fromkeys(shown.relevant, frozenset(relevant)))
        assert f"% {word}" in one.alt and "nan" not in one.alt


def test_curves_are_those_of_the_best_models(demo):
    shown = displays.ExtrapolationDisplay.from_judgement(demo, "extrapolation_easy")
    assert shown.curves.index.min() == -15 and shown.curves.index.max() == pytest.approx(40)
    x = shown.curves.index.to_numpy()
    from scipy.special import erf

    np.testing.assert_allclose(
        shown.curves["(the truth)"], erf(0.22 * x) + 0.17 * np.sin(5.5 * x), atol=1e-12
    )
    assert shown.numbers["method"].tolist()[0] == "(the truth)"
    assert shown.train[:, 0].max() == pytest.approx(15)
    assert displays.ExtrapolationDisplay.from_judgement(demo, "localopt_easy") is None


def test_curves_are_drawn_from_what_the_method_wrote(demo):
    """Simplifying may lose values: abs(x**(5/4)) has none where x < 0, as abs(x)**(5/4) has."""
    name, runs = "extrapolation_easy", demo.assessments
    wrong = {"simplified_model": "abs(x**(5/4))", "shown_model": "abs(x**(5/4))"}
    ours = (runs["method"] == "gplearn") & (runs["dataset"] == name)
    planted = runs.assign(
        **{c: runs[c].astype("str").mask(ours, text) for c, text in wrong.items()}
    )
    planted["model"] = planted["model"].mask(ours, "1.23456789*abs(x)**(5/4)")
    lossy = replace(demo, assessments=planted)
    curve = displays.ExtrapolationDisplay.from_judgement(lossy, name).curves["gplearn"]
    assert curve.index.min() < 0
    np.testing.assert_allclose(curve, 1.23456789 * np.abs(curve.index) ** 1.25)
    table = displays.best_models(lossy, name).set_index("method")
    assert table.loc["gplearn", "model"] == "abs(x**(5/4))"


def test_irrelevant_features_are_underlined():
    page = equation("x1*x3 + x2", underlined=["x3"])
    assert page.count("<munder>") == 1 and equation("x1*x3 + x2").count("<munder>") == 0
    assert equation_latex("x1*x3", underlined=["x3"]) == r"$x_{1} \, \underline{x_{3}}$"
    table = html_table(
        pd.DataFrame({"m": ["a"], "model": ["x1*x3"]}), "c", equations={"model": ["x3"]}
    )
    assert "<munder>" in table
