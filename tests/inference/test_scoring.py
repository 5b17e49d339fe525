"""Scores that can be redone by hand, the registry, time limits, and what cannot be evaluated."""

import math

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.inference import exact, rank_solvers, score_answers
from srlib.inference.scoring import score
from tests.inference.small import stored

# Likelihoods of PAIR, x0 down and x1 across: .4 .8 1.2 / 2.4 3 0; they sum to 7.8.
LOG_Z = math.log10(7.8)


def folder_of(folder, answers):
    for name, text in answers.items():
        path = folder / "answers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "answers"


def scored(folder, answers, reference=None, trivial=None, **beside):
    return score_answers(stored(folder, **beside), folder_of(folder, answers), reference, trivial)


def one(scored, solver="a"):
    rows = scored.scores[scored.scores["solver"] == solver]
    assert len(rows) == 1
    return rows.iloc[0]


def test_a_partition_function_by_hand(tmp_path):
    row = one(scored(tmp_path, {"a/small.uai.PR": f"PR {LOG_Z + 0.1}"}))
    # the default trivial solver: product of maxima times 6 assignments
    most = math.log10(0.6 * 5 * 6) - LOG_Z
    assert (row["error"], row["max_error"]) == pytest.approx((0.1, most), abs=1e-12)
    assert row["score"] == pytest.approx(100 * (1 - 0.1 / most))
    assert (row["status"], row["note"]) == ("ok", "")


def test_marginals_by_hand(tmp_path):
    row = one(scored(tmp_path, {"a/small.uai.MAR": "MAR\n2 2 0.5 0.5 3 0.5 0.5 0"}, evid="1 0 1"))
    root = [math.sqrt(p) for p in (2.4 / 5.4, 3 / 5.4, 0)]
    distance = math.sqrt(
        sum((math.sqrt(q) - p) ** 2 for p, q in zip(root, (0.5, 0.5, 0), strict=True)) / 2
    )
    most = math.sqrt(sum((math.sqrt(1 / 3) - p) ** 2 for p in root) / 2)
    assert (row["error"], row["max_error"]) == pytest.approx((distance, most), abs=1e-12)
    assert row["score"] == pytest.approx(100 * (1 - distance / most))


def test_assignments_by_hand(tmp_path):
    # best 1 1; trivial 1 0, as only x0 has a table
    row = one(scored(tmp_path, {"a/small.uai.MPE": "MPE\n2 1 0"}))
    assert (row["error"], row["score"]) == (pytest.approx(math.log10(3 / 2.4)), pytest.approx(0))
    # sums 2.8 3.8 1.2; trivial 0
    found = scored(tmp_path, {"b/small.uai.MMAP": "MMAP\n1 1 0"}, query="1 1")
    row = one(found, "b")
    assert (row["error"], row["score"]) == (pytest.approx(math.log10(3.8 / 2.8)), pytest.approx(0))
    found = scored(
        tmp_path, {"a/small.uai.MLC": "MLC\n1 1 2\n1 1 2"}, test="2\n1 0\n1 1\n0\n2\n0 0\n0 1\n"
    ).scores
    found = found[found["task"] == "MLC"]
    assert found["instance"].tolist() == ["small#0", "small#1"]
    assert found["score"].tolist() == [100, 0]
    assert found["status"].tolist() == ["ok", "zero_likelihood"]


@pytest.mark.parametrize(
    ("task", "text", "status"),
    [
        ("PR", "PR nan", "invalid"),
        ("PR", "PR inf", "invalid"),
        ("PR", "PR -inf", "zero_likelihood"),
        ("MPE", "MPE 2 0 7", "invalid"),
        ("MPE", "MPE 2 0 1", "invalid"),
        ("MPE", "MPE 2 1 2", "zero_likelihood"),
        ("MAR", "MAR 2 2 0 1 3 .5 .6 -.1", "invalid"),
        ("MAR", "MAR 2 2 0 1 3 .5 .4 .111", "invalid"),
        ("MAR", "MAR 2 2 0 1 3 .5 .4 .089", "invalid"),
        ("MAR", "MAR 2 2 0 1 3 nan .6 .1", "invalid"),
        ("MMAP", "MMAP 1 1 3", "invalid"),
        ("MMAP", "MMAP 1 0 1", "invalid"),
        ("MMAP", "", "invalid"),
    ],
)
def test_what_is_of_no_use_scores_zero_and_counts(tmp_path, task, text, status):
    found = scored(tmp_path, {f"a/small.uai.{task}": text}, evid="1 0 1", query="1 1")
    assert (one(found)["status"], one(found)["score"]) == (status, 0)
    assert rank_solvers(found.scores)[["n_instances", "score"]].to_numpy().tolist() == [[1, 0]]


def test_probabilities_may_miss_a_sum_of_1_by_a_hundredth(tmp_path):
    for last in (0.109, 0.091):
        answer = f"MAR\n2 2 0.5 0.5 3 0.5 0.4 {last}"
        assert one(scored(tmp_path, {"a/small.uai.MAR": answer}))["status"] == "ok"


def test_an_absent_answer_scores_zero_where_its_solver_takes_part(tmp_path):
    found = scored(
        tmp_path, {"a/small.uai.PR": f"PR {LOG_Z}", "b/small.uai.MPE": "MPE 2 1 1"}
    ).scores
    assert found[["solver", "task"]].to_numpy().tolist() == [["a", "PR"], ["b", "MPE"]]
    more = {
        "a/9/small.uai.MPE": "MPE 2 1 1",
        "b/1/small.uai.MPE": "MPE 2 1 1",
        "b/small.uai.PR": f"PR {LOG_Z}",
    }
    found = scored(tmp_path, more).scores.set_index(["task", "solver", "time_limit_s"])
    assert found.loc[("MPE", "a", 1.0), ["status", "score"]].tolist() == ["missing", 0]
    assert found.loc[("MPE", "b", 9.0), ["status", "score"]].tolist() == ["ok", 100], (
        "its answer has no limit"
    )
    assert found.loc["PR"]["status"].tolist() == ["ok"] * 4, (
        "an answer without a limit counts at every limit"
    )


def test_impossible_evidence_leaves_nothing_to_evaluate_in_any_task(tmp_path):
    answers = {"a/small.uai.PR": "PR -inf", "b/small.uai.PR": "PR -9", "a/small.uai.MAR": "MAR 2 2 0 1 3 0 0 1",
               "a/small.uai.MPE": "MPE 2 1 2"}  # fmt: skip
    found = scored(tmp_path, answers, evid="2 0 1 1 2").scores
    assert set(found["status"]) == {"not_evaluable"}
    assert found["score"].isna().all()
    assert set(found["note"]) == {"the evidence contradicts the model"}


@pytest.mark.parametrize(
    ("max_error", "scores"),
    [(0.0, [100, 100, 0, 0, 0]), (math.inf, [100, 100, 100, 100, 0]), (2.0, [100, 100, 50, 0, 0])],
)
def test_degenerate_scales_give_0_or_100(max_error, scores):
    assert [score(error, max_error) for error in (0.0, 1e-10, 1.0, 3.0, math.inf)] == scores


def test_no_solver_sets_the_scale_by_its_name(tmp_path):
    """The default trivial answer is 0.96 above log10 Z, and that of who calls itself trivial 4 below."""
    answers = {"a/small.uai.PR": f"PR {LOG_Z + 0.1}", "trivial/small.uai.PR": f"PR {LOG_Z - 4}"}
    found = scored(tmp_path, answers)
    assert one(found)["max_error"] < 1
    assert one(scored(tmp_path, answers, trivial="trivial"))["max_error"] == pytest.approx(4)


def test_a_named_trivial_solver_sets_the_scale(tmp_path):
    answers = {"a/small.uai.PR": f"PR {LOG_Z + 1}", "worst/small.uai.PR": f"PR {LOG_Z - 4}"}
    found = scored(tmp_path, answers, trivial="worst")
    assert one(found)["score"] == pytest.approx(75)
    assert one(found, "worst")["score"] == 0
    right = {"worst/small.uai.PR": f"PR {LOG_Z}"}
    found = scored(tmp_path, right, trivial="worst")
    assert one(found)["score"] == 0
    assert found.scores["note"].tolist() == ["degenerate", "degenerate"]
    with pytest.raises(
        InputError, match="no solver 'none' that sets the scale; its solvers are a, worst"
    ):
        scored(tmp_path, right, trivial="none")


@pytest.fixture
def narrow(monkeypatch):
    """Nothing with more than one variable of two states is within reach."""
    monkeypatch.setattr(exact, "WIDTH_BITS", 1.0)


def test_what_is_out_of_reach_is_not_evaluable_and_counts_for_nobody(tmp_path, narrow):
    answers = {
        "a/small.uai.PR": "PR 0",
        "a/small.uai.MAR": "MAR 2 2 1 0 3 1 0 0",
        "a/small.uai.MMAP": "MMAP 1 0 1",
    }
    found = scored(tmp_path, answers, query="1 0").scores
    assert found["status"].tolist() == ["not_evaluable"] * 3
    assert found["score"].isna().all()
    assert "2**" in found["note"].iloc[2]
    assert rank_solvers(found).empty


def test_a_state_that_is_none_costs_one_sample(tmp_path):
    files = {"a/small.uai.MPE": "MPE\n2 0 0\n2 0 7"}
    found = scored(tmp_path, files, evid="2\n1 0 0\n1 0 0")
    assert found.scores["status"].tolist() == ["ok", "invalid"]
    assert "variable 1 has no state 7" in found.scores["note"].iloc[1]


def test_files_that_belong_to_nothing_are_named(tmp_path):
    answers = {"a/small.uai.PR": "PR 0", "a/other.uai.PR": "PR 0", "a/README": "", "a/small.uai.XY": "", "top.txt": "",
               "a/later/small.uai.PR": "PR 0", "a/small.uai.MMAP": "MMAP 1", "a/1/2/small.uai.PR": "PR 0"}  # fmt: skip
    found = scored(tmp_path, answers)
    assert found.unknown == sorted(set(answers) - {"a/small.uai.PR"})
    with pytest.raises(InputError, match="the same was answered in small.uai.MAP"):
        scored(tmp_path, {"a/small.uai.MAP": "MAP 2 0 0", "a/small.uai.MPE": "MPE 2 0 0"})
    for empty in (tmp_path / "nowhere", tmp_path / "answers" / "a" / "1" / "2"):
        with pytest.raises(InputError, match="no answer was found"):
            score_answers(stored(tmp_path), empty)


def table(rows):
    return pd.DataFrame(rows, columns=["solver", "task", "instance", "time_limit_s", "score"])


def test_the_ranking_by_hand():
    scores = {("a", 1): (0, 50), ("a", 9): (100, 50), ("b", 1): (60, 60), ("b", 9): (60, 60)}
    rows = [
        (s, "PR", i, t, v) for (s, t), row in scores.items() for i, v in zip("xy", row, strict=True)
    ]
    equal = rank_solvers(table(rows))
    assert equal[["solver", "score", "rank"]].to_numpy().tolist() == [["b", 60, 1], ["a", 50, 2]]
    weighted = rank_solvers(table(rows), {"1": 1, "9": 4})
    assert weighted[["solver", "score", "rank"]].to_numpy().tolist() == [["a", 65, 1], ["b", 60, 2]]
    pd.testing.assert_frame_equal(rank_solvers(table(rows[::-1]), {"9": 4, "1": 1}), weighted)
    lost = table([*rows, ("a", "PR", "z", 1, np.nan), ("b", "PR", "z", 1, 100.0)])
    pd.testing.assert_frame_equal(rank_solvers(lost), equal)
    for wrong in ({"1": 1}, {"1": 1, "9": 4, "20": 1}, {"1": 0, "9": 0}, {"1": -1, "9": 4}):
        with pytest.raises(InputError, match="weights: one for each of the time limits 1, 9 was"):
            rank_solvers(table(rows), wrong)
