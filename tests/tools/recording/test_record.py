"""Recording: every outcome is kept with its reason, nothing is made twice, and what has changed is made again."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InterruptedResultsError
from srlib.problems import load_problems, partitions
from srlib.readers import read_runs
from srlib.tools.recording import load_methods
from srlib.tools.recording.methods import read_origins
from srlib.tools.recording.record import plan_runs
from tests.builders import each, recorded_method, recorded_problem, refused, write_problem

pytestmark = pytest.mark.slow

LINE = "1,1\n2,2\n3,3.5\n"


def test_good_run_is_recorded_in_full(run):
    runs = run(recorded_method(budget={"evaluations": 1}), repetitions=2).runs
    columns = ["method", "dataset", "repetition", "data_seed", "status", "budget"]
    assert runs[columns].to_numpy().tolist() == [
        ["Good", "line", number, 10 + number, "ok", '{"evaluations": 1}'] for number in (1, 2)
    ]
    data, mean = partitions(load_problems("tiny.yaml").problems[0], 11), float(runs["model"][0])
    assert (mean, runs["r2_train"][0]) == pytest.approx((np.mean(data.train.y), 0))
    stored = np.load(Path("out", runs["predictions"][0]))
    assert {name: {*values} for name, values in stored.items()} == {"train": {mean}, "test": {mean}}
    pd.testing.assert_frame_equal(read_runs("out/runs.parquet").frame[[*runs]], runs)


FAILURES = {
    "WrongLength": "failed: ValueError: predict gave 52 values of type float64, 52 of them finite",
    "GivesNaN": "51 values of type float64, 0 of them finite numbers, on 51 train rows",
    "GivesStrings": "51 values of type <U4, 0 of them finite numbers",
    "NoFit": "AttributeError: 'NoFit' object has no attribute 'fit'",
    "Raises": "failed: RuntimeError: no idea",
    "EmptyText": "a model text of 1 to 1000000 characters was expected, got '  '",
    "Exits": "crashed: the process exited with code 0",
    "Eats": "memory: MemoryError: Unable to allocate",
}


def test_misbehaving_method_fails_with_a_reason_and_prints_nothing(run, capfd):
    runs = run(*map(recorded_method, FAILURES), repetitions=1, jobs=2).runs.set_index("method")
    assert capfd.readouterr() == ("", "")
    for kind, reason in FAILURES.items():
        assert reason in f"{runs['status'][kind]}: {runs['reason'][kind]}"
    assert runs[["model", "r2_test", "predictions"]].isna().all(axis=None)


@each(
    "kind name limits reason outcomes",
    """
Hangs | time_limit | 1 0.5 1.5 | timeout: stopped after | 1 s/1 s/1.5 s
Spreads | memory_bytes | 536870912 268435456 2147483648 | memory: stopped at | 0.5 GB of memory/0.5 GB of memory/ok: nan
""",
)
def test_run_that_met_its_limit_is_repeated_only_under_a_larger_one(
    run, kind, name, limits, reason, outcomes
):
    """Memory is that of all its processes."""
    for limit, outcome in zip(limits.split(), outcomes.split("/"), strict=True):
        row = run(recorded_method(kind), repetitions=1, **{name: float(limit)}).runs.iloc[0]
        assert f"{row['status']}: {row['reason']}".removeprefix(f"{reason} ") == outcome


def test_finished_run_is_kept_and_a_damaged_one_repeated(run):
    first = run(recorded_method())
    Path("out/scratch/1").mkdir(parents=True)  # of a command that was killed
    assert (first.made, run(recorded_method()).made) == (3, 0)
    (file, *_), (predictions, *_) = Path("out/runs").iterdir(), Path("out/predictions").iterdir()
    content = file.read_bytes()
    edited = content.replace(b'"r2_test": ', b'"r2_test": 1')
    for path, damaged in (
        (file, content[:-50]),
        (file, edited),
        (file, b"[]"),
        (predictions, b"x"),
    ):
        path.write_bytes(damaged)
        again = run(recorded_method())
        assert again.made == 1 and again.runs["r2_test"].equals(first.runs["r2_test"])
    predictions.unlink()
    assert run(recorded_method()).made == 1


def test_retry_repeats_failed_runs_and_fresh_all_runs(run):
    calls = [{}, {}, {"retry": ["crashed"]}, {"retry": ["failed"]}, {"fresh": True}]
    assert [run(recorded_method("Raises"), recorded_method(), **call).made for call in calls] == [
        6,
        0,
        0,
        3,
        6,
    ]


OWN = """
from beside import SHIFT
from tests.tools.recording.estimators import Good

class Own(Good):
    model = Good.text_

    def fit(self, X, y):
        self.mean_ = float(SHIFT)
"""


def test_run_is_repeated_with_a_line_when_source_data_or_entry_change(run):
    """The source is the file that the method names, and not what that imports."""
    own = recorded_method("Own", estimator="ownmethod:Own")
    Path("ownmethod.py").write_text(OWN)
    Path("beside.py").write_text("SHIFT = 1\n")
    assert run(own, problems=write_problem(LINE)).lines == []
    # of another size: Python takes compiled code for the same file's by second and size
    Path("beside.py").write_text("SHIFT = 2.0\n")
    assert run(own, problems="p.yaml").made == 0
    Path("ownmethod.py").write_text(OWN + "\n")
    again = run(own, problems="p.yaml")
    assert again.runs["model"].tolist() == ["2.0"]
    changed = own.model_copy(update={"budget": {"s": 7}})
    lines = again.lines + run(own, problems=write_problem("1,2\n2,2\n3,3\n")).lines
    lines += run(changed, problems="p.yaml").lines
    start = "Own: 1 run made again, other than recorded: "
    assert lines == [start + part for part in ("source", "data", "entry")]


def test_run_of_other_data_or_another_entry_is_left_out_with_a_line(run):
    """On data that have changed, of a method that the file no longer names; or under another entry."""
    old, new = recorded_method(name="Old"), recorded_method(name="New")
    line = "Old: 1 run left out of the table, made on other data or under other settings"
    run(old, new, problems=write_problem(LINE))
    assert run(new, problems="p.yaml").runs["method"].tolist() == ["New", "Old"]
    changed = recorded_method(name="Old", budget={"evaluations": 7})
    for method, problems in ((changed, "tiny.yaml"), (new, write_problem("1,1\n2,2\n3,9\n"))):
        assert run(method, problems=problems).lines[-1] == line


def test_runs_are_made_again_or_named_under_another_limit(run):
    """Those that took longer than the limit of now are made again."""
    slow, quick = recorded_method("Starts"), recorded_method()
    run(slow, quick, repetitions=1, time_limit=20.0)
    again = run(slow, quick, repetitions=1, time_limit=0.5)
    assert (again.made, again.runs["status"].tolist()) == (1, ["ok", "timeout"])
    assert "Good: 1 run recorded under other limits of time or memory" in again.lines


def test_run_killed_from_outside_is_not_recorded(run):
    """Tried twice, it is not recorded; the other runs are, and the next command tries again."""
    for _ in range(2):
        with pytest.raises(InterruptedResultsError, match="1 result was interrupted"):
            run(recorded_method(), recorded_method("Terminated"), repetitions=1)
        assert pd.read_parquet("out/runs.parquet")["method"].tolist() == ["Good"]


def test_warming_up_does_not_count_as_training_time(run):
    cold, warm = (
        run(recorded_method("Starts", warm_up=way), out=str(way), repetitions=1).runs[
            "training_time_s"
        ][0]
        for way in (None, "fit")
    )
    assert cold > 1.0 > warm


def test_global_generators_start_from_the_runs_seed(run):
    """Repetitions differ, a second recording elsewhere is the same."""
    first, again = (run(recorded_method("Draws"), out=out).runs["model"].tolist() for out in "ab")
    assert len({*first}) == 3 and first == again


def plan(problems):
    """Plan the runs of a method on all repetitions."""
    method = recorded_method()
    limits = {"time_limit": 1.0, "memory_bytes": 1, "scratch": Path()}
    return plan_runs([method], load_problems(problems), None, read_origins([method]), **limits)


@each("seeds", "[11, 12]\n[0, 1, 2]\\n    numbered: true\n[0, 1, 2]\\n    numbered: false")
def test_run_has_a_seed_of_its_own_and_the_data_of_its_repetition(seeds, tmp_path):
    """With the seed of its data a method can draw their noise and subtract it."""
    (tmp_path / "tiny.yaml").write_text(recorded_problem(seeds))
    tasks = plan(tmp_path / "tiny.yaml")
    method_seeds = {task.key["seed"] for task in tasks}
    assert len(method_seeds) == len(tasks) and min(method_seeds) > 12
    for task in tasks:
        assert task.problem.data_seed(task.key["repetition"]) == task.data_seed


def test_differing_text_fails_a_run_of_our_writers_and_is_a_line_for_others(run):
    """Ours quotes odd names of features; the prediction of PoissonRegressor is an exponential."""
    runs, [line], _ = run(recorded_method("Misspells"))
    assert set(runs["status"]) == {"ok"} and line.startswith(
        "Misspells: 3 runs whose text differs from predict; for example line, repetition 1: "
        "on 1000 of 1000 rows the text does not give what predict gives; on the first of them it gives -1"
    )
    estimator = "sklearn.linear_model:PoissonRegressor"
    curved = recorded_method("curved", estimator=estimator, model={"text": "linear"})
    problems = write_problem("1,2\n2,3\n3,9\n", "body mass")
    runs = run(load_methods("demo")[0], curved, problems=problems, out="other").runs
    assert runs["model"][0].endswith("*`body mass`")
    assert "text_differs: on 6 of 6 rows" in runs["reason"][1]


WRONG = r"""
repetitions | 4 | line has 3 data_seeds, so 1 to 3 repetitions are possible, got 4
out | tiny.yaml | a folder was expected
problems | bare.yaml | dataset line has no training data to run methods on; .*_line_train\.csv
retry | all | retry: failed, crashed, timeout, memory was expected, got 'all'
"""


@each("name value message", WRONG)
def test_wrong_call_is_refused_before_anything_runs(run, name, value, message):
    Path("bare.yaml").write_text(recorded_problem().partition("    data: ")[0])
    values = {"repetitions": 4, "retry": ["all"]}
    with refused(message):
        run(recorded_method(), **{name: values.get(name, value)})
    assert not Path("out").exists()
