"""The judge's own error rate: models whose verdict is known, exact intervals, and where reports find them."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import calibrating
from srlib.assessing.calibrating import calibrate, interval, rates
from srlib.assessing.tasks import carry_out
from srlib.cache import Cache
from srlib.cli.main import main
from srlib.displays.tables.calibration import error_rates
from srlib.expressions import evaluate, parse, to_text
from srlib.expressions.truth.variants import variants
from srlib.problems import load_problems
from srlib.rules import load_rules
from srlib.workers import Outcome

MEASURE = load_rules("judging-2022").measure
FILE = """
schema: 1
name: two
problems:
  - {dataset: plain, property: solution, features: [x, y], truth: 2.5*x^2 - sin(y), domain: {x: [1, 3], y: [0, 2]}}
  - {dataset: again, property: solution, features: [x, y], truth: 2.5*x^2 - sin(y)}
  - {dataset: form, property: solution, features: [x], truth: c*x, constants: [c]}
"""


@pytest.fixture(name="problems")
def problems_fixture(tmp_path):
    (tmp_path / "two.yaml").write_text(FILE)
    return load_problems(tmp_path / "two.yaml")


def test_variants_are_what_they_are_said_to_be():
    truth, domain = parse("2.5*x^2 - x*sin(y) + 1"), {"x": (1.0, 3.0), "y": (0.1, 2.0)}
    rng = np.random.default_rng(5)
    points = {name: rng.uniform(*ends, 500) for name, ends in domain.items()}
    t = evaluate(truth, points, 500)
    found = variants(truth, domain)
    assert {v.kind for v in found if v.equal} >= {"rewritten by rules", "scaled", "shifted"}
    near = {"a sign", "an exponent", "a constant 1% off", "a swapped feature", "a wave of 0.2%"}
    assert {v.kind for v in found if not v.equal} >= near
    for v in found:
        m = evaluate(parse(to_text(v.model)), points, 500)
        varies = min(np.ptp(m - t), np.ptp(m / t)) / np.ptp(t)
        assert (varies < 1e-6) == v.equal or v.kind.startswith("a spike"), (v.kind, v.model)


def test_a_symmetry_is_no_near_miss():
    found = variants(parse("x*y"), {"x": (1.0, 3.0), "y": (1.0, 3.0)})
    assert "a swapped feature" not in {v.kind for v in found}


def test_rates_are_exact():
    frame = pd.DataFrame({"dataset": ["a"] * 4 + ["b"] * 6, "kind": ["sign"] * 5 + ["same"] * 5})
    frame["equal"] = frame["kind"] == "same"
    frame["outcome"] = ["right", "false accept", "unknown", "right", "right"] + ["false reject"] * 5
    found = rates(frame).set_index(["by", "name", "error"])
    assert found.loc[("all", "all", "false accept"), ["pairs", "wrong"]].tolist() == [5, 1]
    assert found.loc[("dataset", "b", "false reject"), ["pairs", "wrong", "rate"]].tolist() == [
        5,
        5,
        1,
    ]
    assert found.loc[("kind", "same", "false reject"), "low"] == pytest.approx(0.025 ** (1 / 5))
    assert ("kind", "same", "false accept") not in found.index
    assert interval(0, 5) == pytest.approx((0, 1 - 0.025 ** (1 / 5)))


def test_a_judge_that_errs_is_found_out(problems, tmp_path, monkeypatch):
    always = {"kind": "identical", "constant": None, "evidence": {"proof": "numerical"}}

    def judge(_, tasks, **limits):
        for i, task in enumerate(tasks):
            yield i, Outcome("ok", carry_out(task) if task.operation == "variants" else always, "")

    monkeypatch.setattr("srlib.assessing.store.bounded_map", judge)
    found = calibrate(problems, MEASURE, cache=Cache(tmp_path / "cache"))
    total = found.rates[found.rates["by"] == "all"].set_index("error")
    assert total.loc["false accept", "rate"] == 1.0
    assert total.loc["false reject", "rate"] == total.loc["unknown", "rate"] == 0.0
    assert set(found.pairs["dataset"]) == {"plain"}  # each truth once, and no form


def test_the_command_and_where_a_report_finds_its_rates(problems, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SRLIB_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "out"
    assert main(["calibrate", str(problems.path), "--out", str(out), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "false accept: 0 of " in said and "95% interval" in said
    pairs = pd.read_csv(out / "pairs.csv")
    assert (pairs["outcome"] == "right").all()
    sentence, table = error_rates(out, problems, MEASURE)
    assert sentence.startswith(
        "The judge of solutions, on models whose verdict is known: false accepts 0"
    )
    assert set(table["error"]) == set(calibrating.ERRORS)
    other = MEASURE.model_copy(update={"solution_constants": "2 decimals"})
    sentence, table = error_rates(out, problems, other)
    assert "is not known here" in sentence and table.empty
    assert error_rates("", problems, MEASURE)[0] == ""
    path = tmp_path / "none.yaml"
    path.write_text("{schema: 1, name: n, problems: [{dataset: d, features: [x]}]}")
    assert main(["calibrate", str(path), "--out", str(out)]) == 2
    assert "no problem has a truth" in capsys.readouterr().err


def test_the_demo_s_rates_are_of_this_judge():
    sentence, table = error_rates("demo", load_problems("synthetic-2022"), MEASURE)
    assert "false accepts" in sentence and len(table), (
        "srlib calibrate synthetic-2022 measures it again"
    )
