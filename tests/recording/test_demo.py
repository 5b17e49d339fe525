"""The shipped runs are complete, and their texts bear out the accuracy that the methods reported."""

import numpy as np
import pandas as pd
import pytest

from srlib.expressions import evaluate, parse, r2_score
from srlib.files import DEMO
from srlib.problems import load_problems, partitions
from srlib.recording import load_methods
from srlib.recording.record import plan
from srlib.tables import RUNS, conform


@pytest.fixture(scope="module")
def runs():
    return conform(pd.read_parquet(DEMO / "runs.parquet"), RUNS, "demo")


def test_every_planned_run_is_there_with_its_outcome(runs):
    planned = plan(load_methods("demo"), load_problems("synthetic-2022"))
    keys = {(task.method.name, task.problem.dataset, task.repetition, task.seed) for task in planned}
    assert set(runs[["method", "dataset", "repetition", "seed"]].itertuples(index=False, name=None)) == keys
    assert (runs["model"].notna() == (runs["status"] == "ok")).all()
    assert runs["predictions"].isna().all()
    assert (DEMO / "runs.parquet").stat().st_size < 5_000_000


def test_the_easiest_task_is_solved_well(runs):
    easiest = runs[runs["dataset"] == "exact_formula_easier"]
    assert easiest.groupby("method")["r2_test"].median().max() >= 0.99


def test_texts_bear_out_the_reported_accuracy(runs):
    problems = load_problems("synthetic-2022")
    for run in runs[runs["status"] == "ok"].sample(60, random_state=1).itertuples():
        rows = partitions(problems.find(run.dataset), run.data_seed)
        expression = parse(run.model, rows.features, names=run.names)
        prediction = evaluate(expression, dict(zip(rows.features, rows.test.X.T, strict=True)), len(rows.test.y))
        unexplained = 1 - run.r2_test
        assert 1 - r2_score(rows.test.y, prediction) == pytest.approx(unexplained, rel=1e-3, abs=1e-6), run
        assert np.isfinite(run.r2_train)
