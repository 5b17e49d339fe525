"""How sure a winner is, on competitions that a reader can judge by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from srlib.displays.tables.aspects import final_ranking
from srlib.judging.readings import Readings
from srlib.judging.robustness import Certainty, certainty, compare_scores, examine, resample
from srlib.judging.scoring import list_winners, places
from tests.builders import each, examples, refused
from tests.judging.cases import judged


def a_wins(datasets):
    """A is better than B in accuracy on each dataset; all else is the same."""
    r2 = {"A": [0.9, 0.9], "B": [0.5, 0.5]}
    return judged({(m, f"d{i}"): r2[m] for m in r2 for i in range(1, datasets + 1)})


def test_five_datasets_are_too_few_for_a_claim_about_others_and_collections_are_no_sources(fewer):
    """All of Feynman's equations are a collection, as in `srlib compare`: each dataset is a source of its own."""
    too_few = "re-draws of these datasets and their runs; 5 datasets: too few to test pairs (6 are needed)"
    assert too_few in certainty(a_wins(5), 50).sentence
    judgement = a_wins(9)
    feynman = [p.model_copy(update={"family": "feynman"}) for p in judgement.problems.problems]
    of_one_family = replace(judgement.problems, problems=tuple(feynman))
    sure = certainty(replace(judgement, problems=of_one_family), 50)
    assert "re-draws of sources and runs; the test tells it apart" in sure.sentence


def test_a_shared_place_is_said_and_one_method_alone_needs_no_sentence(fewer):
    shared = certainty(judged("{A d1: [0.9], B d1: [0.9], C d1: [0.5]}"), 50)
    assert shared.sentence == "A and B share the first place; every place is sure."
    assert shared.readings.sentence.startswith("A and B share the first place")
    alone = judged("{A d1: [0.9]}")
    sure = certainty(alone, 5)
    assert (sure.sentence, sure.headline) == ("", alone.headline)
    assert sure.comparison.pairs.empty and examine(alone, 5).sentences
    with refused("^resamples: a whole number of at least 1 was expected, got 0$"):
        examine(alone, 0)


def sure_of(draws, readings, changed=0):
    """Certainty of A, B, ...: places as scores count downwards, a row for each draw and for each reading."""
    names = tuple("ABCDEFGHIJKLMNOPQRST"[: len(draws[0])])
    judgement = judged({(name, "d1"): [1 - i / 20] for i, name in enumerate(names)})
    scores, singles = -np.array(readings, float), pd.DataFrame({"changed": np.arange(15) < changed})
    table = pd.DataFrame(scores, columns=[f"score of {name}" for name in names])
    table["winners"] = [list_winners(row, names) for row in scores]
    board = Readings({}, table, singles, names)
    final = pd.DataFrame(-np.array(draws, float), columns=list(names))
    return Certainty(judgement, compare_scores(judgement), board, final)


ROWS = {
    "A": [1, 2, 3],
    "B": [2, 1, 3],
    "C": [2, 3, 1],
    "T": [1, 1, 3],
    "a": [1, 3, 2],
}  # places of A, B, C


def times(text):
    """Rows of places from a text such as `95A 5B`."""
    return [ROWS[part[-1]] for part in text.split() for _ in range(int(part[:-1]))]


@each(
    "draws readings changed text",
    """
    95A 5B | 576A | 0 | 1 dataset: too few to test pairs (6 are needed); none of 15 settings of
    95A 5B | 576A | 0 | none of 576 open readings changes the winner; every place is sure.
    94A 6B | 1A | 0 | ; place 3 is sure (C); place 1 is open: B in 6%.
    40A 60B | 1A | 0 | A wins in 40% of 100 re-draws of these datasets and their runs, but B wins
    50A 50B | 1A | 0 | re-draws of these datasets and their runs; 1 dataset
    95A 5B | 536A 40B | 0 | ; place 1 is open: B in 5% and 40 readings.
    60A 40a | 9A | 0 | ; place 1 is sure (A); place 2 is open: B in 60% and 9 readings
    1C | 1A 1B | 0 | but C wins more often, in 100%
    9T 1A | 1T | 1 | A and B share the first place; place 3 is sure (C); place 1 is open: A in 100%""",
)
def test_the_sentence_follows_from_the_numbers(draws, readings, changed, text):
    assert text in sure_of(times(draws), times(readings), int(changed)).sentence


def test_the_headline_and_the_ranking_say_who_wins_more_often_and_how_sure_a_place_is():
    sure = sure_of(times("40A 60B"), times("2A 1a"))
    assert sure.headline == f"{sure.judgement.headline} In re-draws B wins more often, in 60%."
    assert sure.headline.facts["rival"].value == "B"
    table = final_ranking(sure.judgement, sure.columns).frame.set_index("method")
    assert table.loc[list("ABC"), list(sure.columns)].to_numpy().tolist() == [
        [0.4, "1 to 2", "1"],
        [0.4, "1 to 2", "2 to 3"],
        [1, "3", "2 to 3"],
    ]


@examples(16)
@given(seed=st.integers(0, 2**32), spread=st.sampled_from([0, 1, 3]), methods=st.sampled_from([2, 5, 20]))  # fmt: skip
def test_a_place_is_sure_if_its_methods_are_there_in_all_readings_and_most_draws(
    seed, spread, methods
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
    open_places, sure_places = (
        [p for p in sorted(is_sure) if is_sure[p] == x] for x in (False, True)
    )
    assert facts.get("place") == next(iter(open_places), None)
    assert not open_places or facts.get("sure_place") == next(iter(sure_places), None)
    wins = (by_draw == 1) / (by_draw == 1).sum(axis=1, keepdims=True)
    own = wins.mean(axis=0)[by_reading[0] == 1].max()
    assert ("rival" in sure.headline.facts) == (wins.mean(axis=0).max() > own + 1e-9)


@pytest.mark.parametrize(
    ("accuracies", "wins", "shared"),
    [
        # A's mean is 1 in a quarter of the draws, .5 in half, 0 in a quarter
        ("{A d1: [1.0, 0.0], B d1: [0.6, 0.6]}", [0.25, 0.75], 0),
        # A wins d1, B wins d2 by as much: each wins when its dataset is drawn twice, else they share the place
        ("{A d1: [0.9], B d1: [0.5], A d2: [0.5], B d2: [0.9]}", [0.5, 0.5], 0.5),
    ],
)
def test_shares_of_resampled_runs_and_sources_by_hand(accuracies, wins, shared, fewer):
    sure = certainty(judged(accuracies), 4000)
    assert sure.places["p_win"].tolist() == pytest.approx(wins, abs=0.03)
    assert sure.places["p_top_3"].tolist() == [1, 1] and sure.places[
        "p_win"
    ].sum() == pytest.approx(1)
    is_shared = (places(sure.scores.to_numpy()) == 1).all(axis=1)
    assert is_shared.mean() == pytest.approx(shared, abs=0.03)
    assert resample(sure.judgement, 4000).equals(sure.scores)


@pytest.mark.parametrize(("often", "low", "high"), [(2, 1, 1), (3, 1, 2), (97, 1, 2), (98, 2, 2)])
def test_the_interval_of_ranks_has_95_percent(often, low, high):
    """Of 100 competitions B wins `often`: the 2.5 worst and the 2.5 best of A's ranks are left out."""
    table = sure_of([[2, 1]] * often + [[1, 2]] * (100 - often), [[1, 2]]).places
    assert table.loc[0, ["rank_low", "rank_high"]].tolist() == [low, high]
