"""Assessing: accuracy, features and solutions by hand, and whose columns are whose."""

import json
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

from srlib.assessing import assess
from srlib.assessing.assess import answer_questions
from srlib.assessing.measure import (
    Question,
    compare_with_truth,
    measure_data,
    measure_predictions,
    with_edit_distance,
)
from srlib.assessing.run import find_other_data, find_predictions
from srlib.cache import Cache
from srlib.errors import InputError, InterruptedResultsError
from srlib.expressions import compare, count_sympy, parse, to_sympy
from srlib.expressions.evidence import DECIMALS
from srlib.judging import judge
from srlib.problems import Problem, Problems, load_problems
from srlib.readers import read_runs, runs_of
from srlib.rules import load_rules
from srlib.tables import ASSESSMENTS, RUNS, conform
from srlib.workers import Outcome, bounded_map

RULES = load_rules("judging-2022")
MEASURE = RULES.measure
MODULE = import_module("srlib.assessing.assess")
PROBLEMS = """
schema: 1
name: small
problems:
  - dataset: line
    property: solution
    features: [a, b]
    target: y
    truth: 2*a + b
    data: {train: "{data_seed}_train.csv", test: "{data_seed}_test.csv"}
    data_seeds: [1, 2]
  - {dataset: unseen, property: solution, features: [u], truth: u^2}
  - {dataset: bare, property: relevant_features, features: [x1, x3], relevant: [x1]}
  - {dataset: law, property: solution, features: [x], truth: c*x^2, constants: [c]}
  - dataset: far
    property: extrapolation
    features: [x]
    target: y
    data: {train: near.csv, test: middle.csv, extrapolation: far.csv}
"""
ROWS = """method,dataset,repetition,model,r2_test,complexity_raw
M,line,1,2*a + b,0.5,7
M,line,2,1.5*a + b - b + 0,0.5,7
N,line,1,"a +",,
N,line,2,log(a - 1000),,
P,line,1,9**9**9**9*a,,
P,line,2,,,
Q,unseen,1,2*u*u,0.75,3
Q,elsewhere,1,u,,
"""


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    """The target of `line` is its truth; that of `far` is x, and 2*x on the extrapolation rows."""
    folder, rng = tmp_path_factory.mktemp("small"), np.random.default_rng(5)
    for name in ("1_train", "1_test", "2_train", "2_test"):
        frame = pd.DataFrame(rng.uniform(0, 1, (30, 2)), columns=["a", "b"])
        frame = frame.assign(y=2 * frame["a"] + frame["b"])
        frame.to_csv(folder / f"{name}.csv", index=False)
    for name, start, factor in (("near", 0, 1), ("middle", 3, 1), ("far", 10, 2)):
        x = np.arange(start, start + 3.0)
        pd.DataFrame({"x": x, "y": factor * x}).to_csv(folder / f"{name}.csv", index=False)
    (folder / "small.yaml").write_text(PROBLEMS)
    (folder / "runs.csv").write_text(ROWS)
    return load_problems(folder / "small.yaml")


@pytest.fixture(scope="module")
def runs(problems):
    return read_runs(problems.path.parent / "runs.csv").frame


@pytest.fixture(scope="module")
def table(runs, problems):
    return assess(runs, problems, MEASURE, cache=Cache(None), timeout=5, jobs=2)


def runs_with(models, dataset, **columns):
    """Runs of one method on one dataset, a repetition each."""
    frame = pd.DataFrame({"method": "M", "dataset": dataset, "model": models, "status": "ok"})
    frame["repetition"] = range(1, len(models) + 1)
    return conform(frame.assign(**columns), RUNS, "runs")


def assess_alone(runs, problems, **changes):
    """Assess with nothing stored, perhaps with other values of measure switches."""
    measure = MEASURE.model_copy(update=changes)
    return assess(runs, problems, measure, cache=Cache(None), timeout=20, jobs=1)


def test_by_hand(table, problems):
    """R2 is recomputed where there are data, and features are those of the simplified model."""
    assert table["parse_status"].tolist() == [
        "ok",
        "ok",
        "unparsed",
        "ok",
        "ok",
        "empty",
        "ok",
        "ok",
    ]
    sources = [
        "recomputed",
        "recomputed",
        "none",
        "recomputed",
        "recomputed",
        "none",
        "reported",
        "none",
    ]
    assert table["r2_source"].tolist() == sources
    assert set(ASSESSMENTS.required) <= set(table.columns)
    assert table["measure_digest"].unique().tolist() == [MEASURE.digest]
    solved, other, unread, infinite, huge, _, scaled, _ = table.to_dict("records")
    assert (solved["r2_test"], solved["r2_test_reported"], scaled["r2_test"]) == (1.0, 0.5, 0.75)
    data = pd.read_csv(problems.path.parent / "2_test.csv")
    assert other["r2_test"] == pytest.approx(r2_score(data["y"], 1.5 * data["a"]), rel=1e-12)
    assert (solved["features_used"], other["features_used"]) == ('["a", "b"]', '["a"]')
    assert other["complexity"] < other["complexity_raw"]
    assert (solved["solution_kind"], solved["solution"]) == ("identical", True)
    assert (other["solution_kind"], other["solution"]) == ("different", False)
    assert json.loads(other["solution_evidence"])["witness"]["point"]
    assert (scaled["solution_kind"], scaled["solution_constant"]) == ("scale", 2.0)
    assert infinite["bad_predictions"] == 60
    assert np.isnan([infinite["r2_test"], huge["r2_test"]]).all()
    assert "position" in unread["detail"]


def test_a_term_that_changes_no_prediction_is_named_and_not_counted(problems, tmp_path):
    rows = "method,dataset,repetition,model\nM,line,1,2*a + b + 1e-17*a*b\nM,line,2,2*a + b\n"
    (tmp_path / "runs.csv").write_text(rows)
    runs = read_runs(tmp_path / "runs.csv").frame
    table = assess(runs, problems, MEASURE, cache=Cache(None), jobs=1)
    dusty, clean = table.to_dict("records")
    assert json.loads(dusty["dust"]) and pd.isna(clean["dust"])
    assert dusty["complexity"] == clean["complexity"] == 5 < dusty["complexity_raw"]


def test_extrapolation_is_measured_on_its_own_rows(problems):
    """x at 10 11 12 for 20 22 24: residuals 10 11 12, deviations -2 0 2: R2 = 1 - 365/8."""
    value = measure_data(Question("data", parse("x"), {"sweep": False}, problems.find("far")))
    assert (value["r2_train"], value["r2_test"]) == (1.0, 1.0)
    assert value["r2_extrapolation"] == pytest.approx(1 - 365 / 8)


@pytest.mark.parametrize(
    ("stored", "agrees"),
    [
        # the training row at 0 is predicted as a share of the largest, which is 2
        *(({"train": [2 * share, 1.0, 2.0]}, same) for share, same in ((5e-7, True), (2e-6, False))),
        ({"train": [5.0, 1.0, 2.0]}, False),
        # a disk that was full leaves no arrays, or no bytes: neither agrees with the text, nor differs from it
        ({}, None), ({"train": [], "test": []}, None), (None, "no file"),
    ],
)  # fmt: skip
def test_predictions_have_to_agree_to_a_millionth_of_the_largest(
    stored, agrees, problems, tmp_path
):
    (tmp_path / "run.npz").touch()
    if stored is not None:
        np.savez(tmp_path / "run.npz", **stored)
    path = find_predictions("run.npz", tmp_path)
    if path is None:
        assert agrees == "no file"
        return
    far = problems.find("far")
    value = measure_predictions(Question("predictions", parse("x"), {}, far, predictions=str(path)))
    assert value["text_matches_predictions"] is agrees


@pytest.mark.parametrize(
    ("kind", "solution"),
    [("identical", True), ("offset", True), ("scale", True), ("different", False), ("constant", False),
     ("unknown", None)],
)  # fmt: skip
def test_what_could_not_be_decided_is_not_refuted(kind, solution, monkeypatch):
    verdict = replace(compare(parse("x"), parse("x"), {}), kind=kind)
    monkeypatch.setattr("srlib.assessing.measure.compare", lambda *_, **__: verdict)
    settings = {"truth": "x", "features": ("x",), "domain": {}, "constants": DECIMALS, "free": ()}
    answer = compare_with_truth(parse("x"), **settings)
    assert (answer["solution_kind"], answer["solution"]) == (kind, solution)


@pytest.mark.parametrize(
    ("outcome", "tries"),
    [
        (Outcome("timeout", detail="stopped after 10 s"), [False, False, True]),  # a larger limit
        (Outcome("timeout", by_clock=True), [True, True, True]),  # it waited, and did not compute
        (Outcome("crashed"), [True, True, True]),
        (Outcome("error", detail="SrlibError: no"), [False, False, False]),
    ],
)
def test_what_a_limit_ended_is_tried_again_under_a_larger_one(outcome, tries):
    cache, asked = Cache(None), []

    def answer(function, items, **limits):
        asked.extend(items)
        return ((place, outcome) for place, _ in enumerate(items))

    def case(statuses):
        statuses.append((yield Question("count", parse("a + b"), {}))["status"])

    for limit, again in zip((10.0, 2.0, 10.0, 30.0), [True, *tries], strict=True):
        asked.clear()
        answer_questions([case(statuses := [])], {"count": limit}, cache, answer)
        assert (statuses, bool(asked)) == ([outcome.status], again)


def test_what_a_limit_ended_says_nothing_about_a_model(runs, problems, monkeypatch):
    """Every part of the first model ends at a limit: each column says so, and the ledger blames the machine."""

    def answer(function, items, **limits):
        return ((place, Outcome("timeout", detail="too slow")) for place, _ in enumerate(items))

    monkeypatch.setattr(MODULE, "bounded_map", answer)
    table = assess_alone(runs.head(1), problems)
    row = table.iloc[0]
    assert (row["data_status"], row["simplify_status"], row["solution_status"]) == ("timeout",) * 3
    assert (row["solution_kind"], row["complexity"]) == ("unknown", row["complexity_raw"])
    assert row[["solution", "r2_test", "bad_predictions"]].isna().all()
    ledger = judge(table, problems, RULES).ledger
    assert ledger["code"].tolist()[0] == "machine_limit"
    assert "not finite" not in " ".join(ledger["detail"])


def test_interrupted_results_end_the_assessment(runs, problems, tmp_path, monkeypatch):
    """What was measured before is stored, and the next try goes on from there."""

    def interrupt(function, items, **limits):
        if items and items[0].part == "size":
            raise InterruptedResultsError(len(items))
        return bounded_map(function, items, **limits)

    cache = Cache(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(MODULE, "bounded_map", interrupt)
        with pytest.raises(InterruptedResultsError, match="interrupted by the machine: run"):
            assess(runs.head(1), problems, MEASURE, cache=cache, jobs=1)
    row = assess(runs.head(1), problems, MEASURE, cache=cache, jobs=1).iloc[0]
    assert (row["r2_test"], row["simplify_status"]) == (1.0, "ok")


def test_a_table_is_the_same_for_any_order_and_goes_back_to_its_runs(table, runs, problems):
    pd.testing.assert_frame_equal(runs_of(table)[runs.columns.tolist()], runs)
    same = [name for name in table.columns if name != "detail"]  # it may tell seconds
    backwards = assess_alone(runs.iloc[::-1].reset_index(drop=True), problems)
    expected = table.iloc[::-1].reset_index(drop=True)
    pd.testing.assert_frame_equal(backwards[same], expected[same])


@pytest.mark.parametrize(
    ("seeds", "numbered", "expected"),
    [
        ([21, 22], False, {1: 21, 2: 22, 21: 21, 22: 22, 0: None, 3: None}),
        ([7, 2, 1], False, {1: 1, 2: 2, 3: 1, 7: 7}),
        ([7, 2, 1], True, {1: 7, 2: 2, 3: 1, 7: 7}),
        ([5], False, {1: 5, 5: 5, 9: 5}),
        ([], False, {0: 0, 860: 860}),
    ],
)
def test_the_number_of_a_repetition_says_which_data_it_has(seeds, numbered, expected):
    problem = Problem(dataset="d", data_seeds=seeds, numbered=numbered)
    assert {number: problem.data_seed(number) for number in expected} == expected


def test_a_column_of_data_seeds_changes_nothing(table, runs, problems):
    stated = assess_alone(runs.assign(data_seed=2, seed=2), problems)
    same = [name for name in table.columns if name != "detail"]
    pd.testing.assert_frame_equal(stated[same], table[same])
    ledger = judge(stated, problems, RULES).ledger
    assert ledger.loc[ledger["code"] == "other_data", "detail"].tolist() == [
        "data_seed 2 is ignored: the repetition, 1, says which data a run has"
    ]


def test_a_seed_of_other_data_is_seen_where_it_equals_the_repetition(tmp_path):
    """Repetition 1 of numbered data is on seed 7: who states seed 1 is on other data; without seeds 1 is right."""
    seeds = Problem(dataset="d", numbered=True, data_seeds=(7, 1), data={"test": "{data_seed}.csv"})
    same_rows = Problem.model_validate({"dataset": "e", "data": {"test": "a.csv"}})
    stated = pd.DataFrame({"dataset": [*"dddee"], "repetition": [1, 1, 1, 3, 3]})
    stated["data_seed"] = pd.array([1, 7, None, 3, None], "Int64")
    other = find_other_data(stated, Problems("p", tmp_path, (seeds, same_rows)))
    assert other.tolist() == [True, False, False, False, False]


@pytest.mark.parametrize(("how", "expected"), [("simplified", 5), ("sympy", 11), ("text", 9)])
def test_the_rules_choose_what_is_counted(how, expected, problems):
    """(a + 1)^2 - a^2 has 9 components as written; sympy writes - as a product with -1; simplified it is 2*a + 1."""
    table = assess_alone(runs_with(["(a + 1)^2 - a^2"], "line"), problems, complexity=how)
    assert table["complexity"].tolist() == [expected]


def test_constants_of_a_truth_may_have_any_value_where_the_rules_say_so(problems, tmp_path):
    runs = runs_with(["7*x^2", "7*x^3"], "law")
    free = assess_alone(runs, problems, solution_constants="free")
    assert free["solution_kind"].tolist() == ["form", "different"]
    assert free["solution"].tolist() == [True, False]
    evidence = json.loads(free["solution_evidence"][0])
    assert (evidence["constants"], evidence["free"]) == ("free", {"c": 7.0})
    strict = assess_alone(runs, problems)
    assert strict["solution_kind"].tolist() == ["unknown", "unknown"]
    assert "have no values" in strict["solution_evidence"][0]
    assert strict["detail"].str.contains("have no values").all()
    (tmp_path / "p.yaml").write_text(PROBLEMS.replace("[c]", "[k]"))
    with pytest.raises(InputError, match="the truth cannot be read"):
        load_problems(tmp_path / "p.yaml")


@pytest.mark.parametrize(
    ("model", "change"),
    [
        # a*b*1.0000001 - a*b becomes 0 when its constant is rounded
        ("((a*b)*1.0000001 - (a*b))*10000000", "its R2 on the train rows becomes"),
        # 2.9*a - 0.5*b becomes 2.9*a: its R2 gets better, but b is hidden
        ("2.9*a - ((0.5*b)*1.0000001 - 0.5*b)*10000000", "feature b is gone"),
    ],
)
def test_the_model_that_is_counted_is_the_model_that_is_measured(model, change, problems):
    """Rounding must not make another model: then the text is counted, unrounded, and the ledger says so."""
    table = assess_alone(runs_with([model], "line"), problems)
    row = table.iloc[0]
    assert row["simplify_status"] == "changed" and change in row["detail"]
    assert row["complexity"] == count_sympy(to_sympy(parse(model), real=None))
    assert json.loads(row["features_used"]) == ["a", "b"]
    assert parse(row["simplified_model"]) == parse(model)
    assert "not_simplified" in set(judge(table, problems, RULES).ledger["code"])


def test_a_model_beyond_the_work_limit_is_counted_in_nodes_as_all_others(problems):
    """a - b has 3 components as written and 5 nodes: a, +, b, *, -1."""
    model = "(a - b)**9*(a + 2*b)**9*(3*a - b)**9/(a + b) + sin(a*b)**7*cos(a)"
    table = assess_alone(runs_with([model], "line"), problems, simplify_work=1500)
    assert table["simplify_status"].tolist() == ["work"]
    assert table["complexity"].tolist() == [count_sympy(to_sympy(parse(model), real=None))]


def test_the_edit_distance_is_that_of_the_simplified_model(table, problems):
    """2*a + b is the truth; 1.5*a lacks a sum and b, and has another number: 3 of 5 nodes."""
    distances = with_edit_distance(table, problems)["edit_distance"]
    assert distances[:2].tolist() == [0.0, pytest.approx(3 / 5)] and np.isnan(distances[2])
