"""The shipped demo: its references are exact, and its solvers differ."""

import json

import pytest

from srlib.files import DEMO
from srlib.inference import load_problems, score_answers
from srlib.inference.reference import exact

FOLDER = DEMO / "inference"
SOLVERS = {"exact", "mean-field", "gibbs", "icm", "trivial"}


@pytest.fixture(scope="module")
def problems():
    return load_problems(FOLDER / "problems")


def test_references_are_exact_and_every_answer_can_be_used(problems):
    for problem in problems:
        stored = json.loads((FOLDER / "reference" / f"{problem.name}.reference.json").read_text())
        ours = exact(problem)
        assert stored["digest"] == ours["digest"]
        assert stored["log10_Z"] == pytest.approx(ours["log10_Z"], abs=1e-9)
    scored = score_answers(problems, FOLDER / "answers", FOLDER / "reference", "trivial")
    assert set(scored.scores["status"]) == {"ok"}
    assert set(scored.scores["solver"]) == SOLVERS
    assert scored.changes.empty
    assert scored.unknown == []
    means = scored.scores.groupby("solver")["score"].mean()
    assert means["exact"] == pytest.approx(100)
    assert len(means.round(3).unique()) == len(SOLVERS), "the solvers differ"
