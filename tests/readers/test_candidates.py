"""Several models a run in a table: their numbers, which one was chosen, and rows that do not tell it."""

import pandas as pd
import pytest

from srlib.assessing.fronts import one_a_run
from srlib.errors import InputError
from srlib.readers import read_runs


def front(candidates, chosen=None, **more):
    table = pd.DataFrame({"method": "A", "dataset": "d", "repetition": 1, "candidate": candidates,
                          "model": [f"x + {i}" for i in range(len(candidates))]})  # fmt: skip
    if chosen is not None:
        table["chosen"] = chosen
    return table.assign(**more)


def bad(table):
    rows = read_runs(table).frame
    gone = rows["status"] == "invalid"
    return [None if not b else str(why) for b, why in zip(gone, rows["reason"], strict=True)]


def test_all_candidates_are_runs_rows_and_the_first_or_the_marked_one_is_chosen():
    plain = read_runs(front([2, 1, 3]), strict=True).frame
    assert one_a_run(plain)["model"].tolist() == ["x + 1"]
    marked = read_runs(front([2, 1, 3], ["", None, "True"]), strict=True).frame
    assert one_a_run(marked)["model"].tolist() == ["x + 2"]


@pytest.mark.parametrize(
    ("candidates", "chosen", "gone", "said"),
    [
        ([1, 2, "two"], None, [2], "candidate must be a number, got 'two'"),
        ([1, 2, 1.5], None, [2], "candidate must be a whole number"),
        ([1, 0, 2], None, [1], "candidate must be a whole number from 1 on, got 0"),
        ([1, None, 2], None, [1], "candidate is empty, and the run has several models"),
        ([1, 2, 2], None, [1, 2], "appears twice"),
        ([2, 3, 4], None, [0, 1, 2], "candidate 1 of the run is not there, and none is marked"),
        ([1, 1, 2], None, [0, 1, 2], "candidate 1 of the run is not there"),
        ([1, 2, 3], [True, True, False], [0, 1, 2], "several candidates of the run are marked"),
        ([1, 2, 3], ["x", "", ""], [0, 1, 2], "it cannot be read which candidate was chosen"),
    ],
)
def test_rows_that_do_not_tell_which_model_was_chosen(candidates, chosen, gone, said):
    table = pd.concat([front(candidates, chosen), front([1, 2]).assign(repetition=2)])
    reasons = bad(table)
    assert [place for place, why in enumerate(reasons) if why is not None] == gone
    assert any(said in str(why) for why in reasons)
    with pytest.raises(InputError, match="DataFrame row"):
        read_runs(table, strict=True)


def test_a_missing_number_behind_the_chosen_one_is_said_and_costs_nothing():
    rows = read_runs(front([1, 4, 2])).frame
    assert (rows["status"] == "ok").all()
    assert rows["reason"][0].startswith("left out: a candidate of the run that is not there: 3 are")
    assert rows["reason"][1:].isna().all()


def test_what_is_the_runs_own_is_that_of_the_chosen_model():
    rows = read_runs(front([1, 2], [False, True], training_time_s=[None, 7.0], r2_test=[0.1, 0.2]))
    assert rows.frame["training_time_s"].tolist() == [7.0, 7.0]
    assert rows.frame["r2_test"].tolist() == [0.1, 0.2]


def test_one_model_a_run_is_the_table_without_the_column():
    table = front([1], [True]).drop(columns=["candidate", "chosen"])
    plain, numbered = read_runs(table).frame, read_runs(front([1], [True])).frame
    pd.testing.assert_frame_equal(plain, numbered[plain.columns])
    assert read_runs(front([None])).frame["status"].tolist() == ["ok"]


def test_a_run_that_stands_in_two_tables_with_and_without_numbers():
    numbered, single = front([1, 2]), front([None])
    rows = read_runs([numbered, single.drop(columns="candidate")]).frame
    assert rows["status"].tolist() == ["ok", "ok", "invalid"]
