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
        assert stored.log10_Z == pytest.approx(ours.log10_Z) and {*stored.best} == {*ours.best}
    scored = score_answers(problems, FOLDER / "answers", FOLDER / "reference", "trivial")
    assert {*scored.scores["status"]} == {"ok"} and scored.changes.empty and not scored.unknown
