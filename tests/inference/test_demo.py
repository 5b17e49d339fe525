"""The shipped demo is what its script makes, and what its references say."""

import json

import pytest

from srlib.files import DEMO
from srlib.inference import load_problems, score_answers
from srlib.inference.reference import exact
from tests.inference.make_demo import SOLVERS, answer_files, problem_files

FOLDER = DEMO / "inference"


@pytest.fixture(scope="module")
def problems():
    return load_problems(FOLDER / "problems")


def test_each_family_is_drawn_from_one_seed(generator):
    files = problem_files("grid", generator)
    assert set(files) == {"uai", "uai.evid", "uai.query", "uai.test"}
    assert files["uai"] != problem_files("grid", generator)["uai"]


# Gibbs sampling takes longer
@pytest.mark.parametrize("solver", ["exact", "mean-field", "icm", "trivial"])
def test_solvers_give_the_recorded_answers_again(problems, solver):
    some = [problem for problem in problems if problem.name in ("chain_1", "grid_2")]
    compared = 0
    for path, text in answer_files(some, (solver,)):
        if "/100/" not in path:
            assert (FOLDER / "answers" / path).read_text() == text, path
            compared += 1
    assert compared >= 5


def test_gibbs_sampling_gives_a_recorded_answer_again(problems):
    some = [problem for problem in problems if problem.name == "tree_1"]
    path, text = next(pair for pair in answer_files(some, ("gibbs",)) if "/10/" in pair[0])
    assert (FOLDER / "answers" / path).read_text() == text


def test_references_are_exact_and_every_answer_can_be_used(problems):
    for problem in problems:
        stored = json.loads((FOLDER / "reference" / f"{problem.name}.reference.json").read_text())
        ours = exact(problem)
        assert stored["digest"] == ours["digest"]
        assert stored["log10_Z"] == pytest.approx(ours["log10_Z"], abs=1e-9)
    scored = score_answers(problems, FOLDER / "answers", FOLDER / "reference", "trivial")
    assert set(scored.scores["status"]) == {"ok"}
    assert set(scored.scores["solver"]) == set(SOLVERS)
    assert scored.changes.empty
    assert scored.unknown == []
    means = scored.scores.groupby("solver")["score"].mean()
    assert means["exact"] == pytest.approx(100)
    assert len(means.round(3).unique()) == len(SOLVERS), "the solvers differ"
