"""How sure a winner is, on competitions that a reader can judge by hand."""

import pytest

from srlib.judging.robustness import certainty
from srlib.judging.robustness.certainty import Certainty
from tests.judging.robustness.cases import DATASETS, judged, varied


def scores(second: float, datasets: int = 9) -> dict:
    """A is better than B in accuracy wherever B is below 0.9; all else is the same."""
    return {
        (method, name): [r2, r2]
        for method, r2 in {"A": 0.9, "B": second}.items()
        for name in DATASETS[:datasets]
    }


def test_who_leads_everywhere_is_firm(tmp_path):
    found = certainty(judged(scores(0.5), tmp_path))
    assert (found.word, found.share, found.lost, found.told) == ("firm", 1, 0, True)
    assert found.sentence.startswith("A wins 100% of 200 draws of other runs and datasets")
    assert (found.badge["word"], found.badge["said"]) == ("firm", found.sentence)


def test_a_shared_place_is_open_and_one_method_alone_needs_no_word(tmp_path):
    shared = certainty(judged(scores(0.9), tmp_path))
    assert shared.word == "open" and "A and B share the first place" in shared.sentence
    assert certainty(judged({("A", "d1"): [0.9]}, tmp_path)).badge == {}


def test_single_switches_are_those_of_the_switchboard(tmp_path, fewer):
    from srlib.judging.robustness.switchboard import switchboard

    judgement = varied(tmp_path)
    found, board = certainty(judgement), switchboard(judgement)
    assert found.lost == board.flips["changed"].sum()


@pytest.mark.parametrize(
    ("share", "lost", "told", "word"),
    [
        (0.95, 0, True, "firm"),
        (0.94, 0, True, "narrow"),
        (1.0, 1, True, "narrow"),
        (1.0, 1, False, "narrow"),
        (0.6, 1, False, "open"),
        (0.49, 0, True, "open"),
    ],
)
def test_the_rule(share, lost, told, word):
    assert Certainty(("A",), share, 20, lost, ("B",), told).word == word
