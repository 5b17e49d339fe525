"""How sure a winner is, on competitions that a reader can judge by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from srlib.displays.tables.aspects import final_ranking
from srlib.errors import InputError
from srlib.judging.readings import Readings
from srlib.judging.robustness import Certainty, Resampling, certainty, compare_scores, examine
from srlib.judging.scoring import list_winners
from tests.judging.cases import judged


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
    assert shared.sentence == "A and B share the first place; every place is sure."
    assert shared.readings.sentence.startswith("A and B share the first place")
    alone = judged("{A d1: [0.9]}")
    assert (certainty(alone).sentence, certainty(alone).headline) == ("", alone.headline)
    assert compare_scores(alone).pairs.empty and examine(alone, 5).sentences
    refusal = "^resamples: a whole number of at least 1 was expected, got 0$"
    with pytest.raises(InputError, match=refusal):
        examine(alone, 0)


def sure_of(draws, readings, changed=0):
    """Certainty of A, B, ...: places as scores count downwards, a row for each draw and for each reading."""
    names = tuple("ABCDEFGHIJKLMNOPQRST"[: len(draws[0])])
    judgement = judged({(name, "d1"): [1 - i / 20] for i, name in enumerate(names)})
    scores, singles = -np.array(readings, float), pd.DataFrame({"changed": np.arange(15) < changed})
    table = pd.DataFrame(scores, columns=[f"score of {name}" for name in names])
    table["winners"] = [list_winners(row, names) for row in scores]
    resampling = Resampling(names, -np.array(draws, float))
    board = Readings({}, table, singles, names)
    return Certainty(judgement, compare_scores(judgement), board, resampling)


A, B, TIE = [1, 2, 3], [2, 1, 3], [1, 1, 3]


@pytest.mark.parametrize(
    ("draws", "readings", "changed", "text"),
    [
        ([A] * 95 + [B] * 5, [A] * 576, 0, "1 dataset: too few to test pairs (6 are needed); none of 15 settings of"),
        ([A] * 95 + [B] * 5, [A] * 576, 0, "of 576 open readings changes the winner; every place is sure."),
        ([A] * 94 + [B] * 6, [A], 0, "; place 3 is sure (C); place 1 is open: B in 6%."),
        ([A] * 40 + [B] * 60, [A], 0, "A wins in 40% of 100 re-draws of these datasets and their runs, but B wins"),
        ([A] * 50 + [B] * 50, [A], 0, "re-draws of these datasets and their runs; 1 dataset"),
        ([A] * 95 + [B] * 5, [A] * 536 + [B] * 40, 0, "; place 1 is open: B in 5% and 40 readings."),
        ([A] * 60 + [[1, 3, 2]] * 40, [A] * 9, 0, "; place 1 is sure (A); place 2 is open: B in 60% and 9 readings"),
        ([[2, 3, 1]], [A, B], 0, "but C wins more often, in 100%"),
        ([TIE] * 9 + [A], [TIE], 1, "A and B share the first place; place 3 is sure (C); place 1 is open: A in 100%"),
    ],
)  # fmt: skip
def test_the_sentence_follows_from_the_numbers(draws, readings, changed, text):
    assert text in sure_of(draws, readings, changed).sentence


def test_the_headline_and_the_ranking_say_who_wins_more_often_and_how_sure_a_place_is():
    sure = sure_of([A] * 40 + [B] * 60, [A, A, [1, 3, 2]])
    assert sure.headline == f"{sure.judgement.headline} In re-draws B wins more often, in 60%."
    assert sure.headline.facts["rival"].value == "B"
    table = final_ranking(sure.judgement, sure.columns).frame.set_index("method")
    assert table.loc[list("ABC"), list(sure.columns)].to_numpy().tolist() == [
        [0.4, "1 to 2", "1"],
        [0.4, "1 to 2", "2 to 3"],
        [1, "3", "2 to 3"],
    ]


@pytest.mark.parametrize("methods", [2, 5, 20])
@given(seed=st.integers(0, 2**32), spread=st.sampled_from([0, 1, 3]))
@settings(max_examples=6, deadline=None)
def test_a_place_is_sure_if_its_methods_are_there_in_all_readings_and_most_draws(
    methods, seed, spread
):
    rng = np.random.default_rng(seed)
    draws, readings = (
        [np.arange(methods) + rng.integers(0, spread + 1, methods) * (row % 9 == 0) for row in range(n)]
        for n in (99, 3)
    )  # fmt: skip
    sure = sure_of(draws, readings)
    by_draw, by_reading = (stats.rankdata(rows, "min", axis=1) for rows in (draws, readings))
    is_sure = {place: True for place in by_reading[0]}
    for column, place in enumerate(by_reading[0]):
        is_there = (by_draw[:, column] == place).mean() >= 0.95
        is_sure[place] &= bool(is_there and (by_reading[:, column] == place).all())
    facts = {name: fact.value for name, fact in sure.sentence.facts.items()}
    ordered = sorted(is_sure)
    assert facts.get("place") == next((place for place in ordered if not is_sure[place]), None)
    if not all(is_sure.values()):
        first = next((place for place in ordered if is_sure[place]), None)
        assert facts.get("sure_place") == first
    wins = (by_draw == 1) / (by_draw == 1).sum(axis=1, keepdims=True)
    own = wins.mean(axis=0)[by_reading[0] == 1].max()
    assert ("rival" in sure.headline.facts) == (wins.mean(axis=0).max() > own + 1e-9)
