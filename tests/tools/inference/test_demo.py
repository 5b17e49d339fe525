"""The shipped demo: its references are exact, and its solvers differ."""

import pytest

from srlib.files import DEMO
from srlib.tools.inference import load_problems, score_answers
from srlib.tools.inference.tasks import compute_reference, find_reference

FOLDER = DEMO / "inference"


def test_references_are_exact_and_every_answer_can_be_used():
    problems = load_problems(FOLDER / "problems")
    for problem in problems:
        ours, stored = compute_reference(problem), find_reference(problem, FOLDER / "reference")
        assert stored.log10_Z == pytest.approx(ours.log10_Z, abs=1e-9)
        assert stored.best.keys() == ours.best.keys()
    scored = score_answers(problems, FOLDER / "answers", FOLDER / "reference", "trivial")
    assert set(scored.scores["status"]) == {"ok"}
    assert scored.changes.empty and scored.unknown == []
    assert scored.scores.groupby("solver")["score"].mean().round(3).nunique() == 5
