"""Real problems and answers of the UAI competitions, against values worked out by others."""

import pandas as pd
import pytest

from srlib.tools.inference import load_problems, score_answers

KEY = ["solver", "task", "instance"]


@pytest.fixture(scope="module")
def folder(reference_data):
    return reference_data / "uai"


@pytest.fixture(scope="module")
def problems(folder):
    return load_problems(folder / "problems")


def test_score_is_the_expected_one(folder, problems):
    scores = score_answers(problems, folder / "solutions", trivial="trivial").scores
    expected = pd.read_csv(folder / "expected_scores.csv")
    expected = expected.rename(columns={"error_log10_or_hellinger": "error"})
    numbers = ["error", "max_error", "score"]
    for table in (scores, expected):
        table["degenerate"] = table["note"].fillna("").str.startswith("degenerate")
    tables = [table.set_index(KEY)[[*numbers, "degenerate"]] for table in (scores, expected)]
    assert tables[0]["degenerate"].sum() == 12
    pd.testing.assert_frame_equal(*tables, check_like=True, rtol=0, atol=1e-6)
