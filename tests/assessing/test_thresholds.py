"""What a single letter could change between a run and its assessment."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.dataset import Dataset
from srlib.assessing.outcomes import columns
from srlib.assessing.tasks import carry_out, matched, scored_on_data
from srlib.expressions import parse
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
    found = scored_on_data(parse("x"), problem, None)
    assert (found["train"], found["test"]) == (1.0, 1.0)
    assert found["extrapolation"] == pytest.approx(1 - 365 / 8)


@pytest.mark.parametrize(("share", "same"), [(5e-7, True), (2e-6, False), (5e-6, False)])
def test_predictions_have_to_agree_to_a_millionth_of_the_largest(
    problem: Problem, tmp_path: Path, share: float, same: bool
) -> None:
    """The training row at 0 is predicted as a share of the largest, which is 2."""
    stored = tmp_path / "run.npz"
    np.savez(stored, train=np.array([2 * share, 1.0, 2.0]))
    assert matched(parse("x"), problem, None, str(stored))["matches"] is same


def test_an_empty_prediction_file_is_no_prediction(problem: Problem, tmp_path: Path) -> None:
    """A disk that was full leaves no bytes, or no arrays: neither agrees with the text, nor differs from it."""
    (tmp_path / "nothing.npz").write_bytes(b"")
    np.savez(tmp_path / "no_arrays.npz")
    np.savez(tmp_path / "no_rows.npz", train=np.array([]), test=np.array([]))
    np.savez(tmp_path / "wrong.npz", train=np.array([5.0, 1.0, 2.0]))
    np.savez(tmp_path / "right.npz", train=np.array([0.0, 1.0, 2.0]))
    found = {}
    for name in ("nothing", "no_arrays", "no_rows", "wrong", "right"):
        row = {"data_seed": None, "predictions": f"{name}.npz"}
        wanted = Dataset(problem).on_data(row, parse("x"), tmp_path)
        found[name] = carry_out(wanted["match"][0])["matches"] if "match" in wanted else "no task"
    assert found == {
        "nothing": "no task",
        "no_arrays": None,
        "no_rows": None,
        "wrong": False,
        "right": True,
    }


def test_what_could_not_be_decided_is_not_refuted() -> None:
    def solution(kind: str) -> bool | None:
        value = {"kind": kind, "constant": None, "evidence": {}}
        outcome = {"status": "ok", "value": value, "detail": "", "limit": 1.0}
        known = {"simplify_status": "ok", "complexity_raw": 1}
        return columns(known, {"compare": outcome, "both": outcome})["solution"]

    kinds = ("identical", "offset", "scale", "different", "constant", "unknown")
    assert [solution(kind) for kind in kinds] == [True, True, True, False, False, None]
