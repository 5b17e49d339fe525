"""Real problems and the shipped demo, against values worked out by others."""

import pandas as pd
import pytest

from srlib.files import DEMO
from srlib.tools.inference import load_problems, score_answers
from srlib.tools.inference.tasks import compute_reference, find_reference

KEY = ["solver", "task", "instance"]


def test_score_is_the_expected_one(reference_data):
    folder, numbers = reference_data / "uai", ["error", "max_error", "score"]
    problems = load_problems(folder / "problems")
    scores = score_answers(problems, folder / "solutions", trivial="trivial").scores
    expected = pd.read_csv(folder / "expected_scores.csv")
    expected = expected.rename(columns={"error_log10_or_hellinger": "error"})
    for table in (scores, expected):
        table["degenerate"] = table["note"].fillna("").str.startswith("degenerate")
    tables = [table.set_index(KEY)[[*numbers, "degenerate"]] for table in (scores, expected)]
    assert tables[0]["degenerate"].sum() == 12
    pd.testing.assert_frame_equal(*tables, check_like=True, rtol=0, atol=1e-6)


FOLDER = DEMO / "inference"


def test_references_are_exact_and_every_answer_can_be_used():
    problems = load_problems(FOLDER / "problems")
    for problem in problems:
        ours, stored = compute_reference(problem), find_reference(problem, FOLDER / "reference")
        assert stored.log10_Z == pytest.approx(ours.log10_Z) and {*stored.best} == {*ours.best}
    scored = score_answers(problems, FOLDER / "answers", FOLDER / "reference", "trivial")
    assert {*scored.scores["status"]} == {"ok"} and scored.changes.empty and not scored.unknown
