"""Figures of properties and noise: the numbers behind them by hand, and that 30 methods fit at both widths."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from srlib import displays
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
    points = displays.property_points(tied)
    assert points.index[points.isna().all(axis="columns")].tolist() == ["solution"]
    assert "nobody in solution." in displays.property_answer(points)
    own = demo.aspects.merge(demo.datasets[["method", "dataset", "property"]])
    own = own[(own["aspect"] == "property") & (own["property"] == "extrapolation")]
    means = own.groupby("method")["aspect_rank"].mean()
    assert points.loc["extrapolation"].to_dict() == pytest.approx(means.to_dict())


def test_feature_use_by_hand(demo):
    shown = displays.FeatureUseDisplay.from_judgement(demo, "relevant_features")
    method, dataset = shown.numbers[["method", "dataset"]].iloc[0]
    runs, rows = (
        table[(table["method"] == method) & (table["dataset"] == dataset)]
        for table in (demo.assessments, shown.numbers)
    )
    rows = rows.set_index("feature")
    assert rows.index[rows["relevant"].notna()].tolist() == [f"x{i}" for i in range(1, 11)]
    for feature, kind, other in (("x1", "relevant", "other"), ("x11", "other", "relevant")):
        used = np.mean([f'"{feature}"' in used for used in runs["features_used"]])
        assert rows.loc[feature, kind] == pytest.approx(used) and np.isnan(rows.loc[feature, other])
    axes = shown.plot().figure_.axes[0]
    assert axes.lines[0].get_xdata()[0] == 10
    assert "Mean relevant, other: " in shown.alt
    for kind in ("relevant", "other"):
        one = replace(shown, numbers=shown.numbers.dropna(subset=kind))
        one.plot().figure_.draw_without_rendering()


def test_curves_are_those_of_the_best_models(demo):
    shown = displays.ExtrapolationDisplay.from_judgement(demo, "extrapolation_easy")
    assert shown.curves.index.min() == -15 and shown.curves.index.max() == pytest.approx(40)
    x = shown.curves.index.to_numpy()
    from scipy.special import erf

    np.testing.assert_allclose(
        shown.curves["(the truth)"], erf(0.22 * x) + 0.17 * np.sin(5.5 * x), atol=1e-12
    )
    assert "(the truth)" not in shown.methods
    assert shown.train[:, 0].max() == pytest.approx(15)
    assert displays.ExtrapolationDisplay.from_judgement(demo, "localopt_easy") is None
