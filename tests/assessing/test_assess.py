"""Assessing: recomputed accuracy, what is cached, and that a bad row leaves its neighbours alone."""

import json
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

from srlib.assessing import assess, runs_of
from srlib.assessing.dataset import data_seed
from srlib.assessing.tasks import Task
from srlib.cache import Cache
from srlib.errors import InputError
from srlib.expressions import parse, simplify
from srlib.problems import Problems, load_problems
from srlib.readers import read_runs
from srlib.rules import Measure, load_rules
from srlib.tables import ASSESSMENTS, conform
from srlib.tables import RUNS as CONTRACT
from srlib.workers import Outcome, bounded_map

MEASURE = load_rules("judging-2022").measure
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


def test_nothing_is_done_twice(
    runs: pd.DataFrame, problems: Problems, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    few = runs[runs["method"].isin(["M", "N"])]
    first = assess(few, problems, MEASURE, cache=cache, timeout=20, jobs=1)
    seen: list[object] = []
    monkeypatch.setattr(
        "srlib.assessing.store.bounded_map",
        lambda function, items, **_: seen.extend(items) or iter(()),
    )
    again = assess(first, problems, MEASURE, cache=cache, timeout=20, jobs=1)
    assert seen == []
    pd.testing.assert_frame_equal(again, first)


def test_models_that_differ_only_in_lost_digits_are_simplified_once(
    problems: Problems, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["0.50001*u + 0.00049996", "0.49999*u + 0.0005", "0.5*u*u"]
    runs = pd.DataFrame(
        {"method": "M", "dataset": "unseen", "repetition": [1, 2, 3], "model": texts}
    )
    runs["status"] = "ok"
    runs = conform(runs, CONTRACT, "runs")
    seen: list[Task] = []

    def spy(
        function: Callable, items: Iterable[Task], **limits: object
    ) -> Iterator[tuple[int, Outcome]]:
        noted = (seen.append(item) or item for item in items)
        return bounded_map(function, noted, **limits)  # type: ignore[arg-type]

    monkeypatch.setattr("srlib.assessing.store.bounded_map", spy)
    table = assess(runs, problems, MEASURE, cache=Cache(None), timeout=60, jobs=1)
    assert [task.operation for task in seen].count("simplify") == 3
    assert table["simplified_model"].tolist() == [simplify(parse(text)).text for text in texts]
    assert table["model_id"].nunique() == 3
    seen.clear()
    assess(
        runs.assign(model=["0.50001*u", "0.49999*u", "0.5*u"]), problems, MEASURE, cache=Cache(None)
    )
    assert [task.operation for task in seen].count("simplify") == 1


def test_a_timeout_is_tried_again_with_a_larger_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from srlib.assessing.store import Store

    cache = Cache(tmp_path)
    task = Task("count", parse("a + b"), {})
    key = Store(cache, 1.0, 1)._base | {
        "operation": "count",
        "tree": task.expression.model_id,
        "settings": {},
    }
    monkeypatch.setattr("srlib.assessing.store.is_idle", lambda: False)
    stopped = {"status": "timeout", "value": None, "detail": "stopped after 10 s", "limit": 10.0}
    cache.put(key, stopped | {"idle": False, "by_clock": False})
    found: dict[int, dict] = {}
    rows = [(7, {"count": (task, {})})]
    Store(cache, 2.0, 1).work(rows, found.__setitem__)
    assert found[7]["count"]["status"] == "timeout"
    assert found[7]["count"]["detail"] == "stopped after 2 s"  # the limit of this run
    Store(cache, 30.0, 1).work(rows, found.__setitem__)
    assert found[7]["count"]["value"] == {"complexity": 3}


@pytest.mark.parametrize(
    ("idle_then", "idle_now", "by_clock", "status"),
    [
        (False, False, False, "timeout"),
        (True, True, False, "timeout"),
        (False, True, False, "ok"),  # the machine was busy
        (True, False, True, "ok"),  # it waited, and did not compute
    ],
)
def test_a_timeout_is_tried_again_under_better_conditions(
    idle_then: bool, idle_now: bool, by_clock: bool, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from srlib.assessing.store import Store

    monkeypatch.setattr("srlib.assessing.store.is_idle", lambda: idle_now)
    cache, task = Cache(None), Task("count", parse("a + b"), {})
    store = Store(cache, 30.0, 1)
    tree = {"operation": "count", "tree": task.expression.model_id, "settings": {}}
    stopped = {"status": "timeout", "value": None, "detail": "stopped after 30 s", "limit": 30.0}
    cache.put(store._base | tree, stopped | {"idle": idle_then, "by_clock": by_clock})
    found: dict[int, dict] = {}
    store.work([(7, {"count": (task, {})})], found.__setitem__)
    assert found[7]["count"]["status"] == status


def test_nothing_is_kept_of_tasks_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    from srlib.assessing.store import Store

    def at_once(function, items, **limits):
        yield from ((place, Outcome("ok", {})) for place, _ in enumerate(items))

    monkeypatch.setattr("srlib.assessing.store.bounded_map", at_once)
    nothing: Any = SimpleNamespace(
        get=lambda key: None, put=lambda *entry: None, close=lambda: None
    )
    task = Task("count", parse("a + b"), {})
    store, done = Store(nothing, 30.0, 1), []
    tracemalloc.start()
    try:
        rows = ((n, {"count": (task, {"n": n})}) for n in range(10_000))
        store.work(rows, lambda position, results: done.extend([None] * (position == 9_999)))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert done
    assert kept < 300_000  # a name of each takes 1,300,000


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
    ("row", "expected"),
    [
        ({"data_seed": 2, "seed": 1, "repetition": 1}, 2),
        ({"data_seed": None, "seed": 1, "repetition": 2}, 1),
        ({"data_seed": None, "seed": 77, "repetition": 2}, 2),
    ],
)
def test_which_data_a_run_was_made_on(
    row: dict[str, object], expected: int, problems: Problems
) -> None:
    problem = problems.find("line")
    assert problem is not None
    assert data_seed(row, problem) == expected


def test_an_unknown_data_seed_is_named(problems: Problems) -> None:
    row = {
        "method": "M",
        "dataset": "line",
        "data_seed": 9,
        "seed": None,
        "repetition": 1,
        "file": "t.csv",
        "row": 3,
    }
    problem = problems.find("line")
    assert problem is not None
    with pytest.raises(
        InputError,
        match=r"t.csv row 3 \(method M, dataset line\): data_seed must be one of 1, 2, got 9",
    ):
        data_seed(row, problem)


def test_a_truth_that_cannot_be_read_is_named(runs: pd.DataFrame, problems: Problems) -> None:
    path = problems.path.parent / "bad.yaml"
    path.write_text(PROBLEMS.replace("truth: u^2", "truth: u^"), encoding="utf-8")
    with pytest.raises(InputError, match="problem unseen: the truth cannot be read"):
        assess(runs, load_problems(path), MEASURE, cache=Cache(None), jobs=1)


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
