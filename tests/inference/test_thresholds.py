"""Tolerances of answers, and what counts as the best known one."""

import math

import pytest

from srlib.inference.reference import find_reference, write_reference
from tests.inference.small import stored
from tests.inference.test_scoring import narrow, one, scored

__all__ = ["narrow"]


@pytest.mark.parametrize(
    ("last", "status"), [(0.009, "ok"), (-0.009, "ok"), (0.011, "invalid"), (-0.011, "invalid")]
)
def test_probabilities_sum_to_1_within_a_hundredth(tmp_path, last, status):
    answer = f"MAR\n2 2 0.5 0.5 3 0.5 0.4 {0.1 + last}"
    assert one(scored(tmp_path, {"a/small.uai.MAR": answer}))["status"] == status


def test_the_default_trivial_answer_is_among_the_best_known(tmp_path, narrow):
    """Likelihoods: 0 0 has .4; the default, each variable by its own table, 1 0, has 2.4 and is the best known."""
    found = scored(tmp_path, {"a/small.uai.MPE": "MPE 2 0 0"})
    assert one(found)["error"] == pytest.approx(math.log10(2.4 / 0.4))
    change = found.changes.iloc[0]
    assert change["after"] == pytest.approx(math.log10(2.4))
    assert change["solver"] == "the default trivial solver"
    assert found.references["small"]["map_assignment"] == [1, 0]


def test_the_answer_of_a_trivial_solver_is_among_the_best_known(tmp_path, narrow):
    answers = {"a/small.uai.MPE": "MPE 2 0 1", "trivial/small.uai.MPE": "MPE 2 1 1"}
    found = scored(tmp_path, answers)
    assert one(found)["error"] == pytest.approx(math.log10(3 / 0.8))
    assert found.changes.iloc[0]["solver"] == "trivial"


def test_the_best_known_answer_keeps_its_assignment(tmp_path, narrow):
    """What beats the kept reference becomes it: the value, and the assignment that has it."""
    problem = stored(tmp_path)[0]
    folder = tmp_path / "reference"
    for answer, states in (("MPE 2 1 0", [1, 0]), ("MPE 2 1 1", [1, 1]), ("MPE 2 0 1", [1, 1])):
        found = scored(tmp_path, {"a/small.uai.MPE": answer}, folder)
        write_reference(problem, found.references["small"], folder)
        assert find_reference(problem, folder)["map_assignment"] == states
