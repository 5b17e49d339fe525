"""Real problems and answers of the UAI competitions, against values worked out by others."""

import json

import pandas as pd
import pytest

from srlib.tools.inference import load_problems, score_answers
from srlib.tools.inference.tasks import compute_reference

KEY = ["solver", "task", "instance"]


@pytest.fixture(scope="module")
def folder(reference_data):
    return reference_data / "uai"


@pytest.fixture(scope="module")
def problems(folder):
    return load_problems(folder / "problems")


def test_every_score_is_the_expected_one(folder, problems):
    scores = score_answers(problems, folder / "solutions", trivial="trivial").scores
    expected = pd.read_csv(folder / "expected_scores.csv")
    expected = expected.rename(columns={"error_log10_or_hellinger": "error"})
    numbers = ["error", "max_error", "score"]
    for table in (scores, expected):
        table["degenerate"] = table["note"].fillna("").str.startswith("degenerate")
    tables = [table.set_index(KEY)[[*numbers, "degenerate"]] for table in (scores, expected)]
    assert tables[0]["degenerate"].sum() == 12
    pd.testing.assert_frame_equal(*tables, check_like=True, rtol=0, atol=1e-6)


def test_exact_references_agree_with_two_independent_methods(folder, problems):
    for problem in problems:
        ours, name = compute_reference(problem), problem.name
        theirs = json.loads((folder / "reference" / f"{name}.reference.json").read_text())
        assert ours.log10_Z == pytest.approx(theirs["log10_Z"], abs=1e-9), name
        for row, expected in zip(ours.mar, theirs["mar"], strict=True):
            assert row == pytest.approx(expected, abs=1e-6), name
        likelihoods = {f"MPE {name}": theirs["map_log_likelihood"]}
        if "mmap" in theirs:
            likelihoods[f"MMAP {name}"] = theirs["mmap"]["log10_value"]
        for place, line in enumerate(theirs.get("mlc", {}).get("lines", [])):
            likelihoods[f"MLC {name}#{place}"] = line["log10_value"]
        found = {case: likelihood for case, (likelihood, _) in ours.best.items()}
        assert found == pytest.approx(likelihoods, abs=1e-9)
