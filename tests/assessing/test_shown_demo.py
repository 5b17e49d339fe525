"""Every model of the demo and of the reference runs: what is shown, and what simplifying keeps."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from srlib.errors import SrlibError
from srlib.expressions import Expression, evaluate, parse, r2_score, simplify
from srlib.expressions.algebra.simplify import round_constants
from srlib.expressions.truth.precise import precise
from srlib.files import DEMO
from srlib.problems import Problem, domain_of, load_problems, partitions
from srlib.problems.data import Partitions
from srlib.readers import read_runs
from tests.reference.laws import LAWS, fronts

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
        got[beyond] = precise(other.tape, there, len(beyond), 60).astype(float)
    apart = np.abs(got[defined] - wanted[defined])
    return bool((~(apart <= 1e-6 * np.max(np.abs(wanted[defined]), initial=1e-300))).any())


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


@pytest.mark.parametrize(
    ("table", "file"), [("demo", "synthetic-2022"), (DEMO / "real_world.parquet", "diabetes")]
)
def test_simplifying_keeps_the_value_wherever_the_text_has_one(
    table: str, file: str, generator: np.random.Generator
) -> None:
    """Over the domain and the range of all rows, extrapolation included."""
    problems, wrong = load_problems(file), []
    frame = read_runs(table).frame
    for dataset, runs in frame[frame["simplify_status"] == "ok"].groupby("dataset"):
        problem = problems.find(str(dataset))
        assert problem is not None
        data = rows_of(problem, problem.data_seeds[0])
        parts = [p.X for p in (data.train, data.test, data.extrapolation) if p is not None]
        ends = np.array([domain_of(problem)[name] for name in data.features]).T
        X = np.vstack([*parts, ends])
        points = columns(data, generator.uniform(X.min(0), X.max(0), (POINTS, X.shape[1])))
        for run in runs[runs["dust"].isna()].itertuples():
            names = run.names if isinstance(run.names, str) else "auto"
            model = round_constants(parse(run.model, problem.features, names=names))
            if lost(model, parse(run.simplified_model, problem.features), points):
                wrong.append((run.method, run.dataset, run.repetition, run.simplified_model))
    assert not wrong


def reference_texts(name: str, folder: Path) -> Iterator[tuple[str, str, str, Any]]:
    """List the models of a published table: dataset, text, how it names features, and their ranges."""
    if name == "pysr_paper":
        frame = fronts(folder / "field" / name)
        for run in frame.drop_duplicates(["dataset", "model"]).itertuples():
            yield run.dataset, run.model, "auto", LAWS[run.dataset][2]
        return
    problems = load_problems(folder / "pmlb")
    known = {problem.dataset: domain_of(problem) for problem in problems.problems}
    path = folder / "field" / name
    if name == "rils-rols":
        path = folder / "srbench" / "runs" / "rils-rols.feather"
    frame = read_runs(path).frame
    for run in frame.dropna(subset="model").drop_duplicates(["dataset", "model"]).itertuples():
        dataset = str(run.dataset).split("@")[0]
        names = getattr(run, "names", None)
        yield dataset, run.model, names if isinstance(names, str) else "auto", known[dataset]


@pytest.mark.parametrize(
    ("name", "share"), [("rils-rols", 0.7), ("physo", 0.7), ("tpsr", 0.7), ("pysr_paper", 0.5)]
)
def test_so_it_does_for_the_reference_texts(
    name: str, share: float, reference_data: Path, generator: np.random.Generator
) -> None:
    """Each in its dataset's domain and as far again on both sides; SRLIB_ALL_TEXTS takes all of them, not 40."""
    texts = list(reference_texts(name, reference_data))
    if os.environ.get("SRLIB_ALL_TEXTS"):
        share = 0.3  # many of the long ones take more work
    else:
        short = [one for one in texts if len(one[1]) < 500]
        texts = [short[i] for i in np.random.default_rng(1).permutation(len(short))[:40]]
    kept, wrong = 0, []
    for dataset, text, names, domain in texts:
        try:
            model = round_constants(parse(text, list(domain), names=names))
            simple = simplify(model, work=5_000).expression
        except SrlibError:  # unread, or more work than that: the written text stands in
            continue
        for beyond in (0, 1):
            points = {
                feature: generator.uniform(
                    low - beyond * (high - low), high + beyond * (high - low), POINTS
                )
                for feature, (low, high) in domain.items()
            }
            if lost(model, simple, points):
                wrong.append((dataset, beyond, text))
        kept += 1
    assert not wrong and kept > share * len(texts)
