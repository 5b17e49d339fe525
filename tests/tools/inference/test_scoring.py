"""Scores, resampled ranks and curves by hand, time limits, what is of no use, and what cannot be evaluated."""

import math
import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from srlib import displays
from srlib.tools.inference import exact, rank_solvers, score_answers
from srlib.tools.inference.resampling import resample_instances
from srlib.tools.inference.scoring import describe_weights
from tests.builders import each, read_table, refused
from tests.tools.inference.small import scored, stored

# Likelihoods of PAIR, x0 down and x1 across: .4 .8 1.2 / 2.4 3 0; they sum to 7.8.
LOG_Z = math.log10(7.8)


def one(scored, solver="a"):
    rows = scored.scores[scored.scores["solver"] == solver]
    assert len(rows) == 1
    return rows.iloc[0]


def distance(*probabilities):
    """Hellinger distance to the marginal of x1 where x0 is 1."""
    roots = np.sqrt(probabilities) - np.sqrt(np.divide([2.4, 3, 0], 5.4))
    return np.linalg.norm(roots) / math.sqrt(2)


# Errors of the default trivial solver: for PR the product of maxima times 6 assignments, for MPE it answers 1 0, as
# only x0 has a table, for MMAP 0. Sums of MMAP are 2.8 3.8 1.2.
TRIVIAL = {
    "PR": math.log10(0.6 * 5 * 6) - LOG_Z,
    "MAR": distance(1 / 3),
    "MPE": math.log10(3 / 2.4),
    "MMAP": math.log10(3.8 / 2.8),
}
TRIVIAL["MAP"] = TRIVIAL["MPE"]
ERRORS = {
    f"PR {LOG_Z + 0.1}": 0.1,
    "MAR\n2 2 .5 .5 3 .5 .5 0": distance(0.5, 0.5, 0),
    "MAR\n2 2 .5 .5 3 .5 .5 .009": distance(0.5, 0.5, 0.009),
    "MPE\n2 1 0": TRIVIAL["MPE"],
    "MMAP\n1 1 0": TRIVIAL["MMAP"],
    # other spellings, blocks that -BEGIN- separates, a number of samples, and sections around the solution
    **dict.fromkeys(["MAP\n2 1 0", "mpe 2 1 0", "STATUS\r\nx\r\nMPE\r\n2 1 0\r\n"], TRIVIAL["MPE"]),
    "PR\n9\n-BEGIN-\n%.12f further" % (LOG_Z + 0.2): 0.2,
    "PR\n1\n%.12f" % (LOG_Z - 0.2): 0.2,
    "MAR\n1\n2 2 .5 .5 3 .5 .5 0\n-BEGIN-\n1\n2 2": distance(0.5, 0.5, 0),
    # a number of variables on a line of its own is no number of samples
    **dict.fromkeys(["MMAP\n1\n1 1", "MMAP\n1\n1\n1 1", "MMAP\n1\n1"], 0),
}


@pytest.mark.parametrize("answer", ERRORS)
def test_answer_of_each_task_has_the_score_by_hand(tmp_path, answer):
    task, error = re.search("PR|MAR|MMAP|MAP|MPE|mpe", answer)[0].upper(), ERRORS[answer]
    evidence = "1 0 1" if task == "MAR" else ""
    row = one(scored(tmp_path, {f"a/small.uai.{task}": answer}, evid=evidence, query="1 1"))
    expected = (error, TRIVIAL[task], 100 * (1 - error / TRIVIAL[task]))
    assert (row["error"], row["max_error"], row["score"]) == pytest.approx(expected, abs=1e-9)
    assert row["status"] == "ok"


LINES = r"""
MLC | MLC\n1 1 2\n1 1 2\n1 1 1 | 100 0 100
MLC | MLC\n2\n1 1 2\n1 1 1\n | 100 100 0
MLC | MLC\n3\n1 1 2\n9 9\n1 1 2\n | 100 0 0
MLC | MLC\n3\n1 1 2\n\n1 1 1\n | 100 0 100
MPE | MPE\n2 0 2\n2 0 7\n2 1 1 | 100 0 100
PR | PR\nnan\n0.380211241711606\n-inf | 0 100 0
"""


@each("task answer scores", LINES)
def test_lines_of_a_file_count_one_by_one(tmp_path, task, answer, scores):
    """The most probable states of variable 1 are 2, 1 and 1; the samples have a likelihood of 2.4, 2.4 and 5.4."""
    beside = {"test": "2\n1 0\n1 1\n0\n3\n0 0\n0 1\n0 1\n", "evid": "3\n1 0 0\n1 0 0\n1 0 1\n"}
    table = scored(tmp_path, {f"a/small.uai.{task}": answer}, **beside).scores
    assert [f"{score:g}" for score in table["score"]] == scores.split()


USELESS = r"""
PR nan -> token 2: log10 Z, a number from -inf to 1e+300, was expected, got nan
PR -> no solution after the name of the task PR
PR\nabc -> token 2: a number was expected, got 'abc'
MPE 2 1 7 -> token 4: a state of variable 1, a whole number from 0 to 2, was expected, got 7
MPE 2 0 1 -> state 0 is not the observed state of variable 0
MPE\n3 0 0 0 -> token 2: the number of variables, a whole number from 2 to 2, was expected, got 3
MPE\n2 0 -> the file ends where a state of variable 1 was expected
MPE\n2 0 0.5 -> token 4: a state of variable 1, a whole number
MPE\n\x00\x01\xff -> token 2: a number was expected
MAR\n2 3 1 0 0 2 1 0 -> token 3: the number of states of variable 0, a whole number from 2 to 2
MAR 2 2 0 1 3 .5 .6 -.1 -> token 9: a probability of variable 1, a number from 0 to 1.01, was expected, got -0.1
MAR 2 2 0 1 3 nan .6 .1 -> token 7: a probability of variable 1, a number from 0 to 1.01
MAR 2 2 0 1 3 .5 .4 .111 -> do not sum to 1 within 0.01
MAR 2 2 0 1 3 .5 .4 .089 -> do not sum to 1 within 0.01
MMAP 1 1 3 -> token 4: a state of variable 1, a whole number from 0 to 2
MMAP 1 0 1 -> states of the query's variables alone were expected, got others
"""


@each("text note", USELESS, "->")
def test_invalid_answer_scores_zero_counts_and_has_a_reason(tmp_path, text, note):
    text = text.encode().decode("unicode_escape")
    scores = scored(tmp_path, {f"a/small.uai.{text.split()[0]}": text}, evid="1 0 1", query="1 1")
    score = one(scores)
    assert (score["status"], score["score"]) == ("invalid", 0)
    assert note in score["note"] and "\n" not in score["note"]
    assert rank_solvers(scores.scores)[["n_instances", "score"]].to_numpy().tolist() == [[1, 0]]


def test_absent_answer_of_a_solver_of_the_task_scores_zero(tmp_path):
    """An answer without a time limit counts at every limit."""
    answers = {"a/9/small.uai.MPE": "MPE 2 1 1", "b/1/small.uai.MPE": "MPE 2 1 0",
               "b/small.uai.MPE": "MPE 2 1 1", "b/small.uai.PR": "PR -inf"}  # fmt: skip
    rows = scored(tmp_path, answers).scores[["task", "solver", "time_limit_s", "status", "score"]]
    assert rows.astype(str).agg(" ".join, axis=1).tolist() == [
        "PR b 1.0 zero_likelihood 0.0",
        "PR b 9.0 zero_likelihood 0.0",
        "MPE a 1.0 missing 0.0",
        "MPE a 9.0 ok 100.0",
        "MPE b 1.0 ok 0.0",
        "MPE b 9.0 ok 100.0",
    ]


def test_only_the_named_solver_sets_the_scale(tmp_path):
    """The default trivial answer is 0.36 above log10 Z, that of who calls itself trivial 4 below."""
    answers = {"a/small.uai.PR": f"PR {LOG_Z + 1}", "trivial/small.uai.PR": f"PR {LOG_Z - 4}"}
    assert one(scored(tmp_path, answers))["max_error"] < 1
    named = scored(tmp_path, answers, None, "trivial")
    assert (one(named)["score"], one(named, "trivial")["score"]) == (pytest.approx(75), 0)
    answers["trivial/small.uai.PR"] = f"PR {LOG_Z}"
    right = scored(tmp_path, answers, None, "trivial").scores
    assert right[["score", "note"]].to_numpy().tolist() == [[0, "degenerate"], [100, "degenerate"]]


@pytest.fixture
def narrow(monkeypatch):
    """Nothing with more than one variable of two states is within reach."""
    monkeypatch.setattr(exact, "WIDTH_BITS", 1.0)


def test_case_without_reference_is_not_evaluable_and_counts_for_nobody(tmp_path, narrow):
    texts = ("PR 0", "MAR 2 2 1 0 3 1 0 0", "MMAP 1 0 1")
    answers = {f"a/small.uai.{text.split()[0]}": text for text in texts}
    scores = scored(tmp_path, answers, query="1 0").scores
    assert scores["status"].tolist() == ["not_evaluable"] * 3 and scores["score"].isna().all()
    assert "2**" in scores["note"].iloc[2] and rank_solvers(scores).empty


@each("answer best likelihood", "MPE 2 0 0 | 0 | 2.4\nMPE 2 1 1 | 1 | 3")
def test_case_without_reference_takes_the_best_answer_or_the_trivial_one(
    tmp_path, narrow, answer, best, likelihood
):
    """Likelihoods: 0 0 has .4; the default, each variable by its own table, 1 0, has 2.4; 1 1 has 3."""
    result = scored(tmp_path, {"a/small.uai.MPE": "MPE 2 0 0", "b/small.uai.MPE": answer})
    logarithm = math.log10(float(likelihood))
    assert one(result)["error"] == pytest.approx(logarithm - math.log10(0.4))
    known = result.references["small"].best["MPE small"]
    assert known == (pytest.approx(logarithm), [1, int(best)])


def test_file_of_no_problem_is_listed(tmp_path):
    odd = "a/other.uai.PR a/README a/small.uai.XY top.txt a/later/small.uai.PR a/small.uai.MMAP a/1/2/small.uai.PR"
    answers = dict.fromkeys(["a/small.uai.PR", *odd.split()], "PR 0")
    assert scored(tmp_path, answers).unknown == sorted(odd.split())
    with refused("small.uai.MAP answers the same task; keep one of"):
        scored(tmp_path, {"a/small.uai.MAP": "MAP 2 0 0", "a/small.uai.MPE": "MPE 2 0 0"})
    with refused("no answer was found"):
        score_answers(stored(tmp_path), tmp_path / "nowhere")


SCORES = """\
task solver instance time_limit_s score
PR   a      x        1            0
PR   a      x        9            100
PR   a      y        1            50
PR   a      y        9            50
PR   b      x        1            60
PR   b      x        9            60
PR   b      y        1            60
PR   b      y        9            60
PR   a      z        1            nan
PR   b      z        1            100
"""


@each("weight first second", "1 | b 60.0 | a 50.0\n4 | a 65.0 | b 60.0")
def test_ranking_is_weighted_by_time_limit(weight, first, second):
    """Instance z cannot be evaluated for a and counts for nobody."""
    weights = None if weight == "1" else {"9": 4, "1": 1}
    ranking = rank_solvers(read_table(SCORES), weights)
    rows = ranking[["solver", "score"]].astype(str).agg(" ".join, axis=1)
    assert rows.tolist() == [first, second]
    assert {*ranking["n_instances"]} == {2} and ranking["rank"].tolist() == [1, 2]


ANSWERS = """\
solver task instance time_limit_s score
a      PR   x        1            100
a      PR   y        1            0
a      PR   x        9            100
a      PR   y        9            50
b      PR   x        1            50
b      PR   y        1            50
c      PR   x        1            0
c      PR   y        1            100
"""


@pytest.fixture
def scores():
    return pd.read_csv(StringIO(ANSWERS), sep=r"\s+")


def test_resampled_shares_are_those_by_hand(scores):
    """With instance x a wins, with y c wins; half of the draws hold both."""
    few = scores[scores["time_limit_s"] == 1]
    first, again, other = (resample_instances(few, None, 4000, seed) for seed in (1, 1, 2))
    assert first.set_index("solver")["p_win"].loc[["a", "b", "c"]].tolist() == pytest.approx(
        [0.25 + 1 / 6, 1 / 6, 0.25 + 1 / 6], abs=0.03
    )
    assert first.equals(again) and not first.equals(other)


def test_curves_hold_their_numbers(scores):
    means = displays.CurvesDisplay.from_scores(scores[scores["solver"] == "a"]).numbers
    assert means[["time_limit_s", "score"]].to_numpy().tolist() == [[1, 50], [9, 75]]


ROWS = {  # scores of a at 1 s and 9 s, then of b
    "chain_1": (90, 30, 20, 60),
    "chain_2": (90, 30, 20, 60),
    "grid_1": (0, 0, 30, 30),
}


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ({}, "count alike, and families by their numbers of instances; with equal weights of the families the order "
         "would be PR 1. b, 2. a."),
        ({"1": 1, "9": 3}, "count by the weights 1 s 1, 9 s 3, and families"),
        ({"1": 1, "9": 3}, "with equal weights of the time limits the order would be PR 1. a, 2. b, with equal"),
        ({"1": 1, "9": 3}, "with equal weights of the families no order changes."),
    ],
)  # fmt: skip
def test_weights_within_a_task_are_stated_with_the_order_of_equal_ones(weights, text):
    rows = [
        (solver, "PR", name, limit, float(values[2 * i + j]))
        for name, values in ROWS.items()
        for i, solver in enumerate("ab")
        for j, limit in enumerate((1.0, 9.0))
    ]
    table = pd.DataFrame(rows, columns=["solver", "task", "instance", "time_limit_s", "score"])
    assert text in describe_weights(table, weights)
