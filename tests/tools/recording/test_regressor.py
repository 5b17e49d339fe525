"""SRBench's regressor.py as a method."""

import re
from pathlib import Path

import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.problems import load_problems
from srlib.rules import load_rules
from srlib.tools.recording.methods import Regressor
from tests.builders import each, recorded_method, refused, write_problem

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
# an estimator without parameters: attributes are set, as SRBench does, also after `pre_train`
PLAIN = """
import numpy

class Plain:
    random_state, time_limit, max_time = None, 3600.0, None

    def fit(self, X, y):
        assert type(X) is numpy.ndarray and (self.time_limit, self.max_time) == (18, 18)
        self.rows, self.mean = len(y), float(self.random_state)

    def predict(self, X):
        return [self.mean] * len(X)

est = Plain()

def model(estimator, X=None):
    return f"{est.mean!r} + 0*{X.columns[0]}*{est.rows}"

def before(est, X, y):
    est.time_limit, est.max_time = 3595, 5

eval_kwargs = {"pre_train": before, "skip_tuning": True, "use_dataframe": False, "max_train_samples": 40}
"""


def write(text):
    Path("M").mkdir(exist_ok=True)
    Path("M/helper.py").write_text("word = 'the seed of the run was expected'")
    Path("M/regressor.py").write_text(text)
    return "M/regressor.py"


def test_regressor_is_run_as_srbench_does(run):
    runs = run(write(REGRESSOR), repetitions=1).runs
    assert runs[["method", "status", "data_seed"]].to_numpy().tolist() == [["M", "ok", 11]]
    assert runs["names"].isna().all() and "0*x1" in runs["model"][0]


@each(
    "text reason",
    """
SCALED | eval_kwargs['scale_x'] = True is not supported
est = model = None; raise RuntimeError('no licence') | RuntimeError: no licence
import os; est = model = os._exit(0) | the process exited with code 0
est = 1 | est and model were expected
model = 1 | est and model were expected
""",
)
def test_regressor_that_cannot_be_run_is_refused_once_before_any_run(text, reason, run):
    text = text.replace("SCALED", REGRESSOR.replace("False", "True"))
    with refused(f"M/regressor.py, method M: .*{re.escape(reason)}"):
        run(write(text))
    assert not Path("out/runs").exists()


def test_absent_file_is_refused(run):
    with refused(r"regressor\.py: no such file"):
        run("regressor.py")


@pytest.mark.slow
def test_regressor_gets_seed_limit_rows_and_names_as_in_srbench(run):
    """Seed, limit, an array of a sample of the rows where it wants them, names for its text; which it may lack."""
    runs = run(write(PLAIN), time_limit=20).runs
    texts = [f"{seed}.0 + 0*x1*40" for seed in runs["seed"]]
    assert runs["reason"].isna().all() and runs["model"].tolist() == texts
    runs, lines, _ = run(write(PLAIN + "\nmodel = None\n"), time_limit=20)
    assert set(runs["status"]) == {"ok"} and runs["model"].isna().all()
    assert "M: 3 runs without a model text, on which every aspect is measured" in lines[-1]


@pytest.mark.parametrize(("limit", "seconds"), [(1, 1), (3600, 3540)])
def test_regressors_own_limit_is_a_tenth_and_at_most_a_minute_less(run, limit, seconds):
    estimator = Regressor(write(PLAIN), {}, ["x1"], 1, limit).estimator
    assert (estimator.time_limit, estimator.max_time) == (seconds, seconds)


SECOND = """
import numpy as np
from sympy import Symbol, sympify

class Second:
    def fit(self, X, y):
        return self

    def predict(self, X):
        return 2.0 * np.asarray(X)[:, BASE]

est = Second()

def model(est):
    return TEXT
"""


@pytest.mark.slow
@each(
    "feature text base names line",
    """
mass | "2*x1" | 1 | x0 |
mass | "2*x_1" | 0 | x1 |
mass | "3*x1" | 0 | None | text differs from predict
x1 | "2*x2" | 1 | x1 |
x1 | "2*x1 + 0*x0" | 1 | x0 |
mass | 2.0*Symbol("x2") | 1 | x1 |
mass | sympify("2*mass + 0.0000003*other") | 0 | features | another test R2
mass | "2*mass" | 0 | features |
""",
)
def test_reading_that_gives_the_predictions_is_recorded_and_judged_elsewhere(
    feature, text, base, names, line, run
):
    """R2 of `run` and of `judge` agree, or a line says why; only the table goes to the judge."""
    problems = write_problem("1,5,1\n2,7,2\n3,6,3.5\n", f"{feature},other")
    path = write(SECOND.replace("BASE", base).replace("TEXT", text))
    runs, lines, _ = run(path, problems=problems)
    assert runs["reason"].isna().all() and str(runs["names"][0]).replace("nan", "None") == names
    assert len(lines) == bool(line) and line in "".join(lines)
    measure, options = load_rules("judging-2022").measure, {"jobs": 1}
    table = assess(runs, load_problems(problems), measure, cache=Cache(None), timeout=60, **options)
    assert line or abs(table["r2_test"][0] - runs["r2_test"][0]) <= 1e-9


@pytest.mark.slow
def test_stated_names_that_predictions_contradict_are_corrected_with_a_line(run):
    problems = write_problem("1,5,1\n2,7,2\n3,6,3.5\n", "mass,other")
    Path("second.py").write_text(SECOND.replace("BASE", "1").replace("TEXT", '"2*x2"'))
    second = recorded_method(estimator="second.py", names="x0", model={"text": "participant"})
    runs, [line], _ = run(second, problems=problems)
    assert runs["names"].tolist() == ["x1"] and line.endswith("as names: x1, not as x0")
