"""Recording: every outcome is kept, nothing is done twice, and a folder that was damaged heals."""

import json

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.problems import load_problems, partitions
from srlib.recording import Method, record
from srlib.recording.record import plan
from srlib.tables import RUNS, conform
from tests.recording.tiny import problem_text

pytestmark = pytest.mark.slow

PROBLEM = problem_text([11, 12, 13])


@pytest.fixture
def problems(tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(PROBLEM)
    return load_problems(path)


def method(kind="Good", **keys):
    entry = {
        "name": kind,
        "estimator": f"tests.recording.estimators:{kind}",
        "model": {"attribute": "text_"},
    }
    return Method.model_validate(entry | keys)


def test_a_good_run_is_recorded_in_full(tmp_path, problems):
    chosen = method(seed_parameter="seed", budget={"evaluations": 1})
    runs = record([chosen], problems, tmp_path / "out", repetitions=2, jobs=1)
    conform(runs, RUNS, "runs")
    assert runs[["method", "dataset", "repetition", "data_seed", "status"]].to_numpy().tolist() == [
        ["Good", "line", 1, 11, "ok"],
        ["Good", "line", 2, 12, "ok"],
    ]
    data = partitions(problems.problems[0], 11)
    first = runs.iloc[0]
    assert float(first["model"]) == pytest.approx(np.mean(data.train.y))
    assert first["r2_train"] == pytest.approx(0)
    assert json.loads(first["budget"]) == {"evaluations": 1}
    assert pd.isna(first["reason"])
    stored = np.load(tmp_path / "out" / first["predictions"])
    assert stored["test"].tolist() == [float(first["model"])] * len(data.test.y)
    again = pd.read_parquet(tmp_path / "out" / "runs.parquet")
    pd.testing.assert_frame_equal(conform(again, RUNS, "again"), runs)


@pytest.mark.parametrize(
    ("kind", "status", "reason"),
    [
        ("WrongLength", "failed", "predict gave 52 values of type float64, 52 of them finite"),
        (
            "GivesNaN",
            "failed",
            "51 values of type float64, 0 of them finite numbers, on 51 train rows",
        ),
        ("GivesStrings", "failed", "51 values of type <U4, 0 of them finite numbers"),
        ("NoFit", "failed", "AttributeError: 'NoFit' object has no attribute 'fit'"),
        (
            "Missing",
            "failed",
            "AttributeError: module 'tests.recording.estimators' has no attribute 'Missing'",
        ),
        ("Raises", "failed", "RuntimeError: no idea"),
        (
            "EmptyText",
            "failed",
            "ValueError: a model text of 1 to 1000000 characters was expected, got '  '",
        ),
        ("Exits", "crashed", "the process exited with code 0"),
        ("Eats", "memory", "Unable to allocate"),
    ],
)
def test_a_misbehaving_method_fails_with_a_reason(tmp_path, problems, kind, status, reason):
    run = record([method(kind)], problems, tmp_path / "out", repetitions=1, jobs=1).iloc[0]
    assert run["status"] == status
    assert reason in run["reason"]
    assert pd.isna(run["model"])
    assert pd.isna(run["r2_test"])
    assert pd.isna(run["predictions"])


def test_noise_and_forks_do_no_harm(tmp_path, problems, capfd):
    runs = record(
        [method("Prints"), method("Forks")], problems, tmp_path / "out", repetitions=1, jobs=2
    )
    assert runs["status"].tolist() == ["ok", "ok"]
    assert capfd.readouterr() == ("", "")


def test_a_hanging_run_is_stopped_and_repeated_only_with_a_larger_limit(tmp_path, problems):
    def status(limit):
        runs = record(
            [method("Hangs")], problems, tmp_path / "out", repetitions=1, jobs=1, time_limit=limit
        )
        return runs.iloc[0]["status"], runs.iloc[0]["reason"]

    assert status(1.0) == ("timeout", "stopped after 1 s")
    assert status(0.5) == ("timeout", "stopped after 1 s")
    assert status(1.5) == ("timeout", "stopped after 1.5 s")


def test_finished_runs_are_kept_and_damaged_ones_repeated(tmp_path, problems):
    calls = tmp_path / "calls"
    calls.mkdir()
    chosen = method(parameters={"folder": str(calls)}, seed_parameter="seed")

    def done():
        record([chosen], problems, tmp_path / "out", jobs=1)
        seeds = {int(path.read_text()) for path in calls.iterdir()}
        for path in calls.iterdir():
            path.unlink()
        return seeds

    assert len(done()) == 3
    assert done() == set()
    file = next((tmp_path / "out" / "runs").iterdir())
    seed = json.loads(file.read_text())["row"]["seed"]
    file.write_text(file.read_text()[:-50])  # cut off
    assert done() == {seed}
    file.write_text(file.read_text().replace('"r2_test": ', '"r2_test": 1'))  # edited
    assert done() == {seed}
    file.write_text("[]")
    assert done() == {seed}
    predictions = next((tmp_path / "out" / "predictions").iterdir())
    predictions.write_bytes(predictions.read_bytes()[:-3] + b"xxx")
    assert len(done()) == 1
    predictions.unlink()
    assert len(done()) == 1


def test_another_entry_is_another_run(tmp_path, problems):
    record([method()], problems, tmp_path / "out", repetitions=1, jobs=1)
    changed = method(model={"attribute": "longer_text"})
    runs = record([changed], problems, tmp_path / "out", repetitions=1, jobs=1)
    assert len(runs) == 1
    assert runs.iloc[0]["model"].startswith("0 + ")
    both = record([method("Raises")], problems, tmp_path / "out", repetitions=1, jobs=1)
    assert both["method"].tolist() == ["Good", "Raises"]


@pytest.mark.parametrize(
    "seeds", ["[11, 12]", "[0, 1, 2], numbered: true", "[0, 1, 2], numbered: false"]
)
def test_a_run_is_judged_on_the_data_that_it_was_made_on(seeds, tmp_path):
    (tmp_path / "tiny.yaml").write_text(problem_text(seeds).replace(", numbered", "\n    numbered"))
    tasks = plan([method()], load_problems(tmp_path / "tiny.yaml"), None)
    assert [task.problem.data_seed(task.key["repetition"]) for task in tasks] == [
        task.data_seed for task in tasks
    ]


def test_wrong_calls_are_refused_before_anything_runs(tmp_path, problems):
    with pytest.raises(
        InputError, match="line has 3 data_seeds, so 1 to 3 repetitions are possible, got 4"
    ):
        record([method()], problems, tmp_path / "out", repetitions=4)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a folder was expected"):
        record([method()], problems, tmp_path / "file")
    bare = tmp_path / "bare.yaml"
    bare.write_text(
        "schema: 1\nname: bare\nproblems: [{dataset: d, features: [a], data_seeds: [1]}]\n"
    )
    with pytest.raises(InputError, match="dataset d has no training data"):
        record([method()], bare, tmp_path / "out")
    assert not (tmp_path / "out").exists()
