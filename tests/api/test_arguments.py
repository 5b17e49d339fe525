"""What callers hand over: tables of every make are read alike and left alone; anything else is one sentence."""

import numpy as np
import pandas as pd
import pytest

import srlib
from tests.api import small
from tests.builders import judge_competition

pytestmark = pytest.mark.slow

MAKES = {
    "an index that appears twice": lambda runs: runs.set_axis([7] * len(runs)),
    "keys in the index": lambda runs: runs.set_index(["method", "dataset", "repetition"]),
    "columns turned round": lambda runs: runs[runs.columns[::-1]],
    "rows shuffled": lambda runs: runs.sample(frac=1, random_state=3),
    "categories": lambda runs: runs.astype({"method": "category", "dataset": "category"}),
    "Arrow": lambda runs: runs.convert_dtypes(dtype_backend="pyarrow"),
    "numbers as text": lambda runs: runs.astype({"repetition": "str", "r2_test": "str"}),
    "from a generator": lambda runs: (part for part in [runs.head(5), runs.tail(7)]),
}


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_a_table_of_any_make_gives_the_same_verdict(make, judged, problems):
    again = judge_competition(make(small.runs()), problems)
    pd.testing.assert_frame_equal(again.aspects, judged.aspects)
    assert again.counts == judged.counts


def test_no_function_changes_the_callers_frame(problems):
    runs = small.runs().set_axis(range(20, 8, -1)).assign(file="mine", row="first")
    X = pd.DataFrame({"k": [1.0, 2.0], "d": [3.0, 5.0]})
    assessments = judge_competition(runs.copy(), problems).assessments
    before = [frame.copy(deep=True) for frame in (runs, X, assessments)]
    srlib.read_runs(runs, names={"Exact": "features"})
    srlib.check(runs, problems=problems)
    srlib.compare(runs, "edit_distance", problems=problems)
    judge_competition(runs, problems)
    judge_competition(assessments, problems)
    srlib.solution_rate("k*d", X, truth="d*k")
    for frame, copy in zip((runs, X, assessments), before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)


def test_the_table_of_the_qualification_may_be_a_frame(problems):
    table = pd.DataFrame({"method": ["Exact", "Near"], "qualified": [False, True]}, index=[3, 3])
    judged = judge_competition(small.runs(), problems, qualified=table)
    assert judged.ranking["method"].iloc[0] == "Near"
    sentence = "the table of the qualification: column 'dataset' is missing"
    with pytest.raises(srlib.SrlibError, match=sentence):
        judge_competition(small.runs(), problems, qualified=table[["method"]])


@pytest.mark.parametrize(
    ("metric", "values"),
    [("complexity", {"Exact": 3, "Near": 5}), ("r2_test", {"Exact": 1, "Near": 0.9})],
)
def test_a_comparison_measures_what_the_runs_do_not_report(metric, values, problems):
    """Broken has no model at all, and what it claims counts nothing."""
    comparison = srlib.compare(small.runs(), metric, problems=problems)
    assert comparison.tables["Values"].set_index("unit").loc["hooke"].to_dict() == values
    assert "Broken has no value at all and takes no part." in comparison.sentences
    assert comparison.ledger.index.is_unique


@pytest.mark.parametrize(
    "model", [srlib.parse("2*a"), np.array(["2*a"]), pd.Index(["2*a"]), iter(["a + a"])]
)
def test_models_come_in_many_forms(model):
    assert srlib.solution_rate(model, truth="2*a", domain={"a": (0, 1), "other": (0, 1)}) == 1


@pytest.mark.parametrize(
    ("model", "truth", "rate"), [("abs(x)", "-x", 1), ("abs(x)", "x", 1), ("abs(x) + x", "x", 0)]
)
def test_gaps_in_the_data_do_not_widen_the_domain(model, truth, rate):
    """|x| is -x on -3..-2, and also where a value is missing; x is that up to a scale."""
    X = pd.DataFrame({"x": [-3.0, np.nan, -2.0, np.inf], "unused": [1, 2, 3, 4]})
    assert srlib.solution_rate(model, X, truth=truth) == rate


MODEL = srlib.parse("a + b", features=["a", "b"])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"name": ["one", "two"], "b": [1, 2], "a": pd.array([1, None], "Int64")}),
        np.array([[1, 1], [np.nan, 2]]),
        {"a": [1, None], "b": [1, 2]},
    ],
)
def test_a_model_predicts_from_what_it_uses(X):
    np.testing.assert_array_equal(MODEL.predict(X), [2, np.nan])
    assert srlib.parse("3", ["a", "b"]).predict(X).tolist() == [3, 3]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda r, p: judge_competition(None, p), "runs: a path, 'demo' or a DataFrame .* None"),
        (lambda r, p: judge_competition(r.to_dict(), p), "runs: .* got dict"),
        (lambda r, p: judge_competition(r, p, timeout="a"), "timeout: a positive .* got 'a'"),
        (lambda r, p: judge_competition(r, p, jobs=0), "jobs: a whole number of at least 1 .* 0"),
        (lambda r, p: srlib.robustness(r, p, seed="a"), "seed: a whole .* got 'a'"),
        (lambda r, p: srlib.parse(3), "model: a formula's text was expected, got int"),
        (lambda r, p: srlib.parse("x1", features="x1"), "features: a list of names .* got 'x1'"),
        (lambda r, p: srlib.equivalent("x", "x", domain=[1, 2]), "domain: {NAME"),
        (lambda r, p: srlib.solution_rate("a", [[[1], [2]]], truth="a"), "X: a table of numbers"),
        (lambda r, p: MODEL.predict({"a": ["u"], "b": [1]}), "a table of numbers"),
        (lambda r, p: MODEL.predict(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])),
         "two columns have the same name"),
        (lambda r, p: MODEL.predict({"a": [1, 2], "b": [1]}), "same length"),
        (lambda r, p: MODEL.predict({"a": [1]}), "uses 'b', which is no column"),
        (lambda r, p: MODEL.predict([[1.0]]), "2 columns passed, passed data had 1 columns"),
        (lambda r, p: srlib.parse("k*d").predict([[1.0, 2.0]]), "no names"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_one_sentence(call, sentence, problems):
    with pytest.raises(srlib.SrlibError, match=sentence) as error:
        call(small.runs(), problems)
    assert "\n" not in str(error.value)
