"""One thing left out, one value improved: against scoring the changed table."""

from typing import get_args

import pytest

from srlib.judging import judge, what_if
from srlib.judging.robustness import examine
from srlib.judging.scoring import places
from srlib.judging.scoring_input import Kind
from srlib.judging.what_if import describe_gains, improvements, leave_one_out
from tests.judging.cases import MANY, judged, varied
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
