"""What would gain a place, tried out on the runs themselves."""

import pytest

from srlib.errors import InputError
from srlib.judging import judge
from srlib.judging.robustness import examine
from srlib.judging.robustness import improvements as module
from srlib.judging.robustness.competition import Competition
from srlib.judging.robustness.improvements import improvements, would_gain
from srlib.rules import Aspect
from tests.judging.robustness.cases import judged, problems, rules, table, varied


def test_the_smallest_improvement_by_hand(tmp_path):
    """Only accuracy differs, on one dataset: to draw level with .9 is enough to share the first place."""
    found = improvements(judged({("A", "d1"): [0.9, 0.9], ("B", "d1"): [0.5, 0.7]}, tmp_path)).table
    accuracy = found.set_index("aspect").loc["accuracy"]
    assert accuracy.drop(["improvement", "value"]).tolist() == ["B", "d1", 0.9, 2, 1]
    assert accuracy["improvement"] == pytest.approx(0.3)
    assert would_gain(found)[0].startswith(
        "B, place 2, would gain with accuracy 0.9 instead of 0.6 on d1 (place 1)"
    )


def test_a_made_improvement_gains_the_place(tmp_path):
    judgement = varied(tmp_path)
    found = improvements(judgement).table
    complete = ~((found["method"] == "C") & found["dataset"].isin(["d2", "noisy"]))
    accuracy = found[(found["aspect"] == "accuracy") & complete]
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
    assert not improvements(judgement).note
    whole = improvements(judgement).table
    size = Competition.from_judgement(judgement).arranged[0].size
    monkeypatch.setattr(module, "CELLS", most * size)
    some = improvements(judgement)
    assert len(some.table) <= min(most, len(whole) - 1)
    assert len(some.table.merge(whole)) == len(some.table)
    said = f"Only the {some.tried} smallest of {some.possible} improvements"
    if most == 1:
        said = f"None of {some.possible} improvements was tried"
    assert some.note.startswith(said)
    assert some.note in examine(judgement, resamples=2).sentences


def test_no_resamples_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(InputError, match="^resamples must be 1 or more, got 0$"):
        examine(judged({("A", "d1"): [0.9]}, tmp_path), resamples=0)


def test_a_step_onto_another_s_value_is_that_value_and_not_a_hair_beyond(tmp_path):
    """B's mean size, of 5, 5 and 9, is one step of one run below A's: there they are equal, and no more."""
    given = table({(m, d): [0.5] * 3 for m in "ABC" for d in ("d1", "d2")})
    given["complexity"] = [5, 5, 5, 25, 25, 25, 5, 5, 6, 5, 5, 5, 9, 9, 9, 9, 9, 9]
    judgement = judge(given, problems(tmp_path), rules(3))
    whole = Competition.from_judgement(judgement)
    found = module._candidates(whole)
    sizes = found[found["a"] == list(whole.judge.aspects).index("simplicity")]
    for _, part in sizes.groupby(["d", "m"]):
        apart = part["target"].sort_values().diff().dropna()
        assert (apart > 1e-3).all()


def test_where_no_run_is_usable_that_is_said_and_not_that_a_column_has_no_numbers(tmp_path):
    """Without any R2 no run counts, whatever stands in the column that the rules ask for."""
    aspects = {"own": Aspect.model_validate({"from": "value", "direction": "lower"})}
    given = table({("A", "d1"): [float("nan")], ("B", "d1"): [float("nan")]}).assign(
        value=["1", "2"]
    )
    judgement = judge(given, problems(tmp_path), rules(1, aspects=aspects))
    assert judgement.ranking["rank"].isna().all() and judgement.counts["scored"] == 0
