"""Every model of the demo: what is shown, and what simplifying keeps."""

import numpy as np
import pandas as pd
import pytest

from srlib.expressions import Expression, evaluate, parse, r2_score
from srlib.expressions.evaluate import evaluate_precisely
from srlib.expressions.simplify import round_model
from srlib.problems import Problem, domain_of, load_problems, partitions
from srlib.problems.data import Partitions
from srlib.readers import read_runs

POINTS = 200


@pytest.fixture(scope="module")
def shipped() -> pd.DataFrame:
    runs = read_runs("demo").frame
    return runs[runs["simplify_status"] == "ok"]


def rows_of(problem: Problem, seed: int) -> Partitions:
    data = partitions(problem, seed)
    assert data is not None
    return data


def columns(data: Partitions, X: np.ndarray) -> dict[str, np.ndarray]:
    return dict(zip(data.features, X.T, strict=True))


def lost(model: Expression, other: Expression, points: dict[str, np.ndarray]) -> bool:
    """Whether another form lacks a value that the model has, or has another value.

    Where its parts are beyond a float's range, as in inf/inf, it is worked out with 60 digits.
    """
    wanted, got = evaluate(model, points, POINTS), evaluate(other, points, POINTS)
    defined = np.isfinite(wanted)
    beyond = np.flatnonzero(defined & ~np.isfinite(got))
    if len(beyond):
        there = {name: column[beyond] for name, column in points.items()}
        got[beyond] = evaluate_precisely(other.tape, there, len(beyond), 60).astype(float)
    apart = np.abs(got[defined] - wanted[defined])
    return bool((~(apart <= 1e-6 * np.max(np.abs(wanted[defined]), initial=1e-300))).any())


@pytest.mark.slow
def test_every_shown_model_has_the_r2_that_stands_beside_it(shipped: pd.DataFrame) -> None:
    problems, wrong = load_problems("synthetic-2022"), []
    for run in shipped.itertuples():
        problem = problems.find(run.dataset)
        assert problem is not None
        data = rows_of(problem, int(run.data_seed))
        model = parse(run.shown_model, problem.features)
        for name in ("train", "test", "extrapolation"):
            part, stated = getattr(data, name), getattr(run, f"r2_{name}")
            if part is not None and np.isfinite(stated):
                found = r2_score(part.y, evaluate(model, columns(data, part.X), len(part.y)))
                if round(found, 3) != round(stated, 3) and not np.isclose(found, stated, rtol=1e-9):
                    wrong.append((run.method, run.dataset, run.repetition, name, stated, found))
    assert not wrong


def test_simplifying_keeps_the_value_wherever_the_text_has_one(
    shipped: pd.DataFrame, generator: np.random.Generator
) -> None:
    """Over the domain and the range of all rows, extrapolation included."""
    problems, wrong = load_problems("synthetic-2022"), []
    for dataset, runs in shipped.groupby("dataset"):
        problem = problems.find(str(dataset))
        assert problem is not None
        data = rows_of(problem, problem.data_seeds[0])
        parts = [p.X for p in (data.train, data.test, data.extrapolation) if p is not None]
        ends = np.array([domain_of(problem)[name] for name in data.features]).T
        X = np.vstack([*parts, ends])
        points = columns(data, generator.uniform(X.min(0), X.max(0), (POINTS, X.shape[1])))
        for run in runs[runs["dust"].isna()].itertuples():
            model = round_model(parse(run.model, problem.features, names=run.names))
            if lost(model, parse(run.simplified_model, problem.features), points):
                wrong.append((run.method, run.dataset, run.repetition, run.simplified_model))
    assert not wrong
