"""One thing left out, one value improved: against scoring the changed table."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from srlib.errors import SrlibError
from srlib.judging import judge, what_if
from srlib.judging.judgement import leave_out
from srlib.judging.qualification import Gate
from srlib.judging.robustness import examine
from srlib.judging.scoring import places
from srlib.judging.scoring_input import Kind
from srlib.judging.what_if import (
    describe_beaten,
    describe_gains,
    improvements,
    leave_one_out,
    rank_without_beaten,
)
from srlib.rules import READINGS
from tests.builders import examples, refused
from tests.judging.cases import MANY, judged, varied, varied_runs
from tests.judging.small import problems, ranking, rules, verdict


def test_leave_one_out_ranks_each_smaller_competition():
    judgement = varied()
    left_out = leave_one_out(judgement)
    parts = {kind: judgement.scoring.parts(kind) for kind in get_args(Kind)}
    assert [len(names) for names in parts.values()] == [5, 3, 3, 3]
    for kind, names in parts.items():
        for name in names:
            part = left_out.table.query("kind == @kind and left_out == @name")
            reduced = judgement.scoring.without(kind, name)
            assert part["method"].tolist() == list(reduced.methods)
            final = reduced.score(judgement.rules.judge).final
            assert part["score"].tolist() == final.tolist()
            assert part["rank"].tolist() == places(final).tolist()


def test_the_smallest_improvement_by_hand():
    """Only accuracy differs, on one dataset: to draw level with .9 is enough to share the first place."""
    gains = improvements(judged("{A d1: [0.9, 0.9], B d1: [0.5, 0.7]}")).table
    accuracy = gains.set_index("aspect").loc["accuracy"]
    assert accuracy.drop(["improvement", "value"]).tolist() == ["B", "d1", 0.9, 2, 1]
    assert accuracy["improvement"] == pytest.approx(0.3)
    sentence = "B, place 2, would gain with accuracy 0.9 instead of 0.6 on d1 (place 1)"
    assert describe_gains(gains)[0].startswith(sentence)


def test_an_improvement_gains_the_place():
    judgement = varied()
    accuracy = improvements(judgement).table.query("aspect == 'accuracy'")
    assert len(accuracy) == 2  # both in cells without an absent run
    for gain in accuracy.itertuples():
        runs = judgement.assessments.copy()
        cell = (runs["method"] == gain.method) & (runs["dataset"] == gain.dataset)
        runs.loc[cell, "r2_test"] = gain.target
        again = judge(runs, judgement.problems, rules(repetitions=3))
        assert ranking(again, "rank")[gain.method] == gain.new_rank < gain.rank


@pytest.mark.parametrize("most", [1, 10, 30])
def test_in_a_large_competition_the_smallest_improvements_are_tried(most, fewer, monkeypatch):
    judgement = varied()
    every = improvements(judgement)
    assert not every.note
    monkeypatch.setattr(what_if, "MOST_VALUES", most * judgement.steps.filled.size)
    some = improvements(judgement)
    assert len(some.table) <= min(most, len(every.table) - 1)
    assert len(some.table.merge(every.table)) == len(some.table)
    assert f" smallest of {len(what_if.list_improvements(judgement))} improvements" in some.note
    assert some.note in examine(judgement, 2).sentences


def test_a_step_onto_another_s_value_is_that_value_and_not_a_hair_beyond():
    """B's mean size, of 5, 5 and 9, is one step of one run below A's: there they are equal, and no more."""
    sizes = """
    A d1: {complexity: 5}
    A d2: {complexity: 25}
    B d1: {complexity: [5, 5, 6]}
    B d2: {complexity: 5}
    C d1: {complexity: 9}
    C d2: {complexity: 9}
    """
    listed = what_if.list_improvements(verdict(sizes, rules(repetitions=3), problems(MANY)))
    sizes = listed[listed["aspect"] == "simplicity"].sort_values("target")
    steps = sizes.groupby(["dataset", "method"])["target"].diff().dropna()
    assert len(steps) and (steps > 1e-3).all()


def test_worsened_copies_that_hold_up_their_original_are_named():
    """Ranks of R2 and size on d1 and d2; one harmonic mean of the four.

    With copies X has 5 4 4 5, mean 4 / (1/5 + 1/4 + 1/4 + 1/5) = 4.44, and Y 1 5 5 5, mean 2.5.
    Without them X has 2 1 1 2, mean 4 / 3, and Y 1 2 2 2, mean 4 / 2.5.
    """
    table = """
    X d1: {r2_test: 0.9, complexity: 24}
    Y d1: {r2_test: 0.7, complexity: 1}
    c1 d1: {r2_test: 0.86, complexity: 25}
    c2 d1: {r2_test: 0.84, complexity: 26}
    c3 d1: {r2_test: 0.82, complexity: 27}
    X d2: {r2_test: 0.8, complexity: 5}
    Y d2: {r2_test: 0.9, complexity: 5}
    c1 d2: {r2_test: 0.7, complexity: 6}
    c2 d2: {r2_test: 0.6, complexity: 7}
    c3 d2: {r2_test: 0.5, complexity: 8}
    """
    judgement = verdict(table, rules("competition-2023"), problems(MANY))
    beaten = rank_without_beaten(judgement)
    assert beaten.iloc[0].tolist() == ["X", ("c1", "c2", "c3"), 1, 2]
    sentence = describe_beaten(beaten)[0]
    assert sentence == "X is 1st with, and 2nd without, c1, c2 and c3, which it beats everywhere."
    assert sentence.facts["new_rank"].value == 2 and sentence in examine(judgement, 2).sentences
    without = judgement.scoring.without("method", "c1", "c2", "c3")
    assert without.score(judgement.rules.judge).final == pytest.approx([4 / 3, 1.6])
    honest = verdict("{X d1: {r2_test: 0.9}, Y d1: {complexity: 1}}", rules(), problems(MANY))
    assert not describe_beaten(rank_without_beaten(honest))


SETTINGS = [
    dict(zip(paths, values, strict=True)) for paths, rows in READINGS.items() for values in rows
]
CHANGES = [*SETTINGS, {"aspects.accuracy.weight": 2.5}, {"quirks": ["noise_base_as_easy"]}]
DATASETS = ["d1", "d2", "d3", "features", "noisy", "clean"]


def tables_of(make):
    """Return all tables and sentences of a judgement, or the class of the error."""
    try:
        judgement = make()
        frames = [judgement.ranking, judgement.datasets, judgement.aspects]
        frames.append(judgement.ranking_of_all)
        texts = judgement.sentences, judgement.screened.idle, judgement.screened.barred
    except SrlibError as error:
        return type(error)
    return [None if frame is None else frame.to_csv() for frame in frames], texts


@examples(32)
@given(
    st.integers(0, 10**6),
    st.lists(st.sampled_from(CHANGES), max_size=3),
    st.sets(st.sampled_from("ABC")),
    st.sets(st.sampled_from(DATASETS)),
    st.sampled_from(["", "B", "C"]),
)
def test_a_judgement_under_changes_is_that_of_the_changed_competition(
    seed, turned, methods, datasets, barred
):
    """Runs fail and are absent at random; names are left out, switches turned, methods barred."""
    rng, runs = np.random.default_rng(seed), varied_runs()
    runs = runs[rng.random(len(runs)) < rng.choice([0.2, 0.5, 1.0])]
    has_failed = rng.random(len(runs)) < rng.choice([0.0, 0.3, 0.9])
    runs.loc[has_failed, ["status", "r2_test"]] = "failed", np.nan
    methods, datasets = methods & set(runs["method"]), datasets & set(runs["dataset"])
    before, gate = rules(repetitions=3), Gate(barred=frozenset(barred))
    switches = {path: value for setting in turned for path, value in setting.items()}
    quirks = {"quirks": switches.pop("quirks", [])}
    try:
        judgement = judge(runs, problems(MANY), before.with_switches(quirks), gate).checked()
        after = judgement.rules.with_switches(switches)
    except SrlibError:
        assume(False)
    expected = tables_of(
        lambda: judge(leave_out(runs, methods, datasets), problems(MANY), after, gate).checked()
    )
    assert tables_of(lambda: judgement.under(after, methods, datasets)) == expected


def test_a_switch_that_decides_which_runs_count_is_not_turned_after_screening():
    judgement = varied()
    for switch, value in {
        "repetitions": 2,
        "tracks": ["real-world"],
        "quirks": ["seir_left_out"],
    }.items():
        with refused(f"under: {switch} decides which runs count: use Competition.with_switches"):
            judgement.under(judgement.rules.with_switches({switch: value}))
    with refused("unknown dataset 'd11'. Did you mean 'd1'?"):
        judgement.under(judgement.rules, datasets=["d11"])
