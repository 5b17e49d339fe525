"""Measures beside R2: by hand, against the assessments, as an aspect of rules and as a metric of a comparison."""

import math

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.extras import EXTRAS, with_extras
from srlib.cache import Cache
from srlib.cli.main import main
from srlib.comparing.metrics import METRICS
from srlib.expressions import parse
from srlib.expressions.fit import on_test, on_training
from srlib.judging.pipeline import assessed
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import Aspect, load_rules


@pytest.fixture(name="few", scope="module")
def few_fixture():
    table = read_runs("demo")
    frame = table.frame
    chosen = frame["dataset"].isin(["exact_formula_easy", "noise_easy"]) & (
        frame["repetition"] < 2100
    )
    return table.__class__(**{**vars(table), "frame": frame[chosen].reset_index(drop=True)})


def test_by_hand():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    y = np.array([1.0, 2.0, 4.0, 3.0])
    found = on_test(parse("x"), {"x": x}, y)
    assert found["nmse_test"] == pytest.approx(0.5 / 1.25)
    assert found["within_10_test"] == 0.5
    assert found["kendall_test"] == pytest.approx((5 - 1) / 6)
    assert all(map(math.isnan, on_test(parse("log(x - 2)"), {"x": x}, y).values()))
    model = on_training(parse("1.2*x"), {"x": x}, y)
    error = np.mean((1.2 * x - y) ** 2)
    assert model["bic"] == pytest.approx(4 * math.log(error) + 2 * math.log(4))
    likelihood = 2 * (math.log(2 * math.pi * error) + 1)
    constant = math.log(1.2 * math.sqrt(np.sum(x**2) / error / 3))
    # three nodes of three kinds
    assert model["description_length"] == pytest.approx(likelihood + 3 * math.log(3) + constant)


def test_they_agree_with_the_assessments(few, tmp_path):
    problems = load_problems("synthetic-2022")
    found = with_extras(few.frame, problems, EXTRAS, cache=Cache(tmp_path), jobs=1)
    assert len(found) > 4
    np.testing.assert_allclose(found["nmse_test"], 1 - found["r2_test"].astype(float), rtol=1e-9)
    assert found["within_10_test"].between(0, 1).all()
    assert found["edit_distance"].between(0, 1).all()
    solved = found[found["solution_kind"] == "identical"]
    assert (solved["kendall_test"] > 0.999).all()
    again = with_extras(found.iloc[::-1], problems, EXTRAS, cache=Cache(tmp_path), jobs=1)
    pd.testing.assert_frame_equal(again.iloc[::-1], found)
    assert set(EXTRAS) <= set(METRICS)


@pytest.mark.parametrize("name", ["nmse_test", "edit_distance"])
def test_rules_may_name_them(few, name):
    rules = load_rules("judging-2022")
    aspects = {"fit": Aspect.model_validate({"from": name, "direction": "lower"})}
    judge = rules.judge.model_copy(update={"aspects": aspects})
    table = assessed(few, load_problems("synthetic-2022"), rules.measure, judge=judge, jobs=1)
    assert table[name].notna().all()
    assert name not in assessed(few, load_problems("synthetic-2022"), rules.measure, jobs=1)


def test_a_comparison_asks_for_the_problems(tmp_path, capsys):
    out = ["--out", str(tmp_path / "c.csv")]
    assert main(["compare", "demo", "--metric", "bic", *out]) == 2
    assert "name the problems" in capsys.readouterr().err
