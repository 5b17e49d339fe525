"""The shipped runs are complete, and their texts bear out the accuracy that the methods reported."""

import numpy as np
import pandas as pd
import pytest

from srlib.expressions import evaluate, parse, r2_score
from srlib.files import DEMO
from srlib.problems import load_problems, partitions
from srlib.tables import RUNS, conform


@pytest.fixture(scope="module")
def runs():
    return conform(pd.read_parquet(DEMO / "runs.parquet"), RUNS, "demo")


def test_texts_bear_out_the_reported_accuracy(runs):
    problems = load_problems("synthetic-2022")
    for run in runs[runs["status"] == "ok"].sample(60, random_state=1).itertuples():
        rows = partitions(problems.find(run.dataset), run.data_seed)
        expression = parse(run.model, rows.features, names=run.names)
        prediction = evaluate(
            expression, dict(zip(rows.features, rows.test.X.T, strict=True)), len(rows.test.y)
        )
        unexplained = 1 - run.r2_test
        assert 1 - r2_score(rows.test.y, prediction) == pytest.approx(
            unexplained, rel=1e-3, abs=1e-6
        ), run
        assert np.isfinite(run.r2_train)
