"""What a single letter could change between a run and its assessment."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.measure import Question, compare_with_truth, measure_data, measure_predictions
from srlib.assessing.run import find_predictions
from srlib.expressions import compare, parse
from srlib.expressions.evidence import DECIMALS
from srlib.problems import Problem, load_problems


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    """On the test rows y is x, beyond them it is 2x."""
    folder = tmp_path_factory.mktemp("apart")
    for name, x, factor in (("train", 0, 1), ("test", 3, 1), ("far", 10, 2)):
        values = np.array([x, x + 1.0, x + 2.0])
        pd.DataFrame({"x": values, "y": factor * values}).to_csv(
            folder / f"{name}.csv", index=False
        )
    (folder / "p.yaml").write_text(
        "schema: 1\nname: p\nproblems:\n  - {dataset: d, features: [x], target: y, property: extrapolation,\n"
        "     data: {train: train.csv, test: test.csv, extrapolation: far.csv}}\n",
        encoding="utf-8",
    )
    found = load_problems(folder / "p.yaml").find("d")
    assert found is not None
    return found


def test_extrapolation_is_measured_on_its_own_rows(problem: Problem) -> None:
    """x at 10 11 12 for 20 22 24: residuals 10 11 12, deviations -2 0 2: R2 = 1 - 365/8."""
    found = measure_data(Question("data", parse("x"), {"sweep": False}, problem))
    assert (found["r2_train"], found["r2_test"]) == (1.0, 1.0)
    assert found["r2_extrapolation"] == pytest.approx(1 - 365 / 8)


@pytest.mark.parametrize(("share", "same"), [(5e-7, True), (2e-6, False), (5e-6, False)])
def test_predictions_have_to_agree_to_a_millionth_of_the_largest(
    problem: Problem, tmp_path: Path, share: float, same: bool
) -> None:
    """The training row at 0 is predicted as a share of the largest, which is 2."""
    stored = tmp_path / "run.npz"
    np.savez(stored, train=np.array([2 * share, 1.0, 2.0]))
    question = Question("predictions", parse("x"), {}, problem, predictions=str(stored))
    assert measure_predictions(question)["text_matches_predictions"] is same


def test_an_empty_prediction_file_is_no_prediction(problem: Problem, tmp_path: Path) -> None:
    """A disk that was full leaves no bytes, or no arrays: neither agrees with the text, nor differs from it."""
    (tmp_path / "nothing.npz").write_bytes(b"")
    np.savez(tmp_path / "no_arrays.npz")
    np.savez(tmp_path / "no_rows.npz", train=np.array([]), test=np.array([]))
    np.savez(tmp_path / "wrong.npz", train=np.array([5.0, 1.0, 2.0]))
    np.savez(tmp_path / "right.npz", train=np.array([0.0, 1.0, 2.0]))
    found = {}
    for name in ("nothing", "no_arrays", "no_rows", "wrong", "right"):
        path = find_predictions(f"{name}.npz", tmp_path)
        question = Question("predictions", parse("x"), {}, problem, predictions=str(path))
        found[name] = "no file"
        if path is not None:
            found[name] = measure_predictions(question)["text_matches_predictions"]
    assert found == {
        "nothing": "no file",
        "no_arrays": None,
        "no_rows": None,
        "wrong": False,
        "right": True,
    }


@pytest.mark.parametrize(
    ("kind", "solution"),
    [("identical", True), ("offset", True), ("scale", True), ("different", False), ("constant", False),
     ("unknown", None)],
)  # fmt: skip
def test_what_could_not_be_decided_is_not_refuted(
    kind: str, solution: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = replace(compare(parse("x"), parse("x"), {}), kind=kind)
    monkeypatch.setattr("srlib.assessing.measure.compare", lambda *_, **__: verdict)
    answer = compare_with_truth(
        parse("x"), truth="x", features=("x",), domain={}, constants=DECIMALS, free=()
    )
    assert (answer["solution_kind"], answer["solution"]) == (kind, solution)
