"""A recording that can be believed: seeds, changed sources and data, texts that say what is predicted."""

import os
import sys
import time

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.cli.main import main
from srlib.errors import InputError, InterruptedResultsError
from srlib.expressions import evaluate, parse
from srlib.files import claim
from srlib.problems import load_problems, partitions
from srlib.recording import Method, load_methods, record
from srlib.recording.methods import Regressor
from srlib.recording.record import plan
from srlib.rules import load_rules
from tests.processes import start
from tests.recording.tiny import problem_text

pytestmark = pytest.mark.slow


def method(kind, **keys):
    entry = {"name": kind, "estimator": f"tests.recording.estimators:{kind}"}
    return Method.model_validate(entry | {"model": {"attribute": "text_"}} | keys)


@pytest.fixture
def problems(tmp_path):
    (tmp_path / "tiny.yaml").write_text(problem_text([11, 12, 13]))
    return load_problems(tmp_path / "tiny.yaml")


def test_global_generators_start_from_the_runs_seed(tmp_path, problems):
    """Repetitions differ, a second recording elsewhere is the same."""
    first = record([method("Draws")], problems, tmp_path / "a", jobs=2)["model"].tolist()
    again = record([method("Draws")], problems, tmp_path / "b", jobs=1)["model"].tolist()
    assert len(set(first)) == 3
    assert first == again


def test_torch_is_seeded_where_it_is_imported(tmp_path, problems, monkeypatch):
    """A stand-in notes the seeds that it is given; a fit finds its run's."""
    (tmp_path / "torch.py").write_text("SEEDS = []\nmanual_seed = SEEDS.append\n")
    (tmp_path / "deep.py").write_text(DEEP)
    monkeypatch.chdir(tmp_path)
    entry = {"name": "Deep", "estimator": "deep:Deep", "model": {"attribute": "text_"}}
    runs = record([Method.model_validate(entry)], problems, tmp_path / "out", jobs=1)
    assert runs["reason"].isna().all(), runs["reason"].tolist()
    assert runs["model"].tolist() == runs["seed"].astype(str).tolist()


DEEP = """
import numpy as np
import pandas as pd
import torch

class Deep:
    def fit(self, X, y):
        self.text_ = str(torch.SEEDS[-1])
        return self

    def predict(self, X):
        return np.full(len(X), float(self.text_))
"""
OWN = """
from beside import SHIFT

class Own:
    def fit(self, X, y):
        self.text_ = repr(float(SHIFT))
        return self

    def predict(self, X):
        import numpy
        return numpy.full(len(X), float(SHIFT))
"""
PROBLEM = """
schema: 1
name: own
problems:
  - {dataset: own, features: [FEATURE], data_seeds: [1], data: {train: own.csv, test: rest.csv}}
"""


def write_problem(folder, rows, feature="mass"):
    """One dataset of one's own; the test rows stay the same."""
    (folder / "own.csv").write_text(f"{feature},y\n{rows}")
    (folder / "rest.csv").write_text(f"{feature},y\n1,2\n2,3\n3,9\n")
    (folder / "p.yaml").write_text(PROBLEM.replace("FEATURE", feature))
    return folder / "p.yaml"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A method of one's own with a helper beside it, in the current folder, on data of one's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ownmethod.py").write_text(OWN)
    (tmp_path / "beside.py").write_text("SHIFT = 1\n")
    write_problem(tmp_path, "1,1\n2,2\n3,3.5\n")
    entry = {"name": "Own", "estimator": "ownmethod:Own", "model": {"attribute": "text_"}}

    def run(**more):
        said = []
        chosen = Method.model_validate(entry)
        table = record([chosen], "p.yaml", "out", jobs=1, say=said.append, **more)
        return table.iloc[0], said

    return run


def test_what_changes_is_made_again_with_a_line(own, tmp_path):
    row, said = own()
    assert (row["model"], said) == ("1.0", [])
    assert own()[1] == []
    # of another size: Python takes compiled code for the same file's by second and size
    (tmp_path / "beside.py").write_text("SHIFT = 2.0\n")
    assert own()[1] == []
    (tmp_path / "ownmethod.py").write_text(OWN + "\n")
    row, said = own()
    assert row["model"] == "2.0"
    assert said == ["Own: 1 run made again, other than recorded: source"]
    before = row["r2_train"]
    write_problem(tmp_path, "1,2\n2,2\n3,3\n")
    row, said = own()
    assert row["r2_train"] != before
    assert said == ["Own: 1 run made again, other than recorded: data"]


def test_fresh_makes_all_again(own):
    own()
    start = time.time_ns()
    own(fresh=True)
    assert all(p.stat().st_mtime_ns > start for p in (os.scandir("out/runs")))


def test_what_could_not_be_imported_is_tried_again(own, tmp_path):
    (tmp_path / "beside.py").rename(tmp_path / "away.py")
    row, _ = own()
    assert row["status"] == "failed" and "No module named 'beside'" in row["reason"]
    (tmp_path / "away.py").rename(tmp_path / "beside.py")
    assert own()[0]["status"] == "ok"


def test_runs_under_other_settings_do_not_stay_unsaid(tmp_path, problems):
    two = tmp_path / "two.yaml"
    two.write_text(problem_text([11, 12, 13]).replace("dataset: line", "dataset: other"))
    record([method("Good")], problems, tmp_path / "out", jobs=1)
    said = []
    changed = method("Good", budget={"evaluations": 7})
    runs = record([changed], str(two), tmp_path / "out", jobs=1, say=said.append)
    assert runs["dataset"].tolist() == ["other"] * 3
    assert said == [
        "Good: 3 runs left out of the table, made on other data or under other settings"
    ]


def test_runs_on_data_that_have_changed_are_left_out_whoever_made_them(tmp_path):
    """Of a method that the file no longer names, and that would be judged on other data."""
    old, new, said = method("Good", name="Old"), method("Good", name="New"), []
    write_problem(tmp_path, "1,1\n2,2\n3,3.5\n")
    record([old, new], tmp_path / "p.yaml", tmp_path / "out", jobs=1)
    assert record([new], tmp_path / "p.yaml", tmp_path / "out", jobs=1)["method"].tolist() == [
        "New",
        "Old",
    ]
    write_problem(tmp_path, "1,1\n2,2\n3,9\n")
    runs = record([new], tmp_path / "p.yaml", tmp_path / "out", jobs=1, say=said.append)
    assert runs["method"].tolist() == ["New"]
    assert (
        said[-1] == "Old: 1 run left out of the table, made on other data or under other settings"
    )


def test_a_method_does_not_draw_from_the_seed_of_its_data():
    """With it a method can draw the noise of its own data and subtract it."""
    tasks = plan(load_methods("baselines"), load_problems("synthetic-2022"), None)
    assert all(task.key["seed"] != task.data_seed for task in tasks)
    assert len({task.key["seed"] for task in tasks}) == len(
        {(t.problem.dataset, t.key["repetition"]) for t in tasks}
    )
    task = next(t for t in tasks if t.problem.dataset == "noise_hard" and t.data_seed == 2082)
    data = partitions(task.problem, 2082)
    X, y = np.vstack([data.train.X, data.test.X]), np.hstack([data.train.y, data.test.y])
    truth = parse(task.problem.known_truth, data.features)
    noise = y - evaluate(truth, dict(zip(data.features, X.T, strict=True)), len(y))

    def correlate(seed):
        return np.corrcoef(np.random.default_rng(seed).normal(size=len(y)), noise)[0, 1]

    assert correlate(task.data_seed) == pytest.approx(1)
    assert abs(correlate(task.key["seed"])) < 0.2


def test_memory_is_counted_over_all_processes_and_its_limit_may_grow(tmp_path):
    write_problem(tmp_path, "1,1\n2,2\n3,3.5\n")
    chosen = [method("Good"), method("Spreads")]

    def outcomes(gigabytes):
        runs = record(
            chosen,
            tmp_path / "p.yaml",
            tmp_path / "out",
            jobs=1,
            memory_bytes=int(gigabytes * 2**30),
        )
        return [*runs["status"], runs["reason"].fillna("")[1]]

    assert outcomes(0.5) == ["ok", "memory", "stopped at 0.5 GB of memory"]
    assert outcomes(2) == ["ok", "ok", ""]


def test_a_text_of_ours_that_differs_is_a_failed_run_and_a_line_for_others(tmp_path, problems):
    said = []
    runs = record([method("Misspells")], problems, tmp_path / "o", jobs=1, say=said.append)
    assert runs["status"].tolist() == ["ok"] * 3
    start = "Misspells: 3 runs whose text differs from predict; for example line, repetition 1: "
    assert len(said) == 1 and said[0].startswith(start), said
    assert "on 51 of 51 training rows the text does not give what predict gives" in said[0]
    entry = {
        "name": "curved",
        "estimator": "sklearn.linear_model:PoissonRegressor",  # its prediction is an exponential
        "model": {"text": "linear"},
    }
    write_problem(tmp_path, "1,2\n2,3\n3,9\n")
    runs = record([Method.model_validate(entry)], tmp_path / "p.yaml", tmp_path / "q", jobs=1)
    assert runs["status"].tolist() == ["failed"]
    assert "text_differs: on 3 of 3 training rows" in runs["reason"][0]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells who is whose child")
@pytest.mark.parametrize("crash", [False, True])
def test_a_child_that_left_its_group_is_ended(tmp_path, problems, crash):
    note = tmp_path / "note"
    chosen = method("Leaves", parameters={"note": str(note), "crash": crash})
    record([chosen], problems, tmp_path / "out", repetitions=1, jobs=1)
    child = int(note.read_text())
    for _ in range(50):
        if not os.path.exists(f"/proc/{child}"):  # noqa: PTH110
            return
        time.sleep(0.1)
    state = open(f"/proc/{child}/stat").read().split()[2]  # noqa: PTH123, SIM115
    assert state == "Z"


def test_a_run_that_is_killed_from_outside_is_no_failure_of_its_method(tmp_path, problems):
    """Tried twice, it is not recorded; the other runs are, and the next command tries again."""
    chosen = [method("Good"), method("Terminated")]
    for _ in range(2):
        with pytest.raises(InterruptedResultsError, match="1 result was interrupted"):
            record(chosen, problems, tmp_path / "out", repetitions=1, jobs=1)
        runs = pd.read_parquet(tmp_path / "out" / "runs.parquet")
        assert runs["method"].tolist() == ["Good"]


def test_retry_makes_the_named_failures_again(tmp_path, problems):
    def stamps(**more):
        record([method("Raises"), method("Good")], problems, tmp_path / "out", jobs=1, **more)
        files = (tmp_path / "out" / "runs").iterdir()
        return sorted(path.stat().st_mtime_ns for path in files)

    first = stamps()
    assert stamps() == first
    assert stamps(retry=["crashed"]) == first
    assert len(set(stamps(retry=["failed"])) - set(first)) == 3
    with pytest.raises(
        InputError, match="--retry takes failed, crashed, timeout, memory, got 'all'"
    ):
        stamps(retry=["all"])


def test_warming_up_is_no_training_time(tmp_path, problems):
    cold = record([method("Starts")], problems, tmp_path / "a", repetitions=1, jobs=1)
    warm = record(
        [method("Starts", warm_up="fit")], problems, tmp_path / "b", repetitions=1, jobs=1
    )
    assert cold["training_time_s"][0] > 1.0 > warm["training_time_s"][0]


def words(folder, kind, seeds):
    """Arguments of `srlib run` for one of the estimators, on the smallest problem."""
    (folder / "m.yaml").write_text(
        f"schema: 1\nmethods:\n  - {{name: {kind}, estimator: 'tests.recording.estimators:{kind}', "
        "model: {attribute: text_}}\n"
    )
    (folder / "p.yaml").write_text(problem_text(seeds))
    files = [folder / "m.yaml", folder / "p.yaml", "--out", folder / "out"]
    return ["run", *map(str, files), "--jobs", "1"]


def test_one_command_at_a_time_records_into_a_folder(tmp_path, capsys):
    arguments = words(tmp_path, "Writes", [1, 2])
    with claim(tmp_path / "out" / "lock"):
        assert main(arguments) == 2
        sentence = "another command records into this folder; wait until it is done"
        assert capsys.readouterr().err == f"srlib: {tmp_path / 'out'}: {sentence}\n"
        assert not (tmp_path / "out" / "runs").exists()
    assert main(arguments) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "predictions",
        "runs",
        "runs.parquet",
    ]


def test_a_killed_recording_leaves_its_runs_to_the_next(tmp_path):
    arguments = words(tmp_path, "Starts", [1, 2])
    process = start(arguments)
    scratch = tmp_path / "out" / "scratch"
    for _ in range(600):
        if scratch.is_dir() and any(scratch.iterdir()):
            break
        time.sleep(0.05)
    process.kill()
    process.communicate()
    assert main(arguments) == 0
    assert not scratch.exists()


def test_reasons_are_counted_on_the_screen(tmp_path, capsys):
    assert main(words(tmp_path, "Raises", [1, 2])) == 0
    assert "  Raises: 2 failed; first: RuntimeError: no idea\n" in capsys.readouterr().out


def test_a_missing_model_key_is_named(tmp_path, capsys):
    arguments = words(tmp_path, "Good", [1])
    (tmp_path / "m.yaml").write_text("schema: 1\nmethods: [{name: a, estimator: 'b:C'}]\n")
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert "'methods.0.model'" in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_text_of_ours_quotes_odd_names_of_features(tmp_path):
    write_problem(tmp_path, "1,2\n2,4\n", "body mass")
    entry = {
        "name": "a",
        "estimator": "sklearn.linear_model:LinearRegression",
        "model": {"text": "linear"},
    }
    runs = record([Method.model_validate(entry)], tmp_path / "p.yaml", tmp_path / "out", jobs=1)
    assert runs["reason"].isna().all() and runs["model"].str.endswith("*`body mass`").all()


REGRESSOR = """
import numpy as np
import pandas as pd

class Timed:
    def __init__(self, random_state=None, max_time=None):
        self.random_state, self.max_time = random_state, max_time

    def get_params(self, deep=True):
        return {"random_state": self.random_state, "max_time": self.max_time}

    def set_params(self, **new):
        vars(self).update(new)
        return self

    def fit(self, X, y):
        assert type(X) is np.ndarray and self.max_time == 18
        self.slope = float(np.linalg.lstsq(X, y, rcond=None)[0][0])
        return self

    def predict(self, X):
        return self.slope * np.asarray(X)[:, 0]

est = Timed()

def model(est, X=None):
    return f"{est.slope!r}*{X.columns[0]}"

eval_kwargs = {"use_dataframe": False}
"""


def test_a_regressor_gets_what_srbench_gives_it(tmp_path, problems):
    """Arrays where it wants them, a table with names for `model`, its time limit; and it may have no text."""
    (tmp_path / "Timed").mkdir()
    path = tmp_path / "Timed" / "regressor.py"
    path.write_text(REGRESSOR)
    runs = record(path, problems, tmp_path / "out", jobs=1, time_limit=20)
    assert runs["status"].tolist() == ["ok"] * 3, runs["reason"].tolist()
    assert runs["model"].str.endswith("*x1").all()
    path.write_text(
        REGRESSOR.replace("def model(est, X=None):", "model = None\n\ndef other(est, X):")
    )
    said = []
    runs = record(path, problems, tmp_path / "out", jobs=1, time_limit=20, say=said.append)
    assert runs["status"].tolist() == ["ok"] * 3 and runs["model"].isna().all()
    assert said[-1] == "Timed: 3 runs without a model text, so that only predictions can be judged"
    assert np.isfinite(runs["r2_test"]).all()


UNNAMED = """
import random

class Plain:
    random_state, time_limit, max_time = None, 3600.0, None

    def fit(self, X, y):
        assert (self.time_limit, self.max_time) == (18, 18), (self.time_limit, self.max_time)
        self.mean = float(self.random_state)

    def predict(self, X):
        return [self.mean] * len(X)

est = Plain()

def model(estimator, X=None):
    return f"{est.mean!r} + 0*{X.columns[0]}"

def before(est, X, y):
    est.time_limit, est.max_time = 3595, 5

eval_kwargs = {"pre_train": before, "skip_tuning": True, "scale_x": False}
"""


ONE_BASED = """
import numpy as np
import pandas as pd

class Second:
    def fit(self, X, y):
        return self

    def predict(self, X):
        return 2.0 * np.asarray(X)[:, BASE]

est = Second()

def model(est):
    return "TEXT"
"""


@pytest.mark.parametrize("feature", ["mass", "x1"])
@pytest.mark.parametrize(
    ("text", "base", "agrees"), [("2*x2", 1, True), ("2*x1", 1, True), ("3*x1", 0, False)]
)
def test_a_text_that_counts_from_0_or_1_is_compared_as_it_is_judged(
    tmp_path, feature, text, base, agrees
):
    if feature == "x1" and base == 1 and text == "2*x1":
        text = "2*x1 + 0*x0"
    write_problem(tmp_path, "1,5,1\n2,7,2\n3,6,3.5\n", f"{feature},other")
    (tmp_path / "rest.csv").write_text(f"{feature},other,y\n1,5,1\n2,8,2\n3,6,3.5\n")
    (tmp_path / "regressor.py").write_text(
        ONE_BASED.replace("BASE", str(base)).replace("TEXT", text)
    )
    said = []
    runs = record(
        tmp_path / "regressor.py", tmp_path / "p.yaml", tmp_path / "out", jobs=1, say=said.append
    )
    assert runs["reason"].isna().all(), runs["reason"].tolist()
    assert (
        not said
        if agrees
        else "1 run whose text differs from predict; for example own, rep" in said[0]
    )
    measure = load_rules("judging-2022").measure
    call = {"cache": Cache(None), "jobs": 1, "timeout": 60, "folder": tmp_path / "out"}
    found = assess(runs, load_problems(tmp_path / "p.yaml"), measure, **call)
    assert bool(found["text_matches_predictions"].iloc[0]) == agrees


def test_a_regressor_without_parameters_has_its_attributes_set(tmp_path, problems):
    """As SRBench does: seed and limit; the limit of the run counts, whatever `pre_train` sets."""
    (tmp_path / "Plain").mkdir()
    (tmp_path / "Plain" / "regressor.py").write_text(UNNAMED)
    runs = record(
        tmp_path / "Plain" / "regressor.py", problems, tmp_path / "out", jobs=1, time_limit=20
    )
    assert runs["reason"].isna().all(), runs["reason"].tolist()
    assert runs["model"].tolist() == [f"{seed}.0 + 0*x1" for seed in runs["seed"]]


@pytest.mark.parametrize(("limit", "told"), [(1, 1), (20, 18), (600, 540), (3600, 3540)])
def test_a_regressor_is_told_a_tenth_less_than_the_limit_and_at_most_a_minute(
    tmp_path, limit, told
):
    (tmp_path / "regressor.py").write_text(UNNAMED)
    estimator = Regressor(str(tmp_path / "regressor.py"), {}, ["x1"], 1, limit)
    assert (estimator.estimator.time_limit, estimator.estimator.max_time) == (told, told)
