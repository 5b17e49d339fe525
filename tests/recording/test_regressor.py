"""SRBench's regressor.py as a method, and a run that leaves files behind."""

from pathlib import Path

import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.errors import InputError
from srlib.problems import load_problems
from srlib.recording import record
from srlib.rules import load_rules
from tests.recording.tiny import problem_text

PROBLEM = problem_text([11, 12])
REGRESSOR = """
from sklearn.tree import DecisionTreeRegressor
from helper import word

class Stump(DecisionTreeRegressor):
    pass

est = Stump(max_depth=1)

def model(est, X):
    low, high = map(float, est.tree_.value[1:, 0, 0])
    return f"({low!r} + {high!r})/2 + 0*{X.columns[0]}"

def before(est, X, y):
    assert est.random_state > 11, word
    assert list(X.columns) == ["x1"]

eval_kwargs = {"pre_train": before, "test_params": {}, "scale_x": False}
"""


@pytest.fixture
def problems(tmp_path: Path):
    (tmp_path / "tiny.yaml").write_text(PROBLEM)
    return load_problems(tmp_path / "tiny.yaml")


def write(folder: Path, text: str = REGRESSOR) -> Path:
    folder.mkdir()
    (folder / "helper.py").write_text("word = 'the seed of the run was expected'")
    (folder / "regressor.py").write_text(text)
    return folder / "regressor.py"


def test_a_regressor_is_run_as_srbench_does(tmp_path, problems):
    path = write(tmp_path / "Stump")
    runs = record(path, problems, tmp_path / "out", repetitions=1, jobs=1)
    assert runs[["method", "status", "data_seed"]].to_numpy().tolist() == [["Stump", "ok", 11]]
    assert runs["names"].isna().all()
    table = assess(
        runs, problems, load_rules("judging-2022").measure, cache=Cache(None), timeout=60, jobs=1
    )
    assert table["parse_status"].tolist() == ["ok"]
    path.write_text(REGRESSOR.replace("0*", "1*"))  # another file is another method
    assert "1*x1" in record(path, problems, tmp_path / "out", repetitions=1, jobs=1)["model"][0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (REGRESSOR.replace("False", "True"), "eval_kwargs['scale_x'] = True is not supported"),
        ("est = model = None; raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("import os; est = model = os._exit(0)", "the process exited with code 0"),
    ],
)
def test_a_regressor_that_cannot_be_run_is_a_failed_run(text, reason, tmp_path, problems):
    runs = record(write(tmp_path / "M", text), problems, tmp_path / "out", repetitions=1, jobs=1)
    assert reason in runs["reason"][0] and runs["status"][0] in {"failed", "crashed"}


def test_a_package_that_a_regressor_lacks_is_looked_for_again(tmp_path, problems):
    path = write(tmp_path / "M", "import laterinstalled\n" + REGRESSOR)
    runs = record(path, problems, tmp_path / "out", repetitions=1, jobs=1)
    assert runs["reason"][0].startswith("ModuleNotFoundError")
    (path.parent / "laterinstalled.py").write_text("")
    assert record(path, problems, tmp_path / "out", repetitions=1, jobs=1)["status"][0] == "ok"


@pytest.mark.parametrize("name", ["est", "model"])
def test_a_file_that_is_no_regressor_is_refused_before_anything_runs(name, tmp_path, problems):
    text = f"{'est' if name == 'model' else 'model'} = 1"
    with pytest.raises(InputError, match=r"regressor\.py: est and model were expected"):
        record(write(tmp_path / "M", text), problems, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_no_regressor_is_one_sentence(tmp_path, problems):
    with pytest.raises(InputError, match=r"regressor\.py: no such file"):
        record(tmp_path / "regressor.py", problems, tmp_path / "out")
