"""How sure a winner is, on competitions that a reader can judge by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.judging.readings import Readings
from srlib.judging.robustness import Certainty, Resampling, certainty, compare_scores, examine
from tests.judging.cases import judged, varied


def a_wins(datasets):
    """A is better than B in accuracy on each dataset; all else is the same."""
    r2 = {"A": [0.9, 0.9], "B": [0.5, 0.5]}
    return judged({(m, f"d{i}"): r2[m] for m in r2 for i in range(1, datasets + 1)})


def test_five_datasets_are_too_few_for_a_claim_about_others(fewer):
    sentence = certainty(a_wins(5)).sentence
    assert (
        "re-draws of these datasets and their runs; 5 datasets: too few to test pairs (6 are needed)"
        in sentence
    )


def test_collections_are_no_sources(fewer):
    """All of Feynman's equations are a collection, as in `srlib compare`: each dataset is a source of its own."""
    judgement = a_wins(9)
    feynman = [p.model_copy(update={"family": "feynman"}) for p in judgement.problems.problems]
    of_one_family = replace(judgement.problems, problems=tuple(feynman))
    sure = certainty(replace(judgement, problems=of_one_family))
    assert "re-draws of sources and runs; the test tells it apart" in sure.sentence


def test_a_shared_place_is_said_and_one_method_alone_needs_no_sentence(fewer):
    shared = certainty(judged("{A d1: [0.9], B d1: [0.9], C d1: [0.5]}"))
    assert shared.sentence == "A and B share the first place."
    assert shared.readings.sentence.startswith("A and B share the first place")
    alone = judged("{A d1: [0.9]}")
    assert certainty(alone).sentence == ""
    assert compare_scores(alone).pairs.empty and examine(alone, 5).sentences
    refusal = "^resamples: a whole number of at least 1 was expected, got 0$"
    with pytest.raises(InputError, match=refusal):
        examine(alone, 0)


def test_the_first_sentence_is_the_certainty(fewer):
    examination = examine(varied(), 50)
    assert examination.certainty.readings is examination.readings
    assert len(examination.certainty.scores) == 50
    assert examination.sentences[0] == examination.certainty.sentence


@pytest.mark.parametrize(
    ("share", "winners", "changed", "lost", "text"),
    [
        (0.95, "A", 0, 0, "; the test says so; none of 15 settings of single switches and none"),
        (0.95, "A", 0, 0, " open readings changes the winner."),
        (0.94, "A", 0, 0, "; place 1 is open: B in 6%."),
        (0.4, "A", 0, 0, "; place 1 is open: B in 60%."),
        (0.95, "A", 0, 40, "; place 1 is open: B in 5% and 40 readings."),
        (0.95, "A", 1, 0, "1 of 15 settings of single switches and none of 576 open readings changes"),
        (0.95, "A", 0, 40, "none of 15 settings of single switches and 40 of 576 open readings change"),
        (0.95, "A", 0, 5328, "none of 15 settings of single switches and 5,328 of 5,329 open readings"),
        (0.95, "AC", 0, 0, "A and C share the first place."),
    ],
)  # fmt: skip
def test_the_sentence_follows_from_the_numbers(share, winners, changed, lost, text):
    singles = pd.DataFrame({"changed": [True] * changed + [False] * (15 - changed)})
    firsts = [("A",)] * max(576 - lost, 1) + [("B",)] * lost
    scores = {f"score of {name}": [float((name,) == first) for first in firsts] for name in "ABC"}
    table = pd.DataFrame({"winners": firsts} | scores)
    readings = Readings({}, table, singles, ("A", "B", "C"))
    final = np.tile([1.0, 0.0, 0.0], (100, 1))
    final[round(100 * share) :, 1] = 2.0
    drawn = "sources and runs", "the test says so", readings, Resampling(("A", "B", "C"), final)
    assert text in Certainty(tuple(winners), *drawn).sentence
