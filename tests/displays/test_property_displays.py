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
from srlib.judging.noise import TRUTH, sensitivity
from srlib.rules import load_rules


@pytest.fixture(name="demo", scope="module")
def demo_fixture():
    return judge_runs()


@pytest.fixture(name="result", scope="module")
def result_fixture():
    levels = (0.0, 0.05, 0.1, 0.2)
    rows = [
        {"method": method, "dataset": f"d@{n}", "repetition": r, "aspect": "r2_test", "value": 1 - slope * n + 0.01 * r,
         "group": "g", "series": "d", "noise_level": n}
        for method, slope in {"bold": 3, "calm": 1, "dull": 0, TRUTH: 1}.items()
        for n in levels
        for r in (1, 2)
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    table.loc[table["method"] == "dull", "value"] = 0.1
    return sensitivity(
        table, load_rules("judging-2022").judge.model_copy(update={"repetitions": 2})
    )


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
    leads, nothing = said.split(" No information, all tied: ")
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


def test_the_noise_answer_by_hand(result):
    """dull has R2 of 0.1 at every level, and nothing to lose: its better levels are no reference, and count as 1."""
    sentence, ranking = displays.noise_answer(result, "flag")
    assert ranking["method"].tolist() == ["calm", "bold", "dull"]
    assert ranking["score"].tolist() == pytest.approx([0, 0.175, 0.8275])
    assert ranking["sensitivity"].tolist() == pytest.approx([1, 3, 10.75])
    assert ranking["guarded"].tolist() == [False, False, True]
    assert sentence == (
        "calm: closest to what the truth itself reaches, 0.000 away in test R² on average over the noise levels. "
        "Least sensitive to noise: calm, 1.000 in test R² per unit of noise; for the truth itself it is 1.000. "
        "The guard finds 1 of 3 methods bad at every level."
    )


def test_where_the_truth_is_not_known_sensitivity_decides_among_those_the_guard_does_not_find(
    result,
):
    parts = {name: getattr(result, name) for name in ("quality", "pairs", "overall")}
    parts = {name: table[table["method"] != TRUTH] for name, table in parts.items()}
    parts["overall"] = parts["overall"].assign(distance=np.nan)
    unknown = replace(result, **parts)
    sentence, ranking = displays.noise_answer(unknown, "flag")
    assert ranking["method"].tolist() == ["calm", "bold", "dull"]
    assert sentence.startswith(
        "calm: least sensitive to noise, 1.000 in test R² per unit of noise. "
    )
    _, ranking = displays.noise_answer(unknown, "worst_rank")
    assert ranking["method"].tolist() == ["calm", "bold", "dull"]
    alike = dict.fromkeys(("sensitivity", "place_flag", "place_worst_rank"), 1)
    tied = replace(unknown, overall=parts["overall"].assign(guarded=False, **alike))
    sentence, ranking = displays.noise_answer(tied, "flag")
    assert ranking["rank"].tolist() == [1, 1, 1]
    assert sentence.startswith(
        "Least sensitive to noise: nobody, all 3 methods share the place, 1.000 in test R² per"
    )
    last = parts["overall"].assign(guarded=True, sensitivity=[2.0, 3.0, 4.5], place_worst_rank=3)
    sentence, _ = displays.noise_answer(replace(unknown, overall=last), "worst_rank")
    assert "nobody, all 3 methods share the place, 2.000 to 4.500 in" in sentence


def test_irrelevant_features_are_underlined():
    page = equation("x1*x3 + x2", underlined=["x3"])
    assert page.count("<munder>") == 1 and equation("x1*x3 + x2").count("<munder>") == 0
    assert equation_latex("x1*x3", underlined=["x3"]) == r"$x_{1} \, \underline{x_{3}}$"
    table = html_table(
        pd.DataFrame({"m": ["a"], "model": ["x1*x3"]}), "c", equations={"model": ["x3"]}
    )
    assert "<munder>" in table
