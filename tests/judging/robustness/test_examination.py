"""How sure a winner is, on competitions that a reader can judge by hand."""

from dataclasses import replace

import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.judging.robustness import Certainty, certainty, examine
from srlib.judging.robustness.examination import compare_scores
from srlib.judging.robustness.readings import Readings
from tests.judging.robustness.cases import DATASETS, judged, varied


def accuracies(second: float, datasets: int = 9) -> dict:
    """A is better than B in accuracy wherever B is below 0.9; all else is the same."""
    return {
        (method, name): [r2, r2]
        for method, r2 in {"A": 0.9, "B": second}.items()
        for name in DATASETS[:datasets]
    }


def test_five_datasets_are_too_few_for_a_claim_about_others(tmp_path, fewer):
    sure = certainty(judged(accuracies(0.5, datasets=5), tmp_path))
    assert (
        "re-draws of these datasets and their runs; 5 datasets are too few for a claim"
        in sure.sentence
    )


def changed(judgement, update):
    """The judgement with other statements about its datasets."""
    problems = tuple(
        problem.model_copy(update=update(problem.dataset))
        for problem in judgement.problems.problems
    )
    return replace(judgement, problems=replace(judgement.problems, problems=problems))


def test_collections_are_no_sources(tmp_path, fewer):
    """All of Feynman's equations are a collection, as in `srlib compare`: each dataset is a source of its own."""
    judgement = judged(accuracies(0.5), tmp_path)
    sure = certainty(changed(judgement, lambda name: {"family": "feynman"}))
    assert "re-draws of sources and runs; the test tells it apart" in sure.sentence


def test_a_shared_place_is_said_and_one_method_alone_needs_no_sentence(tmp_path, fewer):
    shared = certainty(judged(accuracies(0.9), tmp_path))
    assert shared.sentence == "A and B share the first place."
    alone = judged({("A", "d1"): [0.9]}, tmp_path)
    assert certainty(alone).sentence == ""
    assert compare_scores(alone).pairs.empty and examine(alone, 5).sentences


def test_the_first_sentence_is_the_certainty(tmp_path, fewer):
    examination = examine(varied(tmp_path), 50)
    assert examination.certainty.readings is examination.readings
    assert examination.certainty.draws == 50
    assert examination.sentences[0] == examination.certainty.sentence


@pytest.mark.parametrize(
    ("share", "winners", "changed", "lost", "text"),
    [
        (0.95, "A", 0, 0, "; the test says so; none of 15 settings of single switches and none"),
        (0.94, "A", 0, 0, "wins in 94% of 100"),
        (0.95, "A", 1, 0, "1 of 15 settings of single switches and none of 576 open readings changes"),
        (0.95, "A", 0, 40, "none of 15 settings of single switches and 40 of 576 open readings change"),
        (0.95, "AC", 0, 0, "A and C share the first place."),
    ],
)  # fmt: skip
def test_the_sentence_follows_from_the_numbers(share, winners, changed, lost, text):
    singles = pd.DataFrame({"changed": [True] * changed + [False] * (15 - changed)})
    table = pd.DataFrame({"winner": ["A"] * (576 - lost) + ["B"] * lost})
    sure = Certainty(
        tuple(winners), share, 100, "sources and runs", "the test says so",
        Readings({}, table, singles), pd.DataFrame(), pd.DataFrame(),
    )  # fmt: skip
    assert text in sure.sentence


def test_no_resamples_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(
        InputError, match="^resamples: a whole number of at least 1 was expected, got 0$"
    ):
        examine(judged({("A", "d1"): [0.9]}, tmp_path), 0)
