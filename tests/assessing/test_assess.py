"""Assessing: recomputed accuracy, what is cached, and that a bad row leaves its neighbours alone."""

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

from srlib.assessing import assess, runs_of
from srlib.assessing.assess import answer_questions
from srlib.assessing.measure import Question
from srlib.assessing.run import Questions, data_seed, find_other_data
from srlib.cache import Cache
from srlib.errors import InputError, InterruptedResultsError
from srlib.expressions import count_sympy, parse, simplify, to_sympy
from srlib.judging import judge
from srlib.problems import Problem, Problems, load_problems
from srlib.readers import read_runs
from srlib.rules import Measure, load_rules
from srlib.tables import ASSESSMENTS, conform
from srlib.tables import RUNS as CONTRACT
from srlib.workers import Outcome, bounded_map

MEASURE = load_rules("judging-2022").measure
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
"""
RUNS = """method,dataset,repetition,model,r2_test,complexity_raw
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
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def problems(folder: Path) -> Problems:
    rng = np.random.default_rng(5)
    for seed in (1, 2):
        for part in ("train", "test"):
            frame = pd.DataFrame(rng.uniform(0, 1, (30, 2)), columns=["a", "b"])
            frame.assign(y=2 * frame["a"] + frame["b"]).to_csv(
                folder / f"{seed}_{part}.csv", index=False
            )
    (folder / "small.yaml").write_text(PROBLEMS, encoding="utf-8")
    return load_problems(folder / "small.yaml")


@pytest.fixture(scope="module")
def runs(folder: Path) -> pd.DataFrame:
    (folder / "runs.csv").write_text(RUNS, encoding="utf-8")
    return read_runs(folder / "runs.csv").frame


@pytest.fixture(scope="module")
def table(runs: pd.DataFrame, problems: Problems) -> pd.DataFrame:
    return assess(runs, problems, MEASURE, cache=Cache(None), timeout=5, jobs=2)


def at(table: pd.DataFrame, method: str, repetition: int = 1) -> pd.Series:
    return table[(table["method"] == method) & (table["repetition"] == repetition)].iloc[0]


def test_every_row_is_accounted_for(table: pd.DataFrame) -> None:
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
    assert set(ASSESSMENTS.required) <= set(table.columns)
    assert set(ASSESSMENTS.columns) - {"status"} <= set(table.columns) | {
        "reason",
        "predictions",
        "method_version",
        "budget",
        "seed",
        "data_seed",
        "training_time_s",
        "target_noise",
        "time_limit_s",
        "names",
        "candidate",
        "chosen",
    }
    assert table["measure_digest"].unique().tolist() == [MEASURE.digest]


def test_accuracy_is_recomputed_and_reported_kept(table: pd.DataFrame, problems: Problems) -> None:
    assert at(table, "M")["r2_test"] == 1.0
    assert at(table, "M")["r2_test_reported"] == 0.5
    data = pd.read_csv(problems.path.parent / "2_test.csv")
    expected = r2_score(data["y"], 1.5 * data["a"])
    assert at(table, "M", 2)["r2_test"] == pytest.approx(expected, rel=1e-12)
    assert table["r2_source"].tolist() == ["recomputed"] * 2 + ["none"] + ["recomputed"] * 2 + [
        "none",
        "reported",
        "none",
    ]
    assert at(table, "Q")["r2_test"] == 0.75


def test_features_are_those_of_the_simplified_model(table: pd.DataFrame) -> None:
    assert json.loads(at(table, "M")["features_used"]) == ["a", "b"]
    assert json.loads(at(table, "M", 2)["features_used"]) == ["a"]
    assert at(table, "M", 2)["complexity"] < at(table, "M", 2)["complexity_raw"]


def test_solutions(table: pd.DataFrame) -> None:
    assert (at(table, "M")["solution_kind"], at(table, "M")["solution"]) == ("identical", True)
    assert (
        at(table, "M", 2)["solution"] is not True
        and at(table, "M", 2)["solution_kind"] == "different"
    )
    assert json.loads(at(table, "M", 2)["solution_evidence"])["witness"]["point"]
    assert (at(table, "Q")["solution_kind"], at(table, "Q")["solution_constant"]) == ("scale", 2.0)


def test_models_that_are_not_finite_are_counted(table: pd.DataFrame) -> None:
    assert at(table, "N", 2)["bad_predictions"] == 60
    assert np.isnan(at(table, "N", 2)["r2_test"])
    assert np.isnan(at(table, "P")["r2_test"])


def test_detail_of_a_text_that_cannot_be_read(table: pd.DataFrame) -> None:
    assert "position" in at(table, "N")["detail"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """The questions that workers have answered."""
    questions: list[Question] = []

    def spy(
        function: Callable, items: list[Question], **limits: Any
    ) -> Iterator[tuple[int, Outcome]]:
        questions.extend(items)
        return bounded_map(function, items, **limits)

    monkeypatch.setattr(MODULE, "bounded_map", spy)
    return questions


def test_nothing_is_done_twice(
    runs: pd.DataFrame, problems: Problems, tmp_path: Path, asked: list[Question]
) -> None:
    cache = Cache(tmp_path / "cache")
    few = runs[runs["method"].isin(["M", "N"])]
    first = assess(few, problems, MEASURE, cache=cache, timeout=20, jobs=1)
    asked.clear()
    again = assess(first, problems, MEASURE, cache=cache, timeout=20, jobs=1)
    assert asked == []
    pd.testing.assert_frame_equal(again, first)


def test_models_that_differ_only_in_lost_digits_are_simplified_once(
    problems: Problems, asked: list[Question]
) -> None:
    texts = ["0.50001*u + 0.00049996", "0.49999*u + 0.0005", "0.5*u*u"]
    runs = pd.DataFrame(
        {"method": "M", "dataset": "unseen", "repetition": [1, 2, 3], "model": texts}
    )
    runs["status"] = "ok"
    runs = conform(runs, CONTRACT, "runs")
    table = assess(runs, problems, MEASURE, cache=Cache(None), timeout=60, jobs=1)
    assert [question.part for question in asked].count("size") == 3
    assert table["simplified_model"].tolist() == [simplify(parse(text)).text for text in texts]
    assert table["model_id"].nunique() == 3
    asked.clear()
    assess(
        runs.assign(model=["0.50001*u", "0.49999*u", "0.5*u"]), problems, MEASURE, cache=Cache(None)
    )
    assert [question.part for question in asked].count("size") == 1


@pytest.mark.parametrize(
    ("outcome", "tries"),
    [
        (Outcome("timeout", detail="stopped after 10 s"), [False, False, True]),  # a larger limit
        (Outcome("timeout", by_clock=True), [True, True, True]),  # it waited, and did not compute
        (Outcome("crashed"), [True, True, True]),
        (Outcome("error", detail="SrlibError: no"), [False, False, False]),
    ],
)
def test_what_a_limit_ended_is_tried_again_under_a_larger_one(
    outcome: Outcome, tries: list[bool]
) -> None:
    cache, asked = Cache(None), list[Question]()

    def answer(function: Callable, items: list[Question], **limits: Any) -> Any:
        asked.extend(items)
        return ((place, outcome) for place, _ in enumerate(items))

    def run(statuses: list[str]) -> Questions:
        statuses.append((yield Question("count", parse("a + b"), {}))["status"])

    for limit, again in zip((10.0, 2.0, 10.0, 30.0), [True, *tries], strict=True):
        asked.clear()
        answer_questions([run(statuses := [])], {"count": limit}, cache, answer)
        assert (statuses, bool(asked)) == ([outcome.status], again)


def test_what_a_limit_ended_says_nothing_about_a_model(
    runs: pd.DataFrame, problems: Problems, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every part of the first model ends at a limit: each column says so, and the ledger blames the machine."""

    def answer(function: Callable, items: list[Question], **limits: Any) -> Any:
        return ((place, Outcome("timeout", detail="too slow")) for place, _ in enumerate(items))

    monkeypatch.setattr(MODULE, "bounded_map", answer)
    table = assess(runs.head(1), problems, MEASURE, cache=Cache(None))
    row = table.iloc[0]
    assert (row["data_status"], row["simplify_status"], row["solution_status"]) == ("timeout",) * 3
    assert (row["solution_kind"], row["complexity"]) == ("unknown", row["complexity_raw"])
    assert pd.isna(row["solution"]) and pd.isna(row["r2_test"]) and pd.isna(row["bad_predictions"])
    ledger = judge(table, problems, load_rules("judging-2022")).ledger
    assert ledger["code"].tolist()[0] == "machine_limit"
    assert "not finite" not in " ".join(ledger["detail"])


def test_interrupted_results_end_the_assessment(
    runs: pd.DataFrame, problems: Problems, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was measured before is stored, and the next try goes on from there."""

    def interrupt(function: Callable, items: list[Question], **limits: Any) -> Any:
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


def test_a_table_is_the_same_for_any_number_of_workers_and_order(
    table: pd.DataFrame, runs: pd.DataFrame, problems: Problems, tmp_path: Path
) -> None:
    same = [name for name in table.columns if name != "detail"]  # it may tell seconds
    shuffled = runs.iloc[::-1].reset_index(drop=True)
    for jobs in (1, 2):
        kept = Cache(tmp_path / "cache")
        found = assess(shuffled, problems, MEASURE, cache=kept, timeout=5, jobs=jobs)
        expected = table.iloc[::-1].reset_index(drop=True)
        pd.testing.assert_frame_equal(found[same], expected[same])


def test_runs_come_back_from_assessments(table: pd.DataFrame, runs: pd.DataFrame) -> None:
    back = runs_of(table)
    pd.testing.assert_frame_equal(back[runs.columns.tolist()], runs)


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
def test_the_number_of_a_repetition_says_which_data_it_has(seeds, numbered, expected) -> None:
    problem = Problem(dataset="d", data_seeds=seeds, numbered=numbered)
    assert {number: data_seed(number, problem) for number in expected} == expected


def test_a_column_of_data_seeds_changes_nothing(
    table: pd.DataFrame, runs: pd.DataFrame, problems: Problems
) -> None:
    stated = assess(runs.assign(data_seed=2, seed=2), problems, MEASURE, cache=Cache(None))
    pd.testing.assert_frame_equal(stated[table.columns.tolist()], table)
    lines = judge(stated, problems, load_rules("judging-2022")).ledger
    lines = lines[lines["code"] == "other_data"]
    assert lines["detail"].tolist() == [
        "data_seed 2 is ignored: the repetition, 1, says which data a run has"
    ]


def test_a_seed_of_other_data_is_seen_where_it_equals_the_repetition() -> None:
    """Repetition 1 of numbered data is on seed 7: who states seed 1 is on other data; without seeds 1 is right."""
    seeds = Problem(dataset="d", numbered=True, data_seeds=(7, 1), data={"test": "{data_seed}.csv"})
    same_rows = Problem.model_validate({"dataset": "e", "data": {"test": "a.csv"}})
    runs = pd.DataFrame({"dataset": [*"dddee"], "repetition": [1, 1, 1, 3, 3]})
    stated = runs.assign(data_seed=pd.array([1, 7, None, 3, None], "Int64"))
    other = find_other_data(stated, Problems("p", Path(), (seeds, same_rows)))
    assert other.tolist() == [True, False, False, False, False]


@pytest.mark.parametrize(("how", "expected"), [("simplified", 5), ("sympy", 11), ("text", 9)])
def test_the_rules_choose_what_is_counted(
    how: str, expected: int, runs: pd.DataFrame, problems: Problems
) -> None:
    """(a + 1)^2 - a^2 has 9 components as written; sympy writes - as a product with -1; simplified it is 2*a + 1."""
    row = runs[(runs["method"] == "M") & (runs["repetition"] == 2)].assign(model="(a + 1)^2 - a^2")
    measure = MEASURE.model_copy(update={"complexity": how})
    table = assess(row, problems, measure, cache=Cache(None), timeout=20, jobs=1)
    assert table["complexity"].tolist() == [expected]


def test_a_model_is_simplified_where_there_are_neither_data_nor_truth(tmp_path):
    """x3/x3 + x1 is x1 + 1: three components, and x3 is no feature of it."""
    one = "{dataset: d, property: relevant_features, features: [x1, x3], relevant: [x1]}"
    text = f"schema: 1\nname: bare\nproblems:\n  - {one}\n"
    (tmp_path / "bare.yaml").write_text(text)
    runs = pd.DataFrame(
        {"method": ["m"], "dataset": "d", "repetition": 1, "status": "ok", "r2_test": 0.5}
    )
    row = assess(
        runs.assign(model="x3/x3 + x1"), load_problems(tmp_path / "bare.yaml"), Measure()
    ).iloc[0]
    assert (row["simplify_status"], row["complexity"], row["features_used"]) == ("ok", 3, '["x1"]')
    assert (row["r2_source"], row["r2_test"]) == ("reported", 0.5)


def test_constants_of_a_truth_may_have_any_value_where_the_rules_say_so(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(
        "{schema: 1, name: p, problems: [{dataset: law, property: solution, features: [x], "
        "truth: c*x^2, constants: [c]}]}"
    )
    runs = pd.DataFrame({"method": "M", "dataset": "law", "repetition": [1, 2], "status": "ok"})
    runs["model"] = ["7*x^2", "7*x^3"]
    store = Cache(tmp_path / "cache")
    free = MEASURE.model_copy(update={"solution_constants": "free"})
    found = assess(runs, load_problems(file), free, cache=store, jobs=1)
    assert found["solution_kind"].tolist() == ["form", "different"]
    assert found["solution"].tolist() == [True, False]
    evidence = json.loads(found["solution_evidence"][0])
    assert (evidence["constants"], evidence["free"]) == ("free", {"c": 7.0})
    strict = assess(runs, load_problems(file), MEASURE, cache=store, jobs=1)
    assert strict["solution_kind"].tolist() == ["unknown", "unknown"]
    assert "have no values" in strict["solution_evidence"][0]
    assert strict["detail"].str.contains("have no values").all()
    file.write_text(file.read_text().replace("[c]", "[k]"))
    with pytest.raises(InputError, match="constants names 'k', which must be in the truth"):
        load_problems(file)


@pytest.mark.parametrize(
    ("model", "change"),
    [
        # a*b*1.0000001 - a*b becomes 0 when its constant is rounded
        ("((a*b)*1.0000001 - (a*b))*10000000", "its R2 on the train rows becomes"),
        # 2.9*a - 0.5*b becomes 2.9*a: its R2 gets better, but b is hidden
        ("2.9*a - ((0.5*b)*1.0000001 - 0.5*b)*10000000", "feature b is gone"),
    ],
)
def test_the_model_that_is_counted_is_the_model_that_is_measured(
    model: str, change: str, runs: pd.DataFrame, problems: Problems
) -> None:
    """Rounding must not make another model: then the text is counted, unrounded, and the ledger says so."""
    hidden = runs.head(1).assign(model=model)
    row = assess(hidden, problems, MEASURE, cache=Cache(None), timeout=20, jobs=1).iloc[0]
    assert row["simplify_status"] == "changed" and change in row["detail"]
    assert row["complexity"] == count_sympy(to_sympy(parse(model), real=None))
    assert json.loads(row["features_used"]) == ["a", "b"]
    assert parse(row["simplified_model"]) == parse(model)
    lines = judge(row.to_frame().T, problems, load_rules("judging-2022")).ledger
    assert "not_simplified" in set(lines["code"])


def test_a_model_beyond_the_work_limit_is_counted_in_nodes_as_all_others(
    runs: pd.DataFrame, problems: Problems
) -> None:
    """a - b has 3 components as written and 5 nodes: a, +, b, *, -1."""
    model = "(a - b)**9*(a + 2*b)**9*(3*a - b)**9/(a + b) + sin(a*b)**7*cos(a)"
    measure = MEASURE.model_copy(update={"simplify_work": 1500})
    row = runs.head(1).assign(model=model)
    table = assess(row, problems, measure, cache=Cache(None), timeout=20, jobs=1)
    assert table["simplify_status"].tolist() == ["work"]
    assert table["complexity"].tolist() == [count_sympy(to_sympy(parse(model), real=None))]
