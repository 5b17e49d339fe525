"""One thing left out, one value improved: against judging the changed table."""

import numpy as np
import pytest

from srlib.judging import judge
from srlib.judging.robustness import examine, what_if
from srlib.judging.robustness.what_if import describe_gains, improvements, leave_one_out
from tests.judging.robustness.cases import judged, problems, rules, table, varied


@pytest.mark.parametrize(
    ("kind", "name", "column", "gone"),
    [
        ("dataset", "d1", "dataset", ["d1"]),
        ("dataset", "noisy", "dataset", ["noisy"]),
        ("property", "solution", "dataset", ["d1", "d2", "d3"]),
        ("property", "noise_sensitivity", "dataset", ["noisy"]),
        ("method", "A", "method", ["A"]),
        ("method", "C", "method", ["C"]),
        ("repetition", "2", "repetition", [2]),
    ],
)
def test_leaving_out_equals_judging_the_reduced_table(kind, name, column, gone, tmp_path):
    judgement = varied(tmp_path)
    results = leave_one_out(judgement).table
    part = results[(results["kind"] == kind) & (results["left_out"] == name)].set_index("method")
    runs = judgement.assessments[~judgement.assessments[column].isin(gone)]
    if kind == "repetition":  # two are left, and two are expected
        runs = runs.assign(repetition=runs["repetition"].replace(3, 2))
    block = rules(2 if kind == "repetition" else 3)
    again = judge(runs, judgement.problems, block).ranking.set_index("method")
    assert part.index.tolist() == sorted(again.index)
    for method, row in again.iterrows():
        assert part.loc[method, "score"] == pytest.approx(row["score"], rel=1e-13)
        assert part.loc[method, "rank"] == row["rank"]


def test_the_smallest_improvement_by_hand(tmp_path):
    """Only accuracy differs, on one dataset: to draw level with .9 is enough to share the first place."""
    gains = improvements(judged({("A", "d1"): [0.9, 0.9], ("B", "d1"): [0.5, 0.7]}, tmp_path)).table
    accuracy = gains.set_index("aspect").loc["accuracy"]
    assert accuracy.drop(["improvement", "value"]).tolist() == ["B", "d1", 0.9, 2, 1]
    assert accuracy["improvement"] == pytest.approx(0.3)
    assert describe_gains(gains)[0].startswith(
        "B, place 2, would gain with accuracy 0.9 instead of 0.6 on d1 (place 1)"
    )


def test_an_improvement_gains_the_place(tmp_path):
    judgement = varied(tmp_path)
    gains = improvements(judgement).table
    complete = ~((gains["method"] == "C") & gains["dataset"].isin(["d2", "noisy"]))
    accuracy = gains[(gains["aspect"] == "accuracy") & complete]
    assert len(accuracy)
    for row in accuracy.itertuples():
        runs = judgement.assessments.copy()
        here = (runs["method"] == row.method) & (runs["dataset"] == row.dataset)
        runs.loc[here, "r2_test"] = row.target
        again = judge(runs, judgement.problems, rules(3)).ranking.set_index("method")["rank"]
        assert again[row.method] == row.new_rank < row.rank


@pytest.mark.parametrize("most", [1, 10, 30])
def test_in_a_large_competition_the_smallest_improvements_are_tried(
    most, fewer, tmp_path, monkeypatch
):
    judgement = varied(tmp_path)
    every = improvements(judgement)
    assert not every.note
    size = judgement.steps.filled.size
    monkeypatch.setattr(what_if, "MOST_VALUES", most * size)
    some = improvements(judgement)
    assert len(some.table) <= min(most, len(every.table) - 1)
    assert len(some.table.merge(every.table)) == len(some.table)
    possible = len(what_if.list_improvements(judgement))
    assert f" smallest of {possible} improvements" in some.note
    assert some.note in examine(judgement, 2).sentences


def test_a_step_onto_another_s_value_is_that_value_and_not_a_hair_beyond(tmp_path):
    """B's mean size, of 5, 5 and 9, is one step of one run below A's: there they are equal, and no more."""
    runs = table({(m, d): [0.5] * 3 for m in "ABC" for d in ("d1", "d2")})
    runs["complexity"] = [5, 5, 5, 25, 25, 25, 5, 5, 6, 5, 5, 5, 9, 9, 9, 9, 9, 9]
    judgement = judge(runs, problems(tmp_path), rules(3))
    listed = what_if.list_improvements(judgement)
    sizes = listed[listed["aspect"] == "simplicity"]
    assert len(sizes)
    for _, part in sizes.groupby(["dataset", "method"]):
        assert (np.diff(part["target"].sort_values()) > 1e-3).all()
